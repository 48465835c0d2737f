package formtest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// sample is a value for a field of pdfforms.EveryKind, and how programs read it.
type sample struct {
	text string
	// export and shown are the options of a choice.
	export, shown []string
	// button makes the widget of this index on, and picture shows picture 0.
	button  int
	picture bool
	// written is the value in the file, as qpdf gives it.
	written any
}

// texts are the values of text fields.
var texts = map[string]string{
	"text_left": "Left", "text_center": "Center", "text_right": "Right", "text_multiline": "One line\nand another one",
	"text_comb": "123456789", "text_auto": "Automatic", "text_password": "secret", "text_limited": "Ten", "text_value": "Renewed",
	"text_read_only": "Changed", "text_required": "Required", "border_solid": "Solid", "border_dashed": "Dashed",
	"border_beveled": "Beveled", "border_inset": "Inset", "border_underline": "Underlined",
	"rotated_90": "Up", "rotated_180": "Upside down", "rotated_270": "Down",
	"date_us": "02/29/2024", "date_de": "29.02.2024", "amount": "1234.50", "ssn": "123-45-6789", "phone": "(212) 555-0100",
	"zip": "10001", "total": "11235.50",
}

// samples returns a value for every field.
func samples() map[string]sample {
	all := map[string]sample{
		"drop_plain":    {text: "Blue", export: []string{"Blue"}, shown: []string{"Blue"}, written: "u:Blue"},
		"drop_pairs":    {text: "France", export: []string{"FR"}, shown: []string{"France"}, written: "u:FR"},
		"drop_editable": {text: "Violet", written: "u:Violet"},
		"list_single":   {text: "Three", export: []string{"Three"}, shown: []string{"Three"}, written: "u:Three"},
		"list_multiple": {export: []string{"2", "3"}, shown: []string{"Two", "Three"}, written: []any{"u:2", "u:3"}},
		"check_yes":     {button: 0, written: "/Yes"},
		"check_bare":    {button: 0, written: "/Yes"},
		"check_opt":     {button: 1, written: "/1"},
		"radio_size":    {button: 2, written: "/large"},
		"radio_bare":    {button: 1, written: "/2"},
		"radio_opt":     {button: 1, written: "/1"},
		"picture":       {picture: true},
		"reset":         {picture: true},
		"signature":     {picture: true},
	}
	for name, s := range texts {
		all[name] = sample{text: s, written: "u:" + s}
	}
	return all
}

// TestEveryKind fills every field of the form that has all kinds. All programs read the same
// values and draw the same.
func TestEveryKind(t *testing.T) {
	r := newReader(t, 1<<30)
	for name, file := range map[string][]byte{
		"table": pdfforms.EveryKind(), "streams": pdfforms.EveryKindInStreams(),
		"encrypted": pdfforms.Encrypt(t, pdfforms.EveryKind(), "", "owner"),
	} {
		t.Run(name, func(t *testing.T) { everyKind(r.with(t), file) })
	}
}

func everyKind(r reader, empty []byte) {
	o := pdf.Filling{Pictures: []fields.Picture{drawing(r.t, "image/png", 300, 80)}}
	all, f := samples(), r.read(empty)
	var boxes []layout.Box
	seen := map[string]bool{}
	for _, w := range f.Fields {
		s, ok := all[w.Name]
		if !ok {
			r.t.Errorf("there is no sample for the field %s", w.Name)
		}
		widgets := r.field(f, w.Name)
		if !seen[w.Name] {
			seen[w.Name] = true
			o.Values = append(o.Values, s.value(widgets))
			boxes = append(boxes, widgets[s.button].Box)
		}
	}
	if len(seen) != len(all) {
		r.t.Errorf("there are samples for %d fields of %d", len(all), len(seen))
	}
	filled, done := r.fill(empty, o)
	if !done.Calculations {
		r.t.Error("nothing tells that a script calculates the total")
	}
	pdfforms.Check(r.t, filled)
	checkKinds(r, r.read(filled), all)
	values := written(r.t, filled)
	for name, s := range all {
		if got, _ := json.Marshal(values[name]); s.written != nil && !bytes.Equal(got, marshal(r.t, s.written)) {
			r.t.Errorf("qpdf reads %s from %s, want %v", got, name, s.written)
		}
	}
	agree(r.t, pictures(r, filled, 1, width), boxes...)
	emptied(r, filled, all)
}

// emptied empties all fields of a filled form. No program finds any of the values.
func emptied(r reader, filled []byte, all map[string]sample) {
	r.t.Helper()
	f := r.read(filled)
	var nothing []form.Value
	for name := range all {
		nothing = append(nothing, text(r.field(f, name), ""))
	}
	empty, _ := r.fill(filled, order(nothing...))
	pdfforms.Check(r.t, empty)
	for _, w := range r.read(empty).Fields {
		if state := w.Type == pdf.Checkbox || w.Type == pdf.Radio; w.Checked || len(w.Selected) > 0 || !state && w.Value != "" {
			r.t.Errorf("PDFium reads %q from %s, %q is selected", w.Value, w.Name, w.Selected)
		}
	}
	values := written(r.t, empty)
	texts := extracted(r.t, empty, 1)
	for name, s := range all {
		if v := values[name]; v != nil && v != "u:" && v != "/Off" {
			r.t.Errorf("qpdf reads %v from %s", v, name)
		}
		if s.text == "" || s.shown != nil { // options of a list are shown nonetheless
			continue
		}
		for by, page := range texts {
			for _, word := range strings.Fields(s.text) {
				if len(word) > 4 && strings.Contains(page, word) {
					r.t.Errorf("%s extracts %q of %s", by, word, name)
				}
			}
		}
	}
}

// value returns the value for the widgets of a field.
func (s sample) value(widgets []pdf.Field) form.Value {
	v := text(widgets, s.text)
	v.Export, v.Shown = s.export, s.shown
	v.Widgets[s.button].On = true
	if s.picture {
		v.Pictures = []int{0}
	}
	return v
}

// checkKinds checks what PDFium reads from a form.
func checkKinds(r reader, f *pdf.File, all map[string]sample) {
	r.t.Helper()
	for name, s := range all {
		for i, w := range r.field(f, name) {
			switch w.Type {
			case pdf.Checkbox, pdf.Radio:
				if w.Checked != (i == s.button) {
					r.t.Errorf("PDFium: widget %d of %s is on: %v", i, name, w.Checked)
				}
			case pdf.Choice:
				if !slices.Equal(w.Selected, s.shown) || len(s.shown) == 0 && w.Value != s.text {
					r.t.Errorf("PDFium reads %q from %s, and %q is selected", w.Value, name, w.Selected)
				}
			case pdf.Text:
				if w.Value != s.text {
					r.t.Errorf("PDFium reads %q from %s", w.Value, name)
				}
			}
			if !w.ReadOnly {
				r.t.Errorf("PDFium: %s is not read-only", name)
			}
		}
	}
}

// written returns the values of the fields as qpdf reads them: strings begin with "u:" and
// names with "/".
func written(t testing.TB, file []byte) map[string]any {
	t.Helper()
	var found struct {
		Form struct {
			Fields []struct {
				Name  string `json:"fullname"`
				Value any    `json:"value"`
			} `json:"fields"`
		} `json:"acroform"`
	}
	if err := json.Unmarshal(run(t, file, "qpdf", "--json", "--json-key=acroform", "FILE"), &found); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	for _, f := range found.Form.Fields {
		values[f.Name] = f.Value
	}
	return values
}

// marshal returns a value as JSON.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
