package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
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

// Lower returns s on one line in lower case, with straight quotation marks. It drops
// incomplete characters, which truncation can leave at either end, and soft hyphens and
// other invisible break opportunities.
func Lower(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	spaced := false
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			if isSpace(c) {
				spaced = b.Len() > 0
				continue
			}
			if spaced {
				b.WriteByte(' ')
				spaced = false
			}
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			b.WriteByte(c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		letters := plain(unicode.ToLower(r), s[i:i+size])
		i += size
		switch {
		case letters == " ":
			spaced = b.Len() > 0
		case letters != "" && spaced:
			b.WriteByte(' ')
			spaced = false
			fallthrough
		default:
			b.WriteString(letters)
		}
	}
	return b.String()
}

// plain returns what rules look for instead of a character beyond ASCII in lower case:
// one variant of each character, a space for all white space, and "" for what is
// invisible. written is the character in the text.
func plain(r rune, written string) string {
	switch r {
	case utf8.RuneError:
		if len(written) == 1 {
			return ""
		}
	case '“', '”':
		return `"`
	case '’', '‘':
		return "'"
	case '\u00ad', '\u200b', '\u2060', '\ufeff':
		return ""
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	}
	if unicode.IsSpace(r) {
		return " "
	}
	return string(r)
}
