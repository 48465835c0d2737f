package quotes

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
)

const (
	// maxOmitted is the maximum length of the text that an ellipsis stands for, in bytes of
	// the folded form, and maxElided the maximum length of a passage with ellipses. It
	// is less than the service quotes, so that answers have the last part too.
	maxOmitted, maxElided = 1200, 3600
	// nearOmission is the number of words at either end of text that was left out that must
	// not be a negation.
	nearOmission = 2
)

// elided returns the first passage in form[from:to] that has all parts, in order and close
// to each other.
func (f *Finder) elided(form folded, parts []string, from, to int, w *work) (layout.Span, bool) {
	if len(parts) == 0 {
		return layout.Span{}, false
	}
	for from < to {
		i := strings.Index(form.s[from:to], parts[0])
		if i < 0 || !w.spend(1+(i+len(parts[0]))/scanned) {
			break
		}
		from += i
		if s, ok := f.chain(form, parts, from, to, w); ok {
			return s, true
		}
		from++
	}
	return layout.Span{}, false
}

// chain returns the passage that begins with the first part, which is at from.
func (f *Finder) chain(form folded, parts []string, from, to int, w *work) (layout.Span, bool) {
	passage := form.spanOf(f.text, from, from+len(parts[0]))
	at := from + len(parts[0])
	if f.edges(passage) != clean {
		return passage, false
	}
	for _, p := range parts[1:] {
		limit := min(to, at+maxOmitted+len(p))
		s, ok := f.first(form.s, p, at, limit, true, w, func(from, to int) layout.Span {
			at = to // that of the last occurrence examined, which is the one returned
			return form.spanOf(f.text, from, to)
		})
		if !ok || s.Start < passage.End || negates(f.text[passage.End:s.Start]) {
			return passage, false
		}
		passage.End = s.End
	}
	return passage, passage.Len() <= maxElided
}

// negates reports whether text that was left out changes the meaning of the text next to
// it: "shall … pay" is no quote of "shall not pay".
func negates(omitted string) bool {
	words := tokens(omitted)
	for i, t := range words {
		if (i < nearOmission || i >= len(words)-nearOmission) && negations[t] {
			return true
		}
	}
	return false
}
