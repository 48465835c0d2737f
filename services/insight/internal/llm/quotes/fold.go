package quotes

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/libs/formats/layout"
)

// folded is a text in the form in which quotes are compared: in normal form KC, with one
// kind of quotation mark and of dash, and without white space, invisible characters and
// hyphens between letters. A space stands where digits would run together otherwise.
type folded struct {
	s string
	// at holds, for each byte of s, the offset in the text of the character it comes from.
	at []int32
}

// fold returns the folded form of a text, in lower case if lower.
func fold(text string, lower bool) folded {
	f := folder{lower: lower, dash: none, out: make([]byte, 0, len(text)), at: make([]int32, 0, len(text))}
	var form []byte
	for i := 0; i < len(text); {
		n := segment(text[i:])
		if n == 1 {
			r, _ := utf8.DecodeRuneInString(text[i : i+1])
			f.add(r, i)
			i++
			continue
		}
		// "½" is one half, and in "2½" not the digits after 2.
		r, _ := utf8.DecodeRuneInString(text[i:])
		apart := unicode.Is(unicode.No, r)
		f.gap = f.gap || apart
		form = norm.NFKC.AppendString(form[:0], text[i:i+n])
		for _, r := range string(form) {
			f.add(r, i)
		}
		f.gap = f.gap || apart
		i += n
	}
	return folded{string(f.out), f.at}
}

// segment returns the length of the first character of s, with its combining marks.
func segment(s string) int {
	if len(s) == 1 || s[0] < utf8.RuneSelf && s[1] < utf8.RuneSelf {
		return 1
	}
	return max(1, norm.NFKC.NextBoundaryInString(s, true))
}

// none is the offset of a dash that is not there.
const none = -1

// folder writes the folded form of a text.
type folder struct {
	lower bool
	out   []byte
	at    []int32
	// last is the last character written.
	last rune
	// gap tells that white space precedes the next character.
	gap bool
	// dash is the offset of a dash after a letter, which is written unless another letter
	// follows.
	dash int
}

// add adds the character at an offset.
func (f *folder) add(r rune, at int) {
	if unicode.IsSpace(r) {
		f.gap = true
		return
	}
	if r = plain(r); r == invisible {
		return
	}
	if r == '-' && unicode.IsLetter(f.last) {
		if f.dash == none {
			f.dash = at
		}
		return
	}
	if r == f.last && repeats(r) {
		return // a line to fill in, or the dots of a table of contents, may have any length
	}
	if f.dash != none && !unicode.IsLetter(r) {
		f.write('-', f.dash)
	}
	if f.gap && unicode.IsDigit(r) && (unicode.IsDigit(f.last) || f.last == '.' || f.last == ',') {
		f.write(' ', at)
	}
	f.dash, f.gap = none, false
	f.write(r, at)
}

func (f *folder) write(r rune, at int) {
	f.last = r
	if f.lower {
		r = unicode.ToLower(r)
	}
	n := len(f.out)
	f.out = utf8.AppendRune(f.out, r)
	for range len(f.out) - n {
		f.at = append(f.at, int32(at))
	}
}

// repeats reports whether a run of the character counts as one.
func repeats(r rune) bool { return r == '\'' || r == '-' || r == '_' || r == '.' }

// invisible is what plain returns for a character that is not seen.
const invisible = -1

// plain returns the character that stands for all that look like r.
func plain(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r == '"' || r == '`':
			return '\''
		case r < ' ' || r == 0x7f:
			return invisible
		}
		return r
	case unicode.In(r, unicode.Pi, unicode.Pf, unicode.Variation_Selector) || r == '‚' || r == '„' || r == '′' || r == '″' || r == '´':
		if unicode.Is(unicode.Variation_Selector, r) {
			return invisible
		}
		return '\''
	case unicode.Is(unicode.Pd, r) || r == '−':
		return '-'
	case r == '⁄':
		return '/'
	case unicode.In(r, unicode.Cf, unicode.Cc):
		return invisible
	}
	return r
}

// rangeOf returns the range of the folded form that comes from a span of the text.
func (f folded) rangeOf(s layout.Span) (from, to int) {
	from = sort.Search(len(f.at), func(i int) bool { return int(f.at[i]) >= s.Start })
	to = from + sort.Search(len(f.at)-from, func(i int) bool { return int(f.at[from+i]) >= s.End })
	return from, to
}

// spanOf returns the span of the text that a range of the folded form comes from.
func (f folded) spanOf(text string, from, to int) layout.Span {
	end := int(f.at[to-1])
	return layout.Span{Start: int(f.at[from]), End: end + segment(text[end:])}
}
