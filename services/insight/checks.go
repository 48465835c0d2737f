package insight

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/runner"
)

// Checks returns the checks that the doctor command runs.
func Checks(cfg Config) []runner.Check {
	return []runner.Check{
		{Name: "PDF reader", Run: func(ctx context.Context) (string, error) { return checkReader(ctx, cfg.PDF) }},
		{Name: "language model", Run: func(ctx context.Context) (string, error) { return checkModel(ctx, cfg.Model) }},
	}
}

// checkReader reads a page. This is the only reliable check, because the reader process may
// lack memory, or permission to run in the sandbox.
func checkReader(ctx context.Context, cfg pdf.Config) (string, error) {
	advice := func(err error) error {
		return &runner.Advice{Err: err, Fix: "Look at INSIGHT_PDF_MEMORY and INSIGHT_PDF_CACHE, and at the limits of this process: ulimit -a"}
	}
	reader, err := pdf.NewReader(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", advice(err)
	}
	begin := time.Now()
	file, err := reader.Read(ctx, strings.NewReader(page), int64(len(page)))
	took := time.Since(begin)
	if closed := reader.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", advice(err)
	}
	if len(file.Words) == 0 {
		return "", advice(fmt.Errorf("no word was found on a page that has one"))
	}
	return fmt.Sprintf("PDFium reads a page; cold start took %d ms", took.Milliseconds()), nil
}

// page is a PDF with one page and one word.
const page = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj
4 0 obj <</Length 33>> stream
BT /F 12 Tf 9 50 Td (Recto) Tj ET
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
trailer <</Root 1 0 R>>
`
