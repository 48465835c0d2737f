package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// blockReader reads the signature blocks of a column, from top to bottom.
type blockReader struct {
	text string
	out  []Block
	// below says that parties are below their signers.
	below bool
	// next holds the marks after the current one.
	next []mark
	// attested says that a witness signs next. twice says that a second one signs after that.
	attested, twice bool
	// sealed says that the last line without a label begins the list of witnesses that is usual
	// in the southern United States: "Signed, sealed and delivered".
	sealed bool
	// formed says that the lawyers who approve the form sign next.
	formed bool
	// above holds the lines before the block that may name the party.
	above []mark
	// unnamed holds the party labels before the block that have no value.
	unnamed []layout.Span
	block
}

// block is the state of the current signature block.
type block struct {
	now Block
	// open says that the block has begun, with its first label. signed says that it has a
	// signature line.
	open, signed bool
	// bare says that it has no signature line yet: it began with the party, or with the
	// closing of a letter.
	bare bool
	// witness says that it is the block of a witness.
	witness  bool
	last     role
	lastWord string
	// header says that its last label is on a separate line.
	header bool
	// row is the line of the last label, signRow that of the last signature, and table the number of the table
	// in which the block begins.
	row, signRow, table int
	// marks counts the lines with a label.
	marks int
	// named says that it has a label for a name. deed says that its only signature so far is
	// the words "Signed by" of a deed.
	named, deed bool
	// contact says that it has a telephone number. accepted says that it began with the
	// acceptance of a letter.
	contact, accepted bool
}

// read takes the next mark of the column.
func (b *blockReader) read(m mark) {
	if m.word == officerWord && len(b.next) > 0 && b.next[0].role == other {
		// No signature follows, so the next line is the name of the signer.
		m.role, m.value = signs, layout.Span{Start: m.End, End: m.End}
	}
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
			b.contact = b.contact || hasFold(m.word, "tel") || hasFold(m.word, "phone")
		}
		return
	case standing(b.text, m):
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
		if b.last == partied || b.table != m.table {
			party = layout.Span{} // it is behind its signer, or signs in another table
		}
		b.end()
		if party.Len() > 0 && !witnessWord(m.word) && m.word != deedWord {
			b.now.Party = party
			b.extend(party)
		}
	}
	b.begin(m)
	behind := b.deed && b.last == partied && m.word == conformedWord // the party follows the signature
	b.take(m)
	b.last, b.lastWord, b.header, b.row = m.role, m.word, m.bare, m.row
	if behind {
		b.last = partied
	}
}

// opening begins a block above its signature line.
func (b *blockReader) opening(m mark) {
	if m.role == forWhom && m.value.Len() == 0 {
		if b.open {
			b.last = partied
		}
		return
	}
	if m.role == forWhom && m.word != signedForWord && b.open && b.signed && (!b.bare || b.now.Name.Len() > 0) && b.now.Party.Len() == 0 {
		b.extend(m.Span)
		b.now.Party = m.value
		return
	}
	above := b.above
	b.end()
	b.open, b.signed, b.bare, b.last, b.attested = true, true, true, signs, false
	b.table = m.table
	b.accepted = m.word == acceptsWord
	b.extend(m.Span)
	if m.role == forWhom {
		b.now.Party = m.value
		b.signerAbove(above)
	}
}

// signerAbove takes the signer of a block without a line to sign on from the last lines above the
// party: a name, and perhaps the office below it.
func (b *blockReader) signerAbove(above []mark) {
	if len(b.next) > 0 && (b.next[0].role == signs || b.next[0].role == named || b.next[0].role == other) {
		return // the signer is below
	}
	if n := len(above); n > 1 && office.MatchString(b.quote(above[n-1].value)) && personal(b.text, &above[n-2]) {
		b.extend(above[n-1].Span)
		b.now.Title = above[n-1].value
		above = above[:n-1]
	}
	if n := len(above); n > 0 && personal(b.text, &above[n-1]) {
		b.extend(above[n-1].Span)
		b.now.Name = above[n-1].value
	}
}

