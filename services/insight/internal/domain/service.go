package domain

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
)

// Config is what the operator decides.
type Config struct {
	Workers     int           `env:"INSIGHT_WORKERS" envDefault:"0" desc:"documents read at a time; 0: one for each processor"`
	DownloadTTL time.Duration `env:"INSIGHT_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the signed_url of an answer is valid; a text that was sent, and what a url led to, are kept for twice that at most"`
	Keep        time.Duration `env:"INSIGHT_KEEP" envDefault:"24h" desc:"how long what was found in stored documents, and jobs that have ended, are kept"`
}

// Document asks the document service for a document, on behalf of p.
type Document func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error)

// Contents asks the document service where the bytes of a version are, on behalf
// of p.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Fields asks the annotation service for the fields of a document, on behalf of p.
type Fields func(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error)

// Fetch writes what a URL leads to, and returns how that is called. Its
// *problem.Error is for the client.
type Fetch func(ctx context.Context, address string, to io.Writer) (Fetched, error)

// Fetched is how a file is called that was fetched. Both may be "".
type Fetched struct{ Name, Type string }

// Progress is where whoever follows a job hears of it. A bus.Log is one.
type Progress interface {
	// Append adds an entry; one that is appended again is told once.
	Append(ctx context.Context, organization, id string, sequence int, data []byte) error
	// Remove removes the entries of an id.
	Remove(ctx context.Context, organization, id string) error
}

// Deps is what a Service is given.
type Deps struct {
	Engine   Engine
	Store    Store
	Objects  *blob.Store
	Document Document
	Contents Contents
	// Status asks the document service whether a document was deleted.
	Status   job.Status
	Fields   Fields
	Fetch    Fetch
	Jobs     jobservice.Jobs
	Progress Progress
	// KeepSent is how long what was sent may be wanted at most.
	KeepSent time.Duration
	// Scratch is the folder for files in work.
	Scratch string
	Log     *slog.Logger
}

// Service reads documents by jobs, whose life the embedded service owns. Its errors are
// *problem.Error, or internal.
type Service struct {
	*jobservice.Service[order, insightapi.Result]
	Deps
	cfg   Config
	slots *job.Slots
	// fetches bound what one organization has fetched at a time.
	fetches *fetches
	now     func() time.Time
}

// NewService returns a Service. Workers must be at least 1.
func NewService(cfg Config, deps Deps) *Service {
	s := &Service{
		Deps: deps, cfg: cfg, slots: job.NewSlots(cfg.Workers, "workers"), fetches: newFetches(), now: time.Now,
	}
	s.Service = jobservice.New(deps.Jobs, deps.Status, jobservice.Spec[order, insightapi.Result]{
		Kind: jobapi.Analyze, Work: s.work, Kept: s.isKept, Renew: s.dropProgress, Show: s.show,
	})
	return s
}

// Load returns how many jobs wait for a worker in this process, and how many are
// being worked on.
func (s *Service) Load() (waiting, running int) { return s.slots.Load() }
