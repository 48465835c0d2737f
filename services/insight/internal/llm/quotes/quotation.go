package quotes

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// quotation is a quote as it is looked up.
type quotation struct {
	// text is the quote without white space around it, and bare is the text without the
	// quotation marks, ellipses and dashes around it.
	text, bare string
	// letters is the number of letters and digits.
	letters int
}

// read returns the quotation of a model.
func read(quote string) quotation {
	q := quotation{text: strings.TrimFunc(strings.ToValidUTF8(quote, "\uFFFD"), space.Is)}
	q.bare = bare(q.text)
	q.letters = lettersIn(q.bare)
	return q
}

// bare returns s without what models put around quotes.
func bare(s string) string {
	for {
		before := len(s)
		s = strings.TrimFunc(s, func(r rune) bool {
			return space.Is(r) || r == '…' || plain(r) == '\'' || plain(r) == '-' || plain(r) == invisible
		})
		for _, mark := range []string{"[…]", "[...]", "...", "(…)", "(...)"} {
			s = strings.TrimSuffix(strings.TrimPrefix(s, mark), mark)
		}
		if len(s) == before {
			return s
		}
	}
}

// variants returns the forms of a quotation that are looked up: with and without the
// punctuation at its end, which models add to make it a sentence.
func (q quotation) variants(lower bool) []string {
	whole := fold(q.bare, lower).s
	short := strings.TrimRight(whole, ".,;:!?'")
	if short == whole {
		return []string{whole}
	}
	return []string{whole, short}
}

// ellipsis matches a mark for text that was left out.
var ellipsis = regexp.MustCompile(`\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…|(?:\. ){2,}\.`)

// maxParts is the maximum number of parts of a quote with ellipses.
const maxParts = 8

// parts returns the parts of a quotation between its ellipses. There are none if it has no
// ellipsis, too many, or a part that is too short to be found for sure.
func (q quotation) parts(lower bool) []string {
	all := ellipsis.Split(q.bare, maxParts+1)
	if len(all) < 2 || len(all) > maxParts || q.letters < minLong {
		return nil
	}
	for i, p := range all {
		all[i] = strings.Trim(fold(p, lower).s, ".,;:-'")
		if lettersIn(all[i]) < minLetters {
			return nil
		}
	}
	return all
}

// lettersIn returns the number of letters and digits of s.
func lettersIn(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n
}

// runeBefore and runeAfter return the character before and after an offset of s.
func runeBefore(s string, at int) rune { r, _ := utf8.DecodeLastRuneInString(s[:at]); return r }
func runeAfter(s string, at int) rune  { r, _ := utf8.DecodeRuneInString(s[at:]); return r }
