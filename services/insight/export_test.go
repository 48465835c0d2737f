package insight

import (
	"context"

	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/matching"
)

// RunWith is Run with a test's engine and fetcher.
func RunWith(ctx context.Context, cfg Config, deps Deps, engine domain.Engine, fetch domain.Fetch) error {
	return run(ctx, cfg, deps, reading{engine: func(records) (domain.Engine, *matching.Index) { return engine, nil }, fetch: fetch})
}
