package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/problem"
)

// changing is a key store whose first queries fail.
type changing struct {
	identity.Store
	first error
	left  atomic.Int32
}

func (c *changing) FindAccount(ctx context.Context, digests []identity.Digest) (identity.Account, error) {
	if c.left.Add(-1) >= 0 {
		return identity.Account{}, c.first
	}
	return c.Store.FindAccount(ctx, digests)
}

// TestKeyIsCheckedTwice lets the result change between the two checks of a key: the first
// with the headers of the request, the second before its body is read.
func TestKeyIsCheckedTwice(t *testing.T) {
	for _, tc := range []struct {
		name   string
		first  error
		looks  int32
		status int
		detail string
	}{
		{"the store was briefly unavailable", problem.New(problem.Unavailable, "The store is unavailable."), 1, http.StatusOK, `"id"`},
		{"the store is unavailable", problem.New(problem.Unavailable, "The store is unavailable."), 2, http.StatusServiceUnavailable, "cannot be checked"},
		{"the key was created in between", identity.ErrNotFound, 1, http.StatusServiceUnavailable, "became valid only after the request began"},
		{"there is no such key", identity.ErrNotFound, 2, http.StatusForbidden, "not valid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g, _ := serveAll(t)
			keys := &changing{Store: g.store, first: tc.first}
			keys.left.Store(tc.looks)
			g.changedKeys = keys
			var cfg httpapi.Config
			if err := config.Load([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8", "GATEWAY_DRAIN_DELAY=0s"}, "GATEWAY_", &cfg); err != nil {
				t.Fatal(err)
			}
			g.start(t, cfg, g.store)
			body := strings.NewReader(`{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v2/documents", body)
			if err != nil {
				t.Fatal(err)
			}
			if status, answer := g.do(t, request); status != tc.status || !strings.Contains(answer, tc.detail) {
				t.Errorf("got %d %s", status, answer)
			}
		})
	}
}
