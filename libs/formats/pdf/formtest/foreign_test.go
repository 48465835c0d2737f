package formtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// TestForeign writes text onto the first page of real contracts.
func TestForeign(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus.Folder(t, "contracts", "pdf"), "*.[pP][dD][fF]"))
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no contracts", err)
	}
	r := newReader(t, 1<<30)
	v := form.Value{Text: "Zoë 合同", Stamps: []form.Stamp{{Page: 1, Box: layout.Box{Left: 0.4, Top: 0.02, Right: 0.6, Bottom: 0.05}, Cover: true}}}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			foreign(r.with(t), file, v)
		})
	}
}

// foreign writes a value onto a real file and checks the result.
func foreign(r reader, file []byte, v form.Value) {
	before := r.pages(file)
	filled, _ := r.fill(file, order(v))
	if after := r.pages(filled); len(after) != len(before) || after[0] != before[0] {
		r.t.Errorf("%d pages became %d, the first %+v became %+v", len(before), len(after), before[0], after[0])
	}
	words, err := r.Words(r.t.Context(), bytes.NewReader(filled), int64(len(filled)), 1)
	if err != nil {
		r.t.Fatal(err)
	}
	if !strings.Contains(letters(words.Text), letters(v.Text)) {
		r.t.Errorf("PDFium does not read %q on page 1", v.Text)
	}
	var own bytes.Buffer
	if err := r.Render(r.t.Context(), bytes.NewReader(filled), int64(len(filled)), 1, 300, &own); err != nil {
		r.t.Error(err)
	}
	// Some real files have faults; filling must not add any.
	if clean(r.t, file) && !clean(r.t, filled) {
		r.t.Error("qpdf finds faults only in the filled file")
	}
}

// pages returns the pages of a file.
func (r reader) pages(file []byte) []pdf.PageSize {
	r.t.Helper()
	pages, err := r.Pages(r.t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		r.t.Fatal(err)
	}
	return pages
}

// refusal returns the reason why a file was refused, or "" if there is no error. Any other
// error fails the test.
func refusal(t testing.TB, what string, err error) string {
	t.Helper()
	var refused *pdf.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Reason
	}
	t.Errorf("%s: not an *Error: %v", what, err)
	return "another error"
}
