package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

type message struct {
	Text string `json:"text"`
}

var (
	echo      = contract.Endpoint[message, message]{Service: "test", Name: "echo"}
	upper     = contract.Endpoint[contract.Stream, contract.Stream]{Service: "test", Name: "upper"}
	principal = contract.Principal{
		Organization: "org_1", Key: "key_1", Scopes: []contract.Scope{contract.ScopeAll},
		User: contract.User{ID: "user_1", Email: "zoë@example.com", Name: "Zoë \r\n\u2028 Ünal"},
	}
)

// serve starts a service with h behind echo, and returns a caller and the server.
func serve(t *testing.T, pool int, h func(context.Context, contract.Principal, message) (message, error)) (*bus.Conn, *bus.Server) {
	t.Helper()
	n := bustest.Server(t)
	s := newServer(t, n, pool)
	if err := bus.Handle(s, echo, h); err != nil {
		t.Fatal(err)
	}
	return bustest.Connect(t, n, "caller"), s
}

func newServer(t *testing.T, n *natsserver.Server, pool int) *bus.Server {
	t.Helper()
	return serveOn(t, bustest.Connect(t, n, "test"), pool)
}

// serveOn announces a service without endpoints on a connection.
func serveOn(t *testing.T, conn *bus.Conn, pool int) *bus.Server {
	t.Helper()
	s, err := conn.Serve("test", "1.0.0", pool)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

func TestCallCarriesRequestContext(t *testing.T) {
	c, _ := serve(t, 4, func(ctx context.Context, p contract.Principal, m message) (message, error) {
		if fmt.Sprint(p) != fmt.Sprint(principal) {
			t.Errorf("principal is %+v, want %+v", p, principal)
		}
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the deadline did not travel")
		}
		return message{m.Text + " " + telemetry.RequestID(ctx)}, nil
	})
	got, err := bus.Call(telemetry.WithRequestID(patience.Context(t), "req_7"), c, echo, principal, message{"hello"})
	if err != nil || got.Text != "hello req_7" {
		t.Fatalf("got %q, %v", got.Text, err)
	}
}

