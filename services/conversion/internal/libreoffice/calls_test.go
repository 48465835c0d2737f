package libreoffice_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/sandbox/sandboxtest"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/enginetest"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
)

// needless maps the refused calls that LibreOffice does not need to the reason.
var needless = map[string]string{
	"clone":   "it runs paperconf to get the default paper size, and falls back to that of the locale",
	"connect": "the C library asks nscd, and falls back to /etc/passwd; LibreOffice connects to its own socket to stop listening, and shutdown has the same effect",
}

// copyTo copies the file at path into a new folder for one conversion.
func copyTo(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	input := filepath.Join(enginetest.Folder(t), "input"+filepath.Ext(path))
	if err := os.WriteFile(input, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return input
}

// expectNeedless fails the test if the filter refused a call that is not in needless.
func expectNeedless(t *testing.T, trace *sandboxtest.Trace) {
	t.Helper()
	refused, children := trace.Refused(t)
	if children == 0 {
		t.Error("no conversion was traced")
	}
	for name, times := range refused {
		if needless[name] == "" {
			t.Errorf("%s was refused %d times", name, times)
		}
	}
}

// TestCallsOfAPage shows that the filter refuses no call that LibreOffice needs to set up
// a profile and convert a page.
func TestCallsOfAPage(t *testing.T) {
	ctx, trace := sandboxtest.Traced(t.Context(), t)
	if _, err := newEngine(t).Convert(ctx, enginetest.WriteDOCX(t, enginetest.Paragraph("x")+enginetest.Picture, "file:///etc/hostname"), filetype.DOCX, ""); err != nil {
		t.Fatal(err)
	}
	expectNeedless(t, trace)
}

// sampled is the sampling interval: unless RECTO_TEST_DATA asks for the whole corpus, only
// every sampled-th document is converted.
const sampled = 8

// TestCallsOfRealDocuments does the same with documents of the corpus, which also contains
// damaged and hostile files.
func TestCallsOfRealDocuments(t *testing.T) {
	var paths []string
	for _, dir := range []string{"office", "docx-templates"} {
		err := filepath.WalkDir(corpus.Folder(t, dir), func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && !d.IsDir() && slices.Contains([]string{".docx", ".docm", ".dotx"}, ext) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !corpus.Asked() {
		for i := range len(paths) / sampled {
			paths[i] = paths[i*sampled]
		}
		paths = paths[:len(paths)/sampled]
	}
	e := newEngine(t)
	converted, refused := 0, map[string]int{}
	for _, path := range paths {
		ctx, trace := sandboxtest.Traced(t.Context(), t)
		err := convertWithin(ctx, e, copyTo(t, path))
		switch {
		case err == nil:
			converted++
		case errors.Is(err, domain.ErrUnconvertible), errors.Is(err, context.DeadlineExceeded):
			t.Logf("%s: %v", filepath.Base(path), err)
		default:
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		calls, _ := trace.Refused(t)
		for name, times := range calls {
			refused[name] += times
			if needless[name] == "" {
				t.Errorf("%s: %s was refused %d times", filepath.Base(path), name, times)
			}
		}
	}
	if converted < len(paths)/2 {
		t.Errorf("%d of %d documents were converted", converted, len(paths))
	}
	t.Logf("%d of %d documents converted; needless calls refused: %v", converted, len(paths), refused)
}

// convertWithin converts a document with a time limit, since some keep LibreOffice busy.
func convertWithin(ctx context.Context, e *libreoffice.Engine, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	_, err := e.Convert(ctx, path, filetype.DOCX, "")
	return err
}
