package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// builder writes PDF files object by object. The first objects are the catalog, the page
// tree and the font.
type builder struct {
	objects []string
	kids    []int
	catalog string // entries besides Type and Pages
	pages   string // entries of the page tree's root besides Type, Kids and Count
	info    string
	trailer string // entries besides Size, Root and Info
}

const (
	catalogObject = 1 + iota
	pagesObject
	fontObject
	infoObject
)

// newBuilder returns a builder of a file without pages, with the font F1.
func newBuilder() *builder {
	b := &builder{objects: make([]string, infoObject)}
	b.objects[fontObject-1] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	return b
}

// add adds an object and returns its number.
func (b *builder) add(format string, args ...any) int {
	b.objects = append(b.objects, fmt.Sprintf(format, args...))
	return len(b.objects)
}

// stream adds a stream.
func (b *builder) stream(entries, content string) int {
	return b.add("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

// page adds a page with the content and additional dictionary entries.
func (b *builder) page(content, entries string) {
	c := b.stream("", content)
	b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>%s>>", pagesObject, c, fontObject, entries))
}

// lines returns content that shows lines of text, 12 points high, from the top left
// corner x, y on.
func lines(x, y int, text ...string) string {
	var b strings.Builder
	for i, line := range text {
		line = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)
		fmt.Fprintf(&b, "BT /F1 12 Tf %d %d Td (%s) Tj ET\n", x, y-14*i, line)
	}
	return b.String()
}

// bytes returns the file.
func (b *builder) bytes() []byte {
	kids := make([]string, len(b.kids))
	for i, k := range b.kids {
		kids[i] = fmt.Sprintf("%d 0 R", k)
	}
	b.objects[catalogObject-1] = fmt.Sprintf("<</Type/Catalog/Pages %d 0 R%s>>", pagesObject, b.catalog)
	if b.objects[pagesObject-1] == "" {
		b.objects[pagesObject-1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 612 792]%s>>", strings.Join(kids, " "), len(kids), b.pages)
	}
	b.objects[infoObject-1] = "<<" + b.info + ">>"
	return pdfforms.Assemble(fmt.Sprintf("/Root %d 0 R/Info %d 0 R%s", catalogObject, infoObject, b.trailer), b.objects...)
}

// deflated compresses content that is repeated the given number of times.
func deflated(content string, repeated int) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	for range repeated {
		io.WriteString(w, content)
	}
	w.Close()
	return out.String()
}

// ref is a reference to an object.
func ref(number int) string { return fmt.Sprintf("%d 0 R", number) }
