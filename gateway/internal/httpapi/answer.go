package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/gateway/internal/compress"
	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/contract/gatewayapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/problem"
)

// problemOf converts an error to the error that the client sees. It also converts errors
// of the HTTP library.
func problemOf(err error) *problem.Error {
	var e *problem.Error
	var f *fiber.Error
	switch {
	case errors.As(err, &e):
		return e
	case !errors.As(err, &f):
		return problem.Of(err)
	}
	switch f.Code {
	case http.StatusNotFound:
		return problem.New(problem.RouteNotFound, "The path does not exist. API paths begin with /v2; /docs lists them.")
	case http.StatusMethodNotAllowed:
		return problem.New(problem.MethodNotAllowed, "The path does not support this method. The Allow header lists the methods that it supports.")
	case http.StatusRequestHeaderFieldsTooLarge:
		return problem.New(problem.TooLarge, "The request line and headers exceed %d bytes. Send fewer or shorter headers.", readBufferSize)
	case http.StatusRequestTimeout:
		return problem.New(problem.InvalidRequest, "The request did not arrive in time. Retry, and send it without pauses.").Because(err)
	default:
		return problem.New(problem.InvalidRequest, "The request is not valid HTTP. Check its request line, headers and framing.").Because(err)
	}
}

// writeProblem sets the response to the error.
func (s *Server) writeProblem(fctx *fasthttp.RequestCtx, err error) {
	e := problemOf(err)
	x := s.exchange(fctx)
	x.failure = e
	code := apierror.Status(e.Code)
	if code >= http.StatusInternalServerError {
		s.log.ErrorContext(x.ctx, "a request failed", "method", string(fctx.Method()), "path", string(fctx.URI().PathOriginal()), "error", err)
	}
	fctx.Response.ResetBody()
	fctx.Response.SetStatusCode(code)
	if e.RetryAfter > 0 {
		fctx.Response.Header.Set(fiber.HeaderRetryAfter, strconv.Itoa(e.RetryAfter))
	}
	if e.Code == problem.HTTPSRequired {
		fctx.Response.Header.Set(fiber.HeaderUpgrade, "TLS/1.2, HTTP/1.1")
	}
	writeJSON(fctx, apierror.NewBody(e, s.docs))
}

// writeJSON sets the response body to v as JSON. The order of members is deterministic,
// so that equal values give equal bytes.
func writeJSON(fctx *fasthttp.RequestCtx, v any) {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil { // unreachable: responses consist of strings, numbers and valid JSON
		data = []byte(`{}`)
	}
	fctx.Response.Header.SetContentType(fiber.MIMEApplicationJSON)
	fctx.Response.SetBodyRaw(data)
}

// compress compresses the response if that is worthwhile and the client accepts it.
//
// Streams are not compressed: events must not wait for each other, and the response to an
// inline conversion passes through without ever being in memory as a whole.
//
// The length of a compressed response can leak its content (BREACH). The attack needs a
// secret that is the same in every response, and a page of the attacker that makes a
// victim's browser send many requests with credentials. Neither exists here: browsers do
// not add API keys on their own, and the cookie of the console only to requests of the
// console itself. The signatures of presigned URLs change every second.
func (s *Server) compress(fctx *fasthttp.RequestCtx) {
	answer := &fctx.Response
	if answer.IsBodyStream() || len(answer.Header.ContentEncoding()) > 0 || !compress.Worthwhile(answer.Header.ContentType(), answer.Body()) {
		return
	}
	answer.Header.Add(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if string(fctx.Method()) == http.MethodHead || !negotiate.TakesGzip(headerValues(&fctx.Request.Header, fiber.HeaderAcceptEncoding)) {
		return
	}
	answer.SetBodyRaw(s.compressor.Compress(s.exchange(fctx).file, answer.Body()))
	answer.Header.SetContentEncoding("gzip")
}

// strictTransport returns the value of the Strict-Transport-Security header (RFC 6797)
// for the public host, or "" for a host that must not have it: IP addresses cannot, and
// for localhost, browsers would refuse HTTP to every other program there. The header does
// not include subdomains, which may belong to others.
func (c Config) strictTransport() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	_, notIP := netip.ParseAddr(host)
	if notIP == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return ""
	}
	return fmt.Sprintf("max-age=%d", int64(c.HSTS.Seconds()))
}

// promiseHTTPS tells browsers to use only HTTPS for the public host. RFC 6797, section
// 7.2, forbids the header in responses without TLS. With a certificate of our own
// authority it would lock people out: under HSTS a browser offers no way past a
// certificate warning.
func (s *Server) promiseHTTPS(fctx *fasthttp.RequestCtx) {
	if s.strictTransport != "" && s.certificate.Issuer() != gatewayapi.LocalAuthority && s.secure(fctx) {
		fctx.Response.Header.Set(fasthttp.HeaderStrictTransportSecurity, s.strictTransport)
	}
}

// corsPolicy allows pages of the origins everything that other clients can do. They need
// an API key like any client.
func corsPolicy(origins cors.Origins) cors.Policy {
	return cors.Policy{
		Origins: origins,
		Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		Headers: []string{"x-api-key", "content-type", "idempotency-key", "prefer", "last-event-id", "x-request-id", "accept", "if-none-match"},
		Exposed: []string{
			headerRequestID, headerRateLimit, headerRateLimitPolicy, fiber.HeaderRetryAfter, fiber.HeaderAllow,
			fiber.HeaderLocation, fiber.HeaderETag, headerPreferenceApplied, headerIdempotencyReplayed, insightapi.EngineHeader,
		},
	}
}

// allowPage adds the CORS headers to the response if the origin of the request is
// allowed. It reports whether the request is a preflight from such an origin. No other
// page may use what is below /console.
func (s *Server) allowPage(fctx *fasthttp.RequestCtx) (preflight bool) {
	h := &fctx.Request.Header
	if isConsole(h, string(fctx.URI().PathOriginal())) {
		return false
	}
	allowed := s.cors.Allow(&fctx.Response.Header, string(h.Peek(fiber.HeaderOrigin)))
	return allowed && cors.IsPreflight(string(h.Method()), string(h.Peek(fiber.HeaderAccessControlRequestMethod)))
}

// preflight answers a CORS preflight request. Browsers send it without a key; the request
// that follows needs one.
func (s *Server) preflight(fctx *fasthttp.RequestCtx) {
	s.cors.Preflight(&fctx.Response.Header)
	fctx.SetStatusCode(http.StatusNoContent)
}

// downloadTimeout bounds one download from the object store, including the time that the
// client takes to read it.
const downloadTimeout = 2 * time.Minute

// download opens the object of a presigned URL. The caller closes it.
func (s *Server) download(ctx context.Context, signed string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, signed, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	answer, err := s.objects.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err // without the URL: it grants access and must not be logged
	}
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.Join(fmt.Errorf("get a page: the object store responded with %s", answer.Status), answer.Body.Close())
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return download{answer.Body, cancel}, nil
}

// download is the content of an object. Closing it ends its request.
type download struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (d download) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}
