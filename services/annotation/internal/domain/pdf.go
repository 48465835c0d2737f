package domain

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/annotation/internal/judge"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// PDF reads and fills PDF files. A *pdf.Reader implements it, and its errors are those of
// its methods.
type PDF interface {
	ReadForm(ctx context.Context, f io.ReaderAt, size int64) (*pdf.File, error)
	Fill(ctx context.Context, f io.ReaderAt, size int64, o pdf.Filling, w io.Writer) (pdf.Filled, error)
}

// findInPDF finds the fields of a PDF. A scan has none of its own, but the registry may
// place fields on its pages. The error is a *refusal if the file cannot be read: a form whose
// fields are not found must not look like one without fields.
func (s *Service) findInPDF(ctx context.Context, source *source) error {
	file, err := s.PDF.ReadForm(ctx, source.scratch, source.size)
	if err != nil {
		return unanswered(ctx, source.fault(err))
	}
	source.found.Fields = pdffields.Find(file)
	for _, p := range file.Pages {
		source.found.Pages = append(source.found.Pages, registry.Page{Width: p.Width, Height: p.Height})
	}
	return nil
}

// fillPDF writes the values into the PDF.
func (s *Service) fillPDF(ctx context.Context, source *source, values judged, flatten bool, out io.Writer) (pdf.Filled, error) {
	order, pictures, err := pdffields.Order(values.known, values.fillings)
	if err != nil {
		return pdf.Filled{}, err
	}
	order.Flatten = flatten
	filled, err := s.PDF.Fill(ctx, source.scratch, source.size, pdf.Filling{Order: order, Pictures: pictures}, out)
	var missing *typeset.MissingError
	if errors.As(err, &missing) {
		return filled, values.sent.Unsupported(missing.Rune, values.known, values.fillings)
	}
	return filled, unanswered(ctx, source.fault(err))
}

// pdfRetry is the retry delay for callers whose PDF was not read because of this machine.
const pdfRetry = time.Second

// unanswered returns an error for clients if the process that reads PDFs failed, although
// the file is not at fault.
func unanswered(ctx context.Context, err error) error {
	var refused *refusal
	var known *problem.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &refused) || errors.As(err, &known) {
		return err
	}
	return problem.New(problem.Unavailable, "The PDF could not be opened. Retry the request.").After(pdfRetry).Because(err)
}

// judged are the values of a request that passed all checks.
type judged struct {
	sent judge.FieldValues
	// known are the fields that the document has, with those that the registry places.
	known    []fields.Field
	fillings map[string]fields.Filling
}
