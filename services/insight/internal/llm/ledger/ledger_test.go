package ledger_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// TestSettle replaces reservations by what was used, once, and counts models separately.
func TestSettle(t *testing.T) {
	t.Parallel()
	store, at := openNew(t), noon()
	cfg := limits(0, 0)
	cfg.PriceInput, cfg.PriceOutput = 2, 10
	l := ledger.New(store, cfg, at.now)
	first, second, none := reserve(t, l, organization, 100), reserve(t, l, organization, 50), reserve(t, l, organization, 7)
	counts(t, store, organization, "2026-11-01", 0, 157)
	at.at = at.at.Add(24 * time.Hour) // usage counts on the day of its reservation
	for range 2 {
		settle(t, first, insightapi.Tokens{Requests: 2, InputTokens: 30, CachedTokens: 20, OutputTokens: 1})
		settle(t, none, insightapi.Tokens{})
	}
	counts(t, store, organization, "2026-11-01", 31, 50)
	settle(t, second, insightapi.Tokens{Requests: 1, InputTokens: 3})
	cfg.Model = "other"
	at.at = at.at.Add(-24 * time.Hour)
	settle(t, reserve(t, ledger.New(store, cfg, at.now), organization, 9), insightapi.Tokens{Requests: 1, OutputTokens: 9})
	want := map[string]ledger.Use{
		model: {Tokens: insightapi.Tokens{Requests: 3, InputTokens: 33, CachedTokens: 20, OutputTokens: 1}, CostMicroUSD: 76},
		// 10 * 2 + 1 * 10 = 30, and 3 * 2 = 6
		"openai/other": {Tokens: insightapi.Tokens{Requests: 1, OutputTokens: 9}, CostMicroUSD: 90},
	}
	a := counts(t, store, organization, "2026-11-01", 43, 0)
	if !reflect.DeepEqual(a.Models, want) || a.ExpiresAt != time.Date(2027, 12, 6, 0, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("the account is %+v, want the models %+v", a, want)
	}
	counts(t, store, organization, "2026-11-02", 0, 0)
}

// TestBudget uses up the budget of a day. Other organizations and days have their own.
func TestBudget(t *testing.T) {
	t.Parallel()
	store, at := openNew(t), noon()
	l := ledger.New(store, limits(100, 0), at.now)
	used := reserve(t, l, organization, 60)
	released := reserve(t, l, organization, 40)
	exceeds := func(tokens int64, want ledger.ExceededError) {
		t.Helper()
		_, err := l.Reserve(t.Context(), organization, tokens)
		var exceeded *ledger.ExceededError
		if !errors.As(err, &exceeded) || *exceeded != want {
			t.Errorf("%d tokens: %v, want %+v", tokens, err, want)
		}
	}
	midnight := ledger.ExceededError{Variable: "INSIGHT_MODEL_DAILY_TOKENS", ResetsAt: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)}
	exceeds(1, midnight)
	settle(t, reserve(t, l, "org_2", 100), insightapi.Tokens{})
	settle(t, released, insightapi.Tokens{})
	settle(t, used, insightapi.Tokens{InputTokens: 50, CachedTokens: 50, OutputTokens: 20})
	exceeds(31, midnight)
	exceeds(100, midnight)
	exceeds(101, ledger.ExceededError{Variable: "INSIGHT_MODEL_DAILY_TOKENS"})
	reserve(t, l, organization, 30)
	exceeds(1, midnight)
	counts(t, store, organization, "2026-11-01", 70, 30)
	at.at = at.at.Add(12 * time.Hour)
	reserve(t, l, organization, 100)
}

// TestMoreThanReserved shows that a provider that uses more than was reserved is counted
// in full, and that no further prompt is allowed.
func TestMoreThanReserved(t *testing.T) {
	t.Parallel()
	store, at := openNew(t), noon()
	l := ledger.New(store, limits(100, 0), at.now)
	settle(t, reserve(t, l, organization, 10), insightapi.Tokens{InputTokens: 1 << 62, CachedTokens: -5, OutputTokens: 1 << 62})
	counts(t, store, organization, "2026-11-01", 1<<33, 0)
	if _, err := l.Reserve(t.Context(), organization, 0); !errors.As(err, new(*ledger.ExceededError)) {
		t.Errorf("got %v, want an ExceededError", err)
	}
	settle(t, reserve(t, l, "org_2", 10), insightapi.Tokens{Requests: -1, InputTokens: -100, OutputTokens: -1})
	counts(t, store, "org_2", "2026-11-01", 0, 0)
}

// TestKilled shows that the reservation of a killed worker counts for all instances until
// the day ends.
func TestKilled(t *testing.T) {
	t.Parallel()
	path, at := filepath.Join(t.TempDir(), "insight.db"), noon()
	reserve(t, ledger.New(open(t, path), limits(100, 0), at.now), organization, 60)
	another := ledger.New(open(t, path), limits(100, 0), at.now)
	reserve(t, another, organization, 40)
	if _, err := another.Reserve(t.Context(), organization, 1); !errors.As(err, new(*ledger.ExceededError)) {
		t.Errorf("got %v, want an ExceededError", err)
	}
	at.at = at.at.Add(24 * time.Hour)
	reserve(t, another, organization, 100)
}

