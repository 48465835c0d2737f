package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// lines is a PDF whose files have a page for each line. Lines are 100 points wide and as
// many points high as their number says. A page that contains "damaged" cannot be read, and
// one that contains "killed" ends the process.
type lines struct {
	opener
	calls atomic.Int32 // of pages
	lists atomic.Int32 // of all pages
	// begin is called before each page is read, unless it is nil.
	begin func()
}

// page returns the line of a page.
func (l *lines) page(f io.ReaderAt, size int64, page int) (string, error) {
	l.calls.Add(1)
	if l.begin != nil {
		l.begin()
	}
	return lineOf(f, size, page)
}

func lineOf(f io.ReaderAt, size int64, page int) (string, error) {
	content := make([]byte, size)
	if _, err := f.ReadAt(content, 0); err != nil {
		return "", err
	}
	all := strings.Split(string(content), "\n")
	switch {
	case page > len(all):
		return "", pdf.ErrNoPage
	case strings.Contains(all[page-1], "damaged"):
		return "", &pdf.Error{Reason: "is damaged", Err: errors.New("internal text")}
	case strings.Contains(all[page-1], "killed"):
		return "", errors.New("a process that reads PDFs was killed")
	}
	return all[page-1], nil
}

func sizeOfLine(page int) pdf.PageSize {
	return pdf.PageSize{Width: 100, Height: float64(page) + 1.0/3, Rotation: 90}
}

// Pages implements PDF.
func (l *lines) Pages(_ context.Context, f io.ReaderAt, size int64) ([]pdf.PageSize, error) {
	l.lists.Add(1)
	var sizes []pdf.PageSize
	for {
		_, err := lineOf(f, size, len(sizes)+1)
		if errors.Is(err, pdf.ErrNoPage) {
			return sizes, nil
		}
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, sizeOfLine(len(sizes)+1))
	}
}

// Render implements PDF.
func (l *lines) Render(_ context.Context, f io.ReaderAt, size int64, page, width int, w io.Writer) error {
	line, err := l.page(f, size, page)
	if err == nil {
		_, err = fmt.Fprintf(w, "%q at %d", line, width)
	}
	return err
}

// Show implements PDF.
func (l *lines) Show(context.Context, io.ReaderAt, int64, string, io.Writer) error { return nil }

// Flaws implements PDF.
func (l *lines) Flaws(context.Context, io.ReaderAt, int64, string) ([]string, error) { return nil, nil }

// Words implements PDF.
func (l *lines) Words(_ context.Context, f io.ReaderAt, size int64, page int) (*pdf.PageText, error) {
	line, err := l.page(f, size, page)
	if err != nil {
		return nil, err
	}
	text := &pdf.PageText{PageSize: sizeOfLine(page), Text: line}
	for begin := 0; begin < len(line); {
		length := strings.IndexByte(line[begin:]+" ", ' ')
		text.Words = append(text.Words, layout.Word{Span: layout.Span{Start: begin, End: begin + length}, Page: page, Box: layout.Box{Left: -1, Top: 1.0 / 3, Right: 0.5, Bottom: 2}})
		begin += length + 1
	}
	return text, nil
}

// album is a world whose PDFs are lines.
type album struct {
	*world
	*Pages
	reader *lines
	dir    string
}

func newAlbum(t *testing.T) *album {
	t.Helper()
	a := &album{world: newWorld(t), reader: &lines{}, dir: t.TempDir()}
	a.PDF, a.Scratch = a.reader, folder{a.dir}
	a.Pages = NewPages(a.Service, func(ctx context.Context, who contract.Principal, r conversionapi.DeriveRequest) error {
		_, err := a.Derive(ctx, who, r)
		return err
	}, 4, 32)
	return a
}

