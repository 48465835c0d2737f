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

// Config is the configuration of a Service.
type Config struct {
	Workers     int           `env:"INSIGHT_WORKERS" envDefault:"0" desc:"maximum number of documents read concurrently; 0: one for each processor"`
	DownloadTTL time.Duration `env:"INSIGHT_DOWNLOAD_URL_TTL" envDefault:"15m" desc:"how long the signed_url of an answer is valid; a doc_text, or the file behind a url, is kept for at most twice as long"`
	Keep        time.Duration `env:"INSIGHT_KEEP" envDefault:"24h" desc:"how long insights of stored documents, and finished jobs, are kept"`
}

// Document asks the document service for a document, on behalf of p.
type Document func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error)

// Contents asks the document service for the files of a version, on behalf of p.
type Contents func(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error)

// Fields asks the annotation service for the fields of a document, on behalf of p.
type Fields func(ctx context.Context, p contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error)

// Fetch writes the file behind a URL to to, and returns its name and type. A
// *problem.Error is meant for the client.
type Fetch func(ctx context.Context, address string, to io.Writer) (Fetched, error)

// Fetched is the name and media type of a fetched file. Either may be "".
type Fetched struct{ Name, Type string }

// Progress is the log in which clients follow a job. bus.Log implements it.
type Progress interface {
	// Append adds an entry. Appending the same sequence number again has no effect.
	Append(ctx context.Context, organization, id string, sequence int, data []byte) error
	// Remove removes the entries of a job.
	Remove(ctx context.Context, organization, id string) error
}

// Deps holds the dependencies of a Service.
type Deps struct {
	Engine Engine
	Store  Store
	// Kept are the completions of a language model. They belong to Store.
	Kept     Completions
	Objects  *blob.Store
	Document Document
	Contents Contents
	// Status asks the document service whether a document was deleted.
	Status   job.Status
	Fields   Fields
	Fetch    Fetch
	Jobs     jobservice.Jobs
	Progress Progress
	// KeepSent is the longest time that sent material may be needed.
	KeepSent time.Duration
	// Scratch is the folder for temporary files.
	Scratch string
	Log     *slog.Logger
}

// Service reads documents in jobs, which the embedded service manages. Its errors are
// *problem.Error, or internal.
type Service struct {
	*jobservice.Service[order, insightapi.Result]
	Deps
	cfg   Config
	slots *job.Slots
	// fetches limits the concurrent fetches of one organization.
	fetches *job.Shares
	now     func() time.Time
}

// NewService returns a Service. cfg.Workers must be at least 1.
func NewService(cfg Config, deps Deps) *Service {
	s := &Service{
		Deps: deps, cfg: cfg, slots: job.NewSlots(cfg.Workers, "workers"), fetches: job.NewShares(maxFetches, maxFetches+maxFetchesWaiting), now: time.Now,
	}
	s.Service = jobservice.New(deps.Jobs, deps.Status, jobservice.Spec[order, insightapi.Result]{
		Kind: jobapi.Analyze, Work: s.work, Kept: s.isKept, Renew: s.dropProgress, Show: s.show,
	})
	return s
}

// Load returns how many jobs of this process wait for a worker, and how many are
// running.
func (s *Service) Load() (waiting, running int) { return s.slots.Load() }

// Free waits until a worker is free. It does not take the worker, so it delays no job.
func (s *Service) Free(ctx context.Context) error {
	release, err := s.slots.Acquire(ctx)
	if err == nil {
		release()
	}
	return err
}
