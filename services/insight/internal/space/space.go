// Package space owns what is white space in the text of documents: more than what
// ASCII has, as word processors put no-break spaces between numbers and their units.
package space

import (
	"regexp"
	"strings"
	"unicode"
)

// Is reports whether r is white space, or as invisible at the ends of a text.
func Is(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// Compile returns the regular expression expr, in which \s is also white space that
// is none of ASCII. It panics where there is no such expression.
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
