package bus_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/natsserver"
	"github.com/rectohq/recto/libs/problem"
)

// forwarding is an instance of a service whose requests wait for workers.
type forwarding struct {
	t      *testing.T
	server *bus.Server
	queue  *bus.Requests
}

// newForwarding starts an instance over n, with the limit of requests that wait.
func newForwarding(t *testing.T, n *natsserver.Server, limit int64) *forwarding {
	t.Helper()
	conn := bustest.Connect(t, n, "test")
	server, err := conn.Serve("test", "1.0.0", 10)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := conn.OpenRequests(t.Context(), "test.upper", limit, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Forward(server, upper, queue); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
		_ = queue.Close()
	})
	return &forwarding{t, server, queue}
}

// take answers requests with h until one was there.
func (f *forwarding) take(h func(context.Context, contract.Principal, contract.Stream) (contract.Stream, error)) {
	f.t.Helper()
	for range 1000 {
		taken, err := bus.Take(f.t.Context(), f.server, f.queue, h)
		if err != nil {
			f.t.Error(err)
			return
		}
		if taken {
			return
		}
		select {
		case <-f.queue.Woken():
		case <-time.After(10 * time.Millisecond):
		}
	}
	f.t.Error("there was no request")
}

// toUpper answers with the body in capitals.
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

// ask sends a request and returns the answer.
func ask(ctx context.Context, c *bus.Conn, text string) (string, error) {
	answer, err := bus.Call(ctx, c, upper, principal, contract.Stream{Body: strings.NewReader(text), Size: int64(len(text))})
	if err != nil {
		return "", err
	}
	defer answer.Close()
	got, err := io.ReadAll(answer.Body)
	return string(got), err
}

// TestForward lets requests wait for the workers of two instances, small ones
// and those whose body travels as a claim check, and errors come back.
func TestForward(t *testing.T) {
	n := bustest.Server(t)
	a, b := newForwarding(t, n, 10), newForwarding(t, n, 10)
	caller := bustest.Connect(t, n, "caller")
	for _, text := range []string{"small", strings.Repeat("large", 200_000)} {
		for _, worker := range []*forwarding{a, b} { // whichever has received it
			var wg sync.WaitGroup
			wg.Go(func() { worker.take(toUpper) })
			if got, err := ask(t.Context(), caller, text); err != nil || got != strings.ToUpper(text) {
				t.Errorf("the answer is %.20q, %v", got, err)
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
		t.Errorf("there is one more request: %v, %v", taken, err)
	}
}

// TestForwardLimits fills the queue, and lets a request wait for longer than its
// caller does.
func TestForwardLimits(t *testing.T) {
	n := bustest.Server(t)
	f := newForwarding(t, n, 1)
	caller := bustest.Connect(t, n, "caller")
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		// It waits, or finds one of those below waiting.
		if _, err := ask(short, caller, "first"); !problem.Is(err, problem.TimedOut) && !problem.Is(err, problem.Unavailable) {
			t.Errorf("the first: %v", err)
		}
	})
	eventually(t, "the queue being full", func() bool {
		once, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := ask(once, caller, "second")
		return problem.Is(err, problem.Unavailable)
	})
	wg.Wait()
	eventually(t, "the request being gone whose caller is", func() bool {
		once, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		wg.Go(func() { f.take(toUpper) })
		got, err := ask(once, caller, "third")
		wg.Wait()
		return err == nil && got == "THIRD"
	})
}

// TestForwardedWorkerDies lets a worker be silent: another one takes the
// request.
func TestForwardedWorkerDies(t *testing.T) {
	n := bustest.Server(t)
	conn := bustest.Connect(t, n, "first")
	dying, err := conn.OpenRequests(t.Context(), "test.upper", 10, time.Second)
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
			t.Errorf("the answer is %q, %v", got, err)
		}
	})
	took := false
	eventually(t, "the request being taken", func() bool {
		_, err := bus.Take(t.Context(), server, dying, func(ctx context.Context, _ contract.Principal, _ contract.Stream) (contract.Stream, error) {
			took = true
			_ = conn.Close() // its answer, and that it is done, go nowhere
			return contract.Stream{}, errors.New("dying")
		})
		return took && err != nil
	})
	f.take(toUpper)
	wg.Wait()
	_ = server.Shutdown(t.Context()) // its connection is gone
}
