package signature

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// maxRunningTitle is the maximum length of a person's title in running text, in bytes.
const maxRunningTitle = 80

// cutMark cuts the value of a label in running text where the name of the next party
// begins, and returns a separate mark for the rest.
func cutMark(text string, m mark) []mark {
	cut := valueCut(m.role, text[m.value.Start:m.value.End])
	rest := wording.Trimmed(text, layout.Span{Start: m.value.Start + cut, End: m.value.End})
	if formOnly(text[rest.Start:rest.End]) {
		return []mark{m} // all of it is the name of a company
	}
	m.value = written(text, m.value.Start, m.value.Start+cut)
	if rest.Len() == 0 {
		return []mark{m}
	}
	m.End = max(m.value.End, m.Start)
	if rest.Len() > maxMark {
		return []mark{m}
	}
	return append([]mark{m}, leadMarks(text, Segment{Span: rest, Row: m.row, X: m.x}, true)...)
}

// valueCut returns the end of the value of a label with a role at the beginning of v.
func valueCut(r role, v string) int {
	switch r {
	case signs, named:
		return nameCut(v)
	case titled:
		return titleCut(v)
	case dated:
		return dateCut(v)
	}
	return len(v)
}

// companyOf matches the end of a title that a company belongs to: "President of".
var companyOf = space.Compile(`(?i:,|\b(?:of|for|at|and))\s*$`)

// partyAtEnd reports whether the value of a label ends with the company that signs next, because lines
// were joined: "/s/ John Doe John Doe, President ACME HOLDING CORPORATION".
func partyAtEnd(text string, m mark) bool {
	v := text[m.value.Start:m.value.End]
	if !wording.EndsCompany(v) || m.role == signs && m.word != conformedWord {
		return false
	}
	cut := valueCut(m.role, v)
	rest := strings.TrimSpace(v[cut:])
	return cut > 0 && !companyOf.MatchString(v[:cut]) && strings.Contains(rest, " ") && wording.CaseOf(rest).Capitals() && partial(rest)
}

// nameLabel matches a word of a label without a colon.
var nameLabel = regexp.MustCompile(`^(?:By|BY|Print(?:ed)?|PRINT(?:ED)?|Name|NAME|Title|TITLE|Its|ITS|Date|DATE)$`)

// nameCut returns the end of the person's name at the beginning of v, if a company name or a
// label follows.
func nameCut(v string) int {
	if len(v) > maxMark {
		v = wording.Head(v)
	}
	words := fieldsAt(v)
	if at := againAt(v, words); at > 0 {
		return at
	}
	if at := nextLabel(v, words); at > 0 {
		return at
	}
	if at := capitalsAt(v, words); at > 0 {
		return at
	}
	if !wording.EndsCompany(v) || len(words) < 4 || acronym(v[words[0][0]:words[0][1]]) && !acronym(v[words[1][0]:words[1][1]]) {
		return len(v)
	}
	n := 2
	if w := v[words[1][0]:words[1][1]]; len(strings.Trim(w, ".")) == 1 {
		n = 3
	}
	if len(words) <= n+1 {
		return len(v)
	}
	return words[n-1][1]
}

// nextLabel returns the end of the name at the beginning of v before the next label, 0 for none.
func nextLabel(v string, words [][2]int) int {
	for i := 2; i < len(words); i++ {
		word := v[words[i][0]:words[i][1]]
		if nameLabel.MatchString(word) && !(v[words[i-1][1]-1] == ',' && hasFold(word, "its")) { // "John Doe, Its President"
			return words[i-1][1]
		}
	}
	return 0
}

// acronym reports whether a word consists of at least three capital letters. Before a word
// that does not, it begins the name of a company: "ABC Capital Management LP".
func acronym(word string) bool {
	return len(word) > 2 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
}

// againAt returns the end of the name at the beginning of v that is repeated further on, such
// as after the party: "John Doe ACME, INC. John Doe, President". It returns 0 for any other
// text.
func againAt(v string, words [][2]int) int {
	for n := min(maxBetween, len(words)-1); n > 1; n-- {
		name := v[:words[n-1][1]]
		switch at := wordsAt(v[words[n][0]:], name); {
		case at == 0:
			return 0
		case at > 0 && Personal(name) && len(surname(name)) > 1:
			return len(name)
		}
	}
	return 0
}

// capitalsAt returns the offset of a name in capitals at the end of v, after words that are
// not in capitals. It returns 0 if there is none.
func capitalsAt(v string, words [][2]int) int {
	at := 0
	for i := len(words) - 1; i > 0; i-- {
		w := v[words[i][0]:words[i][1]]
		letters := strings.Trim(w, ".,()&:")
		if w != strings.ToUpper(w) || office.MatchString(letters) || suffix.MatchString(letters) && i+1 == len(words) {
			break
		}
		if len(letters) > 2 && strings.ContainsFunc(letters, unicode.IsLetter) {
			at = words[i][0]
		}
	}
	if at == 0 || !strings.ContainsFunc(v[:at], unicode.IsLower) {
		return 0
	}
	return at
}

// titleCut returns the end of the person's title at the beginning of v.
func titleCut(v string) int {
	short := v
	if len(short) > maxRunningTitle {
		short = wording.Head(v)
	}
	if at := capitalsAt(short, fieldsAt(short)); at > 0 {
		return at
	}
	all := office.FindAllStringIndex(short, -1)
	if len(all) == 0 {
		if len(v) > len(short) || wording.EndsCompany(v) {
			return 0
		}
		return len(v)
	}
	end := all[len(all)-1][1]
	rest := strings.TrimLeft(v[end:], " ")
	if wording.EndsCompany(v) && !strings.HasPrefix(rest, ",") && !strings.HasPrefix(rest, "&") && !wording.StartsLower(rest) || len(v) > len(short) {
		return end
	}
	return len(strings.TrimRight(v, "0123456789 "))
}

// dateCut returns the end of the date at the beginning of v.
func dateCut(v string) int {
	short := v[:min(len(v), maxName)]
	if at := strings.LastIndexAny(short, "0123456789"); at >= 0 {
		return at + 1
	}
	if len(v) > len(short) || wording.EndsCompany(v) {
		return 0
	}
	return len(v)
}

// fieldsAt returns the start and end of each word of a text.
func fieldsAt(v string) [][2]int {
	var out [][2]int
	for start := len(v) - len(strings.TrimLeftFunc(v, space.Is)); start < len(v); start = wording.NextGap(v, start) {
		end := start + len(v[start:])
		if gap := strings.IndexFunc(v[start:], space.Is); gap >= 0 {
			end = start + gap
		}
		out = append(out, [2]int{start, end})
	}
	return out
}
