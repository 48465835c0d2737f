package bus_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// forwarding is an instance of a service whose requests are queued for workers.
type forwarding struct {
	t      *testing.T
	server *bus.Server
	queue  *bus.Requests
}

// newForwarding starts an instance on n with a limit of queued requests.
func newForwarding(t *testing.T, n *natsserver.Server, limit int64) *forwarding {
	t.Helper()
	return newForwardingOn(t, bustest.Connect(t, n, "test"), limit)
}

// newForwardingOn is newForwarding with the connection of the instance.
func newForwardingOn(t *testing.T, conn *bus.Conn, limit int64) *forwarding {
	t.Helper()
	server, err := conn.Serve("test", "1.0.0", 10)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := conn.OpenRequests(t.Context(), "test.upper", limit, ackWait())
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Forward(server, upper, queue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = server.Shutdown(ctx)
		_ = queue.Close()
	})
	return &forwarding{t, server, queue}
}

// handler answers a request.
type handler func(context.Context, contract.Principal, contract.Stream) (contract.Stream, error)

// take answers one request with h. It waits for the request.
func (f *forwarding) take(h handler) {
	f.t.Helper()
	if !f.takeWithin(patience.Context(f.t), h) {
		f.t.Error("no request arrived")
	}
}

// takeWithin answers one request with h, unless ctx ends before one arrives. It reports
// whether one arrived.
func (f *forwarding) takeWithin(ctx context.Context, h handler) bool {
	f.t.Helper()
	for ctx.Err() == nil {
		taken, err := bus.Take(f.t.Context(), f.server, f.queue, h)
		if err != nil {
			f.t.Error(err)
		}
		if taken || err != nil {
			return true
		}
		select {
		case <-f.queue.Woken():
		case <-time.After(10 * time.Millisecond):
		}
	}
	return false
}

// toUpper replies with the body in capitals.
func toUpper(_ context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error) {
	text, err := io.ReadAll(body.Body)
	if err != nil {
		return contract.Stream{}, err
	}
	if p.Organization != principal.Organization {
		return contract.Stream{}, errors.New("another principal")
	}
	return contract.Stream{Body: bytes.NewReader(bytes.ToUpper(text)), Size: -1}, nil
}

// ask sends a request and returns the reply.
func ask(ctx context.Context, c *bus.Conn, text string) (string, error) {
	answer, err := bus.Call(ctx, c, upper, principal, contract.Stream{Body: strings.NewReader(text), Size: int64(len(text))})
	if err != nil {
		return "", err
	}
	defer answer.Close()
	got, err := io.ReadAll(answer.Body)
	return string(got), err
}

// TestForward queues requests for the workers of two instances: small requests, requests
// whose body travels as a claim check, and requests that fail.
func TestForward(t *testing.T) {
	n := bustest.Server(t)
	a, b := newForwarding(t, n, 10), newForwarding(t, n, 10)
	caller := bustest.Connect(t, n, "caller")
	for _, text := range []string{"small", strings.Repeat("large", 200_000)} {
		for _, worker := range []*forwarding{a, b} { // whichever instance received it
			var wg sync.WaitGroup
			wg.Go(func() { worker.take(toUpper) })
			if got, err := ask(t.Context(), caller, text); err != nil || got != strings.ToUpper(text) {
				t.Errorf("the reply is %.20q, %v", got, err)
			}
			wg.Wait()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		b.take(func(context.Context, contract.Principal, contract.Stream) (contract.Stream, error) {
			return contract.Stream{}, problem.New(problem.InvalidRequest, "No.")
		})
	})
	if _, err := ask(t.Context(), caller, "x"); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("the error is %v", err)
	}
	wg.Wait()
	if taken, err := bus.Take(t.Context(), a.server, a.queue, toUpper); taken || err != nil {
		t.Errorf("got one more request: %v, %v", taken, err)
	}
}

