// Package insight is the insight service. It owns the engine that reads documents for
// their meaning, and keeps what the engine found for a while. No other part does so.
package insight

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/fetch"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/natsapi"
)

// Config is the configuration of the insight service.
type Config struct {
	Domain   domain.Config
	Fetch    fetch.Config
	Model    provider.Config
	Store    StoreConfig
	Run      jobrun.Config `envPrefix:"INSIGHT_"`
	Role     jobrun.Role   `env:"INSIGHT_ROLE" envDefault:"all" desc:"what this instance does: api accepts requests and reads no documents, worker only reads documents, all does both"`
	Progress ProgressConfig
	PDF      pdf.Config `envPrefix:"INSIGHT_"`
	Rates    RatesConfig
	Scratch  string `env:"INSIGHT_SCRATCH" envDefault:"/dev/shm" desc:"folder for temporary files; on a tmpfs they never reach a disk"`
}

// ProgressConfig limits how long and how much job progress is kept.
type ProgressConfig struct {
	Keep  time.Duration `env:"INSIGHT_PROGRESS_KEEP" envDefault:"10m" desc:"how long the progress of a job can be replayed to clients that connect late or reconnect"`
	Bytes int64         `env:"INSIGHT_PROGRESS_BYTES" envDefault:"67108864" desc:"NATS memory for the progress of all jobs, in bytes; the oldest entries are dropped first"`
}

// minProgress is the least memory for the progress of jobs, in bytes.
const minProgress = 1 << 20

// Validate implements config.Validator.
func (c Config) Validate() []error {
	p := config.Problems(c.Store.Validate())
	p.Require(c.Domain.Workers >= 0, "INSIGHT_WORKERS must not be negative; 0 means one for each processor")
	blob.CheckTTL(&p, "INSIGHT_DOWNLOAD_URL_TTL", c.Domain.DownloadTTL)
	p.Positive("INSIGHT_KEEP", c.Domain.Keep)
	c.PDF.Check(&p, "INSIGHT_")
	p = append(p, c.Fetch.Validate()...)
	p = append(p, c.Model.Validate()...)
	config.AtLeast(&p, "INSIGHT_PROGRESS_KEEP", c.Progress.Keep, time.Second)
	config.AtLeast(&p, "INSIGHT_PROGRESS_BYTES", c.Progress.Bytes, minProgress)
	p.Dir("INSIGHT_SCRATCH", c.Scratch)
	if _, err := c.Rates.read(); err != nil {
		p = append(p, err)
	}
	c.Run.Check(&p, "INSIGHT_")
	c.Role.Check(&p, "INSIGHT_", c.Store.Database)
	p.Require(!c.Model.Enabled() || c.Model.Tries <= c.Run.Jobs.MaxTries, "INSIGHT_MODEL_TRIES must not exceed INSIGHT_MAX_TRIES: after its last try, a job fails")
	p.Require(!c.Model.Enabled() || !c.Role.Works() || c.Model.URL != "" || c.Model.Key != "" || c.Model.Provider == provider.Ollama,
		"INSIGHT_MODEL_KEY must be set to an API key of the provider %s", c.Model.Provider)
	return p
}

// Deps holds the service's dependencies. The service does not close them.
type Deps = runner.Deps

// Run serves until ctx ends, then finishes the requests it has accepted and returns.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	with, err := newReading(ctx, cfg, deps)
	if err != nil {
		return err
	}
	defer with.end(&err)
	return run(ctx, cfg, deps, with)
}

// run is Run with a given reading.
func run(ctx context.Context, cfg Config, deps Deps, with reading) (err error) {
	kept, err := jobstore.OpenBoth(ctx, place, cfg.Store.Database, openers, deps.Telemetry)
	if errors.Is(err, context.Canceled) {
		return nil // shut down while it waited
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	progress, err := deps.Bus.OpenLog(ctx, bus.LogConfig{Name: insightapi.ProgressLog, MaxAge: cfg.Progress.Keep, MaxBytes: cfg.Progress.Bytes})
	if err != nil {
		return err
	}
	if cfg.Domain.Workers == 0 {
		cfg.Domain.Workers = runtime.NumCPU()
	}
	workers := cfg.Domain.Workers
	if cfg.Model.Enabled() {
		workers += cfg.Model.Concurrency // as many jobs wait for the model
	}
	cfg.Run.Jobs.Workers, cfg.Run.Jobs.KeepEnded = cfg.Role.Workers(workers), cfg.Domain.Keep
	pool, err := job.Open(ctx, string(jobapi.Analyze), cfg.Run.Jobs, job.Deps{
		Conn: deps.Bus, Store: kept.Jobs, Telemetry: deps.Telemetry, Ended: jobrun.Completed(deps.Bus, insightapi.EventCompleted),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	engine, index := with.engine(kept.Records)
	service := domain.NewService(cfg.Domain, domain.Deps{
		Engine: engine, Store: kept.Records, Kept: kept.Records, Objects: deps.Blobs,
		Document: natsapi.Document(deps.Bus), Contents: natsapi.Contents(deps.Bus), Status: jobrun.Status(deps.Bus), Fields: natsapi.Fields(deps.Bus), Fetch: with.fetch,
		Jobs: pool, Progress: progress, KeepSent: cfg.Run.Jobs.KeepDead + cfg.Domain.Keep, Scratch: cfg.Scratch, Log: deps.Telemetry.Log,
	})
	if cfg.Role.Works() {
		job.Measure(deps.Telemetry.Metrics, "recto_insights",
			"Documents waiting for a worker of this process.", "Documents being read by this process.", service.Load)
	}
	stop, err := consumeSealed(ctx, deps.Bus, index, service)
	if err != nil {
		return err
	}
	defer stop()
	return jobrun.Run(ctx, jobrun.Process{
		Name: insightapi.Service, Role: cfg.Role, Config: cfg.Run, Deps: deps,
		Register: func(server *bus.Server) error { return natsapi.Register(server, service) },
		Deleted: func(ctx context.Context, e contract.Event) error {
			return kept.Records.ForgetFingerprint(ctx, e.Organization, e.Subject)
		},
		Purged: jobrun.Forget(kept.Jobs, service.Forget), Pool: pool, Work: service.Work, Files: service,
		Checks: []func(context.Context) error{kept.Records.Check, kept.Jobs.Check},
	})
}
