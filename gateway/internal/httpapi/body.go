package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"golang.org/x/sync/semaphore"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// minBodyRate is how fast a body must arrive after the first seconds, in bytes per
	// second.
	minBodyRate = 32 << 10
	// memoryStep is the step, in bytes, in which a body of unknown length reserves memory.
	memoryStep = 1 << 20
)

// bodyMemory is the memory, in bytes, that the bodies of all requests share, and a gauge
// of how much of it is reserved.
type bodyMemory struct {
	room *semaphore.Weighted
	used prometheus.Gauge
}

// take reserves n bytes and reports whether they were available.
func (m bodyMemory) take(n int64) bool {
	if !m.room.TryAcquire(n) {
		return false
	}
	m.used.Add(float64(n))
	return true
}

// give returns n bytes.
func (m bodyMemory) give(n int64) {
	m.room.Release(n)
	m.used.Sub(float64(n))
}

// bodyReader reads the body of a request, within limits on its size, its time and the
// memory that all bodies share.
type bodyReader struct {
	stream   io.Reader
	conn     net.Conn
	memory   bodyMemory
	size     int64 // the declared length, -1 for none
	limit    int64
	patience time.Duration

	begin    time.Time
	read     int64
	reserved int64
	flat     bool // the body passes through a fixed buffer, whatever its length
	done     bool // the stream has been read to its end
}

// openBody returns a reader of the request's body, of at most limit bytes, and the
// declared length, or -1 if the client declared none. It rejects a body that is declared
// to be larger or that has a Content-Encoding without reading it. It reserves memory for
// the whole body.
func (s *Server) openBody(fctx *fasthttp.RequestCtx, limit int64) (*bodyReader, int64, error) {
	b, err := s.newBody(fctx, limit)
	if err != nil || b.done {
		return b, 0, err
	}
	if b.size < 0 {
		return b, b.size, b.reserve(memoryStep)
	}
	return b, b.size, b.reserve(b.size)
}

// openPassing is openBody for a body that passes through a fixed amount of memory, in
// bytes.
func (s *Server) openPassing(fctx *fasthttp.RequestCtx, limit, memory int64) (*bodyReader, error) {
	b, err := s.newBody(fctx, limit)
	if err != nil || b.done {
		return b, err
	}
	b.flat = true
	return b, b.reserve(memory)
}

// newBody returns a reader of the request's body that has not reserved memory yet.
func (s *Server) newBody(fctx *fasthttp.RequestCtx, limit int64) (*bodyReader, error) {
	if announced := fctx.Request.Header.Peek(headerAnnounced); len(announced) > 0 {
		if n, err := strconv.ParseInt(string(announced), 10, 64); err == nil && n <= limit { // the key was created a moment ago
			return nil, problem.New(problem.Unavailable, "The API key or the session became valid only after the request began. Retry the request.").After(time.Second)
		}
		return nil, tooLarge(limit)
	}
	size := max(int64(fctx.Request.Header.ContentLength()), -1)
	if encoding := fctx.Request.Header.ContentEncoding(); len(encoding) > 0 && string(encoding) != "identity" {
		return nil, problem.New(problem.InvalidRequest, "The Content-Encoding %.32q is not supported. Send the body without a Content-Encoding.", encoding)
	}
	if size > limit {
		return nil, tooLarge(limit)
	}
	b := &bodyReader{
		stream: fctx.RequestBodyStream(), conn: fctx.Conn(), memory: s.memory,
		size: size, limit: limit, patience: s.cfg.ReadTimeout, begin: time.Now(),
	}
	if b.stream == nil { // the request has no body
		b.done = true
		return b, nil
	}
	x := s.exchange(fctx)
	if len(x.head) > 0 {
		b.stream = io.MultiReader(bytes.NewReader(x.head), b.stream)
	}
	x.body = b
	return b, nil
}

func tooLarge(limit int64) error {
	return problem.New(problem.TooLarge, "The body exceeds the limit of %s. Send a smaller body.", problem.Bytes(limit))
}

// reserve reserves n more bytes of the memory for bodies, or fails at once. Waiting for
// memory would keep connections open.
func (b *bodyReader) reserve(n int64) error {
	if !b.memory.take(n) {
		return problem.New(problem.Unavailable, "The memory for request bodies is full. Retry later.").After(time.Second)
	}
	b.reserved += n
	return nil
}

// release returns the memory. The body must not be read afterwards.
func (b *bodyReader) release() {
	b.memory.give(b.reserved)
	b.reserved = 0
}

// Read implements io.Reader. Its errors are io.EOF or of type *problem.Error.
func (b *bodyReader) Read(p []byte) (int, error) {
	if b.done {
		return 0, io.EOF
	}
	if !b.flat {
		if b.size < 0 && b.read == b.reserved {
			if err := b.reserve(memoryStep); err != nil {
				return 0, err
			}
		}
		p = p[:min(int64(len(p)), b.reserved-b.read)]
	}
	allowed := b.begin.Add(2*b.patience + time.Duration(b.read/minBodyRate)*time.Second)
	deadline := time.Now().Add(b.patience)
	if allowed.Before(deadline) {
		deadline = allowed
	}
	if err := b.conn.SetReadDeadline(deadline); err != nil {
		return 0, b.failure(err)
	}
	n, err := b.stream.Read(p)
	b.read += int64(n)
	switch {
	case b.read > b.limit:
		return 0, tooLarge(b.limit)
	case errors.Is(err, io.EOF):
		b.done = true
	case err != nil:
		return n, b.failure(err)
	}
	return n, err
}

// failure returns the error for a body that did not arrive: it was too slow, or the client
// gave up.
func (b *bodyReader) failure(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem.New(problem.InvalidRequest, "The body stopped after %d bytes or arrived too slowly. Retry, and send the body without pauses.", b.read).Because(err)
	}
	return problem.New(problem.InvalidRequest, "The body ended after %d bytes, before its declared length. Retry the request.", b.read).Because(err)
}

// readBody reads the whole body, of at most limit bytes, into memory.
func (r *request) readBody(limit int64) ([]byte, error) {
	b, size, err := r.server.openBody(r.Context(), limit)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, max(size, 0)+1) // one byte more, so that reading io.EOF does not grow the slice
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := b.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// prefetched is how many bytes of a body the HTTP library reads up front. A body up to
// this size has arrived completely and can be dropped at no cost.
const prefetched = 8 << 10

// hasUnreadBody reports whether bytes of the request's body have not been read yet. On a
// persistent connection they would be taken for the next request.
func hasUnreadBody(fctx *fasthttp.RequestCtx, b *bodyReader) bool {
	size := fctx.Request.Header.ContentLength()
	if fctx.RequestBodyStream() == nil || size == 0 || size > 0 && size <= prefetched {
		return false
	}
	return b == nil || !b.done
}
