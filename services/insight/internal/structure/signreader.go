package structure

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// blockReader reads the signature blocks of a column, from top to bottom.
type blockReader struct {
	text string
	out  []Signature
	// below tells that parties stand below who signs for them.
	below bool
	// next are the marks behind the one that is read.
	next []mark
	// attested tells that a witness signs next.
	attested bool
	// above is what stands before the block and may say for whom is signed.
	above []mark
	// unnamed are the labels before the block that are to name for whom is signed.
	unnamed []layout.Span
	block
}

// block is the signature block that is read.
type block struct {
	now Signature
	// open tells that the block has begun: with its first label.
	open, signed bool
	// bare tells that it has no line to sign on yet: it began with for whom is
	// signed, or with the end of a letter.
	bare bool
	// witness tells that it is that of a witness.
	witness  bool
	last     role
	lastWord string
	// header tells that its last label stands on a line of its own.
	header bool
	// marks counts the lines with a label.
	marks int
}

// read takes the next mark of the column.
func (b *blockReader) read(m mark) {
	switch {
	case m.role == other:
		b.quiet(m)
		return
	case m.role == ignored:
		if m.word == lineWord && b.signed && b.now.Line.Len() == 0 {
			b.now.Line = m.Span
			b.extend(m.Span)
		} else if b.open {
			b.now.Parts = append(b.now.Parts, m.Span) // an address, or a line for something else
		}
		return
	case b.stands(m):
		if !b.open && len(b.above) == 0 {
			b.above = append(b.above, m)
		}
		return
	case m.role == forWhom || m.role == closing:
		b.opening(m)
		return
	case m.role == partied && m.value.Len() == 0:
		if b.open {
			b.last = partied
			b.now.Parts = append(b.now.Parts, m.Span)
		} else {
			b.unnamed = append(b.unnamed, m.Span)
		}
		return
	case m.role == partied && !b.open:
		b.above = append(b.above, m)
		return
	}
	if b.again(m) {
		party := b.now.Party
		b.end()
		if party.Len() > 0 && !witnessWord(m.word) && m.word != deedWord {
			b.now.Party = party
			b.extend(party)
		}
	}
	b.begin(m)
	b.take(m)
	b.last, b.lastWord, b.header = m.role, m.word, m.bare
}

// opening begins a block above the line that is signed.
func (b *blockReader) opening(m mark) {
	if m.role == forWhom && m.value.Len() == 0 {
		if b.open {
			b.last = partied
		}
		return
	}
	if m.role == forWhom && b.open && b.signed && !b.bare && b.now.Party.Len() == 0 {
		b.extend(m.Span)
		b.now.Party = m.value
		return
	}
	b.end()
	b.open, b.signed, b.bare, b.last, b.attested = true, true, true, signs, false
	b.extend(m.Span)
	if m.role == forWhom {
		b.now.Party = m.value
	}
}

// take takes what a label stands before.
func (b *blockReader) take(m mark) {
	switch m.role {
	case signs:
		if b.signed && !b.bare && b.now.Name.Len() > 0 {
			return // "By:" below "/s/"
		}
		b.signed, b.bare = true, false
		b.witness = b.witness || witnessWord(m.word)
		if m.value.Len() == 0 && b.now.Line.Len() == 0 {
			b.now.Line = m.Span
		}
		if m.word == deedWord && wording.EndsCompany(b.quote(m.value)) {
			b.now.Party, b.bare = m.value, true
			break
		}
		b.signedBy(m.value)
	case named:
		b.namedBy(m.value)
	case titled:
		b.now.Title = m.value
	case dated:
		b.now.Date = m.value
	case mailed:
		b.now.Email = m.value
	case partied:
		b.now.Party = m.value
	}
}

func (b *blockReader) quote(s layout.Span) string { return b.text[s.Start:s.End] }

// witnessWord tells the label of a witness.
func witnessWord(word string) bool { return word == "witness" || word == "attest" }

