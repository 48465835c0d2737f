package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Headers of the API.
const (
	headerKey             = "X-Api-Key"
	headerRequestID       = "X-Request-Id"
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"
)

// exchange is what is known of one request and its answer, from before the
// body is read until the answer is sent.
type exchange struct {
	ctx      context.Context // carries the request id and the trace
	span     trace.Span
	begin    time.Time
	route    string // as in routes.go, "" for none
	admitted bool
	account  identity.Account
	body     *bodyReader
	head     []byte // of the body, read to see what it is
	failure  *problem.Error
	// preflight is set for CORS preflight requests, which carry no key.
	preflight bool
	// file names the file of the documentation that is answered with, "" for none.
	file string
	// detached is set when the answer is streamed: who streams it finishes.
	detached bool
}

// exchangeKey is where an exchange is kept. fasthttp drops it with the request.
type exchangeKey struct{}

// exchange returns the exchange of a request, which is made when it is first
// asked for.
func (s *Server) exchange(fctx *fasthttp.RequestCtx) *exchange {
	if x, ok := fctx.UserValue(exchangeKey{}).(*exchange); ok {
		return x
	}
	id := string(fctx.Request.Header.Peek(headerRequestID)) // a copy: header memory is used again
	if !saneID.MatchString(id) {
		id = contract.NewID(contract.RequestPrefix)
	}
	ctx := telemetry.WithRequestID(context.Background(), id)
	ctx = telemetry.Propagator.Extract(ctx, headerCarrier{&fctx.Request.Header})
	ctx, span := s.tracer.Start(ctx, string(fctx.Method()), trace.WithSpanKind(trace.SpanKindServer))
	x := &exchange{ctx: ctx, span: span, begin: time.Now()}
	fctx.SetUserValue(exchangeKey{}, x)
	header := &fctx.Response.Header
	header.Set(headerRequestID, id)
	header.Set(fiber.HeaderCacheControl, "no-store")
	header.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	s.promiseHTTPS(fctx)
	x.preflight = s.allowPage(fctx)
	return x
}

// saneID is what a client's request id has to look like to be kept.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// admit decides whether a request may go on: it came over HTTPS, its key is
// valid, and its rate is not exceeded. Nothing of its body is read, its route
// is not looked up, and however often it is asked, it counts once.
func (s *Server) admit(fctx *fasthttp.RequestCtx) error {
	x := s.exchange(fctx)
	if x.admitted {
		return nil
	}
	if x.failure != nil {
		return x.failure
	}
	path := string(fctx.URI().PathOriginal())
	if !s.secure(fctx) && !isProbe(path) {
		return apierror.HTTPSRequired()
	}
	if !x.preflight && !isPublic(path) {
		if err := s.authenticate(fctx, x); err != nil {
			return err
		}
	}
	x.admitted = true
	return nil
}

// authenticate finds the account of the key and counts the request against its
// rate. Of several keys none is looked at: a proxy in front, which checks or counts
// by key, may have read another one than we would.
func (s *Server) authenticate(fctx *fasthttp.RequestCtx, x *exchange) error {
	if n := len(fctx.Request.Header.PeekAll(headerKey)); n > 1 {
		s.metrics.refusals.WithLabelValues("repeated_key").Inc()
		return problem.New(problem.InvalidRequest, "The request has %d x-api-key headers. Send exactly one.", n)
	}
	secret := string(fctx.Request.Header.Peek(headerKey)) // a copy: it ends up in a cache
	if secret == "" {
		s.metrics.refusals.WithLabelValues("missing_key").Inc()
		return problem.New(problem.MissingKey, "The request has no API key. Send it in the header x-api-key.")
	}
	account, err := s.auth.Authenticate(x.ctx, secret)
	if errors.Is(err, identity.ErrInvalidKey) {
		s.metrics.refusals.WithLabelValues("invalid_key").Inc()
		return s.refuseKey(fctx, x)
	}
	if err != nil {
		return problem.New(problem.Unavailable, "The API key cannot be checked: the key store is unavailable. Retry later.").
			After(time.Second).Because(err)
	}
	x.account = account
	return s.count(fctx, x)
}

