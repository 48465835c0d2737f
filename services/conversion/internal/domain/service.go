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
	"github.com/rectohq/recto/services/conversion/internal/fonts"
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
	Workers     int           `env:"CONVERSION_WORKERS" envDefault:"0" desc:"maximum number of concurrent conversions; 0: one for each processor"`
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
	// Show writes a PDF that shows the picture in f, of a media type. A *pdf.Error is the
	// picture's fault.
	Show(ctx context.Context, f io.ReaderAt, size int64, mediaType string, w io.Writer) error
	// Flaws returns why the PDF does not conform to a profile, each as a clause.
	Flaws(ctx context.Context, f io.ReaderAt, size int64, profile string) ([]string, error)
	// Words returns the text of a page, and its words as spans of that text.
	Words(ctx context.Context, f io.ReaderAt, size int64, page int) (*pdf.PageText, error)
}

// Service converts documents. It converts stored documents by jobs, which the embedded
// service manages. Its errors are *problem.Error, or internal errors.
type Service struct {
	*jobservice.Service[order, conversionapi.Result]
	Tools
	cfg     Config
	objects *blob.Store
	// converted holds the results under the keys
	// derived/<organization>/<document>/<SHA-256 of the content>/<engine version>.pdf, and
	// what Pages shows under derived/<organization>/<document>/pages/.
	converted derived.Files
	documents Documents
	slots     *job.Slots
	now       func() time.Time
}

// Scratch creates folders for temporary files, on storage that does not survive a power
// loss. Remove deletes a folder and its contents.
type Scratch interface {
	Make() (dir string, err error)
	Remove(dir string)
}

// Tools are what a Service converts with.
type Tools struct {
	Engine  Engine
	PDF     PDF
	Scratch Scratch
	// Fonts are those that the engine uses. Without them, no replaced fonts are found.
	Fonts *fonts.Installed
}

// NewService returns a Service. cfg.Workers must be at least 1. Stored documents are
// converted by jobs, which call Work. A process that calls neither Work nor Inline needs
// only the engine, and of that only its version.
func NewService(cfg Config, tools Tools, objects *blob.Store, documents Documents, jobs jobservice.Jobs) *Service {
	s := &Service{
		Tools: tools, cfg: cfg, objects: objects, documents: documents, now: time.Now,
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

// storedFile ensures that a PDF of the file exists, and returns its key and details. If the
// file is a PDF, the key is the file's own; otherwise, it begins with prefix. The error is a
// *refusal if the file cannot be converted.
func (s *Service) storedFile(ctx context.Context, prefix string, file documentapi.Content, profile conversionapi.Profile, report func(float64)) (key string, details conversionapi.Details, err error) {
	dir, err := s.Scratch.Make()
	if err != nil {
		return "", details, err
	}
	defer s.Scratch.Remove(dir)
	in, err := s.fetch(ctx, filepath.Join(dir, "input"), file.Key)
	if err != nil {
		return "", details, err
	}
	defer in.Close()
	report(progressFetched)
	l := label{name: file.Name, charset: filetype.Charset(file.Type)}
	t, err := s.admit(ctx, in, l)
	if err == nil {
		err = checkProfile(t, profile)
	}
	if err != nil {
		return "", details, err
	}
	path := in.Name()
	if key = file.Key; t != filetype.PDF {
		key = prefix + file.SHA256 + "/" + s.Engine.Version() + l.suffix(t) + profileSuffix(profile) + ".pdf"
		if path, err = s.derive(ctx, key, dir, in, l, t, profile); err != nil {
			return "", details, err
		}
	}
	if details, err = s.describe(ctx, path); err == nil && t != filetype.PDF {
		details.ReplacedFonts, err = s.replacedFonts(in, t, path)
	}
	return key, details, err
}

// profileSuffix is the part of a key that names the profile.
func profileSuffix(profile conversionapi.Profile) string {
	if profile == "" {
		return ""
	}
	return "-" + strings.ReplaceAll(string(profile), "/", "")
}

// checkProfile refuses a profile for files that the engine does not convert.
func checkProfile(t filetype.Type, profile conversionapi.Profile) error {
	if profile == "" || t != filetype.PDF && !t.IsPicture() {
		return nil
	}
	return &refusal{reason: fmt.Sprintf("is %s, which cannot be converted to %s; send the document that it was made from, or omit the profile", t, profile)}
}

// progressFetched is the progress of a job once its file is fetched. Most of the time is
// spent after that.
const progressFetched = 0.1

// derive ensures that the PDF of the file in dir exists at key, and returns the path of a copy.
func (s *Service) derive(ctx context.Context, key, dir string, in *os.File, l label, t filetype.Type, profile conversionapi.Profile) (path string, err error) {
	kept, err := s.converted.Kept(ctx, key, s.now())
	if err != nil {
		return "", err
	}
	if kept { // the same content was converted for another version
		copied, err := s.fetch(ctx, filepath.Join(dir, "kept.pdf"), key)
		var gone *refusal // it has expired meanwhile
		switch {
		case err == nil:
			return copied.Name(), copied.Close()
		case !errors.As(err, &gone):
			return "", err
		}
	}
	if path, err = s.convert(ctx, dir, in, l, t, profile); err != nil {
		return "", err
	}
	out, size, err := openSized(path)
	if err != nil {
		return "", err
	}
	defer out.Close()
	return path, s.converted.Put(ctx, key, out, size, pdfType)
}

// fetch copies the file at key to path. A sealed file never exceeds the size that can be
// converted, and exists until its document is purged.
func (s *Service) fetch(ctx context.Context, path, key string) (*os.File, error) {
	body, _, err := s.objects.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &refusal{reason: "no longer exists", cause: err}
	}
	if err != nil {
		return nil, blob.Unavailable(err)
	}
	defer body.Close()
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, body); err != nil {
		return nil, errors.Join(blob.Unavailable(err), f.Close())
	}
	return f, nil
}

