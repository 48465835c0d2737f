// Package domain is what the annotation service does: it finds the fields of
// documents, holds values against them, and writes these into a copy of the file.
// It keeps what the owners of documents say of their fields. It knows no
// transport and no database.
package domain

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/fields"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// Config is what the operator decides.
type Config struct {
	Workers     int           `env:"ANNOTATION_WORKERS" envDefault:"0" desc:"documents read or filled at a time; 0: one for each processor"`
	Memory      int64         `env:"ANNOTATION_MEMORY" envDefault:"536870912" desc:"bytes of request bodies held at a time; what finds no room is answered 5003"`
	DownloadTTL time.Duration `env:"ANNOTATION_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the URL of a filled file is valid"`
	Keep        time.Duration `env:"ANNOTATION_KEEP" envDefault:"24h" desc:"how long filled files, and jobs that have ended, are kept"`
	KeepFields  time.Duration `env:"ANNOTATION_KEEP_FIELDS" envDefault:"720h" desc:"how long the fields that were found in a file are kept after their last use"`
}

// Objects is where the bytes of documents are.
type Objects interface {
	Get(ctx context.Context, key string) (io.ReadCloser, blob.Object, error)
	Stat(ctx context.Context, key string) (blob.Object, error)
	Put(ctx context.Context, key string, r io.Reader, size int64, contentType string) error
	Remove(ctx context.Context, key string) error
	List(ctx context.Context, prefix string, each func(blob.Object) error) error
	// ExpireAfter lets the store itself remove objects whose keys begin with
	// prefix, some time after d, or returns blob.ErrNoLifecycle.
	ExpireAfter(ctx context.Context, prefix string, d time.Duration) error
	PresignGet(ctx context.Context, key string, d time.Duration, name, contentType string) (blob.SignedURL, error)
}

// Contents asks the document service where the bytes of a version are, on
// behalf of p.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Jobs accepts jobs, which Service.Work does in this process or another one.
type Jobs interface {
	// Submit accepts a job and returns the record of it.
	Submit(ctx context.Context, r job.Record, again func(job.Record) bool) (job.Record, error)
	// Get returns the record of a job by its id, or job.ErrNotFound.
	Get(ctx context.Context, organization, id string) (job.Record, error)
}

// Filled is a file that was filled.
type Filled struct {
	Organization, DocumentID string
	// Name is that of the result, and no other has it.
	Name string
	// Types are those of the fields that were filled.
	Types []fields.Type
	At    time.Time
}

// Deps is what a Service is given.
type Deps struct {
	Store    Store
	Objects  Objects
	Contents Contents
	Jobs     Jobs
	// KeepBodies is how long the body of a job may be wanted.
	KeepBodies time.Duration
	// Scratch is the folder for files in work.
	Scratch string
	// Tell tells others that a file was filled. It may be told twice of one.
	Tell func(ctx context.Context, f Filled) error
	Log  *slog.Logger
}

// Service fills documents. Its errors are *problem.Error, or internal.
type Service struct {
	Deps
	cfg     Config
	checker fields.Checker
	slots   chan struct{}
	waiting atomic.Int64 // for a slot
	memory  *semaphore.Weighted
	// pendingKept is set when the folder of the bodies of jobs is there to stay.
	pendingKept atomic.Bool
	now         func() time.Time
}

// NewService returns a Service. Workers must be at least 1.
func NewService(cfg Config, deps Deps) *Service {
	return &Service{
		Deps: deps, cfg: cfg, slots: make(chan struct{}, cfg.Workers), memory: semaphore.NewWeighted(cfg.Memory), now: time.Now,
	}
}

// busyRetry is what a caller who found no room is told to wait.
const busyRetry = 5 * time.Second

// acquire waits for a slot to read and fill documents in. They are held only by
// those who have one, which bounds them all.
func (s *Service) acquire(ctx context.Context) (release func(), err error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Unavailable, "All %d workers are busy. Send the request again later.", s.cfg.Workers).
			After(busyRetry).Because(ctx.Err())
	}
}

// Load returns how many requests and jobs wait for a worker in this process, and
// how many are being worked on.
func (s *Service) Load() (waiting, running int) { return int(s.waiting.Load()), len(s.slots) }

// mayRead asks the document service whether the principal may see the document:
// one that is deleted is gone with all that was made of it.
func (s *Service) mayRead(ctx context.Context, p contract.Principal, documentID string) error {
	_, err := s.Contents(ctx, p, documentapi.GetRequest{DocumentID: documentID})
	return err
}

// unavailable is the answer while the object store cannot be reached.
func unavailable(err error) error {
	return problem.New(problem.Unavailable, "The object store does not answer at the moment. Send the request again later.").
		After(time.Second).Because(err)
}
