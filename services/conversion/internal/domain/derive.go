package domain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
)

// faultSuffix is added to the key of a file that cannot be made because of the PDF. The
// object there is the error, so that the PDF is not read again for each request.
const faultSuffix = ".fault"

// Derive makes a file about the pages of a PDF, unless there is one already. The caller
// bounds how many run at once.
func (s *Service) Derive(ctx context.Context, who contract.Principal, r conversionapi.DeriveRequest) (conversionapi.DeriveResponse, error) {
	if err := s.checkDerive(who, r); err != nil {
		return conversionapi.DeriveResponse{}, err
	}
	// A request may be delivered twice, or come from several instances.
	if _, err := s.keptView(ctx, r); !errors.Is(err, blob.ErrNotFound) {
		return conversionapi.DeriveResponse{}, err
	}
	err := s.deriveView(pdf.WithOwner(ctx, who.Organization), r)
	if err == nil || problem.Is(err, problem.InvalidRequest) { // there is a file now
		if gone := s.forgetDeleted(ctx, who, r); gone != nil {
			err = gone
		}
	}
	return conversionapi.DeriveResponse{}, err
}

// checkDerive checks that a request stays within the files of its document.
func (s *Service) checkDerive(who contract.Principal, r conversionapi.DeriveRequest) error {
	own := s.converted.Of(who.Organization, r.DocumentID)
	isPDF := strings.HasPrefix(r.PDF, own) || strings.HasPrefix(r.PDF, documentapi.ContentKey(who.Organization, r.DocumentID, ""))
	if !isPDF || !strings.HasPrefix(r.Key, own) {
		return fmt.Errorf("%q and %q do not belong to document %s", r.PDF, r.Key, r.DocumentID)
	}
	return nil
}

// forgetDeleted removes a file that was made while its document was deleted: a purge may
// not have found it.
func (s *Service) forgetDeleted(ctx context.Context, who contract.Principal, r conversionapi.DeriveRequest) error {
	err := s.MayRead(ctx, who, r.DocumentID)
	if problem.Is(err, problem.DocumentNotFound) {
		err = errors.Join(err, s.objects.Remove(ctx, r.Key), s.objects.Remove(ctx, r.Key+faultSuffix))
	}
	return err
}

// deriveView makes a file and stores it. If the PDF is at fault, it stores the error
// instead, and returns it.
//
// It fetches the PDF each time. That takes a small part of the time in which a new process
// reads it: 0.2 of 10 seconds for 64 MB. In return, no document stays in scratch, where it
// would take memory, and a purge would not find it.
func (s *Service) deriveView(ctx context.Context, r conversionapi.DeriveRequest) error {
	dir, err := s.Scratch.Make()
	if err != nil {
		return err
	}
	defer s.Scratch.Remove(dir)
	in, err := s.fetch(ctx, filepath.Join(dir, "input"), r.PDF)
	var gone *refusal
	if errors.As(err, &gone) { // it expired, or its document was purged, since the request
		return blob.Unavailable(err)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if r.View == conversionapi.ImageView {
		err = s.deriveImage(ctx, dir, in, info.Size(), r)
	} else {
		err = s.deriveJSON(ctx, in, info.Size(), r)
	}
	return s.deriveError(ctx, r, err)
}

// deriveImage renders a page and stores the image.
func (s *Service) deriveImage(ctx context.Context, dir string, in io.ReaderAt, size int64, r conversionapi.DeriveRequest) error {
	out, err := os.Create(filepath.Join(dir, "page.png"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := s.PDF.Render(ctx, in, size, r.PageNumber, r.Width, out); err != nil {
		return err
	}
	length, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.converted.Put(ctx, r.Key, out, length, "image/png")
}

// deriveJSON reads the pages, or the words of one, and stores them.
func (s *Service) deriveJSON(ctx context.Context, in io.ReaderAt, size int64, r conversionapi.DeriveRequest) error {
	var view any
	if r.View == conversionapi.WordsView {
		text, err := s.PDF.Words(ctx, in, size, r.PageNumber)
		if err != nil {
			return err
		}
		view = wordsOf(r.PageNumber, text)
	} else {
		sizes, err := s.PDF.Pages(ctx, in, size)
		if err != nil {
			return err
		}
		pages := make([]conversionapi.Page, len(sizes))
		for i, size := range sizes {
			pages[i] = pageOf(i+1, size)
		}
		view = pages
	}
	data, err := json.Marshal(view)
	if err != nil {
		return fmt.Errorf("encode %s: %w", r.Key, err)
	}
	if len(data) > maxViewJSON {
		return &pdf.Error{Reason: "has a page with too many words"}
	}
	return s.converted.Put(ctx, r.Key, bytes.NewReader(data), int64(len(data)), "application/json")
}

// deriveError returns the error for clients when the reader of PDFs failed with err. A
// fault of the PDF is stored.
func (s *Service) deriveError(ctx context.Context, r conversionapi.DeriveRequest, err error) error {
	var damaged *pdf.Error
	switch {
	case errors.Is(err, pdf.ErrNoPage):
		return conversionapi.NoPage()
	case errors.As(err, &damaged):
		fault := problem.New(problem.InvalidRequest, "The pages of the document cannot be shown: the file %s.", damaged.Reason)
		data, marshalErr := json.Marshal(fault)
		if marshalErr != nil {
			return marshalErr
		}
		return errors.Join(fault.Because(err), s.converted.Put(ctx, r.Key+faultSuffix, bytes.NewReader(data), int64(len(data)), "application/json"))
	}
	return unopened(ctx, err)
}

// pageOf returns a page as the API represents it. Hundredths of a point are exact enough
// for every use.
func pageOf(number int, size pdf.PageSize) conversionapi.Page {
	round := func(points float64) float64 { return math.Round(points*100) / 100 }
	return conversionapi.Page{PageNumber: number, Width: round(size.Width), Height: round(size.Height), Rotation: size.Rotation}
}

// wordsOf returns the words of a page as the API represents them.
func wordsOf(number int, text *pdf.PageText) conversionapi.PageWordsResponse {
	answer := conversionapi.PageWordsResponse{Page: pageOf(number, text.PageSize), Text: text.Text, Words: make([]conversionapi.Word, len(text.Words))}
	for i, w := range text.Words {
		answer.Words[i] = conversionapi.Word{Text: text.Text[w.Start:w.End], BoundingBox: boxOf(number, w.Box)}
	}
	return answer
}

// boxOf returns a box as the API represents it.
func boxOf(page int, box layout.Box) conversionapi.BoundingBox {
	b := conversionapi.BoundingBox{Page: page}
	b.Left, b.Top, b.Width, b.Height = box.Shown()
	return b
}
