package domain

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
)

// opener is a PDF whose CountPages returns err.
type opener struct{ err error }

// CountPages implements PDF.
func (o opener) CountPages(context.Context, io.ReaderAt, int64) (int, error) { return 1, o.err }

// Pages implements PDF.
func (o opener) Pages(context.Context, io.ReaderAt, int64) ([]pdf.PageSize, error) {
	return []pdf.PageSize{{Width: 612, Height: 792}, {Width: 612, Height: 792}, {Width: 792, Height: 612}}, o.err
}

// Render implements PDF.
func (o opener) Render(context.Context, io.ReaderAt, int64, int, int, io.Writer) error { return o.err }

// Show implements PDF.
func (o opener) Show(_ context.Context, _ io.ReaderAt, _ int64, mediaType string, w io.Writer) error {
	if o.err != nil {
		return o.err
	}
	_, err := io.WriteString(w, "the picture, "+mediaType)
	return err
}

// Flaws implements PDF. A PDF that says so has one.
func (o opener) Flaws(_ context.Context, f io.ReaderAt, size int64, _ string) ([]string, error) {
	content := make([]byte, size)
	if _, err := f.ReadAt(content, 0); err == nil && strings.Contains(string(content), "a flaw") {
		return []string{"it has a flaw"}, nil
	}
	return nil, o.err
}

// Words implements PDF.
func (o opener) Words(context.Context, io.ReaderAt, int64, int) (*pdf.PageText, error) {
	return nil, o.err
}

// folder is a Scratch that creates folders in dir.
type folder struct{ dir string }

func (f folder) Make() (string, error) { return os.MkdirTemp(f.dir, "") }
func (f folder) Remove(dir string)     { _ = os.RemoveAll(dir) }

// TestInlinePDF shows that an inline PDF or picture at fault is refused, that a failure of this
// machine asks for a retry, and that neither leaves files behind.
func TestInlinePDF(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		code problem.Code
		text string
	}{
		"damaged": {&pdf.Error{Reason: "is damaged"}, problem.InvalidRequest, "The file is damaged."},
		"killed":  {errors.New("a process that reads PDFs was killed"), problem.Unavailable, "The file could not be opened. Retry the request."},
	} {
		t.Run(name, func(t *testing.T) {
			files := folder{t.TempDir()}
			s := NewService(Config{Workers: 1}, Tools{PDF: opener{tc.err}, Scratch: files}, nil, Documents{}, nil)
			for _, body := range []string{`{"file_base64":"JVBERi0xLjc=","filename":"a.pdf"}`, `{"file_base64":"iVBORw0KGgo=","filename":"a.png"}`} {
				_, err := s.Inline(t.Context(), contract.Principal{}, contract.Stream{Body: strings.NewReader(body), Size: int64(len(body))})
				var failure *problem.Error
				if !errors.As(err, &failure) || failure.Code != tc.code || failure.Detail != tc.text || (failure.RetryAfter > 0) != (tc.code == problem.Unavailable) {
					t.Errorf("got %v, want %d %q", err, tc.code, tc.text)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(files.dir, "*")); len(left) > 0 {
				t.Errorf("files left behind: %v", left)
			}
		})
	}
}

// TestStoredPDF shows that a failure of this machine is returned unchanged, so that the
// job pool retries it, and that a fault of the file becomes a refusal.
func TestStoredPDF(t *testing.T) {
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte("%PDF-1.7"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	killed := errors.New("a process that reads PDFs was killed")
	var refused *refusal
	if _, err := (&Service{Tools: Tools{PDF: opener{killed}}}).admit(t.Context(), f, label{name: "a.pdf"}); !errors.Is(err, killed) || errors.As(err, &refused) {
		t.Errorf("killed process: got %v", err)
	}
	_, err = (&Service{Tools: Tools{PDF: opener{&pdf.Error{Reason: "is damaged"}}}}).admit(t.Context(), f, label{name: "a.pdf"})
	if !errors.As(err, &refused) || refused.reason != "is damaged" || refused.retryable {
		t.Errorf("damaged file: got %v", err)
	}
}
