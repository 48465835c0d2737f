package form

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
)

// stamp writes a value onto a page. Lengths are in the unit of the page, like those of the
// text that is on it.
func (f *filler) stamp(v value, s Stamp) error {
	p := f.pages[s.Page-1]
	m, width, height := f.displayed(p)
	box := appearance.Stamp{
		Width: (s.Box.Right - s.Box.Left) * width, Height: (s.Box.Bottom - s.Box.Top) * height,
		Size: s.Size, Multiline: s.Multiline, Cover: s.Cover, Tick: s.Tick, EmptyBox: s.EmptyBox,
	}
	drawn, err := f.painter.Stamp(box, v.Text, v.Pictures)
	if err != nil {
		return err
	}
	ref, err := f.object(drawn)
	if err != nil {
		return err
	}
	name := f.resource(p, "XObject", "Stamp", ref)
	m = m.at(s.Box.Left*width, (1-s.Box.Bottom)*height)
	f.paint(p, invocation(name, m))
	return nil
}

// paint appends operators to the content of a page. The graphics state of the page's own
// content does not affect them.
func (f *filler) paint(p page, operators []byte) {
	contents := f.contents(p)
	if !f.painted[p.id] {
		unrestored, unsaved := f.balance(contents)
		operators = slices.Concat(bytes.Repeat([]byte("Q\n"), 1+unrestored), operators)
		contents = slices.Concat(slices.Repeat(types.Array{f.save()}, 1+unsaved), contents)
		f.painted[p.id] = true
	}
	end := f.add(stream(types.Dict{}, operators))
	f.set(p.node, "Contents", append(contents, end))
}

// contents returns a copy of the list of a page's content streams.
func (f *filler) contents(p page) types.Array {
	o, _ := f.resolve(p.Dict["Contents"], p.owner)
	switch o := o.(type) {
	case types.Array:
		return slices.Clone(o)
	case types.StreamDict:
		return types.Array{p.Dict["Contents"]}
	}
	return nil
}

// save returns the content stream that saves the graphics state.
func (f *filler) save() types.IndirectRef {
	if f.begin == nil {
		ref := f.add(stream(types.Dict{}, []byte("q\n")))
		f.begin = &ref
	}
	return *f.begin
}

// resource gives an object a name, which begins with prefix, in a category of the resources
// of a page.
func (f *filler) resource(p page, category, prefix string, ref types.IndirectRef) string {
	own := f.category(p, category)
	for i := len(own) + 1; ; i++ {
		name := prefix + strconv.Itoa(i)
		if _, taken := own[name]; !taken {
			own[name] = ref
			return name
		}
	}
}

// ownResources is a category of the resources of a page.
type ownResources struct {
	page     int
	category string
}

// category returns a category of the resources of a page. Other pages may share the
// dictionaries, so the page gets its own copies.
func (f *filler) category(p page, category string) types.Dict {
	key := ownResources{p.id, category}
	if own, ok := f.own[key]; ok {
		return own
	}
	from := p.resources
	if o := p.Dict["Resources"]; o != nil {
		from = inherited{o, p.owner}
	}
	old, _ := f.dict(from.Object, from.owner)
	all := types.Dict{}
	maps.Copy(all, old.Dict)
	shared, _ := f.dict(all[category], old.owner)
	own := types.Dict{}
	maps.Copy(own, shared.Dict)
	all[category] = own
	f.set(p.node, "Resources", all)
	f.own[key] = own
	return own
}
