package docx

import (
	"bytes"
	"strings"
)

// declaration collects the bytes after "<!" until they identify the construct.
func (s *scanner) declaration(c byte) (int, error) {
	s.mark = append(s.mark, c)
	switch mark := string(s.mark); {
	case mark == "--":
		s.state, s.last = inComment, [2]byte{}
	case mark == "[CDATA[" && s.depth == 0:
		return 0, flawOutside
	case mark == "[CDATA[":
		s.state, s.last = inCDATA, [2]byte{}
	case strings.EqualFold(mark, "DOCTYPE"):
		return 0, flawDoctype
	case strings.EqualFold(mark, "ENTITY"):
		return 0, flawEntity
	case !begins(mark, "--") && !begins(mark, "[CDATA[") && !begins(strings.ToUpper(mark), "DOCTYPE") && !begins(strings.ToUpper(mark), "ENTITY"):
		return 0, flawMarkup
	}
	return 1, nil
}

// begins reports whether mark is the beginning of whole.
func begins(mark, whole string) bool { return strings.HasPrefix(whole, mark) }

// until skips a construct that ends with the bytes in before and a ">".
func (s *scanner) until(b []byte, before string) int {
	i := bytes.IndexByte(b, '>')
	if i < 0 {
		s.keepLast(b)
		return len(b)
	}
	s.keepLast(b[:i])
	if strings.HasSuffix(string(s.last[:]), before) {
		s.state = inText
	} else {
		s.last = [2]byte{0, '>'}
	}
	return i + 1
}

// keepLast remembers the last two bytes of the construct that continues with b.
func (s *scanner) keepLast(b []byte) {
	switch n := len(b); n {
	case 0:
	case 1:
		s.last = [2]byte{s.last[1], b[0]}
	default:
		s.last = [2]byte{b[n-2], b[n-1]}
	}
}

// target skips the target of a processing instruction. An XML declaration has the same
// form and is allowed only at the beginning of the text: anywhere else, programs disagree
// on whether it changes the encoding.
func (s *scanner) target(b []byte) (int, error) {
	n, err := s.readName(b, inPI)
	if err != nil {
		return 0, err
	}
	if room := 4 - len(s.mark); room > 0 {
		s.mark = append(s.mark, b[:min(n, room)]...)
	}
	if s.state == inPI {
		s.last = [2]byte{}
		if s.start > 0 && strings.EqualFold(string(s.mark), "xml") {
			return 0, flawLateStart
		}
	}
	return n, nil
}

// spaces returns how many bytes of white space b begins with.
func spaces(b []byte) int {
	for i, c := range b {
		if !isSpace(c) {
			return i
		}
	}
	return len(b)
}

// names returns how many bytes of a name b begins with.
func names(b []byte) int {
	for i, c := range b {
		if !isName(c) {
			return i
		}
	}
	return len(b)
}

// isSpace reports whether c is white space in XML.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// isNameStart reports whether a name may begin with c, the first byte of a character. All
// characters beyond ASCII count as letters, since nothing here needs the distinction.
func isNameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

// isName reports whether c, a byte of a character, may be part of a name.
func isName(c byte) bool {
	return isNameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.'
}