// again tells whether a mark is of the next block: what it says is said already.
func (b *blockReader) again(m mark) bool {
	switch m.role {
	case signs:
		if !b.signed || b.bare && !witnessWord(m.word) {
			return witnessWord(m.word) && b.open
		}
		if b.last != signs || b.lastWord == m.word || witnessWord(m.word) || b.witness && !b.header {
			return true
		}
		return m.value.Len() > 0 && b.now.Name.Len() > 0 && !b.sameName(m.value)
	case titled:
		return b.now.Title.Len() > 0 && b.signed && b.last != named && b.last != titled
	case dated:
		return b.now.Date.Len() > 0 && b.signed
	}
	return false
}

// begin takes a mark into the block. The first one takes what is above for the
// party.
func (b *blockReader) begin(m mark) {
	if !b.open {
		b.open = true
		b.witness = b.attested && m.word != deedWord
		if party, ok := b.party(); ok {
			b.now.Party = partyName(b.text, party.value)
			b.extend(party.Span)
		}
		b.now.Parts = append(b.now.Parts, b.unnamed...)
		b.above, b.unnamed = nil, nil
	}
	b.marks++
	b.extend(m.Span)
}

// extend makes the block hold a span.
func (b *blockReader) extend(s layout.Span) {
	b.now.Parts = append(b.now.Parts, s)
	if b.now.Len() == 0 {
		b.now.Span = s
	}
	b.now.Start, b.now.End = min(b.now.Start, s.Start), max(b.now.End, s.End)
}

// party returns which of the lines above names the party: the name of a company,
// or else the last.
func (b *blockReader) party() (last mark, ok bool) {
	for i := len(b.above) - 1; i >= 0; i-- {
		m := b.above[i]
		t := b.quote(m.value)
		if m.role != partied && !partial(t) {
			continue
		}
		if m.role == partied || wording.EndsCompany(t) {
			return m, true
		}
		if !ok {
			last, ok = m, true
		}
	}
	return last, ok
}

// signatureWord says that what stands above it is a signature.
var signatureWord = regexp.MustCompile(`(?i:sign|seal)`)

// calledAs is what may stand before the name of a party: what it is called in the
// document.
var calledAs = regexp.MustCompile(`^(?:For |\(?["“][^"”]{1,40}["”]\)?:? +)`)

// behalfOf is how the name of a company ends that signs for another one.
var behalfOf = space.Compile(`(?i),?\s+(?:(?:as\s+)?its\s+|not\s+in\s+its\s+.*\bas\s+)(?:\w+\s+){0,2}(?:partner|member|manager|agent|advisor|adviser|trustee|attorney-in-fact)$`)

// partyName returns where the party is in a line that names it: "SELLER: Acme Ltd".
func partyName(text string, s layout.Span) layout.Span {
	if m := calledAs.FindStringIndex(text[s.Start:s.End]); m != nil {
		s.Start += m[1]
	}
	t := text[s.Start:s.End]
	if at := strings.Index(t, ": "); at > 0 && at <= maxName/2 && wording.CaseOf(t[:at]).Words <= 4 {
		return wording.Trimmed(text, layout.Span{Start: s.Start + at + 1, End: s.End})
	}
	for _, end := range []string{"'s", "’s"} {
		s.End = s.Start + len(strings.TrimSuffix(text[s.Start:s.End], end))
	}
	return s
}

// quiet takes a line without a label: the name or the title below a signature, or
// for whom the next one is.
func (b *blockReader) quiet(m mark) {
	t := b.quote(m.value)
	switch {
	case b.witnessed(t):
	case captions(t) && b.open:
		if b.lastWord == lineWord && b.now.Name.Len() == 0 && !signatureWord.MatchString(t) {
			b.captioned() // the line above is for a date, or a name
		}
	case !b.signed:
		b.fill(m, t)
	case strings.Contains(t, "@") && !strings.Contains(t, " "):
		if b.now.Email.Len() == 0 {
			b.extend(m.Span)
			b.now.Email = m.value
		}
	case b.firm(m, t):
	case b.now.Title.Len() == 0 && office.MatchString(t) && b.last != other && b.nameAndTitle(m, t):
	case b.last == signs && (b.now.Name.Len() == 0 || b.sameName(m.value)) && b.person(m):
	case strings.HasSuffix(b.quote(m.Span), ":") && !wording.EndsCompany(t) && !wording.CaseOf(t).Capitals():
		// a label of something else
	default:
		b.end()
		b.heads(m, t)
	}
}

