package listener

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// MinRate is the minimum rate at which a peer must send a body or read a
// response, in bytes per second. It is measured over Deadlines.Stall.
const MinRate = 1 << 10

// window enforces MinRate on a peer. It counts only the time spent waiting for
// the peer, because a peer is not to blame for a slow server. The window expires
// when that time reaches the span before span times MinRate bytes have moved.
// The zero window has no limit.
type window struct {
	span  time.Duration
	left  time.Duration // of the current span
	moved int64         // bytes in the current span
	begun time.Time     // of the current wait
}

func newWindow(span time.Duration) window { return window{span: span, left: span} }

// begin starts a wait for the peer and returns the time at which the wait must end.
func (w *window) begin() time.Time {
	w.begun = time.Now()
	return w.begun.Add(w.left)
}

// end ends the wait, during which n bytes were moved. It reports whether a new
// span has begun.
func (w *window) end(n int) (renewed bool) {
	w.left -= time.Since(w.begun)
	w.moved += int64(n)
	if w.moved < int64(w.span.Seconds()*MinRate) {
		return false
	}
	w.left, w.moved = w.span, 0
	return true
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetWriteDeadline implements net.Conn. The deadline applies in addition to
// Options.Stall.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// limitWrite sets the deadline of the next write to t, or to the server's
// deadline if that is earlier.
func (c *Conn) limitWrite(t time.Time) error {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	if !c.deadline.IsZero() && c.deadline.Before(t) {
		t = c.deadline
	}
	return c.Conn.SetWriteDeadline(t)
}

// Write implements net.Conn. It fails if the peer reads slower than MinRate.
func (c *Conn) Write(p []byte) (written int, err error) {
	if c.writing.span == 0 {
		return c.Conn.Write(p)
	}
	for {
		if err := c.limitWrite(c.writing.begin()); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:])
		written += n
		if renewed := c.writing.end(n); !renewed || !errors.Is(err, os.ErrDeadlineExceeded) || c.expired() {
			return written, err
		}
	}
}

// expired reports whether the deadline that the server set has passed.
func (c *Conn) expired() bool {
	c.deadlines.Lock()
	defer c.deadlines.Unlock()
	return !c.deadline.IsZero() && !time.Now().Before(c.deadline)
}

// pacedBody is the body of a request whose client must send at MinRate. Like the
// body of net/http, it is safe for concurrent reads: a proxy's transport may
// still read the body after the request was answered.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController

	mu     sync.Mutex
	window window
	over   bool // the handler has returned, and the connection belongs to the next request
}

// pace disconnects clients of next that send a body slower than MinRate, measured
// over the span. The total time for a body is not limited.
func pace(next http.Handler, span time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			body := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), window: newWindow(span)}
			defer body.end()
			// net/http reads what next leaves unread, and has no limit of its own.
			_ = body.control.SetReadDeadline(body.window.begin())
			copied := *r
			copied.Body = body
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}

// end stops goroutines that still read the body from changing the deadlines of the next
// request.
func (b *pacedBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
}

// Read implements io.Reader.
func (b *pacedBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return 0, http.ErrBodyReadAfterClose
	}
	if err := b.control.SetReadDeadline(b.window.begin()); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.window.end(n)
	if errors.Is(err, io.EOF) {
		// net/http now watches the connection for its end, and would mistake
		// a deadline for it.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
