// Package conversion is the conversion service. It owns the converters: a
// bounded number of processes that convert documents to PDF. No other service
// starts LibreOffice.
package conversion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
	"github.com/rectohq/recto/services/conversion/internal/natsapi"
	"github.com/rectohq/recto/services/conversion/internal/zygote"
)

// Config is the configuration of the conversion service.
type Config struct {
	Domain      domain.Config
	LibreOffice libreoffice.Config
	Zygote      zygote.Config
	PDF         pdf.Config `envPrefix:"CONVERSION_"`
	Store       StoreConfig
	Run         jobrun.Config `envPrefix:"CONVERSION_"`
	Role        jobrun.Role   `env:"CONVERSION_ROLE" envDefault:"all" desc:"what this instance does: api accepts requests and converts nothing, worker only converts, all does both"`
	Scratch     string        `env:"CONVERSION_SCRATCH" envDefault:"/dev/shm" desc:"folder for temporary files; it must be a tmpfs, so that inline files are never written to disk"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	p := config.Problems(c.Store.Validate())
	p.Require(c.Domain.Workers >= 0, "CONVERSION_WORKERS must not be negative; 0 means one for each processor")
	p.Positive("CONVERSION_TIMEOUT", c.Domain.Timeout)
	blob.CheckTTL(&p, "CONVERSION_DOWNLOAD_URL_TTL", c.Domain.DownloadTTL)
	p.Positive("CONVERSION_KEEP", c.Domain.KeepDerived)
	config.AtLeast(&p, "CONVERSION_MEMORY", c.LibreOffice.Memory, 1)
	c.PDF.Check(&p, "CONVERSION_")
	if c.Role.Works() {
		p.Dir("CONVERSION_SCRATCH", c.Scratch)
	}
	c.Run.Check(&p, "CONVERSION_")
	c.Role.Check(&p, "CONVERSION_", c.Store.Database)
	return p
}

// Deps holds the service's dependencies. The service does not close them.
type Deps = runner.Deps

// Run serves until ctx ends, then finishes the requests in progress and returns.
// Without LibreOffice it still serves requests that need no conversion, and
// refuses the rest as unavailable.
func Run(ctx context.Context, cfg Config, deps Deps) (err error) {
	with, err := newConverters(ctx, cfg, deps.Telemetry)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, with.close()) }()
	return run(ctx, cfg, deps, with)
}

// run is Run with given converters.
func run(ctx context.Context, cfg Config, deps Deps, with converters) (err error) {
	store, err := place.Open(ctx, cfg.Store.Database, deps.Telemetry)
	if errors.Is(err, context.Canceled) {
		return nil // shutdown was requested while waiting
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	cfg.Domain.Workers = cfg.Domain.Slots()
	cfg.Run.Jobs.Workers, cfg.Run.Jobs.KeepEnded = cfg.Role.Workers(cfg.Domain.Workers), cfg.Domain.KeepDerived
	pool, err := job.Open(ctx, string(jobapi.Convert), cfg.Run.Jobs, job.Deps{
		Conn: deps.Bus, Store: store, Telemetry: deps.Telemetry, Ended: jobrun.Completed(deps.Bus, conversionapi.EventCompleted),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	service := domain.NewService(cfg.Domain, with.Tools, deps.Blobs, natsapi.Documents(deps.Bus), pool)
	if cfg.Role.Works() {
		job.Measure(deps.Telemetry.Metrics, "recto_conversions",
			"Files waiting for a converter in this process.", "Files being converted in this process.", service.Load)
	}
	return serve(ctx, cfg, deps, service, jobrun.Process{
		Name: conversionapi.Service, Role: cfg.Role, Config: cfg.Run, Deps: deps,
		Purged: jobrun.Forget(store, service.Forget), Pool: pool, Work: service.Work,
		Files: service, Checks: []func(context.Context) error{store.Check},
	})
}

// serve opens the queues of requests, and runs the process until ctx ends.
func serve(ctx context.Context, cfg Config, deps Deps, service *domain.Service, process jobrun.Process) (err error) {
	open := func(name string) (*bus.Requests, error) {
		return deps.Bus.OpenRequests(ctx, name, int64(cfg.Run.Pool), cfg.Run.Jobs.AckWait)
	}
	inline, err := open(conversionapi.Inline.Subject())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inline.Close()) }()
	derive, err := open(conversionapi.Derive.Subject())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, derive.Close()) }()
	pages := domain.NewPages(service, natsapi.Derive(deps.Bus), cfg.Run.Jobs.Share, cfg.Run.Pool/2)
	process.Register = func(server *bus.Server) error { return natsapi.Register(server, service, pages, inline, derive) }
	log := deps.Telemetry.Log
	process.Takers = slices.Concat(
		takers(natsapi.ConvertInline(service, inline, log), cfg.Run.Jobs.Workers),
		takers(natsapi.DeriveFiles(service, derive, log), cfg.Role.Workers(cfg.PDF.Processes)),
	)
	return jobrun.Run(ctx, process)
}

// takers returns the same taker n times.
func takers(take func(context.Context, *bus.Server), n int) []func(context.Context, *bus.Server) {
	return slices.Repeat([]func(context.Context, *bus.Server){take}, n)
}

// Checks returns the checks that recto doctor runs.
func Checks(cfg Config) []runner.Check {
	return []runner.Check{
		{Name: "LibreOffice", Run: func(ctx context.Context) (string, error) { return checkLibreOffice(ctx, cfg) }},
		{Name: "formats", Run: func(context.Context) (string, error) { return checkFormats(cfg) }},
		{Name: "PDF opener", Run: func(ctx context.Context) (string, error) { return checkPDF(ctx, cfg.PDF) }},
		{Name: "fonts", Run: func(context.Context) (string, error) { return checkFonts("/usr/share/fonts", "/usr/local/share/fonts") }},
		{Name: "tmpfs", Run: func(context.Context) (string, error) { return checkScratch(cfg.Scratch) }},
	}
}

// checkLibreOffice converts a page. This is the only reliable check, because an
// installation may be incomplete, or may lack permission to run in the sandbox.
func checkLibreOffice(ctx context.Context, cfg Config) (string, error) {
	files, err := scratch.OpenDir(cfg.Scratch)
	if err != nil {
		files, err = scratch.OpenDir(os.TempDir()) // the tmpfs check reports what is wrong with the folder
	}
	if err != nil {
		return "", err
	}
	defer files.Close()
	engine, err := libreoffice.New(cfg.LibreOffice, files)
	if err != nil {
		return "", adviseEngine(err)
	}
	begin := time.Now()
	if err := engine.Prepare(ctx); err != nil {
		return "", &runner.Advice{Err: err, Fix: "Reinstall it: apt-get install --reinstall libreoffice-core-nogui libreoffice-writer-nogui"}
	}
	took := time.Since(begin)
	converts := fmt.Sprintf("%s converts a page; cold start took %d ms", engine.Release(), took.Milliseconds())
	if cfg.Zygote.Off() {
		return converts + "; CONVERSION_ZYGOTE is off", nil
	}
	pool, err := zygote.NewPool(cfg.Zygote, 1, engine, files, slog.New(slog.DiscardHandler))
	var ready time.Duration
	if err == nil {
		ready, err = pool.Try(ctx)
	}
	if err != nil {
		return "", &runner.Advice{
			Err:      fmt.Errorf("%s, and LibreOffice is started for each document: %w", converts, err),
			Fix:      "Run make build with gcc and libc6-dev installed, or set CONVERSION_ZYGOTE to the path of recto-zygote; the kernel needs Landlock.",
			Optional: true,
		}
	}
	return fmt.Sprintf("%s, a warm one is ready after %d ms", converts, ready.Milliseconds()), nil
}

// checkFormats looks for the applications of LibreOffice. Without one, documents of its types
// are refused.
func checkFormats(cfg Config) (string, error) {
	engine, err := libreoffice.New(cfg.LibreOffice, nil)
	if err != nil {
		return "", adviseEngine(err)
	}
	var found, missing, packages []string
	for _, m := range engine.Modules() {
		if m.Installed {
			found = append(found, m.Product)
			continue
		}
		missing, packages = append(missing, m.Types), append(packages, m.Package)
	}
	if len(missing) > 0 {
		return "", &runner.Advice{
			Err:      fmt.Errorf("LibreOffice is not complete: %s cannot be converted", strings.Join(missing, "; ")),
			Fix:      "apt-get install -y --no-install-recommends " + strings.Join(packages, " "),
			Optional: true,
		}
	}
	return strings.Join(found, ", "), nil
}

// CheckEngine returns nil if LibreOffice is installed, and an error with advice
// otherwise. It does not start LibreOffice.
func CheckEngine(cfg Config) error {
	_, err := libreoffice.New(cfg.LibreOffice, nil)
	return adviseEngine(err)
}

// adviseEngine adds the command that installs LibreOffice to ErrNotInstalled.
func adviseEngine(err error) error {
	if errors.Is(err, libreoffice.ErrNotInstalled) {
		return &runner.Advice{Err: err, Fix: "apt-get install -y --no-install-recommends libreoffice-writer-nogui"}
	}
	return err
}
