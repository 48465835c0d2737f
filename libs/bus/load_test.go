package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// load uses every feature of the bus at a low, steady rate. Everything that was accepted
// must be found at the end.
type load struct {
	t      *testing.T
	caller *bus.Conn
	queue  *bus.Queue // the caller's

	mu       sync.Mutex
	outcomes map[string]int            // number of calls by kind and outcome
	stored   map[string]map[string]int // accepted events and jobs, and how often each was delivered
	slowest  time.Duration

	working sync.WaitGroup
	stop    context.CancelFunc // stops the senders
	rest    context.CancelFunc // stops the receivers
}

// startLoad starts two instances of a service and a caller, each with its own connection.
func startLoad(t *testing.T, c *bustest.Cluster) *load {
	t.Helper()
	l := &load{t: t, outcomes: map[string]int{}, stored: map[string]map[string]int{"event": {}, "job": {}}}
	receiving, rest := context.WithCancel(context.Background())
	sending, stop := context.WithCancel(context.Background())
	l.stop, l.rest = stop, rest
	for range 2 {
		l.instance(receiving, c.Connect("test"))
	}
	l.caller = c.Connect("caller")
	l.queue = l.openQueue(l.caller)
	small, large := message{"small"}, message{strings.Repeat("large", 60<<10)}
	for _, sender := range []struct {
		every time.Duration
		send  func(ctx context.Context, n int)
	}{
		{20 * time.Millisecond, func(ctx context.Context, _ int) { l.call(ctx, "small", small) }},
		{250 * time.Millisecond, func(ctx context.Context, _ int) { l.call(ctx, "large", large) }},
		{200 * time.Millisecond, func(ctx context.Context, _ int) { l.forward(ctx) }},
		{100 * time.Millisecond, l.event},
		{100 * time.Millisecond, l.job},
	} {
		l.working.Go(func() {
			for n := 0; sending.Err() == nil; n++ {
				sender.send(context.Background(), n)
				time.Sleep(sender.every)
			}
		})
	}
	return l
}

func (l *load) openQueue(conn *bus.Conn) *bus.Queue {
	l.t.Helper()
	q, err := conn.OpenQueue(l.t.Context(), bus.QueueConfig{Name: "test", Limit: 10_000, AckWait: 2 * time.Second})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = q.Close() })
	return q
}

// instance answers calls and requests, runs jobs and consumes events until ctx ends.
func (l *load) instance(ctx context.Context, conn *bus.Conn) {
	l.t.Helper()
	server, err := conn.Serve("test", "1.0.0", 64)
	if err != nil {
		l.t.Fatal(err)
	}
	inline, err := conn.OpenRequests(l.t.Context(), "test.upper", 100, 2*time.Second)
	if err != nil {
		l.t.Fatal(err)
	}
	answer := func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }
	if err := errors.Join(bus.Handle(server, echo, answer), bus.Forward(server, upper, inline)); err != nil {
		l.t.Fatal(err)
	}
	stop, err := conn.Consume(l.t.Context(), "test", []string{"document.created"}, func(_ context.Context, e contract.Event) error {
		l.handedOut("event", e.ID)
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	queue := l.openQueue(conn)
	l.working.Go(func() { l.work(ctx, queue) })
	l.working.Go(func() {
		for ctx.Err() == nil {
			if taken, _ := bus.Take(ctx, server, inline, toUpper); !taken {
				time.Sleep(50 * time.Millisecond)
			}
		}
	})
	l.t.Cleanup(func() {
		stop()
		ctx, cancel := context.WithTimeout(context.Background(), patience.Limit())
		defer cancel()
		_ = errors.Join(server.Shutdown(ctx), inline.Close())
	})
}

// work runs jobs until ctx ends.
func (l *load) work(ctx context.Context, queue *bus.Queue) {
	for ctx.Err() == nil {
		d, _ := queue.TryNext(ctx)
		if d == nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		l.handedOut("job", d.ID)
		done, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_ = d.Done(done) // if this fails, the job is redelivered, unless only the acknowledgement was lost
		cancel()
	}
}

// call records the outcome of a call.
func (l *load) call(ctx context.Context, what string, m message) {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit())
	defer cancel()
	begin := time.Now()
	got, err := bus.Call(ctx, l.caller, echo, principal, m)
	if err == nil && got != m {
		err = errors.New("wrong reply")
	}
	l.ended(what, begin, err)
}

func (l *load) forward(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit())
	defer cancel()
	begin := time.Now()
	got, err := ask(ctx, l.caller, "text")
	if err == nil && got != "TEXT" {
		err = errors.New("wrong reply")
	}
	l.ended("forwarded", begin, err)
}

func (l *load) ended(what string, begin time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.outcomes[what+" answered"]++
		return
	}
	l.slowest = max(l.slowest, time.Since(begin))
	l.outcomes[fmt.Sprintf("%s failed: %v", what, err)]++
	if !problem.Is(err, problem.Unavailable) && !problem.Is(err, problem.TimedOut) {
		l.t.Errorf("a %s call fails: %v", what, err)
	}
}

// event publishes an event, retrying until it is accepted, as an outbox does.
func (l *load) event(ctx context.Context, n int) {
	id := fmt.Sprintf("event_%d", n)
	for {
		_, err := l.caller.PublishEvent(ctx, contract.Event{ID: id, Type: "document.created", Organization: "org_1", Subject: "doc_1", At: 1})
		if err == nil {
			break
		}
		l.t.Logf("publishing %s again: %v", id, err)
	}
	l.accepted("event", id)
}

// job publishes a job, retrying until it is accepted.
func (l *load) job(ctx context.Context, n int) {
	id := fmt.Sprintf("job_%d", n)
	for {
		err := l.queue.Publish(ctx, jobapi.Interactive, "org_1", id, "1")
		if err == nil {
			break
		}
		l.t.Logf("publishing %s again: %v", id, err)
	}
	l.accepted("job", id)
}

func (l *load) accepted(what, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored[what][id] += 0
}

func (l *load) handedOut(what, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored[what][id]++
}

// missing returns the IDs of accepted events and jobs that were not delivered.
func (l *load) missing() (ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, things := range l.stored {
		for id, times := range things {
			if times == 0 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// checkStored compares what the streams hold and held with what was accepted.
func (l *load) checkStored(js jetstream.JetStream) {
	l.t.Helper()
	patience.Until(l.t, "the queue is empty", func() bool { return inspect(l.t, js, "JOBS-TEST").State.Msgs == 0 })
	for name, what := range map[string]string{"EVENTS": "event", "JOBS-TEST": "job"} {
		last := inspect(l.t, js, name).State.LastSeq
		l.mu.Lock()
		if want := len(l.stored[what]); int(last) != want {
			l.t.Errorf("%s stored %d messages, want %d", name, last, want)
		}
		l.mu.Unlock()
	}
}
