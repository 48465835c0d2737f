// Package tlslistener accepts connections to the API, over TLS or from a proxy that
// terminates TLS. It closes connections in a way that lets clients read the error response
// first.
package tlslistener

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/listener"
)

// Conn is a connection accepted by the listeners of this package.
type Conn interface {
	net.Conn
	// ClientSent reports whether the client has sent any data.
	ClientSent() bool
	// Linger makes Close wait until the client has read the response.
	Linger()
}

var (
	_ Conn = (*tlsConn)(nil)
	_ Conn = (*plainConn)(nil)
)

// TLS returns a listener that accepts TLS connections on ln. Each of them is a Conn. Clients
// that send plain HTTP get an error response with a link to docs.
func TLS(ln net.Listener, c *listener.Certificate, docs apierror.DocsURL) (net.Listener, error) {
	config, err := c.TLSConfig()
	if err != nil {
		return nil, err
	}
	return &tlsListener{Listener: ln, config: config, docs: docs}, nil
}

// Plain returns a listener that accepts connections on ln from a proxy that terminates TLS.
// Each of them is a Conn.
func Plain(ln net.Listener) net.Listener { return plainListener{ln} }

const (
	// lingerTotal and lingerIdle bound how long a connection is drained if it is closed
	// before its request was read.
	lingerTotal = 10 * time.Second
	lingerIdle  = time.Second
)

// tlsListener accepts TLS connections as *tlsConn.
type tlsListener struct {
	net.Listener
	config *tls.Config
	docs   apierror.DocsURL
}

// Accept implements net.Listener. The handshake happens later, in the connection's own
// goroutine, so that a slow client does not hold up the others.
func (l *tlsListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &tlsConn{Conn: tls.Server(raw, l.config), lingerer: lingerer{raw: raw}, docs: l.docs}, nil
}

// tlsConn is a TLS connection that can linger.
type tlsConn struct {
	*tls.Conn
	lingerer
	docs apierror.DocsURL
}

// Handshake performs the TLS handshake. To a client that sends plain HTTP, it responds with
// an error in plain HTTP, which the client can read.
func (c *tlsConn) Handshake() error {
	err := c.Conn.Handshake()
	var record tls.RecordHeaderError
	if errors.As(err, &record) && record.Conn != nil && isHTTP(record.RecordHeader) {
		_, _ = io.WriteString(record.Conn, plainAnswer(c.docs)) // the client may have disconnected
		c.Linger()
	}
	return err
}

// isHTTP reports whether the first bytes of a connection are those of a plain HTTP request.
func isHTTP(header [5]byte) bool {
	switch string(header[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO":
		return true
	}
	return false
}

// plainAnswer returns the raw response to a plain HTTP request. Its body has the same form
// as that of any other error.
func plainAnswer(docs apierror.DocsURL) string {
	body, _ := json.Marshal(apierror.NewBody(apierror.HTTPSRequired(), docs)) // cannot fail: all values are our own
	return fmt.Sprintf("HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2, HTTP/1.1\r\nConnection: close, Upgrade\r\n"+
		"X-Request-Id: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", contract.NewID(contract.RequestPrefix), len(body), body)
}

// Read implements net.Conn.
func (c *tlsConn) Read(p []byte) (int, error) { return c.noteRead(c.Conn.Read(p)) }

// Write implements net.Conn. It drops data for a client that has not sent anything. Clients
// open connections ahead of time; when an unused one is closed, they must not receive an
// error that belongs to no request.
func (c *tlsConn) Write(p []byte) (int, error) {
	if !c.received.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close closes the connection. After Linger, it first waits for the client to read the
// response.
func (c *tlsConn) Close() error {
	if c.lingering() {
		_ = c.Conn.CloseWrite() // fails if the client has disconnected
		c.drain()
	}
	return c.Conn.Close()
}

// plainListener accepts connections from a proxy that terminates TLS.
type plainListener struct{ net.Listener }

// Accept implements net.Listener.
func (l plainListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &plainConn{Conn: raw, lingerer: lingerer{raw: raw}}, nil
}

// plainConn is a connection without TLS that can linger.
type plainConn struct {
	net.Conn
	lingerer
}

// NetConn returns the underlying connection, like the method of tls.Conn.
func (c *plainConn) NetConn() net.Conn { return c.Conn }

// Read implements net.Conn.
func (c *plainConn) Read(p []byte) (int, error) { return c.noteRead(c.Conn.Read(p)) }

// Write implements net.Conn. See tlsConn.Write.
func (c *plainConn) Write(p []byte) (int, error) {
	if !c.received.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close closes the connection. See tlsConn.Close.
func (c *plainConn) Close() error {
	if c.lingering() {
		c.drain()
	}
	return c.Conn.Close()
}

// lingerer keeps a connection from being reset. Closing a socket with unread data sends a
// reset, and the client's operating system then discards the response that the client has
// not read yet. A client whose body is rejected would see a broken pipe instead of the
// error.
type lingerer struct {
	raw      net.Conn
	flag     atomic.Bool
	received atomic.Bool // the client has sent data
}

// noteRead records whether a Read returned data. It returns its arguments.
func (l *lingerer) noteRead(n int, err error) (int, error) {
	if n > 0 && !l.received.Load() {
		l.received.Store(true)
	}
	return n, err
}

// ClientSent reports whether the client has sent any data.
func (l *lingerer) ClientSent() bool { return l.received.Load() }

// Linger makes Close wait until the client has read the response.
func (l *lingerer) Linger()         { l.flag.Store(true) }
func (l *lingerer) lingering() bool { return l.flag.Load() }

// drain closes the sending side, then reads and discards what the client sends, until the
// client closes the connection, pauses, or takes too long.
func (l *lingerer) drain() {
	listener.Of(l.raw).Idle() // a new connection may take its place
	if c, ok := l.raw.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
	end := time.Now().Add(lingerTotal)
	buffer := make([]byte, 32<<10)
	for time.Now().Before(end) {
		_ = l.raw.SetReadDeadline(time.Now().Add(lingerIdle))
		if _, err := l.raw.Read(buffer); err != nil {
			return
		}
	}
}
