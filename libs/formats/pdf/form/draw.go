package form

import (
	"bytes"
	"compress/zlib"
	"maps"
	"slices"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
)

// look returns how a widget looks.
func (m *form) look(w *widget) appearance.Look {
	r := m.rect(w.Dict["Rect"])
	mk, _ := m.sub(w.node, "MK")
	l := appearance.Look{
		Width: r.width(), Height: r.height(),
		Rotation:   (m.integer(mk.Dict["R"])/90%4 + 4) % 4 * 90,
		Border:     m.numbers(mk.Dict["BC"], 4),
		Background: m.numbers(mk.Dict["BG"], 4),
		Align:      m.integer(m.inheritedOrForm(w, "Q")),
		Caption:    m.text(mk.Dict["CA"], 64),
		Multiline:  w.kind == kindText && w.flags&flagMultiline != 0,
		Password:   w.kind == kindText && w.flags&flagPassword != 0,
		Comb:       w.kind == kindText && w.comb(),
		Radio:      w.kind == kindRadio,
		MaxLength:  max(0, m.integer(w.inherited("MaxLen"))),
	}
	m.addBorder(w, &l)
	m.addFont(w, &l)
	return l
}

// inheritedOrForm returns an attribute of the widget, its ancestors, or the whole form.
func (m *form) inheritedOrForm(w *widget, key string) types.Object {
	if o := w.inherited(key); o != nil {
		return o
	}
	return m.acro.Dict[key]
}

// addBorder reads the border of a widget: /BS, or else the older /Border. A border without
// either is one point wide.
func (m *form) addBorder(w *widget, l *appearance.Look) {
	l.BorderWidth, l.BorderStyle = 1, 'S'
	if bs, ok := m.sub(w.node, "BS"); ok {
		if bs.Dict["W"] != nil {
			l.BorderWidth = m.numbers(types.Array{bs.Dict["W"]}, 1)[0]
		}
		if s := m.file.name(bs.Dict["S"]); s != "" {
			l.BorderStyle = s[0]
		}
		l.Dash = m.numbers(bs.Dict["D"], 8)
	} else if b, _ := m.array(w.Dict["Border"], w.owner); len(b) >= 3 {
		l.BorderWidth = m.numbers(b, 3)[2]
		if len(b) > 3 {
			l.BorderStyle, l.Dash = 'D', m.numbers(b[3], 8)
		}
	}
	if l.BorderStyle == 'D' && len(l.Dash) == 0 {
		l.Dash = []float64{3}
	}
	l.BorderWidth = max(0, min(l.BorderWidth, min(l.Width, l.Height)/2))
}

// addFont reads the size, color and style of the text from the default appearance string.
func (m *form) addFont(w *widget, l *appearance.Look) {
	name, size, color := appearance.ParseDA(m.text(m.inheritedOrForm(w, "DA"), 1000))
	l.FontSize, l.Color = size, color
	l.Style = appearance.StyleOf(name)
	resources, _ := m.sub(m.acro, "DR")
	fonts, _ := m.sub(resources, "Font")
	if font, ok := m.sub(fonts, name); ok {
		if base := m.file.name(font.Dict["BaseFont"]); base != "" {
			l.Style = appearance.StyleOf(base)
		}
	}
}

// object adds a form XObject.
func (f *filler) object(s appearance.Stream) (types.IndirectRef, error) {
	d := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Form"),
		"BBox": array(s.BBox[:]), "Matrix": array(s.Matrix[:]),
	}
	resources := types.Dict{}
	if fonts := f.fontResources(s.Fonts); len(fonts) > 0 {
		resources["Font"] = fonts
	}
	images := types.Dict{}
	for _, name := range slices.Sorted(maps.Keys(s.Images)) {
		ref, err := f.image(s.Images[name])
		if err != nil {
			return types.IndirectRef{}, err
		}
		images[name] = ref
	}
	if len(images) > 0 {
		resources["XObject"] = images
	}
	d["Resources"] = resources
	return f.add(stream(d, s.Content)), nil
}

// fontResources refers to fonts that are written at the end.
func (f *filler) fontResources(names []string) types.Dict {
	out := types.Dict{}
	for _, name := range names {
		if _, ok := f.fonts[name]; !ok {
			f.fonts[name] = f.add(types.Dict{})
		}
		out[name] = f.fonts[name]
	}
	return out
}

// array returns an array of numbers.
func array(numbers []float64) types.Array {
	out := make(types.Array, len(numbers))
	for i, n := range numbers {
		out[i] = types.Float(round(n))
	}
	return out
}

// leastCompressed is the length from which compression saves anything.
const leastCompressed = 120

// compressors holds idle zlib writers. To make one costs more than to compress a page, and
// a form has a stream for each of its widgets.
var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// stream returns a stream with this content, which is compressed unless it is short.
func stream(d types.Dict, content []byte) types.StreamDict {
	if len(content) >= leastCompressed {
		var b bytes.Buffer
		z := compressors.Get().(*zlib.Writer)
		defer compressors.Put(z)
		z.Reset(&b)
		_, _ = z.Write(content) // a Buffer never fails
		_ = z.Close()
		d["Filter"], content = types.Name("FlateDecode"), b.Bytes()
	}
	return types.StreamDict{Dict: d, Raw: content}
}

// show makes a stream the normal appearance of a widget.
func (f *filler) show(w *widget, s appearance.Stream) error {
	ref, err := f.object(s)
	if err != nil {
		return err
	}
	f.setAppearance(w, ref)
	return nil
}

// setAppearance sets the normal appearance of a widget, and drops those for a pressed
// button, which would show the old value.
func (f *filler) setAppearance(w *widget, normal types.Object) {
	f.set(w.node, "AP", types.Dict{"N": normal})
	f.shown[w] = true
}

// drawPictures shows the pictures of a value in all widgets, or nothing if it has none.
func (f *filler) drawPictures(v value, group []*widget) error {
	for _, w := range group {
		if err := f.show(w, f.painter.Picture(f.look(w), v.Pictures)); err != nil {
			return err
		}
	}
	return nil
}
