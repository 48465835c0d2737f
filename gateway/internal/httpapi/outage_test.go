package httpapi_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// closeStore closes a store, so that all further calls fail.
func closeStore(t *testing.T, store interface{ Close() error }) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestKeyStoreOutage closes the database of keys and users. Requests with cached keys keep
// working, and others get 5003.
func TestKeyStoreOutage(t *testing.T) {
	g, _ := serveAll(t)
	byOther := strings.Replace(newDocument, "{", `{"created_by":"user_9",`, 1)
	g.post(t, "/v2/documents", byOther).is(t, 200, `"id":`, false)
	known := g.key
	closeStore(t, g.store)
	g.post(t, "/v2/documents", newDocument).is(t, 200, `"id":`, false)
	g.post(t, "/v2/documents", byOther).is(t, 503, `"code":5003`, false)
	g.key = identity.NewSecret(true)
	g.post(t, "/v2/documents", newDocument).is(t, 503, `"code":5003`, false)
	if status, body := g.get(t, "/v2/me"); status != 503 || !strings.Contains(body, `"code":5003`) {
		t.Errorf("got %d %s", status, body)
	}
	g.key = known + "x"
	g.post(t, "/v2/documents", newDocument).is(t, 403, `"code":2002`, false) // malformed, so the store is not needed
	g.key = known
	if status, body := g.get(t, "/readyz"); status != 200 {
		t.Errorf("the gateway is not ready: %d %s", status, body)
	}
}

// TestIdempotencyStoreOutage closes the idempotency database while a request with an
// Idempotency-Key is running, and before another one.
func TestIdempotencyStoreOutage(t *testing.T) {
	for name, c := range map[string]struct {
		deleted bool // the document was created and deleted before
		status  int
		text    string
	}{"succeeds": {false, 200, `"id":"doc_`}, "must run again": {true, 503, `"code":5003`}} {
		t.Run(name, func(t *testing.T) {
			g, s := serveAll(t)
			wait := make(chan struct{})
			s.set(func(s *services) { s.wait = wait })
			answered := make(chan reply, 1)
			go func() { answered <- g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k") }()
			patience.Until(t, "the service is asked", func() (asked bool) {
				s.set(func(s *services) { asked = len(s.creates) > 0 })
				return asked
			})
			closeStore(t, g.requests)
			s.set(func(s *services) {
				if c.deleted {
					s.deleted = s.creates[0].ID
				}
			})
			close(wait)
			(<-answered).is(t, c.status, c.text, false)
			g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "l").is(t, 503, `"code":5003`, false)
			g.post(t, "/v2/documents", newDocument).is(t, 200, `"id":`, false)
		})
	}
}
