// Package annotation is the annotation service. It owns the definitions of the fields of
// documents, and fills copies of documents with values: Word documents itself, and PDF files
// in the processes of package pdf. No other service stores field definitions.
package annotation

import (
	"context"
	"errors"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/annotation/internal/domain"
	"github.com/rectohq/recto/services/annotation/internal/natsapi"
)

// Config is the configuration of the annotation service.
type Config struct {
	Domain  domain.Config
	Store   StoreConfig
	PDF     pdf.Config    `envPrefix:"ANNOTATION_"`
	Run     jobrun.Config `envPrefix:"ANNOTATION_"`
	Scratch string        `env:"ANNOTATION_SCRATCH" envDefault:"/dev/shm" desc:"folder for temporary files; on a tmpfs they are never written to disk"`
}

// minMemory is the smallest allowed limit on the memory for bodies, in bytes.
const minMemory = 1 << 20

// Validate implements config.Validator.
func (c Config) Validate() []error {
	p := config.Problems(c.Store.Validate())
	p.Require(c.Domain.Workers >= 0, "ANNOTATION_WORKERS must not be negative; 0 is one for each processor")
	config.AtLeast(&p, "ANNOTATION_MEMORY", c.Domain.Memory, minMemory)
	blob.CheckTTL(&p, "ANNOTATION_DOWNLOAD_URL_TTL", c.Domain.DownloadTTL)
	p.Positive("ANNOTATION_KEEP", c.Domain.Keep)
	p.Positive("ANNOTATION_KEEP_FIELDS", c.Domain.KeepFields)
	c.PDF.Check(&p, "ANNOTATION_")
	p.Dir("ANNOTATION_SCRATCH", c.Scratch)
	c.Run.Check(&p, "ANNOTATION_")
	return p
}

// Deps holds the dependencies of the service. The service does not close them.
type Deps = runner.Deps

// Run serves until ctx ends, then finishes the requests it has accepted, and returns.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	forms, err := openForms(ctx, cfg.PDF, deps.Telemetry)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forms.close()) }()
	return run(ctx, cfg, deps, forms)
}

// run is Run with a given reader of PDF files.
func run(ctx context.Context, cfg Config, deps Deps, forms forms) (err error) {
	kept, err := jobstore.OpenBoth(ctx, place, cfg.Store.Database, openers, deps.Telemetry)
	if errors.Is(err, context.Canceled) {
		return nil // shut down while it waited for the database
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	if cfg.Domain.Workers == 0 {
		cfg.Domain.Workers = runtime.NumCPU()
	}
	cfg.Run.Jobs.Workers, cfg.Run.Jobs.KeepEnded = cfg.Domain.Workers, cfg.Domain.Keep
	tell := natsapi.Completed(deps.Bus)
	pool, err := job.Open(ctx, string(jobapi.Annotate), cfg.Run.Jobs, job.Deps{
		Conn: deps.Bus, Store: kept.Jobs, Telemetry: deps.Telemetry, Ended: domain.Ended(deps.Blobs, tell),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	service := domain.NewService(cfg.Domain, domain.Deps{
		Store: kept.Records, Objects: deps.Blobs, Contents: natsapi.Contents(deps.Bus), Status: jobrun.Status(deps.Bus), Jobs: pool,
		PDF: forms.reader, Fonts: forms.fonts, Convert: natsapi.Convert(deps.Bus),
		KeepBodies: cfg.Run.Jobs.KeepDead + cfg.Domain.Keep, Scratch: cfg.Scratch,
		Tell: tell, Count: counter(deps.Telemetry.Metrics), Log: deps.Telemetry.Log,
	})
	scratch.Measure(deps.Telemetry.Metrics, "annotation_scratch", cfg.Scratch)
	job.Measure(deps.Telemetry.Metrics, "recto_annotations",
		"Documents that are waiting for a worker of this process.", "Documents that are being read or filled in this process.", service.Load)
	return jobrun.Run(ctx, jobrun.Process{
		Name: annotationapi.Service, Config: cfg.Run, Deps: deps,
		Register: func(server *bus.Server) error { return natsapi.Register(server, service) },
		Purged:   jobrun.Forget(kept.Jobs, service.Forget), Pool: pool, Work: service.Work, Files: service,
		Checks: []func(context.Context) error{kept.Records.Check, kept.Jobs.Check},
	})
}

// counter returns a function that counts filled fields by type.
func counter(r prometheus.Registerer) func(fields.Type) {
	filled := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recto_fields_filled_total", Help: "Fields that were filled, by their type.",
	}, []string{"type"})
	_ = r.Register(filled) // registering again in the same process fails, which is harmless
	return func(t fields.Type) { filled.WithLabelValues(string(t)).Inc() }
}