// captioned takes a line to write on that its caption, below it, tells from one to sign
// on. It belongs to the block that ended just above it, if there is one.
func (b *blockReader) captioned() {
	line := b.now.Line
	b.block = block{}
	if len(b.out) == 0 {
		return
	}
	above := &b.out[len(b.out)-1]
	if line.Start >= above.End && line.Start-above.End <= maxMark {
		above.Parts = append(above.Parts, line)
	}
}

// heads takes a line that may name for whom the next block is. None before a
// sentence does.
func (b *blockReader) heads(m mark, t string) {
	if sentence(t) && !partial(t) {
		b.above = nil
		return
	}
	if wording.EndsCompany(t) && partial(t) {
		b.attested = false
	}
	b.above = append(b.above, m)
}

// witnessed takes a line that says that a witness signs: on the line above, or
// next.
func (b *blockReader) witnessed(t string) bool {
	if !witnessing.MatchString(t) {
		if !b.signed || b.last != signs || b.now.Name.Len() > 0 || !witnessName.MatchString(t) {
			return false
		}
		b.witness = true
		return true
	}
	if b.open && b.signed && (b.last == signs && b.now.Name.Len() == 0 || b.last == named && b.now.Title.Len() == 0 && !strings.HasSuffix(t, ":") && strings.EqualFold(t, "witness")) {
		b.witness = true
		return true
	}
	b.end()
	b.attested = true
	return true
}

// firm takes the name of a company that stands below who signs for it.
func (b *blockReader) firm(m mark, t string) bool {
	if b.now.Party.Len() > 0 || !partial(t) {
		return false
	}
	own := wording.EndsCompany(t)
	switch {
	case b.last == partied:
	case !own || office.MatchString(t) && strings.Contains(t, ",") && startsOffice(t):
		return false
	case b.last == signs && b.now.Name.Len() == 0:
		b.extend(m.Span)
		b.now.Party = m.value
		return true
	case !b.below && (b.now.Name.Len() == 0 || len(b.next) == 0 || b.next[0].role != other):
		return false
	}
	b.extend(m.Span)
	b.now.Party, b.last = m.value, partied
	return true
}

// startsOffice tells whether a text begins with an office: "CEO, Acme Ltd".
func startsOffice(t string) bool {
	before, _, _ := strings.Cut(t, ",")
	return office.MatchString(before)
}

// fill takes a line before the signature. The value of a label may stand in the
// next cell.
func (b *blockReader) fill(m mark, t string) {
	if b.open && b.last == named && b.now.Name.Len() == 0 && b.person(m) {
		return
	}
	if b.open {
		b.end()
	}
	b.heads(m, t)
}

// stands tells whether a label stands before a company that signs for another one,
// by somebody who is named below: "By: Acme GP Ltd, its general partner".
func (b *blockReader) stands(m mark) bool {
	t := b.quote(m.value)
	if m.role != signs || m.word != "by" {
		return false
	}
	if at := behalfOf.FindStringIndex(t); at != nil {
		t = t[:at[0]]
	}
	return wording.EndsCompany(t) && partial(t)
}

// end ends the block. One without a signature, and without a name beside another
// field, is none, nor is that of a witness.
func (b *blockReader) end() {
	fields := 0
	for _, s := range []layout.Span{b.now.Party, b.now.Name, b.now.Title, b.now.Date} {
		if s.Len() > 0 {
			fields++
		}
	}
	b.now.Title.End = b.now.Title.Start + len(titleOnly(b.quote(b.now.Title)))
	named := b.now.Name.Len() > 0
	signed := b.signed && (!b.bare && (fields > 0 || b.marks > 1) || b.bare && (named && (b.now.Title.Len() > 0 || b.now.Party.Len() == 0) || b.now.Line.Len() > 0))
	if b.open && !b.witness && (signed || named && fields > 1) {
		b.out = append(b.out, b.now)
	}
	if b.open {
		b.attested = false
	}
	b.block, b.above, b.unnamed = block{}, nil, nil
}
