package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// users and pollers are how many clients of each kind send requests at a time. Users work
// on documents. Pollers send short requests with short pauses, so that there is one at
// every moment of a restart. Every second client opens a new connection for each request.
const users, pollers = 4, 4

// pollEvery is the pause between the requests of a poller.
const pollEvery = 10 * time.Millisecond

// load sends requests of all kinds steadily and expects every one of them to succeed.
// No request is repeated, except by the Transport of net/http, as for all programs that
// use it.
type load struct {
	t      *testing.T
	cancel context.CancelFunc
	// during says what is being done to the cluster.
	during  atomic.Value
	running sync.WaitGroup

	mu       sync.Mutex
	sent     map[string]int
	failures []string
	slowest  map[string]slow // by what was being done
}

// slow is an answer that took long.
type slow struct {
	request string
	took    time.Duration
}

// startLoad starts the clients. The caller must call stop.
func startLoad(t *testing.T) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{t: t, cancel: cancel, sent: map[string]int{}, slowest: map[string]slow{}}
	l.during.Store("nothing")
	for n := range users + pollers {
		c := &client{load: l, n: n, api: system.Client(t)}
		do := c.work
		if n >= users {
			do = c.poll
		}
		l.running.Go(func() { do(ctx) })
	}
	t.Cleanup(l.stop)
	return l
}

// stop ends the load when all requests in progress are answered.
func (l *load) stop() {
	l.cancel()
	l.running.Wait()
}

// total returns how many requests were sent.
func (l *load) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, count := range l.sent {
		n += count
	}
	return n
}

// check fails the test if a request failed, and prints the slowest answers. The load must
// have been stopped.
func (l *load) check() {
	l.t.Helper()
	for _, f := range l.failures[:min(10, len(l.failures))] {
		l.t.Error(f)
	}
	if n := len(l.failures); n > 10 {
		l.t.Errorf("and %d more failures", n-10)
	}
	say("%d requests: %v", l.total(), l.sent)
	for _, during := range slices.Sorted(maps.Keys(l.slowest)) {
		s := l.slowest[during]
		say("the slowest answer during %s took %v: %s", during, s.took.Round(time.Millisecond), s.request)
	}
}

// note records the answer to a request.
func (l *load) note(request, during string, took time.Duration, failure string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent[request]++
	if took > l.slowest[during].took {
		l.slowest[during] = slow{request, took}
	}
	if failure != "" {
		l.failures = append(l.failures, fmt.Sprintf("%s, during %s, after %v: %s: %s", time.Now().Format("15:04:05.000"), during, took.Round(time.Millisecond), request, failure))
	}
}

// client is one client.
type client struct {
	load *load
	n    int
	api  *harness.Client
}

// send sends a request and decodes the answer into v. It reports whether the request
// succeeded.
func (c *client) send(what string, r harness.Request, v any) bool {
	if c.n%2 == 1 {
		header := map[string]string{"Connection": "close"}
		maps.Copy(header, r.Header)
		r.Header = header
	}
	during := c.load.during.Load().(string)
	begin := time.Now()
	a, err := c.api.Try(r)
	took := time.Since(begin)
	if errors.Is(err, context.Canceled) {
		return false // the test has ended
	}
	failure := ""
	switch {
	case err != nil:
		failure = err.Error()
	case a.Status != http.StatusOK:
		failure = fmt.Sprintf("%d %s", a.Status, a.Body)
	case v != nil:
		if err := json.Unmarshal(a.Body, v); err != nil {
			failure = err.Error()
		}
	}
	c.load.note(what, during, took, failure)
	return failure == ""
}

// work does with one new document after the other what users do.
func (c *client) work(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		c.round(fmt.Sprintf("client %d, round %d", c.n, n))
	}
}

// poll gets and changes the same document again and again.
func (c *client) poll(ctx context.Context) {
	id, ok := c.create(fmt.Sprintf("poller %d", c.n))
	for n := 0; ok && ctx.Err() == nil; n++ {
		c.send("get", harness.Request{Path: "/documents/" + id}, nil)
		if n%4 == 0 {
			c.send("update", harness.Request{Method: http.MethodPatch, Path: "/documents/" + id, Body: map[string]any{"name": fmt.Sprintf("name %d", n)}}, nil)
		}
		time.Sleep(pollEvery)
	}
}

// create creates a document with its content.
func (c *client) create(name string) (id string, ok bool) {
	contentType, form := createForm(name)
	var d struct{ ID string }
	ok = c.send("create", harness.Request{Method: http.MethodPost, Path: "/documents", Body: bytes.NewReader(form), Header: map[string]string{"Content-Type": contentType}}, &d)
	return d.ID, ok
}

// round does all of that with one document.
func (c *client) round(mark string) {
	id, ok := c.create(mark)
	if !ok {
		return
	}
	at := "/documents/" + id
	for _, step := range []struct {
		what, method, path string
		body               any
	}{
		{"get", http.MethodGet, at, nil},
		{"update", http.MethodPatch, at, map[string]any{"name": "new name of " + mark}},
		{"convert", http.MethodPost, at + "/convert", nil},
		{"list", http.MethodGet, "/documents?size=20", nil},
		{"annotate", http.MethodPost, at + "/annotate", map[string]any{"field_values": map[string]any{"agreementinput-fee": map[string]string{"value": "120.50"}}}},
		{"insights", http.MethodPost, "/insights", map[string]any{"document_id": id, "insights": []any{map[string]any{"type": "document_title"}}}},
		{"insights of text", http.MethodPost, "/insights", map[string]any{"doc_text": "CONSULTING AGREEMENT\nIt is number " + mark + ".\n", "insights": []any{map[string]any{"type": "document_title"}}}},
		{"delete", http.MethodDelete, at, nil},
	} {
		c.send(step.what, harness.Request{Method: step.method, Path: step.path, Body: step.body}, nil)
	}
}

// createForm returns a request that creates a document with its content in one call.
func createForm(name string) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	document, err := json.Marshal(map[string]string{"name": name})
	for _, p := range []struct {
		disposition, mediaType string
		content                []byte
	}{
		{`form-data; name="document"`, "application/json", document},
		{`form-data; name="files"; filename="contract.docx"`, "application/octet-stream", harness.Contract()},
	} {
		part, partErr := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {p.disposition}, "Content-Type": {p.mediaType}})
		if err = errors.Join(err, partErr); err == nil {
			_, err = part.Write(p.content)
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return w.FormDataContentType(), b.Bytes()
}
