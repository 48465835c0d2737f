package domain

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1"}

// echoEngine creates "PDFs" that contain their source, or fails with err.
type echoEngine struct {
	calls   int
	profile conversionapi.Profile // of the last call
	err     error
}

// Convert implements Engine.
func (e *echoEngine) Convert(ctx context.Context, path string, t filetype.Type, profile conversionapi.Profile) (string, error) {
	e.calls++
	e.profile = profile
	if errors.Is(e.err, context.DeadlineExceeded) {
		<-ctx.Done()
	}
	if e.err != nil {
		return "", e.err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	pdf := filepath.Join(filepath.Dir(path), "output.pdf")
	return pdf, os.WriteFile(pdf, fmt.Appendf(nil, "%s of %s", content, t), 0o600)
}

// Missing implements Engine. Draw is not installed.
func (*echoEngine) Missing(t filetype.Type) string {
	if t == filetype.ODG {
		return "LibreOffice Draw"
	}
	return ""
}

// Version implements Engine.
func (e *echoEngine) Version() string { return "engine-1" }

// pool is a jobservice.Jobs that runs a job in Wait.
type pool struct {
	service *Service
	records map[string]job.Record
}

// Submit implements jobservice.Jobs.
func (p *pool) Submit(_ context.Context, r job.Record, again func(job.Record) bool) (job.Record, error) {
	if there, ok := p.records[r.Key]; ok && (!there.Ended() || !again(there)) {
		return there, nil
	}
	r.State = jobapi.Queued
	p.records[r.Key] = r
	return r, nil
}

// Wait implements jobservice.Jobs. A job that fails with an error other than a problem
// stays queued, to be retried.
func (p *pool) Wait(ctx context.Context, r job.Record) (job.Record, error) {
	result, err := p.service.Work(ctx, r, func(float64) {})
	var failure *problem.Error
	switch {
	case errors.As(err, &failure):
		r.State, r.Error = jobapi.Failed, failure
	case err != nil:
		return r, err
	default:
		r.State = jobapi.Succeeded
		if r.Result, err = json.Marshal(result); err != nil {
			return r, err
		}
	}
	p.records[r.Key] = r
	return r, nil
}

// Get implements jobservice.Jobs.
func (p *pool) Get(_ context.Context, _, id string) (job.Record, error) {
	for _, r := range p.records {
		if r.ID == id {
			return r, nil
		}
	}
	return job.Record{}, job.ErrNotFound
}

// Cancel implements jobservice.Jobs.
func (p *pool) Cancel(ctx context.Context, organization, id string) (job.Record, error) {
	return p.Get(ctx, organization, id)
}

// List implements jobservice.Jobs. It returns no jobs.
func (p *pool) List(context.Context, string, job.Filter, int) ([]job.Record, int64, error) {
	return nil, 0, nil
}

// world is a service with an object store and the versions of doc_1. Every other
// document counts as deleted.
type world struct {
	*Service
	engine   *echoEngine
	objects  *blob.Store
	versions [][]documentapi.Content
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{engine: &echoEngine{}, objects: blobtest.Dial(t, "conversion-"+strings.ToLower(t.Name()))}
	jobs := &pool{records: map[string]job.Record{}}
	w.Service = NewService(Config{Workers: 1, Timeout: time.Minute, DownloadTTL: time.Minute, KeepDerived: time.Hour}, Tools{Engine: w.engine, PDF: opener{}, Scratch: folder{t.TempDir()}}, w.objects, Documents{
		Contents: func(_ context.Context, _ contract.Principal, _ documentapi.GetRequest) (documentapi.ContentsResponse, error) {
			n := len(w.versions) // the latest
			return documentapi.ContentsResponse{DocumentID: "doc_1", VersionNumber: n, Files: w.versions[n-1]}, nil
		},
		Status: func(_ context.Context, _ contract.Principal, id string) (bool, error) { return id != "doc_1", nil },
	}, jobs)
	jobs.service = w.Service
	return w
}

// version adds a version with files, given as pairs of name and content. A file with
// the content "fault" was never uploaded, and one with "gone" is missing in the store.
func (w *world) version(t *testing.T, files ...string) {
	t.Helper()
	var version []documentapi.Content
	for i := 0; i < len(files); i += 2 {
		name, content := files[i], files[i+1]
		f := documentapi.Content{
			ID: fmt.Sprintf("file_%d_%d", len(w.versions)+1, i), Name: name, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(content))), Key: documentapi.ContentKey("org_1", "doc_1", fmt.Sprint(len(w.versions), i)),
		}
		switch content {
		case "fault":
			f.Fault = "was not uploaded"
		case "gone":
		default:
			if err := w.objects.Put(t.Context(), f.Key, strings.NewReader(content), int64(len(content)), ""); err != nil {
				t.Fatal(err)
			}
		}
		version = append(version, f)
	}
	w.versions = append(w.versions, version)
}

