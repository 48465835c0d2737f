package judge

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// lines normalizes line endings.
var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// checkCharacters refuses control characters other than tabs and line breaks, and
// characters that XML cannot represent. Documents cannot show them, and removing them
// would fill in something that the client did not send.
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

// checkLength checks a text against the bounds of its field. An empty text clears the
// field, whatever the bounds are.
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

// count formats a count of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
