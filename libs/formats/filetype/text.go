package filetype

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// DetectNamed is Detect for a file whose name is known. The name distinguishes plain text
// from HTML, CSV, SVG, XML, PostScript and MIME: a file is HTML, CSV or MIME if its extension
// says so. A file that begins like one of them, other than CSV, needs no extension; SVG, XML
// and PostScript must begin so. Any other text is Text, whatever its name.
func DetectNamed(r io.ReaderAt, size int64, name string) (Type, error) {
	t, err := Detect(r, size)
	if t != Text || err != nil {
		return t, err
	}
	begins, err := Begins(r, size)
	switch named := OfName(name); {
	case err != nil:
		return t, err
	case named == HTML || named == CSV:
		return named, nil
	case isMIME.MatchString(name):
		return MIME, nil
	case begins != Unknown && (named == Unknown || named == begins):
		return begins, nil
	}
	return t, nil
}

// isMIME matches the names of e-mails and web archives. OfName ignores them, because for other
// purposes than showing them they are text.
var isMIME = regexp.MustCompile(`(?i)\.(eml|mht|mhtml)$`)

// markup matches the beginning of HTML or SVG in UTF-8: declarations and comments, and the
// name of the root element.
var markup = regexp.MustCompile(`(?is)^\x{FEFF}?(?:\s|<\?.*?\?>|<!--.*?-->|<!doctype\s[^>[]*(?:\[.*?\]\s*)?>)*<([a-z]+)[\s>/]`)

// beginnings match how other text begins that is written by programs for programs. The lines
// of a MIME header are the name of a field, and its value.
var beginnings = []struct {
	t     Type
	match *regexp.Regexp
}{
	{XML, regexp.MustCompile(`^\x{FEFF}?\s*<\?xml\s`)},
	{PS, regexp.MustCompile(`^%!PS`)},
	{MIME, regexp.MustCompile(`(?i)^(?:[a-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){0,50}MIME-Version:`)},
}

// Begins returns the type of text that the file of size bytes in r begins like: HTML, SVG, XML,
// PS or MIME. For other text it returns Unknown.
func Begins(r io.ReaderAt, size int64) (Type, error) {
	head := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Unknown, err
	}
	if m := markup.FindSubmatch(head); m != nil {
		for _, t := range []Type{HTML, SVG} {
			if strings.EqualFold(string(m[1]), string(t)) {
				return t, nil
			}
		}
	}
	for _, b := range beginnings {
		if b.match.Match(head) {
			return b.t, nil
		}
	}
	return Unknown, nil
}

// detectText returns Text for content that is text in an encoding that TextReader knows,
// and Unknown otherwise.
func detectText(r io.ReadSeeker) (Type, error) {
	text, err := TextReader(r, "")
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
		case isBinary(c):
			return Unknown, nil
		}
	}
}

// isBinary reports whether c is a control character that no text has.
func isBinary(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7F
}

// TextReader returns the text of r in UTF-8 without a byte order mark. The charset is the
// one that its media type declares, or "". Text without a mark that is not UTF-8 is read
// as Windows-1252, the usual encoding of other Western text, unless another charset is
// declared. CheckText tells whether that is right.
func TextReader(r io.ReadSeeker, charset string) (io.Reader, error) {
	from, err := textEncoding(r, charset)
	if err != nil {
		return nil, fmt.Errorf("find the encoding of the text: %w", err)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return from.NewDecoder().Reader(r), nil
}

// textEncoding determines the encoding of text: the one of its byte order mark, or the one
// that is declared, or UTF-8 if all of it is valid, or else Windows-1252, in which every byte
// has a meaning. UTF-16 that is not declared is recognized only by a byte order mark, which
// Windows programs write.
func textEncoding(r io.ReadSeeker, charset string) (encoding.Encoding, error) {
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
	if e := declared(charset); e != nil {
		return e, nil
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