// convert has the engine convert the file to a PDF that conforms to the profile, and returns
// its path. The error is a *refusal if the document is at fault.
func (s *Service) convert(ctx context.Context, dir string, in *os.File, l label, t filetype.Type, profile conversionapi.Profile) (string, error) {
	if t.IsPicture() {
		return s.showPicture(ctx, dir, in, t)
	}
	named, err := nameForEngine(dir, in, l, t)
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	pdf, err := s.Engine.Convert(bounded, named, t, profile)
	switch {
	case errors.Is(err, ErrNoEngine):
		return "", job.Final(problem.New(problem.Unavailable,
			"The service cannot convert documents because no converter is installed. Ask the operator to run recto doctor.").
			After(time.Hour).Because(err))
	case errors.Is(err, ErrUnconvertible):
		return "", &refusal{reason: unconvertible(in, t), cause: err}
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return "", &refusal{reason: fmt.Sprintf("could not be converted within %s; make it smaller or split it", s.cfg.Timeout), cause: err, retryable: true}
	case err != nil && ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", err
	}
	return pdf, s.conform(ctx, pdf, profile)
}

// unconvertible returns the reason why the engine could not convert a file of type t.
func unconvertible(in *os.File, t filetype.Type) string {
	if info, err := in.Stat(); err == nil && t == filetype.XLS && filetype.HasPassword(in, info.Size()) {
		return isEncrypted
	}
	return "could not be converted: it is damaged, or contains something that the converter cannot read"
}

// showPicture is convert for a picture, which needs no engine.
func (s *Service) showPicture(ctx context.Context, dir string, in *os.File, t filetype.Type) (path string, err error) {
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	out, err := os.Create(filepath.Join(dir, "output.pdf"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	err = s.PDF.Show(ctx, in, info.Size(), t.MIME(), out)
	if damaged := new(pdf.Error); errors.As(err, &damaged) {
		err = &refusal{reason: damaged.Reason, cause: err}
	}
	return out.Name(), err
}

// pdfName returns name with its last extension replaced by .pdf.
func pdfName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".pdf"
}
