// Package httpapi is the API over HTTP: it admits requests, reads them, asks
// the services on the bus, and writes their answers. Every route is in
// routes.go; package apierror turns every error into a status.
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

// Deps is what a Server is given. It closes none of it.
type Deps struct {
	Telemetry *telemetry.Telemetry
	Bus       *bus.Conn
	Auth      *identity.Authenticator
	Directory identity.Directory
	Ledger    *idempotency.Ledger
	// Events tells streams what is found as it is found; without it, nil, they are
	// told when all is.
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
	objects    *http.Client // puts what URLs of the document service lead to
	// cors says which web pages may use the API.
	cors       cors.Policy
	compressor compress.Compressor
	// strictTransport is the value of Strict-Transport-Security, "" for none.
	strictTransport string
	// certificate is the one that is served; behind a proxy there is none in it.
	certificate *tlslistener.Certificate
	// draining is set when the server is told to end.
	draining atomic.Bool
}

// readBufferSize is the most that the head of a request may have, in bytes.
const readBufferSize = 32 << 10

// New returns a Server. It does not listen yet.
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
		auth: deps.Auth, directory: deps.Directory, ledger: deps.Ledger, failedKeys: ratelimit.NewLocal(), memory: bodyMemory{semaphore.NewWeighted(cfg.BodyMemory), m.bodyHeld},
		events: deps.Events, streams: newStreams(cfg.MaxStreams, cfg.StreamMemory, m.streams),
		metrics: m, docs: apierror.DocsURL(strings.TrimSuffix(docs, "/")), pages: pages, proxies: proxies, registry: deps.Telemetry.Metrics, objects: objects,
		cors: corsPolicy(cfg.CORSOrigins), strictTransport: cfg.strictTransport(), certificate: tlslistener.NewCertificate(cfg.CertFile, cfg.KeyFile),
	}
	s.limiter = s.withFallback(deps.Limiter)
	s.app = s.newApp()
	return s, nil
}

// withFallback returns the limiter that requests are counted with: l, and one in
// memory while l does not answer. Without Redis, nil, there is only the one in
// memory.
func (s *Server) withFallback(l ratelimit.Limiter) ratelimit.Limiter {
	local := ratelimit.NewLocal()
	if l == nil {
		return local
	}
	return ratelimit.NewFallback(l, local, func(ctx context.Context, err error) {
		s.metrics.fallbacks.Inc()
		s.log.DebugContext(ctx, "counted locally", "error", err)
	})
}

// newApp returns the Fiber application. What is set here keeps its traps shut:
// bodies are streams that only bodyReader reads, strings are copies, multipart
// forms are not parsed before the handler.
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

// enclose does what has to be done around Fiber: one trailing slash is
// tolerated, methods that Fiber does not know are answered like others that no
// route has, and a request whose body was not read is the last one of its
// connection.
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

// recoverPanic turns a panic of a handler into an answer: neither Fiber nor fasthttp
// would keep it from ending the process.
func (s *Server) recoverPanic(fctx *fasthttp.RequestCtx, next fasthttp.RequestHandler) {
	defer func() {
		if r := recover(); r != nil {
			s.writeProblem(fctx, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	next(fctx)
}

// encloseError does for requests that cannot be read what enclose does for the
// others. Connections on which the client sent nothing are not requests.
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

// lastOfConnection ends the connection after the answer, and sees to it that the
// client can read that first.
func (s *Server) lastOfConnection(fctx *fasthttp.RequestCtx) {
	fctx.SetConnectionClose()
	if conn, ok := fctx.Conn().(tlslistener.Conn); ok {
		conn.Linger()
	}
}

// ambiguousLength reports whether a request says in two ways where its body
// ends. Whatever stands before this server may have believed the other one.
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

// finish ends an exchange: it gives back memory, sees to it that an unread body
// is not taken for a request, and tells logs, metrics and traces.
func (s *Server) finish(fctx *fasthttp.RequestCtx) {
	x := s.exchange(fctx)
	if hasUnreadBody(fctx, x.body) {
		s.lastOfConnection(fctx)
	}
	if s.draining.Load() {
		fctx.SetConnectionClose() // so that clients move while the listener is open, and no request meets a closed connection
	}
	if x.body != nil {
		s.metrics.bodyBytes.Add(float64(x.body.read))
		x.body.release()
	}
	status, took := fctx.Response.StatusCode(), time.Since(x.begin)
	method := string(fctx.Method())
	s.metrics.requests.WithLabelValues(method, x.routeLabel(), fmt.Sprint(status), x.codeLabel()).Observe(took.Seconds())
	s.log.InfoContext(x.ctx, "request", "method", method, "route", x.routeLabel(), "status", status, "code", x.codeLabel(),
		"duration_ms", took.Milliseconds(), "organization", x.account.Organization.ID, "key", x.account.Key.ID)
	x.span.SetName(method + " " + x.routeLabel())
	x.span.End()
}

// Serve answers on ln until ctx ends, then finishes what has begun. It closes
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
	// The databases are not asked. All gateways share them: one that pauses would
	// take out every gateway at once, though keys in use go on for as long, and
	// whoever has another is told 5003 and when to come again.
	part.Up(s.bus.Check, limited.Check)
	select {
	case err := <-served:
		return fmt.Errorf("the listener of the API has failed: %w", cmp.Or(err, net.ErrClosed))
	case <-ctx.Done():
	}
	part.Down("stopping")
	s.draining.Store(true)
	time.Sleep(s.cfg.DrainDelay)
	s.streams.end()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Grace)
	defer cancel()
	err = s.app.ShutdownWithContext(grace)
	// A server that is told to end before it has begun does not notice: without
	// its listener it does.
	_ = limited.Close()
	if ended := <-served; !errors.Is(ended, net.ErrClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// partName is how the gateway is called among the parts of a process.
const partName = "gateway"

// limit returns ln with the limits on connections.
func (s *Server) limit(ln net.Listener) (*listener.Listener, error) {
	return listener.New(ln, listener.Options{
		Name: "api", Max: s.cfg.MaxConnections, PerAddress: s.cfg.PerAddress, Trusted: append(listener.Loopback(), s.proxies...),
		Log: s.log, Metrics: s.registry,
	})
}

// wrap puts TLS on a listener, unless a proxy in front has ended it.
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
