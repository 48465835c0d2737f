package docxtext_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// TestForeign reads third-party documents: every path must resolve to the text of its
// run, and all spans must be in order.
func TestForeign(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t), "*", "*.do[ct][xm]"))
	if err != nil {
		t.Fatal(err)
	}
	read, runs := 0, 0
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := docx.Open(bytes.NewReader(b), int64(len(b)), docx.DefaultLimits())
		if err != nil {
			continue
		}
		doc, err := docxtext.Read(t.Context(), pkg)
		if refusal := new(docx.Error); errors.As(err, &refusal) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read++
		runs += len(doc.Runs)
		inOrder(t, doc)
		resolves(t, pkg, doc)
	}
	t.Logf("%d of %d files read, %d runs", read, len(files), runs)
	if read == 0 || read < len(files)/2 {
		t.Errorf("%d of %d files were read", read, len(files))
	}
}

// resolves checks that every path resolves to the text of its run.
func resolves(t *testing.T, pkg *docx.Package, doc *layout.Document) {
	t.Helper()
	paths := make([]string, len(doc.Runs))
	for i, run := range doc.Runs {
		paths[i] = run.Path
	}
	texts, err := docxtext.ResolveAll(t.Context(), pkg, paths)
	if err != nil {
		t.Error(err)
		return
	}
	for i, run := range doc.Runs {
		if texts[i] != doc.Quote(run.Span) {
			t.Errorf("%s resolves to %q, want %q", run.Path, texts[i], doc.Quote(run.Span))
		}
	}
}

// inOrder checks the invariants of a document.
func inOrder(t *testing.T, doc *layout.Document) {
	t.Helper()
	at := 0
	for _, b := range doc.Blocks {
		if b.Start != at || b.End < b.Start || doc.Text[b.End] != '\n' {
			t.Fatalf("the paragraph %+v does not begin at %d, or is not followed by a line break", b, at)
		}
		at = b.End + 1
	}
	if at != len(doc.Text) {
		t.Fatalf("paragraphs end at %d of %d", at, len(doc.Text))
	}
	at = 0
	seen := map[string]bool{}
	for _, r := range doc.Runs {
		if r.Start < at || r.End <= r.Start || seen[r.Path] {
			t.Fatalf("the run %+v begins before %d, is empty, or repeats a path", r, at)
		}
		at, seen[r.Path] = r.End, true
	}
	if at > len(doc.Text) || strings.Contains(doc.Text, "\x00") {
		t.Fatalf("runs end at %d of %d", at, len(doc.Text))
	}
}

// BenchmarkRead reads the largest template.
func BenchmarkRead(b *testing.B) {
	name := filepath.Join(corpus.Folder(b), "docx-templates", "common-paper-csa-with-sla.docx")
	file, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		doc, err := docxtext.Read(b.Context(), open(b, file))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(doc.Text)))
	}
}
