package provider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

const (
	// maxAnswer bounds the text of an answer.
	maxAnswer = 1 << 20
	// bytesPerToken is how much a streamed answer may have for each of its tokens: several
	// providers wrap each one in a JSON object of some hundred bytes.
	bytesPerToken = 2 << 10
	// textPerToken is how much text an answer may have for each of its tokens. langchaingo
	// takes quadratic time for the parts of a stream.
	textPerToken = 64
	// maxFailure bounds the body of an error.
	maxFailure = 64 << 10
)

// The faults of an exchange that are found here. net/http returns errTimeout as the cause
// of its context.
var (
	errTimeout  = errors.New("no answer in time")
	errTooLarge = errors.New("the response is too large")
	// errUnusable is what langchaingo gets instead of a response without an answer.
	errUnusable = errors.New("the response has no answer")
)

// exchange is the HTTP request for one answer: the http.RoundTripper beneath langchaingo,
// and what it has seen. It completes the request, reads the whole response with all its
// bounds, and hands it to langchaingo only if it is a whole answer. langchaingo thus never
// reads from a connection, sees no error messages, and follows no redirects, which could
// send the document to an address that nobody has configured.
type exchange struct {
	api     api
	schema  Schema
	web     http.RoundTripper
	timeout time.Duration
	// limit bounds the response, most the text of a streamed answer.
	limit int64
	most  int

	sent   atomic.Bool // the connection's goroutine may set it late
	status int
	after  time.Duration
	body   []byte
	fault  error
	report report
}

// RoundTrip implements http.RoundTripper.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	idle := time.AfterFunc(x.timeout, func() { cancel(errTimeout) })
	defer idle.Stop()
	request, err := x.complete(ctx, r)
	if err != nil {
		x.fault = err
		return nil, err
	}
	response, err := x.web.RoundTrip(request)
	if err != nil {
		x.fault = err
		return nil, err
	}
	defer response.Body.Close()
	x.status, x.after = response.StatusCode, retryAfter(response.Header, time.Now())
	x.body, x.fault = x.readAll(response, idle)
	if x.status == http.StatusOK && !errors.Is(x.fault, errTooLarge) {
		x.report = x.api.read(x.body)
	}
	if x.explain(nil) != nil {
		return nil, errUnusable
	}
	response.Body = io.NopCloser(bytes.NewReader(x.body))
	return response, nil
}

// complete returns the request that is sent: langchaingo's, amended.
func (x *exchange) complete(ctx context.Context, r *http.Request) (*http.Request, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body members
	if err := json.Unmarshal(data, &body, lenient); err != nil {
		return nil, err
	}
	x.api.amend(body, x.schema)
	if data, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return nil, err
	}
	trace := httptrace.ClientTrace{WroteHeaders: func() { x.sent.Store(true) }}
	out := r.Clone(httptrace.WithClientTrace(ctx, &trace))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	out.Body, _ = out.GetBody()
	out.ContentLength = int64(len(data))
	out.Header.Set("User-Agent", "Recto")
	x.api.authorize(out.Header)
	return out, nil
}

// readAll reads a body. The timeout restarts with each part.
func (x *exchange) readAll(r *http.Response, idle *time.Timer) ([]byte, error) {
	limit := x.limit
	if r.StatusCode != http.StatusOK {
		limit = maxFailure
	}
	var all bytes.Buffer
	part := make([]byte, 32<<10)
	for {
		idle.Reset(x.timeout)
		n, err := r.Body.Read(part)
		all.Write(part[:n])
		switch {
		case errors.Is(err, io.EOF):
			return all.Bytes(), nil
		case err != nil:
			return all.Bytes(), err
		case int64(all.Len()) > limit:
			return all.Bytes(), errTooLarge
		}
	}
}

// tokens returns what the request has used, as far as the provider has said it.
func (x *exchange) tokens() insightapi.Tokens {
	t := x.report.tokens
	if x.sent.Load() {
		t.Requests = 1
	}
	return t
}
