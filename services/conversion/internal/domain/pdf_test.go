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

// opener opens no PDF, because of its error.
type opener struct{ err error }

// CountPages implements PDF.
func (o opener) CountPages(context.Context, io.ReaderAt, int64) (int, error) { return 1, o.err }

// folder makes folders in one of a test.
type folder struct{ dir string }

func (f folder) Make() (string, error) { return os.MkdirTemp(f.dir, "") }
func (f folder) Remove(dir string)     { _ = os.RemoveAll(dir) }

// TestInlinePDF tells a fault of the file, which the same file has again, from one of
// this machine, and leaves nothing behind in either case.
func TestInlinePDF(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		code problem.Code
		text string
	}{
		"damaged": {&pdf.Error{Reason: "is damaged"}, problem.InvalidRequest, "The file is damaged."},
		"killed":  {errors.New("a process that reads PDFs was killed"), problem.Unavailable, "The PDF could not be opened. Retry the request."},
	} {
		t.Run(name, func(t *testing.T) {
			files := folder{t.TempDir()}
			s := NewService(Config{Workers: 1}, nil, opener{tc.err}, nil, Documents{}, files, nil)
			body := `{"file_base64":"JVBERi0xLjc=","filename":"a.pdf"}`
			_, err := s.Inline(t.Context(), contract.Principal{}, contract.Stream{Body: strings.NewReader(body), Size: int64(len(body))})
			var told *problem.Error
			if !errors.As(err, &told) || told.Code != tc.code || told.Detail != tc.text || (told.RetryAfter > 0) != (tc.code == problem.Unavailable) {
				t.Errorf("got %v, want %d %q", err, tc.code, tc.text)
			}
			if left, _ := filepath.Glob(filepath.Join(files.dir, "*")); len(left) > 0 {
				t.Errorf("it left %v", left)
			}
		})
	}
}

// TestStoredPDF hands a fault of this machine to the pool of jobs as it is, which
// tries again, and remembers that of the file.
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
	if _, err := (&Service{pdf: opener{killed}}).admit(t.Context(), f, "a.pdf"); !errors.Is(err, killed) || errors.As(err, &refused) {
		t.Errorf("a killed process: %v", err)
	}
	_, err = (&Service{pdf: opener{&pdf.Error{Reason: "is damaged"}}}).admit(t.Context(), f, "a.pdf")
	if !errors.As(err, &refused) || refused.reason != "is damaged" || refused.retryable {
		t.Errorf("a damaged file: %v", err)
	}
}
