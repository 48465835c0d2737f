// Package domain is what the conversion service does: it finds out what a file
// is, lets an engine turn it into a PDF, and keeps or hands back the result. It
// knows no transport and no engine.
package domain

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// Engine turns documents into PDF.
type Engine interface {
	// Convert reads the file at path, which is of type t and is named
	// accordingly, and writes a PDF; it returns the PDF's path, in the folder
	// of path. No process of it is left when it returns. Any number of calls
	// may go on at a time, each in a folder of its own.
	//
	// An error that wraps ErrUnconvertible is the document's own fault: the
	// same document would fail again. Any other is not. ErrNoEngine is one that
	// no other try mends.
	Convert(ctx context.Context, path string, t filetype.Type) (pdf string, err error)
	// Version names the engine and everything that its results depend on. It
	// is safe in the key of an object.
	Version() string
}

// ErrUnconvertible says that a document cannot be converted. What wraps it
// completes "The file" to a sentence.
var ErrUnconvertible = errors.New("could not be converted")

// ErrNoEngine says that there is nothing to convert with.
var ErrNoEngine = errors.New("no converter is installed")

// convertible are the types that an engine is given.
var convertible = []filetype.Type{
	filetype.DOCX, filetype.DOCM, filetype.DOTX, filetype.DOTM, filetype.DOC, filetype.ODT, filetype.RTF, filetype.Text,
}
