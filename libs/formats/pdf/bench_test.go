package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// agreement returns a file whose pages resemble agreements: some 500 words each.
func agreement(pages int) []byte {
	text := make([]string, 45)
	for i := range text {
		text[i] = strings.Repeat(fmt.Sprintf("clause %d of it ", i), 3)
	}
	b := newBuilder()
	for range pages {
		b.page(lines(40, 740, text...), "")
	}
	return b.bytes()
}

// BenchmarkRead reads files of 15 pages one after another, including the start of a
// process, the reading, and the answer.
func BenchmarkRead(b *testing.B) {
	r := pdftest.NewReader(b, pdftest.Config())
	file, pages := agreement(15), 0
	if err := r.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := r.Read(b.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			b.Fatal(err)
		}
		pages += len(f.Pages)
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
}

// TestBenchSandbox reads a file of 15 pages and prints the cost of the sandbox.
func TestBenchSandbox(t *testing.T) {
	file := agreement(15)
	sandboxtest.Compare(t, 25, func(ctx context.Context) func() {
		r := pdftest.NewReader(t, pdftest.Config())
		r.StartIn(ctx)
		return func() {
			if _, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file))); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkPages runs the tasks of single pages on a file of 2 000 pages, including the
// start of a process: rendering at 800 pixels, the words, the sizes of all pages, and the
// sizes where pages must be loaded because one may be rotated.
func BenchmarkPages(b *testing.B) {
	r := pdftest.NewReader(b, pdftest.Config())
	if err := r.Prepare(b.Context()); err != nil {
		b.Fatal(err)
	}
	plain := agreement(2000)
	turned := bytes.Replace(plain, []byte("/Type/Page/"), []byte("/Rotate 90/Type/Page/"), 1)
	for _, bench := range []struct {
		name, kind string
		file       []byte
	}{{"render", "Render", plain}, {"words", "Words", plain}, {"sizes", "Pages", plain}, {"sizes of rotated pages", "Pages", turned}} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if err := operations[bench.kind](b.Context(), r, bytes.NewReader(bench.file), int64(len(bench.file)), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