var convert = conversionapi.StoredRequest{DocumentID: "doc_1", Format: "pdf"}

// convertLatest converts the latest version, and returns the response and the result's content.
func (w *world) convertLatest(t *testing.T) (conversionapi.StoredResponse, string) {
	t.Helper()
	got, err := w.Stored(t.Context(), principal, convert)
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := w.objects.Get(t.Context(), got.Result.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text := make([]byte, 1000)
	n, _ := body.Read(text)
	return got, string(text[:n])
}

// TestStored shows that the first convertible file is converted, once for the same
// content, and again after the result has expired.
func TestStored(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.txt", "fault", "b.xyz", "\x00\x01", "c.tar.txt", "words")
	got, text := w.convertLatest(t)
	if text != "words of "+string(filetype.Text) || got.Result.Name != "c.tar.pdf" || got.Result.FileID != "file_1_4" {
		t.Errorf("converted to %q, with the result %+v", text, got.Result)
	}
	if got.DownloadURL == "" || got.File.RenewedAt <= time.Now().UnixMilli() || got.File.RemovedAt <= got.File.RenewedAt {
		t.Errorf("got the URL %q and the lifetime %+v", got.DownloadURL, got.File)
	}
	w.convertLatest(t)
	w.version(t, "d.txt", "words")
	if again, _ := w.convertLatest(t); w.engine.calls != 1 || again.Result.Key != got.Result.Key || again.Result.Name != "d.pdf" {
		t.Errorf("the same content was converted %d times, with the result %+v", w.engine.calls, again.Result)
	}
	w.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if w.convertLatest(t); w.engine.calls != 2 {
		t.Errorf("after the result expired: %d conversions in all, want 2", w.engine.calls)
	}
}

// TestDetails checks the details of a new PDF, of one that was kept, and of a stored PDF.
func TestDetails(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.txt", "words")
	got, content := w.convertLatest(t)
	want := conversionapi.Details{Size: int64(len(content)), PageCount: 3, PageSizes: []conversionapi.PageSize{
		{FirstPage: 1, LastPage: 2, Width: 612, Height: 792}, {FirstPage: 3, LastPage: 3, Width: 792, Height: 612},
	}}
	if !reflect.DeepEqual(got.Details, want) || !reflect.DeepEqual(got.Result.Details, want) {
		t.Errorf("got %+v, want %+v", got.Details, want)
	}
	w.version(t, "b.txt", "words")
	if again, _ := w.convertLatest(t); !reflect.DeepEqual(again.Details, want) || w.engine.calls != 1 {
		t.Errorf("without another conversion, got %+v", again.Details)
	}
	w.version(t, "c.pdf", "%PDF-1.7")
	if original, _ := w.convertLatest(t); original.PageCount != 3 || original.Size != 8 {
		t.Errorf("of a PDF, got %+v", original.Details)
	}
	w.PDF = opener{err: &pdf.Error{Reason: "has too many pages"}}
	if details, err := w.describe(t.Context(), writeFile(t, "%PDF-1.7")); err != nil || details.Size != 8 || details.PageCount != 0 || details.PageSizes != nil {
		t.Errorf("of a PDF with too many pages, got %+v, %v", details, err)
	}
	w.PDF = opener{err: errors.New("killed")}
	if _, err := w.describe(t.Context(), writeFile(t, "%PDF-1.7")); err == nil {
		t.Error("a failure of this machine is no error")
	}
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReplacedFonts checks that the result lists a missing font only if the PDF embeds its
// replacement.
func TestReplacedFonts(t *testing.T) {
	installed, err := fonts.Load(fonts.SystemConfig)
	if err != nil {
		t.Fatalf("%v; run make install-packages", err)
	}
	w := newWorld(t)
	w.Fonts = installed
	const page = `<html><p style="font-family: Calibri">x<font face="Verdana">y</font><i style="font-family: Liberation Sans">z</i>`
	w.version(t, "a.html", page+"/BaseFont/BAAAAA+Carlito-Bold /BaseFont/CAAAAA+LiberationSans")
	want := []conversionapi.ReplacedFont{{Font: "Calibri", Replacement: "Carlito"}}
	if got, _ := w.convertLatest(t); !slices.Equal(got.ReplacedFonts, want) {
		t.Errorf("got %+v, want %+v", got.ReplacedFonts, want)
	}
	w.version(t, "b.html", page+"/BaseFont/CAAAAA+LiberationSans")
	if got, _ := w.convertLatest(t); got.ReplacedFonts != nil {
		t.Errorf("without the other font, got %+v", got.ReplacedFonts)
	}
}

// TestProfile shows that a profile is part of what is asked of the engine and of the key, that
// a PDF with a flaw is refused, and so is a file that is not converted.
func TestProfile(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.txt", "words")
	plain, _ := w.convertLatest(t)
	ask := convert
	ask.Profile = conversionapi.PDFA2b
	got, err := w.Stored(t.Context(), principal, ask)
	if err != nil || got.Result.Key == plain.Result.Key || !strings.HasSuffix(got.Result.Key, "-pdfa-2b.pdf") || w.engine.profile != conversionapi.PDFA2b {
		t.Errorf("got %+v, %v; the engine was asked for %q", got.Result, err, w.engine.profile)
	}
	for name, c := range map[string]struct{ file, content, want string }{
		"a flaw":    {"b.txt", "a flaw", "b.txt cannot conform to pdf/a-2b: it has a flaw."},
		"a PDF":     {"c.pdf", "%PDF-1.7", "c.pdf is PDF, which cannot be converted to pdf/a-2b"},
		"a picture": {"d.png", "\x89PNG\r\n\x1a\n", "d.png is PNG, which cannot be converted to pdf/a-2b"},
	} {
		w.version(t, c.file, c.content)
		if _, err := w.Stored(t.Context(), principal, ask); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(problem.Of(err).Detail, c.want) || strings.HasPrefix(problem.Of(err).Detail, c.file) != (name == "a flaw") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	w.version(t, "b.txt", "a flaw", "c.txt", "a flaw")
	if _, err := w.Stored(t.Context(), principal, ask); !strings.HasSuffix(problem.Of(err).Detail, "to PDF: b.txt cannot conform to pdf/a-2b: it has a flaw; c.txt cannot conform to pdf/a-2b: it has a flaw.") {
		t.Errorf("several files: %v", err)
	}
}

// TestStoredPicture shows that a picture is converted only if no other file is.
func TestStoredPicture(t *testing.T) {
	w := newWorld(t)
	w.version(t, "logo.png", "\x89PNG\r\n\x1a\n", "a.txt", "words")
	if got, text := w.convertLatest(t); !strings.HasPrefix(text, "words") || got.Result.Name != "a.pdf" {
		t.Errorf("converted to %q, with the result %+v", text, got.Result)
	}
	w.version(t, "scan.tiff", "II*\x00", "b.xyz", "\x00\x01")
	if got, text := w.convertLatest(t); text != "the picture, image/tiff" || got.Result.Name != "scan.pdf" {
		t.Errorf("converted to %q, with the result %+v", text, got.Result)
	}
}

// TestStoredRefusals shows that a refusal names every file with the reason.
func TestStoredRefusals(t *testing.T) {
	w := newWorld(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if kind, err := z.Create("mimetype"); err != nil {
		t.Fatal(err)
	} else if _, err := io.WriteString(kind, "application/vnd.oasis.opendocument.graphics"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	odg := b.String()
	w.version(t, "a.txt", "fault", "b.txt", "", "c.docx", "text", "d.txt", "gone", "f.odg", odg)
	_, err := w.Stored(t.Context(), principal, convert)
	var failure *problem.Error
	if !errors.As(err, &failure) || failure.Code != problem.InvalidRequest || failure.RetryAfter != 0 {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"Version 1", "a.txt was not uploaded", "b.txt is empty", "c.docx is", "d.txt no longer exists", "f.odg is ODG, which this server cannot convert, because LibreOffice Draw is not installed"} {
		if !strings.Contains(failure.Detail, part) {
			t.Errorf("%q does not contain %q", failure.Detail, part)
		}
	}
	w.version(t, "a.txt", "fault")
	if _, err := w.Submit(t.Context(), principal, convert); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("a version without any upload: got %v, want InvalidRequest", err)
	}
	if _, err := w.Stored(t.Context(), principal, conversionapi.StoredRequest{DocumentID: "doc_1", Format: "docx"}); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("another format: got %v, want InvalidRequest", err)
	}
	if w.engine.calls != 0 {
		t.Errorf("the engine was called %d times, want 0", w.engine.calls)
	}
}

// TestEngineErrors shows how an engine's errors become problems: an unconvertible
// document is refused for good, and other failures can be retried.
func TestEngineErrors(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		code  problem.Code // 0: the pool retries
		retry bool
		part  string
	}{
		"unconvertible": {fmt.Errorf("load: %w", ErrUnconvertible), problem.InvalidRequest, false, "could not be converted: it is damaged"},
		"late":          {context.DeadlineExceeded, problem.InvalidRequest, true, "could not be converted within 10ms; make it smaller or split it"},
		"no engine":     {ErrNoEngine, problem.Unavailable, true, "recto doctor"},
		"broken":        {errors.New("exit status 81"), 0, false, "exit status 81"},
	} {
		w := newWorld(t)
		w.cfg.Timeout = 10 * time.Millisecond
		w.engine.err = test.err
		w.version(t, "a.txt", "words "+name)
		_, err := w.Stored(t.Context(), principal, convert)
		var failure *problem.Error
		if known := errors.As(err, &failure); known != (test.code != 0) || known && (failure.Code != test.code || (failure.RetryAfter > 0) != test.retry) || !strings.Contains(fmt.Sprint(err), test.part) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestSign shows that results are signed only if the principal may read the document and
// the result has not expired.
func TestSign(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.txt", "words")
	got, _ := w.convertLatest(t)
	if signed, err := w.Sign(t.Context(), principal, got.Result); err != nil || signed.DownloadURL == "" {
		t.Errorf("Sign = %+v, %v", signed, err)
	}
	if _, err := w.Sign(t.Context(), contract.Principal{Organization: "org_2"}, got.Result); problem.Of(err).Code != problem.Internal {
		t.Errorf("result of another organization: %v", err)
	}
	deleted := conversionapi.Result{Key: w.converted.Of("org_1", "doc_2") + "x.pdf", DocumentID: "doc_2"}
	if _, err := w.Sign(t.Context(), principal, deleted); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("result of a deleted document: %v", err)
	}
	w.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if _, err := w.Sign(t.Context(), principal, got.Result); !problem.Is(err, problem.DocumentNotFound) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("expired result: %v", err)
	}
	w.now = time.Now
	if err := w.Forget(t.Context(), "org_1", "doc_1", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sign(t.Context(), principal, got.Result); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("result of a purged document: %v", err)
	}
}

// TestJobReturnsWhatStoredReturns shows that a job's result is the response of Stored, without
// the key of the object.
func TestJobReturnsWhatStoredReturns(t *testing.T) {
	w := newWorld(t)
	w.version(t, "a.txt", "words")
	accepted, err := w.Submit(t.Context(), principal, convert)
	if err != nil {
		t.Fatal(err)
	}
	w.convertLatest(t) // runs the same job
	shown, err := w.Job(t.Context(), principal, jobapi.GetRequest{ID: accepted.ID})
	if err != nil || shown.State != jobapi.Succeeded || !strings.Contains(string(shown.Result), `"download_url":"http`) || strings.Contains(string(shown.Result), "engine-1.pdf\",") {
		t.Errorf("Job = %s %s, %v", shown.State, shown.Result, err)
	}
}
