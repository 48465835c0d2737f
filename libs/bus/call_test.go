package bus_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestLostRequests leaves the first request unanswered, as if NATS had dropped it. An
// idempotent request is resent, another one is not.
func TestLostRequests(t *testing.T) {
	t.Parallel()
	idempotent := echo
	idempotent.Idempotent = true
	for name, test := range map[string]struct {
		endpoint contract.Endpoint[message, message]
		requests int64
		code     problem.Code
	}{
		"idempotent":     {endpoint: idempotent, requests: 2},
		"not idempotent": {endpoint: echo, requests: 1, code: problem.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			lost := make(chan struct{})
			caller, _ := serve(t, 4, func(_ context.Context, _ contract.Principal, m message) (message, error) {
				if requests.Add(1) == 1 {
					<-lost
				}
				return m, nil
			})
			defer close(lost)
			ctx := patience.Context(t)
			if test.code != 0 {
				ctx = soon(t) // longer than resendAfter
			}
			got, err := bus.Call(ctx, caller, test.endpoint, principal, message{"x"})
			if test.code == 0 && (err != nil || got.Text != "x") || test.code != 0 && problem.Of(err).Code != test.code {
				t.Errorf("Call returns %q, %v", got.Text, err)
			}
			if n := requests.Load(); n != test.requests {
				t.Errorf("the service got %d requests, want %d", n, test.requests)
			}
		})
	}
}
