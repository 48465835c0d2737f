// Package docxfields finds the fields of Word documents and fills them, in the
// files as they are: content controls, text tags in running text, and blanks that
// were meant to be filled by hand. What is not filled stays as it was, byte for
// byte.
package docxfields

import (
	"context"
	"errors"
	"io"

	"github.com/rectohq/recto/libs/docx"
	"github.com/rectohq/recto/libs/fields"
)

// Version names what Open finds and how: it changes when the same file would
// yield other fields, so that what is kept of earlier ones is not used.
const Version = "1"

// Document is a Word document whose fields were found. It is used by one
// goroutine at a time.
type Document struct {
	pkg *docx.Package
}

// Open reads the parts of p that may hold fields, and finds them. P has passed
// its Check. The error is a *docx.Error if the file is at fault, the cause of ctx
// if that ends, and otherwise of the package's reader.
func Open(ctx context.Context, p *docx.Package) (*Document, error) {
	return nil, errors.New("not built")
}

// Fields returns the fields in the order in which a reader meets them: the body,
// then headers, footers, footnotes and endnotes. Each id is there once.
func (d *Document) Fields() []fields.Field { return nil }

// Fill writes the values into every place of their fields. The keys are ids of
// Fields. It is called once.
func (d *Document) Fill(values map[string]fields.Filling) error { return errors.New("not built") }

// WriteTo writes the file. Parts that Fill did not have to change are copied as
// they are packed.
func (d *Document) WriteTo(w io.Writer) (int64, error) { return 0, errors.New("not built") }
