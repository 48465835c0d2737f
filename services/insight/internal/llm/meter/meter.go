// Package meter measures the use of a language model, as metrics. They have no labels for
// organizations or documents; the accounts of package ledger have the organizations.
package meter

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
)

// Meter holds the metrics. It is safe for concurrent use.
type Meter struct {
	requests *prometheus.CounterVec // by outcome
	tokens   *prometheus.CounterVec // by kind
	cost     prometheus.Counter
	quotes   *prometheus.CounterVec // by what became of them
	seconds  prometheus.Histogram
}

// New returns a Meter with registered metrics. Meters with the same registry count
// together.
func New(r prometheus.Registerer) *Meter {
	vector := func(name, help, label string, values ...string) *prometheus.CounterVec {
		c := telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label}))
		for _, v := range values { // so that a rate has the first increase
			c.WithLabelValues(v)
		}
		return c
	}
	return &Meter{
		requests: vector("recto_model_requests_total", "Requests to the language model by outcome.", "outcome",
			ok, provider.Unavailable.String(), provider.TimedOut.String(), provider.TooLong.String(), provider.Refused.String(),
			provider.Invalid.String(), provider.Denied.String(), canceled),
		tokens: vector("recto_model_tokens_total", "Tokens that the language model used; input includes cached.", "kind", "input", "cached", "output"),
		cost: telemetry.Register(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recto_model_cost_usd_total", Help: "Price of the tokens that the language model used, in US dollars.",
		})),
		quotes: vector("recto_model_quotes_total", "Quotes of the language model by how the document has them, if at all.", "found",
			"exact", "normalized", "fuzzy", "ungrounded", "unverified"),
		seconds: telemetry.Register(r, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recto_model_seconds", Help: "Time until the language model has answered a prompt, or failed to.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300},
		})),
	}
}

// The outcomes of requests, other than the kinds of errors.
const (
	ok       = "ok"
	canceled = "canceled"
)

// outcome returns the outcome of a request from its error. An error that is not one of the
// provider is the cause for which the context of the request ended.
func outcome(err error) string {
	var failed *provider.Error
	switch {
	case err == nil:
		return ok
	case errors.As(err, &failed):
		return failed.Kind.String()
	case errors.Is(err, context.DeadlineExceeded):
		return provider.TimedOut.String()
	}
	return canceled
}

// Request counts what it took to have a prompt answered: the error of the provider, if
// any, the time, the tokens, and their cost, which is nil if no prices are configured.
//
// If there was more than one request, the first ones had invalid answers: there is no
// other reason to send a prompt again at once.
func (m *Meter) Request(err error, took time.Duration, used insightapi.Tokens, cost *float64) {
	m.requests.WithLabelValues(outcome(err)).Inc()
	m.requests.WithLabelValues(provider.Invalid.String()).Add(float64(max(used.Requests-1, 0)))
	m.seconds.Observe(took.Seconds())
	m.tokens.WithLabelValues("input").Add(float64(max(used.InputTokens, 0)))
	m.tokens.WithLabelValues("cached").Add(float64(max(used.CachedTokens, 0)))
	m.tokens.WithLabelValues("output").Add(float64(max(used.OutputTokens, 0)))
	if cost != nil {
		m.cost.Add(max(*cost, 0))
	}
}

// Quotes counts what became of quotes.
func (m *Meter) Quotes(q verify.Checks) {
	for found, n := range map[string]int{
		"exact": q.Exact, "normalized": q.Normalized, "fuzzy": q.Fuzzy, "ungrounded": q.Ungrounded, "unverified": q.Unverified,
	} {
		m.quotes.WithLabelValues(found).Add(float64(n))
	}
}
