package docx

import (
	"bytes"
	"fmt"
	"strings"
)

// state is the syntactic position of the next byte of a text.
type state uint8

const (
	inText      state = iota // between tags
	inMarkup                 // after "<"
	inName                   // in the name of a start tag
	inTag                    // in a start tag, before an attribute or the end
	inEmptyTag               // after the "/" of a start tag
	inAttribute              // in the name of an attribute
	inEquals                 // after the name of an attribute
	inQuote                  // after the "=" of an attribute
	inValue                  // in the value of an attribute
	inEndName                // in the name of an end tag
	inEndTag                 // after the name of an end tag
	inBang                   // after "<!"
	inComment                // after "<!--"
	inCDATA                  // after "<![CDATA["
	inTarget                 // in the target of a processing instruction
	inPI                     // in the data of a processing instruction
)

// Flaws of a text other than exceeded limits.
const (
	flawDoctype   flaw = "declares a DOCTYPE, which is not allowed"
	flawEntity    flaw = "declares an entity, which is not allowed"
	flawMarkup    flaw = "has markup that is not well-formed"
	flawOutside   flaw = "has text outside of its root element"
	flawSecond    flaw = "has a second root element"
	flawEndTag    flaw = "has an end tag without a start tag"
	flawUnclosed  flaw = "is cut off: an element has no end tag"
	flawCut       flaw = "is cut off in the middle of its markup"
	flawEmpty     flaw = "holds no element"
	flawUTF8      flaw = "is not UTF-8 text"
	flawLateStart flaw = "has an XML declaration that is not at its beginning"
)

// scanner checks UTF-8 text that arrives in blocks, without keeping any of it. It is not
// a parser: it knows where markup begins and ends, and counts. It does not match end tags
// to start tags, and does not check references.
//
// Since it lets no DOCTYPE through, the only entities are the five of XML, and nothing
// that a parser does later can make the text larger.
type scanner struct {
	limits Limits
	state  state
	quote  byte // the character that ends the attribute value
	rooted bool // whether the root element has begun
	// depth counts open elements, attributes those of the current start tag, and name the
	// bytes of the current name.
	depth, attributes, name int
	// read counts the bytes before the current one, start those before the last "<".
	read, start int64
	// mark is the beginning of a "<!" construct or of a target.
	mark []byte
	// last are the last two bytes of a construct that ends in ">".
	last [2]byte
	utf8 utf8Checker
}

// scan checks the next block. The error is a flaw.
func (s *scanner) scan(b []byte) error {
	if !s.utf8.check(b) {
		return flawUTF8
	}
	for len(b) > 0 {
		n, err := s.step(b)
		if err != nil {
			return err
		}
		s.read += int64(n)
		b = b[n:]
	}
	return nil
}

// end checks that the text may end here. The error is a flaw.
func (s *scanner) end() error {
	switch {
	case s.utf8.pending():
		return flawUTF8
	case s.state != inText:
		return flawCut
	case s.depth > 0:
		return flawUnclosed
	case !s.rooted:
		return flawEmpty
	}
	return nil
}

// step checks the longest prefix of b that is in one state and returns its length. The
// length can be 0, but then the state has changed.
func (s *scanner) step(b []byte) (int, error) {
	switch s.state {
	case inText:
		return s.text(b)
	case inMarkup:
		return s.markup(b)
	case inName:
		return s.readName(b, inTag)
	case inTag:
		return s.tag(b)
	case inEmptyTag, inEndTag:
		return s.closing(b)
	case inAttribute:
		return s.readName(b, inEquals)
	case inEquals:
		return s.expect(b, inQuote, "=")
	case inQuote:
		return s.expect(b, inValue, `"'`)
	case inValue:
		return s.value(b)
	case inEndName:
		return s.readName(b, inEndTag)
	case inBang:
		return s.declaration(b[0])
	case inComment:
		return s.until(b, "--"), nil
	case inCDATA:
		return s.until(b, "]]"), nil
	case inTarget:
		return s.target(b)
	default: // inPI
		return s.until(b, "?"), nil
	}
}

// text skips text up to the next "<".
func (s *scanner) text(b []byte) (int, error) {
	i := bytes.IndexByte(b, '<')
	text := b
	if i >= 0 {
		text = b[:i]
	}
	if s.depth == 0 && len(bytes.TrimLeft(text, " \t\r\n")) > 0 {
		return 0, flawOutside
	}
	if i < 0 {
		return len(b), nil
	}
	s.state, s.start = inMarkup, s.read+int64(i)
	return i + 1, nil
}

