package objectserver

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"syscall"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/listener"
)

// admission is the HTTP server that clients talk to. It decides which requests go
// on to versitygw, which serves nothing but a Unix socket. It exists because
// versitygw makes its own listener, and because its HTTP server cannot refuse a
// request without reading the body: net/http closes such a connection.
type admission struct {
	server    *http.Server
	transport *http.Transport
	done      chan error // how serving ended
}

const (
	// maxHeader bounds the head of a request, in bytes: a signed URL takes about
	// 1000, and versitygw reads 8192.
	maxHeader = 8 << 10
	// idleUpstream is how many connections to versitygw are kept for later.
	idleUpstream = 64
	// copyBuffer is the size of the buffers that bytes pass through.
	copyBuffer = 128 << 10
	// stopTimeout bounds the end of the requests in work.
	stopTimeout = 10 * time.Second
)

// listen makes the listener of cfg.Addr, with TLS if there is a certificate, and
// the limits below it.
func listen(cfg Config) (net.Listener, *listener.Listener, error) {
	plain, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s for objects: %w", cfg.Addr, err)
	}
	limited, err := cfg.limit(plain)
	if err != nil {
		return nil, nil, errors.Join(err, plain.Close())
	}
	if cfg.CertFile == "" && cfg.KeyFile == "" {
		return limited, limited, nil
	}
	certificate, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("load the certificate for objects: %w", err), limited.Close())
	}
	return tls.NewListener(limited, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}), limited, nil
}

// startAdmission passes on to the socket what comes in through the listener, which
// it closes at the end, and holds it to the rules of uploads.
func startAdmission(cfg Config, ln net.Listener, socket string, objects headObject) *admission {
	transport := newTransport(socket)
	a := &admission{transport: transport, done: make(chan error, 1)}
	handler := &uploads{cfg: cfg, objects: objects}
	handler.proxy = newProxy(transport, handler.modify)
	a.server = listener.Server(crossOrigin{blob.PagePolicy(cfg.CORSOrigins), handler}, cfg.Limits.deadlines(), cfg.log())
	a.server.MaxHeaderBytes = maxHeader
	// HTTP/1 alone, as versitygw: limits count connections, not streams.
	a.server.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
	go func() { a.done <- a.server.Serve(ln) }()
	return a
}

// stop ends it when its requests are done, or have had their time.
func (a *admission) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := a.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = a.server.Close()
	}
	served := <-a.done
	a.done <- served
	a.transport.CloseIdleConnections()
	if !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// newSocket returns the name of a Unix socket for versitygw. It is abstract: no
// file to remove after a crash, no limit on the length of its path, and it works
// on file systems without sockets. Requests over it need a signature as well.
func newSocket() string { return "@recto-objects-" + rand.Text() }

// newTransport returns the transport that dials the socket.
func newTransport(socket string) *http.Transport {
	dialer := &net.Dialer{}
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, "unix", socket)
			if err != nil {
				return nil, err
			}
			return answeringConn{conn}, nil
		},
		// Bytes pass as they are.
		DisableCompression:  true,
		MaxIdleConnsPerHost: idleUpstream,
		WriteBufferSize:     copyBuffer,
		ReadBufferSize:      copyBuffer,
	}
}

// answeringConn is a connection to versitygw, which answers a request that it
// refuses without reading the body, and closes the connection. What cannot be
// written any more is dropped, so that the answer is read.
type answeringConn struct{ net.Conn }

// Write implements net.Conn.
func (c answeringConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return len(p), nil
	}
	return n, err
}

// newProxy returns the handler that passes requests on. What a signature covers
// (method, path, query, host and headers) stays as it is.
func newProxy(transport http.RoundTripper, modify func(*http.Response) error) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport:      transport,
		BufferPool:     &buffers{sync.Pool{New: func() any { return new([copyBuffer]byte) }}},
		ModifyResponse: modify,
		ErrorHandler:   failed,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "objects"
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			// This server itself answers "100 Continue", when the body is read.
			r.Out.Header.Del("Expect")
			// versitygw may leave a body unread and take it for the next request of
			// the connection, which would be another client's: there is none.
			r.Out.Close = r.In.ContentLength != 0
		},
	}
}

// buffers are what bytes are copied through.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	buffer, _ := b.pool.Get().(*[copyBuffer]byte)
	return buffer[:]
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(p []byte) { b.pool.Put((*[copyBuffer]byte)(p)) }
