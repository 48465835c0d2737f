package source_test

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// book is a PDF with numbered pages.
func book(pages int) sourcetest.PDF {
	p := sourcetest.PDF{Title: "A book", HBREF: "ref 7"}
	for n := range pages {
		p.Pages = append(p.Pages, []string{fmt.Sprintf("Page %d.", n+1), "It has two lines."})
	}
	return p
}

// TestOpening checks the opening of each kind of source, and that nothing changes after it is
// reported.
func TestOpening(t *testing.T) {
	s := sourcetest.New(t, "opening")
	s.Converted = book(30).Bytes()
	lines := strings.Repeat("<p>A line.</p>", 900)
	for name, c := range map[string]struct {
		material domain.Material
		pages    int // of the opening; 0 means that it is the whole document
	}{
		"a long PDF":       {s.Fetched("a.pdf", "application/pdf", book(30).Bytes()), source.OpeningPages},
		"a PDF of 11":      {s.Fetched("b.pdf", "application/pdf", book(11).Bytes()), source.OpeningPages},
		"a PDF of 10":      {s.Fetched("c.pdf", "application/pdf", book(10).Bytes()), 0},
		"a stored PDF":     {s.Stored(s.Put("d.pdf", "", book(30).Bytes())), source.OpeningPages},
		"a converted page": {s.Fetched("e.html", "text/html", []byte("<!doctype html>"+lines)), source.OpeningPages},
		"a Word document":  {s.Fetched("f.docx", "", sourcetest.DOCX{Title: "Its title", Body: sourcetest.Paragraph("", "A letter.")}.Bytes()), 0},
		"a text":           {s.Text("A letter."), 0},
	} {
		var early source.Reading
		calls := 0
		whole, err := source.NewReader(s.Deps).Read(t.Context(), c.material, source.Listener{
			Reached: func(string) {}, Opened: func(r *source.Reading) { early, calls = *r, calls+1 },
		})
		if err != nil {
			t.Fatal(name, err)
		}
		defer whole.Close()
		if calls != 1 || early.Opening != whole.Opening || early.Title != whole.Title || !reflect.DeepEqual(early.IDs, whole.IDs) {
			t.Errorf("%s: after %d reports, the opening has %+v, %q; the whole document has %+v, %q", name, calls, early.IDs, early.Title, whole.IDs, whole.Title)
		}
		if c.pages == 0 {
			if whole.Opening != whole.Text {
				t.Errorf("%s: the opening is not the whole text", name)
			}
			continue
		}
		if early.Text != nil || len(whole.Opening.Pages) != c.pages || !strings.HasPrefix(whole.Text.Text, whole.Opening.Text) ||
			!reflect.DeepEqual(whole.Opening.Words, whole.Text.Words[:len(whole.Opening.Words)]) || !strings.HasSuffix(whole.Opening.Text, "Page 10.\nIt has two lines.\n") {
			t.Errorf("%s: the opening is %+v", name, whole.Opening)
		}
	}
}

// owners is a source.PDF that notes the owner of the last file.
type owners struct {
	source.PDF
	last string
}

// ReadAhead implements source.PDF.
func (o *owners) ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*pdf.File)) (*pdf.File, error) {
	o.last = pdf.OwnerOf(ctx)
	return o.PDF.ReadAhead(ctx, f, size, pages, opened)
}

// TestOwner shows that a PDF belongs to the organization of the caller: a process reads PDFs of
// one organization only.
func TestOwner(t *testing.T) {
	s := sourcetest.New(t, "owner")
	o := &owners{PDF: s.PDF}
	s.PDF = o
	for _, organization := range []string{"org_1", "org_2"} {
		m := s.Fetched("a.pdf", "application/pdf", book(1).Bytes())
		m.Principal.Organization = organization
		r, err := source.NewReader(s.Deps).Read(t.Context(), m, source.Listener{Reached: func(string) {}, Opened: func(*source.Reading) {}})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if o.last != organization {
			t.Errorf("the PDF belongs to %q, want %q", o.last, organization)
		}
	}
}
