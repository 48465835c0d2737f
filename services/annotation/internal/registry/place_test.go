package registry_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/problem/problemtest"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// at returns the definition of a field at a box on the page.
func at(id, kind string, page int, options ...string) annotationapi.Definition {
	box := annotationapi.BoundingBox{Page: page, Left: 0.25, Top: 0.5, Width: 0.25, Height: 0.02}
	return annotationapi.Definition{FieldID: "agreementinput-" + id, Type: kind, Options: options, PageNumber: &page, BoundingBox: &box}
}

// pages returns pages of 400 by 1,000 points.
func pages(n int) []registry.Page {
	return slices.Repeat([]registry.Page{{Width: 400, Height: 1000}}, n)
}

// TestPlace merges placed fields with those of files of several kinds.
func TestPlace(t *testing.T) {
	own := fields.Field{ID: "agreementinput-own", Type: fields.Text, Source: fields.AcroForm, Places: []fields.Place{{Page: 1, Size: 9}}}
	tall := at("tall", "address", 1)
	tall.BoundingBox.Height = 0.1
	sent := []annotationapi.Definition{
		at("own", "name", 2), at("a", "name", 2), at("late", "name", 3), tall, at("tick", "checkbox", 1, "I agree"), at("list", "checkbox", 1, "A", "B"),
		{FieldID: "agreementinput-nowhere", Type: "text"}, at("pick", "dropdown", 1, "A"),
	}
	file := registry.File{Fields: []fields.Field{own}, Pages: pages(2)}
	if merged := registry.Merge(file, sent); len(merged) != len(sent) {
		t.Errorf("there are %d fields, want %d", len(merged), len(sent))
	}
	got := map[string]fields.Field{}
	for _, f := range registry.Fillable(file, sent) {
		got[f.ID[len("agreementinput-"):]] = f
	}
	if len(got) != 6 || got["late"].ID != "" || got["nowhere"].ID != "" {
		t.Fatalf("the fillable fields are %+v", got)
	}
	if f := got["own"]; f.Type != fields.Name || f.Places[0].Page != 1 || f.Places[0].Size != 9 {
		t.Errorf("the field of the file is %+v", f)
	}
	if p := got["a"].Places[0]; p.Page != 2 || p.Box != (layout.Box{Left: 0.25, Top: 0.5, Right: 0.5, Bottom: 0.52}) || p.Multiline || p.Widget != nil {
		t.Errorf("the place is %+v", p)
	}
	if !got["tall"].Places[0].Multiline {
		t.Error("a tall box has one line")
	}
	if f := got["tick"]; !f.Boxes || f.Written || f.Places[0].Option != "I agree" {
		t.Errorf("a box to tick is %+v", f)
	}
	for _, name := range []string{"list", "pick"} {
		if f := got[name]; f.Boxes || !f.Written || f.Places[0].Option != "" {
			t.Errorf("%s is %+v", name, f)
		}
	}
	for name, file := range map[string]registry.File{"Word": {Fields: []fields.Field{own}}, "none": {}} {
		if n := len(registry.Fillable(file, sent)); n != len(file.Fields) {
			t.Errorf("%s: %d fields can be filled", name, n)
		}
	}
}

// TestCheckPlace checks boxes against the pages of the file.
func TestCheckPlace(t *testing.T) {
	own := fields.Field{ID: "agreementinput-own", Type: fields.Text, Source: fields.AcroForm, Max: num(10)}
	r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{
		at("own", "text", 9), at("a", "text", 2), at("b", "text", 3), {FieldID: "agreementinput-c", Type: "text"},
	}}
	for name, tc := range map[string]struct {
		file registry.File
		want string
	}{
		"PDF":       {registry.File{Fields: []fields.Field{own}, Pages: pages(2)}, "3001 fields.2.page_number:invalid_box"},
		"one page":  {registry.File{Fields: []fields.Field{own}, Pages: pages(1)}, "3001 fields.1.page_number:invalid_box fields.2.page_number:invalid_box"},
		"long":      {registry.File{Pages: pages(9)}, "<nil>"},
		"Word":      {registry.File{}, "3001 fields.0.bounding_box:invalid_box fields.1.bounding_box:invalid_box fields.2.bounding_box:invalid_box"},
		"no upload": {registry.File{Absent: true}, "<nil>"},
	} {
		if got := problemtest.Entries(t, registry.Check(r, tc.file)); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// TestSmallBox checks that a box must have room for a readable character on its page, which
// is 400 by 1,000 points large, and that a box without is no place.
func TestSmallBox(t *testing.T) {
	const refused = "3001 fields.0.bounding_box:invalid_box"
	for _, tc := range []struct {
		width, height float64
		want          string
	}{
		{0.0125, 0.005, "<nil>"}, {0.5, 0.02, "<nil>"}, {0.0124, 0.5, refused}, {0.5, 0.0049, refused}, {1e-9, 1e-9, refused},
	} {
		d := at("a", "checkbox", 1, "I agree")
		d.BoundingBox.Width, d.BoundingBox.Height = tc.width, tc.height
		r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{d}}
		file := registry.File{Pages: pages(1)}
		err := registry.Check(r, file)
		if got := problemtest.Entries(t, err); got != tc.want {
			t.Errorf("%g by %g: got %s, want %s", tc.width, tc.height, got, tc.want)
		}
		if got := len(registry.Fillable(file, r.Fields)); got != map[string]int{"<nil>": 1, refused: 0}[tc.want] {
			t.Errorf("%g by %g: %d fields can be filled", tc.width, tc.height, got)
		}
		if err == nil {
			continue
		}
		if text := problem.Of(err).Entries[0].Resolution; text != "Send a box of at least 5 by 5 points: on this page, a width of 0.0125 and a height of 0.005." {
			t.Errorf("the resolution is %s", text)
		}
	}
}

// TestPageAdvice checks what is said about a page that the file does not have.
func TestPageAdvice(t *testing.T) {
	for n, want := range map[int]string{1: "Send page 1.", 3: "Send a page from 1 to 3."} {
		r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{at("a", "checkbox", n+1, "I agree")}}
		entries := problem.Of(registry.Check(r, registry.File{Pages: pages(n)})).Entries
		if len(entries) != 1 || entries[0].Path != "fields.0.page_number" || entries[0].Resolution != want {
			t.Errorf("%d pages: %+v, want %q", n, entries, want)
		}
	}
}

// TestFormLimit checks that the registry cannot allow more characters than the form does.
func TestFormLimit(t *testing.T) {
	own := fields.Field{ID: "agreementinput-a", Type: fields.Text, Source: fields.AcroForm, Max: num(10)}
	for _, tc := range []struct {
		kind    string
		max     int
		want    int
		refused string
	}{
		{"text", 11, 10, "3001 fields.0.max:out_of_range"}, {"text", 10, 10, "<nil>"}, {"email", 3, 3, "<nil>"},
	} {
		r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{{FieldID: own.ID, Type: tc.kind, Max: &tc.max}}}
		file := registry.File{Fields: []fields.Field{own}, Pages: pages(1)}
		if got := problemtest.Entries(t, registry.Check(r, file)); got != tc.refused {
			t.Errorf("%+v: got %s", tc, got)
		}
		if got := registry.Merge(file, r.Fields)[0].Max; *got != tc.want {
			t.Errorf("%+v: the maximum is %d", tc, *got)
		}
	}
}
