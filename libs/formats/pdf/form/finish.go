package form

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
	"github.com/rectohq/recto/libs/formats/pdf/form/internal/revision"
	"github.com/rectohq/recto/libs/formats/pdf/form/internal/xobject"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// finish completes the file after all values: it flattens the form if the order asks for it,
// writes the fonts, and removes entries that the new values make invalid.
func (f *filler) finish() error {
	if f.order.Flatten {
		if err := f.flatten(); err != nil {
			return err
		}
	}
	if !f.signed() && f.boolean(f.acro.Dict["NeedAppearances"]) && f.drawMissing() {
		f.set(f.acro, "NeedAppearances", nil)
	}
	if err := f.writeFonts(); err != nil {
		return err
	}
	if f.signed() {
		return nil
	}
	f.dropUsageRights()
	if f.acro.Dict["XFA"] != nil { // viewers that know XFA would show its old values
		f.set(f.acro, "XFA", nil)
		if f.root["NeedsRendering"] != nil { // or wait for what is not there any more
			f.set(node{f.root, int(f.ctx.Root.ObjectNumber)}, "NeedsRendering", nil)
		}
	}
	if f.order.Flatten { // nothing refers to changed widgets any more
		reached := f.reached()
		maps.DeleteFunc(f.changed, func(n int, _ bool) bool { return !reached[n] })
	}
	return nil
}

// writeFonts writes the fonts that are in use.
func (f *filler) writeFonts() error {
	if len(f.fonts) == 0 {
		return nil
	}
	fonts, err := f.painter.Writer.Fonts()
	if err != nil {
		return err
	}
	for _, e := range fonts {
		if ref, ok := f.fonts[e.Name]; ok {
			f.ctx.Table[int(ref.ObjectNumber)].Object = f.font(e)
		}
	}
	return nil
}

// font returns a Type 0 font: ISO 32000-1, 9.7.
func (f *filler) font(e typeset.Embedded) types.Dict {
	program := stream(types.Dict{"Length1": types.Integer(len(e.Program))}, e.Program)
	descriptor := types.Dict{
		"Type": types.Name("FontDescriptor"), "FontName": types.Name(e.BaseFont), "Flags": types.Integer(e.Flags),
		"FontBBox": types.NewIntegerArray(e.BBox[:]...), "ItalicAngle": types.Float(e.ItalicAngle),
		"Ascent": types.Integer(e.Ascent), "Descent": types.Integer(e.Descent), "CapHeight": types.Integer(e.CapHeight),
		"StemV": types.Integer(80), "FontFile2": f.add(program),
	}
	system := types.Dict{"Registry": types.StringLiteral("Adobe"), "Ordering": types.StringLiteral("Identity"), "Supplement": types.Integer(0)}
	descendant := types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("CIDFontType2"), "BaseFont": types.Name(e.BaseFont),
		"CIDSystemInfo": system, "FontDescriptor": f.add(descriptor), "CIDToGIDMap": types.Name("Identity"),
		"DW": types.Integer(1000), "W": types.Array{types.Integer(0), types.NewIntegerArray(e.Widths...)},
	}
	return types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type0"), "BaseFont": types.Name(e.BaseFont),
		"Encoding": types.Name("Identity-H"), "DescendantFonts": types.Array{f.add(descendant)},
		"ToUnicode": f.add(stream(types.Dict{}, e.ToUnicode)),
	}
}

// image returns the image XObject of a picture, which is written once.
func (f *filler) image(index int) (types.IndirectRef, error) {
	if ref, ok := f.images[index]; ok {
		return ref, nil
	}
	if index < 0 || index >= min(len(f.pictures), len(f.order.Pictures)) {
		return types.IndirectRef{}, Missing
	}
	i, err := appearance.ReadImage(f.order.Pictures[index].MediaType, f.pictures[index])
	if err != nil {
		return types.IndirectRef{}, err
	}
	f.images[index] = xobject.Add(i, f.add)
	return f.images[index], nil
}

// result returns the changed objects as an update, or the whole file if an update cannot be
// appended to it. A file that has lost pages cannot be written as a whole.
func (f *file) result(calculations bool) (*Result, error) {
	t := revision.Trailer{Root: f.ctx.Root, Info: f.ctx.Info, Encrypt: f.ctx.Encrypt, ID: f.ctx.ID, Size: f.next}
	r := &Result{Whole: f.sections == nil, Calculations: calculations}
	if r.Whole && f.lost {
		return nil, Damaged
	}
	var err error
	if r.Whole {
		r.Update, err = revision.Write(f.objects(f.reached()), t, f.cipher())
	} else if len(f.changed) > 0 {
		r.Update, err = revision.Append(f.raw, f.sections, f.objects(f.changed), t, f.cipher())
	}
	if err != nil {
		return nil, Damaged
	}
	return r, nil
}

// objects returns the objects with these numbers, in ascending order. One that is a reference
// stays one, because many may refer to the same object.
func (f *file) objects(numbers map[int]bool) []revision.Object {
	var out []revision.Object
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		o, err := f.ctx.Dereference(*types.NewIndirectRef(n, f.generation(n)))
		if err != nil {
			o = nil
		}
		out = append(out, revision.Object{Number: n, Generation: f.generation(n), Value: o})
	}
	return out
}

// reached returns the numbers of all objects that the trailer leads to.
func (f *file) reached() map[int]bool {
	seen := map[int]bool{}
	var pending []types.Object
	for _, ref := range []*types.IndirectRef{f.ctx.Root, f.ctx.Info, f.ctx.Encrypt} {
		if ref != nil {
			pending = append(pending, *ref)
		}
	}
	for len(pending) > 0 {
		o := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		switch o := o.(type) {
		case types.IndirectRef:
			n := int(o.ObjectNumber)
			if e := f.ctx.Table[n]; seen[n] || e == nil || e.Free || e.Object == nil {
				continue
			}
			seen[n] = true
			value, _ := f.ctx.Dereference(o)
			pending = append(pending, value)
		case types.Dict:
			pending = slices.AppendSeq(pending, maps.Values(o))
		case types.StreamDict:
			pending = slices.AppendSeq(pending, maps.Values(o.Dict))
		case types.Array:
			pending = append(pending, o...)
		}
	}
	return seen
}
