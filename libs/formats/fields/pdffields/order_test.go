package pdffields_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

func number(n int) *int { return &n }

func TestOrder(t *testing.T) {
	box := layout.Box{Left: .1, Top: .1, Right: .2, Bottom: .2}
	on := func(page, annotation int, on bool) form.Widget {
		return form.Widget{Ref: form.Ref{Page: page, Annotation: annotation}, On: on}
	}
	widget := fields.Place{Page: 1, Box: box, Widget: number(3)}
	blank := fields.Place{Page: 2, Box: box, Size: 10}
	tag := fields.Place{Page: 2, Box: box, Cover: true}
	boxes := []fields.Place{{Page: 1, Widget: number(0), Option: "A"}, {Page: 1, Widget: number(1), Option: "B"}, {Page: 2, Widget: number(0), Option: "B"}}
	drawn := []fields.Place{{Page: 1, Box: box, Option: "A"}, {Page: 1, Box: box, Option: "B"}}
	ticked := []fields.Place{{Page: 1, Box: box, Option: "A", Cover: true}, {Page: 1, Box: box, Option: "B"}, {Page: 2, Box: box, Option: "C", Cover: true, Glyph: true}}
	bracket, glyph := form.Stamp{Page: 1, Box: box, Cover: true}, form.Stamp{Page: 2, Box: box, Cover: true, EmptyBox: true}
	listed := []fields.Option{{Display: "Ohio", Value: "OH"}, {Display: "Utah"}}
	for name, c := range map[string]struct {
		field fields.Field
		value fields.Filling
		want  []form.Value
	}{
		"text": {fields.Field{Places: []fields.Place{widget, blank}}, fields.Filling{Type: fields.Text, Text: "a\nb"}, []form.Value{
			{Text: "a\nb", Widgets: []form.Widget{on(1, 3, false)}, Stamps: []form.Stamp{{Page: 2, Box: box, Size: 10}}},
		}},
		"cleared":     {fields.Field{Places: []fields.Place{widget, blank, tag}}, fields.Filling{Type: fields.Text}, []form.Value{{Widgets: []form.Widget{on(1, 3, false)}, Stamps: []form.Stamp{{Page: 2, Box: box, Cover: true}}}}},
		"empty blank": {fields.Field{Places: []fields.Place{blank}}, fields.Filling{Type: fields.Text}, nil},
		"continued tag": {fields.Field{Places: []fields.Place{tag, {Page: 2, Box: box, Cover: true, Continued: true}}}, fields.Filling{Type: fields.Text, Text: "x"}, []form.Value{
			{Stamps: []form.Stamp{{Page: 2, Box: box, Cover: true}}}, {Text: "x", Stamps: []form.Stamp{{Page: 2, Box: box, Cover: true}}},
		}},
		"cleared prompt": {fields.Field{Source: fields.Detected, Places: []fields.Place{tag, {Page: 2, Box: box, Cover: true, Continued: true}}}, fields.Filling{Type: fields.Text}, nil},
		"date":           {fields.Field{Places: []fields.Place{widget}, Format: "d mmm yy"}, fields.Filling{Type: fields.Date, Text: "2026-02-03"}, []form.Value{{Text: "3 Feb 26", Widgets: []form.Widget{on(1, 3, false)}}}},
		"date, plain":    {fields.Field{Places: []fields.Place{widget}}, fields.Filling{Type: fields.Date, Text: "2026-02-03"}, []form.Value{{Text: "2026-02-03", Widgets: []form.Widget{on(1, 3, false)}}}},
		"text in date":   {fields.Field{Places: []fields.Place{widget}, Format: "d mmm yy"}, fields.Filling{Type: fields.Text, Text: "2026-02-03"}, []form.Value{{Text: "2026-02-03", Widgets: []form.Widget{on(1, 3, false)}}}},
		"ssn in nine":    {fields.Field{Places: []fields.Place{widget}, Max: number(9)}, fields.Filling{Type: fields.SSN, Text: "123-45-6789"}, []form.Value{{Text: "123456789", Widgets: []form.Widget{on(1, 3, false)}}}},
		"choice": {fields.Field{Places: []fields.Place{widget}, Options: listed}, fields.Filling{Type: fields.Dropdown, Text: "Ohio", Value: "OH", Selected: []string{"Ohio"}}, []form.Value{
			{Text: "Ohio", Export: []string{"OH"}, Shown: []string{"Ohio"}, Widgets: []form.Widget{on(1, 3, false)}},
		}},
		"choice cleared": {fields.Field{Places: []fields.Place{widget}, Options: listed}, fields.Filling{Type: fields.Dropdown}, []form.Value{{Widgets: []form.Widget{on(1, 3, false)}}}},
		"list": {fields.Field{Places: []fields.Place{widget, blank}, Options: listed}, fields.Filling{Type: fields.Checkbox, Selected: []string{"Ohio", "Utah"}, Written: true}, []form.Value{
			{Text: "Ohio, Utah", Export: []string{"OH", "Utah"}, Shown: []string{"Ohio", "Utah"}, Widgets: []form.Widget{on(1, 3, false)}, Stamps: []form.Stamp{{Page: 2, Box: box, Size: 10}}},
		}},
		"radio": {fields.Field{Places: boxes, Boxes: true, Options: []fields.Option{{Display: "A"}, {Display: "B"}}}, fields.Filling{Type: fields.Dropdown, Text: "B", Value: "B", Selected: []string{"B"}}, []form.Value{
			{Text: "B", Export: []string{"B"}, Shown: []string{"B"}, Widgets: []form.Widget{on(1, 0, false), on(1, 1, true), on(2, 0, true)}},
		}},
		"renamed checkbox": {fields.Field{Places: boxes[:2], Boxes: true, Options: []fields.Option{{Display: "First", Box: "A"}, {Display: "Second", Box: "B"}}}, fields.Filling{Type: fields.Checkbox, Selected: []string{"A"}}, []form.Value{
			{Text: "First", Export: []string{"First"}, Shown: []string{"First"}, Widgets: []form.Widget{on(1, 0, true), on(1, 1, false)}},
		}},
		"unchecked": {fields.Field{Places: boxes[:1], Boxes: true}, fields.Filling{Type: fields.Checkbox}, []form.Value{{Widgets: []form.Widget{on(1, 0, false)}}}},
		"drawn boxes": {fields.Field{Places: drawn, Boxes: true, Options: []fields.Option{{Display: "A"}, {Display: "B"}}}, fields.Filling{Type: fields.Checkbox, Selected: []string{"B"}}, []form.Value{
			{Text: "B", Export: []string{"B"}, Shown: []string{"B"}, Stamps: []form.Stamp{{Page: 1, Box: box, Tick: true}}},
		}},
		"ticked boxes": {fields.Field{Source: fields.Detected, Places: ticked, Boxes: true}, fields.Filling{Type: fields.Checkbox, Selected: []string{"B"}}, []form.Value{
			{Stamps: []form.Stamp{bracket, glyph}}, {Text: "B", Export: []string{"B"}, Shown: []string{"B"}, Stamps: []form.Stamp{{Page: 1, Box: box, Tick: true}}},
		}},
		"ticked boxes kept":    {fields.Field{Source: fields.Detected, Places: ticked, Boxes: true}, fields.Filling{Type: fields.Checkbox, Selected: []string{"A", "C"}}, nil},
		"ticked boxes cleared": {fields.Field{Source: fields.Detected, Places: ticked, Boxes: true}, fields.Filling{Type: fields.Checkbox}, []form.Value{{Stamps: []form.Stamp{bracket, glyph}}}},
		"drawn boxes cleared":  {fields.Field{Places: drawn, Boxes: true}, fields.Filling{Type: fields.Checkbox}, nil},
	} {
		c.field.ID = "agreementinput-x"
		got, pictures, err := pdffields.Order([]fields.Field{c.field}, map[string]fields.Filling{"agreementinput-x": c.value})
		for i := range got.Values {
			if v := &got.Values[i]; v.Text != "" && v.Field != "agreementinput-x" {
				t.Errorf("%s: the value is that of %q", name, v.Field)
			}
			got.Values[i].Field = ""
		}
		if err != nil || len(pictures) != 0 || !reflect.DeepEqual(got, form.Order{Values: c.want}) {
			t.Errorf("%s: the order is %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
}

// TestPictures checks that equal pictures are sent once.
func TestPictures(t *testing.T) {
	a := fields.Picture{MediaType: "image/png", Width: 1, Height: 2, Orientation: 3, Size: 4, SHA256: [32]byte{1}}
	b := fields.Picture{MediaType: "image/jpeg", SHA256: [32]byte{2}}
	place := []fields.Place{{Page: 1, Widget: number(0)}}
	found := []fields.Field{{ID: "agreementinput-a", Places: place}, {ID: "agreementinput-b", Places: place}}
	got, pictures, err := pdffields.Order(found, map[string]fields.Filling{
		"agreementinput-a": {Type: fields.Image, Pictures: []fields.Picture{b, a, b}},
		"agreementinput-b": {Type: fields.Signature, Pictures: []fields.Picture{a}},
	})
	if err != nil || !reflect.DeepEqual(pictures, []fields.Picture{b, a}) {
		t.Fatalf("the pictures are %+v, %v", pictures, err)
	}
	want := []form.Picture{{MediaType: "image/jpeg"}, {MediaType: "image/png", Width: 1, Height: 2, Orientation: 3, Size: 4}}
	if !reflect.DeepEqual(got.Pictures, want) || !reflect.DeepEqual(got.Values[0].Pictures, []int{0, 1, 0}) || !reflect.DeepEqual(got.Values[1].Pictures, []int{1}) {
		t.Errorf("the order is %+v", got)
	}
}

func TestUnknownField(t *testing.T) {
	_, _, err := pdffields.Order(nil, map[string]fields.Filling{"agreementinput-b": {}, "agreementinput-a": {}})
	if err == nil || !strings.Contains(err.Error(), `"agreementinput-a"`) {
		t.Errorf("the error is %v", err)
	}
}
