package pdf_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// widget adds a field with a single widget to a page, and returns its object number.
func (b *builder) widget(name, entries string, rect [4]int) int {
	return b.add("<</Type/Annot/Subtype/Widget/T(%s)/Rect[%d %d %d %d]/F 4%s>>", name, rect[0], rect[1], rect[2], rect[3], entries)
}

// appearance returns the appearance stream of a filled text field.
func (b *builder) appearance(value string, width, height int) string {
	s := b.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 %d %d]/Resources<</Font<</F1 %d 0 R>>>>", width, height, fontObject),
		fmt.Sprintf("/Tx BMC q BT /F1 12 Tf 2 4 Td (%s) Tj ET Q EMC", value))
	return fmt.Sprintf("/AP<</N %d 0 R>>", s)
}

// formFile returns a form of one page.
func formFile() []byte {
	b := newBuilder()
	on := b.stream("/Type/XObject/Subtype/Form/BBox[0 0 12 12]", "0 0 12 12 re f")
	off := b.stream("/Type/XObject/Subtype/Form/BBox[0 0 12 12]", "")
	state := fmt.Sprintf("/AP<</N<</Yes %d 0 R/Off %d 0 R>>>>", on, off)
	fields := []int{
		b.widget("party.name", "/FT/Tx/V(Acme Corp)/TU(Name of the  party)/Ff 2"+b.appearance("Acme Corp", 100, 16), [4]int{160, 696, 260, 712}),
		b.widget("drawn", "/FT/Tx/V(Drawn Now)/DA(/F1 12 Tf 0 g)", [4]int{160, 640, 260, 656}),
		b.widget("agreed", "/FT/Btn/V/Yes/AS/Yes"+state, [4]int{72, 600, 84, 612}),
		b.widget("refused", "/FT/Btn/V/Off/AS/Off"+state, [4]int{72, 580, 84, 592}),
		b.widget("state", "/FT/Ch/Ff 131073/Opt[(Ohio)(Utah)]/V(Utah)"+b.appearance("Utah", 100, 16), [4]int{160, 540, 260, 556}),
		b.widget("sig", "/FT/Sig", [4]int{160, 500, 260, 530}),
	}
	refs := make([]string, len(fields))
	for i, f := range fields {
		refs[i] = ref(f)
	}
	all := strings.Join(refs, " ")
	b.catalog = fmt.Sprintf("/AcroForm<</Fields[%s]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 %d 0 R>>>>/NeedAppearances true>>", all, fontObject)
	b.page(lines(72, 700, "Between")+lines(280, 700, "and others,")+lines(72, 660, "of this day.")+lines(72, 540, "State:")+lines(72, 500, "Signed"), "/Annots["+all+"]")
	return b.bytes()
}

func TestForm(t *testing.T) {
	f := read(t, pdftest.NewReader(t, pdftest.Config()), formFile())
	if want := "Between Acme Corp and others,\nof this day.\nDrawn Now\nState: Utah\nSigned\n"; f.Text != want {
		t.Errorf("the text is %q, want %q", f.Text, want)
	}
	near(t, "the value", word(t, f, "Acme").Box, (162+16)/612.0, (792-704)/792.0)
	boxes := []layout.Box{}
	for i := range f.Fields {
		if f.Fields[i].Page != 1 {
			t.Errorf("%+v is not on page 1", f.Fields[i])
		}
		boxes = append(boxes, f.Fields[i].Box)
		f.Fields[i].Box, f.Fields[i].Page, f.Fields[i].Details = layout.Box{}, 0, form.Details{} // see TestDetails
	}
	want := []pdf.Field{
		{Name: "party.name", Type: pdf.Text, Label: "Name of the party", Value: "Acme Corp", Required: true},
		{Name: "drawn", Annotation: 1, Type: pdf.Text, Value: "Drawn Now"},
		{Name: "agreed", Annotation: 2, Type: pdf.Checkbox, Value: "Yes", Checked: true},
		{Name: "refused", Annotation: 3, Type: pdf.Checkbox, Value: "Yes"},
		{Name: "state", Annotation: 4, Type: pdf.Choice, Value: "Utah", Options: []string{"Ohio", "Utah"}, Selected: []string{"Utah"}, ReadOnly: true},
		{Name: "sig", Annotation: 5, Type: pdf.Signature},
	}
	if !slices.EqualFunc(f.Fields, want, func(a, b pdf.Field) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("the fields are\n%+v, want\n%+v", f.Fields, want)
	}
	if len(boxes) > 0 {
		near(t, "the first field", boxes[0], 210/612.0, 88/792.0)
	}
}

// TestComments checks that text typed onto a page is read, and that hidden annotations
// are not.
func TestComments(t *testing.T) {
	b := newBuilder()
	typed := b.add("<</Type/Annot/Subtype/FreeText/Rect[200 696 300 712]/F 4/Contents(typed)%s>>", b.appearance("typed", 100, 16))
	note := b.add("<</Type/Annot/Subtype/Text/Rect[300 696 310 706]/F 4/Contents(a note)>>")
	hidden := b.add("<</Type/Annot/Subtype/FreeText/Rect[400 696 500 712]/F 2/Contents(x)%s>>", b.appearance("hidden", 100, 16))
	b.page(lines(72, 700, "Base"), fmt.Sprintf("/Annots[%d 0 R %d 0 R %d 0 R]", typed, note, hidden))
	if f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes()); f.Text != "Base typed\n" || len(f.Fields) != 0 {
		t.Errorf("the text is %q, the fields %+v", f.Text, f.Fields)
	}
}
