// Package bus is how the parts of Recto talk: typed request-reply, work queues
// and events over NATS.
//
// A caller says what it wants with Call; a service answers with Handle on a
// Server. The deadline, the principal, the request id and the trace context
// travel with the message, and errors arrive as the *problem.Error that was
// returned. Payloads over 256 KiB travel as a claim check: the bytes wait in a
// JetStream stream in memory and a reference goes over the wire. Neither side
// sees the difference. See openClaims for why it is no object store.
//
// A Queue hands each of its messages to one worker. Events, which tell what has
// happened, go to every consumer once it is there. Both are streams on disk. A Log,
// in memory, tells whoever follows it how far something is.
//
// NATS may be a cluster of which one server at a time goes away and comes back.
// What was stored stays stored; a call fails as unavailable if it surely reached
// nobody, and as timed out if nobody knows.
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

// Conn is a connection of one part to the bus.
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
	life     context.Context // ends with Close
	end      context.CancelFunc

	mu    sync.Mutex
	kept  []func(context.Context) error // make what the server may lose
	link  context.Context               // ends when the connection is lost
	cut   context.CancelFunc
	setup setup
}

// Connect dials NATS for the part called name, waits for it until ctx ends, and
// sees to it that the streams of claim checks and of events are there. It does
// not wait for what waiting does not mend: a user that is refused, or a
// certificate. Options come after those of cfg: a process that embeds the server
// passes nats.InProcessServer. The connection reconnects by itself for ever;
// while there is none, calls fail soon with Unavailable.
func Connect(ctx context.Context, name string, cfg Config, t *telemetry.Telemetry, options ...nats.Option) (*Conn, error) {
	c := &Conn{name: name, replicas: cfg.Replicas, log: t.Log, tracer: t.Tracer, metrics: newMetrics(t.Metrics)}
	c.life, c.end = context.WithCancel(context.Background())
	c.link, c.cut = context.WithCancel(c.life)
	err := c.dial(ctx, cfg, append(c.natsOptions(), options...))
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

// Check returns nil while there is a connection. It is a check of health.
func (c *Conn) Check(context.Context) error {
	if c.nc.IsConnected() {
		return nil
	}
	return fmt.Errorf("no connection to NATS")
}

// Publish sends a notice that nobody has to receive. It returns before the
// notice has arrived anywhere.
func (c *Conn) Publish(subject string, data []byte) error {
	return c.nc.Publish(subject, data)
}

// Subscribe calls handle for each notice until the connection is closed. Calls
// come one at a time.
func (c *Conn) Subscribe(subject string, handle func(data []byte)) error {
	_, err := c.nc.Subscribe(subject, func(m *nats.Msg) { handle(m.Data) })
	return err
}

// Close sends what waits to be sent and closes the connection. Servers on it
// are to be shut down before.
func (c *Conn) Close() error {
	c.end()
	c.js.CleanupPublisher() // or a goroutine of it stays for ever
	closed := make(chan struct{})
	c.nc.SetClosedHandler(func(*nats.Conn) { close(closed) })
	if err := c.nc.Drain(); err != nil {
		c.nc.Close() // there is no server to drain to
		return nil   //nolint:nilerr // and so nothing is lost that could be kept
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
