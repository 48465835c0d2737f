package domain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// refusal is the reason why a file is not converted. The reason completes a sentence
// that begins with "The file".
type refusal struct {
	reason string
	cause  error
	// retryable is set if converting the same file again may succeed.
	retryable bool
}

func (r *refusal) Error() string { return r.reason }
func (r *refusal) Unwrap() error { return r.cause }

// admit returns the type of a file that can be converted or that is a valid PDF
// already. The content determines the type, whatever the name says. Only text must have a
// name that fits: it has no signature, so text named as a document is more likely a
// download that failed. That includes HTML, CSV and SVG. The error is a *refusal if the file is at fault.
func (s *Service) admit(ctx context.Context, f *os.File, name string) (filetype.Type, error) {
	info, err := f.Stat()
	if err != nil {
		return filetype.Unknown, err
	}
	t, err := filetype.DetectNamed(f, info.Size(), name)
	var damaged *filetype.Error
	switch {
	case errors.As(err, &damaged):
		return t, &refusal{reason: damaged.Reason, cause: err}
	case err != nil:
		return t, err
	case t == filetype.Empty:
		return t, &refusal{reason: "is empty"}
	case t == filetype.Encrypted:
		return t, &refusal{reason: "is encrypted; remove its password first"}
	case (t == filetype.ZIP || t == filetype.OLE) && !t.Matches(name):
		return t, &refusal{reason: fmt.Sprintf("is a container (%s) without the document that its name implies; it may be damaged", t)}
	case t == filetype.Text && !t.Matches(name):
		return t, &refusal{reason: "is plain text, which does not match its name; change the extension to .txt if it is a text"}
	case t == filetype.PDF:
		return t, s.checkPDF(ctx, f, info.Size())
	case t.IsPicture():
		return t, nil
	case !slices.Contains(convertible, t):
		return t, &refusal{reason: fmt.Sprintf("is %s, which cannot be converted; send a document of Word, Excel, PowerPoint or OpenDocument, RTF, HTML, CSV, plain text, PDF, or a picture (PNG, JPEG, TIFF, SVG)", t)}
	}
	if t.IsWord() {
		if err := checkWord(ctx, f, info.Size()); err != nil {
			return t, err
		}
	}
	if missing := s.Engine.Missing(t); missing != "" {
		return t, &refusal{reason: fmt.Sprintf("is %s, which this server cannot convert, because %s is not installed", t, missing)}
	}
	return t, nil
}

// checkPDF checks that a PDF opens. A PDF is its own result, so it must be readable.
func (s *Service) checkPDF(ctx context.Context, f *os.File, size int64) error {
	_, err := s.PDF.CountPages(ctx, f, size)
	var damaged *pdf.Error
	if errors.As(err, &damaged) {
		return &refusal{reason: damaged.Reason, cause: err}
	}
	return err
}

// checkWord checks a word-processing package against the limits of libs/formats/docx.
// A package that libs/formats/docx does not open is not given to an engine. One that it
// repairs replaces the file of the same name.
func checkWord(ctx context.Context, f *os.File, size int64) error {
	p, err := docx.Open(f, size, docx.DefaultLimits())
	if err == nil {
		err = p.Check(ctx)
	}
	if err == nil {
		err = repair(ctx, p, f.Name())
	}
	var damaged *docx.Error
	if errors.As(err, &damaged) {
		return &refusal{reason: damaged.Reason, cause: err}
	}
	return err
}

// repair replaces the file at path, from which p was opened, if p can be repaired.
func repair(ctx context.Context, p *docx.Package, path string) error {
	edit, err := p.Repair(ctx)
	if edit == nil || err != nil {
		return err
	}
	out, err := os.Create(path + ".repaired")
	if err != nil {
		return err
	}
	_, err = edit.WriteTo(out)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}
