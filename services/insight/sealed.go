package insight

import (
	"context"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/matching"
)

// consumeSealed has the index record the documents whose files are sealed, one at a time and
// while a worker is free, until ctx ends. stop waits for the last one. An instance without an
// index reads no documents and leaves the events to others.
func consumeSealed(ctx context.Context, conn *bus.Conn, index *matching.Index, service *domain.Service) (stop func(), err error) {
	if index == nil {
		return func() {}, nil
	}
	stop, err = conn.Consume(ctx, insightapi.Service+"-sealed", []string{documentapi.EventSealed}, index.Sealed(ctx, service.Free))
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, stop)
	return stop, nil
}
