// Package domain implements the conversion service: it detects the type of a file,
// has an engine convert it to PDF, and stores or returns the result. It does not
// depend on a transport or an engine.
package domain

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
)

// Engine converts documents to PDF.
type Engine interface {
	// Convert converts the file at path, whose extension matches its type t. Documents may
	// show the name of their file, so it is the one that the client gave, as far as that can
	// be. Convert asks the converter for a PDF of the profile, which the caller checks. It returns the path
	// of the PDF, which is in the same folder. None of its
	// processes is left running when it returns. It is safe for concurrent use
	// if each call has its own folder.
	//
	// An error that wraps ErrUnconvertible is the document's fault: the same
	// document would fail again. Any other error is not. After ErrNoEngine, a
	// retry is pointless.
	Convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (pdf string, err error)
	// Missing returns what must be installed before the engine converts files of type
	// t, for example "LibreOffice Calc". It is empty if nothing is missing.
	Missing(t filetype.Type) string
	// Version identifies the engine and everything that its results depend on.
	// It can be part of an object key.
	Version() string
}

// ErrUnconvertible means that a document cannot be converted. The text of an error
// that wraps it completes a sentence that begins with "The file".
var ErrUnconvertible = errors.New("could not be converted")

// ErrNoEngine means that no converter is installed.
var ErrNoEngine = errors.New("no converter is installed")

// convertible lists the types that engines convert.
var convertible = []filetype.Type{
	filetype.DOCX, filetype.DOCM, filetype.DOTX, filetype.DOTM, filetype.DOC, filetype.ODT, filetype.RTF, filetype.Text, filetype.HTML,
	filetype.XLSX, filetype.XLS, filetype.ODS, filetype.CSV,
	filetype.PPTX, filetype.PPT, filetype.ODP,
	filetype.ODG, filetype.SVG,
}
