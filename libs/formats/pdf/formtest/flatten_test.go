package formtest

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// TestFlattenedLooks checks that a file looks and reads the same after flattening as before,
// in every program.
func TestFlattenedLooks(t *testing.T) {
	r := newReader(t, 1<<30)
	for i, n := range []pdfforms.Named{
		{Name: "form in object streams", File: pdfforms.FormInStreams(20), Text: "field_1"},
		{Name: "inherited attributes", File: pdfforms.Inherited(), Text: "party.address.city"},
		{Name: "shared names", File: pdfforms.Shared(), Text: "name"},
		{Name: "no appearances", File: pdfforms.WithoutAppearances(), Text: "field_1"},
		{Name: "fields that the form lacks", File: pdfforms.Orphans(), Text: "orphan"},
		{Name: "UserUnit", File: pdfforms.Scaled(2), Text: "upright"},
		{Name: "rotated", File: pdfforms.Rotated(270), Text: "upright"},
		{Name: "other annotations", File: pdfforms.Annotated(), Text: "field_1"},
		{Name: "encrypted", File: pdfforms.Encrypt(t, pdfforms.Form(2), "", "owner"), Text: "field_1"},
	} {
		t.Run(n.Name, func(t *testing.T) {
			r, value := r.with(t), scripts[i%len(scripts)]
			o := order(text(r.field(r.read(n.File), n.Text), value.text))
			before, _ := r.fill(n.File, o)
			o.Flatten = true
			after, _ := r.fill(n.File, o)
			pdfforms.Check(t, after)
			if left := len(r.read(after).Fields); left > 0 {
				t.Errorf("%d widgets are left", left)
			}
			readable(r, after, value)
			same(t, pictures(r, before, 1, width), pictures(r, after, 1, width))
		})
	}
}

// TestFlattenedKinds checks that every program draws fields of every kind after flattening,
// although most have no appearance before.
func TestFlattenedKinds(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.EveryKind()
	f := r.read(file)
	o := order(text(r.field(f, "text_left"), "Left"))
	o.Flatten = true
	flat, done := r.fill(file, o)
	pdfforms.Check(t, flat)
	if !done.Calculations {
		t.Error("nothing tells that a script calculates the total")
	}
	var boxes []layout.Box
	for _, name := range []string{"text_left", "text_value", "text_read_only", "text_comb", "check_yes"} {
		boxes = append(boxes, r.field(f, name)[0].Box)
	}
	readable(r, flat, script{"Latin", "Left"}, script{"Latin", "Old value"}, script{"Latin", "Fixed"})
	agree(t, pictures(r, flat, 1, width), boxes...)
}

// Tolerances of the difference between pictures that one program draws. Programs smooth
// the edges of annotations and of content in different ways.
const (
	meanDrawn    = 0.0005
	largestDrawn = 0.1
)

// same fails the test unless each program draws the same twice.
func same(t testing.TB, before, after map[string]image.Image) {
	t.Helper()
	for by := range before {
		a, b := inkOf(before[by]), inkOf(after[by])
		if a.columns != b.columns || a.rows != b.rows {
			t.Errorf("%s draws %v, before it was %v", by, after[by].Bounds(), before[by].Bounds())
			continue
		}
		mean, largest := difference(a, b)
		if mean > meanDrawn || largest > largestDrawn {
			t.Errorf("what %s draws differs by %.4f, and by %.2f in one cell", by, mean, largest)
		}
	}
}

// TestFlattenedAnnotations checks that links and comments are still there, and work.
func TestFlattenedAnnotations(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.Annotated()
	o := order(text(r.field(r.read(file), "field_1"), "Zoë"))
	o.Flatten = true
	flat, _ := r.fill(file, o)
	if got := string(run(t, flat, "pdfinfo", "-url", "FILE")); !strings.Contains(got, "https://example.org") {
		t.Errorf("poppler finds the links %s", got)
	}
	if got := string(run(t, flat, "mutool", "show", "FILE", "pages/1/Annots")); strings.Count(got, " 0 R") != 2 {
		t.Errorf("MuPDF finds the annotations %s", got)
	}
	for by, page := range extracted(t, flat, 1) {
		for _, hidden := range []string{"Hidden", "Layer"} {
			if strings.Contains(page, hidden) {
				t.Errorf("%s reads what is hidden: %s", by, page)
			}
		}
	}
}

// TestFlattenedRefusals checks the reasons why files are filled but not flattened.
func TestFlattenedRefusals(t *testing.T) {
	r := newReader(t, 1<<30)
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"signed":       {pdfforms.Sign(t, pdfforms.Form(20)), "flattening would break the signature"},
		"filling only": {pdfforms.Encrypt(t, pdfforms.Form(20), "", "owner", "--modify=form"), "permits no flattening"},
	} {
		v := form.Value{Text: "x", Widgets: []form.Widget{{Ref: form.Ref{Page: 1, Annotation: 1}}}}
		r.fill(tt.file, order(v))
		o := order(v)
		o.Flatten = true
		var out bytes.Buffer
		_, err := r.Fill(t.Context(), bytes.NewReader(tt.file), int64(len(tt.file)), o, &out)
		if why := refusal(t, name, err); !strings.Contains(why, tt.want) || out.Len() > 0 {
			t.Errorf("%s: got %q and %d bytes, want %q", name, why, out.Len(), tt.want)
		}
	}
}
