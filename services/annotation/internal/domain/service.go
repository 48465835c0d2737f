// Package domain is what the annotation service does: it finds the fields of
// documents, holds values against them, and writes these into a copy of the file.
// It keeps what the owners of documents say of their fields. It knows no
// transport and no database.
package domain

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// Config is what the operator decides.
type Config struct {
	Workers     int           `env:"ANNOTATION_WORKERS" envDefault:"0" desc:"documents read or filled at a time; 0: one for each processor"`
	Memory      int64         `env:"ANNOTATION_MEMORY" envDefault:"536870912" desc:"bytes of request bodies held at a time; what finds no room is answered 5003"`
	DownloadTTL time.Duration `env:"ANNOTATION_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the URL of a filled file is valid"`
	Keep        time.Duration `env:"ANNOTATION_KEEP" envDefault:"24h" desc:"how long filled files, and jobs that have ended, are kept"`
	KeepFields  time.Duration `env:"ANNOTATION_KEEP_FIELDS" envDefault:"720h" desc:"how long the fields that were found in a file are kept after their last use"`
}

// Contents asks the document service where the bytes of a version are, on
// behalf of p.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Filled is a file that was filled.
type Filled struct {
	Organization, DocumentID string
	// Name is that of the result, and no other has it.
	Name string
	// Fields is how many fields were filled.
	Fields int
	At     time.Time
}

// Deps is what a Service is given.
type Deps struct {
	Store    Store
	Objects  *blob.Store
	Contents Contents
	// Status asks the document service whether a document was deleted.
	Status job.Status
	Jobs   jobservice.Jobs
	// KeepBodies is how long the body of a job may be wanted.
	KeepBodies time.Duration
	// Scratch is the folder for files in work.
	Scratch string
	// Tell tells others that a file was filled. It may be told twice of one.
	Tell func(ctx context.Context, f Filled) error
	// Count counts a field of the type that was filled.
	Count func(t fields.Type)
	Log   *slog.Logger
}

// Service fills documents, at once or by jobs, whose life the embedded service owns. Its
// errors are *problem.Error, or internal.
type Service struct {
	*jobservice.Service[order, filled]
	Deps
	cfg     Config
	checker judge.Checker
	// slots are held by who reads and fills documents, which bounds them all.
	slots  *job.Slots
	filled derived.Files
	memory *semaphore.Weighted
	now    func() time.Time
}

// NewService returns a Service. Workers must be at least 1.
func NewService(cfg Config, deps Deps) *Service {
	s := &Service{
		Deps: deps, cfg: cfg, slots: job.NewSlots(cfg.Workers, "workers"), memory: semaphore.NewWeighted(cfg.Memory), now: time.Now,
		filled: derived.Files{Objects: deps.Objects, Prefix: annotatedPrefix, Keep: cfg.Keep, URL: cfg.DownloadTTL},
	}
	s.Service = jobservice.New(deps.Jobs, deps.Status, jobservice.Spec[order, filled]{
		Kind: jobapi.Annotate, Work: s.work, Kept: s.kept, Show: s.show,
	})
	return s
}

// busyRetry is what a caller who found no room is told to wait.
const busyRetry = 5 * time.Second

// Load returns how many requests and jobs wait for a worker in this process, and
// how many are being worked on.
func (s *Service) Load() (waiting, running int) { return s.slots.Load() }
