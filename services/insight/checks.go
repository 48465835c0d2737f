package insight

import (
	"context"
	"fmt"

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

// checkReader reads a PDF.
func checkReader(ctx context.Context, cfg pdf.Config) (string, error) {
	took, err := cfg.Try(ctx)
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Look at INSIGHT_PDF_MEMORY and INSIGHT_PDF_CACHE, and at the limits of this process: ulimit -a"}
	}
	return fmt.Sprintf("PDFium reads a page; cold start took %d ms", took.Milliseconds()), nil
}
