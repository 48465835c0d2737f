package form

import (
	"errors"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// Fill writes the values of the order into the file. pictures holds the bytes of its
// pictures. Filled fields become read-only, unless the file is signed or the order flattens
// the form. The error is a Refusal if the file is at fault, and a *typeset.MissingError if no
// font has a character.
//
// A usage-rights signature, which extends what Adobe Reader can do with a file, is removed,
// since it would become invalid. In a signed file it stays.
func Fill(file []byte, o Order, pictures [][]byte, fonts *typeset.Fonts) (*Result, error) {
	r, err := write(file, o, pictures, fonts)
	if errors.Is(err, Damaged) && mentionsSignature(file) {
		err = SignedDamaged // or else the caller would have it repaired
	}
	return r, err
}

func write(file []byte, o Order, pictures [][]byte, fonts *typeset.Fonts) (r *Result, err error) {
	defer recoverDamage(&err)
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	m := f.readForm()
	values, err := m.values(o)
	if err != nil {
		return nil, err
	}
	if err := m.permit(values, o.Flatten); err != nil {
		return nil, err
	}
	calculations := m.calculates(values)
	p := newFiller(m, o, pictures, fonts)
	illegible, err := p.fillAll(values)
	if err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if r, err = m.result(calculations); err != nil {
		return nil, err
	}
	r.Illegible = illegible
	return r, nil
}

// value is a value with the widgets and pages of its places.
type value struct {
	Value
	// groups holds the widgets of each field of the value, which are those of the order
	// and all others of the same field.
	groups [][]*widget
	// on holds the listed widgets and their new states.
	on map[*widget]bool
}

// values finds the places of the values.
func (m *form) values(o Order) ([]value, error) {
	groups := m.groups()
	var out []value
	for _, v := range o.Values {
		filled := value{Value: v, on: map[*widget]bool{}}
		seen := map[string]bool{}
		for _, place := range v.Widgets {
			w := m.byRef[place.Ref]
			if w == nil || w.kind == 0 {
				return nil, Missing
			}
			filled.on[w] = place.On
			if key := w.key(); !seen[key] {
				seen[key] = true
				filled.groups = append(filled.groups, groups[key])
			}
		}
		for _, s := range v.Stamps {
			if s.Page < 1 || s.Page > len(m.pages) || m.pages[s.Page-1].Dict == nil {
				return nil, Missing
			}
		}
		if !picturesExist(v, o) {
			return nil, Missing
		}
		out = append(out, filled)
	}
	return out, nil
}

func picturesExist(v Value, o Order) bool {
	return !slices.ContainsFunc(v.Pictures, func(i int) bool { return i < 0 || i >= len(o.Pictures) })
}

// permit returns a Refusal if the file may not be changed in this way.
func (m *form) permit(values []value, flatten bool) error {
	var widgets []*widget
	stamps := false
	for _, v := range values {
		stamps = stamps || len(v.Stamps) > 0
		for _, g := range v.groups {
			widgets = append(widgets, g...)
		}
	}
	if m.isXFA() {
		return XFA
	}
	if len(widgets) > 0 && !m.permits(permitFill|permitAnnotate) || stamps && !m.permits(permitModify) {
		return Forbidden
	}
	if flatten && m.signed() {
		return Signed
	}
	if flatten && (len(m.widgets) > 0 || m.acro.Dict != nil) && !m.permits(permitModify) {
		return Fixed
	}
	return m.allow(widgets, stamps)
}

// filler writes values into the objects of a form.
type filler struct {
	*form
	painter  *appearance.Painter
	order    Order
	pictures [][]byte
	// fonts and images refer to the objects of fonts and pictures that are in use.
	fonts  map[string]types.IndirectRef
	images map[int]types.IndirectRef
	// begin refers to the stream that saves the graphics state of painted pages, and
	// painted holds the pages that have it.
	begin   *types.IndirectRef
	painted map[int]bool
	// balances holds those of content streams.
	balances map[int]balance
	// own holds the resources that belong to one page only.
	own map[ownResources]types.Dict
	// shown holds the widgets whose appearances show their values.
	shown map[*widget]bool
	// tags is set while the form is flattened.
	tags *tags
}

func newFiller(m *form, o Order, pictures [][]byte, fonts *typeset.Fonts) *filler {
	p := &appearance.Painter{Fonts: fonts, Writer: &typeset.Writer{}}
	for _, x := range o.Pictures {
		p.Pictures = append(p.Pictures, appearance.Picture{Width: x.Width, Height: x.Height, Orientation: x.Orientation})
	}
	return &filler{
		form: m, painter: p, order: o, pictures: pictures,
		fonts: map[string]types.IndirectRef{}, images: map[int]types.IndirectRef{},
		painted: map[int]bool{}, balances: map[int]balance{},
		own: map[ownResources]types.Dict{}, shown: map[*widget]bool{},
	}
}

// fillAll writes all values, and returns the indices of those that are too long to be read in
// one of their places.
func (f *filler) fillAll(values []value) (illegible []int, err error) {
	for i, v := range values {
		f.painter.Illegible = false
		if err := f.fill(v); err != nil {
			return nil, err
		}
		if f.painter.Illegible {
			illegible = append(illegible, i)
		}
	}
	return illegible, nil
}

// fill writes one value into all its places.
func (f *filler) fill(v value) error {
	for _, group := range v.groups {
		if err := f.fillField(v, group); err != nil {
			return err
		}
	}
	for _, s := range v.Stamps {
		if err := f.stamp(v, s); err != nil {
			return err
		}
	}
	return nil
}

// fillField writes a value into the widgets of a field.
func (f *filler) fillField(v value, group []*widget) error {
	switch kind := group[0].kind; {
	case kind == kindCheckbox || kind == kindRadio:
		if err := f.fillButtons(v, group); err != nil {
			return err
		}
	case len(v.Pictures) > 0 || kind == kindPush:
		f.setValue(group, nil)
		if err := f.drawPictures(v, group); err != nil {
			return err
		}
	case kind == kindChoice:
		if err := f.fillChoice(v, group); err != nil {
			return err
		}
	default:
		if err := f.fillText(v, group); err != nil {
			return err
		}
	}
	if f.order.Flatten { // no field is left
		return nil
	}
	for _, w := range group {
		f.attach(w)
		f.protect(w)
	}
	return nil
}

// set sets an entry of a dictionary. nil removes it.
func (f *filler) set(n node, key string, v types.Object) {
	if v == nil {
		delete(n.Dict, key)
	} else {
		n.Dict[key] = v
	}
	f.change(n)
}

// protect makes the field of a widget read-only. A text with markup has become a plain one.
func (f *filler) protect(w *widget) {
	if f.signed() {
		return
	}
	flags := w.flags | flagReadOnly
	if w.kind == kindText {
		flags &^= flagRichText
	}
	for i, n := range w.chain[:w.field+1] {
		if i == w.field || n.Dict["Ff"] != nil {
			f.set(n, "Ff", types.Integer(flags))
		}
	}
}

// attach makes the field of a widget known to the AcroForm dictionary, without which
// viewers ignore its value. Some also ignore a widget without a type and a name.
func (f *filler) attach(w *widget) {
	if f.signed() {
		return
	}
	f.identify(w)
	if f.attached(w) {
		return
	}
	if f.acro.Dict == nil {
		f.acro = node{Dict: types.Dict{}}
		ref := f.add(f.acro.Dict)
		f.acro.owner = int(ref.ObjectNumber)
		f.set(node{f.root, int(f.ctx.Root.ObjectNumber)}, "AcroForm", ref)
	}
	top := w.chain[len(w.chain)-1]
	ref := f.reference(w, top)
	list, owner := f.array(f.acro.Dict["Fields"], f.acro.owner)
	indirect, ok := f.acro.Dict["Fields"].(types.IndirectRef)
	own := list != nil && ok && owner == int(indirect.ObjectNumber)
	list = append(list, ref)
	if own {
		f.ctx.Table[owner].Object = list
		f.changed[owner] = true
	} else { // the array is in the dictionary, or is missing
		f.set(f.acro, "Fields", list)
	}
	f.reachable[int(ref.ObjectNumber)] = true
}

// reference returns a reference to the topmost field of a widget. A widget that stands in
// the page's array itself becomes an object of its own.
func (f *filler) reference(w *widget, top node) types.IndirectRef {
	if len(w.chain) > 1 || w.owner != w.listOwner {
		return *types.NewIndirectRef(top.owner, f.generation(top.owner))
	}
	ref := f.add(w.Dict)
	w.list[w.ref.Annotation] = ref
	f.changed[w.listOwner] = true
	w.owner = int(ref.ObjectNumber)
	w.chain[0] = w.node
	return ref
}

// generation returns the generation of an object.
func (f *file) generation(number int) int {
	if e := f.ctx.Table[number]; e != nil && e.Generation != nil {
		return *e.Generation
	}
	return 0
}
