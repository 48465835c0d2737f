// Package source fetches the bytes of a document and reads them: its text, the position of
// each piece of text on pages and in XML, its properties, and its fields. It depends on no
// rule.
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

// Version is the version of what Read does itself, apart from packages that have their own
// versions: it extracts the text of web pages, chooses the PDF of a file, and locates the
// text of a Word document on that PDF, and chooses the opening. It changes when the same file
// would be read differently.
const Version = "4"

// OpeningPages is how many pages the opening of a longer PDF has.
const OpeningPages = 10

// PDF reads PDF files. It is a *pdf.Reader.
type PDF interface {
	Read(ctx context.Context, f io.ReaderAt, size int64) (*pdf.File, error)
	ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*pdf.File)) (*pdf.File, error)
}

// Neighbours are the services that a Reader asks about documents.
type Neighbours struct {
	// Stored asks the conversion service for a version of a document as PDF, and Inline
	// for the PDF of a file that is not stored.
	Stored func(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error)
	Inline func(ctx context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error)
	// Fields asks the annotation service for the fields of a document.
	Fields func(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error)
}

// Deps holds the dependencies of a Reader.
type Deps struct {
	Neighbours
	Objects *blob.Store
	PDF     PDF
	// Scratch is the folder for temporary files.
	Scratch string
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct{ Deps }

// NewReader returns a Reader.
func NewReader(deps Deps) *Reader { return &Reader{deps} }

// Reading is a document that was read. The caller must close it.
type Reading struct {
	// Text has pages and the words on them, unless the document was sent as text.
	Text *layout.Document
	// Opening is the beginning of Text: the first OpeningPages of a PDF with more pages, or
	// else Text itself. The text of a Word document is its own opening, since it is located
	// on pages as a whole.
	Opening *layout.Document
	IDs     insightapi.IDs
	// Title is the title in the properties of the file, "" for none.
	Title string
	Shown domain.Shown

	material domain.Material
	reader   *Reader
	told     Listener
	// file is the file that was read, kind its type, and original its bytes, unless it was
	// sent as text.
	file     documentapi.Content
	kind     filetype.Type
	original opened
	// word is the file as a Word document, nil if it is not one. pages is its PDF, or the
	// file itself if that is a PDF.
	word  *docx.Package
	pages *pdf.File
	files []*os.File
}

// Close releases the resources of the reading.
func (r *Reading) Close() {
	for _, f := range r.files {
		_ = f.Close() // the file is already unlinked
	}
}

// Listener receives the progress of Read. Its functions must not be nil.
type Listener struct {
	// Reached is called at insightapi.StageFetched and StageRead.
	Reached func(stage string)
	// Opened is called between the two, as soon as Opening, IDs and Title of the reading are
	// final. Of a long PDF the process reads the other pages meanwhile. The reading may still
	// fail afterwards.
	Opened func(*Reading)
}

// Read reads the first readable file of the material. A *problem.Error with code
// InvalidRequest is the document's fault. The caller must close the reading.
func (r *Reader) Read(ctx context.Context, m domain.Material, told Listener) (*Reading, error) {
	reading := &Reading{material: m, reader: r, told: told}
	err := reading.read(pdf.WithOwner(ctx, m.Principal.Organization))
	if err != nil {
		reading.Close()
		return nil, err
	}
	return reading, nil
}

func (r *Reading) read(ctx context.Context) error {
	switch r.material.Kind {
	case insightapi.DocText:
		return r.readText(ctx)
	case insightapi.URL:
		return r.readFetched(ctx)
	default:
		return r.readStored(ctx)
	}
}

// open reports the opening, unless that has been done.
func (r *Reading) open(text *layout.Document) {
	if r.Opening == nil {
		r.Opening = text
		r.told.Opened(r)
	}
}

// readText reads a sent text. It has no pages and no XML.
func (r *Reading) readText(ctx context.Context) error {
	file := r.material.Files[0]
	r.file, r.kind = file, filetype.Text
	f, _, err := r.fetch(ctx, file.Key, file.Name)
	if err != nil {
		return err
	}
	r.told.Reached(insightapi.StageFetched)
	text, err := io.ReadAll(f)
	if err != nil {
		return scratch.Fault(err, err)
	}
	r.Text = &layout.Document{Text: string(text)}
	r.Shown = domain.Shown{Key: file.Key, Name: file.Name, Type: file.Type}
	r.IDs = ids(file, r.kind.MIME())
	r.open(r.Text)
	r.told.Reached(insightapi.StageRead)
	return nil
}

// ids returns the ids that are known without reading the file.
func ids(file documentapi.Content, mime string) insightapi.IDs {
	return insightapi.IDs{MD5: file.MD5, CRC32C: file.CRC32C, CreateDatetime: float64(file.SealedAt) / 1000, MIMEType: mime}
}

// fetch returns a local copy of an object, positioned at its first byte. It is closed with
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

// refuse returns the error for a file that cannot be read. The reason follows the name of
// the file in a sentence.
func refuse(name, reason string) *problem.Error {
	return problem.New(problem.InvalidRequest, "The file %s %s.", name, reason)
}

// fault returns the error for a file whose reading failed with err: a refusal if the file
// is at fault, and otherwise err.
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
