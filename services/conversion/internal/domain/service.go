package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/filetype"
	"github.com/rectohq/recto/libs/problem"
)

// Objects is where the bytes of documents are.
type Objects interface {
	Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error)
	Stat(ctx context.Context, key string) (blob.Object, error)
	Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error
	PresignGet(ctx context.Context, key string, d time.Duration, name, contentType string) (blob.SignedURL, error)
}

// Contents asks the document service where the bytes of a version are, on
// behalf of p.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Config is what the operator decides.
type Config struct {
	Workers     int           `env:"CONVERSION_WORKERS" envDefault:"0" desc:"documents converted at a time; 0: one for each processor"`
	Timeout     time.Duration `env:"CONVERSION_TIMEOUT" envDefault:"50s" desc:"time after which the conversion of one document is given up"`
	MaxContent  int64         `env:"CONVERSION_MAX_CONTENT" envDefault:"104857600" desc:"bytes of a file beyond which it is refused"`
	DownloadTTL time.Duration `env:"CONVERSION_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the URL of a converted file is valid"`
}

// Service converts documents. Its errors are *problem.Error, or internal.
type Service struct {
	cfg      Config
	engine   Engine
	objects  Objects
	contents Contents
	scratch  Scratch
	slots    chan struct{}
}

// Scratch makes folders for files in work, on storage that is lost with the
// machine's power. Remove deletes one with all that is in it.
type Scratch interface {
	Make() (dir string, err error)
	Remove(dir string)
}

// NewService returns a Service. Workers must be at least 1.
func NewService(cfg Config, engine Engine, objects Objects, contents Contents, scratch Scratch) *Service {
	return &Service{cfg: cfg, engine: engine, objects: objects, contents: contents, scratch: scratch, slots: make(chan struct{}, cfg.Workers)}
}

// acquire waits for a worker. Files are held only by those who have one, which
// bounds them all.
func (s *Service) acquire(ctx context.Context) (release func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Unavailable, "All %d converters are busy. Send the request again later.", s.cfg.Workers).
			After(busyRetry).Because(ctx.Err())
	}
}

// busyRetry is what a caller who found no worker is told to wait.
const busyRetry = 5 * time.Second

// Stored converts the first convertible file of a version. The result is kept
// by the hash of the file and the version of the engine, so that the same
// content is converted once.
func (s *Service) Stored(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
	var answer conversionapi.StoredResponse
	var problems problem.List
	problems.Check("format", r.Format, conversionapi.CheckFormat(r.Format))
	if err := problems.Err(); err != nil {
		return answer, err
	}
	contents, err := s.contents(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return answer, err
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return answer, err
	}
	defer release()
	var reasons []string
	for _, file := range contents.Files {
		u, err := s.storedFile(ctx, p, file)
		if err == nil {
			return conversionapi.StoredResponse{DownloadURL: u.URL, ExpiresAt: u.Expires.UnixMilli()}, nil
		}
		var refused *refusal
		if !errors.As(err, &refused) {
			return answer, err
		}
		reasons = append(reasons, fmt.Sprintf("%s %s", file.Name, refused.reason))
	}
	return answer, problem.New(problem.InvalidRequest, "Version %d of the document has no file that can be converted to PDF: %s.",
		contents.VersionNumber, strings.Join(reasons, "; "))
}

// storedFile returns the URL of the file as PDF. The error is a *refusal if the
// file is not convertible.
func (s *Service) storedFile(ctx context.Context, p contract.Principal, file documentapi.Content) (blob.SignedURL, error) {
	dir, err := s.scratch.Make()
	if err != nil {
		return blob.SignedURL{}, err
	}
	defer s.scratch.Remove(dir)
	in, hash, err := s.fetch(ctx, dir, file)
	if err != nil {
		return blob.SignedURL{}, err
	}
	defer in.Close()
	t, err := admit(in, file.Name)
	if err != nil {
		return blob.SignedURL{}, err
	}
	key := file.Key
	if t != filetype.PDF {
		key = fmt.Sprintf("derived/%s/%s/%s.pdf", p.Organization, hash, s.engine.Version())
		if err := s.derive(ctx, key, dir, in, t); err != nil {
			return blob.SignedURL{}, err
		}
	}
	return s.objects.PresignGet(ctx, key, s.cfg.DownloadTTL, pdfName(file.Name), pdfType)
}

const pdfType = "application/pdf"

// derive makes sure that the PDF of the file in dir is at key.
func (s *Service) derive(ctx context.Context, key, dir string, in *os.File, t filetype.Type) error {
	_, err := s.objects.Stat(ctx, key)
	if !errors.Is(err, blob.ErrNotFound) {
		return err // nil: it was converted before
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
	return s.objects.Put(ctx, key, out, info.Size(), pdfType)
}

// fetch copies a stored file into dir and returns it with the SHA-256 of its
// content in hex.
func (s *Service) fetch(ctx context.Context, dir string, file documentapi.Content) (*os.File, string, error) {
	body, object, err := s.objects.Get(ctx, file.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", &refusal{"was not uploaded; PUT its content to its upload_url first", err}
	}
	if err != nil {
		return nil, "", unavailable(err)
	}
	defer body.Close()
	if object.Size > s.cfg.MaxContent {
		return nil, "", &refusal{reason: fmt.Sprintf("has %d bytes, %d are allowed", object.Size, s.cfg.MaxContent)}
	}
	f, err := os.Create(filepath.Join(dir, "input"))
	if err != nil {
		return nil, "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, hash), body); err != nil {
		return nil, "", errors.Join(unavailable(err), f.Close())
	}
	return f, hex.EncodeToString(hash.Sum(nil)), nil
}

// unavailable is the answer while the object store cannot be reached.
func unavailable(err error) error {
	return problem.New(problem.Unavailable, "The object store does not answer at the moment. Send the request again later.").
		After(time.Second).Because(err)
}

// convert gives the file to the engine and returns the path of the PDF. The
// error is a *refusal if the document is at fault.
func (s *Service) convert(ctx context.Context, dir string, in *os.File, t filetype.Type) (string, error) {
	named, err := nameForEngine(dir, in, t)
	if err != nil {
		return "", err
	}
	bounded, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	pdf, err := s.engine.Convert(bounded, named, t)
	switch {
	case errors.Is(err, ErrUnconvertible):
		return "", &refusal{"could not be converted: it is damaged, or holds what the converter cannot read", err}
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return "", &refusal{fmt.Sprintf("could not be converted within %s", s.cfg.Timeout), err}
	case err != nil && ctx.Err() != nil:
		return "", ctx.Err()
	}
	return pdf, err
}

// nameForEngine gives the file the extension of what it is, and text the
// encoding that the engine expects.
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
