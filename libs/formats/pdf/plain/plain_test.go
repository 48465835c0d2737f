package plain_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/plain"
)

// makeFile returns a PDF with these objects and more entries in its trailer. The first object
// is the catalog.
func makeFile(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, trailer, start)
	return b.Bytes()
}

func pagesOf(file []byte) ([]pdf.PageSize, error) {
	return plain.Pages(bytes.NewReader(file), int64(len(file)))
}

func TestPages(t *testing.T) {
	const catalog, node = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages\n/Resources 9 0 R\n/Kids[ 3 0 R 4 0 R ]\n/Count 2>>"
	const first, second = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.304 841.89]/Contents 9 0 R>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 10 792 622]>>"
	sizes, err := pagesOf(makeFile("", catalog, node, first, second))
	if err != nil || len(sizes) != 2 || sizes[0] != (pdf.PageSize{Width: 595.304, Height: 841.89}) || sizes[1] != (pdf.PageSize{Width: 792, Height: 612}) {
		t.Errorf("got %+v, %v", sizes, err)
	}
	whole := makeFile("", catalog, node, first, second)
	for name, file := range map[string][]byte{
		"nothing":                nil,
		"a truncated file":       whole[:len(whole)-20],
		"an update":              makeFile("/Prev 9", catalog, node, first, second),
		"a stream of references": makeFile("/XRefStm 9", catalog, node, first, second),
		"no pages":               makeFile("", catalog, "<</Type/Pages/Kids[ ]/Count 0>>"),
		"another count":          makeFile("", catalog, strings.Replace(node, "Count 2", "Count 3", 1), first, second),
		"a tree of nodes":        makeFile("", catalog, node, first, "<</Type/Pages/MediaBox[0 0 9 9]/Kids[ 3 0 R ]/Count 1>>"),
		"an inherited size":      makeFile("", catalog, node, first, "<</Type/Page/Parent 2 0 R>>"),
		"a rotated page":         makeFile("", catalog, node, first, strings.Replace(second, "/MediaBox", "/Rotate 90/MediaBox", 1)),
		"a cropped page":         makeFile("", catalog, node, first, strings.Replace(second, "/MediaBox", "/CropBox[0 0 9 9]/MediaBox", 1)),
		"a page without size":    makeFile("", catalog, node, first, strings.Replace(second, "792", "0", 1)),
		"no such page":           makeFile("", catalog, node, first),
		"no such catalog":        bytes.Replace(whole, []byte("/Root 1"), []byte("/Root 7"), 1),
	} {
		if sizes, err := pagesOf(file); err == nil {
			t.Errorf("%s: got %+v", name, sizes)
		}
	}
	if _, err := plain.Pages(unreadable{}, 2000); err == nil {
		t.Error("no error if nothing can be read")
	}
}

type unreadable struct{}

func (unreadable) ReadAt([]byte, int64) (int, error) { return 0, errors.New("broken") }

func FuzzPages(f *testing.F) {
	f.Add(makeFile("", "<</Pages 2 0 R>>", "<</Kids[ 3 0 R ]/Count 1>>", "<</Type/Page/MediaBox[0 0 9 9]>>"))
	f.Fuzz(func(t *testing.T, file []byte) {
		sizes, err := pagesOf(file)
		if (err == nil) != (len(sizes) > 0) {
			t.Errorf("got %+v, %v", sizes, err)
		}
	})
}
