package form

import (
	"math"
	"strings"
	"testing"
)

// TestFlattenPlaces checks that the word of an appearance is where it was.
func TestFlattenPlaces(t *testing.T) {
	const form, rect = "/Type/XObject/Subtype/Form", "/Rect[100 200 200 220]"
	for _, c := range []struct{ name, widget, appearance string }{
		{"as it is", rect, form + "/BBox[0 0 100 20]"},
		{"scaled", rect, form + "/BBox[0 0 50 40]"},
		{"moved", rect, form + "/BBox[-10 -5 90 15]"},
		{"tiny scale", rect, form + "/BBox[0 0 90000 18000]/Matrix[900 0 0 900 7 -9]"},
		{"corners swapped", "/Rect[200 220 100 200]", form + "/BBox[100 20 0 0]"},
		{"a quarter turn", "/Rect[100 200 120 300]", form + "/BBox[0 0 100 20]/Matrix[0 1 -1 0 20 0]"},
		{"upside down", rect, form + "/BBox[0 0 100 20]/Matrix[-1 0 0 -1 100 20]"},
		{"sheared", rect, form + "/BBox[0 0 100 20]/Matrix[1 0 0.5 1 3 4]"},
		{"no type", rect, "/BBox[0 0 100 20]"},
		{"upright on a rotated page", rect + "/F 20", form + "/BBox[0 0 100 20]"},
	} {
		for _, page := range []string{"", "/Rotate 90", "/Rotate 180", "/Rotate -90", "/MediaBox[50 50 280 390]/CropBox[60 70 270 380]"} {
			t.Run(c.name+page, func(t *testing.T) {
				widget := strings.Replace(field, "/F 4", "", 1)
				if !strings.Contains(c.widget, "/F ") {
					widget += "/F 4"
				}
				file := document("", page, widget+c.widget+">>", shows(c.appearance))
				want := wordBox(t, file, 1, 1)
				got := wordBox(t, flatten(t, file), 1, 1)
				if far(got.Left, want.Left) || far(got.Top, want.Top) || far(got.Right, want.Right) || far(got.Bottom, want.Bottom) {
					t.Errorf("the word is at %+v, want %+v", got, want)
				}
			})
		}
	}
}

// far reports whether two coordinates differ by more than any device shows.
func far(a, b float64) bool { return math.Abs(a-b) > 0.01 }

// TestFlattenWithoutBox checks that an appearance without a box covers its widget.
func TestFlattenWithoutBox(t *testing.T) {
	for name, c := range map[string][3]string{
		"upright":        {"/Rect[100 200 200 220]", "", "/BBox[0 0 100 20]"},
		"a quarter turn": {"/Rect[100 200 120 300]", "/Matrix[0 1 -1 0 20 0]", "/BBox[0 0 100 20]/Matrix[0 1 -1 0 20 0]"},
	} {
		want := wordBox(t, flatten(t, widgets("", field+c[0]+">>", shows(c[2]))), 1, 1)
		if got := wordBox(t, flatten(t, widgets("", field+c[0]+">>", shows(c[1]))), 1, 1); got != want {
			t.Errorf("%s: the word is at %+v, want %+v", name, got, want)
		}
	}
}

// TestFlattenInvisible checks that what viewers do not show is not on the page afterwards.
func TestFlattenInvisible(t *testing.T) {
	const rect, box = "/Rect[100 200 200 220]", "/BBox[0 0 100 20]"
	for name, c := range map[string][2]string{
		"hidden":            {rect + "/F 2", box},
		"not to be viewed":  {rect + "/F 36", box},
		"no height":         {"/Rect[100 200 200 200]", box},
		"no rectangle":      {"", box},
		"an empty box":      {rect, "/BBox[0 0 0 20]"},
		"a singular matrix": {rect, box + "/Matrix[0 0 0 0 0 0]"},
		"not finite":        {rect, "/BBox[0 0 0.000000001 20]"},
		"an image":          {rect, "/Subtype/Image" + box},
		"off":               {rect + "/AS/Off/AP<</N<</On 6 0 R>>>>", box},
		"no state":          {rect + "/AP<</N<</On 6 0 R>>>>", box},
		"not a stream":      {rect + "/AP<</N<</On 6 0 R>>>>/AS/On", ""},
	} {
		appearance := shows(c[1])
		if c[1] == "" {
			appearance = "[]"
		}
		widget := field
		if strings.Contains(c[0], "/AP") {
			widget = strings.Replace(field, "/AP<</N 6 0 R>>", "", 1)
		}
		if strings.Contains(c[0], "/F ") {
			widget = strings.Replace(widget, "/F 4", "", 1)
		}
		out := flatten(t, widgets("", widget+c[0]+">>", appearance))
		if got := words(t, out, 1); got != "" {
			t.Errorf("%s: the page says %q", name, got)
		}
		if p := reopen(t, out).pages[0]; p.Dict["Contents"] != nil {
			t.Errorf("%s: the page has the content %v", name, p.Dict["Contents"])
		}
	}
}

// TestFlattenStates checks which state of a button is drawn.
func TestFlattenStates(t *testing.T) {
	const box = "<</Type/Annot/Subtype/Widget/FT/Btn/T(a)/F 4/Rect[100 200 200 220]/AP<</N<</On 6 0 R/Off 7 0 R>>>>"
	off := streamObject("/Subtype/Form/BBox[0 0 100 20]"+helvetica, "BT /F 10 Tf 4 5 Td (Empty) Tj ET")
	for entries, want := range map[string]string{
		"/AS/On": "Stamp", "/AS/Off": "Empty", "": "Empty", "/V/On": "Stamp", "/V/Other": "Empty", "/AS/Other": "", "/AS/Off/V/On": "Empty",
	} {
		file := widgets("", box+entries+">>", shows("/Subtype/Form/BBox[0 0 100 20]"), off)
		if got := words(t, flatten(t, file), 1); got != want {
			t.Errorf("%s: the page says %q, want %q", entries, got, want)
		}
	}
	file := widgets("", box+"/AS/Off>>", shows("/Subtype/Form/BBox[0 0 100 20]"), off)
	if got := words(t, flatten(t, file, Value{Widgets: []Widget{on(0)}}), 1); got != "Stamp" {
		t.Errorf("after switching it on the page says %q", got)
	}
}

// TestFlattenLayers checks that a widget of an optional content group is still shown only
// where the group is.
func TestFlattenLayers(t *testing.T) {
	const group = "<</Type/OCG/Name(x)>>"
	for _, oc := range []string{"/OC 7 0 R", "/OC<</Type/OCMD/OCGs 7 0 R>>"} {
		for state, want := range map[string]string{"ON": "Stamp", "OFF": ""} {
			file := document("/OCProperties<</OCGs[7 0 R]/D<</"+state+"[7 0 R]>>>>", "",
				field+"/Rect[100 200 200 220]"+oc+">>", shows("/Subtype/Form/BBox[0 0 100 20]"), group)
			out := flatten(t, file)
			if got := drawn(t, out, 1); got != want {
				t.Errorf("%s, %s: the page says %q, want %q", oc, state, got, want)
			}
		}
	}
}
