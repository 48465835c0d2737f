// Package bus is how the parts of Recto talk: typed request-reply, work queues
// and events over NATS.
//
// A caller says what it wants with Call; a service answers with Handle on a
// Server. The deadline, the principal, the request id and the trace context
// travel with the message, and errors arrive as the *problem.Error that was
// returned. Payloads over 256 KiB travel as a claim check: the bytes wait in a
// JetStream object store with memory storage and a reference goes over the
// wire. Neither side sees the difference.
//
// A Queue hands each of its messages to one worker. Events, which tell what has
// happened, go to every consumer once it is there. Both are streams on disk.
package bus

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/telemetry"
)

// Config is how a process reaches NATS.
type Config struct {
	URL         string        `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222" desc:"NATS servers, several separated by commas"`
	Credentials string        `env:"NATS_CREDENTIALS" desc:"path of a NATS credentials file"`
	CAFile      string        `env:"NATS_CA_FILE" desc:"path of the certificate authority that NATS is verified by, in place of those of the system"`
	ClaimBytes  int64         `env:"NATS_CLAIM_BYTES" envDefault:"1073741824" desc:"bytes of large payloads that may wait in the memory of NATS; more is answered 5003"`
	ClaimTTL    time.Duration `env:"NATS_CLAIM_TTL" envDefault:"5m" desc:"how long a large payload may wait in the memory of NATS"`
	EventTTL    time.Duration `env:"NATS_EVENT_TTL" envDefault:"168h" desc:"how long events are kept"`
	Replicas    int           `env:"NATS_REPLICAS" envDefault:"1" desc:"replicas of what JetStream stores: 1, or 3 in a cluster"`
}

// Conn is a connection of one part to the bus.
type Conn struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	claims  jetstream.ObjectStore
	events  jetstream.Stream
	log     *slog.Logger
	tracer  trace.Tracer
	metrics *metrics
	readers atomic.Int64 // subscriptions that come and go with requests

	mu       sync.Mutex
	memories []func(context.Context) error // make what the server keeps in memory
}

// claimBucket is the object store that claim checks wait in.
const claimBucket = "CLAIMS"

// Connect dials NATS for the part called name and makes the claim check's
// store if it is not there. Options come after those of cfg: a process that
// embeds the server passes nats.InProcessServer. The connection reconnects by
// itself for ever; while there is none, calls fail at once with Unavailable.
func Connect(ctx context.Context, name string, cfg Config, t *telemetry.Telemetry, options ...nats.Option) (*Conn, error) {
	c := &Conn{log: t.Log, tracer: t.Tracer, metrics: newMetrics(t.Metrics)}
	nc, err := nats.Connect(cfg.URL, append(c.natsOptions(name, cfg), options...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", cfg.URL, err)
	}
	c.nc = nc
	c.js, err = jetstream.New(nc)
	if err == nil {
		err = c.remember(ctx, func(ctx context.Context) error { return c.openClaims(ctx, cfg) })
	}
	if err == nil {
		err = c.openEvents(ctx, cfg)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

// openClaims opens the bucket for claim checks, and makes it or adapts its
// limits if need be. It is in memory: a claim lives as long as one request, and
// inline files must not reach a disk.
func (c *Conn) openClaims(ctx context.Context, cfg Config) error {
	claims, err := c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: claimBucket, Description: "payloads that are too large for a message",
		Storage: jetstream.MemoryStorage, TTL: cfg.ClaimTTL, MaxBytes: cfg.ClaimBytes, Replicas: cfg.Replicas,
	})
	if err != nil {
		return fmt.Errorf("make the object store %s: %w", claimBucket, err)
	}
	if c.claims == nil { // otherwise it is as good for the bucket that was made again
		c.claims = claims
	}
	return nil
}

// remember makes something that the server keeps in memory, and makes it again
// after each loss of the connection: a server that was started anew has none of
// it.
func (c *Conn) remember(ctx context.Context, create func(context.Context) error) error {
	c.mu.Lock()
	c.memories = append(c.memories, create)
	c.mu.Unlock()
	return create(ctx)
}

// makeMemories makes again what the server may have lost.
func (c *Conn) makeMemories() {
	ctx, cancel := context.WithTimeout(context.Background(), memoriesTimeout)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, create := range c.memories {
		for {
			err := create(ctx)
			if err == nil || c.nc.IsClosed() {
				break
			}
			c.log.Warn("what NATS keeps in memory was not made again; it is tried again", "error", err)
			if sleep(ctx, time.Second) != nil {
				return // the connection may be lost again, and will be found again
			}
		}
	}
}

// memoriesTimeout bounds the making of what a server has lost.
const memoriesTimeout = time.Minute

// natsOptions are those of every connection. It is made again for as long as the
// process lives; until then calls fail at once.
func (c *Conn) natsOptions(name string, cfg Config) []nats.Option {
	options := []nats.Option{
		nats.Name("recto-" + name),
		nats.CustomInboxPrefix("_INBOX_" + name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		// Without a connection a request fails at once: one that waits in a
		// buffer is answered when its caller is long gone.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.log.Warn("lost the connection to NATS", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.log.Info("connected to NATS again", "url", nc.ConnectedUrlRedacted())
			go c.makeMemories()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			c.log.Error("NATS reports an error", "subject", subject, "error", err)
		}),
	}
	if cfg.Credentials != "" {
		options = append(options, nats.UserCredentials(cfg.Credentials))
	}
	if cfg.CAFile != "" {
		options = append(options, nats.RootCAs(cfg.CAFile))
	}
	return options
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
