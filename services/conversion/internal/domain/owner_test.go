package domain

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// owners is a PDF that notes the owner of each file.
type owners struct {
	opener
	of []string
}

// CountPages implements PDF.
func (o *owners) CountPages(ctx context.Context, f io.ReaderAt, size int64) (int, error) {
	o.of = append(o.of, pdf.OwnerOf(ctx))
	return o.opener.CountPages(ctx, f, size)
}

// Pages implements PDF.
func (o *owners) Pages(ctx context.Context, f io.ReaderAt, size int64) ([]pdf.PageSize, error) {
	o.of = append(o.of, pdf.OwnerOf(ctx))
	return o.opener.Pages(ctx, f, size)
}

// Render implements PDF.
func (o *owners) Render(ctx context.Context, f io.ReaderAt, size int64, page, width int, w io.Writer) error {
	o.of = append(o.of, pdf.OwnerOf(ctx))
	return o.opener.Render(ctx, f, size, page, width, w)
}

// TestOwners shows that a process reads PDFs of one organization only: each PDF belongs to the
// organization of the caller, whether it is sent, stored, or shown page by page.
func TestOwners(t *testing.T) {
	w, o := newWorld(t), &owners{}
	w.PDF = o
	const body = `{"file_base64":"JVBERi0xLjc=","filename":"a.pdf"}`
	if _, err := w.Inline(t.Context(), contract.Principal{Organization: "org_2"}, contract.Stream{Body: strings.NewReader(body), Size: int64(len(body))}); err != nil {
		t.Error(err)
	}
	if want := []string{"org_2"}; !slices.Equal(o.of, want) {
		t.Errorf("an inline PDF belongs to %q, want %q", o.of, want)
	}
	o.of = nil
	w.version(t, "a.pdf", "%PDF-1.7")
	w.convertLatest(t)
	if want := []string{"org_1", "org_1"}; !slices.Equal(o.of, want) {
		t.Errorf("a stored PDF belongs to %q, want %q", o.of, want)
	}
	o.of = nil
	r := conversionapi.DeriveRequest{
		DocumentID: "doc_1", PDF: documentapi.ContentKey("org_1", "doc_1", "0 0"), Key: w.converted.Of("org_1", "doc_1") + "x",
		View: conversionapi.ImageView, PageNumber: 1, Width: 100,
	}
	if _, err := w.Derive(t.Context(), principal, r); err != nil {
		t.Error(err)
	}
	if want := []string{"org_1"}; !slices.Equal(o.of, want) {
		t.Errorf("the PDF of a page belongs to %q, want %q", o.of, want)
	}
}
