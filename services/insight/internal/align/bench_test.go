package align_test

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/align"
)

// BenchmarkAlign aligns the longest template of the corpus.
func BenchmarkAlign(b *testing.B) {
	name := filepath.Join(corpus.Folder(b), "docx-templates", "common-paper-csa-with-sla.docx")
	doc, pages := read(b, name), pagesOf(b, pdfOf(convert(b, []string{name}), name))
	var c align.Coverage
	for b.Loop() {
		_, c = align.Align(doc, pages)
	}
	b.ReportMetric(c.Share(), "found")
	b.ReportMetric(float64(len(pages.Pages)), "pages")
}
