package objectserver

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// maxUnread is how much of a body is still read after the answer, in bytes.
const maxUnread = 256 << 20

// requestBody is the body of a request, which may be answered before it is read.
type requestBody struct {
	io.ReadCloser
	// expected says that the client sends the body, or has sent it: it does not
	// wait for "100 Continue", or was told so by the first Read.
	expected atomic.Bool
}

// brokenBody is what is wrong with the body of a request.
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

// finish sends what has been answered, and reads what the client is still
// sending: were the connection closed before that, the client's system could drop
// the answer.
func (b *requestBody) finish(w http.ResponseWriter) {
	if err := http.NewResponseController(w).Flush(); err != nil || !b.expected.Load() {
		return
	}
	_, _ = io.CopyN(io.Discard, b.ReadCloser, maxUnread) // whatever comes is dropped
}