// refuseKey refuses a key in the one text that all bad keys get, or, when too
// many have come from one address, as too many.
func (s *Server) refuseKey(fctx *fasthttp.RequestCtx, x *exchange) error {
	limit := ratelimit.Limit{Requests: s.cfg.FailedKeys, Period: time.Minute}
	d, err := s.failedKeys.Allow(x.ctx, s.clientAddr(fctx).String(), limit)
	if err == nil && !d.Allowed {
		return rateExceeded("This address sent too many requests with invalid API keys.", d)
	}
	return problem.New(problem.InvalidKey, "The API key is not valid. Check that the whole key was copied and that it is neither revoked nor expired.")
}

// count counts the request against the rate of its key and says so in the
// answer.
func (s *Server) count(fctx *fasthttp.RequestCtx, x *exchange) error {
	rate := x.account.Key.Rate
	header := &fctx.Response.Header
	if rate == identity.Unlimited {
		header.Set(headerRateLimitPolicy, fmt.Sprintf(`"default";q=%d;w=60`, maxQuota))
		header.Set(headerRateLimit, fmt.Sprintf(`"default";r=%d;t=0`, maxQuota))
		return nil
	}
	d, err := s.limiter.Allow(x.ctx, "key:"+x.account.Key.ID, ratelimit.Limit{Requests: int(rate), Period: time.Minute})
	if err != nil {
		return fmt.Errorf("count the request: %w", err)
	}
	reset := d.ResetAfter
	if !d.Allowed {
		reset = d.RetryAfter
	}
	header.Set(headerRateLimitPolicy, fmt.Sprintf(`"default";q=%d;w=60`, int(rate)))
	header.Set(headerRateLimit, fmt.Sprintf(`"default";r=%d;t=%d`, d.Remaining, seconds(reset)))
	if !d.Allowed {
		s.metrics.refusals.WithLabelValues("rate").Inc()
		return rateExceeded(fmt.Sprintf("The key exceeded its rate limit (%d a minute).", int(rate)), d)
	}
	return nil
}

// maxQuota stands for any number of requests: the largest integer that a
// structured field can have.
const maxQuota = 999_999_999_999_999

func rateExceeded(what string, d ratelimit.Decision) error {
	return problem.New(problem.RateLimited, "%s Retry after %d s.", what, seconds(d.RetryAfter)).After(d.RetryAfter)
}

// seconds rounds up: who waits that long has waited long enough.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// isPublic reports whether a path needs no key.
func isPublic(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == "" || isProbe(path) || path == "/docs" || strings.HasPrefix(path, "/docs/") || path == "/openapi.json" || path == "/v2/openapi.json"
}

// isProbe reports whether a path is asked by who watches the process.
func isProbe(path string) bool { return path == "/livez" || path == "/readyz" }

// secure reports whether the request came over HTTPS: to this process, or to a
// trusted proxy that says so. Proxies add to X-Forwarded-Proto from the left to
// the right, in the same line or in another one, and leave what they were sent.
// So only the last value counts, which is that of the nearest proxy: what is
// before it may be the client's. The values are not matched with those of
// X-Forwarded-For, since a client could make their numbers equal.
func (s *Server) secure(fctx *fasthttp.RequestCtx) bool {
	if !s.cfg.behindProxy() {
		return fctx.IsTLS()
	}
	forwarded := forwardedValues(fctx, fiber.HeaderXForwardedProto)
	return s.trusted(remoteAddr(fctx)) && forwarded[len(forwarded)-1] == "https"
}

func (s *Server) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// clientAddr returns the address of the client: of the connection, or, behind
// trusted proxies, the last one in X-Forwarded-For that is none of theirs. What is
// before that one may be the client's own words.
func (s *Server) clientAddr(fctx *fasthttp.RequestCtx) netip.Addr {
	addr := remoteAddr(fctx)
	if !s.cfg.behindProxy() {
		return addr
	}
	for _, hop := range slices.Backward(forwardedValues(fctx, fiber.HeaderXForwardedFor)) {
		parsed, err := netip.ParseAddr(hop)
		if !s.trusted(addr) || err != nil {
			return addr
		}
		addr = parsed.Unmap()
	}
	return addr
}

