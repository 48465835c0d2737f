package clauses

import (
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// wording reports whether a sentence, on one line and in lower case, has some wording. in is the
// sentence as a text of ofBoilerplate.
type wording func(in *regexp.Text) bool

// ofBoilerplate holds the patterns of wordings.
var ofBoilerplate = regexp.NewSet()

// has is the wording that an expression matches.
func has(expr string) wording {
	p := ofBoilerplate.MustCompile(expr)
	return func(in *regexp.Text) bool { return in.Has(p) }
}

// accepts is the wording that a function accepts.
func accepts(f func(text string) bool) wording {
	return func(in *regexp.Text) bool { return f(in.String()) }
}

// both is a wording that consists of several.
func both(all ...wording) wording {
	return func(in *regexp.Text) bool {
		for _, w := range all {
			if !w(in) {
				return false
			}
		}
		return true
	}
}

// either is one of several wordings.
func either(all ...wording) wording {
	return func(in *regexp.Text) bool {
		for _, w := range all {
			if w(in) {
				return true
			}
		}
		return false
	}
}

// without is a wording that does not come with another one.
func without(w, other wording) wording {
	return func(in *regexp.Text) bool { return w(in) && !other(in) }
}

// followed is what first matches, with what second matches at most within bytes after it,
// and nothing between them that barred matches. It takes the place of a bounded repetition
// in one expression, which is slow.
func followed(first, second string, within int, barred string) wording {
	start, end, bar := ofBoilerplate.MustCompile(first), ofBoilerplate.MustCompile(second), regexp.MustCompile(barred)
	anywhere := !strings.Contains("|"+second, "|^") // and not only right after what first matches
	return func(in *regexp.Text) bool {
		if !in.MayHave(start) || !in.MayHave(end) || anywhere && !in.Has(end) {
			return false // this is faster than to find where first matches
		}
		text := in.String()
		for _, m := range start.FindAllStringIndex(text, -1) {
			near := text[m[1]:min(m[1]+within, len(text))]
			if n := end.FindStringIndex(near); n != nil && (barred == "" || !bar.MatchString(near[:n[0]])) {
				return true
			}
		}
		return false
	}
}
