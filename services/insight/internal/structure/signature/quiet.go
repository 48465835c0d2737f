package signature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// signatureWord matches a caption of a signature.
var signatureWord = regexp.MustCompile(`(?i:sign|seal)`)

// counsel matches the title of a party's lawyer: "Attorneys for Acme Ltd".
var counsel = space.Compile(`^(?i:(?:attorneys?|counsel|solicitors?|lawyers?)\s+for\s)`)

// sealedDelivered matches the line above the signatures of witnesses.
var sealedDelivered = space.Compile(`^(?i:signed,?\s+sealed,?\s+(?:and|&)\s+delivered)\s*[:,]?$`)

// quiet takes a line without a label: the name or title below a signature, or the party of
// the next one.
func (b *blockReader) quiet(m mark) {
	t := b.quote(m.value)
	switch {
	case b.witnessed(t):
	case b.ownCaption(m, t):
	case madeBy.MatchString(b.quote(m.Span)):
		b.end()
		b.attested = strings.HasSuffix(b.quote(m.Span), ":") // the preparer is below, and does not sign
	case captions(t) && b.open:
		if b.lastWord == lineWord && b.now.Name.Len() == 0 && !signatureWord.MatchString(t) && !b.printed(t) {
			b.captioned() // the line above is for a date, or a name
		} else if signatureWord.MatchString(t) && b.self() {
			b.now.Name, b.last = b.now.Party, named // the name is above the line
		}
	case b.attested && b.blankName(m, t):
		b.attested = false // the witness has the lines above
	case b.companyBehind(m, t), b.calledBelow(m, t):
	case !b.signed:
		b.fill(m, t)
	case b.signs(m, t):
	case strings.Contains(t, "@") && !strings.Contains(t, " "):
		if b.now.Email.Len() == 0 {
			b.extend(m.Span)
			b.now.Email = m.value
		}
	case b.last == titled && b.titleGoesOn(m, t):
		b.extend(m.Span)
		b.now.TitleRest = m.value
	case b.firm(m, t):
	case b.now.Title.Len() == 0 && office.MatchString(t) && b.last != other && !deed.MatchString(t) && b.nameAndTitle(m, t):
	case b.bare && b.last == signs && b.now.Party.Len() == 0 && len(b.next) > 0 && b.next[0].word == "by" && partial(t):
		b.extend(m.Span) // a company without a legal form signs the letter
		b.now.Party = m.value
	case b.officeFirst(t) && b.person(m):
	case (b.last == signs || b.last == dated && b.row == b.signRow && b.now.Date.Len() == 0) && (b.now.Name.Len() == 0 || b.sameName(m.value)) && b.person(m):
	case b.last == named && (b.sameName(m.value) && !b.namesParty(t) || b.labelled()) && b.person(m):
	case b.named && b.header && b.now.Name.Len() == 0 && b.now.Title.Len() == 0 && !strings.HasSuffix(b.quote(m.Span), ":") && personal(b.text, &m) && b.person(m):
		// the values are below all labels
	case strings.HasSuffix(b.quote(m.Span), ":") && !wording.EndsCompany(t) && !wording.CaseOf(t).Capitals():
		// a label of something else
	default:
		b.end()
		b.heads(m, t)
	}
}

// namesParty reports whether a line with the signer's surname names the next party, who is a relative:
// the name is in capitals, and another signature follows.
func (b *blockReader) namesParty(t string) bool {
	return len(b.next) > 0 && b.next[0].role == signs && wording.CaseOf(t).Capitals() && !wording.CaseOf(b.quote(b.now.Name)).Capitals() && !strings.EqualFold(firstWord(t), firstWord(b.quote(b.now.Name)))
}

var (
	// openTitle matches the end of a title that goes on in the next line. If it is punctuation, the next
	// line must have an office.
	openTitle = regexp.MustCompile(`(?:([,&/–-])|\b(?i:and|of|for|the|to))$`)
	// titleMore matches the beginning of a line that continues a title.
	titleMore = regexp.MustCompile(`^(?:and|of|for|&)\s+(?:the\s+)?\p{Lu}`)
)

// companyBehind takes the party behind a title on the same line, where lines were joined: "Title: Director
// ACME LTD".
func (b *blockReader) companyBehind(m mark, t string) bool {
	titled := b.last == titled || b.last == signs && b.now.Name.Len() > 0 && b.now.Title.Len() > 0
	if !b.open || !titled || b.now.Party.Len() > 0 || m.row != b.row || !wording.EndsCompany(t) || !partial(t) {
		return false
	}
	b.extend(m.Span)
	b.now.Party, b.last = m.value, partied
	return true
}

