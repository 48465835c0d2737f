package annotation

import (
	"context"
	"fmt"
	"sync"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// forms holds what the service reads and fills PDF files with.
type forms struct {
	reader *pdf.Reader
	fonts  *typeset.Fonts
	// stop ends the preparation, and background waits for its end.
	stop       context.CancelFunc
	background *sync.WaitGroup
}

// openForms returns the forms. PDFium is compiled in the background, until ctx ends. The
// caller closes the forms.
func openForms(ctx context.Context, cfg pdf.Config, t *telemetry.Telemetry) (forms, error) {
	reader, err := pdf.NewReader(cfg, t.Log)
	if err != nil {
		return forms{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	f := forms{reader, typeset.NewFonts(cfg.FontDirs...), stop, &sync.WaitGroup{}}
	jobrun.All.WarmUp(ctx, f.background, "pdf", t, func(ctx context.Context) error {
		if err := reader.Prepare(ctx); err != nil {
			return err
		}
		confined := reader.Confinement()
		t.Health.Part(annotationapi.Service).Note("sandbox", confined.String())
		t.Log.Info("the PDF filler is ready", "sandbox", confined)
		return nil
	})
	return f, nil
}

// close ends the processes.
func (f forms) close() error {
	f.stop()
	f.background.Wait()
	return f.reader.Close()
}

// Checks returns the checks that the doctor command runs.
func Checks(cfg Config) []runner.Check {
	return []runner.Check{
		{Name: "PDF filler", Run: func(ctx context.Context) (string, error) { return checkFiller(ctx, cfg.PDF) }},
		fontsCheck(cfg.PDF.FontDirs),
	}
}

// checkFiller reads a PDF with the processes that fill PDFs.
func checkFiller(ctx context.Context, cfg pdf.Config) (string, error) {
	took, err := cfg.Try(ctx)
	if err != nil {
		return "", &runner.Advice{Err: err, Fix: "Check ANNOTATION_PDF_MEMORY and ANNOTATION_PDF_CACHE, and the limits of this process: ulimit -a"}
	}
	return fmt.Sprintf("PDFium opens a form; cold start took %d ms", took.Milliseconds()), nil
}
