package job

import (
	"context"
	"errors"
	"time"
)

const (
	// sweepEvery is how often is looked for what was left behind.
	sweepEvery = 5 * time.Second
	// overdueAfter is when a job that should be in the queue is put there again.
	overdueAfter = time.Minute
	// sweepTimeout bounds one round of it.
	sweepTimeout = time.Minute
	// sweepBatch is how many records are looked at in one go.
	sweepBatch = 500
)

// sweep finds the jobs that a crash has left between two steps, and removes
// those that have ended long ago.
func (p *Pool) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for after := time.Duration(0); ; after = overdueAfter {
		if err := p.sweepOnce(ctx, after); err != nil && ctx.Err() == nil {
			p.log.Warn("jobs were not looked after; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweepOnce queues what waits for its turn, queues again what is overdue by
// after, which at the start is all that is not in work, and removes what is too
// old.
func (p *Pool) sweepOnce(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	err := p.promote(ctx, "")
	n, countErr := p.store.Unfinished(ctx, "")
	if countErr == nil {
		p.stats.unended.Set(float64(n))
	}
	err = errors.Join(err, countErr)
	overdue, listErr := p.store.Overdue(ctx, p.now().Add(-after).UnixMilli(), sweepBatch)
	err = errors.Join(err, listErr)
	for _, r := range overdue {
		// The queue takes what it holds already for the same, for a while; and
		// what comes twice is done once.
		err = errors.Join(err, p.publish(ctx, r))
	}
	for dead, keep := range map[bool]time.Duration{false: p.cfg.KeepEnded, true: p.cfg.KeepDead} {
		old, listErr := p.store.Ended(ctx, p.now().Add(-keep).UnixMilli(), dead, sweepBatch)
		err = errors.Join(err, listErr)
		for _, r := range old {
			err = errors.Join(err, p.store.Remove(ctx, r.Principal.Organization, r.ID))
		}
	}
	return err
}
