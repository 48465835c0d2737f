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

// admission is the HTTP server that clients talk to. It decides which requests to
// forward to versitygw, which serves only a Unix socket. It exists because
// versitygw creates its own listener, and because versitygw's HTTP server cannot
// refuse a request without reading the body. net/http can: it closes the connection.
type admission struct {
	server    *http.Server
	transport *http.Transport
	done      chan error // result of Serve
}

const (
	// maxHeader bounds the header of a request, in bytes. A presigned URL takes
	// about 1000, and versitygw reads at most 8192.
	maxHeader = 8 << 10
	// idleUpstream is how many idle connections to versitygw are kept.
	idleUpstream = 64
	// copyBuffer is the size of the buffers for proxied bytes.
	copyBuffer = 128 << 10
	// stopTimeout bounds how long shutdown waits for requests in progress.
	stopTimeout = 10 * time.Second
)

// listen returns the listener on cfg.Addr, with TLS if there is a certificate, and
// the limited listener underneath it.
func listen(cfg Config) (net.Listener, *listener.Listener, error) {
	plain, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s for the object store: %w", cfg.Addr, err)
	}
	limited, err := cfg.limit(plain)
	if err != nil {
		return nil, nil, errors.Join(err, plain.Close())
	}
	if cfg.CertFile == "" && cfg.KeyFile == "" {
		return limited, limited, nil
	}
	config, err := listener.NewCertificate(cfg.CertFile, cfg.KeyFile, nil).TLSConfig()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("the object store: %w", err), limited.Close())
	}
	return tls.NewListener(limited, config), limited, nil
}

// startAdmission forwards requests from the listener to the socket, and enforces the
// rules for uploads. It takes over the listener, and closes it at the end.
func startAdmission(cfg Config, ln net.Listener, socket string, objects headObject) *admission {
	transport := newTransport(socket)
	a := &admission{transport: transport, done: make(chan error, 1)}
	handler := &uploads{cfg: cfg, objects: objects}
	handler.proxy = newProxy(transport, handler.modify)
	a.server = listener.Server(crossOrigin{blob.PagePolicy(cfg.CORSOrigins), handler}, cfg.Limits.deadlines(), cfg.log())
	a.server.MaxHeaderBytes = maxHeader
	// Only HTTP/1, like versitygw: limits count connections, not streams.
	a.server.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
	go func() { a.done <- a.server.Serve(ln) }()
	return a
}

// stop stops the server when its requests are done, at the latest after stopTimeout.
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

// newSocket returns the name of a Unix socket for versitygw. The socket is abstract:
// there is no file to remove after a crash, no limit on the length of its path, and
// it works on file systems without sockets. Requests over it also need a signature.
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
		// Pass bytes through unchanged.
		DisableCompression:  true,
		MaxIdleConnsPerHost: idleUpstream,
		WriteBufferSize:     copyBuffer,
		ReadBufferSize:      copyBuffer,
	}
}

// answeringConn is a connection to versitygw. When versitygw refuses a request, it
// responds without reading the body and closes the connection. answeringConn then
// drops the rest of the body without an error, so that the response is read.
type answeringConn struct{ net.Conn }

// Write implements net.Conn.
func (c answeringConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return len(p), nil
	}
	return n, err
}

// newProxy returns the handler that forwards requests. It leaves everything that a
// signature covers (method, path, query, host and headers) unchanged.
func newProxy(transport http.RoundTripper, modify func(*http.Response) error) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport:      transport,
		BufferPool:     &buffers{sync.Pool{New: func() any { return new([copyBuffer]byte) }}},
		ModifyResponse: modify,
		ErrorHandler:   failed,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "objects"
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			// This server sends "100 Continue" itself, when the body is read.
			r.Out.Header.Del("Expect")
			// versitygw may leave a body unread and mistake it for the next request on
			// the connection, which would be another client's. So a connection that
			// carried a body is not reused.
			r.Out.Close = r.In.ContentLength != 0
		},
	}
}

// buffers is a pool of copy buffers.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	buffer, _ := b.pool.Get().(*[copyBuffer]byte)
	return buffer[:]
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(p []byte) { b.pool.Put((*[copyBuffer]byte)(p)) }
