// Package tlslistener accepts the connections of the API: over TLS, or from a
// proxy that ends TLS. It renews the certificate, and closes connections so that
// clients can read why.
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

// Conn is a connection that the listeners of this package accept.
type Conn interface {
	net.Conn
	// ClientSent reports whether the client has sent something.
	ClientSent() bool
	// Linger lets Close wait until the client has read the answer.
	Linger()
}

var (
	_ Conn = (*tlsConn)(nil)
	_ Conn = (*plainConn)(nil)
)

// TLS returns a listener that accepts TLS connections of ln, each of which is a
// Conn. Who speaks HTTP in the clear is told what is wrong, with a link to docs.
func TLS(ln net.Listener, c *Certificate, docs apierror.DocsURL) (net.Listener, error) {
	config, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	return &tlsListener{Listener: ln, config: config, docs: docs}, nil
}

// Plain returns a listener that accepts connections of ln from a proxy that ends
// TLS, each of which is a Conn.
func Plain(ln net.Listener) net.Listener { return plainListener{ln} }

const (
	// lingerTotal and lingerIdle bound how long a connection that is closed
	// before its request was read is drained.
	lingerTotal = 10 * time.Second
	lingerIdle  = time.Second
)

// tlsListener accepts TLS connections as *tlsConn.
type tlsListener struct {
	net.Listener
	config *tls.Config
	docs   apierror.DocsURL
}

// Accept implements net.Listener. The handshake is left to the connection's own
// goroutine: a client that is slow with it would keep all others waiting here.
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

// Handshake tells a client that speaks HTTP in the clear what is wrong, in the
// clear: it would see no more than garbage otherwise.
func (c *tlsConn) Handshake() error {
	err := c.Conn.Handshake()
	var record tls.RecordHeaderError
	if errors.As(err, &record) && record.Conn != nil && isHTTP(record.RecordHeader) {
		_, _ = io.WriteString(record.Conn, plainAnswer(c.docs)) // it may be gone
		c.Linger()
	}
	return err
}

// isHTTP reports whether the first bytes of a connection begin a request of
// HTTP in the clear.
func isHTTP(header [5]byte) bool {
	switch string(header[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO":
		return true
	}
	return false
}

// plainAnswer is the answer to a request in the clear, as it goes over the wire.
// It is of the shape of every other error.
func plainAnswer(docs apierror.DocsURL) string {
	body, _ := json.Marshal(apierror.NewBody(apierror.HTTPSRequired(), docs)) // it has no values of others
	return fmt.Sprintf("HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2, HTTP/1.1\r\nConnection: close, Upgrade\r\n"+
		"X-Request-Id: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", contract.NewID(contract.RequestPrefix), len(body), body)
}

// Read implements net.Conn.
func (c *tlsConn) Read(p []byte) (int, error) { return c.noteRead(c.Conn.Read(p)) }

// Write implements net.Conn. A client that has said nothing is answered nothing:
// clients open connections ahead of their need, and one that is closed in time
// does not deserve an error that belongs to no request.
func (c *tlsConn) Write(p []byte) (int, error) {
	if !c.received.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close closes the connection, after the client has had the time to read the
// answer if it was told to linger.
func (c *tlsConn) Close() error {
	if c.lingering() {
		_ = c.Conn.CloseWrite() // an error means that there is nobody to say goodbye to
		c.drain()
	}
	return c.Conn.Close()
}

// plainListener accepts connections from a proxy that ends TLS.
type plainListener struct{ net.Listener }

// Accept implements net.Listener.
func (l plainListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &plainConn{Conn: raw, lingerer: lingerer{raw: raw}}, nil
}

// plainConn is a connection in the clear that can linger.
type plainConn struct {
	net.Conn
	lingerer
}

// NetConn returns the connection below, as that of tls.Conn does.
func (c *plainConn) NetConn() net.Conn { return c.Conn }

// Read implements net.Conn.
func (c *plainConn) Read(p []byte) (int, error) { return c.noteRead(c.Conn.Read(p)) }

// Write is as that of tlsConn.
func (c *plainConn) Write(p []byte) (int, error) {
	if !c.received.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close is as that of tlsConn.
func (c *plainConn) Close() error {
	if c.lingering() {
		c.drain()
	}
	return c.Conn.Close()
}

// lingerer keeps a connection from being reset. A socket that is closed with
// unread bytes in it sends a reset, and the client's system then throws away
// the answer that the client has not read yet: who sends a body that is refused
// would learn of a broken pipe and not of the reason.
type lingerer struct {
	raw      net.Conn
	flag     atomic.Bool
	received atomic.Bool // the client has sent something
}

// noteRead notes what a Read has returned, and returns it.
func (l *lingerer) noteRead(n int, err error) (int, error) {
	if n > 0 && !l.received.Load() {
		l.received.Store(true)
	}
	return n, err
}

// ClientSent reports whether the client has sent something.
func (l *lingerer) ClientSent() bool { return l.received.Load() }

// Linger lets Close wait for the client.
func (l *lingerer) Linger()         { l.flag.Store(true) }
func (l *lingerer) lingering() bool { return l.flag.Load() }

// drain ends the sending side and reads what the client still sends, without
// keeping it, until it closes, pauses or takes too long.
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
