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

// Encoded is a string of a request as it stands in its JSON text: images are
// too large to be copied, so that they are decoded where they are read.
type Encoded struct {
	// JSON is the text between the quotes, with its escapes.
	JSON []byte
}

// Encode returns s as a request would hold it.
func Encode(s string) Encoded {
	// What is not UTF-8 is replaced, and the error says no more than that.
	quoted, _ := jsontext.AppendQuote(nil, s)
	return Encoded{JSON: quoted[1 : len(quoted)-1]}
}

// Text returns the string, and false with the beginning of it if it has more
// than limit characters.
func (e Encoded) Text(limit int) (string, bool) {
	var b strings.Builder
	// A character takes at most four bytes, and no read of strings.Builder fails.
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

// Reader returns a reader of the string, in UTF-8. It makes no copy of it, and
// its errors are none but io.EOF.
func (e Encoded) Reader() io.Reader {
	if bytes.IndexByte(e.JSON, '\\') < 0 {
		return bytes.NewReader(e.JSON)
	}
	return &unescaper{rest: e.JSON}
}

// hasPrefix reports whether the string begins with prefix, in any case of
// letters.
func (e Encoded) hasPrefix(prefix string) bool {
	start := make([]byte, len(prefix))
	n, _ := io.ReadFull(e.Reader(), start) // shorter ones have not got it
	return strings.EqualFold(string(start[:n]), prefix)
}

// unescaper reads the inside of a JSON string (RFC 8259, section 7). The text was
// checked when the request was read; what is no escape stands for U+FFFD.
type unescaper struct {
	rest    []byte
	pending []byte // of an escape that did not fit
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

// next takes one escape off u.rest and returns what it stands for.
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

// unescape returns what a backslash and c stand for.
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

// hexEscape returns the number that s begins with, as "\u00e9".
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
