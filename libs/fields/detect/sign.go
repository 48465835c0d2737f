package detect

import (
	"strings"
	"unicode/utf8"
)

// BeginsWithBox reports whether text begins with a box to tick: a character that
// is one, or brackets around nothing or an x.
func BeginsWithBox(text string) bool { return isBoxLine(text) }

// HasBoxSign reports whether a character of the text is a box to tick.
func HasBoxSign(text string) bool { return strings.ContainsAny(text, emptyBoxes+tickedBoxes) }

// IsBoxSign reports whether text is one character, and that is a box to tick.
func IsBoxSign(text string) bool {
	return HasBoxSign(text) && utf8.RuneCountInString(text) == 1
}
