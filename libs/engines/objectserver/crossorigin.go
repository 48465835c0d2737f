package objectserver

import (
	"net/http"

	"github.com/rectohq/recto/libs/cors"
)

// crossOrigin lets web pages use presigned URLs. The admission handles CORS itself:
// versitygw implements CORS as a property of a bucket, which does not cover the
// admission's own responses, and it allows credentials.
type crossOrigin struct {
	policy cors.Policy
	next   http.Handler
}

// ServeHTTP implements http.Handler.
func (c crossOrigin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.policy.Allow(w.Header(), r.Header.Get("Origin")) {
		if cors.IsPreflight(r.Method, r.Header.Get("Access-Control-Request-Method")) {
			c.policy.Preflight(w.Header())
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	c.next.ServeHTTP(w, r)
}
