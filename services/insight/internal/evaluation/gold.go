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

// Contract is a document with its human annotations, in the form of the CUAD data set.
type Contract struct {
	Txt    string `json:"txt"`
	PDF    string `json:"pdf"`
	Folder string `json:"type_folder"`
	// File is the name of the original file. It begins with the name of the company.
	File string `json:"file"`
	// Clauses holds the annotated passages by category.
	Clauses map[string][]Marked `json:"clauses"`
	// Answers holds the annotated values by category, such as "6/21/1999"; "" for none.
	Answers map[string]string `json:"answers"`
}

// Marked is an annotated passage.
type Marked struct {
	Text string `json:"text"`
	// Spans are its positions in the text, in characters.
	Spans [][2]int `json:"spans"`
	// Page is the page of the PDF on which it begins, 0 if there is none.
	Page int `json:"page"`
}

// Contracts returns the contracts in the file gold.json of a folder.
func Contracts(dir string) ([]Contract, error) {
	data, err := os.ReadFile(filepath.Join(dir, "gold.json"))
	if err != nil {
		return nil, err
	}
	var all []Contract
	err = json.Unmarshal(data, &all)
	return all, err
}

// Company returns the name of the company that filed the contract, in lower case: what the
// name of the file begins with. Contracts of one company resemble each other, so they must
// not be both fitted to and measured.
func (c Contract) Company() string {
	name := c.File
	if name == "" {
		name = c.Txt
	}
	if end := strings.IndexAny(name, "_0123456789"); end > 0 {
		name = name[:end]
	}
	return strings.ToLower(name)
}

// spansIn returns the spans of the passage in text, in bytes.
func (m Marked) spansIn(text string) []layout.Span {
	var spans []layout.Span
	for _, s := range m.Spans {
		start := byteOffset(text, 0, s[0])
		spans = append(spans, layout.Span{Start: start, End: byteOffset(text, start, s[1]-s[0])})
	}
	return spans
}

// byteOffset returns the offset n characters after from.
func byteOffset(text string, from, n int) int {
	for ; n > 0 && from < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[from:])
		from += size
	}
	return from
}

// findLetters returns the first span of text with the letters and digits of quote, whatever
// other characters are between them.
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

// timesBegun returns how many times the beginning of quote occurs in a folded text.
func timesBegun(folded, quote string) int {
	begin, _ := fold(quote)
	return strings.Count(folded, begin[:min(len(begin), longQuote/2)])
}

// fold returns the ASCII letters and digits of s in lower case, and the offset of each in
// s.
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

// NameWithin reports whether one of two names contains the other, by letters and digits.
func NameWithin(a, b string) bool {
	x, _ := fold(a)
	y, _ := fold(b)
	return x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x))
}

// goldDate returns an annotated date as YYYY-MM-DD, "" for none. known is false if the
// answer is not a single day, such as "perpetual".
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

// goldMonths returns the length of an annotated term, in months or in days: "1 year"
// becomes "12 months". known is false if the answer is not a term.
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
