package ledger

import (
	"cmp"
	"math"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// maxTokens and maxMicroUSD bound what one prompt may have used, so that no sum overflows.
const (
	maxTokens   = 1 << 32
	maxMicroUSD = 1 << 50
)

// million is how many tokens the configured prices are for, and how many parts of a dollar
// accounts count in.
const million = 1e6

// Cost returns the price of tokens in US dollars, or nil if no prices are configured.
func Cost(cfg provider.Config, t insightapi.Tokens) *float64 {
	if cfg.PriceInput == 0 && cfg.PriceCached == 0 && cfg.PriceOutput == 0 {
		return nil
	}
	t = bounded(t)
	cached := cmp.Or(cfg.PriceCached, cfg.PriceInput)
	cost := float64(t.InputTokens-t.CachedTokens)*cfg.PriceInput + float64(t.CachedTokens)*cached + float64(t.OutputTokens)*cfg.PriceOutput
	return new(cost / million)
}

// bounded returns tokens with the numbers that a provider gave replaced by the nearest
// possible ones.
func bounded(t insightapi.Tokens) insightapi.Tokens {
	bound := func(n, most int64) int64 { return min(max(n, 0), most) }
	t.Requests = bound(t.Requests, maxTokens)
	t.InputTokens = bound(t.InputTokens, maxTokens)
	t.CachedTokens = bound(t.CachedTokens, t.InputTokens)
	t.OutputTokens = bound(t.OutputTokens, maxTokens)
	return t
}

// use returns tokens as accounts count them.
func (l *Ledger) use(t insightapi.Tokens) Use {
	u := Use{Tokens: bounded(t)}
	if cost := Cost(l.cfg, t); cost != nil {
		u.CostMicroUSD = int64(math.Round(min(*cost*million, maxMicroUSD)))
	}
	return u
}
