package pdfforms

import (
	"fmt"
	"strings"
)

// Flags of fields (/Ff).
const (
	readOnly       = 1 << 0
	required       = 1 << 1
	multiline      = 1 << 12
	password       = 1 << 13
	noToggleToOff  = 1 << 14
	radio          = 1 << 15
	pushButton     = 1 << 16
	combo          = 1 << 17
	editable       = 1 << 18
	multiSelect    = 1 << 21
	comb           = 1 << 24
	radiosInUnison = 1 << 25
)

// rect is a rectangle on a page: its lower left corner, width and height, in units of the
// page.
type rect struct{ x, y, w, h float64 }

// String returns the rectangle as a PDF array.
func (r rect) String() string {
	return fmt.Sprintf("[%g %g %g %g]", r.x, r.y, r.x+r.w, r.y+r.h)
}

// widget adds a widget annotation to the page and returns its number. If entries hold the
// entries of a field, it is both.
func (f *file) widget(p *page, r rect, entries string) int {
	n := f.add("<</Type/Annot/Subtype/Widget/F 4/P %d 0 R/Rect%v%s>>", p.number, r, entries)
	p.annots = append(p.annots, n)
	return n
}

// field adds a field with one widget on the page.
func (f *file) field(p *page, r rect, name, entries string) {
	f.fields = append(f.fields, f.widget(p, r, "/T"+literal(name)+entries))
}

// parent adds a field whose kids have been written to refer to it by the given number, which
// was reserved.
func (f *file) parent(number int, name, entries string, kids ...int) {
	f.objects[number-1] = fmt.Sprintf("<</T%s%s/Kids%s>>", literal(name), entries, refs(kids))
	f.fields = append(f.fields, number)
}

// mark returns the appearance (/AP) of a checkbox or radio button with the name of its
// on-state: a box with a cross, which needs no font, and without it.
func (f *file) mark(r rect, state string) string {
	entries := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 %g %g]", r.w, r.h)
	box := fmt.Sprintf("0.5 0.5 %g %g re S", r.w-1, r.h-1)
	on := f.stream(entries, fmt.Sprintf("%s 2 w 3 3 m %g %g l 3 %[3]g m %[2]g 3 l S", box, r.w-3, r.h-3))
	off := f.stream(entries, box)
	return fmt.Sprintf("/AP<</N<</%s %d 0 R/Off %d 0 R>>>>", state, on, off)
}

// shown returns the appearance of a text.
func (f *file) shown(r rect, text string) string {
	n := f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 %g %g]/Resources<</Font<</Helv %d 0 R>>>>", r.w, r.h, helvObject),
		fmt.Sprintf("/Tx BMC q BT /Helv 12 Tf 0 g 2 %g Td %s Tj ET Q EMC", r.h/2-4, literal(text)))
	return fmt.Sprintf("/AP<</N %d 0 R>>", n)
}

// script returns a JavaScript action.
func script(code string) string { return "<</S/JavaScript/JS" + literal(code) + ">>" }

// formats returns the scripts of a field (/AA) for keystrokes and for formatting, by the
// names that Acrobat gives them, such as AFDate and `"mm/dd/yyyy"`.
func formats(family, arguments string) string {
	keystroke, format := family+"_Keystroke", family+"_Format"
	if family == "AFDate" {
		keystroke, format = family+"_KeystrokeEx", family+"_FormatEx"
	}
	return "/AA<</K" + script(keystroke+"("+arguments+")") + "/F" + script(format+"("+arguments+")") + ">>"
}

// options returns the options (/Opt) of a choice. An option is a display text, or an
// export value and a display text with "=" between them.
func options(list ...string) string {
	var b strings.Builder
	b.WriteString("/Opt[")
	for _, o := range list {
		if export, display, pair := strings.Cut(o, "="); pair {
			b.WriteString("[" + literal(export) + literal(display) + "]")
		} else {
			b.WriteString(literal(o))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// grid places labeled fields on a page, in rows from the top, in two columns.
type grid struct {
	p       *page
	next    int
	columns int
	height  float64 // of a row
}

// place returns the rectangle of the next field, to the right of its label.
func (g *grid) place(label string, width float64) rect {
	x := 36 + float64(g.next%g.columns)*(540/float64(g.columns))
	y := 740 - float64(g.next/g.columns)*g.height
	g.next++
	g.p.text(9, x, y+6, label)
	return rect{x + 100, y, width, g.height - 8}
}
