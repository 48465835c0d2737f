package form

import (
	"strings"
	"testing"
)

func TestFillAttachesFields(t *testing.T) {
	const pages = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	for _, c := range []struct {
		name    string
		objects []string
	}{
		{"no AcroForm", []string{"<</Type/Catalog/Pages 2 0 R>>", pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>", textWidget + ">>"}},
		{"direct widget", []string{"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]>>>>", pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[" + textWidget + ">>]>>"}},
		{"direct widget in a list", []string{"<</Type/Catalog/Pages 2 0 R/AcroForm<<>>>>", pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots 4 0 R>>", "[" + textWidget + ">>]"}},
		{"parent", []string{"<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R>>", pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>", "<</Subtype/Widget/Rect[0 0 99 19]/Parent 7 0 R>>", "<</Fields 6 0 R>>", "[]", "<</FT/Tx/T(name)/Kids[4 0 R]>>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reopen(t, fill(t, build(c.objects...), text(0, "Jane")))
			r.want(0, "V", "Jane")
			if w := r.byRef[Ref{1, 0}]; !r.attached(w) || len(r.reachable) > 2 {
				t.Errorf("reachable: %v", r.reachable)
			}
		})
	}
}

// TestFillAttachesToLostList checks forms whose list of fields is missing, or is something
// else, which must not be overwritten.
func TestFillAttachesToLostList(t *testing.T) {
	for name, form := range map[string]string{
		"missing list": "<</Fields 99 0 R>>", "no list": "<</Fields 3 0 R>>", "missing form": "99 0 R", "no form": "[]",
		"missing fields": "<</Fields[99 0 R 98 0 R]>>", "null": "<</Fields null>>", "list of itself": "<</Fields 5 0 R>>",
	} {
		t.Run(name, func(t *testing.T) {
			file := build("<</Type/Catalog/Pages 2 0 R/AcroForm "+form+">>",
				"<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[4 0 R]>>",
				textWidget+">>", "5 0 R")
			if d, err := Describe(file); err != nil || d.Details[Ref{1, 0}].Name != "name" {
				t.Errorf("got %+v, %v", d, err)
			}
			r, err := Fill(file, Order{Values: []Value{text(0, "Jane")}}, nil, fonts())
			if err != nil || r.Whole {
				t.Fatalf("got %+v, %v", r, err)
			}
			again := reopen(t, applied(file, r))
			again.want(0, "V", "Jane")
			if len(again.pages) != 1 || !again.attached(again.byRef[Ref{1, 0}]) {
				t.Errorf("%d pages, reachable: %v", len(again.pages), again.reachable)
			}
			if got := run(t, "pdftotext", save(t, applied(file, r)), "-"); !strings.HasSuffix(got, "Jane\n\n\f") {
				t.Errorf("pdftotext reads %q", got)
			}
		})
	}
}

// TestFillMakesTextPlain checks that a text with markup loses it, and the flag that promises it.
func TestFillMakesTextPlain(t *testing.T) {
	r := reopen(t, fill(t, widgets("", textWidget+"/Ff 33554434/V(old)/RV(<b>old</b>)>>"), text(0, "new")))
	r.want(0, "V", "new", "RV", "", "Ff", "3")
}
