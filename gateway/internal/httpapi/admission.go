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
	"github.com/rectohq/recto/gateway/internal/console"
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

// exchange is the state of one request and its response, from before the body is read
// until the response has been sent.
type exchange struct {
	ctx      context.Context // carries the request id, the trace and the ids of the account
	span     trace.Span
	begin    time.Time
	route    string // the path as in routes.go, "" for none
	admitted bool
	account  identity.Account
	body     *bodyReader
	head     []byte // first bytes of the body, if they were read to detect its type
	failure  *problem.Error
	// preflight is set for CORS preflight requests, which carry no key.
	preflight bool
	// console is set for requests below /console/api. They have the session of a person in
	// place of a key.
	console bool
	// file is the name of the documentation file in the response, "" for none.
	file string
	// detached is set when the response is streamed. The stream then finishes the
	// exchange.
	detached bool
}

// exchangeKey is the key of the exchange in the user values of a request. fasthttp clears
// them after the request.
type exchangeKey struct{}

// exchange returns the exchange of a request. It creates the exchange on the first call.
func (s *Server) exchange(fctx *fasthttp.RequestCtx) *exchange {
	if x, ok := fctx.UserValue(exchangeKey{}).(*exchange); ok {
		return x
	}
	id := string(fctx.Request.Header.Peek(headerRequestID)) // a copy: fasthttp reuses the memory of headers
	if !saneID.MatchString(id) {
		id = contract.NewID(contract.RequestPrefix)
	}
	ctx := telemetry.WithRequestID(context.Background(), id)
	ctx = telemetry.Propagator.Extract(ctx, headerCarrier{&fctx.Request.Header})
	ctx, span := telemetry.Start(ctx, s.tracer, string(fctx.Method()), trace.SpanKindServer)
	x := &exchange{ctx: ctx, span: span, begin: time.Now()}
	fctx.SetUserValue(exchangeKey{}, x)
	header := &fctx.Response.Header
	header.Set(headerRequestID, id)
	header.Set(fiber.HeaderCacheControl, "no-store")
	header.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	s.promiseHTTPS(fctx)
	x.console = isConsoleAPI(&fctx.Request.Header)
	x.preflight = s.allowPage(fctx)
	return x
}

// saneID matches the request ids that are accepted from clients.
var saneID = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// admit returns an error unless the request came over HTTPS with a valid key that is
// within its rate limit. It neither reads the body nor looks up the route. Repeated calls
// for a request count it only once.
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
	if err := s.checkBrowser(&fctx.Request.Header, path); err != nil {
		s.metrics.refusals.WithLabelValues("foreign_page").Inc()
		return err
	}
	if !x.preflight && !isPublic(path) {
		if err := s.authenticate(fctx, x); err != nil {
			return err
		}
	}
	x.admitted = true
	return nil
}

// authenticate finds the account of the key, or of the session, and counts the request
// against the rate limit of the key. It rejects a request with several keys: a proxy in
// front that checks or counts by key may have used a different one.
func (s *Server) authenticate(fctx *fasthttp.RequestCtx, x *exchange) error {
	if x.console {
		return s.authenticateSession(fctx, x)
	}
	if n := len(fctx.Request.Header.PeekAll(headerKey)); n > 1 {
		s.metrics.refusals.WithLabelValues("repeated_key").Inc()
		return problem.New(problem.InvalidRequest, "The request has %d x-api-key headers. Send exactly one.", n)
	}
	secret := string(fctx.Request.Header.Peek(headerKey)) // a copy: it is kept in a cache
	if secret == "" {
		s.metrics.refusals.WithLabelValues("missing_key").Inc()
		return problem.New(problem.MissingKey, "The request has no API key. Send it in the x-api-key header.")
	}
	account, err := s.auth.Authenticate(x.ctx, secret)
	return s.enter(fctx, x, account, err, badKey)
}

// enter admits the request of an account and counts it, unless err, the error of finding
// the account, is not nil.
func (s *Server) enter(fctx *fasthttp.RequestCtx, x *exchange, account identity.Account, err error, refused string) error {
	if err != nil {
		return s.notEntered(fctx, x, err, refused)
	}
	x.account = account
	x.ctx = telemetry.WithPrincipal(x.ctx, account.Organization.ID, account.Key.ID)
	return s.count(fctx, x)
}

