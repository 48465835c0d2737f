package form

import (
	"fmt"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// taggedForm returns a tagged file of three widgets: two with one appearance, and a hidden
// one. Objects 9 to 11 are their structure elements.
func taggedForm() []byte {
	widget := func(i int, entries string) string {
		return fmt.Sprintf("<</Type/Annot/Subtype/Widget/FT/Tx/T(a%d)/Rect[100 %d 200 %d]/AP<</N 8 0 R>>/StructParent %d%s>>", i, 100*i+100, 100*i+120, i, entries)
	}
	return documentOf("[5 0 R 6 0 R 7 0 R]", "/MarkInfo<</Marked true>>/StructTreeRoot 12 0 R", "",
		widget(0, "/F 4"), widget(1, "/F 4"), widget(2, "/F 2"), shows("/Subtype/Form/BBox[0 0 100 20]"),
		"<</Type/StructElem/S/Form/P 12 0 R/Pg 3 0 R/K<</Type/OBJR/Obj 5 0 R>>>>",
		"<</Type/StructElem/S/Form/P 12 0 R/Pg 3 0 R/K[3<</Type/OBJR/Obj 6 0 R>>]>>",
		"<</Type/StructElem/S/Form/P 12 0 R/Pg 3 0 R/K 14 0 R>>",
		"<</Type/StructTreeRoot/K[9 0 R 10 0 R 11 0 R]/ParentTree<</Kids[13 0 R]>>>>",
		"<</Limits[0 2]/Nums[0 9 0 R 1 10 0 R 2 11 0 R]>>", "[4<</Type/OBJR/Obj 7 0 R>>]")
}

// TestFlattenTags checks that structure elements refer to what is drawn, and none to what
// is gone.
func TestFlattenTags(t *testing.T) {
	file := taggedForm()
	check(t, file)
	r, err := Fill(file, Order{Flatten: true}, nil, fonts())
	if err != nil {
		t.Fatal(err)
	}
	f := reopen(t, applied(file, r))
	for i := range 3 {
		element, _ := f.dict(*types.NewIndirectRef(9+i, 0), 0)
		o, owner := f.resolve(element.Dict["K"], element.owner)
		kids, ok := o.(types.Array)
		if !ok {
			kids = types.Array{o}
		}
		reference, found := f.dict(kids[len(kids)-1], owner)
		drawn, isStream := f.sub(reference, "Obj")
		if i == 2 {
			if found || len(kids) != 1 {
				t.Errorf("the element of a hidden widget has the kids %v", kids)
			}
			continue
		}
		if !isStream || f.file.name(drawn.Dict["Subtype"]) != "Form" || f.integer(drawn.Dict["StructParent"]) != i {
			t.Errorf("element %d refers to %v", i, drawn)
		}
	}
	if got := words(t, applied(file, r), 1); got != "Stamp Stamp" {
		t.Errorf("the page says %q", got)
	}
}
