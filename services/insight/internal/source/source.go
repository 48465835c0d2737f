// Package source gets at the bytes of a document and makes of them what can be
// read: its text, where each piece of it stands on pages and in XML, what the
// file says of itself, and its fields. It knows no rule.
package source

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// Version names what Read makes of a file beside what its parts say of themselves:
// the text of pages of the web, which PDF belongs to it, and where the text of a Word
// document stands on that. It changes when the same file would be read otherwise.
const Version = "1"

// PDF reads PDF files. It is a *pdf.Reader.
type PDF interface {
	Read(ctx context.Context, f io.ReaderAt, size int64) (*pdf.File, error)
}

// Neighbours are the services that know what is made of documents.
type Neighbours struct {
	// Stored asks the conversion service for a version of a document as PDF, and
	// Inline for a file that is none.
	Stored func(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error)
	Inline func(ctx context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error)
	// Fields asks the annotation service for the fields of a document.
	Fields func(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error)
}

// Deps is what a Reader is given.
type Deps struct {
	Neighbours
	Objects *blob.Store
	PDF     PDF
	// Scratch is the folder for files in work.
	Scratch string
}

// Reader reads documents, any number at a time.
type Reader struct{ Deps }

// NewReader returns a Reader.
func NewReader(deps Deps) *Reader { return &Reader{deps} }

// Reading is a document that was read. It is closed after use.
type Reading struct {
	// Text has pages, and words on them, unless the document was a plain text.
	Text *layout.Document
	IDs  insightapi.IDs
	// Title is what the file says of itself, "" if it says nothing.
	Title string
	Shown domain.Shown

	material domain.Material
	reader   *Reader
	// file is the one that was read, and kind what it is.
	file documentapi.Content
	kind filetype.Type
	// word is the Word document that was read, nil for none, and pages are its
	// PDF or, where the file is one, that.
	word  *docx.Package
	pages *pdf.File
	files []*os.File
}

// Close gives back what the reading holds.
func (r *Reading) Close() {
	for _, f := range r.files {
		_ = f.Close() // it has no name any more
	}
}

// Read reads the first file of the material that can be read, and says which of
// insightapi.StageFetched and StageRead it has reached. A *problem.Error that is
// InvalidRequest is the document's own fault. The caller closes the reading.
func (r *Reader) Read(ctx context.Context, m domain.Material, reached func(stage string)) (*Reading, error) {
	reading := &Reading{material: m, reader: r}
	err := reading.read(ctx, reached)
	if err != nil {
		reading.Close()
		return nil, err
	}
	return reading, nil
}

func (r *Reading) read(ctx context.Context, reached func(stage string)) error {
	switch r.material.Kind {
	case insightapi.DocText:
		return r.readText(ctx, reached)
	case insightapi.URL:
		return r.readFetched(ctx, reached)
	default:
		return r.readStored(ctx, reached)
	}
}

// readText reads a text that was sent. It has no pages and no XML.
func (r *Reading) readText(ctx context.Context, reached func(stage string)) error {
	file := r.material.Files[0]
	r.file, r.kind = file, filetype.Text
	f, _, err := r.fetch(ctx, file.Key, file.Name)
	if err != nil {
		return err
	}
	reached(insightapi.StageFetched)
	text, err := io.ReadAll(f)
	if err != nil {
		return scratch.Fault(err, err)
	}
	r.Text = &layout.Document{Text: string(text)}
	r.Shown = domain.Shown{Key: file.Key, Name: file.Name, Type: file.Type}
	r.IDs = ids(file, r.kind.MIME())
	reached(insightapi.StageRead)
	return nil
}

// ids returns what is known of a file without looking into it.
func ids(file documentapi.Content, mime string) insightapi.IDs {
	return insightapi.IDs{MD5: file.MD5, CRC32C: file.CRC32C, CreateDatetime: float64(file.SealedAt) / 1000, MIMEType: mime}
}

// fetch returns a copy of an object from its first byte on, which is closed with
// the reading.
func (r *Reading) fetch(ctx context.Context, key, name string) (*os.File, int64, error) {
	f, size, err := scratch.Fetch(ctx, r.reader.Scratch, r.reader.Objects, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, 0, refuse(name, "no longer exists").Because(err)
	}
	if err != nil {
		return nil, 0, err
	}
	r.files = append(r.files, f)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, 0, scratch.Fault(err, err)
	}
	return f, size, nil
}

// refuse is the error for a file that cannot be read. The reason completes its
// name to a sentence.
func refuse(name, reason string) *problem.Error {
	return problem.New(problem.InvalidRequest, "The file %s %s.", name, reason)
}

// fault returns the error for a file whose reading has failed with err: that of
// the file, or err.
func fault(name string, err error) error {
	var (
		damagedWord *docx.Error
		damagedPDF  *pdf.Error
		damaged     *filetype.Error
	)
	switch {
	case errors.As(err, &damagedWord):
		return refuse(name, damagedWord.Reason).Because(err)
	case errors.As(err, &damagedPDF):
		return refuse(name, damagedPDF.Reason).Because(err)
	case errors.As(err, &damaged):
		return refuse(name, damaged.Reason).Because(err)
	}
	return err
}
