package form

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// low and high are the characters of PDFDocEncoding that differ from Latin-1, from 0x18 and
// 0x80 on: ISO 32000-1, annex D.
var (
	low  = []rune("˘ˇˆ˙˝˛˚˜")
	high = []rune("•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\uFFFD€")
)

// text returns the beginning of a text string, with at most a number of bytes, or "" for
// anything else. When the budget for texts is used up, it returns "" for all.
func (f *file) text(o types.Object, most int) string {
	o, _ = f.resolve(o, 0)
	b := octets(o, most)
	f.budget -= len(b) + 1
	if f.budget < 0 {
		return ""
	}
	return cut(decodeText(b), most)
}

// cut returns at most a number of bytes of a text, without a part of a character.
func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}

// octets returns at most a number of bytes of a string object, or nil. The time it takes does
// not depend on the rest of the string, which many objects may share.
func octets(o types.Object, most int) []byte {
	var b []byte
	var err error
	switch s := o.(type) {
	case types.StringLiteral:
		b, err = types.Unescape(beginning(string(s), most))
	case types.HexLiteral:
		if s = s[:min(len(s), 2*most)]; len(s)%2 == 1 {
			s += "0"
		}
		b, err = hex.DecodeString(string(s))
	}
	if err != nil {
		return nil
	}
	return b[:min(len(b), most)]
}

// beginning returns the part of a literal string that holds its first bytes. A byte takes at
// most four characters.
func beginning(s string, most int) string {
	if len(s) <= 4*most {
		return s
	}
	s = s[:4*most]
	escapes := len(s) - len(strings.TrimRight(s, `\`))
	return s[:len(s)-escapes%2]
}

// The byte order marks of text strings. ISO 32000 does not have that of UTF-16LE, but readers
// know it nonetheless.
const (
	markUTF16BE = "\xFE\xFF"
	markUTF16LE = "\xFF\xFE"
	markUTF8    = "\xEF\xBB\xBF"
)

// marked reports whether a string begins with a byte order mark.
func marked(b []byte) bool {
	return bytes.HasPrefix(b, []byte(markUTF16BE)) || bytes.HasPrefix(b, []byte(markUTF16LE)) || bytes.HasPrefix(b, []byte(markUTF8))
}

// decodeText decodes a text string, which is UTF-16 or UTF-8 if it has the byte order mark,
// and otherwise PDFDocEncoding.
func decodeText(b []byte) string {
	if rest, ok := bytes.CutPrefix(b, []byte(markUTF16BE)); ok {
		return decodeUTF16(rest, binary.BigEndian)
	}
	if rest, ok := bytes.CutPrefix(b, []byte(markUTF16LE)); ok {
		return decodeUTF16(rest, binary.LittleEndian)
	}
	if rest, ok := bytes.CutPrefix(b, []byte(markUTF8)); ok {
		if rest = trimPartial(rest); utf8.Valid(rest) {
			return withoutLanguages(string(rest))
		}
	}
	out := make([]byte, 0, len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, docRune(c))
	}
	return string(out)
}

// trimPartial returns UTF-8 without an incomplete character at its end.
func trimPartial(b []byte) []byte {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		if start := b[len(b)-i:]; utf8.RuneStart(start[0]) {
			if !utf8.FullRune(start) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return withoutLanguages(string(utf16.Decode(units)))
}

// languages matches the language codes that Unicode text strings may contain: ISO 32000-1,
// 7.9.2.2.
var languages = regexp.MustCompile("\x1b[A-Za-z]{2,3}(?:-?[A-Za-z]{2})?\x1b")

func withoutLanguages(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return languages.ReplaceAllString(s, "")
}

// docRune returns a character of PDFDocEncoding.
func docRune(c byte) rune {
	switch {
	case c >= 0x18 && c < 0x20:
		return low[c-0x18]
	case c >= 0x80 && c <= 0xA0:
		return high[c-0x80]
	}
	return rune(c)
}

// textString encodes a text, as PDFDocEncoding if it is Latin-1, and otherwise as UTF-16BE.
// Latin-1 that would begin like a byte order mark is encoded as UTF-16BE too.
func textString(s string) types.HexLiteral {
	latin := make([]byte, 0, len(s))
	for _, c := range s {
		if c >= 0x18 && c < 0x20 || c >= 0x7F && c <= 0xA0 || c == 0xAD || c > 0xFF {
			return wideString(s)
		}
		latin = append(latin, byte(c))
	}
	if marked(latin) {
		return wideString(s)
	}
	return types.NewHexLiteral(latin)
}

func wideString(s string) types.HexLiteral {
	b := []byte{0xFE, 0xFF}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return types.NewHexLiteral(b)
}
