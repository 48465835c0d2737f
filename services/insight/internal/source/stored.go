package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/align"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// readStored reads a version of a stored document: its PDF, and the file that the PDF was
// made from.
func (r *Reading) readStored(ctx context.Context) error {
	m := r.material
	converted, err := r.reader.Stored(ctx, m.Principal, conversionapi.StoredRequest{
		DocumentID: m.DocumentID, Version: documentapi.Version{Number: m.VersionNumber, Given: true}, Format: conversionapi.DefaultFormat,
	})
	if err != nil {
		return unconverted(err)
	}
	file, err := fileOf(m, converted.Result)
	if err != nil {
		return err
	}
	r.Shown = domain.Shown{Key: converted.Result.Key, Name: converted.Result.Name, Type: pdfType, Lifetime: converted.File}
	shown, size, err := r.fetch(ctx, r.Shown.Key, file.Name)
	if errors.Is(err, blob.ErrNotFound) && r.Shown.Key != file.Key {
		return problem.New(problem.Unavailable, "The PDF of the file %s expired during the request. Retry the request.", file.Name).
			After(time.Second).Because(err)
	}
	if err != nil {
		return err
	}
	original, originalSize := shown, size
	if file.Key != r.Shown.Key {
		if original, originalSize, err = r.fetch(ctx, file.Key, file.Name); err != nil {
			return err
		}
	}
	kind, err := filetype.Detect(original, originalSize)
	if err != nil {
		return fault(file.Name, err)
	}
	r.told.Reached(insightapi.StageFetched)
	return r.readFile(ctx, file, kind, opened{original, originalSize}, opened{shown, size})
}

// unconverted returns the error of a conversion, reworded for a client that asked for
// insights.
func unconverted(err error) error {
	var refused *problem.Error
	if !errors.As(err, &refused) || refused.Code != problem.InvalidRequest {
		return err
	}
	told := *refused
	told.Detail = strings.Replace(refused.Detail, "no file that can be converted to PDF", "no readable file", 1)
	return &told
}

const pdfType = "application/pdf"

// fileOf returns the file that was converted.
func fileOf(m domain.Material, converted conversionapi.Result) (documentapi.Content, error) {
	for _, f := range m.Files {
		if f.ID == converted.FileID {
			return f, nil
		}
	}
	return documentapi.Content{}, fmt.Errorf("the converted file %q does not belong to version %d of %s", converted.FileID, m.VersionNumber, m.DocumentID)
}

// opened is a file and its size.
type opened struct {
	*os.File
	size int64
}

// readFile reads the original file and the PDF that clients are shown, which may be the
// same.
func (r *Reading) readFile(ctx context.Context, file documentapi.Content, kind filetype.Type, original, shown opened) (err error) {
	r.file, r.kind, r.original = file, kind, original
	r.IDs = ids(file, kind.MIME())
	if r.pages, err = r.reader.PDF.ReadAhead(ctx, shown.File, shown.size, OpeningPages, r.openPDF); err != nil {
		return fault(file.Name, err)
	}
	r.Text = &r.pages.Document
	if kind.IsWord() {
		if err := r.readWord(ctx, original); err != nil {
			return fault(file.Name, err)
		}
		r.open(r.Text)
	}
	r.openPDF(r.pages) // unless its first pages were
	r.told.Reached(insightapi.StageRead)
	return nil
}

// openPDF reports the pages as the opening, unless that has been done, or the PDF only shows
// the text of a Word document.
func (r *Reading) openPDF(first *pdf.File) {
	if r.kind.IsWord() || r.Opening != nil {
		return
	}
	r.Title = first.Title
	if r.kind == filetype.PDF { // the properties of a converted PDF are not those of the document
		r.describePDF(first)
	}
	r.open(&first.Document)
}

// describePDF takes the identity of a PDF from its properties.
func (r *Reading) describePDF(f *pdf.File) {
	if !f.Created.IsZero() {
		r.IDs.CreateDatetime = seconds(f.Created)
	}
	if f.HBREF != "" {
		r.IDs.PDFHBREF = &f.HBREF
	}
}

// readWord reads a Word document, and locates its text on the pages of the PDF.
func (r *Reading) readWord(ctx context.Context, original opened) error {
	word, text, err := openWord(ctx, original)
	if err != nil {
		return err
	}
	properties, err := docxtext.ReadProperties(ctx, word)
	if err != nil {
		return err
	}
	r.word, r.Title = word, properties.Title
	r.Text, _ = align.Align(text, &r.pages.Document)
	if properties.GUID != "" {
		r.IDs.DOCXGUID = &properties.GUID
	}
	if !properties.Created.IsZero() {
		r.IDs.CreateDatetime = seconds(properties.Created)
	}
	return nil
}

// openWord opens a Word document and reads its text.
func openWord(ctx context.Context, f opened) (*docx.Package, *layout.Document, error) {
	word, err := docx.Open(f.File, f.size, docx.DefaultLimits())
	if err == nil {
		err = word.Check(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := docxtext.Read(ctx, word)
	return word, text, err
}
