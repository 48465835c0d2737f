package pdfforms

import (
	"fmt"
	"strings"
)

// Annotated returns a tagged form of one page that is cropped and rotated by 90 degrees. Its
// annotations are a link to https://example.org, a red square with a comment, the text field
// "field_1" with the value "Value", the checkbox "check" that is on, and the text fields
// "turned" (whose appearance is turned and scaled), "upright" (which does not rotate with
// the page), "hidden" and "layer" (in an optional content group that is not shown).
func Annotated() []byte {
	f := newFile()
	p := f.page("/Rotate 90/CropBox[20 30 600 780]")
	p.text(14, 72, 740, "Annotations")
	fmt.Fprint(&p.content, "0.5 0 0 0.5 100 100 cm 0 0 1 rg") // which must not apply to fields
	p.annots = append(p.annots,
		f.add("<</Type/Annot/Subtype/Link/Rect[72 700 200 720]/Border[0 0 1]/A<</S/URI/URI(https://example.org)>>>>"),
		f.add("<</Type/Annot/Subtype/Square/F 4/Rect[300 700 340 720]/Contents(A comment)/C[1 0 0]/AP<</N %d 0 R>>>>",
			f.stream("/Type/XObject/Subtype/Form/BBox[0 0 40 20]", "1 0 0 RG 1 1 38 18 re S")))
	r := rect{72, 600, 200, 24}
	f.field(p, r, "field_1", "/FT/Tx/V(Value)/StructParent 1"+f.shown(r, "Value"))
	f.tag(p, p.annots[2], 1)
	r = rect{300, 600, 24, 24}
	f.field(p, r, "check", "/FT/Btn/AS/On/V/On"+f.mark(r, "On"))
	f.field(p, rect{72, 300, 24, 200}, "turned", "/FT/Tx/V(Turned)"+f.turned("Turned"))
	r = rect{200, 400, 150, 24}
	f.field(p, r, "hidden", "/FT/Tx/V(Hidden)"+f.shown(r, "Hidden"))
	f.flag(p, 2)
	f.field(p, rect{200, 300, 150, 24}, "upright", "/FT/Tx/V(Upright)"+f.shown(r, "Upright"))
	f.flag(p, 20)
	group := f.add("<</Type/OCG/Name(Layer)>>")
	f.field(p, rect{400, 300, 150, 24}, "layer", fmt.Sprintf("/FT/Tx/V(Layer)/OC %d 0 R", group)+f.shown(r, "Layer"))
	f.catalog += fmt.Sprintf("/OCProperties<</OCGs[%d 0 R]/D<</OFF[%[1]d 0 R]>>>>", group)
	return f.bytes()
}

// flag sets the flags of the last annotation of a page.
func (f *file) flag(p *page, flags int) {
	n := p.annots[len(p.annots)-1]
	f.objects[n-1] = strings.Replace(f.objects[n-1], "/F 4", fmt.Sprint("/F ", flags), 1)
}

// turned returns the appearance of a text that runs upwards, at twice the size.
func (f *file) turned(text string) string {
	n := f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 100 12]/Matrix[0 1 -1 0 12 0]/Resources<</Font<</Helv %d 0 R>>>>", helvObject),
		"/Tx BMC q BT /Helv 6 Tf 0 g 2 2 Td "+literal(text)+" Tj ET Q EMC")
	return fmt.Sprintf("/AP<</N %d 0 R>>", n)
}

// tag makes the file a tagged one whose only structure element is that of a widget.
func (f *file) tag(p *page, widget, key int) {
	root := f.reserve()
	element := f.add("<</Type/StructElem/S/Form/P %d 0 R/Pg %d 0 R/K<</Type/OBJR/Obj %d 0 R>>>>", root, p.number, widget)
	f.objects[root-1] = fmt.Sprintf("<</Type/StructTreeRoot/K %d 0 R/ParentTree<</Nums[%d %[1]d 0 R]>>>>", element, key)
	f.catalog += fmt.Sprintf("/MarkInfo<</Marked true>>/StructTreeRoot %d 0 R", root)
}
