package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
)

// Documents queries the document service on behalf of a principal.
type Documents struct {
	// Contents returns the locations of a version's files.
	Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)
	// Status reports whether a document was deleted.
	Status job.Status
}

// Config is the configuration of conversions.
type Config struct {
	Workers     int           `env:"CONVERSION_WORKERS" envDefault:"0" desc:"maximum concurrent conversions; 0: one per CPU"`
	Timeout     time.Duration `env:"CONVERSION_TIMEOUT" envDefault:"50s" desc:"time limit for converting one document"`
	DownloadTTL time.Duration `env:"CONVERSION_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the URL of a converted file is valid"`
	KeepDerived time.Duration `env:"CONVERSION_KEEP" envDefault:"24h" desc:"how long converted files and finished jobs are kept"`
}

// Slots returns how many files are converted concurrently.
func (c Config) Slots() int {
	if c.Workers == 0 {
		return runtime.NumCPU()
	}
	return c.Workers
}

// PDF opens the PDF in the first size bytes of f. A *pdf.Error is the file's fault, and
// pdf.ErrNoPage means that it has no page with the number; any other error is not its
// fault. Pages count from 1.
type PDF interface {
	// CountPages returns the number of pages, which is at least one.
	CountPages(ctx context.Context, f io.ReaderAt, size int64) (int, error)
	// Pages returns the sizes of all pages.
	Pages(ctx context.Context, f io.ReaderAt, size int64) ([]pdf.PageSize, error)
	// Render writes a page as a PNG of the given width in pixels.
	Render(ctx context.Context, f io.ReaderAt, size int64, page, width int, w io.Writer) error
	// Words returns the text of a page, and its words as spans of that text.
	Words(ctx context.Context, f io.ReaderAt, size int64, page int) (*pdf.PageText, error)
}

// Service converts documents. It converts stored documents by jobs, which the embedded
// service manages. Its errors are *problem.Error, or internal errors.
type Service struct {
	*jobservice.Service[order, conversionapi.Result]
	cfg     Config
	engine  Engine
	pdf     PDF
	objects *blob.Store
	// converted holds the results under the keys
	// derived/<organization>/<document>/<SHA-256 of the content>/<engine version>.pdf, and
	// what Pages shows under derived/<organization>/<document>/pages/.
	converted derived.Files
	documents Documents
	scratch   Scratch
	slots     *job.Slots
	now       func() time.Time
}

// Scratch creates folders for temporary files, on storage that does not survive a power
// loss. Remove deletes a folder and its contents.
type Scratch interface {
	Make() (dir string, err error)
	Remove(dir string)
}

// NewService returns a Service. cfg.Workers must be at least 1. Stored documents are
// converted by jobs, which call Work. A process that calls neither Work nor Inline needs
// no pdf and no scratch, and of the engine only its version.
func NewService(cfg Config, engine Engine, pdf PDF, objects *blob.Store, documents Documents, scratch Scratch, jobs jobservice.Jobs) *Service {
	s := &Service{
		cfg: cfg, engine: engine, pdf: pdf, objects: objects, documents: documents, scratch: scratch, now: time.Now,
		slots:     job.NewSlots(cfg.Workers, "converters"),
		converted: derived.Files{Objects: objects, Prefix: "derived/", Keep: cfg.KeepDerived, URL: cfg.DownloadTTL},
	}
	s.Service = jobservice.New(jobs, documents.Status, jobservice.Spec[order, conversionapi.Result]{
		Kind: jobapi.Convert, Work: s.work, Kept: s.kept, Show: s.show,
	})
	return s
}

// Acquire waits for a conversion slot. Only the holder of a slot keeps files in scratch, so
// the number of slots bounds the files.
func (s *Service) Acquire(ctx context.Context) (release func(), err error) {
	return s.slots.Acquire(ctx)
}

// Load returns how many files wait for conversion in this process, and how many are being
// converted. It counts inline files and those of jobs.
func (s *Service) Load() (waiting, running int) { return s.slots.Load() }

