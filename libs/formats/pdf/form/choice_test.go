package form

import (
	"strings"
	"testing"
)

func TestFillChoice(t *testing.T) {
	const combo = "<</Subtype/Widget/Rect[10 300 200 320]/FT/Ch/Ff 393216/T(c)/I[1]/Opt[[(1)(One)](Two)]>>"
	const list = "<</Subtype/Widget/Rect[10 200 200 290]/FT/Ch/Ff 2097152/T(l)/TI 1/Opt[[(1)(One)](Two)(Three)(Three)]>>"
	file := widgets("", combo, list)
	for _, c := range []struct {
		name  string
		index int
		value Value
		want  []string
		shown string
	}{
		{"dropdown", 0, Value{Text: "One", Export: []string{"1"}, Shown: []string{"One"}}, []string{"V", "1", "I", ""}, "One"},
		{"own text", 0, Value{Text: "Mine"}, []string{"V", "Mine"}, "Mine"},
		{"empty dropdown", 0, Value{}, []string{"V", ""}, ""},
		{"list", 1, Value{Text: "Two", Export: []string{"Two"}, Shown: []string{"Two"}}, []string{"V", "Two", "I", "1", "TI", ""}, "Two"},
		{"several", 1, Value{Export: []string{"Three", "1"}, Shown: []string{"Three", "One"}}, []string{"V", "Three|1", "I", "0|2"}, "One"},
		{"text of a list", 1, Value{Text: "Two"}, []string{"V", "Two", "I", "1"}, "Two"},
		{"empty list", 1, Value{}, []string{"V", "", "I", ""}, "One"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.value.Widgets = []Widget{at(c.index)}
			out := fill(t, file, c.value)
			reopen(t, out).want(c.index, c.want...)
			if printed := run(t, "pdftotext", save(t, out), "-"); !strings.Contains(printed, c.shown) {
				t.Errorf("pdftotext finds %q", printed)
			}
		})
	}
}

// TestFillNothingIntoChoice checks that nothing is left of a selection.
func TestFillNothingIntoChoice(t *testing.T) {
	const combo = "<</Subtype/Widget/Rect[10 300 200 320]/FT/Ch/Ff 393216/T(c)/V(1)/I[0]/AP<</N 7 0 R>>/Opt[[(1)(Former)](Two)]>>"
	const list = "<</Subtype/Widget/Rect[10 200 200 290]/FT/Ch/Ff 2097152/T(l)/V[(Two)]/I[1]/TI 1/AP<</N 7 0 R>>/Opt[[(1)(One)](Two)(Three)]>>"
	former := streamObject("/Type/XObject/Subtype/Form/BBox[0 0 190 20]/Resources<</Font<</Helv 4 0 R>>>>", "BT /Helv 12 Tf (Former) Tj ET")
	file := widgets("", combo, list, former)
	out := fill(t, file, Value{Widgets: []Widget{at(0)}}, Value{Widgets: []Widget{at(1)}})
	r := reopen(t, out)
	for i := range 2 {
		for _, key := range []string{"V", "I", "TI"} {
			if o := r.byRef[Ref{1, i}].Dict[key]; o != nil {
				t.Errorf("field %d: %s is %v", i, key, o)
			}
		}
	}
	if printed := run(t, "pdftotext", save(t, out), "-"); strings.Contains(printed, "Former") || !strings.Contains(printed, "One") {
		t.Errorf("pdftotext finds %q", printed)
	}
	if looksSelected(t, out) || !looksSelected(t, fill(t, file, Value{Widgets: []Widget{at(1)}, Text: "Two"})) {
		t.Error("an option looks selected, or none does where one is")
	}
}

// looksSelected reports whether the highlight of a selected option is drawn.
func looksSelected(t *testing.T, file []byte) bool {
	return strings.Contains(run(t, "qpdf", "--qdf", save(t, file), "-"), "0.6 0.7569 0.8549 rg")
}

// TestFillNothingIntoFamily checks that an empty value replaces one that the field inherits, or that its
// widget has.
func TestFillNothingIntoFamily(t *testing.T) {
	for _, c := range []struct{ name, parent, field, widget string }{
		{"value of an ancestor", "/V(former)", "", ""},
		{"value of the widget", "", "", "/V(former)"},
		{"values of all", "/V(former)", "/V(former)", "/V(former)"},
	} {
		for _, kind := range []string{"/FT/Tx", "/FT/Ch/Ff 393216"} {
			t.Run(c.name+kind, func(t *testing.T) {
				file := build("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
					"<</Type/Pages/Kids[3 0 R]/Count 1>>",
					"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[6 0 R]>>",
					"<</T(party)"+kind+c.parent+"/Kids[5 0 R]>>",
					"<</T(name)/Parent 4 0 R"+c.field+"/Kids[6 0 R]>>",
					"<</Subtype/Widget/Rect[0 0 99 19]/Parent 5 0 R"+c.widget+">>")
				out := fill(t, file, text(0, ""))
				reopen(t, out).want(0, "V", "")
				if got := run(t, "qpdf", "--json", "--json-key=acroform", save(t, out)); strings.Contains(got, `"value": "u:former"`) {
					t.Errorf("qpdf reads %s", got)
				}
			})
		}
	}
}

// TestFillNothingIntoSignedChoice checks that a selection that must stay does not count.
func TestFillNothingIntoSignedChoice(t *testing.T) {
	r := reopen(t, fill(t, signedForm("", "", ""), text(3, "")))
	if w := r.byRef[Ref{1, 3}]; w.Dict["V"] == nil || w.Dict["I"] == nil {
		t.Errorf("the field is %v", w.Dict)
	}
}
