package conversion

import (
	"context"

	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// RunWith is Run with a test's engine, reader of PDFs and scratch. Without them, as in an
// instance with the role API, the service can convert nothing.
func RunWith(ctx context.Context, cfg Config, deps Deps, engine domain.Engine, pdf domain.PDF, scratch domain.Scratch) error {
	with := converters{Tools: domain.Tools{Engine: engine}}
	if cfg.Role.Works() {
		with.PDF, with.Scratch = pdf, scratch
	}
	return run(ctx, cfg, deps, with)
}
