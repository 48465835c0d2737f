package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// TestReadAhead checks that the first pages of a long file are handed over once, and are the
// beginning of the file, and that a file without more pages is not handed over.
func TestReadAhead(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	for _, pages := range []int{3, 4, 40} {
		file := agreement(pages)
		var first []*pdf.File
		whole, err := r.ReadAhead(t.Context(), bytes.NewReader(file), int64(len(file)), 3, func(f *pdf.File) { first = append(first, f) })
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil || !reflect.DeepEqual(whole, want) {
			t.Errorf("%d pages are read differently, %v", pages, err)
		}
		if pages == 3 {
			if len(first) > 0 {
				t.Error("a short file was handed over early")
			}
			continue
		}
		begun := *whole
		begun.Text, begun.Pages, begun.Words = whole.Text[:whole.Pages[2].End], whole.Pages[:3], whole.WordsOf(layout.Span{End: whole.Pages[2].End})
		if len(first) != 1 || !reflect.DeepEqual(*first[0], begun) {
			t.Errorf("%d pages: %d files were handed over, or not the first pages", pages, len(first))
		}
	}
}

// TestReadAheadStops checks that a reading whose context ends when the first pages are handed
// over fails, and ends its process: the next file is read by another.
func TestReadAheadStops(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Processes = 1
	r := pdftest.NewReader(t, cfg)
	file := agreement(200)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if f, err := r.ReadAhead(ctx, bytes.NewReader(file), int64(len(file)), 10, func(*pdf.File) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", f, err)
	}
	if _, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file))); err != nil {
		t.Error(err)
	}
}
