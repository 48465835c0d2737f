package objectserver

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// maxUnread is how much of a body is read after the response, in bytes.
const maxUnread = 256 << 20

// requestBody is the body of a request that may be answered before the body is read.
type requestBody struct {
	io.ReadCloser
	// expected is set if the client sends the body or has sent it: either it does
	// not wait for "100 Continue", or the first Read sent that.
	expected atomic.Bool
}

// brokenBody is an error in reading the body of a request.
type brokenBody struct{ error }

// newRequestBody returns the body of r.
func newRequestBody(r *http.Request) *requestBody {
	b := &requestBody{ReadCloser: r.Body}
	b.expected.Store(r.Header.Get("Expect") == "")
	return b
}

// Read implements io.Reader. Its errors are of type *brokenBody.
func (b *requestBody) Read(p []byte) (int, error) {
	b.expected.Store(true)
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &brokenBody{err}
	}
	return n, err
}

// finish flushes the response, and then drains what the client is still sending.
// If the connection were closed earlier, the client's system could drop the
// response.
func (b *requestBody) finish(w http.ResponseWriter) {
	if err := http.NewResponseController(w).Flush(); err != nil || !b.expected.Load() {
		return
	}
	_, _ = io.CopyN(io.Discard, b.ReadCloser, maxUnread) // the bytes and errors do not matter
}
