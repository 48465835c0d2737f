package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// lines are the ways in which lines of a text end.
var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// checkCharacters refuses control characters other than tabs and line breaks, and
// what XML cannot hold. A document shows none of them, and dropping them would fill
// in something that nobody sent.
func checkCharacters(text string) *problem.Fault {
	n := 0
	for _, r := range text {
		n++
		if isInvalid(r) {
			return &problem.Fault{
				Code: problem.CodeInvalidCharacters, Message: fmt.Sprintf("contains the character %U at position %d, which is not allowed", r, n),
				Resolution: "Remove control characters. A text may contain tabs and line breaks.",
			}
		}
	}
	return nil
}

func isInvalid(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF'
}

// checkLength holds a text against the bounds of its field. An empty one clears
// the field, whatever they are.
func checkLength(f fields.Field, text string) []problem.Fault {
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
