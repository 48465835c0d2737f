package insight

import (
	"context"
	"errors"
	"io"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/fetch"
	"github.com/rectohq/recto/services/insight/internal/natsapi"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// newReading returns the engine and the fetcher. The PDF reader is compiled in the
// background, until ctx ends.
func newReading(ctx context.Context, cfg Config, deps Deps) (r reading, err error) {
	client, err := fetch.New(cfg.Fetch)
	if err != nil {
		return r, err
	}
	pages, err := pdf.NewReader(cfg.PDF, deps.Telemetry.Log)
	if err != nil {
		return r, err
	}
	ctx, stop := context.WithCancel(ctx)
	prepared := make(chan struct{})
	go func() {
		defer close(prepared)
		if err := pages.Prepare(ctx); err != nil {
			if ctx.Err() == nil {
				deps.Telemetry.Log.Error("PDFs cannot be read; run recto doctor for advice", "error", err)
			}
			return
		}
		confined := pages.Confinement()
		deps.Telemetry.Health.Part(insightapi.Service).Note("sandbox", confined.String())
		deps.Telemetry.Log.Info("the PDF reader is ready", "sandbox", confined)
	}()
	r.close = func() error {
		stop()
		<-prepared
		return pages.Close()
	}
	r.fetch = func(ctx context.Context, address string, to io.Writer) (domain.Fetched, error) {
		file, err := client.Get(ctx, address, to)
		return domain.Fetched{Name: file.Name, Type: file.Type}, err
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
