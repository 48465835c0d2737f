package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// limits bound how long an object store that does not answer is waited for. The
// deadline of who waits is mostly later: there is time left to say so.
type limits struct {
	// dial bounds the making of a connection.
	dial time.Duration
	// answer is until an answer begins that needs no work: to Get, Stat, Remove.
	answer time.Duration
	// stall is how long a connection in use may be silent in both directions.
	stall time.Duration
}

var usual = limits{dial: 5 * time.Second, answer: 10 * time.Second, stall: 15 * time.Second}

// tries is how often a request is sent at most, if it can be sent again.
const tries = 3

// Open returns the bucket that cfg names without a look at it. It does not dial.
func Open(cfg Config) (*Store, error) {
	return open(cfg, usual, (&net.Dialer{Timeout: usual.dial}).DialContext)
}

// dialFunc makes a connection.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// open is Open with the limits, and with dial for every connection.
func open(cfg Config, l limits, dial dialFunc) (*Store, error) {
	if problems := cfg.Validate(); len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	transport, err := newTransport(cfg.CAFile, l, dial)
	if err != nil {
		return nil, fmt.Errorf("S3_CA_FILE: %w", err)
	}
	once, err := newTransport(cfg.CAFile, l, dial)
	if err != nil {
		return nil, err
	}
	once.DisableKeepAlives = true
	s := &Store{cfg: cfg, limits: l, transport: transport}
	for _, c := range []struct {
		client    **minio.Client
		endpoint  string
		pathStyle bool
		transport http.RoundTripper
	}{
		{&s.client, cfg.endpoint(), cfg.PathStyle, transport},
		{&s.once, cfg.endpoint(), cfg.PathStyle, once},
		// URLs carry the host that clients see, which is part of what is signed.
		{&s.public, cfg.publicEndpoint(), cfg.publicPathStyle(), transport},
	} {
		if *c.client, err = newClient(cfg, c.endpoint, c.pathStyle, c.transport); err != nil {
			return nil, fmt.Errorf("the object store at %s: %w", c.endpoint, err)
		}
	}
	return s, nil
}

// newClient returns a client of one endpoint.
func newClient(cfg Config, endpoint string, pathStyle bool, transport http.RoundTripper) (*minio.Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupDNS
	if pathStyle {
		lookup = minio.BucketLookupPath
	}
	return minio.New(u.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(cfg.AccessKey, cfg.SecretKey, ""),
		Secure: u.Scheme == "https",
		// Without a region the client asks the server for it before it signs.
		Region: cfg.Region, BucketLookup: lookup, Transport: transport, MaxRetries: tries,
	})
}

// NewClient returns a client for signed URLs, which gives up on an object store that
// does not answer. It trusts the authorities of caFile beside those of the system, and
// follows no redirect.
func NewClient(caFile string) (*http.Client, error) {
	t, err := newTransport(caFile, usual, (&net.Dialer{Timeout: usual.dial}).DialContext)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// transport sends requests over connections that do not stall.
type transport struct{ *http.Transport }

// newTransport returns the transport of one client, which verifies by TLS(caFile).
func newTransport(caFile string, l limits, dial dialFunc) (transport, error) {
	t, err := minio.DefaultTransport(true)
	if err != nil {
		return transport{}, err
	}
	if t.TLSClientConfig, err = TLS(caFile); err != nil {
		return transport{}, err
	}
	t.TLSHandshakeTimeout = l.dial
	t.IdleConnTimeout = l.stall / 2 // well before it counts as stalled
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return stallingConn{conn, l.stall}, nil
	}
	return transport{t}, nil
}

// RoundTrip implements http.RoundTripper. After a request that was waited for in
// vain the idle connections are closed: they may be as dead as the one that it
// went over, and the next request is not to find out one by one.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(r)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.CloseIdleConnections()
	}
	return response, err
}

// stallingConn is a connection that fails when nothing has moved on it for the
// time stall, in either direction. Requests without a deadline, and the bodies of
// answers, would otherwise wait for ever for a server that is paused.
type stallingConn struct {
	net.Conn
	stall time.Duration
}

// Read implements net.Conn.
func (c stallingConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn. It gives more time to a Read that goes on: the
// answer to what is written now cannot be late yet.
func (c stallingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
