package bus

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// wakeups tell workers that there may be a message in a queue. A worker that only polled
// would keep a caller waiting.
type wakeups struct {
	c       *Conn
	subject string
	woken   chan struct{}
	heard   *nats.Subscription
}

// repeats are the times after which a wakeup is repeated. The server confirms a message to
// its publisher before it tells the consumers of the stream. So a worker that comes at once
// may find nothing, and would wait until it polls.
var repeats = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}

// wakeups returns the wakeups that the processes with this subject share. The caller closes
// them.
func (c *Conn) wakeups(subject string) (*wakeups, error) {
	w := &wakeups{c: c, subject: subject, woken: make(chan struct{}, 1)}
	var err error
	w.heard, err = c.nc.Subscribe(subject, func(*nats.Msg) {
		w.one()
		for _, after := range repeats {
			time.AfterFunc(after, w.one)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("listen for wakeups on %s: %w", subject, err)
	}
	return w, nil
}

// all wakes a worker of each process. If it fails, polling finds the message a little later.
func (w *wakeups) all() { _ = w.c.nc.Publish(w.subject, nil) }

// one wakes a worker of this process.
func (w *wakeups) one() {
	select {
	case w.woken <- struct{}{}:
	default: // a wakeup is already pending
	}
}

// close stops listening.
func (w *wakeups) close() error { return w.heard.Unsubscribe() }
