package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// Tokens that stand for several texts.
const (
	lineBreak = "¶"
	wideGap   = "⇥"
	digits    = "#"
	quote     = `"`
)

// tokens returns the words of a text in lower case, its marks, line breaks and wide gaps. A word that may
// belong to a name begins with a caret.
func tokens(s string) (all []string) {
	add := func(token string, once bool) {
		if !once || len(all) == 0 || all[len(all)-1] != token {
			all = append(all, token)
		}
	}
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsLetter(r):
			n = wordEnd(s[at:])
			add(word(s[at:at+n], r), false)
		case unicode.IsDigit(r):
			for n < len(s)-at && (s[at+n] >= '0' && s[at+n] <= '9' || s[at+n] == ',' || s[at+n] == '.') {
				n++
			}
			add(digits, false)
		case r == '\n':
			add(lineBreak, true)
		case r == '\t' || strings.HasPrefix(s[at:], "   "):
			add(wideGap, true)
		case space.Is(r):
		case strings.ContainsRune("“”\"„«»", r):
			add(quote, false)
		default:
			add(string(r), r == '_' || r == '.')
		}
		at += n
	}
	return all
}

// word returns the token of a word that begins with a letter.
func word(w string, first rune) string {
	lower := strings.ToLower(w)
	if unicode.IsUpper(first) && !leading[lower] && strings.ToUpper(w) != w {
		return "^" + lower
	}
	return lower
}