// image returns the image of a page.
func (a *album) image(t *testing.T, page, width int) string {
	t.Helper()
	got, err := a.Image(t.Context(), principal, conversionapi.PageImageRequest{DocumentID: "doc_1", PageNumber: page, Width: width})
	if err != nil {
		return err.Error()
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, got.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil || int64(len(content)) != got.Size || answer.Header.Get("Content-Type") != "image/png" {
		t.Errorf("got %d bytes of %d, type %s, %v", len(content), got.Size, answer.Header.Get("Content-Type"), err)
	}
	return string(content)
}

// TestPages lists the pages of a converted document, shows two of them and their words,
// and reads the PDF only once for each.
func TestPages(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one two\nthree")
	for range 2 {
		got, err := a.List(t.Context(), principal, conversionapi.PagesRequest{DocumentID: "doc_1", Page: 2, Size: 1})
		want := conversionapi.Page{PageNumber: 2, Width: 100, Height: 2.33, Rotation: 90}
		if err != nil || got.Total != 2 || got.Pages != 2 || got.Page != 2 || got.Size != 1 || len(got.Items) != 1 || got.Items[0] != want {
			t.Errorf("List = %+v, %v", got, err)
		}
		words, err := a.Words(t.Context(), principal, conversionapi.PageWordsRequest{DocumentID: "doc_1", PageNumber: 1})
		box := conversionapi.BoundingBox{Page: 1, Left: 0, Top: 0.33333, Width: 0.5, Height: 0.66667}
		if err != nil || words.Text != "one two" || words.PageNumber != 1 || words.Height != 1.33 || len(words.Words) != 2 || words.Words[1] != (conversionapi.Word{Text: "two", BoundingBox: box}) {
			t.Errorf("Words = %+v, %v", words, err)
		}
		if got := a.image(t, 2, 300); got != `"three of plain text" at 300` {
			t.Errorf("the image is %s", got)
		}
	}
	if calls, lists := a.reader.calls.Load(), a.reader.lists.Load(); calls != 2 || lists != 2 || a.engine.calls != 1 {
		t.Errorf("pages were read %d times and listed %d times, want 2 and 2, and the document was converted %d times", calls, lists, a.engine.calls)
	}
	if got := a.image(t, 2, 301); got != `"three of plain text" at 301` {
		t.Errorf("the wider image is %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(a.dir, "*")); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
	past, err := a.List(t.Context(), principal, conversionapi.PagesRequest{DocumentID: "doc_1", Page: 3, Size: 1})
	if err != nil || past.Items == nil || len(past.Items) != 0 || past.Total != 2 {
		t.Errorf("past the end: %+v, %v", past, err)
	}
}

// TestPageTags shows when the image of a page has the same entity tag.
func TestPageTags(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one\ntwo")
	tag := func(page, width int, known ...string) conversionapi.PageImageResponse {
		t.Helper()
		got, err := a.Image(t.Context(), principal, conversionapi.PageImageRequest{DocumentID: "doc_1", PageNumber: page, Width: width, Known: known})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := tag(1, 100)
	if !strings.HasPrefix(first.ETag, `"`) || !strings.HasSuffix(first.ETag, `"`) || first.URL == "" {
		t.Errorf("got %+v", first)
	}
	calls := a.reader.calls.Load()
	known := tag(2, 100, `"x"`, first.ETag)
	if known.ETag == first.ETag || known.URL == "" || a.reader.calls.Load() == calls {
		t.Errorf("another page: %+v", known)
	}
	if again := tag(1, 100, `"x"`, first.ETag); again.ETag != first.ETag || again.URL != "" {
		t.Errorf("a known image: %+v", again)
	}
	if wider := tag(1, 101, first.ETag); wider.ETag == first.ETag {
		t.Error("another width has the same tag")
	}
	a.version(t, "a.txt", "one\nthree")
	if other := tag(1, 100, first.ETag); other.ETag == first.ETag {
		t.Error("another content has the same tag")
	}
}

// TestPageErrors shows what is answered for pages that cannot be shown, and that only a
// fault of the PDF is remembered.
func TestPageErrors(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one\na damaged page\na killed page")
	for _, tc := range []struct {
		page  int
		code  problem.Code
		text  string
		calls int32 // of the second request
	}{
		{0, problem.PageNotFound, "no such page", 0},
		{4, problem.PageNotFound, "no such page", 1},
		{2, problem.InvalidRequest, "The pages of the document cannot be shown: the file is damaged.", 0},
		{3, problem.Unavailable, "Retry the request.", 1},
	} {
		var calls int32
		for range 2 {
			calls = a.reader.calls.Load()
			_, err := a.Image(t.Context(), principal, conversionapi.PageImageRequest{DocumentID: "doc_1", PageNumber: tc.page, Width: 100})
			var failure *problem.Error
			if !errors.As(err, &failure) || failure.Code != tc.code || !strings.Contains(failure.Detail, tc.text) || strings.Contains(failure.Detail, "internal") {
				t.Errorf("the image of page %d: %v", tc.page, err)
			}
		}
		if again := a.reader.calls.Load() - calls; again != tc.calls {
			t.Errorf("page %d was read %d times for the second request, want %d", tc.page, again, tc.calls)
		}
		if _, err := a.Words(t.Context(), principal, conversionapi.PageWordsRequest{DocumentID: "doc_1", PageNumber: tc.page}); !problem.Is(err, tc.code) {
			t.Errorf("the words of page %d: %v", tc.page, err)
		}
	}
	for range 2 {
		if _, err := a.List(t.Context(), principal, conversionapi.PagesRequest{DocumentID: "doc_1", Page: 1, Size: 1}); !problem.Is(err, problem.InvalidRequest) {
			t.Errorf("the list: %v", err)
		}
	}
	if _, err := a.List(t.Context(), principal, conversionapi.PagesRequest{DocumentID: "doc_1", Page: 0, Size: 501}); len(problem.Of(err).Entries) != 2 {
		t.Errorf("a list out of range: %v", err)
	}
	for _, width := range []int{15, 4001} {
		_, err := a.Image(t.Context(), principal, conversionapi.PageImageRequest{DocumentID: "doc_1", PageNumber: 1, Width: width})
		if entries := problem.Of(err).Entries; len(entries) != 1 || entries[0].Code != problem.CodeOutOfRange {
			t.Errorf("the width %d: %v", width, err)
		}
	}
	a.version(t, "a.txt", "fault")
	if _, err := a.Words(t.Context(), principal, conversionapi.PageWordsRequest{DocumentID: "doc_1", PageNumber: 1}); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "was not uploaded") {
		t.Errorf("a document without a PDF: %v", err)
	}
}

// TestPageOnce has 20 callers ask for the same page at once: it is rendered once, even
// though the first caller leaves.
func TestPageOnce(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one")
	a.convertLatest(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	a.reader.begin = func() { begun <- struct{}{}; <-release }
	source, err := a.source(t.Context(), principal, "doc_1", documentapi.Version{})
	if err != nil {
		t.Fatal(err)
	}
	view := source.view(conversionapi.ImageView, 1, 200)
	impatient, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := a.ensure(impatient, principal, view)
		left <- err
	}()
	patience.Receive(t, "the page is read", begun)
	leave()
	if err := patience.Receive(t, "the caller leaves", left); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if object, err := a.ensure(t.Context(), principal, view); err != nil || object.Size == 0 {
				t.Errorf("got %+v, %v", object, err)
			}
		})
	}
	close(release)
	callers.Wait()
	if calls := a.reader.calls.Load(); calls != 1 {
		t.Errorf("the page was rendered %d times", calls)
	}
}

