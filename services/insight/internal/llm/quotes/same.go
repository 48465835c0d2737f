package quotes

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
)

// pageNumber matches a line that has only the number of a page.
var pageNumber = regexp.MustCompile(`(?mi)^[ \t\f]*(?:page[ \t]+)?[-–—]?[ \t]*\d{1,4}[ \t]*[-–—]?(?:[ \t]*(?:of|/)[ \t]*\d{1,4})?[ \t]*$`)

// same reports whether a passage means the same as the quote, for all that can be told from
// the words: it has the same critical words, and the other differences are slips or
// omissions.
func (s *aligner) same(span layout.Span) bool {
	text := s.f.text[span.Start:span.End]
	return s.sameWords(tokens(text)) || pageNumber.MatchString(text) && s.sameWords(tokens(pageNumber.ReplaceAllString(text, "")))
}

// sameWords is same for the words of a passage.
func (s *aligner) sameWords(passage []string) bool {
	if !slices.Equal(critical(s.quote), critical(passage)) {
		return false
	}
	gaps, ok := differences(s.quote, passage, s.w)
	if !ok {
		return false
	}
	for _, g := range gaps {
		if !s.slip(g) {
			return false
		}
	}
	return true
}

// gap is a place where a quote has other words than the passage.
type gap struct{ quote, passage []string }

// filler are words that models add or change without changing what is said.
var filler = setOf("a an the that this these such said of hereof herein hereby thereof which")

// slip reports whether the words that a quote has at a gap are misspelled or inflected words
// of the passage, not other words: that is so if one of the two is unknown elsewhere in
// the document.
func (s *aligner) slip(g gap) bool {
	joined := strings.Join(g.passage, "")
	if strings.Join(g.quote, "") == joined {
		return true
	}
	for _, q := range g.quote {
		if distinct[q] || !filler[q] && !similarPart(q, g) && !s.misspelled(q, joined, g.passage) {
			return false
		}
	}
	return true
}

// misspelled reports whether q is a misspelled or inflected form of one of the words of a
// passage, or of all of them joined.
func (s *aligner) misspelled(q, joined string, words []string) bool {
	known, once := s.f.words(), false
	for _, p := range words {
		rare := known[p] <= 1
		if once = once || rare; inflected(q, p) || (known[q] == 0 || rare) && similar(q, p, known[q] == 0) {
			return true
		}
	}
	return (known[q] == 0 || once) && similar(q, joined, known[q] == 0)
}

// similarPart reports whether a word of a quote is the beginning or the end of a word of the
// passage that the quote has in parts, such as "agree" and "ment".
func similarPart(q string, g gap) bool {
	for i := range g.quote {
		for j := i + 2; j <= min(len(g.quote), i+3); j++ {
			if slices.Contains(g.quote[i:j], q) && slices.Contains(g.passage, strings.Join(g.quote[i:j], "")) {
				return true
			}
		}
	}
	return false
}

// endings are endings that do not change which thing or act a word names.
var endings = setOf("s es d ed ing ly")

// inflected reports whether two words differ only in their endings.
func inflected(a, b string) bool {
	a, b = singular(a), singular(b)
	if len(a) < len(b) {
		a, b = b, a
	}
	rest, ok := strings.CutPrefix(a, b)
	return ok && len(b) > 2 && (rest == "" || endings[rest])
}

// singular returns w with the ending of "party" instead of "parties".
func singular(w string) string {
	if stem, ok := strings.CutSuffix(w, "ies"); ok {
		return stem + "y"
	}
	return w
}

// maxWord is the maximum length of a word that may be misspelled.
const maxWord = 200

// similar reports whether a word of a quote may be a misspelling of one of the passage, or
// correct one: a third of the letters may differ, or two fifths if the document does not
// have the word otherwise, as with exchanged letters. The first letter must be the same, as
// it is not in "import" and "export" or in "able" and "unable", unless a single letter of an
// unknown word differs. Words for other roles are not similar.
func similar(quote, passage string, unknown bool) bool {
	if len(quote) > maxWord || len(passage) > maxWord || otherRole(quote, passage) {
		return false
	}
	x, y := []rune(quote), []rune(passage)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	n := min(len(x), len(y))
	most := n / 3
	if unknown {
		most = max(1, 2*n/5)
	}
	if x[0] != y[0] && unknown {
		most = 1
	} else if x[0] != y[0] {
		most = 0
	}
	return newPattern(x).from(y) <= most
}

// otherRole reports whether two words are of the same stem, but name other roles or things,
// as "licensor", "licensee" and "license".
func otherRole(a, b string) bool {
	stemA, roleA := role(a)
	stemB, roleB := role(b)
	return stemA == stemB && roleA != roleB
}

// role returns the stem of a word and its ending if that is the ending of a role.
func role(w string) (stem, ending string) {
	w = strings.TrimSuffix(w, "s")
	for _, ending = range []string{"ee", "or", "er"} {
		if stem, ok := strings.CutSuffix(w, ending); ok {
			return stem, ending
		}
	}
	return strings.TrimSuffix(w, "e"), ""
}

// maxCells is the maximum size of the matrix that differences fills.
const maxCells = 4_000_000

// differences returns the gaps between the longest common subsequence of two lists of words
// (Wagner and Fischer, Journal of the ACM 21, 1974). It reports false if they are too long.
func differences(quote, passage []string, w *work) ([]gap, bool) {
	for len(quote) > 0 && len(passage) > 0 && quote[0] == passage[0] {
		quote, passage = quote[1:], passage[1:]
	}
	n, m := len(quote), len(passage)
	if n*m > maxCells || !w.spend(4*n*m) {
		return nil, false
	}
	width := m + 1
	longest := make([]int32, (n+1)*width)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if quote[i] == passage[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	var gaps []gap
	var g gap
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && quote[i] == passage[j]:
			gaps, g = append(gaps, g), gap{}
			i, j = i+1, j+1
		case j == m || i < n && longest[(i+1)*width+j] >= longest[i*width+j+1]:
			g.quote = append(g.quote, quote[i])
			i++
		default:
			g.passage = append(g.passage, passage[j])
			j++
		}
	}
	return append(gaps, g), true
}
