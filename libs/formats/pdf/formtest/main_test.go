// Package formtest checks filled PDFs with other programs: PDFium, poppler, MuPDF and qpdf
// must agree about them. It fills damaged files too.
package formtest

import (
	"bytes"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

func TestMain(m *testing.M) { pdftest.Main(m) }

// reader is a Reader for a test.
type reader struct {
	*pdf.Reader
	t testing.TB
}

// newReader returns a Reader that is closed at the end of the test.
func newReader(t testing.TB, memory uint64) reader {
	t.Helper()
	cfg := pdftest.Config()
	cfg.Memory = memory
	return reader{pdftest.NewReader(t, cfg), t}
}

// with returns the reader for a subtest.
func (r reader) with(t testing.TB) reader { return reader{r.Reader, t} }

// read reads a file.
func (r reader) read(file []byte) *pdf.File {
	r.t.Helper()
	f, err := r.ReadForm(r.t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// fill fills a file and returns the result.
func (r reader) fill(file []byte, o pdf.Filling) ([]byte, pdf.Filled) {
	r.t.Helper()
	var out bytes.Buffer
	done, err := r.Fill(r.t.Context(), bytes.NewReader(file), int64(len(file)), o, &out)
	if err != nil {
		r.t.Fatal(err)
	}
	if done.Size != int64(out.Len()) {
		r.t.Errorf("%d bytes were reported and %d written", done.Size, out.Len())
	}
	return out.Bytes(), done
}

// field returns the widgets of a field. If there are none, the test fails.
func (r reader) field(f *pdf.File, name string) []pdf.Field {
	r.t.Helper()
	var found []pdf.Field
	for _, w := range f.Fields {
		if w.Name == name {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		r.t.Fatalf("there is no field %s among %d", name, len(f.Fields))
	}
	return found
}

// text returns the value that writes text into the widgets.
func text(widgets []pdf.Field, text string) form.Value {
	v := form.Value{Text: text}
	for _, w := range widgets {
		v.Widgets = append(v.Widgets, form.Widget{Ref: ref(w)})
	}
	return v
}

// ref returns the place of a widget in its file.
func ref(w pdf.Field) form.Ref { return form.Ref{Page: w.Page, Annotation: w.Annotation} }

// order returns an order of values.
func order(values ...form.Value) pdf.Filling {
	return pdf.Filling{Order: form.Order{Values: values}}
}
