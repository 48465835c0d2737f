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
	// dialEvery is how often NATS is looked for that is not there yet.
	dialEvery = time.Second
	// sayEvery is after how many attempts it is said again what is waited for.
	sayEvery = 10
	// pingEvery and pingsMissed say when a server is given up that is connected
	// and says nothing, as one does that lost its power.
	pingEvery   = 10 * time.Second
	pingsMissed = 2
	// writeTimeout bounds one write to a server that takes nothing.
	writeTimeout = 10 * time.Second
)

// dial connects to NATS, and waits for it until ctx ends.
func (c *Conn) dial(ctx context.Context, cfg Config, options []nats.Option) error {
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
			return nil
		}
		if remedy := refusal(err); remedy != "" {
			return fmt.Errorf("NATS at %s refuses the connection: %w: %s", cfg.redacted(), err, remedy)
		}
		if attempt%sayEvery == 0 {
			c.log.WarnContext(ctx, "NATS is not there yet and is waited for", "servers", cfg.redacted(), "error", err)
		}
		if sleep(ctx, dialEvery) != nil {
			return fmt.Errorf("there is no NATS at %s, start it or set NATS_URL: %w (%w)", cfg.redacted(), err, ctx.Err())
		}
	}
}

// refusal returns what to do about an error that waiting does not mend, "" for
// any other.
func refusal(err error) string {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAccountAuthExpired):
		return "check NATS_USER and NATS_PASSWORD, or NATS_CREDENTIALS"
	case errors.As(err, &certificate):
		return "set NATS_CA_FILE to the authority that signed its certificate, and name it in NATS_URL as the certificate does"
	case strings.Contains(err.Error(), "remote error: tls:"):
		return "it wants a certificate that it trusts: set NATS_CERT_FILE and NATS_KEY_FILE"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "it has no TLS: set it up there, or leave out tls://, NATS_CA_FILE and NATS_CERT_FILE"
	}
	return ""
}

// natsOptions are those of every connection. It is made again for as long as the
// process lives; until then calls fail soon.
func (c *Conn) natsOptions() []nats.Option {
	return []nats.Option{
		nats.Name("recto-" + c.name),
		nats.CustomInboxPrefix(inboxPrefix + c.name),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		// Who is refused later, as while passwords are changed, tries again.
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(pingsMissed),
		nats.FlusherTimeout(writeTimeout),
		// Without a connection a request fails soon: one that waits in a buffer
		// is answered when its caller is long gone.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.disconnected(err) }),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.log.Info("connected to NATS again", "url", nc.ConnectedUrlRedacted())
			go c.restore()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			if c.setup.deny(err) {
				return // who asked says so
			}
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			c.log.Error("NATS reports an error", "subject", subject, "error", err)
		}),
	}
}

// reconnectDelay is the pause after all servers were tried so many times.
func reconnectDelay(rounds int) time.Duration {
	delay := min(250*time.Millisecond<<min(rounds-1, 3), maxReconnectDelay)
	return delay + rand.N(delay/4) // not all at once
}

// maxReconnectDelay is how often servers are tried that are away for long.
const maxReconnectDelay = 2 * time.Second

// inboxPrefix begins the subjects of answers to a part: its name follows, so that
// nobody else may listen there.
const inboxPrefix = "_INBOX_"

// disconnected tells those who wait for an answer that it may be lost.
func (c *Conn) disconnected(err error) {
	if err != nil && c.life.Err() == nil {
		c.log.Warn("lost the connection to NATS", "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut()
	c.link, c.cut = context.WithCancel(c.life)
}

// connection returns a context that ends when the connection is lost that there
// is now.
func (c *Conn) connection() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link
}

// unsent reports whether a message that failed with err surely never left.
func unsent(err error) bool {
	return errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrConnectionDraining)
}

// keep makes something that the server may lose, and makes it again after each
// loss of the connection: one server alone that was started anew has nothing
// that was in its memory, and nothing at all if its disk is gone.
func (c *Conn) keep(ctx context.Context, create func(context.Context) error) error {
	link := c.connection()
	if err := create(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	c.kept = append(c.kept, create)
	c.mu.Unlock()
	if link.Err() != nil { // before it was kept
		return create(ctx)
	}
	return nil
}

// restore makes again what the server may have lost.
func (c *Conn) restore() {
	ctx, cancel := context.WithCancel(c.life)
	defer cancel()
	defer context.AfterFunc(c.connection(), cancel)() // what comes after the next loss begins anew
	c.mu.Lock()
	kept := append([]func(context.Context) error{}, c.kept...)
	c.mu.Unlock()
	for _, create := range kept {
		if err := create(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("what NATS may have lost was not made again", "error", err)
		}
	}
}
