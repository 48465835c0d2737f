package conversion

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/scratch"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/conversion/internal/domain"
	"github.com/rectohq/recto/services/conversion/internal/fonts"
	"github.com/rectohq/recto/services/conversion/internal/libreoffice"
	"github.com/rectohq/recto/services/conversion/internal/zygote"
)

// converters holds what the service converts with. An instance with the role API has only
// the engine, for its version, and starts none of its processes.
type converters struct {
	domain.Tools
	close func() error
}

// newConverters returns the converters of an instance. LibreOffice and PDFium are
// prepared in the background, until ctx ends. The caller closes the converters.
func newConverters(ctx context.Context, cfg Config, t *telemetry.Telemetry) (converters, error) {
	if !cfg.Role.Works() {
		return converters{Tools: domain.Tools{Engine: identifyEngine(cfg.LibreOffice, t)}, close: func() error { return nil }}, nil
	}
	files, err := openScratch(cfg.Scratch, t)
	if err != nil {
		return converters{}, err
	}
	pages, err := pdf.NewReader(cfg.PDF, t.Log)
	if err != nil {
		files.Close()
		return converters{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	engine := newMeasured(newEngine(ctx, &background, cfg, files, t), t.Metrics)
	cfg.Role.WarmUp(ctx, &background, "pdf", t, pages.Prepare)
	return converters{Tools: domain.Tools{Engine: engine, PDF: pages, Scratch: files, Fonts: installedFonts(t)}, close: func() error {
		stop()
		background.Wait()
		err := pages.Close()
		files.Close()
		return err
	}}, nil
}

// installedFonts returns the fonts that LibreOffice uses, or nil if they cannot be listed.
func installedFonts(t *telemetry.Telemetry) *fonts.Installed {
	installed, err := fonts.Load(fonts.SystemConfig)
	if err != nil {
		t.Log.Warn("the results of conversions do not tell which fonts are missing", "error", err)
		return nil
	}
	return installed
}

// openScratch opens the scratch folder. It warns if the folder is on disk, because
// inline files must not be written to one.
func openScratch(dir string, t *telemetry.Telemetry) (*scratch.Dir, error) {
	files, err := scratch.OpenDir(dir)
	if err != nil {
		return nil, fmt.Errorf("CONVERSION_SCRATCH: %w", err)
	}
	scratch.Measure(t.Metrics, "conversion_scratch", dir)
	if inMemory, err := scratch.IsMemory(dir); err == nil && !inMemory {
		t.Log.Warn("CONVERSION_SCRATCH is not a tmpfs: inline files are written to disk while they are converted", "dir", dir)
	}
	return files, nil
}

// newEngine returns the fastest engine that this machine permits, and prepares it in the
// background. If LibreOffice is not installed, its conversions fail.
func newEngine(ctx context.Context, background *sync.WaitGroup, cfg Config, files *scratch.Dir, t *telemetry.Telemetry) domain.Engine {
	cold, err := libreoffice.New(cfg.LibreOffice, files)
	if err != nil {
		t.Log.Warn("documents cannot be converted; run recto doctor", "error", err)
		if cfg.Role == jobrun.Worker {
			t.Health.Part("libreoffice").Down(err.Error())
		}
		return missing{err}
	}
	about := t.Health.Part(conversionapi.Service)
	prepared := make(chan struct{})
	cfg.Role.WarmUp(ctx, background, "libreoffice", t, func(ctx context.Context) error {
		begin := time.Now()
		if err := cold.Prepare(ctx); err != nil {
			return err
		}
		confined := cold.Confinement()
		about.Note("sandbox", confined.String())
		t.Log.Info("LibreOffice is ready", "release", cold.Release(), "after", time.Since(begin).String(), "sandbox", confined)
		close(prepared)
		return nil
	})
	// started notes whether LibreOffice is kept warm, or why not.
	started := func(err error) {
		note := fmt.Sprintf("%s, %d of them kept warm", cold.Release(), cfg.Domain.Slots())
		if err != nil {
			note = cold.Release() + ", started for each document: " + err.Error()
		}
		about.Note("engine", note)
	}
	pool, err := zygote.NewPool(cfg.Zygote, cfg.Domain.Slots(), cold, files, t.Log)
	if err != nil {
		started(err)
		t.Log.Warn("LibreOffice is started for each document, which takes several times as long", "error", err)
		return cold
	}
	measureEngine(t.Metrics, pool)
	background.Go(func() {
		select {
		case <-prepared:
			pool.Run(ctx, started)
		case <-ctx.Done():
		}
	})
	return zygote.NewEngine(cold, pool, t.Log)
}

// identifyEngine returns an engine for its version only, which is part of the key of every
// job. If LibreOffice is not installed, a document is converted again after LibreOffice
// was upgraded only when its converted file has expired.
func identifyEngine(cfg libreoffice.Config, t *telemetry.Telemetry) domain.Engine {
	engine, err := libreoffice.New(cfg, nil)
	if err != nil {
		t.Log.Warn("cannot tell which LibreOffice the workers have; after its upgrade, earlier converted files stay in use until they expire", "error", err)
		return missing{err}
	}
	return engine
}
