package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// foreign returns the PDFs of contracts in the corpus. Without a corpus the test is
// skipped.
func foreign(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus.Folder(t, "contracts", "pdf"), "*.[pP][dD][fF]"))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte, len(paths))
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// check fails the test unless the file meets the guarantees of File.
func check(t *testing.T, f *pdf.File) {
	t.Helper()
	if !utf8.ValidString(f.Text) {
		t.Error("the text is not UTF-8")
	}
	at := 0
	for i, p := range f.Pages {
		if p.Start != at || p.End < p.Start || p.Width <= 0 || p.Height <= 0 || p.Len() > 0 && f.Text[p.End-1] != '\n' {
			t.Errorf("page %d is %+v, but the previous page ends at %d", i+1, p, at)
		}
		at = p.End
	}
	if at != len(f.Text) {
		t.Errorf("the pages end at %d of %d", at, len(f.Text))
	}
	at = 0
	for _, w := range f.Words {
		b := w.Box
		if w.Start < at || w.Len() < 1 || !f.Pages[w.Page-1].Contains(w.Span) || strings.ContainsAny(f.Quote(w.Span), " \n\t") ||
			b.Left < 0 || b.Top < 0 || b.Right > 1 || b.Bottom > 1 || b.Left >= b.Right || b.Top >= b.Bottom {
			t.Errorf("the word %q is %+v", f.Quote(w.Span), w)
		}
		if between := f.Text[at:w.Start]; at > 0 && between != " " && between != "\n" {
			t.Logf("the text between words is %q", between)
		}
		at = w.End
	}
}

// TestForeign reads real contracts, and logs the speed.
func TestForeign(t *testing.T) {
	files := foreign(t)
	r := traced(t, pdftest.Config())
	if err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages, words, scans, began := 0, 0, 0, time.Now()
	for name, b := range files {
		f, err := r.Read(t.Context(), bytes.NewReader(b), int64(len(b)))
		var refused *pdf.Error
		switch {
		case errors.As(err, &refused) && strings.Contains(refused.Reason, "no text"):
			scans++
			continue
		case err != nil:
			t.Errorf("%s: %v", name, err)
			continue
		}
		check(t, f)
		pages, words = pages+len(f.Pages), words+len(f.Words)
	}
	if scans > len(files)/2 {
		t.Errorf("of %d files, %d were refused for having no text", len(files), scans)
	}
	t.Logf("%d files, %d of them without text, %d pages, %d words: %.0f pages/s, one file at a time",
		len(files), scans, pages, words, float64(pages)/time.Since(began).Seconds())
}
