package evaluation

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
)

// Contract is a document and what people found in it, in the form of CUAD.
type Contract struct {
	Txt    string `json:"txt"`
	PDF    string `json:"pdf"`
	Folder string `json:"type_folder"`
	// Clauses are the texts that people marked, by category.
	Clauses map[string][]Marked `json:"clauses"`
	// Answers are values by category, as "6/21/1999"; "" for none.
	Answers map[string]string `json:"answers"`
}

// Marked is a text that somebody marked.
type Marked struct {
	Text string `json:"text"`
	// Spans are where it stands in the text, in characters.
	Spans [][2]int `json:"spans"`
	// Page is the page of the PDF on which it begins, 0 where there is none.
	Page int `json:"page"`
}

// Contracts returns the contracts of a folder, which has them in gold.json.
func Contracts(dir string) ([]Contract, error) {
	data, err := os.ReadFile(filepath.Join(dir, "gold.json"))
	if err != nil {
		return nil, err
	}
	var all []Contract
	err = json.Unmarshal(data, &all)
	return all, err
}

// spansIn returns where in text something marked stands, in bytes.
func (m Marked) spansIn(text string) []layout.Span {
	var spans []layout.Span
	for _, s := range m.Spans {
		start := byteOffset(text, 0, s[0])
		spans = append(spans, layout.Span{Start: start, End: byteOffset(text, start, s[1]-s[0])})
	}
	return spans
}

// byteOffset returns the offset of the nth character after from.
func byteOffset(text string, from, n int) int {
	for ; n > 0 && from < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
	}
	return from
}

// findLetters returns where the letters and digits of quote stand one after
// another in text, whatever is between them.
func findLetters(text, quote string) (layout.Span, bool) {
	folded, offsets := fold(text)
	wanted, _ := fold(quote)
	at := strings.Index(folded, wanted)
	if wanted == "" || at < 0 {
		return layout.Span{}, false
	}
	last := offsets[at+len(wanted)-1]
	_, size := utf8.DecodeRuneInString(text[last:])
	return layout.Span{Start: offsets[at], End: last + size}, true
}

// timesBegun returns how often a folded text has the beginning of quote.
func timesBegun(folded, quote string) int {
	begin, _ := fold(quote)
	return strings.Count(folded, begin[:min(len(begin), longQuote/2)])
}

// fold returns the ASCII letters and digits of s in lower case, and where each
// stands in it.
func fold(s string) (string, []int) {
	var folded []byte
	var offsets []int
	for i, r := range s {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			folded, offsets = append(folded, byte(unicode.ToLower(r))), append(offsets, i)
		}
	}
	return string(folded), offsets
}

// SameName reports whether two names have the same letters and digits.
func SameName(a, b string) bool {
	x, _ := fold(a)
	y, _ := fold(b)
	return x == y && x != ""
}

// NameWithin reports whether one of two names holds all letters of the other.
func NameWithin(a, b string) bool {
	x, _ := fold(a)
	y, _ := fold(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x))
}

// goldDate returns a date of the answers as YYYY-MM-DD. known is false where the
// answer is there but is no day, as "perpetual".
func goldDate(answer string) (value string, known bool) {
	if strings.TrimSpace(answer) == "" {
		return "", true
	}
	found := date.Find(answer, 1)
	if len(found) != 1 || found[0].Value() == "" || len(answer) > 12 {
		return "", false
	}
	return found[0].Value(), true
}

// goldMonths returns the length of a term of the answers, in months or in days:
// "1 year" is "12 months". known is as of goldDate.
func goldMonths(answer string) (value string, known bool) {
	if strings.TrimSpace(answer) == "" {
		return "", true
	}
	found := period.Find(answer, 1)
	if len(found) == 0 {
		return "", false
	}
	return inMonths(found[0]), true
}

func inMonths(p period.Period) string {
	if n, ok := p.Months(); ok {
		return strconv.Itoa(n) + " months"
	}
	return p.String()
}
