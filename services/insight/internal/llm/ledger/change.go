package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// changeTries is the maximum number of tries to change an account. A try fails only
	// if another instance succeeds, so this is far more than there are instances.
	changeTries = 200
	// shortestPause and longestPause bound the pauses between tries.
	shortestPause = time.Millisecond
	longestPause  = 64 * time.Millisecond
	// busyRetry is how long callers should wait after all tries failed.
	busyRetry = time.Second
)

// change changes an account with the given function, which gets the stored account and
// says whether it must be written. If another instance was faster, the function gets the
// account again.
func (l *Ledger) change(ctx context.Context, at place, change func(Account) (Account, bool, error)) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for try := range changeTries {
		a, err := l.store.Account(ctx, at.organization, at.period)
		if err != nil {
			return err
		}
		a, changed, err := change(a)
		if err != nil || !changed {
			return err
		}
		if err := l.store.PutAccount(ctx, a); !errors.Is(err, ErrConflict) {
			return err
		}
		if err := sleep(ctx, pause(try)); err != nil {
			return err
		}
	}
	return problem.New(problem.Unavailable, "Too many requests use the language model at the same time. Retry later.").
		After(busyRetry).Because(fmt.Errorf("the account of %s: %w", at.period, ErrConflict))
}

// pause returns how long to wait after a failed try; the first is 0. It doubles from
// shortestPause up to longestPause.
func pause(try int) time.Duration {
	return min(shortestPause<<min(try, 16), longestPause)
}

// sleep waits, or returns the error of ctx if that ends before.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