// TestPageRenewal shows that images are made again once they have expired, and that a
// document that is converted again has other images.
func TestPageRenewal(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.pdf", "%PDF-1.7\none")
	a.image(t, 1, 100)
	a.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	a.image(t, 1, 100)
	if calls := a.reader.calls.Load(); calls != 2 {
		t.Errorf("the page was rendered %d times, want 2", calls)
	}
	a.now = time.Now
	a.version(t, "a.txt", "one")
	before, err := a.source(t.Context(), principal, "doc_1", documentapi.Version{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.objects.Put(t.Context(), before.pdf, strings.NewReader("another"), 7, pdfType); err != nil {
		t.Fatal(err)
	}
	after, err := a.source(t.Context(), principal, "doc_1", documentapi.Version{})
	if err != nil || after.pdf != before.pdf || after.prefix == before.prefix {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
}

// TestDerive shows which requests a worker refuses, and that nothing is left of a document
// that is deleted meanwhile.
func TestDerive(t *testing.T) {
	a := newAlbum(t)
	own := a.converted.Of("org_1", "doc_1")
	for name, r := range map[string]conversionapi.DeriveRequest{
		"another PDF":  {DocumentID: "doc_1", PDF: a.converted.Of("org_2", "doc_1") + "x.pdf", Key: own + "x", View: conversionapi.ImageView},
		"another file": {DocumentID: "doc_1", PDF: own + "x.pdf", Key: a.converted.Of("org_1", "doc_2") + "x", View: conversionapi.ImageView},
	} {
		if _, err := a.Derive(t.Context(), principal, r); problem.Of(err).Code != problem.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := conversionapi.DeriveRequest{DocumentID: "doc_1", PDF: own + "gone.pdf", Key: own + "x", View: conversionapi.SizesView}
	if _, err := a.Derive(t.Context(), principal, gone); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a PDF that is gone: %v", err)
	}
	for _, content := range []string{"one", "damaged"} {
		deleted := conversionapi.DeriveRequest{DocumentID: "doc_2", PDF: documentapi.ContentKey("org_1", "doc_2", "1"), Key: a.converted.Of("org_1", "doc_2") + "x", View: conversionapi.ImageView, PageNumber: 1, Width: 100}
		if err := a.objects.Put(t.Context(), deleted.PDF, strings.NewReader(content), int64(len(content)), pdfType); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Derive(t.Context(), principal, deleted); !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("a deleted document with %q: %v", content, err)
		}
		err := a.objects.List(t.Context(), a.converted.Of("org_1", "doc_2"), func(o blob.Object) error {
			t.Errorf("%s is left", o.Key)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPagesPurged shows that a purge removes what was derived from pages.
func TestPagesPurged(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one")
	a.image(t, 1, 100)
	if err := a.Forget(t.Context(), "org_1", "doc_1", nil); err != nil {
		t.Fatal(err)
	}
	err := a.objects.List(t.Context(), a.converted.Prefix, func(o blob.Object) error {
		t.Errorf("%s is left", o.Key)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNoScratch shows that a full scratch is an error of this machine.
func TestNoScratch(t *testing.T) {
	a := newAlbum(t)
	a.version(t, "a.txt", "one")
	a.convertLatest(t)
	a.Scratch = folder{filepath.Join(a.dir, "missing")}
	_, err := a.Image(t.Context(), principal, conversionapi.PageImageRequest{DocumentID: "doc_1", PageNumber: 1, Width: 100})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestWidthLimit compares the limits of the contract and of the reader.
func TestWidthLimit(t *testing.T) {
	if conversionapi.MaxImageWidth != pdf.MaxRenderWidth {
		t.Errorf("the contract allows %d pixels, the reader %d", conversionapi.MaxImageWidth, pdf.MaxRenderWidth)
	}
}
