package conversion

import (
	"context"

	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// RunWith is Run with a test's engine and scratch. Without them, as in an instance with
// the role API, the service can convert nothing.
func RunWith(ctx context.Context, cfg Config, deps Deps, engine domain.Engine, scratch domain.Scratch) error {
	with := converters{engine: engine}
	if cfg.Role.Works() {
		with.scratch = scratch
	}
	return run(ctx, cfg, deps, with)
}
