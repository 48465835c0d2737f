// Package bus is how the parts of Recto talk to each other: typed request-reply, work
// queues and events over NATS.
//
// A caller sends a request with Call; a service answers it with Handle on a Server. The
// deadline, the principal, the request ID and the trace context travel with the message,
// and the caller receives the *problem.Error that the service returned. Payloads over 256
// KiB travel as a claim check: the bytes wait in an in-memory JetStream stream and only a
// reference goes over the wire. Neither side sees the difference. See openClaims for why
// this is not an object store.
//
// A Queue hands each of its messages to one worker. Events go to every consumer,
// including consumers that were down when the event was published. Both are streams on
// disk. A Log, in memory, reports the progress of a piece of work to its followers.
//
// NATS may be a cluster in which one server at a time fails and recovers. Stored messages
// survive that. A call fails as unavailable if the request certainly reached no service,
// and as timed out if that is unknown.
package bus

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/telemetry"
)

// Conn is one part's connection to the bus.
type Conn struct {
	name     string
	replicas int
	nc       *nats.Conn
	js       jetstream.JetStream
	claims   jetstream.Stream
	events   jetstream.Stream
	log      *slog.Logger
	tracer   trace.Tracer
	metrics  *metrics
	life     context.Context // canceled by Close
	end      context.CancelFunc

	mu    sync.Mutex
	kept  []func(context.Context) error // create again the streams that a restarted server has lost
	link  context.Context               // canceled when the connection is lost
	cut   context.CancelFunc
	setup setup
}

// Connect dials NATS for the part called name, waits for NATS until ctx ends, and ensures
// that the streams for claim checks and events exist. It fails at once on errors that
// waiting does not fix: rejected credentials or an invalid certificate. Options are
// applied after those of cfg; a process that embeds the server passes
// nats.InProcessServer. The connection reconnects indefinitely. While it is down, calls
// fail quickly with Unavailable.
func Connect(ctx context.Context, name string, cfg Config, t *telemetry.Telemetry, options ...nats.Option) (*Conn, error) {
	c := &Conn{name: name, replicas: cfg.Replicas, log: t.Log, tracer: t.Tracer, metrics: newMetrics(t.Metrics)}
	c.life, c.end = context.WithCancel(context.Background())
	c.link, c.cut = context.WithCancel(c.life)
	err := c.dial(ctx, cfg, append(c.natsOptions(cfg), options...))
	if err != nil {
		c.end()
		return nil, err
	}
	c.js, err = jetstream.New(c.nc, jetstream.WithPublishAsyncTimeout(storeTimeout))
	if err == nil {
		err = c.keep(ctx, func(ctx context.Context) error { return c.openClaims(ctx, cfg) })
	}
	if err == nil {
		err = c.keep(ctx, func(ctx context.Context) error { return c.openEvents(ctx, cfg) })
	}
	if err != nil {
		c.end()
		c.nc.Close()
		return nil, err
	}
	return c, nil
}

// Check is a health check. It returns nil while the connection is up.
func (c *Conn) Check(context.Context) error {
	if c.nc.IsConnected() {
		return nil
	}
	return fmt.Errorf("no connection to NATS")
}

// Publish sends a notice without delivery guarantee. It returns before the notice is
// delivered.
func (c *Conn) Publish(subject string, data []byte) error {
	return c.nc.Publish(subject, data)
}

// Subscribe calls handle for each notice until the connection is closed, one call at a
// time.
func (c *Conn) Subscribe(subject string, handle func(data []byte)) error {
	_, err := c.nc.Subscribe(subject, func(m *nats.Msg) { handle(m.Data) })
	return err
}

// Close flushes pending messages and closes the connection. Shut down its Servers first.
func (c *Conn) Close() error {
	c.end()
	c.js.CleanupPublisher() // otherwise it leaks a goroutine
	closed := make(chan struct{})
	c.nc.SetClosedHandler(func(*nats.Conn) { close(closed) })
	if err := c.nc.Drain(); err != nil {
		c.nc.Close() // not connected, so there is nothing to drain to
		return nil   //nolint:nilerr // nothing more could be delivered
	}
	<-closed
	return nil
}

// sleep waits for d, or less if ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
