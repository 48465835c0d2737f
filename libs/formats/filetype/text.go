package filetype

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// DetectNamed is Detect for a file whose name is known. The name distinguishes plain text
// from HTML, CSV and SVG, which have no signature: a file is one of them if its extension
// says so. HTML and SVG that begin like it need no extension, but an SVG must begin like
// one. Any other text is Text, whatever its name.
func DetectNamed(r io.ReaderAt, size int64, name string) (Type, error) {
	t, err := Detect(r, size)
	if t != Text || err != nil {
		return t, err
	}
	head := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return t, err
	}
	named, begins := OfName(name), markupOf(head)
	switch {
	case named == HTML || named == CSV:
		return named, nil
	case begins != Unknown && (named == Unknown || named == begins):
		return begins, nil
	}
	return t, nil
}

// markup matches the beginning of HTML or SVG in UTF-8: declarations and comments, and the
// name of the root element.
var markup = regexp.MustCompile(`(?is)^\x{FEFF}?(?:\s|<\?.*?\?>|<!--.*?-->|<!doctype\s[^>[]*(?:\[.*?\]\s*)?>)*<([a-z]+)[\s>/]`)

// markupOf returns HTML or SVG for text that begins like it, and Unknown for other text.
func markupOf(head []byte) Type {
	m := markup.FindSubmatch(head)
	switch {
	case m == nil:
		return Unknown
	case bytes.EqualFold(m[1], []byte("html")):
		return HTML
	case bytes.EqualFold(m[1], []byte("svg")):
		return SVG
	}
	return Unknown
}

// detectText returns Text for content that is text in an encoding that TextReader knows,
// and Unknown otherwise.
func detectText(r io.ReadSeeker) (Type, error) {
	text, err := TextReader(r)
	if err != nil {
		return Unknown, err
	}
	in := bufio.NewReader(text)
	for {
		c, _, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return Text, nil
		case err != nil:
			return Unknown, fmt.Errorf("read the file as text: %w", err)
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f', c == 0x7F:
			return Unknown, nil
		}
	}
}

// TextReader returns the text of r in UTF-8 without a byte order mark. Text without a
// mark that is not UTF-8 is read as Windows-1252, the usual encoding of other Western
// text.
func TextReader(r io.ReadSeeker) (io.Reader, error) {
	from, err := textEncoding(r)
	if err != nil {
		return nil, fmt.Errorf("find the encoding of the text: %w", err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return from.NewDecoder().Reader(r), nil
}

// textEncoding determines the encoding of text: the one of its byte order mark, UTF-8 if
// all of it is valid, or else Windows-1252, in which every byte has a meaning. UTF-16 is
// recognized only by a byte order mark, which Windows programs write.
func textEncoding(r io.ReadSeeker) (encoding.Encoding, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(r, 64<<10)
	mark, err := in.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(mark, []byte{0xEF, 0xBB, 0xBF}):
		return unicode.UTF8BOM, nil
	case bytes.HasPrefix(mark, []byte{0xFF, 0xFE}), bytes.HasPrefix(mark, []byte{0xFE, 0xFF}):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), nil
	}
	for {
		c, size, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return unicode.UTF8, nil
		case err != nil:
			return nil, err
		case c == utf8.RuneError && size == 1:
			return charmap.Windows1252, nil
		}
	}
}