// storedFile ensures that a PDF of the file exists, and returns the key of its object. If
// the file is a PDF, that is the file's own key; otherwise, the key begins with prefix. The
// error is a *refusal if the file cannot be converted.
func (s *Service) storedFile(ctx context.Context, prefix string, file documentapi.Content, report func(float64)) (string, error) {
	dir, err := s.scratch.Make()
	if err != nil {
		return "", err
	}
	defer s.scratch.Remove(dir)
	in, err := s.fetch(ctx, dir, file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	report(progressFetched)
	t, err := s.admit(ctx, in, file.Name)
	if err != nil {
		return "", err
	}
	if t == filetype.PDF {
		return file.Key, nil
	}
	key := prefix + file.SHA256 + "/" + s.engine.Version() + ".pdf"
	return key, s.derive(ctx, key, dir, in, t)
}

// progressFetched is the progress of a job once its file is fetched. Most of the time is
// spent after that.
const progressFetched = 0.1

// derive ensures that the PDF of the file in dir exists at key.
func (s *Service) derive(ctx context.Context, key, dir string, in *os.File, t filetype.Type) error {
	kept, err := s.converted.Kept(ctx, key, s.now())
	if err != nil || kept { // the same content was converted for another version
		return err
	}
	pdf, err := s.convert(ctx, dir, in, t)
	if err != nil {
		return err
	}
	out, err := os.Open(pdf)
	if err != nil {
		return err
	}
	defer out.Close()
	info, err := out.Stat()
	if err != nil {
		return err
	}
	return s.converted.Put(ctx, key, out, info.Size(), pdfType)
}

// fetch copies a stored file into dir. A sealed file never exceeds the size that can be
// converted, and exists until its document is purged.
func (s *Service) fetch(ctx context.Context, dir string, file documentapi.Content) (*os.File, error) {
	body, _, err := s.objects.Get(ctx, file.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &refusal{reason: "no longer exists", cause: err}
	}
	if err != nil {
		return nil, blob.Unavailable(err)
	}
	defer body.Close()
	f, err := os.Create(filepath.Join(dir, "input"))
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, body); err != nil {
		return nil, errors.Join(blob.Unavailable(err), f.Close())
	}
	return f, nil
}

// convert has the engine convert the file, and returns the path of the PDF. The error is a
// *refusal if the document is at fault.
func (s *Service) convert(ctx context.Context, dir string, in *os.File, t filetype.Type) (string, error) {
	named, err := nameForEngine(dir, in, t)
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	pdf, err := s.engine.Convert(bounded, named, t)
	switch {
	case errors.Is(err, ErrNoEngine):
		return "", job.Final(problem.New(problem.Unavailable,
			"The service cannot convert documents because no converter is installed. Ask the operator to run recto doctor.").
			After(time.Hour).Because(err))
	case errors.Is(err, ErrUnconvertible):
		return "", &refusal{reason: "could not be converted: it is damaged, or contains something that the converter cannot read", cause: err}
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return "", &refusal{reason: fmt.Sprintf("could not be converted within %s", s.cfg.Timeout), cause: err, retryable: true}
	case err != nil && ctx.Err() != nil:
		return "", ctx.Err()
	}
	return pdf, err
}

// nameForEngine renames the file so that its extension matches its type. It also
// converts text to the encoding that the engine expects.
func nameForEngine(dir string, in *os.File, t filetype.Type) (string, error) {
	if t != filetype.Text {
		named := filepath.Join(dir, "input."+strings.ToLower(string(t)))
		return named, os.Rename(in.Name(), named)
	}
	text, err := filetype.TextReader(in)
	if err != nil {
		return "", err
	}
	named := filepath.Join(dir, "input.txt")
	out, err := os.Create(named)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, text)
	return named, errors.Join(err, out.Close())
}

// pdfName returns name with its last extension replaced by .pdf.
func pdfName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".pdf"
}
