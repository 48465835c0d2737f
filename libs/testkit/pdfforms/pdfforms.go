// Package pdfforms makes PDF files for tests: forms with fields of every kind, in every
// structure that readers meet, and pages without a form. The same call makes the same bytes,
// except where a file is signed or encrypted. Programs do that: pdfsig, openssl and qpdf.
//
// Names of fields are those that a test fills; labels are drawn next to them.
package pdfforms

import (
	"fmt"
	"strings"
)

// Named is a file with a name for messages of tests.
type Named struct {
	Name string
	File []byte
	// Text is the fully qualified name of a text field that takes a line of any text. It
	// is "" if no field has a name.
	Text string
}

// All returns the files of this package that can be filled, except Long, Annotated, the
// signed, and the encrypted ones.
func All() []Named {
	all := []Named{
		{"form of 20 fields", Form(20), "field_1"},
		{"form in object streams", FormInStreams(20), "field_1"},
		{"form with a revision", Revised(), "field_1"},
		{"every kind", EveryKind(), "text_left"},
		{"every kind in object streams", EveryKindInStreams(), "text_left"},
		{"inherited attributes", Inherited(), "party.address.city"},
		{"shared names", Shared(), "name"},
		{"fields that the form lacks", Orphans(), "orphan"},
		{"no appearances", WithoutAppearances(), "field_1"},
		{"no AcroForm", WithoutAcroForm(), "field_1"},
		{"no names", Nameless(), ""},
		{"hybrid XFA", HybridXFA(), "field_1"},
		{"UserUnit", Scaled(2), "upright"},
		{"blanks without a form", Blanks(), ""},
		{"scan", Scan(), ""},
		{"scan with a form", ScannedForm(), "field_1"},
	}
	for _, degrees := range []int{0, 90, 180, 270} {
		all = append(all, Named{fmt.Sprintf("rotated by %d", degrees), Rotated(degrees), "upright"})
	}
	return all
}

// Form returns a form of n text fields named field_1 to field_n, 40 on a page.
func Form(n int) []byte { return form(n).bytes() }

// FormInStreams returns the same as Form, with objects in an object stream and a
// cross-reference stream.
func FormInStreams(n int) []byte { return form(n).compact() }

// form returns a form of n text fields.
func form(n int) *file {
	f := newFile()
	var g grid
	for i := range n {
		if i%40 == 0 {
			g = grid{p: f.page(""), columns: 2, height: 34}
			g.p.text(16, 36, 768, "Application")
		}
		r := g.place(fmt.Sprintf("Field %d", i+1), 150)
		f.field(g.p, r, fmt.Sprintf("field_%d", i+1), "/FT/Tx"+f.shown(r, ""))
	}
	return f
}

// Revised returns a form of two fields with an incremental update, in which field_2 has got
// the value "revised".
func Revised() []byte {
	f := form(2)
	b := f.bytes()
	n := f.fields[1]
	object := strings.Replace(f.objects[n-1], "/FT/Tx", "/FT/Tx/V(revised)", 1)
	start := strings.LastIndex(string(b), "\nxref\n") + 1
	offset := len(b)
	update := fmt.Sprintf("%d 0 obj\n%s\nendobj\n", n, object)
	table := offset + len(update)
	update += fmt.Sprintf("xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size %d/Root %d 0 R%s/Prev %d>>\nstartxref\n%d\n%%%%EOF\n",
		n, offset, len(f.objects)+1, catalogObject, identifier, start, table)
	return append(b, update...)
}

// WithoutAppearances returns a form of 20 fields without appearance streams, which asks
// readers to make them (/NeedAppearances). field_20 has the value "Old value".
func WithoutAppearances() []byte {
	f := newFile()
	f.form += "/NeedAppearances true"
	g := grid{p: f.page(""), columns: 2, height: 34}
	for i := range 20 {
		entries := "/FT/Tx"
		if i == 19 {
			entries += "/V(Old value)"
		}
		f.field(g.p, g.place(fmt.Sprintf("Field %d", i+1), 150), fmt.Sprintf("field_%d", i+1), entries)
	}
	return f.bytes()
}

// WithoutAcroForm returns a file with two text widgets, field_1 and field_2, whose catalog
// has no AcroForm.
func WithoutAcroForm() []byte {
	f := form(2)
	f.form = noForm
	return f.bytes()
}

// Orphans returns a form whose AcroForm dictionary lists the text field "listed" but not the
// text field "orphan", whose widget is on the page.
func Orphans() []byte {
	f := newFile()
	g := grid{p: f.page(""), columns: 1, height: 34}
	f.field(g.p, g.place("Listed", 200), "listed", "/FT/Tx/DA(/Helv 12 Tf 0 g)")
	f.widget(g.p, g.place("Orphan", 200), "/T(orphan)/FT/Tx/DA(/Helv 12 Tf 0 g)")
	return f.bytes()
}

