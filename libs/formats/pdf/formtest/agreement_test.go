package formtest

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// script is a value in a script that every installation has fonts for.
type script struct{ name, text string }

var scripts = []script{
	{"Latin", "Zoë Ångström, Łódź"},
	{"Greek", "Καλημέρα κόσμε"},
	{"Cyrillic", "Съешь ещё булок"},
	{"Arabic", "مرحبا بالعالم"},
	{"Hebrew", "שלום עולם"},
	{"Devanagari", "नमस्ते दुनिया"},
	{"Thai", "สวัสดีชาวโลก"},
	{"Chinese", "合同编号与日期"},
	{"Japanese", "こんにちは世界"},
	{"Korean", "안녕하세요 세계"},
	{"Latin and Hebrew", "Mr. שלום of Tel Aviv"},
}

// width is that of pictures, in pixels.
const width = 1200

// TestScripts fills a field in each script. Every program reads and draws all of them.
func TestScripts(t *testing.T) {
	r := newReader(t, 1<<30)
	filled := fillScripts(r, false)
	after := r.read(filled)
	for i, s := range scripts {
		if got := after.Fields[i]; got.Value != s.text || !got.ReadOnly {
			t.Errorf("%s: PDFium reads the value %q, read-only: %v", s.name, got.Value, got.ReadOnly)
		}
	}
}

// TestFlattened checks that text stays on the page when the form is flattened.
func TestFlattened(t *testing.T) {
	r := newReader(t, 1<<30)
	if after := r.read(fillScripts(r, true)); len(after.Fields) != 0 {
		t.Errorf("%d widgets are left", len(after.Fields))
	}
}

// fillScripts fills a field of a form in each script, and checks the text and its ink.
func fillScripts(r reader, flatten bool) []byte {
	r.t.Helper()
	empty := pdfforms.Form(20)
	f := r.read(empty)
	var values []form.Value
	var boxes []layout.Box
	for i, s := range scripts {
		values = append(values, text(f.Fields[i:i+1], s.text))
		boxes = append(boxes, f.Fields[i].Box)
	}
	o := order(values...)
	o.Flatten = flatten
	filled, _ := r.fill(empty, o)
	pdfforms.Check(r.t, filled)
	readable(r, filled, scripts...)
	agree(r.t, pictures(r, filled, 1, width), boxes...)
	return filled
}

// TestStructures fills a text field in each structure that files have, or writes onto the
// page if there is no form.
func TestStructures(t *testing.T) {
	r := newReader(t, 1<<30)
	all := append(pdfforms.All(),
		pdfforms.Named{Name: "encrypted", File: pdfforms.Encrypt(t, pdfforms.Form(2), "", "owner"), Text: "field_1"},
		pdfforms.Named{Name: "encrypted by RC4", File: pdfforms.EncryptWeakly(t, pdfforms.Form(2), "", "owner"), Text: "field_1"})
	for i, n := range all {
		t.Run(n.Name, func(t *testing.T) { structure(r.with(t), n, scripts[i%len(scripts)]) })
	}
}

// structure fills a file with a text and checks the result.
func structure(r reader, n pdfforms.Named, value script) {
	box := layout.Box{Left: 0.2, Top: 0.7, Right: 0.6, Bottom: 0.73}
	v := form.Value{Text: value.text, Stamps: []form.Stamp{{Page: 1, Box: box}}}
	if n.Text != "" {
		widgets := r.field(r.read(n.File), n.Text)
		v, box = text(widgets, value.text), widgets[0].Box
	}
	filled, _ := r.fill(n.File, order(v))
	pdfforms.Check(r.t, filled)
	if n.Text != "" {
		for _, w := range r.field(r.read(filled), n.Text) {
			if w.Value != value.text {
				r.t.Errorf("on page %d PDFium reads %q, want %q", w.Page, w.Value, value.text)
			}
		}
	}
	readable(r, filled, value)
	agree(r.t, pictures(r, filled, 1, width), box)
}