// TestWakeupsSuffice shows that wakeups, and not polling, start the work: each request wakes a
// worker that takes it. A server without processor time can offer a request after the last repeat of
// its wakeup. The workers therefore poll every few seconds, and count the requests that only polling
// found: none on an idle machine, 2 next to eight busy processes, and all without wakeups.
func TestWakeupsSuffice(t *testing.T) {
	const requests, mostPolled = 1000, 10
	n := bustest.Server(t)
	f := newForwarding(t, n, 10)
	ctx, stop := context.WithCancel(t.Context())
	var polled atomic.Int32
	var workers sync.WaitGroup
	defer workers.Wait()
	defer stop()
	for range 2 {
		workers.Go(func() {
			poll := time.NewTicker(patience.Limit() / 20)
			defer poll.Stop()
			for polls := false; ctx.Err() == nil; {
				taken, err := bus.Take(t.Context(), f.server, f.queue, toUpper)
				if err != nil {
					t.Error(err)
				}
				if taken {
					if polls {
						polled.Add(1)
					}
					polls = false
					continue
				}
				select {
				case <-f.queue.Woken():
					polls = false
				case <-poll.C:
					polls = true
				case <-ctx.Done():
				}
			}
		})
	}
	caller := bustest.Connect(t, n, "caller")
	for answered := 0; answered < requests; {
		once, cancel := context.WithTimeout(ctx, patience.Limit())
		got, err := ask(once, caller, "a request")
		cancel()
		if problem.Is(err, problem.Unavailable) { // the last requests are not acknowledged yet
			continue
		}
		if err != nil || got != "A REQUEST" {
			t.Fatalf("got %q, %v", got, err)
		}
		answered++
		if late := polled.Load(); late > mostPolled {
			t.Fatalf("%d of %d requests waited until a worker polled, want at most %d", late, answered, mostPolled)
		}
	}
}

// TestForwardLimits fills the queue, and leaves a request in it for longer than its
// caller waits.
func TestForwardLimits(t *testing.T) {
	n := bustest.Server(t)
	f := newForwarding(t, n, 1)
	caller := bustest.Connect(t, n, "caller")
	patience.Grow(t, 500*time.Millisecond, func(wait time.Duration) (full bool) {
		short, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		ended := make(chan error, 1)
		go func() { // it is queued, or finds one of the requests below in the queue
			_, err := ask(short, caller, "first")
			ended <- err
		}()
		for short.Err() == nil && !full {
			once, cancel := context.WithTimeout(t.Context(), wait/5)
			_, err := ask(once, caller, "second")
			cancel()
			full = problem.Is(err, problem.Unavailable)
		}
		if err := <-ended; !problem.Is(err, problem.TimedOut) && !problem.Is(err, problem.Unavailable) {
			t.Errorf("the first request: %v", err)
		}
		return full
	})
	patience.Until(t, "the request of the gone caller is dropped", func() bool {
		asked, done := context.WithCancel(t.Context())
		var taking sync.WaitGroup
		taking.Go(func() {
			for asked.Err() == nil { // the dropped request may be taken first
				f.takeWithin(asked, toUpper)
			}
		})
		got, err := ask(patience.Context(t), caller, "third")
		done()
		taking.Wait()
		return err == nil && got == "THIRD"
	})
}

// TestForwardedWorkerDies has a worker fall silent: another one takes the request.
func TestForwardedWorkerDies(t *testing.T) {
	n := bustest.Server(t)
	conn := bustest.Connect(t, n, "first")
	dying, err := conn.OpenRequests(t.Context(), "test.upper", 10, ackWait())
	if err != nil {
		t.Fatal(err)
	}
	server, err := conn.Serve("dying", "1.0.0", 1)
	if err != nil {
		t.Fatal(err)
	}
	f := newForwarding(t, n, 10)
	caller := bustest.Connect(t, n, "caller")
	var wg sync.WaitGroup
	wg.Go(func() {
		if got, err := ask(t.Context(), caller, "x"); err != nil || got != "X" {
			t.Errorf("the reply is %q, %v", got, err)
		}
	})
	took := false
	patience.Until(t, "the request is taken", func() bool {
		_, err := bus.Take(t.Context(), server, dying, func(ctx context.Context, _ contract.Principal, _ contract.Stream) (contract.Stream, error) {
			took = true
			_ = conn.Close() // so that neither the reply nor the acknowledgement is sent
			return contract.Stream{}, errors.New("dying")
		})
		return took && err != nil
	})
	f.take(toUpper)
	wg.Wait()
	_ = server.Shutdown(t.Context()) // its connection is closed
}
