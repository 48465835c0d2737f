package wording

import (
	"unicode"
	"unicode/utf8"
)

// Lower returns s on one line in lower case, with straight quotation marks. It drops
// incomplete characters, which truncation can leave at either end, and soft hyphens and
// other invisible break opportunities.
func Lower(s string) string { return string(AppendLower(make([]byte, 0, len(s)), s)) }

// AppendLower appends the same to b.
func AppendLower(b []byte, s string) []byte {
	start, spaced := len(b), false
	for i := 0; i < len(s); {
		if c := lowered[s[i]]; c != 0 {
			i++
			if c == ' ' {
				spaced = len(b) > start
				continue
			}
			if spaced {
				b = append(b, ' ')
				spaced = false
			}
			b = append(b, c)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		letters := plain(unicode.ToLower(r), s[i:i+size])
		i += size
		switch {
		case letters == " ":
			spaced = len(b) > start
		case letters != "" && spaced:
			b = append(b, ' ')
			spaced = false
			fallthrough
		default:
			b = append(b, letters...)
		}
	}
	return b
}

// lowered holds the lower case of each ASCII character, a space for all white space, and 0 for
// bytes of other characters, and for NUL.
var lowered = func() (table [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case 'A' <= c && c <= 'Z':
			table[c] = c | 0x20
		case c == ' ' || '\t' <= c && c <= '\r':
			table[c] = ' '
		default:
			table[c] = c
		}
	}
	return table
}()

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
