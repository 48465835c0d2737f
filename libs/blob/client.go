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
	"github.com/prometheus/client_golang/prometheus"
)

// limits bound how long to wait for an unresponsive object store. They are mostly shorter
// than the caller's deadline, so that there is time left to report the failure.
type limits struct {
	// dial bounds the opening of a connection.
	dial time.Duration
	// answer bounds the wait for the start of a response that needs no work: Get, Stat
	// and Remove.
	answer time.Duration
	// stall is how long a connection in use may be idle in both directions.
	stall time.Duration
}

var usual = limits{dial: 5 * time.Second, answer: 10 * time.Second, stall: 15 * time.Second}

// tries is the maximum number of attempts for a request that can be resent.
const tries = 3

// Open returns the bucket that cfg names without checking it. It does not dial, and exports
// no metrics.
func Open(cfg Config) (*Store, error) {
	return open(cfg, usual, (&net.Dialer{Timeout: usual.dial}).DialContext, newRequests())
}

// dialFunc opens a connection.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// open is Open with the given limits, the dial function for every connection, and the metric
// for requests.
func open(cfg Config, l limits, dial dialFunc, requests *prometheus.HistogramVec) (*Store, error) {
	if problems := cfg.Validate(); len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	transport, err := newTransport(cfg.CAFile, l, dial, requests)
	if err != nil {
		return nil, fmt.Errorf("S3_CA_FILE: %w", err)
	}
	once, err := newTransport(cfg.CAFile, l, dial, requests)
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
		// Presigned URLs carry the host that clients use, because the signature covers
		// it.
		{&s.public, cfg.publicEndpoint(), cfg.publicPathStyle(), transport},
	} {
		if *c.client, err = newClient(cfg, c.endpoint, c.pathStyle, c.transport); err != nil {
			return nil, fmt.Errorf("the object store at %s: %w", c.endpoint, err)
		}
	}
	return s, nil
}

// newClient returns a client for one endpoint.
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
		// Without a region the client would ask the server for it before signing.
		Region: cfg.Region, BucketLookup: lookup, Transport: transport, MaxRetries: tries,
	})
}

// NewClient returns an HTTP client for presigned URLs. It gives up on an unresponsive
// object store, trusts the CAs in caFile in addition to those of the system, and follows
// no redirects.
func NewClient(caFile string) (*http.Client, error) {
	t, err := newTransport(caFile, usual, (&net.Dialer{Timeout: usual.dial}).DialContext, newRequests())
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// transport sends requests over connections that fail when they stall.
type transport struct {
	*http.Transport
	requests *prometheus.HistogramVec
}

// newTransport returns a client's transport, whose TLS configuration is TLS(caFile).
func newTransport(caFile string, l limits, dial dialFunc, requests *prometheus.HistogramVec) (transport, error) {
	t, err := minio.DefaultTransport(true)
	if err != nil {
		return transport{}, err
	}
	if t.TLSClientConfig, err = TLS(caFile); err != nil {
		return transport{}, err
	}
	t.TLSHandshakeTimeout = l.dial
	t.IdleConnTimeout = l.stall / 2 // well before the connection counts as stalled
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return stallingConn{conn, l.stall}, nil
	}
	return transport{t, requests}, nil
}

// RoundTrip implements http.RoundTripper, and counts the request. After a request has timed out it closes the
// idle connections: they may be just as dead, and the next requests should not have to
// find that out one by one.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	begin := time.Now()
	response, err := t.Transport.RoundTrip(r)
	t.requests.WithLabelValues(operation(r), outcome(r, response, err)).Observe(time.Since(begin).Seconds())
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.CloseIdleConnections()
	}
	return response, err
}

// stallingConn is a connection that fails when nothing was transferred in either
// direction for the duration stall. Otherwise requests without a deadline, and response
// bodies, would wait forever for a paused server.
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

// Write implements net.Conn. It also extends the deadline of a concurrent Read: the
// response to the bytes being written cannot be late yet.
func (c stallingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
