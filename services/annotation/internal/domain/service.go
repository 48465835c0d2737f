// Package domain implements the annotation service: it finds the fields of documents,
// validates values against them, and writes the values into a copy of the file. It also
// stores what the owners of documents define about their fields. It depends on no
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

// Config is the operator's configuration.
type Config struct {
	Workers     int           `env:"ANNOTATION_WORKERS" envDefault:"0" desc:"maximum number of documents read or filled concurrently; 0: one for each processor"`
	Memory      int64         `env:"ANNOTATION_MEMORY" envDefault:"536870912" desc:"memory for all request bodies together in bytes; requests beyond it get error 5003"`
	DownloadTTL time.Duration `env:"ANNOTATION_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the URL of a filled file is valid"`
	Keep        time.Duration `env:"ANNOTATION_KEEP" envDefault:"24h" desc:"how long filled files and finished jobs are kept"`
	KeepFields  time.Duration `env:"ANNOTATION_KEEP_FIELDS" envDefault:"720h" desc:"how long the fields found in a file are kept after their last use"`
}

// Contents asks the document service, on behalf of p, where the bytes of a version are.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Filled describes a filled file.
type Filled struct {
	Organization, DocumentID string
	// Name is the unique name of the result.
	Name string
	// Fields is how many fields were filled.
	Fields int
	At     time.Time
}

// Deps holds the dependencies of a Service.
type Deps struct {
	Store    Store
	Objects  *blob.Store
	Contents Contents
	// Status asks the document service whether a document was deleted.
	Status job.Status
	Jobs   jobservice.Jobs
	// PDF reads and fills PDF files, with Fonts.
	PDF   PDF
	Fonts judge.Fonts
	// Convert asks the conversion service, on behalf of p, to convert a file; see
	// conversionapi.Inline.
	Convert func(ctx context.Context, p contract.Principal, file contract.Stream) (contract.Stream, error)
	// KeepBodies is how long the body of a job may be needed.
	KeepBodies time.Duration
	// Scratch is the folder for temporary files.
	Scratch string
	// Tell publishes that a file was filled. It may be called twice for the same file.
	Tell func(ctx context.Context, f Filled) error
	// Count counts a filled field of the type.
	Count func(t fields.Type)
	Log   *slog.Logger
}

// Service fills documents, directly or through jobs, whose lifecycle the embedded service
// manages. Its errors are *problem.Error, or internal errors.
type Service struct {
	*jobservice.Service[order, filled]
	Deps
	cfg     Config
	checker judge.Checker
	// slots bound how many documents are read and filled concurrently, by requests and
	// jobs together.
	slots *job.Slots
	// conversions bound how many filled documents wait for their conversion, each with a
	// temporary file. A request that will convert takes one before it takes a slot.
	conversions *job.Slots
	filled      derived.Files
	memory      *semaphore.Weighted
	now         func() time.Time
}

// NewService returns a Service. Workers must be at least 1.
func NewService(cfg Config, deps Deps) *Service {
	s := &Service{
		Deps: deps, cfg: cfg, slots: job.NewSlots(cfg.Workers, "workers"), conversions: job.NewSlots(2*cfg.Workers, "conversion slots"), memory: semaphore.NewWeighted(cfg.Memory), now: time.Now,
		filled: derived.Files{Objects: deps.Objects, Prefix: annotatedPrefix, Keep: cfg.Keep, URL: cfg.DownloadTTL},
	}
	s.Service = jobservice.New(deps.Jobs, deps.Status, jobservice.Spec[order, filled]{
		Kind: jobapi.Annotate, Work: s.work, Kept: s.kept, Show: s.show,
	})
	return s
}

// busyRetry is the retry delay for callers whose body did not fit into memory.
const busyRetry = 5 * time.Second

// Load returns how many requests and jobs wait for a worker in this process, and how many
// are running.
func (s *Service) Load() (waiting, running int) { return s.slots.Load() }
