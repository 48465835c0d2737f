package fonts

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of what is read of a PDF file.
const (
	maxPDF = 256 << 20
	// maxObjects is the maximum size of all object streams together, in bytes after
	// decompression.
	maxObjects = 64 << 20
	// maxStreams is the maximum number of object streams.
	maxStreams = 10_000
	// maxPDFName is the maximum length of the name of a font, in bytes.
	maxPDFName = 200
	// maxDictionary is how far behind its type the data of an object stream begins, in
	// bytes.
	maxDictionary = 1024
)

// Embedded returns the families of the fonts in the PDF file of size bytes in r, sorted and
// without duplicates, as PostScript names them: without spaces, for example
// "LiberationSans". It looks for the names of fonts in the first 256 MiB of a file as
// LibreOffice writes it, in object streams too, and not for the objects that hold them, so
// that a damaged file yields what is left of it. There are at most 200 names. The error is
// one of r.
func Embedded(r io.ReaderAt, size int64) ([]string, error) {
	source := &watched{r: r}
	found := &names{byKey: map[string]string{}}
	s := pdfScanner{source: source, size: min(size, maxPDF), found: found, left: maxObjects}
	s.scan(io.NewSectionReader(source, 0, s.size), true)
	if source.err != nil {
		return nil, fmt.Errorf("read the PDF: %w", source.err)
	}
	return found.sorted(), nil
}

// pdfScanner looks for names of fonts in a PDF file.
type pdfScanner struct {
	source io.ReaderAt
	size   int64
	found  *names
	// left is how many bytes of object streams may still be unpacked, and streams how many
	// were begun.
	left    int64
	streams int
}

// scan reads the file, or an object stream of it, from beginning to end.
func (s *pdfScanner) scan(r io.Reader, file bool) {
	b := bufio.NewReaderSize(r, 64<<10)
	var at int64
	for {
		skipped, err := b.ReadSlice('/')
		at += int64(len(skipped))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return
		}
		const length = len("FontName")
		peeked, _ := b.Peek(length)
		switch word := string(peeked); {
		case word == "BaseFont" || word == "FontName":
			after, _ := b.Peek(2*length + maxPDFName)
			s.add(after[length:], word == "FontName")
		case file && strings.HasPrefix(word, "ObjStm"):
			s.objects(b, at)
		}
	}
}

// add adds the name that follows a key. The standard fonts of PDF need no file and have no
// descriptor. Others have one, and a tag before the name if only their used characters are
// embedded.
func (s *pdfScanner) add(after []byte, descriptor bool) {
	after = bytes.TrimLeft(after, " \t\r\n\x00\f")
	if len(after) == 0 || after[0] != '/' {
		return
	}
	name := after[1:]
	end := bytes.IndexAny(name, " \t\r\n\x00\f/<>[](){}%")
	if end < 0 || end > maxPDFName {
		return
	}
	text := decodeEscapes(name[:end])
	family, tagged := withoutTag(text)
	if tagged || descriptor {
		s.found.add(withoutStyle(family))
	}
}

// objects scans the object stream whose dictionary names its type before the offset.
func (s *pdfScanner) objects(b *bufio.Reader, at int64) {
	const begin = "stream"
	dictionary, _ := b.Peek(maxDictionary)
	i := bytes.Index(dictionary, []byte(begin))
	if i < 0 || s.left <= 0 || !bytes.Contains(dictionary[:i], []byte(">>")) {
		return
	}
	start := i + len(begin)
	start += len(dictionary[start:]) - len(bytes.TrimLeft(dictionary[start:], "\r\n"))
	if s.streams++; s.streams > maxStreams {
		return
	}
	z, err := zlib.NewReader(io.NewSectionReader(s.source, at+int64(start), s.size-at-int64(start)))
	if err != nil {
		return // another filter
	}
	limited := &io.LimitedReader{R: z, N: s.left}
	s.scan(limited, false)
	s.left = limited.N
}

// decodeEscapes replaces "#20" and the like by the characters that they stand for.
func decodeEscapes(name []byte) string {
	var text strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '#' && i+2 < len(name) {
			if c, err := hex.DecodeString(string(name[i+1 : i+3])); err == nil {
				text.WriteByte(c[0])
				i += 2
				continue
			}
		}
		text.WriteByte(name[i])
	}
	return text.String()
}

// withoutTag removes a tag such as "BAAAAA+", which marks the subset of a font.
func withoutTag(name string) (string, bool) {
	const length = 6
	if len(name) <= length || name[length] != '+' {
		return name, false
	}
	for _, c := range name[:length] {
		if c < 'A' || c > 'Z' {
			return name, false
		}
	}
	return name[length+1:], true
}

// withoutStyle removes the style from a PostScript name such as "LiberationSans-Bold".
func withoutStyle(name string) string {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return name[:at]
	}
	return name
}
