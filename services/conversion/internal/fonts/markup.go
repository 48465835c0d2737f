package fonts

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"io"
	"strings"
)

const (
	// maxTag is the maximum length of a start tag, in bytes. Longer ones are skipped; they
	// hold pictures.
	maxTag = 64 << 10
	// maxRaw is how much of the content of one element is kept, in bytes.
	maxRaw = 256 << 10
)

// markup finds the start tags of XML and HTML. Unlike a parser, it accepts anything, keeps
// no more than one tag, and knows no nesting, so that no document can exhaust it.
type markup struct {
	r *bufio.Reader
	// tag is the current tag, and last are the last bytes of it.
	tag, last []byte
}

func newMarkup(r io.Reader) *markup { return &markup{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the text between the angle brackets of the next start tag. It is valid until
// the next call.
func (m *markup) next() ([]byte, bool) {
	for m.skipTo('<') {
		b, err := m.r.Peek(1)
		if err != nil {
			return nil, false
		}
		switch c := b[0]; {
		case c == '!' || c == '?':
			m.skipOther()
		case isLetter(c):
			if m.readTag() {
				return m.tag, true
			}
		}
	}
	return nil, false
}

// skipTo skips everything up to and including the byte.
func (m *markup) skipTo(c byte) bool {
	for {
		_, err := m.r.ReadSlice(c)
		if err == nil {
			return true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return false
		}
	}
}

// skipOther skips a comment, a CDATA section, a declaration or a processing instruction.
func (m *markup) skipOther() {
	end := ">"
	if b, _ := m.r.Peek(3); string(b) == "!--" {
		end = "-->"
	} else if b, _ := m.r.Peek(8); string(b) == "![CDATA[" {
		end = "]]>"
	}
	m.last = m.last[:0]
	for {
		b, err := m.r.ReadSlice('>')
		m.last = append(m.last, b[max(0, len(b)-3):]...)
		m.last = m.last[max(0, len(m.last)-3):]
		if err == nil && bytes.HasSuffix(m.last, []byte(end)) || err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// readTag reads the rest of a start tag. It returns false if the tag is too long or cut off.
func (m *markup) readTag() bool {
	m.tag = m.tag[:0]
	var quote, before byte
	long := false
	for {
		b, err := m.r.ReadSlice('>')
		for _, c := range b {
			switch {
			case quote != 0 && c == quote:
				quote = 0
			case quote == 0 && before == '=' && (c == '"' || c == '\''):
				quote = c
			}
			if !isSpace(c) {
				before = c
			}
		}
		if long = long || len(m.tag)+len(b) > maxTag; !long {
			m.tag = append(m.tag, b...)
		}
		switch {
		case err == nil && quote == 0:
			m.tag = bytes.TrimSuffix(m.tag, []byte(">"))
			return !long
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false
		}
	}
}

// raw returns the text up to the end tag of the element called name, whatever it contains,
// or the first part of a long text.
func (m *markup) raw(name string) []byte {
	var text []byte
	for {
		b, err := m.r.ReadSlice('<')
		text = append(text, b[:min(len(b), maxRaw-len(text))]...)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return text
		}
		if end, _ := m.r.Peek(1 + len(name)); err == nil && len(end) > 0 && end[0] == '/' && strings.EqualFold(string(end[1:]), name) {
			return bytes.TrimSuffix(text, []byte("<"))
		}
	}
}

// tagName returns the name of a tag without its prefix.
func tagName(tag []byte) []byte {
	end := bytes.IndexFunc(tag, func(r rune) bool { return r == '/' || r < 0x80 && isSpace(byte(r)) })
	if end >= 0 {
		tag = tag[:end]
	}
	return tag[bytes.LastIndexByte(tag, ':')+1:]
}

// eachAttribute calls visit for the attributes of a tag, with their prefixes.
func eachAttribute(tag []byte, visit func(prefix, name, value string)) {
	at := bytes.IndexFunc(tag, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
	if at < 0 {
		return
	}
	for rest := tag[at:]; ; {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return
		}
		name := bytes.TrimSpace(rest[:equals])
		name = name[bytes.LastIndexAny(name, " \t\r\n/")+1:]
		value, after := attributeValue(bytes.TrimLeft(rest[equals+1:], " \t\r\n"))
		prefix, local, prefixed := strings.Cut(string(name), ":")
		if !prefixed {
			prefix, local = "", prefix
		}
		visit(prefix, local, html.UnescapeString(string(value)))
		rest = after
	}
}

// attributeValue returns the value at the beginning of b, and what follows.
func attributeValue(b []byte) (value, rest []byte) {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		if end := bytes.IndexByte(b[1:], b[0]); end >= 0 {
			return b[1 : 1+end], b[2+end:]
		}
		return nil, nil
	}
	if end := bytes.IndexAny(b, " \t\r\n"); end >= 0 {
		return b[:end], b[end:]
	}
	return b, nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
