package clauses

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// wording reports whether a sentence, on one line and in lower case, has some wording.
type wording func(text string) bool

// has is the wording that an expression matches.
func has(expr string) wording { return regexp.MustCompile(expr).MatchString }

// both is a wording that consists of several.
func both(all ...wording) wording {
	return func(text string) bool {
		for _, w := range all {
			if !w(text) {
				return false
			}
		}
		return true
	}
}

// either is one of several wordings.
func either(all ...wording) wording {
	return func(text string) bool {
		for _, w := range all {
			if w(text) {
				return true
			}
		}
		return false
	}
}

// without is a wording that does not come with another one.
func without(w, other wording) wording {
	return func(text string) bool { return w(text) && !other(text) }
}

// followed is what first matches, with what second matches at most within bytes after it,
// and nothing between them that barred matches. It takes the place of a bounded repetition
// in one expression, which is slow.
func followed(first, second string, within int, barred string) wording {
	start, end, bar := regexp.MustCompile(first), regexp.MustCompile(second), regexp.MustCompile(barred)
	anywhere := !strings.Contains("|"+second, "|^") // and not only right after what first matches
	return func(text string) bool {
		if anywhere && !end.MatchString(text) {
			return false // this is faster than to find where first matches
		}
		for _, m := range start.FindAllStringIndex(text, -1) {
			near := text[m[1]:min(m[1]+within, len(text))]
			if n := end.FindStringIndex(near); n != nil && (barred == "" || !bar.MatchString(near[:n[0]])) {
				return true
			}
		}
		return false
	}
}
