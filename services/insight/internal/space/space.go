// Package space defines white space in the text of documents. It goes beyond ASCII, since
// word processors put no-break spaces between numbers and their units.
package space

import (
	"strings"
	"unicode"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// Is reports whether r is white space, or an invisible character that is trimmed like it.
func Is(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// Compile compiles the regular expression expr, in which \s also matches white space
// beyond ASCII. It panics if expr is invalid.
func Compile(expr string) *regexp.Regexp {
	var b strings.Builder
	class := false
	for i := 0; i < len(expr); i++ {
		switch {
		case strings.HasPrefix(expr[i:], `\s`) && class:
			b.WriteString(`\s\pZ`)
			i++
		case strings.HasPrefix(expr[i:], `\s`):
			b.WriteString(`[\s\pZ]`)
			i++
		case expr[i] == '\\' && i+1 < len(expr):
			b.WriteString(expr[i : i+2])
			i++
		default:
			class = expr[i] == '[' || class && expr[i] != ']'
			b.WriteByte(expr[i])
		}
	}
	return regexp.MustCompile(b.String())
}
