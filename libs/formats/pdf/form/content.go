package form

import (
	"bytes"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Bounds of what is read of a page's content.
const (
	maxContent = 64 << 20
	maxSaved   = 1000
)

// balance returns how many graphics states the content of a page saves and does not
// restore, and how many it restores that it has not saved. Well-formed content does neither.
// Content that cannot be decoded counts as well-formed.
func (f *filler) balance(contents types.Array) (unrestored, unsaved int) {
	size := 0
	for _, o := range contents {
		b, ok := f.scan(o)
		if size += b.size; !ok || size > maxContent {
			return 0, 0
		}
		unsaved += max(0, b.unsaved-unrestored)
		unrestored = max(0, unrestored-b.unsaved) + b.unrestored
	}
	return min(unrestored, maxSaved), min(unsaved, maxSaved)
}

// balance counts the same for one stream. size is that of its content in bytes, or -1 if the
// content cannot be decoded.
type balance struct{ unrestored, unsaved, size int }

// scan returns the balance of a content stream. It reports false if the stream cannot be
// decoded. Pages may share streams; each is decoded once.
func (f *filler) scan(o types.Object) (balance, bool) {
	o, number := f.resolve(o, 0)
	stream, ok := o.(types.StreamDict)
	if !ok {
		return balance{}, true
	}
	if b, ok := f.balances[number]; ok {
		return b, b.size >= 0
	}
	content := stream.Raw
	if stream.Dict["Filter"] != nil {
		var err error
		if content, err = stream.DecodeLengthWithLimit(-1, maxContent); err != nil {
			f.balances[number] = balance{size: -1}
			return balance{}, false
		}
	}
	s := scanner{}
	s.scan(content)
	f.balances[number] = balance{s.depth, s.unsaved, len(content)}
	return f.balances[number], true
}

// scanner follows the operators q and Q through a content stream.
type scanner struct {
	rest           []byte
	depth, unsaved int
}

func (s *scanner) scan(content []byte) {
	s.rest = content
	for len(s.rest) > 0 {
		c := s.rest[0]
		switch {
		case c == '(':
			s.literal()
		case c == '<' && !bytes.HasPrefix(s.rest, []byte("<<")):
			s.skipTo('>')
		case c == '<':
			s.rest = s.rest[2:]
		case c == '%':
			s.skipTo('\n', '\r')
		case c == '/':
			s.rest = s.rest[1:]
			s.token()
		case regular(c):
			s.operator(s.token())
		default:
			s.rest = s.rest[1:]
		}
	}
}

func (s *scanner) operator(token string) {
	switch token {
	case "q":
		s.depth++
	case "Q":
		if s.depth == 0 {
			s.unsaved++
			return
		}
		s.depth--
	case "ID":
		s.skipImage()
	}
}

// token takes the regular characters at the beginning.
func (s *scanner) token() string {
	n := 0
	for n < len(s.rest) && regular(s.rest[n]) {
		n++
	}
	token := string(s.rest[:min(n, 3)]) // no longer operator matters
	s.rest = s.rest[n:]
	return token
}

// regular reports whether a character is part of names and operators.
func regular(c byte) bool { return c > ' ' && bytes.IndexByte([]byte("()<>[]{}/%"), c) < 0 }

// literal skips a literal string, which may contain balanced parentheses.
func (s *scanner) literal() {
	open := 0
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			i++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				s.rest = s.rest[i+1:]
				return
			}
		}
	}
	s.rest = nil
}

// skipTo skips everything up to one of these characters.
func (s *scanner) skipTo(ends ...byte) {
	i := bytes.IndexAny(s.rest, string(ends))
	if i < 0 {
		i = len(s.rest) - 1
	}
	s.rest = s.rest[i+1:]
}

// skipImage skips the data of an inline image, up to EI between white space.
func (s *scanner) skipImage() {
	for {
		i := bytes.Index(s.rest, []byte("EI"))
		if i < 0 {
			s.rest = nil
			return
		}
		before := i == 0 || s.rest[i-1] <= ' '
		s.rest = s.rest[i+2:]
		if before && (len(s.rest) == 0 || s.rest[0] <= ' ') {
			return
		}
	}
}
