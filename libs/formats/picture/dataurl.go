package picture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
)

// maxHeader bounds the header of a data URL, in bytes.
const maxHeader = 128

// readHeader reads "data:image/<type>;base64," in any letter case, and returns the media
// type and the length of the header in bytes. Parameters are refused: the specification
// defines only this form.
func readHeader(r io.Reader) (mediaType string, size int64, err error) {
	start := make([]byte, maxHeader)
	n, err := io.ReadFull(r, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, err
	}
	head, _, found := bytes.Cut(start[:n], []byte(","))
	kind, isImage := strings.CutPrefix(strings.ToLower(string(head)), "data:image/")
	kind, isBase64 := strings.CutSuffix(kind, ";base64")
	if !found || !isImage || !isBase64 || kind == "" || strings.ContainsFunc(kind, notInSubtype) {
		return "", 0, refuse(InvalidHeader, "has no header of the form data:image/<type>;base64,")
	}
	size = int64(len(head) + 1)
	switch kind {
	case "jpg", "jpeg":
		return JPEG, size, nil
	case "png":
		return PNG, size, nil
	default:
		return "", 0, refuse(UnsupportedType, "is of the type %s; only JPG and PNG are supported", kind)
	}
}

// notInSubtype reports whether RFC 6838 forbids r in a subtype name, as far as it matters
// here.
func notInSubtype(r rune) bool {
	return !('a' <= r && r <= 'z') && !('0' <= r && r <= '9') && !strings.ContainsRune("+-._", r)
}

// skipped returns r after its first n bytes.
func skipped(r io.Reader, n int64) io.Reader {
	// A reader that fails here fails again at the next read, which reports the error.
	_, _ = io.CopyN(io.Discard, r, n)
	return r
}

// base64Reader decodes the standard alphabet with padding (RFC 4648, section 4). Line
// breaks are skipped, since tools wrap lines; other white space is an error, and so is
// anything after the padding. (base64.NewDecoder accepts text after the padding if a
// buffer happens to end there.)
type base64Reader struct {
	r       io.Reader
	text    []byte // read but not decoded
	decoded []byte // decoded but not returned
	padded  bool   // the padding has been read, so the text has ended
	err     error

	textBuffer    [16 << 10]byte
	decodedBuffer [12 << 10]byte
}

func newBase64(r io.Reader) io.Reader { return &base64Reader{r: r} }

// errBase64 is the error for all text that cannot be decoded.
var errBase64 = refuse(InvalidBase64, "is not valid base64")

func (d *base64Reader) Read(b []byte) (int, error) {
	for len(d.decoded) == 0 && d.err == nil {
		d.fill()
	}
	if len(d.decoded) == 0 {
		return 0, d.err
	}
	n := copy(b, d.decoded)
	d.decoded = d.decoded[n:]
	return n, nil
}

// fill decodes the complete groups of the text that one Read returns.
func (d *base64Reader) fill() {
	kept := copy(d.textBuffer[:], d.text)
	n, err := d.r.Read(d.textBuffer[kept:])
	text := withoutBreaks(d.textBuffer[:kept+n], kept)
	whole := len(text) / 4 * 4
	d.text = text[whole:]
	switch {
	case errors.Is(err, io.EOF) && len(d.text) > 0:
		d.err = errBase64
	case err != nil:
		d.err = err
	}
	if whole == 0 {
		return
	}
	size, err := base64.StdEncoding.Decode(d.decodedBuffer[:], text[:whole])
	if err != nil || d.padded {
		d.err = errBase64
		return
	}
	d.padded = text[whole-1] == '='
	d.decoded = d.decodedBuffer[:size]
}

// withoutBreaks removes line breaks, in place, from text after its first kept bytes.
func withoutBreaks(text []byte, kept int) []byte {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	out := text[:kept]
	for _, c := range text[kept:] {
		if c != '\n' && c != '\r' {
			out = append(out, c)
		}
	}
	return out
}
