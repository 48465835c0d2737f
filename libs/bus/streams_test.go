package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// publish publishes an event and returns its sequence number.
func publish(t *testing.T, c *bus.Conn, id, kind, subject string) uint64 {
	t.Helper()
	place, err := c.PublishEvent(t.Context(), contract.Event{ID: id, Type: kind, Organization: "org_1", Subject: subject, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// TestEvents delivers events to their consumers: events published before a consumer
// existed, published twice, of other types, and events whose handling fails at first.
func TestEvents(t *testing.T) {
	n := bustest.Server(t)
	publisher, a, b := bustest.Connect(t, n, "p"), bustest.Connect(t, n, "a"), bustest.Connect(t, n, "b")
	publish(t, publisher, "e1", "document.created", "doc_1")
	if first, again := publish(t, publisher, "e2", "document.purged", "doc_1"), publish(t, publisher, "e2", "document.purged", "doc_1"); first != again {
		t.Errorf("an event published twice is stored at %d and %d", first, again)
	}
	var mu sync.Mutex
	seen := map[string][]string{}
	consume := func(c *bus.Conn, name string, failures int) func() {
		stop, err := c.Consume(t.Context(), name, []string{"document.purged"}, func(_ context.Context, e contract.Event) error {
			mu.Lock()
			defer mu.Unlock()
			if failures--; failures >= 0 {
				return errors.New("not now")
			}
			seen[name] = append(seen[name], e.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	stopA, stopA2, stopB := consume(a, "a", 0), consume(b, "a", 0), consume(b, "b", 1)
	last := publish(t, publisher, "e3", "document.purged", "doc_2")
	patience.Until(t, "both consumers have both events", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen["a"]) == 2 && len(seen["b"]) == 2
	})
	patience.Until(t, "the last event is settled", func() bool {
		settled, err := publisher.EventSettled(t.Context(), "document.purged", last)
		if err != nil {
			t.Fatal(err)
		}
		return settled
	})
	mu.Lock()
	if want := []string{"e3", "e2"}; !slices.Equal(seen["b"], want) { // the first event failed at first and did not block the second
		t.Errorf("b has seen %v, want %v", seen["b"], want)
	}
	mu.Unlock()
	stopA()
	stopA2()
	stopB()
	place := publish(t, publisher, "e4", "document.purged", "doc_1")
	if settled, err := publisher.EventSettled(t.Context(), "document.purged", place); err != nil || settled {
		t.Errorf("an undelivered event is settled: %v, %v", settled, err)
	}
	if settled, err := publisher.EventSettled(t.Context(), "document.created", place); err != nil || !settled {
		t.Errorf("an event of a type without consumers is not settled: %v, %v", settled, err)
	}
	if err := publisher.ForgetEvents(t.Context(), "org_1", "doc_1"); err != nil {
		t.Fatal(err)
	}
	stopB = consume(b, "b", 0) // resumes where it stopped: nothing is left
	publish(t, publisher, "e5", "document.purged", "doc_3")
	patience.Until(t, "b has the event after the forgotten ones", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(seen["b"], "e5")
	})
	stopB()
	if slices.Contains(seen["b"], "e4") {
		t.Error("a forgotten event was delivered")
	}
}

func TestEventSubjects(t *testing.T) {
	c := bustest.Connect(t, bustest.Server(t), "p")
	for _, e := range []contract.Event{
		{Type: "document.created", Organization: "org_1"}, {Type: "document.created", Organization: "*", Subject: "x"},
		{Type: "document.created", Organization: "a.b", Subject: "x"}, {Type: "document.>", Organization: "a", Subject: "x"},
	} {
		if _, err := c.PublishEvent(t.Context(), e); err == nil {
			t.Errorf("%+v was published", e)
		}
	}
	if err := c.ForgetEvents(t.Context(), "org_1", ">"); err == nil {
		t.Error("the events of all subjects were forgotten")
	}
}

// ackWait is long enough for a test to handle a message on a busy machine, and short
// enough to let it expire.
func ackWait() time.Duration { return patience.Scale(5 * time.Second) }

// TestQueue delivers messages: the interactive lane first, each message once. A message is
// redelivered after AckWait, or after the delay that its worker asked for.
func TestQueue(t *testing.T) {
	n := bustest.Server(t)
	c := bustest.Connect(t, n, "a")
	q, err := c.OpenQueue(t.Context(), bus.QueueConfig{Name: "test", Limit: 4, AckWait: ackWait()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	put := func(lane jobapi.Lane, id string, try int) error {
		return q.Publish(t.Context(), lane, "org_1", id, strconv.Itoa(try))
	}
	for _, id := range []string{"b1", "b2"} {
		if err := errors.Join(put(jobapi.Bulk, id, 1), put(jobapi.Bulk, id, 1)); err != nil { // the second is a duplicate
			t.Fatal(err)
		}
	}
	if err := errors.Join(put(jobapi.Interactive, "i1", 1), put(jobapi.Interactive, "i1", 2)); err != nil { // the second is not
		t.Fatal(err)
	}
	if err := put(jobapi.Bulk, "b3", 1); err == nil {
		t.Error("the queue accepted more than its limit")
	}
	next := func() *bus.Delivery {
		d, err := q.TryNext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var got []string
	for range 4 {
		d := next()
		if d == nil {
			t.Fatal("a message is missing")
		}
		got = append(got, d.ID)
		if d.Organization != "org_1" {
			t.Errorf("the delivery is %+v", d)
		}
		switch d.ID {
		case "b1": // stay silent
		case "b2":
			err = d.Later(10 * time.Millisecond)
		default:
			err = d.Done(t.Context())
		}
		if err != nil {
			t.Error(err)
		}
	}
	if want := "[i1 i1 b1 b2]"; fmt.Sprint(got) != want {
		t.Errorf("delivered %v, want %s", got, want)
	}
	again := map[string]int{}
	patience.Until(t, "both messages are redelivered", func() bool {
		if d := next(); d != nil {
			again[d.ID]++
			if err := d.Done(t.Context()); err != nil {
				t.Error(err)
			}
		}
		return again["b1"] == 1 && again["b2"] == 1
	})
	if d := next(); d != nil {
		t.Errorf("the empty queue delivers %+v", d)
	}
}

// TestQueueWakes checks that Publish wakes the workers of another connection.
func TestQueueWakes(t *testing.T) {
	n := bustest.Server(t)
	cfg := bus.QueueConfig{Name: "test", Limit: 4, AckWait: ackWait()}
	var queues []*bus.Queue
	for _, name := range []string{"a", "b"} {
		q, err := bustest.Connect(t, n, name).OpenQueue(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		queues = append(queues, q)
	}
	patience.Until(t, "the other workers are woken", func() bool { // the subscription may not be active yet
		if err := queues[0].Publish(t.Context(), jobapi.Bulk, "org_1", "job_1", "1"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-queues[1].Woken():
			return true
		case <-time.After(10 * time.Millisecond):
			return false
		}
	})
}

func TestAwait(t *testing.T) {
	n := bustest.Server(t)
	a, b := bustest.Connect(t, n, "a"), bustest.Connect(t, n, "b")
	noticed, stop, err := a.Await("jobs.done.x")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	select {
	case <-noticed:
		t.Error("got a notice before it was published")
	default:
	}
	for range 2 {
		if err := b.Publish("jobs.done.x", nil); err != nil {
			t.Fatal(err)
		}
	}
	patience.Receive(t, "the notice", noticed)
}
