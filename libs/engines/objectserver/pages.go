package objectserver

import (
	"net/http"

	"github.com/rectohq/recto/libs/cors"
)

// pages lets web pages use signed URLs. The front says so itself: versitygw knows
// CORS as a property of a bucket, but not of the answers that the front gives, and
// it allows credentials.
type pages struct {
	policy cors.Policy
	next   http.Handler
}

// ServeHTTP implements http.Handler.
func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.policy.Allow(w.Header(), r.Header.Get("Origin")) {
		if cors.IsPreflight(r.Method, r.Header.Get("Access-Control-Request-Method")) {
			p.policy.Preflight(w.Header())
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	p.next.ServeHTTP(w, r)
}
