package ledger_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// TestCost computes prices by hand.
func TestCost(t *testing.T) {
	t.Parallel()
	tokens := insightapi.Tokens{Requests: 1, InputTokens: 1_000_000, CachedTokens: 400_000, OutputTokens: 100_000}
	for name, c := range map[string]struct {
		cfg    provider.Config
		tokens insightapi.Tokens
		want   *float64
	}{
		"no prices":     {provider.Config{}, tokens, nil},
		"all":           {provider.Config{PriceInput: 2, PriceCached: 0.5, PriceOutput: 10}, tokens, new(1.2 + 0.2 + 1)},
		"dear cache":    {provider.Config{PriceInput: 2}, tokens, new(2.0)},
		"only output":   {provider.Config{PriceOutput: 8}, tokens, new(0.8)},
		"nothing":       {provider.Config{PriceInput: 2}, insightapi.Tokens{}, new(0.0)},
		"too much hit":  {provider.Config{PriceInput: 2, PriceCached: 1}, insightapi.Tokens{InputTokens: 1e6, CachedTokens: 5e6}, new(1.0)},
		"below nothing": {provider.Config{PriceInput: 2}, insightapi.Tokens{InputTokens: -5, OutputTokens: -5}, new(0.0)},
	} {
		got := ledger.Cost(c.cfg, c.tokens)
		if (got == nil) != (c.want == nil) || got != nil && (*got-*c.want > 1e-9 || *c.want-*got > 1e-9) {
			t.Errorf("%s: the cost is %v, want %v", name, deref(got), deref(c.want))
		}
	}
}

func deref(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}
