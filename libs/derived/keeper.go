package derived

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/blob"
)

// Keeper owns files that expire.
type Keeper interface {
	// Sweep deletes expired files.
	Sweep(ctx context.Context) error
	// Expire has the object store delete them too, later. It may return
	// blob.ErrNoLifecycle.
	Expire(ctx context.Context) error
}

// every is the interval between sweeps.
const every = 10 * time.Minute

// Run has k delete expired files until ctx ends. Each time it also asks the object store
// to expire them. The store has a single set of rules, which every change replaces as a
// whole: if two services write it concurrently, one may undo the other's change. Asking
// again each time repairs that; a service that finds its rule writes nothing.
func Run(ctx context.Context, k Keeper, log *slog.Logger) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for able := true; ; {
		if able {
			able = expire(ctx, k, log)
		}
		if err := k.Sweep(ctx); err != nil && ctx.Err() == nil {
			log.Warn("could not remove expired files; retrying", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// expire asks the object store to expire files, and reports whether it may support that.
// Nothing depends on the result.
func expire(ctx context.Context, k Keeper, log *slog.Logger) bool {
	err := k.Expire(ctx)
	if err != nil && ctx.Err() == nil {
		log.Info("the object store does not expire files; the service does", "error", err)
	}
	return !errors.Is(err, blob.ErrNoLifecycle)
}
