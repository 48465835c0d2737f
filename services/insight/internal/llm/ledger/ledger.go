// Package ledger counts how much of a language model is used, and keeps organizations
// within their budgets. Its accounts are in the store of the service, where all instances
// change them by compare-and-set, so that together they use no more than one may.
//
// A worker reserves tokens before it sends a prompt, and afterwards replaces the reservation
// with the actual usage. If the worker is killed in between, its reservation stays until the
// day ends: it is better to leave a part of a budget unused than to exceed it. A provider
// that uses more than was reserved can still exceed a budget, once.
package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

const (
	// keepDays is how long the account of a day is kept after it began. Accounts of a
	// whole year can be compared with those of the year before for a month.
	keepDays = 400 * 24 * time.Hour
	// keepMinutes is how long the account of a minute is kept after it began. It is needed
	// until the clocks of all instances have passed the minute.
	keepMinutes = 10 * time.Minute
	// settleTimeout limits how long Settle tries.
	settleTimeout = 10 * time.Second
)

// Ledger reserves and counts the use of a language model. It is safe for concurrent use.
type Ledger struct {
	store Store
	cfg   provider.Config
	now   func() time.Time
	// turn is held while an account is changed. Otherwise the requests of one process
	// would make each other try again.
	turn chan struct{}
}

// New returns a Ledger for the model, limits and prices of cfg.
func New(store Store, cfg provider.Config, now func() time.Time) *Ledger {
	return &Ledger{store: store, cfg: cfg, now: now, turn: make(chan struct{}, 1)}
}

// ExceededError means that a limit does not allow a request, and that waiting for a minute
// does not help.
type ExceededError struct {
	// Variable is the name of the environment variable with the limit.
	Variable string
	// ResetsAt is when the limit allows requests again. It is the zero time if the request
	// alone exceeds the limit, so that it is never allowed.
	ResetsAt time.Time
}

// Error implements error.
func (e *ExceededError) Error() string {
	if e.ResetsAt.IsZero() {
		return "the language model: the request alone exceeds " + e.Variable
	}
	return fmt.Sprintf("the language model: %s is used up until %s", e.Variable, e.ResetsAt.UTC().Format(time.RFC3339))
}

// PaceError means that the tokens of this minute are used up, and that the context ends
// before the next one begins.
type PaceError struct {
	// After is how long to wait before the next try.
	After time.Duration
}

// Error implements error.
func (e *PaceError) Error() string {
	return fmt.Sprintf("the language model: the tokens of this minute are used up; the next begins in %s", e.After.Round(time.Millisecond))
}

// Reservation holds tokens for one prompt of an organization.
type Reservation struct {
	ledger *Ledger
	id     string
	tokens int64
	// day and minute are the accounts that have the reservation. minute is the zero place
	// if there is no limit per minute.
	day, minute place
}

// place identifies an account.
type place struct{ organization, period string }

// Reserve reserves tokens for a prompt of an organization, which must be at least as many
// as the prompt and the longest answer to it have. The caller must settle the reservation.
//
// It returns an *ExceededError if the budget of the day does not allow the prompt. If the
// limit per minute does not allow it yet, it waits, but returns a *PaceError at once if ctx
// ends too early.
func (l *Ledger) Reserve(ctx context.Context, organization string, tokens int64) (*Reservation, error) {
	now := l.now().UTC()
	r := &Reservation{ledger: l, id: rand.Text(), tokens: max(tokens, 0), day: place{organization, Day(now)}}
	if l.cfg.MinuteTokens > 0 && r.tokens > l.cfg.MinuteTokens {
		return nil, &ExceededError{Variable: "INSIGHT_MODEL_MINUTE_TOKENS"}
	}
	if err := l.reserveDay(ctx, r, now); err != nil {
		return nil, err
	}
	if l.cfg.MinuteTokens == 0 {
		return r, nil
	}
	if err := l.reserveMinute(ctx, r); err != nil {
		return nil, errors.Join(err, r.Settle(ctx, insightapi.Tokens{}))
	}
	return r, nil
}

// reserveDay makes a reservation in the account of its day.
func (l *Ledger) reserveDay(ctx context.Context, r *Reservation, now time.Time) error {
	begin := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	return l.change(ctx, r.day, func(a Account) (Account, bool, error) {
		switch {
		case l.cfg.DailyTokens > 0 && r.tokens > l.cfg.DailyTokens:
			return a, false, &ExceededError{Variable: "INSIGHT_MODEL_DAILY_TOKENS"}
		case l.cfg.DailyTokens > 0 && a.Used()+a.Reserved() > l.cfg.DailyTokens-r.tokens:
			return a, false, &ExceededError{Variable: "INSIGHT_MODEL_DAILY_TOKENS", ResetsAt: begin.AddDate(0, 0, 1)}
		}
		a.ExpiresAt = begin.Add(keepDays).UnixMilli()
		return a.reserve(r.id, r.tokens), true, nil
	})
}

// errNextMinute means that the account of a minute has no room for a reservation.
var errNextMinute = errors.New("the tokens of the minute are used up")

// reserveMinute makes a reservation in the account of the first minute that has room for
// it, for which it waits.
func (l *Ledger) reserveMinute(ctx context.Context, r *Reservation) error {
	for {
		begin := l.now().UTC().Truncate(time.Minute)
		at := place{"", minute(begin)}
		err := l.change(ctx, at, func(a Account) (Account, bool, error) {
			if a.Used()+a.Reserved() > l.cfg.MinuteTokens-r.tokens {
				return a, false, errNextMinute
			}
			a.ExpiresAt = begin.Add(keepMinutes).UnixMilli()
			return a.reserve(r.id, r.tokens), true, nil
		})
		if err == nil {
			r.minute = at
		}
		if !errors.Is(err, errNextMinute) {
			return err
		}
		if err := l.waitUntil(ctx, begin.Add(time.Minute)); err != nil {
			return err
		}
	}
}

// waitUntil waits for a time. If ctx ends before, it returns a *PaceError at once.
func (l *Ledger) waitUntil(ctx context.Context, at time.Time) error {
	wait := at.Sub(l.now())
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
		return &PaceError{After: wait}
	}
	return sleep(ctx, wait)
}

// Settle replaces the reservation with the actual usage, the zero Tokens if there was none.
// It works even if ctx has ended. Another call has no effect.
func (r *Reservation) Settle(ctx context.Context, used insightapi.Tokens) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	use := r.ledger.use(used)
	err := r.settle(ctx, r.day, use)
	if r.minute == (place{}) || r.minute.period < minute(r.ledger.now()) {
		return err // the account of a past minute limits nothing
	}
	return errors.Join(err, r.settle(ctx, r.minute, use))
}

// settle replaces the reservation in one account. While the database is unavailable it
// tries again: since the reservation is settled only once, a write that was done although
// it seemed to fail is not repeated.
func (r *Reservation) settle(ctx context.Context, at place, use Use) error {
	for try := 0; ; try++ {
		err := r.ledger.change(ctx, at, func(a Account) (Account, bool, error) {
			a, open := a.settle(r.id, r.ledger.cfg.Name(), use)
			return a, open, nil
		})
		if !problem.Is(err, problem.Unavailable) || sleep(ctx, pause(try)) != nil {
			return err
		}
	}
}