// notEntered returns the error for a request whose account was not found. For an invalid
// secret it has the text refused.
func (s *Server) notEntered(fctx *fasthttp.RequestCtx, x *exchange, err error, refused string) error {
	if errors.Is(err, identity.ErrInvalidKey) {
		s.metrics.refusals.WithLabelValues("invalid_key").Inc()
		return s.refuseKey(fctx, x, refused)
	}
	return unchecked(err)
}

// badKey is the text for an invalid key. It is the same for all of them.
const badKey = "The API key is not valid. Check that the whole key was copied and that it is neither revoked nor expired."

// unchecked returns the error for a key or session while the store is unavailable.
func unchecked(err error) error {
	return problem.New(problem.Unavailable, "The API key cannot be checked: the key store is unavailable. Retry later.").
		After(time.Second).Because(err)
}

// refuseKey returns the error for an invalid key, session or sign-in link, with that text.
// If the address has sent too many of them, it returns RateLimited instead.
func (s *Server) refuseKey(fctx *fasthttp.RequestCtx, x *exchange, text string) error {
	limit := ratelimit.Limit{Requests: s.cfg.FailedKeys, Period: time.Minute}
	d, err := s.failedKeys.Allow(x.ctx, s.clientAddr(fctx).String(), limit)
	if err == nil && !d.Allowed {
		return rateExceeded("This address sent too many requests with invalid API keys.", d)
	}
	return problem.New(problem.InvalidKey, "%s", text)
}

// count counts the request against the rate limit of its key, and sets the rate limit
// headers of the response.
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
		return rateExceeded(fmt.Sprintf("The API key exceeded its rate limit (%d per minute).", int(rate)), d)
	}
	return nil
}

// maxQuota represents an unlimited number of requests. It is the largest integer of a
// structured header field.
const maxQuota = 999_999_999_999_999

func rateExceeded(what string, d ratelimit.Decision) error {
	return problem.New(problem.RateLimited, "%s Retry after %d s.", what, seconds(d.RetryAfter)).After(d.RetryAfter)
}

// seconds returns the duration in seconds, rounded up, so that a client that waits this
// long has waited long enough.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// isPublic reports whether a path needs no key.
func isPublic(path string) bool {
	path = strings.TrimSuffix(path, "/")
	return path == "" || isProbe(path) || path == "/docs" || strings.HasPrefix(path, "/docs/") || path == "/openapi.json" || path == "/v2/openapi.json" ||
		console.Within(path, console.Root)
}

// isProbe reports whether a path is a liveness or readiness probe.
func isProbe(path string) bool { return path == "/livez" || path == "/readyz" }

// secure reports whether the request came over HTTPS, to this process or to a trusted
// proxy that says so. Proxies append to X-Forwarded-Proto, on the same line or on a new
// one, and keep what they received. So only the last value counts, which is that of the
// nearest proxy; the client may have sent the values before it. The values are not matched
// with those of X-Forwarded-For, since a client could make their number equal.
func (s *Server) secure(fctx *fasthttp.RequestCtx) bool {
	if !s.cfg.behindProxy() {
		return fctx.IsTLS()
	}
	forwarded := forwardedValues(fctx, fiber.HeaderXForwardedProto)
	return s.trusted(remoteAddr(fctx)) && forwarded[len(forwarded)-1] == "https"
}

// trusted reports whether the address is that of a trusted proxy.
func (s *Server) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// clientAddr returns the address of the client: that of the connection or, behind trusted
// proxies, the last address in X-Forwarded-For that is not a trusted proxy. The client may
// have made up the addresses before it.
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

// forwardedValues returns the values of a header that proxies append to, from all of its
// lines, in order. Without the header, it returns one empty value.
func forwardedValues(fctx *fasthttp.RequestCtx, header string) []string {
	lines := fctx.Request.Header.PeekAll(header)
	values := strings.Split(string(bytes.Join(lines, []byte(","))), ",")
	for i, value := range values {
		values[i] = strings.TrimSpace(value)
	}
	return values
}

