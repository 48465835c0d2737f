package derived

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/blob"
)

// Keeper is a service that keeps what expires.
type Keeper interface {
	// Sweep removes what is kept no longer.
	Sweep(ctx context.Context) error
	// Expire lets the object store do so, later. It may return
	// blob.ErrNoLifecycle.
	Expire(ctx context.Context) error
}

// every is how often is looked for what is kept no longer.
const every = 10 * time.Minute

// Run has k remove what is kept no longer, until ctx ends. The object store is
// asked each time to do the same: it has one set of rules, which whoever changes
// it replaces as a whole. Of two services that do so at once one may undo what
// the other has asked for, and asks no more when it finds its own rule there.
func Run(ctx context.Context, k Keeper, log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for able := true; ; {
		if able {
			able = expire(ctx, k, log)
		}
		if err := k.Sweep(ctx); err != nil && ctx.Err() == nil {
			log.Warn("files that are kept no longer were not removed; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// expire asks the object store to remove files by itself, and reports whether it
// may be able to. Nothing depends on what it says.
func expire(ctx context.Context, k Keeper, log *slog.Logger) bool {
	err := k.Expire(ctx)
	if err != nil && ctx.Err() == nil {
		log.Info("the object store removes no files by itself; the service does", "error", err)
	}
	return !errors.Is(err, blob.ErrNoLifecycle)
}