// forwardedValues returns the values of all lines of a header that proxies add
// to, in their order. Without the header, there is one empty value.
func forwardedValues(fctx *fasthttp.RequestCtx, header string) []string {
	lines := fctx.Request.Header.PeekAll(header)
	values := strings.Split(string(bytes.Join(lines, []byte(","))), ",")
	for i, value := range values {
		values[i] = strings.TrimSpace(value)
	}
	return values
}

// remoteAddr is the address that the connection comes from, as IPv4 where it is
// one. It is a proxy's where there is one.
func remoteAddr(fctx *fasthttp.RequestCtx) netip.Addr {
	addr, _ := netip.ParseAddrPort(fctx.RemoteAddr().String()) // the zero address for what is no TCP
	return addr.Addr().Unmap()
}

// headerAnnounced is set by lookAhead, and by nobody else, on a request whose
// body is not read: to the bytes that it was announced to have.
const headerAnnounced = "X-Recto-Announced"

// lookAhead is called with the head of a request, before the HTTP library waits
// for the first bytes of its body. Whoever has no valid key, or announces a body
// that no route takes, must not have to send any of it to be told: the body is
// left where it is, and the connection ends with the answer.
func (s *Server) lookAhead(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(headerAnnounced)
	size := h.ContentLength()
	if size <= 0 || len(h.Peek(fasthttp.HeaderExpect)) > 0 {
		return fasthttp.RequestConfig{}
	}
	path, _, _ := strings.Cut(string(h.RequestURI()), "?")
	refused := int64(size) > s.maxBody(h, path)
	if !refused && !isPublic(path) {
		refused = s.refusesKey(h)
	}
	if refused {
		h.Set(headerAnnounced, strconv.Itoa(size))
		h.SetContentLength(0)
		h.SetConnectionClose()
	}
	return fasthttp.RequestConfig{}
}

// maxBody is the size of the largest body that some route takes, in bytes: a form
// with the files of a document, or a JSON value.
func (s *Server) maxBody(h *fasthttp.RequestHeader, path string) int64 {
	if strings.TrimSuffix(path, "/") == "/v2/documents" && isForm(h) {
		return s.cfg.MaxUpload
	}
	return s.cfg.MaxAnnotateBody
}

// refusesKey reports whether admit will refuse a request for its key, or for
// having several. A key that cannot be checked now may be good: admit looks again.
func (s *Server) refusesKey(h *fasthttp.RequestHeader) bool {
	if len(h.PeekAll(headerKey)) > 1 {
		return true
	}
	_, err := s.auth.Authenticate(context.Background(), string(h.Peek(headerKey)))
	return errors.Is(err, identity.ErrInvalidKey)
}

// expect answers "Expect: 100-continue": whoever is not admitted, or announces
// a body that no route takes, is told so instead of sending it.
func (s *Server) expect(fctx *fasthttp.RequestCtx) int {
	err := s.admit(fctx)
	header := &fctx.Request.Header
	limit := s.maxBody(header, string(fctx.URI().PathOriginal()))
	if err == nil && int64(header.ContentLength()) > limit {
		err = tooLarge(limit)
	}
	if err == nil {
		listener.Of(fctx.Conn()).Busy()
		return fasthttp.StatusContinue
	}
	s.writeProblem(fctx, err)
	s.finish(fctx)
	return fctx.Response.StatusCode()
}

// headerCarrier reads a trace context from the headers of a request.
type headerCarrier struct{ h *fasthttp.RequestHeader }

func (c headerCarrier) Get(key string) string { return string(c.h.Peek(key)) }
func (c headerCarrier) Set(string, string)    {}
func (c headerCarrier) Keys() []string        { return nil }

// routeLabel is the route of an exchange for metrics: few, whatever is asked.
func (x *exchange) routeLabel() string {
	if x.route == "" {
		return "none"
	}
	return x.route
}

// codeLabel is the error code as a label of metrics, "ok" for none.
func (x *exchange) codeLabel() string {
	if x.failure == nil {
		return "ok"
	}
	return strconv.Itoa(int(x.failure.Code))
}