// TestTwoInstances has two instances use up one budget concurrently: together they never
// exceed it, and no usage is lost.
func TestTwoInstances(t *testing.T) {
	t.Parallel()
	const (
		workers, rounds       = 8, 12
		reserved, used        = 10, 4
		limit           int64 = workers * rounds * used // half of what both want to use
	)
	path, at := filepath.Join(t.TempDir(), "insight.db"), noon()
	var done, exceeded atomic.Int64
	var work sync.WaitGroup
	for range 2 {
		store := &spy{Store: open(t, path), after: func(a ledger.Account, err error) error {
			if err == nil && a.Used()+a.Reserved() > limit {
				t.Errorf("%d used and %d reserved exceed %d", a.Used(), a.Reserved(), limit)
			}
			return err
		}}
		l := ledger.New(store, limits(limit, 0), at.now)
		for range workers {
			work.Go(func() {
				for range rounds {
					r, err := l.Reserve(t.Context(), organization, reserved)
					if errors.As(err, new(*ledger.ExceededError)) {
						exceeded.Add(1)
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					done.Add(1)
					settle(t, r, insightapi.Tokens{Requests: 1, InputTokens: used})
				}
			})
		}
	}
	work.Wait()
	counts(t, open(t, path), organization, "2026-11-01", done.Load()*used, 0)
	// The budget is used up as far as a reservation is allowed to find it.
	if left := limit - done.Load()*used; left >= reserved+2*workers*reserved || exceeded.Load() == 0 {
		t.Errorf("%d prompts were sent and %d refused; %d tokens are left", done.Load(), exceeded.Load(), left)
	}
}

// TestNoConflicts shows that requests of one process do not make each other try again.
func TestNoConflicts(t *testing.T) {
	t.Parallel()
	const requests = 16
	var writes atomic.Int64
	store := &spy{Store: openNew(t), after: func(_ ledger.Account, err error) error {
		writes.Add(1)
		return err
	}}
	l := ledger.New(store, limits(0, 0), noon().now)
	var work sync.WaitGroup
	for range requests {
		work.Go(func() {
			if r, err := l.Reserve(t.Context(), organization, 1); err != nil || r.Settle(t.Context(), insightapi.Tokens{InputTokens: 1}) != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if counts(t, store, organization, "2026-11-01", requests, 0); writes.Load() != 2*requests {
		t.Errorf("%d writes for %d requests", writes.Load(), requests)
	}
}

// TestSettleAfterEnd shows that a reservation can be settled after its job has ended.
func TestSettleAfterEnd(t *testing.T) {
	t.Parallel()
	store, at := openNew(t), noon()
	r := reserve(t, ledger.New(store, limits(0, 100), at.now), organization, 10)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Settle(ctx, insightapi.Tokens{InputTokens: 5}); err != nil {
		t.Error(err)
	}
	counts(t, store, organization, "2026-11-01", 5, 0)
	counts(t, store, "", "2026-11-01T12:00Z", 5, 0)
}

// TestSettleTwice shows that Settle counts nothing twice if a write was done that seemed to
// fail.
func TestSettleTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &spy{Store: openNew(t)}
		r := reserve(t, ledger.New(store, limits(0, 0), time.Now), organization, 10)
		writes := 0
		store.after = func(ledger.Account, error) error {
			writes++
			return problem.New(problem.Unavailable, "The database is unavailable.")
		}
		settle(t, r, insightapi.Tokens{InputTokens: 4})
		if counts(t, store, organization, "2000-01-01", 4, 0); writes != 1 {
			t.Errorf("%d writes", writes)
		}
	})
}

// TestSettleGivesUp shows that Settle ends although the database stays unavailable.
func TestSettleGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &away{Store: openNew(t)}
		r := reserve(t, ledger.New(store, limits(0, 0), time.Now), organization, 10)
		store.gone, store.calls = true, 0
		begin := time.Now()
		if err := r.Settle(t.Context(), insightapi.Tokens{InputTokens: 4}); !problem.Is(err, problem.Unavailable) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 10*time.Second || store.calls < 10 {
			t.Errorf("it gave up after %s and %d tries", took, store.calls)
		}
	})
}

// away is a Store whose database can be unavailable.
type away struct {
	ledger.Store
	gone  bool
	calls int
}

func (s *away) PutAccount(ctx context.Context, a ledger.Account) error {
	if s.calls++; s.gone {
		return problem.New(problem.Unavailable, "The database is unavailable.")
	}
	return s.Store.PutAccount(ctx, a)
}

// TestConflicts shows that Reserve survives many conflicts, but does not try forever.
func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conflicts int
		fails     bool
	}{"some": {100, false}, "always": {1 << 30, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &losing{Store: openNew(t), conflicts: c.conflicts}
				_, err := ledger.New(store, limits(100, 0), time.Now).Reserve(t.Context(), organization, 1)
				if c.fails && (!problem.Is(err, problem.Unavailable) || !errors.Is(err, ledger.ErrConflict)) || !c.fails && err != nil {
					t.Errorf("got %v", err)
				}
				if c.fails && store.calls != 200 {
					t.Errorf("%d tries", store.calls)
				}
			})
		})
	}
}

// losing is a Store whose first writes lose to another writer.
type losing struct {
	ledger.Store
	conflicts, calls int
}

func (s *losing) PutAccount(ctx context.Context, a ledger.Account) error {
	if s.calls++; s.calls <= s.conflicts {
		return ledger.ErrConflict
	}
	return s.Store.PutAccount(ctx, a)
}
