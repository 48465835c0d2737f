package passage

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// OneLine trims s and replaces each run of white space with one space.
func OneLine(s string) string {
	if onOneLine(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// onOneLine reports whether OneLine leaves s as it is.
func onOneLine(s string) bool {
	spaced := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' && !spaced:
			spaced = true
		case c <= ' ' && isSpace(c), c >= utf8.RuneSelf:
			return false // it needs a closer look
		default:
			spaced = false
		}
	}
	return !spaced || s == ""
}

// isSpace reports whether an ASCII character is white space.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// Lower returns s on one line in lower case, as wording.Lower does.
func Lower(s string) string { return wording.Lower(s) }