// titleGoesOn reports whether a line continues the title above it: "Senior Vice President and" and,
// below, "Chief Financial Officer".
func (b *blockReader) titleGoesOn(m mark, t string) bool {
	title := b.now.Title
	if title.Len() == 0 || b.now.TitleRest.Len() > 0 || m.value.Start < title.End || m.row-b.row > maxGap || len(t) > maxName || strings.HasSuffix(b.quote(m.Span), ":") {
		return false
	}
	if wording.EndsCompany(t) || bodyEnd.MatchString(t) || strings.Contains(b.text[title.End:m.value.Start], "\n\n") || strings.ContainsFunc(t, unicode.IsDigit) {
		return false
	}
	above := b.quote(title)
	if behind := strings.TrimLeft(b.text[title.End:min(title.End+2, len(b.text))], " "); behind != "" && strings.ContainsAny(behind[:1], ",&/-") {
		above += behind[:1]
	}
	last := strings.ToLower(above[strings.LastIndexByte(above, ' ')+1:])
	if at := openTitle.FindStringSubmatchIndex(above); at != nil {
		return at[2] < 0 || office.MatchString(t)
	}
	return titleMore.MatchString(t) || rank.MatchString(last) && (last == "vice" || !office.MatchString(last)) && office.MatchString(t)
}

// signs takes the name of a second person who signs for the same party on the same line: "i.V.
// Jane Roe".
func (b *blockReader) signs(m mark, t string) bool {
	if b.now.Name.Len() == 0 || b.sameName(m.value) || !procuration.MatchString(t) || !Personal(strings.TrimSpace(t[procuration.FindStringIndex(t)[1]:])) {
		return false
	}
	party := b.now.Party
	b.end()
	b.open, b.signed, b.now.Party = true, true, party
	if party.Len() > 0 {
		b.extend(party)
	}
	return b.person(m)
}

// officeFirst reports whether a line may be the name of the signer although the office is above
// it, as a caption of the line to sign on.
func (b *blockReader) officeFirst(t string) bool {
	return b.last == titled && b.lastWord == lineWord && b.now.Name.Len() == 0 && strings.Contains(t, " ") && (len(b.next) == 0 || b.next[0].role != signs || b.next[0].word == lineWord || b.next[0].word == deedWord)
}

// ownCaption takes a caption that says whose signature or name is above. It reports false for
// any other line.
func (b *blockReader) ownCaption(m mark, t string) bool {
	at := ownCaption.FindStringSubmatchIndex(t)
	if at == nil || !b.open && at[2] < 0 {
		return false
	}
	var party layout.Span
	if b.open && at[2] >= 0 && b.lastWord == conformedWord {
		if !b.witness {
			party = b.now.Party
		}
		b.end() // the line for the next one was lost
	}
	if !b.open {
		b.begin(m) // the line above is dotted
		if party.Len() > 0 && b.now.Party.Len() == 0 {
			b.now.Party = party
			b.extend(party)
		}
		b.signed, b.last, b.lastWord, b.row, b.signRow = true, signs, lineWord, m.row, m.row
	}
	switch {
	case at[6] >= 0:
		b.witness = true
	case at[2] >= 0 && b.now.Title.Len() == 0 && !strings.Contains(t, "/"):
		b.extend(m.Span)
		b.now.Title = layout.Span{Start: m.value.Start + at[4], End: m.value.Start + at[5]}
	case at[2] < 0 && b.lastWord == lineWord && b.now.Name.Len() == 0:
		b.captioned()
	}
	return true
}

// printed takes the caption "Print name" of a line on which a name is written, which looks like
// a party. The line to sign on follows.
func (b *blockReader) printed(t string) bool {
	if !strings.Contains(strings.ToLower(t), "name") || !b.self() || len(b.next) == 0 || b.next[0].role != signs {
		return false
	}
	b.now.Name, b.now.Party, b.now.Line = b.now.Party, layout.Span{}, layout.Span{}
	b.signed = false
	return true
}

// formEnd matches legal forms that wording.EndsCompany does not accept, because they are also words
// or abbreviations of states.
var formEnd = regexp.MustCompile(`\s(?:AS|ASA|AB|BV|NV|SA|SAS|OY|OÜ|AG)$`)

// self reports whether the party of a block without a name is a person.
func (b *blockReader) self() bool {
	party := b.quote(b.now.Party)
	return b.now.Name.Len() == 0 && Personal(party) && !formEnd.MatchString(party) && strings.Contains(party, " ") && (party == strings.ToUpper(party) || !slices.ContainsFunc(strings.Fields(party), acronym))
}

