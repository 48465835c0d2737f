package domain_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
)

// reader is a domain.PDF that fails with its errors, one after the other, and then finds a
// form of one field.
type reader struct {
	failures []error
	reads    int
	owner    string // of the last file
}

// ReadForm implements domain.PDF.
func (r *reader) ReadForm(ctx context.Context, _ io.ReaderAt, _ int64) (*pdf.File, error) {
	r.reads++
	r.owner = pdf.OwnerOf(ctx)
	if len(r.failures) > 0 {
		err := r.failures[0]
		r.failures = r.failures[1:]
		return nil, err
	}
	f := &pdf.File{Fields: []pdf.Field{{Name: "name", Type: pdf.Text, Page: 1, Box: layout.Box{Right: 0.5, Bottom: 0.1}}}}
	f.Pages = []layout.Page{{Width: 612, Height: 792}}
	return f, nil
}

// Fill implements domain.PDF.
func (r *reader) Fill(context.Context, io.ReaderAt, int64, pdf.Filling, io.Writer) (pdf.Filled, error) {
	return pdf.Filled{}, errors.New("the test fills nothing")
}

// TestReadAgain lists the fields of a PDF that cannot be read at first. Its failures are
// reported, and none is remembered: the next request reads the file again, and only what it
// finds is kept.
func TestReadAgain(t *testing.T) {
	s, _, blobs := newService(t, config, nil)
	const content = "%PDF-1.7\n"
	if err := blobs.Put(t.Context(), "content/x", strings.NewReader(content), int64(len(content)), ""); err != nil {
		t.Fatal(err)
	}
	r := &reader{failures: []error{
		&pdf.Error{Reason: "takes longer than 1m0s to read; split it"}, &pdf.Error{Reason: "needs more memory than the limit for one file"},
		errors.New("a process that reads PDFs was killed"),
	}}
	s.PDF = r
	list := func() (int, error) {
		got, err := s.Fields(t.Context(), principal, annotationapi.FieldsRequest{DocumentID: "doc_1"})
		return len(got.Items), err
	}
	for _, want := range []*problem.Error{
		problem.New(problem.InvalidRequest, "The file a.docx takes longer than 1m0s to read; split it."),
		problem.New(problem.InvalidRequest, "The file a.docx needs more memory than the limit for one file."),
		problem.New(problem.Unavailable, "The PDF could not be opened. Retry the request."),
	} {
		if n, err := list(); problem.Of(err).Code != want.Code || problem.Of(err).Detail != want.Detail {
			t.Errorf("got %d fields, %v, want %v", n, err, want)
		}
	}
	for range 2 {
		if n, err := list(); n != 1 || err != nil {
			t.Errorf("got %d fields, %v, want 1", n, err)
		}
	}
	if r.reads != 4 || r.owner != principal.Organization {
		t.Errorf("the file was read %d times, the last time for %q; want 4 for %q", r.reads, r.owner, principal.Organization)
	}
}
