package signature

import (
	"math"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for the execution of a deed, in lines, segments and bytes.
const (
	maxDeedLines    = 10
	maxDeedSegments = 40
	maxDeed         = 600
)

// deedOffice matches the office of those who act for a company in a deed.
const deedOffice = `(?:\w+\s+){0,3}?(?:directors?|partners?|proprietors?|secretary|signator(?:y|ies)|representatives?|officers?|attorneys?|agents?|managers?|trustees?|members?|president|chairman)`

var (
	// deed matches the beginning of the execution of a deed: "SIGNED by John Doe". The first
	// group is there if a signer may follow, and not only the party.
	deed = space.Compile(`^(?i:(?:signed|executed|sealed|delivered)(?:(?:,|\s+and|,\s+and)?\s+(?:signed|sealed|delivered|executed))*(?:\s+as\s+(?:a\s+)?deed|\s+as\s+an\s+agreement|\s+under\s+(?:hand|seal))?\s+(?:(by)|for(?:\s+and\s+on\s+behalf\s+of)?|on\s+behalf\s+of)\b|(?:sealed\s+with\s+)?the\s+(?:common|corporate|company)\s+seal\s+of\b)[\s:)]*`)
	// deedOpen matches the first line of an execution whose next line begins with "by".
	deedOpen = space.Compile(`^(?i:(?:signed|executed|sealed|delivered)(?:(?:,|\s+and|,\s+and)?\s+(?:signed|sealed|delivered|executed))*(?:\s+as\s+(?:a\s+)?deed|\s+as\s+an\s+agreement)?)[\s:)]*$`)
	// acting matches the words before the name of a party's representative.
	acting = space.Compile(`^(?i:acting\s+by(?:\s+its\s+\w+)?)[\s:)]+`)
	// deedParts matches the separators in the text after deed. The first group is there before
	// a party, the second before a representative, whose office is the third or the fourth, and
	// the fifth before what says nothing of either.
	deedParts = space.Compile(`(?i:[\s,)]*\b(?:((?:duly\s+authori[sz]ed\s+)?(?:for\s+and\s+)?on\s+behalf\s+of|as\s+(?:the\s+)?(?:attorney|agent)\s+for|for(?:\s+and)?\s*$)` +
		`|((?:acting\s+(?:by|through)|by\s+the\s+hands?\s+of|through|represented(?:\s+herein)?\s+by)(?:\s+(?:its|two(?:\s+of\s+its)?)\s+(` + deedOffice + `)\b)?|by\s+its\s+(` + deedOffice + `)\b|(?:and\s+)?signed\s+by)` +
		`|(in\s+the\s+presence(?:\s+of)?\b|in\s+accordance\s+with|pursuant\s+to|under\s+(?:a\s+|the\s+)?power|under\s+s(?:ection|\.)?\s*\d|(?:was|is|were|has\s+been)?\s*(?:hereunto|hereto)\s+affixed))[\s,:)]*)`)
	// withinNamed matches the words before the name of a party that the deed calls by its role,
	// such as "the within named VENDOR".
	withinNamed = space.Compile(`^(?:(?i:(?:the\s+)?(?:within|above|said|herein)(?:[\s-]*named)?)\s+(?:[A-Z][A-Za-z]+,\s+|(?i:vendor|purchaser|seller|buyer|licensor|licensee|lessor|lessee|landlord|tenant|lender|borrower|owner|developer|company|consultant|contractor|client|customer|supplier|employer|employee|guarantor|mortgagor|mortgagee|assignor|assignee|donor|donee)\s+)?)?(?:["“][^"”]{1,40}["”],?\s+)?(?:(?i:m/s|messrs)\.?\s+)?`)
	// parentage matches the words after a name that tell the person from others.
	parentage = space.Compile(`^((?:(?i:mr|mrs|ms|dr|smt|shri|sri)\.?\s+)?\S+\s.*?)\s+(?i:[swd]/o|nric|pan|passport|holder)\b`)
	// partyOpen matches the end of a line with a party whose name may go on in the next line.
	partyOpen = space.Compile(`(?i:\bon\s+behalf\s+of|\bfor)\s+\p{Lu}[^,()]{1,60}$`)
	// openEnd matches the end of a line after which the execution of a deed goes on.
	openEnd = space.Compile(`(?i:,|["”]|\b(?:its|two)\s+` + deedOffice + `|\b(?:within|above)[\s-]*named\s+\w+|\b(?:by|of|and|for|the|named|its|a|an|in|under|through|deed|hands?))$`)
	// conformedSign matches a signature on a copy.
	conformedSign = space.Compile(`(?i:` + conformedMark + `)`)
	// officeBehind matches the office behind a name.
	officeBehind = space.Compile(`^[\s,)]*\b(?:an?\s+|its\s+|the\s+)?((?:\w+\s+){0,2}?(?i:director(?:/(?:company\s+)?secretary)?|partner|proprietor|secretary|signatory|representative|officer|attorney|agent|manager|trustee|member|president|chairman))\b`)
	// andNext matches the separator of two people.
	andNext = space.Compile(`\s+(?:and|&)\s+`)
)

// joinedText is a text that is wrapped over lines, joined by spaces.
type joinedText struct {
	text string
	at   []int // the offset of each byte in the document
}

// add appends a line of the document.
func (j *joinedText) add(text string, s layout.Span) {
	if len(j.at) > 0 {
		j.text += " "
		j.at = append(j.at, s.Start)
	}
	j.text += text[s.Start:s.End]
	for i := s.Start; i < s.End; i++ {
		j.at = append(j.at, i)
	}
}

// span returns the span in the document of a range without the marks around it. A text with
// something else between its lines has the span of its first line.
func (j *joinedText) span(doc string, from, to int) layout.Span {
	return j.lines(doc, from, to)[0]
}

// longest is like span, but returns the span of the longest line.
func (j *joinedText) longest(doc string, from, to int) layout.Span {
	return slices.MaxFunc(j.lines(doc, from, to), func(a, b layout.Span) int { return a.Len() - b.Len() })
}

// officeBehind returns the office behind a name, before an offset: "John Doe, a director". A bracket
// may be between both, at the end of the line.
func (j *joinedText) officeBehind(doc string, name layout.Span, to int) layout.Span {
	if from := slices.Index(j.at, name.End-1) + 1; from > 0 && from < to {
		if m := officeBehind.FindStringSubmatchIndex(j.text[from:to]); m != nil {
			return j.span(doc, from+m[2], from+m[3])
		}
	}
	return layout.Span{Start: name.End, End: name.End}
}

// lines returns the spans of a range, divided where the document has something else.
func (j *joinedText) lines(doc string, from, to int) []layout.Span {
	for from < to && strings.IndexByte(" ,:;)\t\n", j.text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(" ,:;)\t\n", j.text[to-1]) >= 0 {
		to--
	}
	if from >= to {
		at := j.at[min(from, len(j.at)-1)]
		return []layout.Span{{Start: at, End: at}}
	}
	var out []layout.Span
	start := from
	for i := from + 1; i <= to; i++ {
		if i < to && strings.Trim(doc[j.at[i-1]+1:max(j.at[i-1]+1, j.at[i])], " \t\r\n\f") == "" {
			continue
		}
		out = append(out, wording.Trimmed(doc, layout.Span{Start: j.at[start], End: j.at[i-1] + 1}))
		start = i
	}
	return out
}

// deedMarks reads the execution of a deed that begins in segment i: "Signed by John Doe for and
// on behalf of Acme Ltd", "Executed as a deed by Acme Ltd acting by John Doe, a director, in the
// presence of". It returns the number of the segments that it read, which are those up to the
// last line of the execution, and nil for any other text.
func deedMarks(text string, segs []Segment, i int) (ms []mark, n int) {
	first := segs[i]
	if first.Len() == 0 || first.Len() > maxDeed || strings.IndexByte("sSeEdDtT", text[first.Start]) < 0 {
		return nil, 0
	}
	head := deed.FindStringSubmatchIndex(text[first.Start:first.End])
	if head != nil && hasFold(text[first.Start:first.End], "delivered by") {
		return nil, 0 // a delivery note
	}
	if head == nil && !(deedOpen.MatchString(text[first.Start:first.End]) && i+1 < len(segs) && byNext(text, segs[i+1:], first.X)) || head != nil && head[1] == first.Len() && i+1 == len(segs) {
		return nil, 0
	}
	last := lastOfDeed(text, segs, i)
	var j joinedText
	var beside []Segment
	for k := i; k <= last; k++ {
		s := segs[k]
		if k > i && math.Abs(s.X-first.X) > besideFirst(first.X) {
			beside = append(beside, s)
			continue
		}
		s.Span = unbracketed(text, s.Span)
		if at := conformedSign.FindStringIndex(text[s.Start:s.End]); at != nil && at[0] > 0 {
			beside = append(beside, Segment{Span: layout.Span{Start: s.Start + at[0], End: s.End}, Row: s.Row, X: s.X})
			s.End = s.Start + at[0]
			s.Span = unbracketed(text, wording.Trimmed(text, s.Span))
		}
		if before, ok := signedAgain(text[s.Start:s.End]); ok {
			s.End = s.Start + len(before)
		}
		j.add(text, s.Span)
	}
	ms = executed(text, &j, first)
	if ms == nil {
		return nil, 0
	}
	presence := ms[len(ms)-1]
	if presence.role == other {
		ms = ms[:len(ms)-1]
	}
	for _, s := range beside {
		if t := text[s.Start:s.End]; IsBlank(t) || conformedSign.MatchString(t) {
			signed, _ := marksOf(text, s)
			for k := range signed {
				if signed[k].word == lineWord {
					signed[k].role = ignored
				}
			}
			ms = append(ms, signed...)
		}
	}
	for k := range ms {
		ms[k].row, ms[k].x = first.Row, first.X
	}
	if presence.role == other {
		presence.row, presence.x = first.Row, first.X
		ms = append(ms, presence)
	}
	return ms, last - i + 1
}

// signedAgain returns the part of a line before the bracket behind which the name at its end is
// signed: "SIGNED by JOHN DOE ) John Doe". It returns false for any other line.
func signedAgain(line string) (before string, ok bool) {
	at := strings.LastIndex(line, " ) ")
	if at < 0 {
		return line, false
	}
	before, signed := line[:at], surname(line[at+len(" ) "):])
	from := len(before) - len(signed)
	return before, signed != "" && from >= 0 && strings.EqualFold(before[from:], signed)
}

// byNext reports whether the next line at a position begins with "by".
func byNext(text string, segs []Segment, x float64) bool {
	for _, s := range segs[:min(len(segs), 3)] {
		if math.Abs(s.X-x) <= besideFirst(x) {
			return hasFold(text[s.Start:s.End], "by ")
		}
	}
	return false
}

// besideFirst returns how far the lines of an execution begin from each other.
func besideFirst(x float64) float64 {
	if x > maxIndent {
		return PageUnits / 20
	}
	return 6
}

// unbracketed returns a line without the bracket that joins it with others: "SIGNED by )".
func unbracketed(text string, s layout.Span) layout.Span {
	t := text[s.Start:s.End]
	if strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")") {
		return wording.Trimmed(text, layout.Span{Start: s.Start, End: s.End - 1})
	}
	return s
}

// lastOfDeed returns the index of the last segment of the execution of a deed that begins in
// segment i.
func lastOfDeed(text string, segs []Segment, i int) int {
	last, before, lines := i, segs[i], 1
	size := before.Len()
	for k := i + 1; k < min(len(segs), i+maxDeedSegments) && lines < maxDeedLines; k++ {
		s := segs[k]
		t := text[s.Start:s.End]
		if math.Abs(s.X-segs[i].X) > besideFirst(segs[i].X) {
			if s.Row > before.Row {
				break
			}
			continue
		}
		size += s.Len()
		if s.Row > before.Row+2 || size > maxDeed || strings.Count(text[before.End:s.Start], "\n") > 1 || IsBlank(t) || Labelled(t) || !continues(text, before, s) {
			break
		}
		last, before = k, s
		lines++
	}
	if lines == 1 {
		return i
	}
	for last+1 < min(len(segs), i+maxDeedSegments) && segs[last+1].Row == before.Row && math.Abs(segs[last+1].X-segs[i].X) > besideFirst(segs[i].X) {
		last++ // the line to sign on, beside the last line
	}
	return last
}

// continues reports whether the execution of a deed goes on from one line to the next.
func continues(text string, before, next Segment) bool {
	was, t := unbracketed(text, before.Span), text[next.Start:next.End]
	if bracketed(text, before) && bracketed(text, next) || openEnd.MatchString(text[was.Start:was.End]) || wording.StartsLower(t) || strings.HasPrefix(t, "(") || strings.HasPrefix(t, `"`) {
		return true
	}
	if strings.Count(text[before.End:next.Start], "\n") == 1 && wording.EndsCompany(t) && !wording.EndsCompany(text[was.Start:was.End]) && partyOpen.MatchString(text[was.Start:was.End]) {
		return true
	}
	at := deedParts.FindStringIndex(t)
	return at != nil && (at[0] == 0 || !wording.EndsCompany(text[was.Start:was.End]))
}

// bracketed reports whether a bracket at the end of a line joins it with others.
func bracketed(text string, s Segment) bool {
	if unbracketed(text, s.Span) != s.Span {
		return true
	}
	rest := text[s.End:]
	return strings.HasPrefix(strings.TrimLeft(rest[:min(len(rest), maxMark)], " \t"), ")")
}

// executed returns the marks of the execution of a deed: the party, each person who signs for
// it, and the words "in the presence of", with role other, if they follow a person.
func executed(text string, j *joinedText, first Segment) []mark {
	head := deed.FindStringSubmatchIndex(j.text)
	if head == nil {
		return nil
	}
	type part struct {
		from, to int
		role     role
		title    [2]int
		word     string
	}
	from := head[1]
	from += len(withinNamed.FindString(j.text[from:]))
	parts := []part{{from: from, role: signs}}
	for _, m := range deedParts.FindAllStringSubmatchIndex(j.text[from:], maxSigning) {
		parts[len(parts)-1].to = from + m[0]
		p := part{from: from + m[1], role: ignored, word: strings.ToLower(j.text[from+m[0] : from+m[1]])}
		switch {
		case m[2] >= 0:
			p.role = partied
		case m[4] >= 0:
			p.role = named
			if m[6] >= 0 {
				p.title = [2]int{from + m[6], from + m[7]}
			} else if m[8] >= 0 {
				p.title = [2]int{from + m[8], from + m[9]}
			}
		}
		parts = append(parts, p)
	}
	parts[len(parts)-1].to = len(j.text)
	var party, presence layout.Span
	var people []mark
	for i, p := range parts {
		s := j.longest(text, p.from, p.to)
		switch p.role {
		case signs, named:
			if found := peopleIn(text, j, p.from, p.to, p.title); len(found) > 0 && (i == 0 || p.role == named) && !(i == 0 && len(parts) > 1 && parts[1].role == named) {
				people = append(people, found...)
			} else if i == 0 {
				party = withoutNumber(text, beforeParenthesis(text, s))
			}
		case partied:
			party = withoutNumber(text, beforeParenthesis(text, s))
		default:
			if strings.Contains(p.word, "presence") && presence.Len() == 0 {
				presence = j.span(text, max(0, p.from-len(strings.TrimLeft(p.word, " ,)"))), p.to)
			}
		}
	}
	if head[2] < 0 && len(people) == 0 || len(people) == 0 && !wording.EndsCompany(text[party.Start:party.End]) || wording.StartsLower(text[party.Start:party.End]) {
		return nil
	}
	return deedRoles(first, party, presence, people)
}

// deedRoles returns the marks of the parts of an execution.
func deedRoles(first Segment, party, presence layout.Span, people []mark) []mark {
	var out []mark
	add := func(s layout.Span, r role, word string) {
		out = append(out, mark{Span: s, value: s, role: r, word: word})
	}
	if len(people) == 0 {
		add(party, signs, deedWord)
		out[0].Start = first.Start
		return out
	}
	for i, p := range people {
		word := deedWord
		if i > 0 {
			word = "acting by"
		}
		add(p.Span, signs, word)
		if i == 0 && party.Len() > 0 {
			add(party, partied, "party")
		}
		if p.value.Len() > 0 {
			add(p.value, titled, "title")
		}
	}
	out[0].Start = min(out[0].Start, first.Start)
	if presence.Len() > 0 {
		out = append(out, mark{Span: presence, value: presence, role: other})
	}
	return out
}

// companyNumber matches the number of a company behind its name: "ACN 000 999 111".
var companyNumber = space.Compile(`,?\s+(?i:a\.?c\.?n\.?|a\.?b\.?n\.?|(?:company|reg(?:istered|istration)?\.?)\s+(?:no|number)\.?)[\s:]*\d[\d\s]*$`)

// withoutNumber returns the name of a company without its number.
func withoutNumber(text string, s layout.Span) layout.Span {
	s.End -= len(companyNumber.FindString(text[s.Start:s.End]))
	return s
}

// beforeParenthesis returns a name without the remark in parentheses after it.
func beforeParenthesis(text string, s layout.Span) layout.Span {
	if at := strings.IndexByte(text[s.Start:s.End], '('); at > 0 {
		s = wording.Trimmed(text, layout.Span{Start: s.Start, End: s.Start + at})
		s.End = s.Start + len(strings.TrimRight(text[s.Start:s.End], " ,)\n"))
	}
	return s
}

// peopleIn returns the people in a part of an execution, each as a mark whose Span is the name
// and whose value is the title.
func peopleIn(text string, j *joinedText, from, to int, title [2]int) []mark {
	var out []mark
	one := func(from, to int) bool {
		s := beforeParenthesis(text, j.span(text, from, to))
		s.Start += len(withinNamed.FindString(text[s.Start:s.End]))
		if at := parentage.FindStringSubmatchIndex(text[s.Start:s.End]); at != nil && strings.ContainsAny(text[s.Start:s.Start+at[3]], " \n") {
			s.End = s.Start + at[3]
		}
		name, office, ok := personIn(text, s)
		if !ok || name.Len() == 0 || !strings.ContainsAny(strings.TrimSpace(text[name.Start:name.End]), " \n") {
			return false
		}
		if office.Len() == 0 && title[1] > title[0] {
			office = j.span(text, title[0], title[1])
		}
		if office.Len() == 0 {
			office = j.officeBehind(text, name, to)
		}
		out = append(out, mark{Span: name, value: office})
		return true
	}
	if at := andNext.FindStringIndex(j.text[from:to]); at != nil && one(from, from+at[0]) {
		one(from+at[1], to)
		return out
	}
	one(from, to)
	return out
}
