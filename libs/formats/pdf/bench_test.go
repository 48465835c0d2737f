package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
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
	r := newReader(b, defaults())
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
		r := newReader(t, defaults())
		r.StartIn(ctx)
		return func() {
			if _, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file))); err != nil {
				t.Fatal(err)
			}
		}
	})
}
