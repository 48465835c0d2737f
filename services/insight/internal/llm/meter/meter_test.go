package meter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
)

// TestRequests shows every metric after requests with each outcome. Two meters of one
// process count together.
func TestRequests(t *testing.T) {
	registry := prometheus.NewRegistry()
	first, second := meter.New(registry), meter.New(registry)
	used := insightapi.Tokens{Requests: 1, InputTokens: 100, CachedTokens: 40, OutputTokens: 10}
	first.Request(nil, time.Second, used, new(0.25))
	used.Requests = 2
	second.Request(nil, 3*time.Second, used, nil)
	for _, k := range []provider.Kind{provider.Unavailable, provider.TimedOut, provider.TooLong, provider.Refused, provider.Invalid, provider.Denied} {
		first.Request(fmt.Errorf("a prompt: %w", &provider.Error{Kind: k}), time.Second, insightapi.Tokens{}, nil)
	}
	first.Request(fmt.Errorf("a prompt: %w", context.Canceled), time.Second, insightapi.Tokens{Requests: -1, InputTokens: -1, CachedTokens: -1, OutputTokens: -1}, new(-1.0))
	first.Request(context.DeadlineExceeded, time.Second, insightapi.Tokens{}, nil)
	first.Request(errors.New("the job was canceled"), time.Second, insightapi.Tokens{}, nil)
	first.Quotes(verify.Checks{Exact: 1, Normalized: 2, Fuzzy: 3, Ungrounded: 4, Unverified: 5})
	second.Quotes(verify.Checks{Exact: 10})
	has(t, registry, `
		recto_model_requests_total{outcome="canceled"} 2
		recto_model_requests_total{outcome="denied"} 1
		recto_model_requests_total{outcome="invalid"} 2
		recto_model_requests_total{outcome="ok"} 2
		recto_model_requests_total{outcome="refused"} 1
		recto_model_requests_total{outcome="timed_out"} 2
		recto_model_requests_total{outcome="too_long"} 1
		recto_model_requests_total{outcome="unavailable"} 1
		recto_model_tokens_total{kind="cached"} 80
		recto_model_tokens_total{kind="input"} 200
		recto_model_tokens_total{kind="output"} 20
		recto_model_cost_usd_total 0.25
		recto_model_quotes_total{found="exact"} 11
		recto_model_quotes_total{found="fuzzy"} 3
		recto_model_quotes_total{found="normalized"} 2
		recto_model_quotes_total{found="ungrounded"} 4
		recto_model_quotes_total{found="unverified"} 5
		recto_model_seconds_count 11
		recto_model_seconds_sum 13`)
}

// TestNothingYet shows that every counter begins at 0, and is not missing.
func TestNothingYet(t *testing.T) {
	registry := prometheus.NewRegistry()
	meter.New(registry)
	has(t, registry, `
		recto_model_requests_total{outcome="unavailable"} 0
		recto_model_requests_total{outcome="canceled"} 0
		recto_model_tokens_total{kind="output"} 0
		recto_model_cost_usd_total 0
		recto_model_quotes_total{found="unverified"} 0
		recto_model_seconds_count 0`)
}

// has checks lines of the metrics in the format of /metrics.
func has(t *testing.T, registry *prometheus.Registry, lines string) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			if len(m.GetLabel()) > 0 {
				name += fmt.Sprintf("{%s=%q}", m.GetLabel()[0].GetName(), m.GetLabel()[0].GetValue())
			}
			if h := m.GetHistogram(); h != nil {
				fmt.Fprintf(&text, "%s_count %d\n%s_sum %v\n", name, h.GetSampleCount(), name, h.GetSampleSum())
				continue
			}
			fmt.Fprintf(&text, "%s %v\n", name, m.GetCounter().GetValue())
		}
	}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains("\n"+text.String(), "\n"+line+"\n") {
			t.Errorf("%s is missing in\n%s", line, text.String())
		}
	}
}
