package insight

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/fetch"
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
	if !cfg.Role.Works() {
		r.engine = engine.New(nil)
		return r, nil
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
		return pages.Close()
	}
	r.engine = engine.New(source.NewReader(source.Deps{
		Neighbours: natsapi.Neighbours(deps.Bus), Objects: deps.Blobs, PDF: pages, Scratch: cfg.Scratch,
	}))
	return r, nil
}

// reading holds what the service reads documents with.
type reading struct {
	engine domain.Engine
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
