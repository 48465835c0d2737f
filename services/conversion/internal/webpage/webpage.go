// Package webpage prepares HTML for LibreOffice, which fetches nothing that a page links to.
package webpage

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// HidePictures removes the pictures that style sheets and background attributes in an HTML
// file link to, in place, so that no text moves. LibreOffice does not find them, and fills a
// page whose background lacks its picture with blue. It then uses the color of the background.
// Pictures in the file, which have data: URLs, stay.
func HidePictures(f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s := scanner{f: f, r: bufio.NewReaderSize(f, maxURL+maxName)}
	for s.err == nil {
		s.text()
	}
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

const (
	// maxURL is the maximum length of the URL of a picture, in bytes. Longer ones stay.
	maxURL = 8 << 10
	// maxName bounds the names that are looked for.
	maxName = 64
)

// scanner reads HTML once. Unlike a parser, it accepts anything and knows no nesting.
type scanner struct {
	f   *os.File
	r   *bufio.Reader
	at  int64 // offset of the next byte
	err error // the end of the file, or what failed
	// done is the offset up to which URLs were looked for. It keeps the time in proportion to
	// the length of the file.
	done int64
}

// next returns the next byte, or 0 at the end.
func (s *scanner) next() byte {
	if s.err != nil {
		return 0
	}
	var c byte
	if c, s.err = s.r.ReadByte(); s.err == nil {
		s.at++
	}
	return c
}

// follows reports whether the rest begins with a text, in any case.
func (s *scanner) follows(text string) bool {
	b, _ := s.r.Peek(len(text))
	return strings.EqualFold(string(b), text)
}

// skip skips everything up to the text.
func (s *scanner) skip(text string) {
	for s.err == nil && !s.follows(text) {
		s.next()
	}
}

// text reads up to the next tag, and that with what belongs to it.
func (s *scanner) text() {
	if s.next() != '<' {
		return
	}
	if s.follows("!--") {
		s.skip("-->")
		return
	}
	b, _ := s.r.Peek(maxName)
	name := b[:len(b)-len(bytes.TrimLeft(b, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))]
	if len(name) == 0 {
		return
	}
	element := strings.ToLower(string(name))
	s.tag()
	switch element {
	case "script":
		s.skip("</script")
	case "style":
		for s.err == nil && !s.follows("</style") {
			s.url()
			s.next()
		}
	}
}

// tag reads the rest of a start tag.
func (s *scanner) tag() {
	var quote, before, last byte // the last bytes, before without spaces
	for s.err == nil {
		s.url()
		if quote == 0 && isSpace(last) {
			s.background()
		}
		c := s.next()
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && before == '=' && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '>':
			return
		}
		last = c
		if !isSpace(c) {
			before = c
		}
	}
}

// url removes url(…) if it follows, unless it stands for something in the file.
func (s *scanner) url() {
	const begin = "url("
	if s.at < s.done || !s.follows(begin) {
		return
	}
	b, _ := s.r.Peek(maxURL)
	link := b[len(begin):]
	end := bytes.IndexAny(link, ")<>")
	s.done = s.at + int64(len(b))
	if end >= 0 {
		s.done = s.at + int64(len(begin)+end)
	}
	if target := bytes.TrimLeft(bytes.ReplaceAll(link[:min(len(link), maxName)], []byte("&quot;"), nil), "\"' \t\r\n"); bytes.HasPrefix(target, []byte("#")) || hasScheme(target) {
		return
	}
	if end >= 0 && link[end] == ')' {
		s.write(strings.Repeat(" ", len(begin)+end+1))
	}
}

// hasScheme reports whether a URL contains the picture.
func hasScheme(target []byte) bool {
	const scheme = "data:"
	return len(target) >= len(scheme) && strings.EqualFold(string(target[:len(scheme)]), scheme)
}

// background gives the attribute background another name if it follows.
func (s *scanner) background() {
	const name, other = "background", "data-image"
	if !s.follows(name) {
		return
	}
	b, _ := s.r.Peek(maxName)
	value, ok := bytes.CutPrefix(bytes.TrimLeft(b[len(name):], " \t\r\n\f"), []byte("="))
	if ok && !hasScheme(bytes.TrimLeft(value, "\"' \t\r\n\f")) {
		s.write(other)
	}
}

// write replaces the next bytes of the file. The bytes that are read stay as they were.
func (s *scanner) write(text string) {
	if _, err := s.f.WriteAt([]byte(text), s.at); err != nil {
		s.err = err
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }
