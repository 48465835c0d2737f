package form

import (
	"reflect"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// TestLook checks how the entries of a widget, its ancestors and the form decide how it looks.
func TestLook(t *testing.T) {
	base := appearance.Look{Width: 190, Height: 20, BorderWidth: 1, BorderStyle: 'S', Align: 1, FontSize: 9, Color: []float64{1, 0, 0}}
	with := func(change func(*appearance.Look)) appearance.Look {
		l := base
		change(&l)
		return l
	}
	for _, c := range []struct {
		name, parent, widget string
		want                 appearance.Look
	}{
		{"form", "", "", base},
		{"parent", "/Q 2/DA(/TiBo 10 Tf 0.5 g)", "", with(func(l *appearance.Look) {
			l.Align, l.FontSize, l.Color, l.Style = 2, 10, []float64{0.5}, typeset.Style{Serif: true, Bold: true}
		})},
		{"widget", "/Q 2/DA(/Helv 10 Tf)", "/Q 0/DA(/Cour 0 Tf)", with(func(l *appearance.Look) {
			l.Align, l.FontSize, l.Color, l.Style = 0, 0, nil, typeset.Style{Mono: true}
		})},
		{"odd operators", "", `/DA(0 Tr q /X#20Y 7 Tf \(8 Tf\) 2 Tc BT 0 1 0 rg [1 2] TJ 0 0 0 1 k % 9 Tf)`, with(func(l *appearance.Look) {
			l.FontSize, l.Color = 7, []float64{0, 0, 0, 1}
		})},
		{"font of the form", "", "/DA(/F1 9 Tf 1 0 0 rg)", with(func(l *appearance.Look) { l.Style = typeset.Style{Serif: true, Italic: true} })},
		{"no number", "", "/DA(/Helv x Tf)", with(func(l *appearance.Look) { l.FontSize, l.Color = 0, nil })},
		{"DA is a name", "", "/DA/Helv", with(func(l *appearance.Look) { l.FontSize, l.Color = 0, nil })},
		{"rotation", "", "/MK<</R -90>>", with(func(l *appearance.Look) { l.Rotation = 270 })},
		{"rotation by a full turn", "", "/MK<</R 810>>", with(func(l *appearance.Look) { l.Rotation = 90 })},
		{"colors", "", "/MK<</BC[0 0 1]/BG[]>>", with(func(l *appearance.Look) { l.Border = []float64{0, 0, 1} })},
		{"border style", "", "/BS<</W 3/S/D/D[4 1]>>", with(func(l *appearance.Look) { l.BorderWidth, l.BorderStyle, l.Dash = 3, 'D', []float64{4, 1} })},
		{"dashed by default", "", "/BS<</S/D>>", with(func(l *appearance.Look) { l.BorderStyle, l.Dash = 'D', []float64{3} })},
		{"older border", "", "/Border[0 0 2[5]]", with(func(l *appearance.Look) { l.BorderWidth, l.BorderStyle, l.Dash = 2, 'D', []float64{5} })},
		{"border style instead of an older border", "", "/Border[0 0 2]/BS<</W 4>>", with(func(l *appearance.Look) { l.BorderWidth = 4 })},
		{"wide border", "", "/BS<</W 1000>>", with(func(l *appearance.Look) { l.BorderWidth = 10 })},
		{"comb", "/Ff 16777216/MaxLen 5", "", with(func(l *appearance.Look) { l.Comb, l.MaxLength = true, 5 })},
		{"comb of several lines", "/Ff 16781312/MaxLen 5", "", with(func(l *appearance.Look) { l.Multiline, l.MaxLength = true, 5 })},
	} {
		file := build("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/Q 1/DA(/Helv 9 Tf 1 0 0 rg)/DR<</Font<</F1 6 0 R>>>>>>>>",
			"<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Annots[5 0 R]>>",
			"<</T(name)/FT/Tx"+c.parent+"/Kids[5 0 R]>>",
			"<</Subtype/Widget/Rect[200 320 10 300]/Parent 4 0 R"+c.widget+">>",
			"<</Type/Font/Subtype/Type1/BaseFont/ABCDEF+Georgia-Italic>>")
		f, err := open(file)
		if err != nil {
			t.Fatal(err)
		}
		m := f.readForm()
		if got := m.look(m.byRef[Ref{1, 0}]); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
