package docx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

const (
	// textBuffer is how much of a part is read at once, in bytes.
	textBuffer = 64 << 10
	// maxDeclaration is the maximum length of the XML declaration, in bytes of UTF-8.
	maxDeclaration = 1024
)

// OpenXML returns the text of an XML part in UTF-8, without a byte order mark. All of it
// has passed the scanner of Check, so a parser of the text meets no DOCTYPE and nothing
// beyond the limits. The XML declaration is kept as written: parsers must ignore its
// encoding.
//
// Reading ends with an *Error at the first flaw, and otherwise as for Open.
func (p *Part) OpenXML() io.ReadCloser {
	return &textReader{part: p, body: p.Open(), scanner: scanner{limits: p.pkg.limits}}
}

// textReader reads a part as text and scans it.
type textReader struct {
	part *Part
	body io.ReadCloser
	// text is body in UTF-8, or nil until the encoding is known.
	text    io.Reader
	scanner scanner
	err     error
}

func (r *textReader) Read(b []byte) (int, error) {
	if r.err != nil || len(b) == 0 {
		return 0, r.err
	}
	if r.text == nil {
		if r.text, r.err = utf8Reader(r.body); r.err != nil {
			r.err = r.errorFor(r.err)
			return 0, r.err
		}
	}
	n, err := r.text.Read(b)
	if err := r.scanner.scan(b[:n]); err != nil {
		r.err = r.errorFor(err)
		return 0, r.err
	}
	if errors.Is(err, io.EOF) {
		if flawed := r.scanner.end(); flawed != nil {
			err = flawed
		}
	}
	r.err = r.errorFor(err)
	return n, r.err
}

// errorFor returns the error to report in place of err.
func (r *textReader) errorFor(err error) error {
	what, ok := err.(flaw) //nolint:errorlint // flaws of the text are not wrapped, those of the container are
	if !ok {
		return err
	}
	return refuse(r.part.Name, "has an XML part (%s) that %s", shown(r.part.Name), string(what)).
		because(fmt.Errorf("at or after byte %d of its text", r.scanner.read))
}

// Close closes the part.
func (r *textReader) Close() error {
	r.err = fs.ErrClosed
	return r.body.Close()
}

// utf8Reader returns the text of r in UTF-8 without its byte order mark. The bytes
// determine the encoding, and the declaration must not contradict them. The error is a
// flaw, or that of r.
func utf8Reader(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, textBuffer)
	head, err := in.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return utf16Reader(in, unicode.LittleEndian, "", "utf-8")
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return utf16Reader(in, unicode.BigEndian, "", "utf-8")
	case bytes.HasPrefix(head, []byte{'<', 0}):
		return utf16Reader(in, unicode.LittleEndian)
	case bytes.HasPrefix(head, []byte{0, '<'}):
		return utf16Reader(in, unicode.BigEndian)
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = in.Discard(3) // cannot fail: Peek has read them
	}
	return declaredReader(in, "", "utf-8", "utf8", "us-ascii", "ascii")
}

// utf16Reader returns the text of r, which is UTF-16 in the given order. The text must
// declare UTF-16 or one of the other encodings. With a byte order mark no declaration is
// needed, and some programs declare UTF-8 then, which all readers ignore.
func utf16Reader(r io.Reader, order unicode.Endianness, others ...string) (io.Reader, error) {
	decoder := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
	text := bufio.NewReaderSize(decoder.Reader(r), textBuffer)
	return declaredReader(text, append(others, "utf-16", "utf-16le", "utf-16be")...)
}

// declaredReader returns r if its declaration names one of the allowed encodings; ""
// allows a missing one.
func declaredReader(r *bufio.Reader, allowed ...string) (io.Reader, error) {
	head, err := r.Peek(maxDeclaration)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	name, err := declaredEncoding(head)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(allowed, strings.ToLower(name)) {
		return nil, flaw(fmt.Sprintf("declares the encoding %q, but must be UTF-8 or UTF-16 and declare it correctly", shown(name)))
	}
	return r, nil
}

// declaredEncoding returns the encoding in the XML declaration at the beginning of text,
// or "" if there is none.
func declaredEncoding(text []byte) (string, error) {
	rest, ok := bytes.CutPrefix(text, []byte("<?xml"))
	if !ok || len(rest) == 0 || !isSpace(rest[0]) {
		return "", nil
	}
	rest, _, ok = bytes.Cut(rest, []byte("?>"))
	if !ok {
		return "", flaw("has an XML declaration without an end")
	}
	for {
		name, value, after, err := pseudoAttribute(bytes.TrimSpace(rest))
		if name == "encoding" || name == "" || err != nil {
			return value, err
		}
		rest = after
	}
}

// pseudoAttribute cuts the first name="value" off b. The name is empty if b is empty.
func pseudoAttribute(b []byte) (name, value string, rest []byte, err error) {
	if len(b) == 0 {
		return "", "", nil, nil
	}
	malformed := flaw("has an XML declaration that is not well-formed")
	before, after, ok := bytes.Cut(b, []byte("="))
	after = bytes.TrimSpace(after)
	if !ok || len(after) == 0 || after[0] != '"' && after[0] != '\'' {
		return "", "", nil, malformed
	}
	quoted, rest, ok := bytes.Cut(after[1:], after[:1])
	if name = string(bytes.TrimSpace(before)); !ok || name == "" {
		return "", "", nil, malformed
	}
	return name, string(quoted), rest, nil
}