// Inherited returns a form with fields that inherit their attributes over up to two levels.
//   - party.name, party.address.city and party.address.zip inherit FT, Ff (required), Q
//     (right aligned), DA (9 points) and MaxLen (40) from party. The zip code has a MaxLen of
//     5, and its value "12345" from party.address.
//   - order.paint.color is a dropdown that inherits FT, Ff, Opt (Red, Green and Blue=B) and V
//     (Green) from order.
//   - terms.privacy.accepted is a checkbox that inherits FT and V (Off) from terms.
func Inherited() []byte {
	f := newFile()
	g := grid{p: f.page(""), columns: 1, height: 34}
	party, address := f.reserve(), f.reserve()
	name := f.widget(g.p, g.place("Name", 200), fmt.Sprintf("/T(name)/Parent %d 0 R", party))
	city := f.widget(g.p, g.place("City", 200), fmt.Sprintf("/T(city)/Parent %d 0 R/V()", address))
	code := f.reserve()
	zip := f.widget(g.p, g.place("Zip", 200), fmt.Sprintf("/Parent %d 0 R", code))
	f.objects[code-1] = fmt.Sprintf("<</T(zip)/Parent %d 0 R/MaxLen 5/Kids[%d 0 R]>>", address, zip)
	f.objects[address-1] = fmt.Sprintf("<</T(address)/Parent %d 0 R/V(12345)/Kids%s>>", party, refs([]int{city, code}))
	f.parent(party, "party", fmt.Sprintf("/FT/Tx/Ff %d/Q 2/MaxLen 40/DA(/Helv 9 Tf 0 0 1 rg)", required), name, address)
	r := g.place("Color", 200)
	f.under(g.p, r, "order", "paint", "color", fmt.Sprintf("/FT/Ch/Ff %d/V(Green)%s", combo, options("Red", "Green", "B=Blue")), f.shown(r, "Green"))
	r = g.place("Accepted", 14)
	f.under(g.p, r, "terms", "privacy", "accepted", "/FT/Btn/V/Off", "/AS/Off"+f.mark(r, "Yes"))
	return f.bytes()
}

// under adds the field root.middle.name with one widget. Only the root and the widget have
// further entries.
func (f *file) under(p *page, r rect, root, middle, name, entries, own string) {
	top, between := f.reserve(), f.reserve()
	widget := f.widget(p, r, fmt.Sprintf("/T%s/Parent %d 0 R%s", literal(name), between, own))
	f.objects[between-1] = fmt.Sprintf("<</T%s/Parent %d 0 R/Kids[%d 0 R]>>", literal(middle), top, widget)
	f.parent(top, root, entries, between)
}

// Nameless returns a form of fields without a name: an empty text field, one with the value
// "old", and a field of two radio buttons with the states small and large.
func Nameless() []byte {
	f := newFile()
	g := grid{p: f.page(""), columns: 1, height: 34}
	f.fields = append(f.fields, f.widget(g.p, g.place("First", 200), "/FT/Tx"))
	f.fields = append(f.fields, f.widget(g.p, g.place("Second", 200), "/FT/Tx/V(old)"))
	radios, r := f.reserve(), g.place("Size", 14)
	var kids []int
	for _, state := range []string{"small", "large"} {
		kids = append(kids, f.widget(g.p, r, fmt.Sprintf("/Parent %d 0 R/AS/Off%s", radios, f.mark(r, state))))
		r.x += 30
	}
	f.objects[radios-1] = fmt.Sprintf("<</FT/Btn/Ff %d/Kids%s>>", radio|noToggleToOff, refs(kids))
	f.fields = append(f.fields, radios)
	return f.bytes()
}

// Shared returns a form of three pages. The text field "name" has a widget on each. Two
// further fields of the root have the same name "twice", on pages 1 and 2.
func Shared() []byte {
	f := newFile()
	name := f.reserve()
	var kids []int
	for i := range 3 {
		g := grid{p: f.page(""), columns: 1, height: 34}
		kids = append(kids, f.widget(g.p, g.place("Name", 100+float64(i)*100), fmt.Sprintf("/Parent %d 0 R", name)))
		if i < 2 {
			f.field(g.p, g.place("Twice", 200), "twice", "/FT/Tx")
		}
	}
	f.parent(name, "name", "/FT/Tx", kids...)
	return f.bytes()
}

// Rotated returns a form on a page that is rotated clockwise by 0, 90, 180 or 270 degrees
// and cropped. The text of "upright" turns with its widget (/MK /R), so that it is upright
// when the page is displayed; that of "plain" is upright on the page before its rotation.
func Rotated(degrees int) []byte {
	return turned(fmt.Sprintf("/Rotate %d/CropBox[36 50 500 700]", degrees), degrees)
}

// Scaled returns a form on a page whose unit is that many points.
func Scaled(unit float64) []byte { return turned(fmt.Sprintf("/UserUnit %g", unit), 0) }

// turned returns a form on a page with further entries.
func turned(entries string, degrees int) []byte {
	f := newFile()
	p := f.page(entries)
	p.text(12, 60, 650, "A page that is rotated by its dictionary")
	upright := rect{100, 400, 180, 24}
	if degrees%180 != 0 {
		upright = rect{100, 400, 24, 180}
	}
	f.field(p, upright, "upright", fmt.Sprintf("/FT/Tx/MK<</R %d/BC[0 0 1]>>/BS<</W 1/S/S>>", degrees))
	f.field(p, rect{200, 200, 180, 24}, "plain", "/FT/Tx/MK<</BC[1 0 0]>>")
	box := rect{100, 200, 16, 16}
	f.field(p, box, "agree", "/FT/Btn/AS/Off/V/Off"+f.mark(box, "Yes"))
	return f.bytes()
}
