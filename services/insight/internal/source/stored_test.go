package source_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

var png = []byte("\x89PNG\r\n\x1a\n")

// TestStored shows that the file chosen by the conversion service is read, and its PDF
// shown.
func TestStored(t *testing.T) {
	s := sourcetest.New(t, "stored")
	s.Converted = letter().Bytes()
	s.Picked = 1
	s.Lifetime = conversionapi.Lifetime{RenewedAt: 7, RemovedAt: 8}
	word := s.Put("b.docx", "application/x", sourcetest.DOCX{Title: "Word's title", Body: sourcetest.Paragraph("Heading1", "A letter.") + sourcetest.Paragraph("", "Name:")}.Bytes())
	r := read(t, s, s.Stored(s.Put("a.png", "image/png", png), word))
	if r.Text.Text != "A letter.\nName:\n" || r.Text.Blocks[0].Heading != 1 || r.Text.Words[2].Page != 1 || r.Title != "Word's title" {
		t.Errorf("read %+v, %q", r.Text, r.Title)
	}
	if r.IDs.MD5 != word.MD5 || r.IDs.DOCXGUID != nil || r.Shown.Key != word.Key+".pdf" || r.Shown.Name != "shown.pdf" || r.Shown.Lifetime != s.Lifetime || r.Shown.Type != "application/pdf" {
		t.Errorf("the ids are %+v, shown is %+v", r.IDs, r.Shown)
	}
	if n := open(t, s.Scratch); n != 2 {
		t.Errorf("%d files are open, want the document and its PDF", n)
	}
}

// TestStoredPDF shows that a PDF is shown itself, and fetched once.
func TestStoredPDF(t *testing.T) {
	s := sourcetest.New(t, "stored-pdf")
	file := s.Put("a.pdf", "application/pdf", letter().Bytes())
	r := read(t, s, s.Stored(file))
	if r.Text.Text != "A letter.\nName:\n" || r.Shown.Key != file.Key || r.IDs.CreateDatetime != 1709208000 {
		t.Errorf("read %q, %+v, %+v", r.Text.Text, r.Shown, r.IDs)
	}
	if n := open(t, s.Scratch); n != 1 {
		t.Errorf("%d files are open", n)
	}
}

func TestStoredRefusals(t *testing.T) {
	s := sourcetest.New(t, "stored-refusals")
	encrypted := letter()
	encrypted.Encrypted = true
	refused(t, s, s.Stored(s.Put("secret.pdf", "", encrypted.Bytes())), problem.InvalidRequest, "The file secret.pdf ", "password")
	scan := sourcetest.PDF{Pages: [][]string{nil, nil}}
	refused(t, s, s.Stored(s.Put("scan.pdf", "", scan.Bytes())), problem.InvalidRequest, "The file scan.pdf has no text")
	refused(t, s, s.Stored(s.Put("damaged.pdf", "", []byte("%PDF-1.7\n"))), problem.InvalidRequest, "The file damaged.pdf ")
	file := s.Put("a.docx", "", []byte("PK\x03\x04 and nothing"))
	s.Converted = letter().Bytes()
	refused(t, s, s.Stored(file), problem.InvalidRequest, "The file a.docx ")
	file = s.Put("b.docx", "", sourcetest.DOCX{Body: "<w:p><w:r>"}.Bytes())
	refused(t, s, s.Stored(file), problem.InvalidRequest, "The file b.docx ")
	s.Remove(file.Key)
	refused(t, s, s.Stored(file), problem.InvalidRequest, "The file b.docx no longer exists.")
	s.Refused = problem.New(problem.InvalidRequest, "Version 2 of the document has no file that can be converted.")
	refused(t, s, s.Stored(file), problem.InvalidRequest, "Version 2")
}

// TestConvertedIsGone shows that an expired PDF is a retryable error, not the document's
// fault: the next request converts the document again.
func TestConvertedIsGone(t *testing.T) {
	s := sourcetest.New(t, "converted-is-gone")
	s.Converted = letter().Bytes()
	m := s.Stored(s.Put("a.docx", "", sourcetest.DOCX{}.Bytes()))
	stored := s.Neighbours.Stored
	s.Neighbours.Stored = func(ctx context.Context, p principal, r request) (response, error) {
		answer, err := stored(ctx, p, r)
		s.Remove(answer.Result.Key)
		return answer, err
	}
	refused(t, s, m, problem.Unavailable, "The PDF of the file a.docx expired during the request.")
}

// TestUnknownFile shows that a mistake between services is not blamed on the client.
func TestUnknownFile(t *testing.T) {
	s := sourcetest.New(t, "unknown-file")
	m := s.Stored(s.Put("a.pdf", "", letter().Bytes()))
	m.Files[0].ID = "file_other"
	stored := s.Neighbours.Stored
	s.Neighbours.Stored = func(ctx context.Context, p principal, r request) (response, error) {
		answer, err := stored(ctx, p, r)
		answer.Result.FileID = "file_of_another_version"
		return answer, err
	}
	_, err := source.NewReader(s.Deps).Read(t.Context(), m, source.Listener{Reached: func(string) {}, Opened: func(*source.Reading) {}})
	if problem.Is(err, problem.InvalidRequest) || err == nil || !strings.Contains(err.Error(), "file_of_another_version") {
		t.Errorf("got %v", err)
	}
}

// TestCancelled shows that Read stops when its context is canceled, and closes its files.
func TestCancelled(t *testing.T) {
	s := sourcetest.New(t, "cancelled")
	m := s.Stored(s.Put("a.pdf", "", letter().Bytes()))
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("nobody waits")
	_, err := source.NewReader(s.Deps).Read(ctx, m, source.Listener{Reached: func(string) { cancel(cause) }, Opened: func(*source.Reading) {}})
	if !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := open(t, s.Scratch); n > 0 {
		t.Errorf("%d files remain open", n)
	}
}
