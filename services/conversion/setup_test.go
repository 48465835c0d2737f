package conversion_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/conversion"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	pdf.Main()
	os.Exit(blobtest.Main(m))
}

var principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}

// system is where instances of the service run, next to a fake document service. All have
// the same database.
type system struct {
	*servicetest.World
	documents *servicetest.Documents
	env       []string
}

// engine is a domain.Engine whose PDFs are copies. Before each, it calls begin, if that is
// not nil.
type engine struct{ begin func(context.Context) error }

// Version implements domain.Engine.
func (engine) Version() string { return "test" }

// Missing implements domain.Engine.
func (engine) Missing(filetype.Type) string { return "" }

// Convert implements domain.Engine.
func (e engine) Convert(ctx context.Context, path string, _ filetype.Type, _ conversionapi.Profile) (string, error) {
	if e.begin != nil {
		if err := e.begin(ctx); err != nil {
			return "", err
		}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	pdf := filepath.Join(filepath.Dir(path), "output.pdf")
	return pdf, os.WriteFile(pdf, content, 0o600)
}

// reader is a domain.PDF. Every PDF has one page, whose image is its content.
type reader struct{}

// CountPages implements domain.PDF.
func (reader) CountPages(context.Context, io.ReaderAt, int64) (int, error) { return 1, nil }

// Pages implements domain.PDF.
func (reader) Pages(context.Context, io.ReaderAt, int64) ([]pdf.PageSize, error) {
	return []pdf.PageSize{{Width: 612, Height: 792}}, nil
}

// Render implements domain.PDF.
func (reader) Render(_ context.Context, f io.ReaderAt, size int64, page, _ int, w io.Writer) error {
	if page != 1 {
		return pdf.ErrNoPage
	}
	_, err := io.Copy(w, io.NewSectionReader(f, 0, size))
	return err
}

// Show implements domain.PDF.
func (reader) Show(context.Context, io.ReaderAt, int64, string, io.Writer) error { return nil }

// Flaws implements domain.PDF.
func (reader) Flaws(context.Context, io.ReaderAt, int64, string) ([]string, error) { return nil, nil }

// Words implements domain.PDF.
func (reader) Words(context.Context, io.ReaderAt, int64, int) (*pdf.PageText, error) {
	return &pdf.PageText{Text: "text", Words: []layout.Word{{Span: layout.Span{End: 4}, Page: 1}}}, nil
}

// folders is a domain.Scratch.
type folders struct{ parent string }

// Make implements domain.Scratch.
func (f folders) Make() (string, error) { return os.MkdirTemp(f.parent, "") }

// Remove implements domain.Scratch.
func (folders) Remove(dir string) { _ = os.RemoveAll(dir) }

func newSystem(t *testing.T) *system {
	t.Helper()
	w := servicetest.New(t)
	return &system{World: w, documents: w.Documents(), env: []string{
		"CONVERSION_DATABASE=" + filepath.Join(t.TempDir(), "conversion.db"), "CONVERSION_WORKERS=2",
		"CONVERSION_ACK_WAIT=" + patience.Scale(10*time.Second).String(),
	}}
}

// start starts an instance with the role and the engine, and waits until it is ready. The
// instances are in one process, so they may share a database that separate processes may
// not.
func (s *system) start(role jobrun.Role, e engine) *servicetest.Service {
	s.T.Helper()
	var cfg conversion.Config
	if err := config.Load(s.env, "CONVERSION_", &cfg); err != nil {
		s.T.Fatal(err)
	}
	cfg.Role = role
	return s.StartReady(conversionapi.Service, func(ctx context.Context, deps runner.Deps) error {
		return conversion.RunWith(ctx, cfg, deps, e, reader{}, folders{s.T.TempDir()})
	})
}

// document adds a document with a text.
func (s *system) document(text string) (id string) {
	s.T.Helper()
	return s.documents.Add("org_1", documentapi.Draft, servicetest.File{Name: "a.txt", Type: "text/plain", Content: text})
}

// submit submits the conversion of a document as a client does that does not wait.
func (s *system) submit(documentID string) (jobID string, err error) {
	s.T.Helper()
	j, err := bus.Call(patience.Context(s.T), s.Caller, conversionapi.Submit, principal, conversionapi.StoredRequest{DocumentID: documentID, Format: "pdf"})
	return j.ID, err
}

// job returns a job, and the URL of its file if it has one.
func (s *system) job(id string) (j jobapi.Job, url string) {
	s.T.Helper()
	j, err := bus.Call(patience.Context(s.T), s.Caller, conversionapi.Job, principal, jobapi.GetRequest{ID: id})
	if err != nil {
		s.T.Fatal(err)
	}
	var r conversionapi.StoredResponse
	if len(j.Result) > 0 {
		if err := json.Unmarshal(j.Result, &r); err != nil {
			s.T.Fatal(err)
		}
	}
	return j, r.DownloadURL
}

// becomes waits until a job has succeeded with a PDF that has the text.
func (s *system) becomes(jobID, text string) {
	s.T.Helper()
	patience.Until(s.T, "the end of job "+jobID, func() bool {
		j, _ := s.job(jobID)
		return j.State.Ended()
	})
	j, url := s.job(jobID)
	if j.State != jobapi.Succeeded {
		s.T.Fatalf("the job ended as %+v", j)
	}
	if content, _ := s.Download(url); string(content) != text {
		s.T.Errorf("the PDF is %q, want %q", content, text)
	}
}
