package bus

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// dialEvery is the interval between attempts to connect at startup.
	dialEvery = time.Second
	// sayEvery is the number of attempts between log lines while waiting.
	sayEvery = 10
	// pingEvery and pingsMissed determine when an unresponsive server is abandoned, for
	// example one that lost power.
	pingEvery   = 10 * time.Second
	pingsMissed = 2
	// writeTimeout bounds one write to a server that does not read.
	writeTimeout = 10 * time.Second
)

// dial connects to NATS, retrying until ctx ends.
func (c *Conn) dial(ctx context.Context, cfg Config, options []nats.Option) error {
	c.metrics.up.WithLabelValues(c.name).Set(0)
	servers, problems := cfg.servers()
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	all := nats.GetDefaultOptions()
	all.Servers = servers
	for _, option := range append(cfg.identity(), options...) {
		if err := option(&all); err != nil {
			return fmt.Errorf("configure the connection to NATS: %w", err)
		}
	}
	for attempt := 0; ; attempt++ {
		nc, err := all.Connect()
		if err == nil {
			c.nc = nc
			c.metrics.connected(c.name, cfg)
			return nil
		}
		if remedy := refusal(err); remedy != "" {
			return fmt.Errorf("NATS at %s refuses the connection: %w: %s", cfg.redacted(), err, remedy)
		}
		if attempt%sayEvery == 0 {
			c.log.WarnContext(ctx, "waiting for NATS", "servers", cfg.redacted(), "error", err)
		}
		if sleep(ctx, dialEvery) != nil {
			return fmt.Errorf("no NATS server at %s; start it or set NATS_URL: %w (%w)", cfg.redacted(), err, ctx.Err())
		}
	}
}

// refusal returns what to do about an error that waiting does not fix, or "" for any
// other error.
func refusal(err error) string {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAccountAuthExpired):
		return "check NATS_USER and NATS_PASSWORD, or NATS_CREDENTIALS"
	case errors.As(err, &certificate):
		return "set NATS_CA_FILE to the CA that signed the server's certificate, and use a host name from the certificate in NATS_URL"
	case strings.Contains(err.Error(), "remote error: tls:"):
		return "the server requires a client certificate that it trusts: set NATS_CERT_FILE and NATS_KEY_FILE"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server does not offer TLS: enable it there, or remove tls://, NATS_CA_FILE and NATS_CERT_FILE"
	}
	return ""
}

// natsOptions returns the options of every connection. A lost connection is retried as
// long as the process lives; until it is back, calls fail quickly.
func (c *Conn) natsOptions(cfg Config) []nats.Option {
	return []nats.Option{
		nats.Name("recto-" + c.name),
		nats.CustomInboxPrefix(inboxPrefix + c.name),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		// Credentials can be refused temporarily, for example while passwords are
		// rotated.
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(pingsMissed),
		nats.FlusherTimeout(writeTimeout),
		// Without a connection, a request should fail quickly: if it waited in a buffer,
		// it would be answered long after its caller is gone.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.disconnected(err) }),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.log.Info("reconnected to NATS", "url", nc.ConnectedUrlRedacted())
			c.metrics.connected(c.name, cfg)
			go c.restore()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			if c.setup.deny(err) {
				return // the caller of setup.ask reports it
			}
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			c.log.Error("NATS reported an error", "subject", subject, "error", err)
		}),
	}
}

// reconnectDelay returns the pause after all servers were tried the given number of
// times.
func reconnectDelay(rounds int) time.Duration {
	delay := min(250*time.Millisecond<<min(rounds-1, 3), maxReconnectDelay)
	return delay + rand.N(delay/4) // jitter, so that clients do not reconnect all at once
}

// maxReconnectDelay is the longest pause between attempts, without jitter.
const maxReconnectDelay = 2 * time.Second

// inboxPrefix begins the subjects of replies to a part. The part's name follows, so that
// NATS permissions can keep others from listening there.
const inboxPrefix = "_INBOX_"

// disconnected cancels the link context, so that callers learn that their reply may be
// lost.
func (c *Conn) disconnected(err error) {
	c.metrics.up.WithLabelValues(c.name).Set(0)
	if err != nil && c.life.Err() == nil {
		c.log.Warn("lost the connection to NATS", "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut()
	c.link, c.cut = context.WithCancel(c.life)
}

// connection returns a context that is canceled when the current connection is lost.
func (c *Conn) connection() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// unsent reports whether err means that the message certainly was not sent.
func unsent(err error) bool {
	return errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrConnectionDraining)
}

// keep calls create, and calls it again after each reconnect: a single server that
// restarted has lost its in-memory streams, and everything if its disk is gone.
func (c *Conn) keep(ctx context.Context, create func(context.Context) error) error {
	link := c.connection()
	if err := create(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	c.kept = append(c.kept, create)
	c.mu.Unlock()
	if link.Err() != nil { // lost before it was registered
		return create(ctx)
	}
	return nil
}

// restore calls every create function of keep again.
func (c *Conn) restore() {
	ctx, cancel := context.WithCancel(c.life)
	defer cancel()
	defer context.AfterFunc(c.connection(), cancel)() // the next reconnect calls restore again
	c.mu.Lock()
	kept := append([]func(context.Context) error{}, c.kept...)
	c.mu.Unlock()
	for _, create := range kept {
		if err := create(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("could not recreate the streams after a reconnect", "error", err)
		}
	}
}
