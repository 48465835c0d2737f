package domain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/plain"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

// conform checks that the PDF at path conforms to the profile. The converter may not be able
// to make it so, for example because a font must not be embedded. The error is a *refusal if
// the document is at fault.
func (s *Service) conform(ctx context.Context, path string, profile conversionapi.Profile) error {
	if profile == "" {
		return nil
	}
	f, size, err := openSized(path)
	if err != nil {
		return err
	}
	defer f.Close()
	flaws, err := s.PDF.Flaws(ctx, f, size, string(profile))
	var damaged *pdf.Error
	switch {
	case errors.As(err, &damaged):
		return &refusal{reason: "could not be converted to " + string(profile) + ": the result " + damaged.Reason, cause: err}
	case err != nil:
		return err
	case len(flaws) > 0:
		return &refusal{reason: fmt.Sprintf("cannot conform to %s: %s", profile, strings.Join(flaws, "; ")), flawed: true}
	}
	return nil
}

// describe returns the details of the PDF at path. A PDF whose pages cannot be listed, because
// they exceed a limit, has no details but its size.
func (s *Service) describe(ctx context.Context, path string) (conversionapi.Details, error) {
	f, size, err := openSized(path)
	if err != nil {
		return conversionapi.Details{}, err
	}
	defer f.Close()
	details := conversionapi.Details{Size: size}
	pages, err := plain.Pages(f, size)
	if err != nil { // it was not made here
		pages, err = s.PDF.Pages(ctx, f, size)
	}
	var damaged *pdf.Error
	if errors.As(err, &damaged) {
		return details, nil
	}
	details.PageCount, details.PageSizes = len(pages), pageSizes(pages)
	return details, err
}

// replacedFonts returns the fonts that the document of type t asks for, and for which others
// stand in in the PDF at path.
func (s *Service) replacedFonts(document *os.File, t filetype.Type, path string) ([]conversionapi.ReplacedFont, error) {
	if s.Fonts == nil {
		return nil, nil
	}
	info, err := document.Stat()
	if err != nil {
		return nil, err
	}
	named, err := fonts.Named(document, info.Size(), t)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	made, size, err := openSized(path)
	if err != nil {
		return nil, err
	}
	defer made.Close()
	embedded, err := fonts.Embedded(made, size)
	if err != nil {
		return nil, err
	}
	return s.Fonts.Replaced(named, embedded), nil
}

// openSized opens a file and returns its size.
func openSized(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// pageSizes joins consecutive pages of the same size.
func pageSizes(pages []pdf.PageSize) (sizes []conversionapi.PageSize) {
	for i, p := range pages {
		if last := len(sizes) - 1; last >= 0 && sizes[last].Width == p.Width && sizes[last].Height == p.Height {
			sizes[last].LastPage = i + 1
			continue
		}
		if len(sizes) == conversionapi.MaxPageSizes {
			break
		}
		sizes = append(sizes, conversionapi.PageSize{FirstPage: i + 1, LastPage: i + 1, Width: p.Width, Height: p.Height})
	}
	return sizes
}
