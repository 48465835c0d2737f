package pdfforms

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// file is a PDF file that is being written. The first objects are the catalog, the root of
// the page tree, the AcroForm dictionary, and the fonts Helv and ZaDb.
type file struct {
	objects []string // without "obj" and "endobj"; "" until it is known
	pages   []*page
	fields  []int // the roots of the fields
	// Further entries of dictionaries. form is "none" in a file without AcroForm.
	catalog, tree, form, trailer string
}

// The numbers of the first objects.
const (
	catalogObject = 1 + iota
	treeObject
	formObject
	helvObject
	zadbObject
)

// noForm is the value of file.form in a file without AcroForm.
const noForm = "none"

// newFile returns a file without pages, whose text has 12 points unless a field says
// otherwise.
func newFile() *file {
	f := &file{objects: make([]string, zadbObject), form: "/DA(/Helv 12 Tf 0 g)"}
	f.objects[helvObject-1] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	f.objects[zadbObject-1] = "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"
	return f
}

// add adds an object and returns its number.
func (f *file) add(format string, args ...any) int {
	f.objects = append(f.objects, fmt.Sprintf(format, args...))
	return len(f.objects)
}

// reserve returns the number of an object that is set later.
func (f *file) reserve() int { return f.add("") }

// stream adds a stream with further entries of its dictionary.
func (f *file) stream(entries, content string) int {
	return f.add("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

// page is a page that is being written.
type page struct {
	number  int             // of its object
	content strings.Builder // without the fields
	annots  []int
	entries string // further entries
}

// page adds a page with further entries.
func (f *file) page(entries string) *page {
	p := &page{number: f.reserve(), entries: entries}
	f.pages = append(f.pages, p)
	return p
}

// text draws text in the given size at x, y.
func (p *page) text(size, x, y float64, text string) {
	fmt.Fprintf(&p.content, "BT /Helv %g Tf 1 0 0 1 %g %g Tm %s Tj ET\n", size, x, y, literal(text))
}

// finish writes the objects that list others.
func (f *file) finish() {
	kids := make([]int, len(f.pages))
	for i, p := range f.pages {
		kids[i] = p.number
		content := f.stream("", p.content.String())
		entries := p.entries
		if len(p.annots) > 0 {
			entries += "/Annots" + refs(p.annots)
		}
		f.objects[p.number-1] = fmt.Sprintf("<</Type/Page/Parent %d 0 R/Contents %d 0 R%s>>", treeObject, content, entries)
	}
	f.objects[treeObject-1] = fmt.Sprintf("<</Type/Pages/Count %d/MediaBox[0 0 612 792]/Resources<</Font<</Helv %d 0 R>>>>%s/Kids%s>>",
		len(kids), helvObject, f.tree, refs(kids))
	form := ""
	f.objects[formObject-1] = "null"
	if f.form != noForm {
		form = fmt.Sprintf("/AcroForm %d 0 R", formObject)
		f.objects[formObject-1] = fmt.Sprintf("<</Fields%s/DR<</Font<</Helv %d 0 R/ZaDb %d 0 R>>>>%s>>", refs(f.fields), helvObject, zadbObject, f.form)
	}
	f.objects[catalogObject-1] = fmt.Sprintf("<</Type/Catalog/Pages %d 0 R%s%s>>", treeObject, form, f.catalog)
}

// bytes returns the file with a cross-reference table.
func (f *file) bytes() []byte {
	f.finish()
	return Assemble(fmt.Sprintf("/Root %d 0 R%s%s", catalogObject, identifier, f.trailer), f.objects...)
}

// identifier is the entry ID of all files, which encryption needs.
const identifier = "/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]"

// compact returns the file with its objects in an object stream, and with a
// cross-reference stream.
func (f *file) compact() []byte {
	f.finish()
	var out, packed, index bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	container, table := len(f.objects)+1, len(f.objects)+2
	rows := [][3]int{{0, 0, 65535}} // of the cross-reference stream
	count := 0
	for i, o := range f.objects {
		if strings.HasSuffix(o, "endstream") {
			rows = append(rows, [3]int{1, out.Len(), 0})
			fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
			continue
		}
		rows = append(rows, [3]int{2, container, count})
		fmt.Fprintf(&index, "%d %d ", i+1, packed.Len())
		packed.WriteString(o + "\n")
		count++
	}
	rows = append(rows, [3]int{1, out.Len(), 0}, [3]int{1, 0, 0})
	content := deflate(append(index.Bytes(), packed.Bytes()...))
	fmt.Fprintf(&out, "%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n",
		container, count, index.Len(), len(content), content)
	rows[table][1] = out.Len()
	content = deflate(crossReferences(rows))
	fmt.Fprintf(&out, "%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root %d 0 R%s%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n",
		table, table+1, catalogObject, identifier, f.trailer, len(content), content, rows[table][1])
	return out.Bytes()
}

// crossReferences encodes rows in widths of 1, 4 and 2 bytes.
func crossReferences(rows [][3]int) (b []byte) {
	for _, r := range rows {
		b = append(b, byte(r[0]), byte(r[1]>>24), byte(r[1]>>16), byte(r[1]>>8), byte(r[1]), byte(r[2]>>8), byte(r[2]))
	}
	return b
}

// deflate compresses bytes.
func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(b) // a bytes.Buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// refs returns an array of references.
func refs(numbers []int) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, n := range numbers {
		fmt.Fprintf(&b, "%d 0 R ", n)
	}
	b.WriteByte(']')
	return b.String()
}

// literal returns a PDF string of ASCII text.
func literal(s string) string {
	return "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s) + ")"
}
