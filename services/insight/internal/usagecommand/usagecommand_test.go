package usagecommand_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/usagecommand"
)

// endless is a store with as many accounts as anyone asks for.
type endless struct {
	ledger.Store
	closed bool
}

func (s *endless) Accounts(_ context.Context, _ ledger.Filter, limit int) ([]ledger.Account, error) {
	return make([]ledger.Account, limit), nil
}

func (s *endless) Close() error {
	s.closed = true
	return nil
}

// TestTooMany shows that a listing is complete or refused, so that its total is right.
func TestTooMany(t *testing.T) {
	var out bytes.Buffer
	store := &endless{}
	cmd := usagecommand.New(func(context.Context) (usagecommand.Store, error) { return store, nil })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{})
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "select fewer with --organization, --since and --until") || out.Len() > 0 {
		t.Errorf("got %v, %q", err, out.String())
	}
	if !store.closed {
		t.Error("the store is open")
	}
}