// remoteAddr returns the remote address of the connection, which may be that of a proxy.
// IPv4-mapped IPv6 addresses are returned as IPv4.
func remoteAddr(fctx *fasthttp.RequestCtx) netip.Addr {
	addr, _ := netip.ParseAddrPort(fctx.RemoteAddr().String()) // the zero address if the connection is not TCP
	return addr.Addr().Unmap()
}

// headerAnnounced holds the declared length of a body that is not read. Only lookAhead
// sets it; values from clients are removed.
const headerAnnounced = "X-Recto-Announced"

// lookAhead is called with the headers of a request, before the HTTP library waits for the
// first bytes of its body. If the key is not valid, or no route accepts a body of this
// length, the client gets the error without having to send the body. The body is then not
// read, and the connection is closed after the response.
//
// It is also where a request below /console/api becomes one below /v2, so that everything
// else treats both alike.
func (s *Server) lookAhead(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	h.Del(headerAnnounced)
	h.Del(headerConsole)
	if target, ok := console.Rewrite(h.RequestURI()); ok {
		h.SetRequestURIBytes(target)
		h.Set(headerConsole, "api")
	}
	size := h.ContentLength()
	if size <= 0 || len(h.Peek(fasthttp.HeaderExpect)) > 0 {
		return fasthttp.RequestConfig{}
	}
	path := pathOf(h)
	refused := int64(size) > s.maxBody(h, path)
	if !refused && !isPublic(path) {
		refused = s.refusesKey(h)
	}
	refused = refused || s.checkBrowser(h, path) != nil
	if refused {
		h.Set(headerAnnounced, strconv.Itoa(size))
		h.SetContentLength(0)
		h.SetConnectionClose()
	}
	return fasthttp.RequestConfig{}
}

// pathOf returns the path of a request as the router will see it. The target of the request
// may be a whole URL, which servers must accept (RFC 9112, section 3.2.2).
func pathOf(h *fasthttp.RequestHeader) string {
	var target fasthttp.URI
	if err := target.Parse(h.Host(), h.RequestURI()); err != nil {
		return "" // fasthttp then refuses the request
	}
	return string(target.PathOriginal())
}

// maxBody returns the size, in bytes, of the largest body that any route accepts: for a
// form with the files of a document, for JSON, or for a sign-in.
func (s *Server) maxBody(h *fasthttp.RequestHeader, path string) int64 {
	switch path = strings.TrimSuffix(path, "/"); {
	case path == "/v2/documents" && isForm(h):
		return s.cfg.MaxUpload
	case path == console.Session:
		return maxSignIn
	}
	return s.cfg.MaxAnnotateBody
}

// refusesKey reports whether admit will reject a request because its key or session is
// invalid or because it has several keys. A key that cannot be checked now may be valid:
// admit checks it again.
func (s *Server) refusesKey(h *fasthttp.RequestHeader) bool {
	if isConsoleAPI(h) {
		_, err := s.auth.AuthenticateSession(context.Background(), sessionCookie(h))
		return errors.Is(err, identity.ErrInvalidKey)
	}
	if len(h.PeekAll(headerKey)) > 1 {
		return true
	}
	_, err := s.auth.Authenticate(context.Background(), string(h.Peek(headerKey)))
	return errors.Is(err, identity.ErrInvalidKey)
}

// expect answers "Expect: 100-continue". A request that is not admitted, or whose body is
// too large for any route, gets the error before it sends the body.
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

// routeLabel returns the route of an exchange as a metrics label. The number of labels
// is bounded, whatever paths clients request.
func (x *exchange) routeLabel() string {
	switch {
	case x.route == "":
		return "none"
	case x.console:
		return console.Public(x.route)
	}
	return x.route
}

// codeLabel returns the error code as a metrics label, "ok" for none.
func (x *exchange) codeLabel() string {
	if x.failure == nil {
		return "ok"
	}
	return strconv.Itoa(int(x.failure.Code))
}
