// Package httpapi serves the API over HTTP. It admits and reads requests, calls the
// services on the bus, and writes the responses. All routes are in routes.go; package
// apierror maps every error to a status.
package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"github.com/rectohq/recto/gateway/internal/apidoc"
	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/gateway/internal/compress"
	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/gateway/internal/tlslistener"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/cors"
	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Deps holds a Server's dependencies. The Server does not close them.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	Auth      *identity.Authenticator
	SignIn    *identity.SignIn
	Directory identity.Directory
	Ledger    *idempotency.Ledger
	// Events delivers the events of insight streams as they occur. If it is nil, streams
	// send all events when the job has finished.
	Events EventLog
	// Limiter counts the requests of keys; nil counts in this process.
	Limiter ratelimit.Limiter
}

// Server serves the API.
type Server struct {
	cfg        Config
	app        *fiber.App
	log        *slog.Logger
	tracer     trace.Tracer
	health     *telemetry.Health
	bus        *bus.Conn
	auth       *identity.Authenticator
	signIns    *identity.SignIn
	directory  identity.Directory
	ledger     *idempotency.Ledger
	limiter    ratelimit.Limiter
	failedKeys ratelimit.Limiter
	memory     bodyMemory
	events     EventLog
	streams    streams
	metrics    *metrics
	docs       apierror.DocsURL
	pages      *apidoc.Pages
	proxies    []netip.Prefix
	registry   prometheus.Registerer
	objects    *http.Client // uploads to presigned URLs of the document service
	// cors defines which web pages may use the API.
	cors       cors.Policy
	compressor compress.Compressor
	// strictTransport is the value of Strict-Transport-Security, "" for none.
	strictTransport string
	// certificate is the certificate that is served. It is not loaded behind a proxy.
	certificate *listener.Certificate
	// draining is set when shutdown begins.
	draining atomic.Bool
}

// readBufferSize is the maximum size of the request line and headers, in bytes.
const readBufferSize = 32 << 10

// exportExpiry returns a function that exports when the certificate of the API expires.
func exportExpiry(r prometheus.Registerer) func(expiry time.Time) {
	expires := telemetry.CertificateExpiry(r)
	return func(expiry time.Time) { expires.WithLabelValues("api").Set(float64(expiry.Unix())) }
}

// New returns a Server. Call Serve to accept requests.
func New(cfg Config, deps Deps) (*Server, error) {
	m, err := newMetrics(deps.Telemetry.Metrics)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	proxies, err := config.ParseNetworks(cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	docs := cfg.DocsURL
	if docs == "" {
		docs = cfg.PublicURL + "/docs"
	}
	pages, err := apidoc.New(cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	objects, err := blob.NewClient(cfg.ObjectsCAFile)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_OBJECTS_CA_FILE: %w", err)
	}
	s := &Server{
		cfg: cfg, log: deps.Telemetry.Log, tracer: deps.Telemetry.Tracer, health: deps.Telemetry.Health, bus: deps.Bus,
		auth: deps.Auth, signIns: deps.SignIn, directory: deps.Directory, ledger: deps.Ledger, failedKeys: ratelimit.NewLocal(), memory: bodyMemory{semaphore.NewWeighted(cfg.BodyMemory), m.bodyHeld},
		events: deps.Events, streams: newStreams(cfg.MaxStreams, cfg.StreamMemory, m.streams),
		metrics: m, docs: apierror.DocsURL(strings.TrimSuffix(docs, "/")), pages: pages, proxies: proxies, registry: deps.Telemetry.Metrics, objects: objects,
		cors: corsPolicy(cfg.CORSOrigins), strictTransport: cfg.strictTransport(),
		certificate: listener.NewCertificate(cfg.CertFile, cfg.KeyFile, exportExpiry(deps.Telemetry.Metrics)),
	}
	s.limiter = s.withFallback(deps.Limiter)
	s.app = s.newApp()
	return s, nil
}

// withFallback returns the limiter that counts requests: l, with a fallback to a limiter in
// memory while l fails. If l is nil, it returns only the limiter in memory.
func (s *Server) withFallback(l ratelimit.Limiter) ratelimit.Limiter {
	local := ratelimit.NewLocal()
	if l == nil {
		return local
	}
	return ratelimit.NewFallback(l, local, func(ctx context.Context, err error) {
		s.metrics.fallbacks.Inc()
		s.log.DebugContext(ctx, "request counted locally", "error", err)
	})
}

// newApp returns the Fiber application. Its settings avoid Fiber's pitfalls: bodies are
// streams that only bodyReader reads, strings are copies, and multipart forms are not
// parsed before the handler.
func (s *Server) newApp() *fiber.App {
	app := fiber.New(fiber.Config{
		Immutable: true, CaseSensitive: true, StrictRouting: true, DisableStartupMessage: true,
		StreamRequestBody: true, DisablePreParseMultipartForm: true, BodyLimit: math.MaxInt,
		ReadBufferSize: readBufferSize, Concurrency: math.MaxInt32, // the listener counts connections
		ReadTimeout: s.cfg.ReadTimeout, WriteTimeout: s.cfg.WriteTimeout, IdleTimeout: s.cfg.IdleTimeout,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			s.writeProblem(c.Context(), err)
			return nil
		},
	})
	app.Use(func(c *fiber.Ctx) error {
		if err := s.admit(c.Context()); err != nil {
			return err
		}
		if s.exchange(c.Context()).preflight {
			s.preflight(c.Context())
			return nil
		}
		return c.Next()
	})
	s.register(app)
	server := app.Server()
	server.ExpectHandler = s.expect
	server.HeaderReceived = s.lookAhead
	server.Handler = s.enclose(app.Handler())
	server.ErrorHandler = s.encloseError(server.ErrorHandler)
	server.CloseOnShutdown = true
	server.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		if state == fasthttp.StateIdle {
			listener.Of(c).Idle()
		}
	}
	return app
}

