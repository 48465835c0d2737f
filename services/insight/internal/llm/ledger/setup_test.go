package ledger_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	organization = "org_1"
	model        = "openai/gpt-5"
)

// open returns a store in the file at path.
func open(t *testing.T, path string) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openNew(t *testing.T) *sqlitestore.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "insight.db"))
}

// limits returns a configuration with limits; 0 means none.
func limits(daily, minute int64) provider.Config {
	return provider.Config{Provider: provider.OpenAI, Model: "gpt-5", DailyTokens: daily, MinuteTokens: minute}
}

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// noon is the time at which most tests begin, in a time zone whose day is another one.
func noon() *clock {
	return &clock{time.Date(2026, 11, 2, 2, 0, 30, 0, time.FixedZone("", 14*60*60))} // 2026-11-01 12:00:30 in UTC
}

func reserve(t *testing.T, l *ledger.Ledger, organization string, tokens int64) *ledger.Reservation {
	t.Helper()
	r, err := l.Reserve(t.Context(), organization, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func settle(t *testing.T, r *ledger.Reservation, used insightapi.Tokens) {
	t.Helper()
	if err := r.Settle(t.Context(), used); err != nil {
		t.Fatal(err)
	}
}

// counts checks the tokens that are used and reserved in an account.
func counts(t *testing.T, s ledger.Store, organization, period string, used, reserved int64) ledger.Account {
	t.Helper()
	a, err := s.Account(t.Context(), organization, period)
	if err != nil || a.Used() != used || a.Reserved() != reserved {
		t.Errorf("%s of %q has %d used and %d reserved, %v; want %d and %d", period, organization, a.Used(), a.Reserved(), err, used, reserved)
	}
	return a
}

// spy is a Store whose calls a test sees. after is called after each write, and returns the
// error of the write.
type spy struct {
	ledger.Store
	reads map[string]int // by organization
	after func(a ledger.Account, err error) error
}

func (s *spy) Account(ctx context.Context, organization, period string) (ledger.Account, error) {
	if s.reads != nil {
		s.reads[organization]++
	}
	return s.Store.Account(ctx, organization, period)
}

func (s *spy) PutAccount(ctx context.Context, a ledger.Account) error {
	err := s.Store.PutAccount(ctx, a)
	if s.after == nil {
		return err
	}
	return s.after(a, err)
}
