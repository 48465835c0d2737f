// Package htmltext reads what was fetched from the web as plain text: pages in HTML
// and text in any encoding. It owns what of a page is its text, and how that is
// laid out in lines.
//
// A page is read as a sequence of tags and never as a tree. A parser that mends
// pages, as browsers do, makes trees from a few bytes that are larger than any
// memory; what is lost is nothing but the place of text that is in a wrong place.
package htmltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

const (
	// maxBytes is how much is read of one page.
	maxBytes = 64 << 20
	// maxPiece is how many bytes a tag may have, and a text without tags: the
	// tokenizer holds it as a whole, and takes many times its size for attributes. A
	// picture may be in a tag.
	maxPiece = 4 << 20
)

// Why a page cannot be read.
var (
	ErrTooLarge = fmt.Errorf("the page has more than %d bytes", maxBytes)
	ErrTooDeep  = fmt.Errorf("the elements of the page are nested more than %d deep", maxDepth)
	ErrTooLong  = fmt.Errorf("the page has a tag or a text without tags of more than %d bytes, or a tag with more than %d attributes", maxPiece, maxAttributes)
)

// Text returns the text of r in UTF-8, with lines that end in "\n" alone.
// contentType is the Content-Type that it was sent with, or "".
//
// Of HTML the title is the first line, unless the page repeats it there. Blocks are
// lines, between paragraphs is an empty one, rows of tables are lines of which tabs
// separate the cells, and items of lists begin with their number or "•". What
// browsers do not show is left out.
//
// The error is ErrTooLarge, ErrTooDeep, ErrTooLong or that of r.
func Text(r io.Reader, contentType string) (string, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return "", fmt.Errorf("read a page: %w", err)
	}
	if len(content) > maxBytes {
		return "", ErrTooLarge
	}
	kind := kindOf(content, contentType)
	text, err := decode(content, contentType)
	if err != nil {
		return "", fmt.Errorf("decode a page: %w", err)
	}
	if kind == plain {
		return lineEnds.Replace(strings.ReplaceAll(text, "\x00", "")), nil
	}
	return readHTML(text, kind == xhtml)
}

// kind is how the content of a page is written.
type kind int

const (
	plain kind = iota
	html5
	xhtml
)

// kindOf tells the kind of a page by its type, and by its beginning if the server
// does not know it.
func kindOf(content []byte, contentType string) kind {
	name, _, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || name == "application/octet-stream" {
		name, _, _ = mime.ParseMediaType(http.DetectContentType(content))
	}
	switch name {
	case "text/html":
		return html5
	case "application/xhtml+xml":
		return xhtml
	}
	return plain
}

// decode returns content in UTF-8. Its encoding is that of its byte order mark, of
// its type, or of its first tags. What is or says nothing else is UTF-8 if it could
// be, and Windows-1252 otherwise.
func decode(content []byte, contentType string) (string, error) {
	from, name, certain := charset.DetermineEncoding(content, contentType)
	if !certain && kindOf(content, contentType) == plain { // it has no tags
		from, name = charmap.Windows1252, "windows-1252"
	}
	if !certain && name == "windows-1252" && utf8.Valid(content) {
		return string(content), nil
	}
	text, err := from.NewDecoder().Bytes(content)
	if err != nil {
		return "", err
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}