// captioned takes a line to write on whose caption below shows that it is not a signature
// line. It belongs to the block that ended just above, if there is one.
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

// heads takes a line that may name the party of the next block. Lines before a sentence do
// not count.
func (b *blockReader) heads(m mark, t string) {
	b.sealed = sealedDelivered.MatchString(t)
	if sentence(t) && !partial(t) {
		b.above = nil
		return
	}
	if wording.EndsCompany(t) && partial(t) {
		b.attested, b.twice = false, false
	}
	b.above = append(b.above, m)
}

// witnessed takes a line that says that a witness signs: on the line above, or next. It
// reports false for any other line.
func (b *blockReader) witnessed(t string) bool {
	if b.open && b.formed && counsel.MatchString(t) {
		b.witness = true
		return true
	}
	if !witnessing.MatchString(t) {
		if !b.signed || b.last != signs || b.now.Name.Len() > 0 && wordsAt(t, b.quote(b.now.Name)) != 0 || !witnessName.MatchString(t) {
			return false
		}
		b.witness = true
		return true
	}
	if b.open && b.signed && (b.last == signs && b.now.Name.Len() == 0 || b.attests(t)) {
		b.witness = true
		return true
	}
	b.end()
	listed := len(b.next) > 0 && (strings.HasPrefix(b.quote(b.next[0].Span), "1.") || strings.HasPrefix(b.quote(b.next[0].Span), "1)"))
	b.formed = b.formed || hasFold(t, "approved as to form")
	b.attested, b.twice, b.sealed = true, b.sealed || listed || hasFold(t, "witnesses"), false
	return true
}

// labelled reports whether a line between the labels "Name:" and "Title:" is the value of the
// first.
func (b *blockReader) labelled() bool {
	return b.now.Name.Len() == 0 && b.header && len(b.next) > 0 && (b.next[0].role == titled || b.next[0].role == dated)
}

// blankName reports whether a line is for the printed name of a witness: a caption with a rule
// of hyphens beside it.
func (b *blockReader) blankName(m mark, t string) bool {
	return captions(t) && strings.Contains(strings.ToLower(t), "name") && len(b.next) > 0 && b.next[0].word == ruleWord && b.next[0].row == m.row
}

// attests reports whether a line is the caption "Witness" or "Notary Public" below a signature
// or a name, and not the heading of the next signature.
func (b *blockReader) attests(t string) bool {
	if hasFold(t, "notary public") && b.now.Title.Len() == 0 && (b.last == named || b.last == signs) && (len(b.next) == 0 || b.next[0].role != signs) {
		return true
	}
	if !strings.EqualFold(t, "witness") || b.now.Title.Len() > 0 {
		return false
	}
	return b.last == named || b.last == signs && len(b.next) > 0 && b.next[0].role == other
}

// firm takes the name of a company below its signer.
func (b *blockReader) firm(m mark, t string) bool {
	if b.last == signs && strings.EqualFold(b.quote(b.now.Party), t) {
		b.extend(m.Span)
		return true // it is above the signature, too
	}
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

// startsOffice reports whether a text begins with an office: "CEO, Acme Ltd".
func startsOffice(t string) bool {
	before, after, _ := strings.Cut(t, ",")
	return office.MatchString(before) && (!formOnly(after) || officeAt(t) > 0)
}

// formOnly reports whether a text is the legal form of a company and nothing else.
func formOnly(t string) bool {
	t = strings.TrimSpace(t)
	return t != "" && len(companyMore.FindString(t)) >= len(strings.TrimRight(t, ".:"))
}

// fill takes a line before the signature. It may be the value of a label in the previous
// cell.
func (b *blockReader) fill(m mark, t string) {
	if b.open && b.last == named && b.now.Name.Len() == 0 && !strings.HasSuffix(b.quote(m.Span), ":") && b.person(m) {
		return
	}
	if b.open {
		b.end()
	}
	b.heads(m, t)
}

// standing reports whether the value of a label is a company that signs for another: "By:
// Acme GP Ltd, its general partner".
func standing(text string, m mark) bool {
	t := text[m.value.Start:m.value.End]
	if (m.role != signs || m.word != "by") && !strings.HasPrefix(m.word, "represented") {
		return false
	}
	if at := behalfOf.FindStringIndex(t); at != nil {
		t = t[:at[0]]
	}
	return wording.EndsCompany(t) && partial(t)
}
