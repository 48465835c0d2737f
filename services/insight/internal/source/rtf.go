package source

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// The beginning and end of a text in RTF. Characters beyond ASCII are written as Unicode,
// without a fallback for programs that do not support it ("uc0").
const (
	rtfBegin = `{\rtf1\ansi\uc0\deff0{\fonttbl{\f0\froman Liberation Serif;}}\f0\fs22 `
	rtfEnd   = `}`
)

// rtf returns a text as RTF (Microsoft, Rich Text Format Specification 1.9.1). Plain text
// could be taken for another format, such as HTML if it quotes the beginning of a web
// page; RTF cannot. Lines become paragraphs, and control characters are left out.
func rtf(text string) io.Reader {
	var out strings.Builder
	out.Grow(len(rtfBegin) + len(text) + len(rtfEnd))
	out.WriteString(rtfBegin)
	for _, r := range text {
		writeRTF(&out, r)
	}
	out.WriteString(rtfEnd)
	return strings.NewReader(out.String())
}

// writeRTF writes a character.
func writeRTF(out *strings.Builder, r rune) {
	switch {
	case r == '\n':
		out.WriteString("\\par\n")
	case r == '\t':
		out.WriteString(`\tab `)
	case r == '\f':
		out.WriteString(`\page `)
	case r == '\\' || r == '{' || r == '}':
		out.WriteByte('\\')
		out.WriteRune(r)
	case r < ' ' || r == 0x7F:
	case r < 0x7F:
		out.WriteRune(r)
	default:
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(out, `\u%d `, int16(unit)) // RTF has signed numbers
		}
	}
}
