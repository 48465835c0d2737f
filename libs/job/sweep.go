package job

import (
	"context"
	"errors"
	"time"
)

const (
	// sweepEvery is the interval between sweeps.
	sweepEvery = 5 * time.Second
	// overdueAfter is when a job that should be in the queue is published again.
	overdueAfter = time.Minute
	// sweepTimeout bounds one sweep.
	sweepTimeout = time.Minute
	// sweepBatch is how many records one query returns at most.
	sweepBatch = 500
)

// sweep recovers jobs that a crash left between two steps, and removes expired jobs.
func (p *Pool) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for after := time.Duration(0); ; after = overdueAfter {
		if err := p.sweepOnce(ctx, after); err != nil && ctx.Err() == nil {
			p.log.Warn("a sweep of the jobs failed; retrying", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweepOnce queues jobs whose turn it is, publishes jobs again that are overdue by after
// (0 on startup, which covers every job not in progress), and removes expired jobs.
func (p *Pool) sweepOnce(ctx context.Context, after time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	err := p.promote(ctx, "")
	n, countErr := p.store.Unfinished(ctx, "")
	if countErr == nil {
		p.stats.unended.Set(float64(n))
	}
	oldest, ageErr := p.store.Oldest(ctx)
	if ageErr == nil {
		p.stats.oldest.Store(oldest)
	}
	err = errors.Join(err, countErr, ageErr)
	// Without NATS the depth stays as it was. That is no failure of the sweep, which works on
	// the records.
	if depth, depthErr := p.queue.Depth(ctx); depthErr == nil {
		p.stats.queue.Set(float64(depth))
	}
	overdue, listErr := p.store.Overdue(ctx, p.now().Add(-after).UnixMilli(), sweepBatch)
	err = errors.Join(err, listErr)
	for _, r := range overdue {
		// For a while the queue rejects duplicates, and a job that is delivered twice is
		// done once.
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
