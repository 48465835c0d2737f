// Package htmltext converts files fetched from the web to plain text: HTML pages, and text in
// any encoding. It decides which text of a page counts, and how that is laid out in lines.
//
// A page is read as a sequence of tags, never as a tree. A parser that repairs pages as
// browsers do can turn a few bytes into a tree larger than any memory. The only loss is
// that misplaced text is not moved to where browsers would show it.
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
	// maxBytes is the maximum size of a page, in bytes.
	maxBytes = 64 << 20
	// maxPiece is the maximum size of a tag, and of a text without tags, in bytes: the
	// tokenizer holds each in memory, and attributes take many times their size. It leaves
	// room for an image embedded in a tag.
	maxPiece = 4 << 20
)

// The errors for pages that exceed a limit.
var (
	ErrTooLarge = fmt.Errorf("the page exceeds %d bytes", maxBytes)
	ErrTooDeep  = fmt.Errorf("the elements of the page are nested more than %d levels deep", maxDepth)
	ErrTooLong  = fmt.Errorf("a tag or a text without tags exceeds %d bytes, or a tag has more than %d attributes", maxPiece, maxAttributes)
)

// Text returns the text of r in UTF-8, with "\n" as the only line end. contentType is the
// Content-Type header, or "".
//
// The text of an HTML page begins with its title, unless the page itself begins with it.
// Blocks are lines, paragraphs are separated by an empty line, table rows are lines whose
// cells are separated by tabs, and list items begin with their number or "•". Elements that
// browsers do not show are left out.
//
// The error is ErrTooLarge, ErrTooDeep, ErrTooLong, an error of decoding, or that of r.
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

// kind is the format of a page.
type kind int

const (
	plain kind = iota
	html5
	xhtml
)

// kindOf returns the kind of a page by its content type, or by its beginning if the server
// does not name a type.
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

// decode returns content in UTF-8. It takes the encoding from the byte order mark, the
// content type or the first tags. Without any of these, it assumes UTF-8 if the content is
// valid UTF-8, and Windows-1252 otherwise.
func decode(content []byte, contentType string) (string, error) {
	from, name, certain := charset.DetermineEncoding(content, contentType)
	if !certain && kindOf(content, contentType) == plain { // plain text has no tags
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
