package fields

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/problem"
)

// isText reports whether a value of t is any text. A type that is not known is
// one: nothing says that it is anything else.
func (t Type) isText() bool {
	switch t {
	case Phone, Email, URL, Number, SSN, Gender, Date, Checkbox, Dropdown, Image:
		return false
	default:
		return true
	}
}

// hasLength reports whether Min and Max of a field of t count characters.
func (t Type) hasLength() bool {
	return t.isText() || t == Phone || t == Email || t == URL
}

// lines are the ways in which lines end. A vertical tab and U+2028 are how Word
// and others break a line inside a paragraph.
var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// cleanText returns s with lines that end in "\n" and without characters that no
// file can hold: they come along when text is pasted, and nobody sees them.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\uFFFE' || r == '\uFFFF' {
			return -1
		}
		return r
	}, lines.Replace(s))
}

// checkLength holds a text against the bounds of its field. An empty one clears
// the field, whatever they are.
func checkLength(f Field, text string) []problem.Fault {
	n := utf8.RuneCountInString(text)
	switch {
	case f.Max != nil && n > *f.Max:
		return []problem.Fault{tooLong(*f.Max)}
	case f.Min != nil && n < *f.Min && n > 0:
		return []problem.Fault{{
			Code: problem.CodeTooShort, Message: fmt.Sprintf("must have at least %s", count(*f.Min, "character")),
			Resolution: fmt.Sprintf(`Send at least %s, or "" to clear the field.`, count(*f.Min, "character")),
		}}
	default:
		return nil
	}
}

func tooLong(limit int) problem.Fault {
	return problem.Fault{
		Code: problem.CodeTextTooLong, Message: fmt.Sprintf("must have at most %s", count(limit, "character")),
		Resolution: fmt.Sprintf("Send at most %s.", count(limit, "character")),
	}
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
