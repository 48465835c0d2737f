// Package fonts finds the fonts that a document asks for, and those that stand in for
// missing ones in the PDF that was made of it. It reads the documents, the configuration of
// fontconfig and the font files itself, because the images of the service contain no
// programs of fontconfig.
package fonts

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// Bounds of what Named reads and returns. What exceeds them is left out.
const (
	// maxUnpacked is the maximum number of bytes that are read of a document, after
	// decompression.
	maxUnpacked = 64 << 20
	// maxNames is the maximum number of names.
	maxNames = 200
	// maxName is the maximum length of a name, in characters.
	maxName = 100
)

// Named returns the names of the fonts that the document of type t in the size bytes of r
// asks for, sorted and without duplicates. Fonts of styles that the document does not use
// are included; generic names such as "sans-serif" are not. There are at most 200 names of
// at most 100 printable characters each. Types without names of fonts, such as PNG, and
// binary Office files yield none.
//
// Damaged parts of a document are skipped, and only the first 64 MiB after decompression
// are read. The error is one of r.
func Named(r io.ReaderAt, size int64, t filetype.Type) ([]string, error) {
	source := &watched{r: r}
	found := &names{byKey: map[string]string{}}
	switch t {
	case filetype.DOCX, filetype.DOCM, filetype.DOTX, filetype.DOTM, filetype.PPTX, filetype.XLSX:
		scanOOXML(source, size, t, found)
	case filetype.ODT, filetype.ODS, filetype.ODP, filetype.ODG:
		scanODF(source, size, found)
	case filetype.RTF:
		scanRTF(io.NewSectionReader(source, 0, min(size, maxUnpacked)), found)
	case filetype.HTML, filetype.SVG:
		scanHTML(io.NewSectionReader(source, 0, min(size, maxUnpacked)), found)
	}
	if source.err != nil {
		return nil, fmt.Errorf("read the document: %w", source.err)
	}
	return found.sorted(), nil
}

// watched remembers the error of a reader, because the parsers cannot distinguish it from
// damage to the document.
type watched struct {
	r   io.ReaderAt
	err error
}

func (w *watched) ReadAt(b []byte, offset int64) (int, error) {
	n, err := w.r.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) && w.err == nil {
		w.err = err
	}
	return n, err
}

// names collects names of fonts. Names that differ only in letter case and spaces are the
// same.
type names struct {
	byKey map[string]string
}

// add adds a name as a document writes it, if it is the name of a font.
func (n *names) add(written string) {
	name, ok := clean(written)
	if !ok || len(n.byKey) == maxNames {
		return
	}
	if _, known := n.byKey[key(name)]; !known {
		n.byKey[key(name)] = name
	}
}

func (n *names) sorted() []string {
	all := make([]string, 0, len(n.byKey))
	for _, name := range n.byKey {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return all
}

// generic names stand for no font, but for whatever a program prefers.
var generic = map[string]bool{
	"serif": true, "sans": true, "sansserif": true, "sans-serif": true, "mono": true, "monospace": true, "monospaced": true,
	"cursive": true, "fantasy": true, "math": true, "emoji": true, "fangsong": true,
	"system-ui": true, "-apple-system": true, "blinkmacsystemfont": true, "ui-serif": true, "ui-sans-serif": true, "ui-monospace": true, "ui-rounded": true,
	"inherit": true, "initial": true, "unset": true, "revert": true, "revert-layer": true, "default": true, "none": true,
}

// clean returns the name of a font without the signs around it. An "@" marks a font for
// vertical text, and ";" separates alternatives.
func clean(written string) (string, bool) {
	if len(written) > 8*maxName || !utf8.ValidString(written) {
		return "", false
	}
	name, _, _ := strings.Cut(written, ";")
	name = strings.TrimLeft(strings.Trim(name, " \t\r\n'\""), "@ ")
	if name == "" || name[0] == '+' || utf8.RuneCountInString(name) > maxName || generic[key(name)] {
		return "", false
	}
	return name, strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// key returns what is equal for two spellings of a name. Fontconfig ignores letter case and
// spaces, too.
func key(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, " ", ""))
}
