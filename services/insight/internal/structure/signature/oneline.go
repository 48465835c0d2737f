package signature

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// maxOneLine is the maximum length of a signature on one line, in bytes.
const maxOneLine = 160

var (
	// oneLine matches a line that is a whole signature: who signs, for whom, and perhaps when. The groups
	// are the party, the name, the office and the date: "Signed by the Client: John Smith  Date: 14/02/24".
	oneLine = regexp.MustCompile(`^(?:(?i:signed)(?:\s+(?i:by|for(?:\s+and\s+on\s+behalf\s+of)?|on\s+behalf\s+of))?|(?i:agreed|accepted|confirmed)(?:\s+and\s+(?i:agreed|accepted|signed))?\s+(?i:by|for))` +
		`(?:\s+(?i:the\s+)?\(?(\pL[\pL\pN' /&.-]{1,40}?)\)?)?\s*(?::|\s{2,}|\.{3,}|_{3,})\s*` + oneLineEnd)
	// oneLineFor matches the same without the word "signed". It needs the date.
	oneLineFor = regexp.MustCompile(`^(?i:for)(?:\s+and\s+on\s+behalf\s+of)?\s+(?i:the\s+)?(\pL[\pL\pN' /&.-]{1,40}?)\s*:\s*` + oneLineEnd)
)

// acts matches words before a party, and signingRole what a party is called if there are none: "Signed seller".
var (
	acts        = regexp.MustCompile(`(?i)\b(?:by|for|of)\s|\($`)
	signingRole = regexp.MustCompile(`(?i)^(?:seller|buyer|purchaser|vendor|landlord|tenant|lessor|lessee|client|customer|supplier|provider|contractor|consultant|employer|employee|lender|borrower|owner|hirer|licensor|licensee|member|guarantor|agent|couple|venue|parent|guardian)s?$`)
)

// oneLineEnd matches the name, the office and the date of a signature on one line.
const oneLineEnd = `(\p{Lu}[\pL.'’ -]{1,50}?)(?:,\s*(\p{L}[\pL&'’ -]{2,40}?)|\s*\((\p{L}[\pL&'’ -]{2,40}?)\))?(?:\s*[._…]{3,})?(?:\s{2,}(?i:dated?|on)?\s*:?\s*(\d[^:;]{3,24}|\pL{3,9} \d[^:;]{3,20}))?\s*$`

// oneLineMarks returns the marks of a signature on one line that begins with segment i, and the number of
// its segments. It returns 0 if it is none.
func oneLineMarks(text string, segs []Segment, i int) (ms []mark, n int) {
	first := segs[i]
	if i > 0 && segs[i-1].Row == first.Row || first.Len() == 0 || strings.IndexByte("sSfFaAcC", text[first.Start]) < 0 {
		return nil, 0
	}
	for n = 1; i+n < len(segs) && segs[i+n].Row == first.Row; {
		n++
	}
	line := layout.Span{Start: first.Start, End: segs[i+n-1].End}
	if line.Len() > maxOneLine {
		return nil, 0
	}
	t := text[line.Start:line.End]
	at := oneLine.FindStringSubmatchIndex(t)
	if at == nil {
		if at = oneLineFor.FindStringSubmatchIndex(t); at == nil || at[10] < 0 {
			return nil, 0
		}
	}
	if at[6] < 0 {
		at[6], at[7] = at[8], at[9] // the office is in brackets
	}
	name := t[at[4]:at[5]]
	if at[2] >= 0 && !acts.MatchString(t[:at[2]]) && !signingRole.MatchString(t[at[2]:at[3]]) {
		return nil, 0
	}
	if _, _, joint := cutJoint(name); joint || strings.Contains(t, "\n") || !strings.Contains(name, " ") || !Personal(name) {
		return nil, 0
	}
	add := func(r role, word string, from, to int) {
		if from >= 0 {
			s := layout.Span{Start: line.Start + from, End: line.Start + to}
			ms = append(ms, mark{Span: s, value: s, role: r, word: word, row: first.Row, x: first.X})
		}
	}
	add(other, "", at[2], at[3])
	add(signs, "signature", at[4], at[5])
	if at[6] >= 0 && (at[2] >= 0 || office.MatchString(t[at[6]:at[7]])) { // else a nickname or an occupation
		add(titled, "title", at[6], at[7])
	}
	add(dated, "date", at[10], at[11])
	return ms, n
}
