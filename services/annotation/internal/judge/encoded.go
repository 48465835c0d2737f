package judge

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Encoded is a string of a request in its JSON encoding. Images are too large to copy, so
// they are decoded directly from the body.
type Encoded struct {
	// JSON is the text between the quotes, with its escapes.
	JSON []byte
}

// Encode returns s as a request would encode it.
func Encode(s string) Encoded {
	// AppendQuote replaces invalid UTF-8; that is all its error reports.
	quoted, _ := jsontext.AppendQuote(nil, s)
	return Encoded{JSON: quoted[1 : len(quoted)-1]}
}

// Text returns the string. If the string has more than limit characters, Text returns its
// beginning and false.
func (e Encoded) Text(limit int) (string, bool) {
	var b strings.Builder
	// A character takes at most four bytes, and writing to a strings.Builder never fails.
	_, _ = io.Copy(&b, io.LimitReader(e.Reader(), int64(limit+1)*utf8.UTFMax))
	text := b.String()
	n := 0
	for i := range text {
		if n == limit {
			return text[:i], false
		}
		n++
	}
	return text, true
}

// Reader returns a reader of the string in UTF-8. It does not copy the string, and its
// only error is io.EOF.
func (e Encoded) Reader() io.Reader {
	if bytes.IndexByte(e.JSON, '\\') < 0 {
		return bytes.NewReader(e.JSON)
	}
	return &unescaper{rest: e.JSON}
}

// hasPrefix reports whether the string begins with prefix, ignoring case.
func (e Encoded) hasPrefix(prefix string) bool {
	start := make([]byte, len(prefix))
	n, _ := io.ReadFull(e.Reader(), start) // a shorter string does not match
	return strings.EqualFold(string(start[:n]), prefix)
}

// unescaper decodes the inside of a JSON string (RFC 8259, section 7). The JSON was
// validated when the request was parsed; an invalid escape yields U+FFFD.
type unescaper struct {
	rest    []byte
	pending []byte // the rest of an escape that did not fit
	escape  [utf8.UTFMax]byte
}

func (u *unescaper) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && len(u.pending)+len(u.rest) > 0 {
		switch {
		case len(u.pending) > 0:
			m := copy(b[n:], u.pending)
			u.pending = u.pending[m:]
			n += m
		case u.rest[0] == '\\':
			u.pending = utf8.AppendRune(u.escape[:0], u.next())
		default:
			plain := u.rest[:min(len(u.rest), len(b)-n)]
			if i := bytes.IndexByte(plain, '\\'); i > 0 {
				plain = plain[:i]
			}
			n += copy(b[n:], plain)
			u.rest = u.rest[len(plain):]
		}
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next removes one escape from u.rest and returns its character.
func (u *unescaper) next() rune {
	if len(u.rest) < 2 {
		u.rest = nil
		return utf8.RuneError
	}
	c := u.rest[1]
	if c != 'u' {
		u.rest = u.rest[2:]
		return unescape(c)
	}
	r, ok := hexEscape(u.rest)
	u.rest = u.rest[min(6, len(u.rest)):]
	if low, paired := hexEscape(u.rest); ok && paired && utf16.IsSurrogate(r) {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			u.rest = u.rest[6:]
			return both
		}
	}
	return r
}

// unescape returns the character for a backslash followed by c.
func unescape(c byte) rune {
	switch c {
	case '"', '\\', '/':
		return rune(c)
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return utf8.RuneError
	}
}

// hexEscape returns the code unit of the \uXXXX escape at the beginning of s.
func hexEscape(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError, false
	}
	return rune(n), true
}