// TestMembersOfLaterVersions checks that a service and its caller ignore members that only
// the other one knows, so that one of them can be upgraded first.
func TestMembersOfLaterVersions(t *testing.T) {
	type later struct {
		Text  string   `json:"text"`
		Added []string `json:"added"`
	}
	n := bustest.Server(t)
	s := newServer(t, n, 4)
	c := bustest.Connect(t, n, "caller")
	check := func(what, text string, err error) {
		if text != "hello" || err != nil {
			t.Errorf("%s: got %q, %v", what, text, err)
		}
	}
	err := errors.Join(
		bus.Handle(s, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }),
		bus.Handle(s, contract.Endpoint[message, later]{Service: "test", Name: "later"}, func(_ context.Context, _ contract.Principal, m message) (later, error) {
			return later{m.Text, []string{"new"}}, nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	byLater := contract.Endpoint[later, message]{Service: "test", Name: echo.Name}
	got, err := bus.Call(patience.Context(t), c, byLater, principal, later{"hello", []string{"new"}})
	check("a later caller", got.Text, err)
	ofLater := contract.Endpoint[message, message]{Service: "test", Name: "later"}
	got, err = bus.Call(patience.Context(t), c, ofLater, principal, message{"hello"})
	check("a later service", got.Text, err)
}

func TestErrorsArriveUnchanged(t *testing.T) {
	want := problem.New(problem.DocumentNotFound, "No document %s.", "doc_1").After(3 * time.Second).Because(errors.New("secret"))
	want.Entries = []problem.Entry{problem.Required("name")}
	big := problem.New(problem.InvalidRequest, "Big.")
	for range 1000 {
		big.Entries = append(big.Entries, problem.Unparsable("x", problem.CodeInvalidType, "an integer", strings.Repeat("y", 1000)))
	}
	for _, tc := range []struct {
		name  string
		fail  func() error
		check func(*problem.Error) bool
	}{
		{"a problem", func() error { return fmt.Errorf("wrapped: %w", want) }, func(e *problem.Error) bool {
			return e.Code == want.Code && e.Detail == want.Detail && e.RetryAfter == want.RetryAfter && len(e.Entries) == 1 && e.Entries[0].Path == "name"
		}},
		{"another error", func() error { return errors.New("secret") }, func(e *problem.Error) bool { return e.Code == problem.Internal }},
		{"a panic", func() error { panic("secret") }, func(e *problem.Error) bool { return e.Code == problem.Internal }},
		{"a deadline", func() error { return context.DeadlineExceeded }, func(e *problem.Error) bool { return e.Code == problem.TimedOut }},
		{"an error too large for a message", func() error { return big }, func(e *problem.Error) bool {
			return e.Code == problem.InvalidRequest && e.Detail == "Big." && len(e.Entries) == 1000 && e.Entries[999].Path == "x"
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := serve(t, 4, func(context.Context, contract.Principal, message) (message, error) { return message{}, tc.fail() })
			_, err := bus.Call(patience.Context(t), c, echo, principal, message{})
			var e *problem.Error
			if !errors.As(err, &e) || !tc.check(e) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the cause left the process: %v", err)
			}
		})
	}
}

func TestCallWithoutReply(t *testing.T) {
	n := bustest.Server(t)
	c := bustest.Connect(t, n, "caller")
	if _, err := bus.Call(patience.Context(t), c, echo, principal, message{}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("no responder: got %v, want 5003", err)
	}

	block := make(chan struct{})
	defer close(block)
	if err := bus.Handle(newServer(t, n, 4), echo, func(context.Context, contract.Principal, message) (message, error) {
		<-block
		return message{}, nil
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := bus.Call(ctx, c, echo, principal, message{}); !problem.Is(err, problem.TimedOut) {
		t.Errorf("no reply in time: got %v, want 5004", err)
	}
	n.Stop()
	patience.Until(t, "the caller notices that the server is gone", func() bool { return c.Check(t.Context()) != nil })
	if _, err := bus.Call(patience.Context(t), c, echo, principal, message{}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("no server: got %v, want 5003", err)
	}
	if c.Check(t.Context()) == nil {
		t.Error("Check returns nil without a server")
	}
}

func TestPoolLimitsConcurrentHandlers(t *testing.T) {
	const pool = 8
	var inside sync.WaitGroup
	inside.Add(pool)
	release := make(chan struct{})
	c, _ := serve(t, pool, func(context.Context, contract.Principal, message) (message, error) {
		inside.Done()
		<-release
		return message{}, nil
	})
	results := make(chan error, pool)
	for range pool {
		go func() {
			_, err := bus.Call(patience.Context(t), c, echo, principal, message{})
			results <- err
		}()
	}
	answer := sync.OnceFunc(func() { close(release) })
	defer answer()
	waitUnlessFailed(t, &inside, results)
	if _, err := bus.Call(patience.Context(t), c, echo, principal, message{}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("with a full pool: got %v, want 5003", err)
	}
	answer()
	for range pool {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// TestRefusedRequestIsResent fills a pool until a request was refused. The caller resends
// it, with its payload, and gets the reply.
func TestRefusedRequestIsResent(t *testing.T) {
	for name, text := range map[string]string{"small": "payload", "claim check": strings.Repeat("payload", 1<<20)} {
		t.Run(name, func(t *testing.T) {
			n := bustest.Server(t)
			tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, t.Output())
			if err != nil {
				t.Fatal(err)
			}
			conn, err := bus.Connect(patience.Context(t), "test", bustest.Config(), tel, n.Option())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			s := serveOn(t, conn, 1)
			inside, release := make(chan struct{}), make(chan struct{})
			answer := sync.OnceFunc(func() { close(release) })
			defer answer()
			err = bus.Handle(s, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) {
				if m.Text == "first" {
					close(inside)
					<-release
				}
				return m, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			c, results := bustest.Connect(t, n, "caller"), make(chan error, 2)
			send := func(text string) {
				got, err := bus.Call(patience.Context(t), c, echo, principal, message{text})
				if err == nil && got.Text != text {
					err = fmt.Errorf("got %d bytes back, want all %d", len(got.Text), len(text))
				}
				results <- err
			}
			go send("first")
			<-inside
			go send(text)
			patience.Until(t, "a request is refused", func() bool { return refused(t, tel) > 0 })
			answer()
			if err := errors.Join(<-results, <-results); err != nil {
				t.Error(err)
			}
		})
	}
}

// refused returns how many requests were refused because a pool was full.
func refused(t *testing.T, tel *telemetry.Telemetry) (n float64) {
	t.Helper()
	families, err := tel.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "recto_bus_requests_rejected_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			n += m.GetCounter().GetValue()
		}
	}
	return n
}

// waitUnlessFailed waits until all requests have reached their handlers. If one fails
// before that, as on a busy machine, it never would, so the test fails.
func waitUnlessFailed(t *testing.T, inside *sync.WaitGroup, results <-chan error) {
	t.Helper()
	all := make(chan struct{})
	go func() {
		inside.Wait()
		close(all)
	}()
	select {
	case <-all:
	case err := <-results:
		t.Fatalf("a request ended before all had reached their handlers: %v", err)
	}
}

func TestShutdownAnswersAcceptedRequests(t *testing.T) {
	const requests = 8
	var begun sync.WaitGroup
	begun.Add(requests)
	release := make(chan struct{})
	c, s := serve(t, requests, func(_ context.Context, _ contract.Principal, m message) (message, error) {
		begun.Done()
		<-release
		return m, nil
	})
	results := make(chan error, requests)
	for i := range requests {
		size := 1
		if i%4 == 0 {
			size = 300 << 10 // a claim check in both directions
		}
		go func() {
			_, err := bus.Call(patience.Context(t), c, echo, principal, message{strings.Repeat("x", size)})
			results <- err
		}()
	}
	answer := sync.OnceFunc(func() { close(release) })
	defer answer()
	waitUnlessFailed(t, &begun, results)
	down := make(chan error, 1)
	go func() { down <- s.Shutdown(patience.Context(t)) }()
	for { // until the service accepts no new requests
		if _, err := bus.Call(patience.Context(t), c, echo, principal, message{}); problem.Is(err, problem.Unavailable) {
			break
		}
	}
	select {
	case err := <-down:
		t.Fatalf("Shutdown returned before its requests were answered: %v", err)
	default:
	}
	answer()
	if err := <-down; err != nil {
		t.Error(err)
	}
	for range requests {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestClaimCheck(t *testing.T) {
	n := bustest.Server(t)
	s := newServer(t, n, 4)
	if err := bus.Handle(s, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	if err := bus.Handle(s, upper, func(_ context.Context, _ contract.Principal, in contract.Stream) (contract.Stream, error) {
		data, err := io.ReadAll(in.Body)
		return contract.Stream{Body: bytes.NewReader(bytes.ToUpper(data))}, err
	}); err != nil {
		t.Fatal(err)
	}
	c := bustest.Connect(t, n, "caller")
	for _, size := range []int{0, 1, 200 << 10, 256 << 10, 256<<10 + 1, 3 << 20} {
		text := strings.Repeat("a", size)
		got, err := bus.Call(patience.Context(t), c, echo, principal, message{text})
		if err != nil || got.Text != text {
			t.Errorf("JSON of %d bytes: got %d bytes, %v", size, len(got.Text), err)
		}
		reply, err := bus.Call(patience.Context(t), c, upper, principal, contract.Stream{Body: strings.NewReader(text)})
		if err != nil {
			t.Errorf("stream of %d bytes: %v", size, err)
			continue
		}
		data, err := io.ReadAll(reply.Body)
		if err != nil || string(data) != strings.ToUpper(text) || reply.Size != int64(size) {
			t.Errorf("stream of %d bytes: got %d bytes, size %d, %v", size, len(data), reply.Size, err)
		}
		if err := reply.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := claims(t, n); left != 0 {
		t.Errorf("%d claim chunks were left behind", left)
	}
}

func TestClaimCheckRefusals(t *testing.T) {
	n := bustest.Server(t)
	tel, err := telemetry.New(t.Context(), "caller", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	cfg := bustest.Config()
	cfg.ClaimBytes = 1 << 20
	c, err := bus.Connect(t.Context(), "caller", cfg, tel, n.Option())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	_, err = bus.Call(patience.Context(t), c, upper, principal, contract.Stream{Body: strings.NewReader(strings.Repeat("a", 2<<20))})
	if !problem.Is(err, problem.Unavailable) {
		t.Errorf("a full store: got %v, want 5003", err)
	}
	broken := problem.New(problem.TooLarge, "Too large.")
	_, err = bus.Call(patience.Context(t), c, upper, principal, contract.Stream{Body: io.MultiReader(strings.NewReader(strings.Repeat("a", 300<<10)), failingReader{broken})})
	if !problem.Is(err, problem.TooLarge) {
		t.Errorf("a failing body: got %v, want 3004", err)
	}
	_, err = bus.Call(patience.Context(t), c, upper, principal, contract.Stream{Body: io.MultiReader(strings.NewReader(strings.Repeat("a", 300<<10)), failingReader{io.ErrUnexpectedEOF})})
	if !problem.Is(err, problem.Internal) {
		t.Errorf("a truncated body: got %v, want the reader's error", err)
	}
	_, err = bus.Call(patience.Context(t), c, upper, principal, contract.Stream{Body: strings.NewReader(strings.Repeat("a", 300<<10))})
	if !problem.Is(err, problem.Unavailable) {
		t.Errorf("no service to redeem the claim: got %v, want 5003", err)
	}
	if left := claims(t, n); left != 0 {
		t.Errorf("%d claim chunks were left behind", left)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// claims returns the number of stored claim chunks.
func claims(t *testing.T, n *natsserver.Server) int {
	t.Helper()
	nc, err := nats.Connect("", n.Option())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "CLAIMS")
	if err != nil {
		t.Fatal(err)
	}
	return int(stream.CachedInfo().State.Msgs)
}