// enclose wraps Fiber's handler. It tolerates one trailing slash, treats methods unknown to
// Fiber like any unsupported method, and closes the connection after a request whose body
// was not read.
func (s *Server) enclose(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(fctx *fasthttp.RequestCtx) {
		listener.Of(fctx.Conn()).Busy()
		trimSlash(fctx)
		if !slices.Contains(fiber.DefaultMethods, string(fctx.Method())) {
			fctx.Request.Header.SetMethod(fiber.MethodTrace)
		}
		if len(fctx.Request.Header.Peek(headerAnnounced)) > 0 {
			s.lastOfConnection(fctx)
		}
		if ambiguousLength(&fctx.Request.Header) {
			s.writeProblem(fctx, problem.New(problem.InvalidRequest, "The request has both Content-Length and Transfer-Encoding. Send one of them."))
		} else {
			s.recoverPanic(fctx, next)
		}
		if !s.exchange(fctx).detached {
			s.compress(fctx)
			s.finish(fctx)
		}
	}
}

// recoverPanic turns a panic of a handler into an error response. Neither Fiber nor fasthttp
// recovers from panics, so it would end the process.
func (s *Server) recoverPanic(fctx *fasthttp.RequestCtx, next fasthttp.RequestHandler) {
	defer func() {
		if r := recover(); r != nil {
			s.writeProblem(fctx, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	next(fctx)
}

// encloseError is the counterpart of enclose for requests that cannot be read. It ignores
// connections on which the client sent nothing.
func (s *Server) encloseError(next func(*fasthttp.RequestCtx, error)) func(*fasthttp.RequestCtx, error) {
	return func(fctx *fasthttp.RequestCtx, err error) {
		if conn, ok := fctx.Conn().(tlslistener.Conn); ok && !conn.ClientSent() {
			return
		}
		next(fctx, err)
		s.lastOfConnection(fctx)
		s.finish(fctx)
	}
}

// lastOfConnection closes the connection after the response, and makes sure that the
// client can read the response first.
func (s *Server) lastOfConnection(fctx *fasthttp.RequestCtx) {
	fctx.SetConnectionClose()
	if conn, ok := fctx.Conn().(tlslistener.Conn); ok {
		conn.Linger()
	}
}

// ambiguousLength reports whether a request has both a Content-Length and a chunked body. A
// proxy in front may have used the other one to find the end of the body.
func ambiguousLength(h *fasthttp.RequestHeader) bool {
	const chunked = -1
	if h.ContentLength() != chunked {
		return false
	}
	for line := range bytes.Lines(h.RawHeaders()) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(name), []byte(fasthttp.HeaderContentLength)) {
			return true
		}
	}
	return false
}

// trimSlash removes one trailing slash from the path.
func trimSlash(fctx *fasthttp.RequestCtx) {
	path, query, hasQuery := bytes.Cut(fctx.Request.Header.RequestURI(), []byte("?"))
	if len(path) < 2 || path[len(path)-1] != '/' || path[len(path)-2] == '/' {
		return
	}
	uri := slices.Clone(path[:len(path)-1])
	if hasQuery {
		uri = append(append(uri, '?'), query...)
	}
	fctx.Request.SetRequestURIBytes(uri)
}

// finish ends an exchange. It releases memory, makes sure that an unread body is not taken
// for the next request, and records the request in the log, metrics and trace.
func (s *Server) finish(fctx *fasthttp.RequestCtx) {
	x := s.exchange(fctx)
	if hasUnreadBody(fctx, x.body) {
		s.lastOfConnection(fctx)
	}
	if s.draining.Load() {
		fctx.SetConnectionClose() // clients then reconnect elsewhere, before the server closes idle connections
	}
	if x.body != nil {
		s.metrics.bodyBytes.Add(float64(x.body.read))
		x.body.release()
	}
	status, took := fctx.Response.StatusCode(), time.Since(x.begin)
	method := string(fctx.Method())
	s.metrics.requests.WithLabelValues(method, x.routeLabel(), fmt.Sprint(status), x.codeLabel()).Observe(took.Seconds())
	s.log.InfoContext(x.ctx, "request", "method", method, "route", x.routeLabel(), "status", status, "code", x.codeLabel(),
		"duration_ms", took.Milliseconds())
	endSpan(x, method, status)
}

// endSpan ends the span of a request, as the semantic conventions of OpenTelemetry describe
// it: a request that is the client's fault has a code, but not the status Error.
func endSpan(x *exchange, method string, status int) {
	defer x.span.End()
	if !x.span.IsRecording() {
		return
	}
	x.span.SetName(method)
	x.span.SetAttributes(attribute.String("http.request.method", method), attribute.Int("http.response.status_code", status))
	if x.route != "" {
		x.span.SetName(method + " " + x.routeLabel())
		x.span.SetAttributes(attribute.String("http.route", x.routeLabel()))
	}
	if x.failure != nil {
		x.span.SetAttributes(telemetry.ErrorCode(x.failure.Code))
	}
	if status >= http.StatusInternalServerError {
		x.span.SetStatus(codes.Error, http.StatusText(status))
	}
}

// Serve serves requests on ln until ctx ends, then finishes those in progress. It closes
// ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	limited, err := s.limit(ln)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	wrapped, err := s.wrap(limited)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(wrapped) }()
	part := s.health.Part(partName)
	// Readiness does not depend on the databases. All gateways share them, so a paused
	// database would make every gateway not ready at once. Meanwhile keys in use keep
	// working, and requests with other keys get 5003 with a Retry-After.
	part.Up(s.bus.Check, limited.Check)
	select {
	case err := <-served:
		return fmt.Errorf("the API listener failed: %w", cmp.Or(err, net.ErrClosed))
	case <-ctx.Done():
	}
	part.Down("stopping")
	s.draining.Store(true)
	time.Sleep(s.cfg.DrainDelay)
	s.streams.end()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Grace)
	defer cancel()
	err = s.app.ShutdownWithContext(grace)
	// A server that has not started yet does not notice the shutdown, so close its
	// listener.
	_ = limited.Close()
	if ended := <-served; !errors.Is(ended, net.ErrClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// partName is the name of the gateway among the parts of a process.
const partName = "gateway"

// limit returns ln with limits on the number of connections.
func (s *Server) limit(ln net.Listener) (*listener.Listener, error) {
	return listener.New(ln, listener.Options{
		Name: "api", Max: s.cfg.MaxConnections, PerAddress: s.cfg.PerAddress, Trusted: append(listener.Loopback(), s.proxies...),
		Log: s.log, Metrics: s.registry,
	})
}

// wrap adds TLS to a listener, unless a proxy in front terminates it.
func (s *Server) wrap(ln net.Listener) (net.Listener, error) {
	if s.cfg.behindProxy() {
		return tlslistener.Plain(ln), nil
	}
	secure, err := tlslistener.TLS(ln, s.certificate, s.docs)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_TLS_CERT_FILE: %w", err)
	}
	return secure, nil
}