// markup determines what kind of markup begins with b, the bytes after "<".
func (s *scanner) markup(b []byte) (int, error) {
	s.name, s.mark = 0, s.mark[:0]
	switch b[0] {
	case '/':
		return s.endTag(b)
	case '!':
		s.state = inBang
		return 1, nil
	case '?':
		s.state = inTarget
		return 1, nil
	}
	return s.startTag(b)
}

// startTag begins the start tag whose name is at the beginning of b. If b holds the whole
// name, it continues with the attributes.
func (s *scanner) startTag(b []byte) (int, error) {
	s.state = inName
	n, err := s.readName(b, inTag)
	if err == nil {
		err = s.open()
	}
	if err != nil || s.state != inTag {
		return n, err
	}
	m, err := s.tag(b[n:])
	return n + m, err
}

// endTag begins the end tag whose "/" is at the beginning of b. If b holds the whole tag
// in its plain form, as is usual, it skips the tag.
func (s *scanner) endTag(b []byte) (int, error) {
	if s.depth == 0 {
		return 0, flawEndTag
	}
	n := 1 + names(b[1:])
	if n == 1 || n == len(b) || !isNameStart(b[1]) || b[n] != '>' || n-1 > s.limits.NameBytes {
		s.state = inEndName
		return 1, nil
	}
	s.depth--
	s.state = inText
	return n + 1, nil
}

// open counts a beginning element.
func (s *scanner) open() error {
	if s.depth == 0 && s.rooted {
		return flawSecond
	}
	s.rooted = true
	s.attributes = 0
	if s.depth++; s.depth > s.limits.Depth {
		return flaw(fmt.Sprintf("nests elements more than %d deep", s.limits.Depth))
	}
	return nil
}

// readName skips a name and then enters the state next.
func (s *scanner) readName(b []byte, next state) (int, error) {
	if s.name == 0 && !isNameStart(b[0]) {
		return 0, flawMarkup
	}
	n := names(b)
	if s.name += n; s.name > s.limits.NameBytes {
		return 0, flaw("has a name of more than " + amount(int64(s.limits.NameBytes)))
	}
	if n < len(b) {
		s.state = next
	}
	return n, nil
}

// tag skips the attributes of a start tag that b holds in full, and looks for the end of
// the tag.
func (s *scanner) tag(b []byte) (int, error) {
	for n := 0; ; {
		n += spaces(b[n:])
		if n == len(b) {
			return n, nil
		}
		switch c := b[n]; {
		case c == '>':
			s.state = inText
			return n + 1, nil
		case c == '/':
			s.state = inEmptyTag
			return n + 1, nil
		case !isNameStart(c):
			return 0, flawMarkup
		}
		if s.attributes++; s.attributes > s.limits.Attributes {
			return 0, flaw(fmt.Sprintf("has an element with more than %d attributes", s.limits.Attributes))
		}
		length := s.plainAttribute(b[n:])
		if length == 0 {
			s.state, s.name = inAttribute, 0
			return n, nil
		}
		n += length
	}
}

// plainAttribute returns the length of the attribute at the beginning of b if b holds all
// of it in its plain form, as is usual. Otherwise it returns 0, and the states handle the
// attribute byte by byte.
func (s *scanner) plainAttribute(b []byte) int {
	n := names(b)
	if n > s.limits.NameBytes || len(b) < n+2 || b[n] != '=' || b[n+1] != '"' {
		return 0
	}
	for i, c := range b[n+2:] {
		switch c {
		case '"':
			return n + i + 3
		case '<':
			return 0
		}
	}
	return 0
}

// closing looks for the ">" that ends an element.
func (s *scanner) closing(b []byte) (int, error) {
	n := 0
	if s.state == inEndTag {
		n = spaces(b)
	}
	if n == len(b) {
		return n, nil
	}
	if b[n] != '>' {
		return 0, flawMarkup
	}
	s.depth--
	s.state = inText
	return n + 1, nil
}

// expect skips white space and one of the bytes in oneOf, which it keeps as the quote,
// and then enters the state next.
func (s *scanner) expect(b []byte, next state, oneOf string) (int, error) {
	n := spaces(b)
	if n == len(b) {
		return n, nil
	}
	if strings.IndexByte(oneOf, b[n]) < 0 {
		return 0, flawMarkup
	}
	s.quote, s.state = b[n], next
	return n + 1, nil
}

// value skips the value of an attribute.
func (s *scanner) value(b []byte) (int, error) {
	for i, c := range b {
		switch c {
		case s.quote:
			s.state = inTag
			return i + 1, nil
		case '<':
			return 0, flawMarkup
		}
	}
	return len(b), nil
}