// take takes the value of a label.
func (b *blockReader) take(m mark) {
	switch m.role {
	case signs:
		if b.signed && !b.bare && b.now.Name.Len() > 0 {
			b.deed = false
			if m.word == "by" && b.sameName(m.value) {
				b.namedBy(m.value)
			}
			return // "By:" below "/s/"
		}
		b.deed = m.word == deedWord
		b.signed, b.bare, b.signRow = true, false, m.row
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
		b.named = true
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

// hasFold reports whether a text begins with a prefix, in any case.
func hasFold(t, prefix string) bool {
	return len(t) >= len(prefix) && strings.EqualFold(t[:len(prefix)], prefix)
}

// witnessWord reports whether a label is that of a witness.
func witnessWord(word string) bool {
	switch word {
	case "witness", "attest", "testigo", "témoin", "temoin", "zeuge", "getuige", "testemunha":
		return true
	}
	return false
}

// again reports whether a mark belongs to the next block, because the current one already
// has such a mark.
func (b *blockReader) again(m mark) bool {
	switch m.role {
	case signs:
		if m.word == deedWord && b.open && b.table != m.table {
			return true
		}
		if !b.signed || b.bare && !witnessWord(m.word) {
			return witnessWord(m.word) && b.open
		}
		if b.deed && m.word == conformedWord && !b.witness && b.now.Name.Len() > 0 {
			return false
		}
		if b.lastWord == "witness" && m.row == b.row && hasFold(b.quote(m.Span), "signature") {
			return false
		}
		if m.word == eSignedWord && b.sameName(m.value) {
			return false
		}
		if b.last != signs || b.lastWord == m.word || witnessWord(m.word) || b.witness && !b.header && m.word != lineWord {
			return true
		}
		return m.value.Len() > 0 && b.now.Name.Len() > 0 && !b.sameName(m.value)
	case named:
		return b.witness && b.named && m.value.Len() > 0
	case titled:
		return b.now.Title.Len() > 0 && b.signed && b.last != named && b.last != titled
	case dated:
		return b.now.Date.Len() > 0 && b.signed
	}
	return false
}

// begin adds a mark to the block. The first mark takes the party from the lines above.
func (b *blockReader) begin(m mark) {
	if !b.open {
		b.open, b.table = true, m.table
		b.witness = b.attested && m.word != deedWord
		if party, others, ok := b.party(); ok {
			b.now.Party = partyName(b.text, party.value)
			for _, m := range others {
				b.now.Others = append(b.now.Others, partyName(b.text, m.value))
			}
			b.extend(party.Span)
		}
		b.now.Parts = append(b.now.Parts, b.unnamed...)
		b.above, b.unnamed = nil, nil
	}
	b.marks++
	b.extend(m.Span)
}

// extend adds a part to the block, and extends its span.
func (b *blockReader) extend(s layout.Span) {
	b.now.Parts = append(b.now.Parts, s)
	if b.now.Len() == 0 {
		b.now.Span = s
	}
	b.now.Start, b.now.End = min(b.now.Start, s.Start), max(b.now.End, s.End)
}

// end ends the block. It drops a witness's block, and one with neither a signature nor a name with
// another field. A name with a telephone number and no signature is a contact.
func (b *blockReader) end() {
	b.now.Title.End = b.now.Title.Start + len(titleOnly(b.quote(b.now.Title)))
	fields := b.fields()
	if b.accepted && b.bare && !b.acceptedLetter(fields) {
		b.block, b.above, b.unnamed = block{}, nil, nil
		return // only letters are accepted this way
	}
	if b.secondWitness(fields) {
		b.witness, b.twice = true, false
	}
	if b.open && !b.witness && (b.hasSignature(fields) || b.now.Name.Len() > 0 && fields > 1 && !b.contact) {
		b.out = append(b.out, b.now)
	}
	if b.open {
		b.attested = false
	}
	b.block, b.above, b.unnamed = block{}, nil, nil
}

// fields counts what is written in the block: the party, the name, the title and the date.
func (b *block) fields() int {
	n := 0
	for _, s := range []layout.Span{b.now.Party, b.now.Name, b.now.Title, b.now.Date} {
		if s.Len() > 0 {
			n++
		}
	}
	return n
}

// acceptedLetter reports whether the block accepts a letter: it has two fields, or a full name at the
// end of the document.
func (b *blockReader) acceptedLetter(fields int) bool {
	return fields > 1 || strings.Contains(b.quote(b.now.Name), " ") && len(b.text)-b.now.End < lastLines
}

// secondWitness reports whether the block belongs to a second witness: it has a name and nothing else.
func (b *blockReader) secondWitness(fields int) bool {
	return b.open && b.twice && !b.attested && fields == 1 && b.now.Name.Len() > 0 && b.now.Email.Len() == 0
}

// hasSignature reports whether the block is signed and has another field or label. A block that began
// with a party or a closing needs a signature line, or a name.
func (b *block) hasSignature(fields int) bool {
	switch {
	case !b.signed:
		return false
	case !b.bare:
		return fields > 0 || b.marks > 1
	case b.now.Name.Len() > 0 && (b.now.Title.Len() > 0 || b.now.Party.Len() == 0):
		return true
	}
	return b.now.Line.Len() > 0
}
