package httpapi

import (
	"net/http"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/libs/cors"
)

// corsPolicy is what pages of the origins may do with the API: all that a client
// can, with a key that they have.
func corsPolicy(origins cors.Origins) cors.Policy {
	return cors.Policy{
		Origins: origins,
		Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		Headers: []string{"x-api-key", "content-type", "idempotency-key", "prefer", "last-event-id", "x-request-id", "accept"},
		Exposed: []string{
			headerRequestID, headerRateLimit, headerRateLimitPolicy, fiber.HeaderRetryAfter, fiber.HeaderAllow,
			fiber.HeaderLocation, headerPreferenceApplied, headerIdempotencyReplayed,
		},
	}
}

// allowPage adds the CORS headers to the answer if the origin of the request is
// allowed. It reports whether the request is a preflight.
func (s *Server) allowPage(fctx *fasthttp.RequestCtx) (preflight bool) {
	h := &fctx.Request.Header
	allowed := s.cors.Allow(&fctx.Response.Header, string(h.Peek(fiber.HeaderOrigin)))
	return allowed && cors.IsPreflight(string(h.Method()), string(h.Peek(fiber.HeaderAccessControlRequestMethod)))
}

// preflight answers a preflight request. Browsers send it without a key; the request
// that follows needs one.
func (s *Server) preflight(fctx *fasthttp.RequestCtx) {
	s.cors.Preflight(&fctx.Response.Header)
	fctx.SetStatusCode(http.StatusNoContent)
}
