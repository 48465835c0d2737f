package httpapi_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/gateway/internal/idempotency"
	requeststore "github.com/rectohq/recto/gateway/internal/idempotency/sqlitestore"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/identity/sqlitestore"
	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// gateway is a server behind a proxy that terminates TLS. The tests act as the proxy.
type gateway struct {
	url, key string
	nats     *natsserver.Server
	store    *sqlitestore.Store
	auth     *identity.Authenticator
	requests *requeststore.Store
	// telemetry is the telemetry of the server.
	telemetry *telemetry.Telemetry
	// events is the event log of the server's streams.
	events *eventLog
	// changedKeys, if not nil, replaces the store's keys when start is called.
	changedKeys identity.Store
	// stop shuts down the server.
	stop func()
	// limiter counts the requests after start is called; if nil, the server counts them.
	limiter ratelimit.Limiter
}

// keys returns the key store of the server.
func (g *gateway) keys() identity.Store {
	if g.changedKeys != nil {
		return g.changedKeys
	}
	return g.store
}

// everything is the list of scopes of a key without restrictions.
var everything = []contract.Scope{contract.ScopeAll}

var peppers = identity.Peppers{{ID: "1", Secret: bytes.Repeat([]byte{1}, 32)}}

// serve starts a gateway with the environment variables and returns it.
func serve(t *testing.T, environ ...string) *gateway {
	t.Helper()
	var cfg httpapi.Config
	environ = append([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8, 10.0.0.0/8", "GATEWAY_PUBLIC_URL=https://recto.example", "GATEWAY_DRAIN_DELAY=0s"}, environ...)
	if err := config.Load(environ, "GATEWAY_", &cfg); err != nil {
		t.Fatal(err)
	}
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "gateway.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	_, secret, err := identity.NewAdmin(store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: everything})
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{key: secret, nats: bustest.Server(t), store: store, events: &eventLog{}}
	g.start(t, cfg, store)
	return g
}

// start starts a server with the directory of users. From then on, g sends requests to it.
func (g *gateway) start(t *testing.T, cfg httpapi.Config, users identity.Directory) {
	t.Helper()
	requests, err := requeststore.Open(t.Context(), filepath.Join(t.TempDir(), "idempotency.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = requests.Close() })
	g.requests = requests
	g.telemetry = fresh(t)
	g.auth = identity.NewAuthenticator(g.keys(), peppers)
	server, err := httpapi.New(cfg, httpapi.Deps{
		Telemetry: g.telemetry, Bus: bustest.Connect(t, g.nats, "gateway"), Auth: g.auth,
		SignIn: identity.NewSignIn(g.keys(), g.auth, peppers, cfg.SessionLifetime), Directory: users, Limiter: g.limiter, Events: g.events,
		Ledger: idempotency.New(requests, idempotency.Config{TTL: time.Hour, Lease: time.Minute}, g.telemetry.Log),
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, shallow{ln}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	g.stop = cancel
	g.url = "http://" + ln.Addr().String()
}

// connectionBuffer is the size, in bytes, of the socket buffer at each end of a connection.
// By default, the kernel buffers megabytes.
const connectionBuffer = 64 << 10

// shallow is a listener whose connections have small write buffers.
type shallow struct{ net.Listener }

// Accept implements net.Listener.
func (l shallow) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(connectionBuffer))
	}
	return conn, err
}

// get sends a GET request as the proxy does, and returns the status and body of the
// response.
func (g *gateway) get(t *testing.T, path string, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g.do(t, request, header...)
}

// do sends a request as the proxy does, and returns the status and body of the response.
func (g *gateway) do(t *testing.T, request *http.Request, header ...string) (int, string) {
	t.Helper()
	status, body, _ := g.exchange(t, request, header...)
	return status, body
}

// exchange sends a request as the proxy does, and returns the status, body and headers of
// the response.
func (g *gateway) exchange(t *testing.T, request *http.Request, header ...string) (int, string, http.Header) {
	t.Helper()
	request.Header.Set("X-Forwarded-Proto", "https")
	request.Header.Set("x-api-key", g.key)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	request.Close = true
	r := roundTrip(t, request)
	return r.status, r.body, r.header
}

// roundTrip sends a request and returns the response.
func roundTrip(t *testing.T, request *http.Request) reply {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

// answer starts a document service in which h implements documentapi.Get.
func (g *gateway) answer(t *testing.T, h func(context.Context) (documentapi.Document, error)) {
	t.Helper()
	server, err := bustest.Connect(t, g.nats, "document").Serve("document", "1.0.0", 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	err = bus.Handle(server, documentapi.Get, func(ctx context.Context, _ contract.Principal, _ documentapi.GetRequest) (documentapi.Document, error) {
		return h(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBehindProxy(t *testing.T) {
	g := serve(t)
	if status, body := g.get(t, "/v2/me"); status != 200 {
		t.Errorf("through the proxy: %d %s", status, body)
	}
	for _, proto := range []string{"http", "", "HTTPS", "https, http"} {
		if status, body := g.get(t, "/v2/me", "X-Forwarded-Proto", proto); status != 426 || !strings.Contains(body, `"code":1003`) {
			t.Errorf("X-Forwarded-Proto %q: %d %s", proto, status, body)
		}
	}
	if status, _ := g.get(t, "/docs", "X-Forwarded-Proto", "http"); status != 426 {
		t.Errorf("the documentation without TLS: %d", status)
	}
	if status, _ := g.get(t, "/livez", "X-Forwarded-Proto", "http"); status != 200 {
		t.Errorf("a probe without TLS: %d", status)
	}
	stranger := serve(t, "GATEWAY_TRUSTED_PROXIES=192.0.2.0/24")
	if status, body := stranger.get(t, "/v2/me"); status != 426 {
		t.Errorf("from an untrusted network: %d %s", status, body)
	}
}

// TestClientAddress checks that failed keys are counted by the address of the client and not
// of the proxy, and that a client cannot fake its address.
func TestClientAddress(t *testing.T) {
	g := serve(t, "GATEWAY_FAILED_KEYS=2")
	bad := func(forwarded string) int {
		status, _ := g.get(t, "/v2/me", "x-api-key", "x", "X-Forwarded-For", forwarded)
		return status
	}
	for _, step := range []struct {
		forwarded string
		want      int
	}{
		{"198.51.100.1", 403}, {"198.51.100.1", 403}, {"198.51.100.1", 429}, {"198.51.100.2", 403},
		{"1.2.3.4, 198.51.100.1", 429}, {"198.51.100.1, 10.0.0.7", 429}, {"198.51.100.3, garbage", 403},
	} {
		if got := bad(step.forwarded); got != step.want {
			t.Errorf("X-Forwarded-For %q: %d, want %d", step.forwarded, got, step.want)
		}
	}
}

func TestServiceErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		fail         func(context.Context) error
		status, code int
	}{
		"an internal error": {func(context.Context) error { return errors.New("secret") }, 500, 5000},
		"a panic":           {func(context.Context) error { panic("secret") }, 500, 5000},
		"not found":         {func(context.Context) error { return problem.New(problem.DocumentNotFound, "No.") }, 404, 4001},
		"no version":        {func(context.Context) error { return problem.New(problem.VersionNotFound, "No.") }, 404, 4002},
		"a conflict":        {func(context.Context) error { return problem.New(problem.IdempotencyConflict, "No.") }, 409, 4009},
		"unavailable":       {func(context.Context) error { return problem.New(problem.Unavailable, "No.").After(time.Second) }, 503, 5003},
		"an unknown code":   {func(context.Context) error { return problem.New(problem.Code(1234), "No.") }, 500, 1234},
	} {
		t.Run(name, func(t *testing.T) {
			g := serve(t)
			g.answer(t, func(ctx context.Context) (documentapi.Document, error) { return documentapi.Document{}, tc.fail(ctx) })
			status, body := g.get(t, "/v2/documents/x")
			if status != tc.status || !strings.Contains(body, fmt.Sprintf(`"code":%d`, tc.code)) || strings.Contains(body, "secret") {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
	t.Run("no answer in time", func(t *testing.T) {
		g := serve(t, "GATEWAY_BUDGET=200ms")
		g.answer(t, func(ctx context.Context) (documentapi.Document, error) {
			<-ctx.Done()
			return documentapi.Document{}, ctx.Err()
		})
		if status, body := g.get(t, "/v2/documents/x"); status != 504 || !strings.Contains(body, `"code":5004`) {
			t.Errorf("got %d %s", status, body)
		}
	})
	g := serve(t)
	if status, body := g.get(t, "/v2/documents/x"); status != 503 || !strings.Contains(body, "document service is not running") {
		t.Errorf("without the service: %d %s", status, body)
	}
	g.nats.Stop()
	patience.Until(t, "the loss of the bus is noticed", func() bool { // until then, requests wait for replies
		status, _ := g.get(t, "/readyz")
		return status == 503
	})
	if status, body := g.get(t, "/v2/documents/x"); status != 503 {
		t.Errorf("without the bus: %d %s", status, body)
	}
	if status, body := g.get(t, "/readyz"); status != 503 || strings.Contains(body, "NATS") {
		t.Errorf("readiness without the bus: %d %s", status, body)
	}
}

// TestShutdownBeforeItBegins shuts down servers right after they were started.
func TestShutdownBeforeItBegins(t *testing.T) {
	for range 20 {
		serve(t) // the cleanup shuts it down
	}
}

func TestConfigRefusals(t *testing.T) {
	valid := []string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8"}
	for variables, want := range map[string]string{
		"GATEWAY_PUBLIC_URL=http://x": "GATEWAY_PUBLIC_URL", "GATEWAY_PUBLIC_URL=https://x/v2": "GATEWAY_PUBLIC_URL", "GATEWAY_DOCS_URL=docs": "GATEWAY_DOCS_URL",
		"GATEWAY_TLS=off": "GATEWAY_TLS must be", "GATEWAY_TLS=self": "GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE must be set",
		"GATEWAY_TLS=self GATEWAY_TLS_CERT_FILE=/nowhere":                               "GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE must be set",
		"GATEWAY_TLS=self GATEWAY_TLS_CERT_FILE=/nowhere GATEWAY_TLS_KEY_FILE=/nowhere": "GATEWAY_TLS_CERT_FILE, GATEWAY_TLS_KEY_FILE: open /nowhere",
		"GATEWAY_TRUSTED_PROXIES=":                                                      "GATEWAY_TRUSTED_PROXIES must name", "GATEWAY_TRUSTED_PROXIES=10.0.0.1": "is not a network", "GATEWAY_BODY_MEMORY=1": "GATEWAY_BODY_MEMORY",
		"GATEWAY_MAX_BODY=0": "GATEWAY_MAX_BODY must", "GATEWAY_MAX_ANNOTATE_BODY=-1": "GATEWAY_MAX_ANNOTATE_BODY must",
		"GATEWAY_BUDGET=0s": "GATEWAY_BUDGET must", "GATEWAY_BUDGET=soon": "duration", "GATEWAY_LONG_BUDGET=0s": "GATEWAY_LONG_BUDGET must",
		"GATEWAY_READ_TIMEOUT=0s": "GATEWAY_READ_TIMEOUT must", "GATEWAY_WRITE_TIMEOUT=-1s": "GATEWAY_WRITE_TIMEOUT must", "GATEWAY_IDLE_TIMEOUT=0s": "GATEWAY_IDLE_TIMEOUT must",
		"GATEWAY_MAX_CONNECTIONS=0": "GATEWAY_MAX_CONNECTIONS must", "GATEWAY_FAILED_KEYS=0": "GATEWAY_FAILED_KEYS must",
		"GATEWAY_DRAIN_DELAY=-1s": "GATEWAY_DRAIN_DELAY must", "GATEWAY_SHUTDOWN_GRACE=0s": "GATEWAY_SHUTDOWN_GRACE must",
		"GATEWAY_MAX_BODDY=1": "did you mean GATEWAY_MAX_BODY",
	} {
		var cfg httpapi.Config
		err := config.Load(append(slices.Clone(valid), strings.Fields(variables)...), "GATEWAY_", &cfg)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") != 1 {
			t.Errorf("%s: %v", variables, err)
		}
	}
	var cfg httpapi.Config
	if err := config.Load(valid, "GATEWAY_", &cfg); err != nil {
		t.Error(err)
	}
}

// TestCertificateIsMissing uses a certificate that has disappeared since the configuration
// was validated.
func TestCertificateIsMissing(t *testing.T) {
	var cfg httpapi.Config
	if err := config.Load([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8"}, "", &cfg); err != nil {
		t.Fatal(err)
	}
	cfg.TLS, cfg.CertFile, cfg.KeyFile = "self", "/nowhere", "/nowhere"
	g := serve(t)
	server, err := httpapi.New(cfg, httpapi.Deps{Telemetry: fresh(t), Bus: bustest.Connect(t, g.nats, "gateway")})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "GATEWAY_TLS_CERT_FILE") {
		t.Errorf("Serve: %v", err)
	}
	if conn, err := tls.Dial("tcp", ln.Addr().String(), nil); err == nil {
		_ = conn.Close()
		t.Error("the listener is still open")
	}
}

func fresh(t *testing.T) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.New(t.Context(), "gateway", telemetry.Config{LogLevel: 12}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return tel
}

// TestPanics lets the directory of users panic: this request and the next one get an error
// response.
func TestPanics(t *testing.T) {
	var cfg httpapi.Config
	if err := config.Load([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8"}, "", &cfg); err != nil {
		t.Fatal(err)
	}
	g := serve(t)
	g.start(t, cfg, panicking{})
	for range 2 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v2/documents",
			strings.NewReader(`{"name":"x","files":[{"name":"a.docx","type":"a/b"}],"created_by":"u"}`))
		if err != nil {
			t.Fatal(err)
		}
		if status, body := g.do(t, request); status != 500 || !strings.Contains(body, `"code":5000`) || strings.Contains(body, "secret") {
			t.Errorf("got %d %s", status, body)
		}
	}
}

type panicking struct{ identity.Directory }

func (panicking) FindUser(context.Context, string, string) (contract.User, error) { panic("secret") }
