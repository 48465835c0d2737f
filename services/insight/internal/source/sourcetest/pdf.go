package sourcetest

import (
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// The numbers of the first objects of a PDF.
const (
	catalog = 1 + iota
	pageTree
	font
	info
	firstFree
)

// PDF describes a PDF to write: letter pages with lines in Helvetica, and a form.
type PDF struct {
	// Title is the title property, "" for none, and HBREF the property of that name.
	Title, HBREF string
	// Pages are the lines of each page, from the top.
	Pages [][]string
	// Widgets are the widgets of the form, on the first page.
	Widgets []Widget
	// Encrypted claims that a password is needed.
	Encrypted bool
}

// Widget is one widget of a form field.
type Widget struct {
	// Name is the name of the field, and Entries its other entries: "/FT/Tx/V(Ann)".
	Name, Entries string
	// Line is the line that the widget is on, from 0, in the right half of the page.
	Line int
}

// Bytes returns the file. It is the same for the same PDF.
func (p PDF) Bytes() []byte {
	objects := make([]string, firstFree-1)
	add := func(format string, args ...any) int {
		objects = append(objects, fmt.Sprintf(format, args...))
		return len(objects)
	}
	var widgets, kids []string
	for _, w := range p.Widgets {
		bottom := lineOf(w.Line)
		widgets = append(widgets, fmt.Sprintf("%d 0 R", add("<</Type/Annot/Subtype/Widget/T(%s)/Rect[300 %d 400 %d]/F 4%s>>", w.Name, bottom-4, bottom+12, w.Entries)))
	}
	for i, lines := range p.Pages {
		var content strings.Builder
		for n, line := range lines {
			fmt.Fprintf(&content, "BT /F1 12 Tf 72 %d Td (%s) Tj ET\n", lineOf(n), strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line))
		}
		stream := add("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.String())
		form := ""
		if i == 0 {
			form = "/Annots[" + strings.Join(widgets, " ") + "]"
		}
		kids = append(kids, fmt.Sprintf("%d 0 R", add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>%s>>", pageTree, stream, font, form)))
	}
	objects[catalog-1] = fmt.Sprintf("<</Type/Catalog/Pages %d 0 R/AcroForm<</Fields[%s]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 %d 0 R>>>>/NeedAppearances true>>>>", pageTree, strings.Join(widgets, " "), font)
	objects[pageTree-1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 612 792]>>", strings.Join(kids, " "), len(kids))
	objects[font-1] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	objects[info-1] = fmt.Sprintf("<</Title(%s)/HBREF(%s)/CreationDate(D:20240229120000Z)>>", p.Title, p.HBREF)
	return p.file(objects)
}

// lineOf returns the height of line n above the bottom of the page, in points.
func lineOf(n int) int { return 700 - 20*n }

// file returns the PDF file with the objects.
func (p PDF) file(objects []string) []byte {
	secret := ""
	if p.Encrypted {
		key := strings.Repeat("5A", 32)
		secret = fmt.Sprintf("/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>/ID[<%s><%s>]", key, key, key, key)
	}
	return pdfforms.Assemble(fmt.Sprintf("/Root %d 0 R/Info %d 0 R%s", catalog, info, secret), objects...)
}
