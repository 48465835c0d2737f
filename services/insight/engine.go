package insight

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/fetch"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/matching"
	"github.com/rectohq/recto/services/insight/internal/natsapi"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// newReading returns the engine and the fetcher. The PDF reader is compiled in the
// background, until ctx ends. An instance with the role API has only the fetcher and the
// version of the engine.
func newReading(ctx context.Context, cfg Config, deps Deps) (r reading, err error) {
	client, err := fetch.New(cfg.Fetch)
	if err != nil {
		return r, err
	}
	r.fetch = func(ctx context.Context, address string, to io.Writer) (domain.Fetched, error) {
		file, err := client.Get(ctx, address, to)
		return domain.Fetched{Name: file.Name, Type: file.Type}, err
	}
	rates, err := cfg.Rates.read()
	if err != nil {
		return r, err
	}
	if !cfg.Role.Works() {
		r.engine = func(records) (domain.Engine, *matching.Index) {
			return engine.New(nil, llm.NewReader(cfg.Model, llm.Deps{})).WithRates(rates), nil
		}
		return r, nil
	}
	model, closeModel, err := newModel(cfg, deps)
	if err != nil {
		return r, err
	}
	pages, err := pdf.NewReader(cfg.PDF, deps.Telemetry.Log)
	if err != nil {
		return r, err
	}
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	cfg.Role.WarmUp(ctx, &background, "pdf", deps.Telemetry, func(ctx context.Context) error {
		if err := pages.Prepare(ctx); err != nil {
			return err
		}
		confined := pages.Confinement()
		deps.Telemetry.Health.Part(insightapi.Service).Note("sandbox", confined.String())
		deps.Telemetry.Log.Info("the PDF reader is ready", "sandbox", confined)
		return nil
	})
	r.close = func() error {
		stop()
		background.Wait()
		closeModel()
		return pages.Close()
	}
	reader := source.NewReader(source.Deps{
		Neighbours: natsapi.Neighbours(deps.Bus), Objects: deps.Blobs, PDF: pages, Scratch: cfg.Scratch,
	})
	r.engine = func(kept records) (domain.Engine, *matching.Index) {
		index := matching.New(matching.Deps{
			Store: kept, Document: natsapi.Document(deps.Bus), Contents: natsapi.Contents(deps.Bus), Status: jobrun.Status(deps.Bus),
			Prepare: pages.Prepare, Plain: reader.ReadPlain, Log: deps.Telemetry.Log,
		})
		return engine.New(reader, model(kept)).WithRates(rates).WithIndex(index), index
	}
	return r, nil
}

// newModel returns a function that returns the reader with a language model, which keeps
// its answers in a store, and a function that closes its connections.
func newModel(cfg Config, deps Deps) (open func(records) *llm.Reader, end func(), err error) {
	if !cfg.Model.Enabled() {
		return func(records) *llm.Reader { return nil }, func() {}, nil
	}
	client, err := provider.New(cfg.Model)
	if err != nil {
		return nil, nil, err
	}
	deps.Telemetry.Log.Info("documents are read with a language model", "model", cfg.Model.Name())
	return func(kept records) *llm.Reader {
		return llm.NewReader(cfg.Model, llm.Deps{
			Model: client, Ledger: ledger.New(kept, cfg.Model, time.Now), Kept: kept, Meter: meter.New(deps.Telemetry.Metrics), Keep: cfg.Domain.Keep, Log: deps.Telemetry.Log,
		})
	}, client.Close, nil
}

// reading holds what the service reads documents with.
type reading struct {
	// engine returns the engine and its index, which may keep what they need in a store. An
	// engine that reads no documents has no index.
	engine func(records) (domain.Engine, *matching.Index)
	fetch  domain.Fetch
	// close releases its resources. It is nil if there are none.
	close func() error
}

// end closes the reading and joins any error into err.
func (r reading) end(err *error) {
	if r.close != nil {
		*err = errors.Join(*err, r.close())
	}
}
