package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// steady is a load of which every request must succeed at the first try. Workers do with
// one small document after the other what clients do. Pollers open a new connection for
// each request, with short pauses, so that there is one at every moment of a restart.
type steady struct {
	base string
	// kept keeps connections open between requests, and fresh does not.
	kept, fresh *http.Client
	// key is the API key of the next requests.
	key atomic.Pointer[string]
	// during says what is being done to the system.
	during atomic.Value

	cancel  context.CancelFunc
	running sync.WaitGroup
	rounds  [workers + pollers]atomic.Int64 // by client

	mu       sync.Mutex
	sent     map[string]int
	failures map[string][]string // by what was being done
}

const (
	workers, pollers = 2, 2
	pollEvery        = 20 * time.Millisecond
	contractFile     = "contract.docx"
)

// startSteady starts the load. It ends with the test, and fails it if a request failed.
func startSteady(t *testing.T, base, key string, roots *x509.CertPool) *steady {
	t.Helper()
	client := func(fresh bool) *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: fresh, MaxIdleConnsPerHost: workers}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, Timeout: budget()}
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &steady{base: base, kept: client(false), fresh: client(true), cancel: cancel, sent: map[string]int{}, failures: map[string][]string{}}
	s.key.Store(&key)
	s.during.Store("nothing")
	for n := range s.rounds {
		do := s.work
		if n >= workers {
			do = s.poll
		}
		s.running.Go(func() {
			for ctx.Err() == nil {
				do()
				s.rounds[n].Add(1)
			}
		})
	}
	t.Cleanup(func() { s.stop(t) })
	return s
}

// stop ends the load when all requests in progress are answered, and reports failures.
func (s *steady) stop(t *testing.T) {
	s.cancel()
	s.running.Wait()
	for during, failures := range s.failures {
		t.Errorf("%d requests failed during the rotation of %s, such as:\n%s", len(failures), during, strings.Join(failures[:min(5, len(failures))], "\n"))
	}
	t.Logf("requests: %v", s.sent)
}

// answered waits until every client has begun and ended a round.
func (s *steady) answered(t *testing.T) {
	t.Helper()
	s.wait(t, 0)
}

// polled waits until every poller has.
func (s *steady) polled(t *testing.T) {
	t.Helper()
	s.wait(t, workers)
}

// wait waits until the clients from the first one have begun and ended a round.
func (s *steady) wait(t *testing.T, first int) {
	t.Helper()
	var from [workers + pollers]int64
	for n := range s.rounds {
		from[n] = s.rounds[n].Load()
	}
	for n := first; n < len(s.rounds); n++ {
		patience.Until(t, "every client has begun and ended a round", func() bool { return s.rounds[n].Load() >= from[n]+2 })
	}
}

// send sends a request to a path of the API, or to a presigned URL without a key.
func (s *steady) send(client *http.Client, method, path string, body []byte) answer {
	l := load{http: client}
	if strings.Contains(path, "://") {
		return l.send(context.Background(), method, path, body)
	}
	return l.send(context.Background(), method, s.base+path, body, "x-api-key", *s.key.Load())
}

// ask sends a request of the load, records a failure, and decodes the answer into v unless
// v is nil. It reports whether the request succeeded.
func (s *steady) ask(client *http.Client, what, method, path string, body, v any) bool {
	data, raw := body.([]byte)
	if body != nil && !raw {
		data, _ = json.Marshal(body)
	}
	during, begin := s.during.Load().(string), time.Now()
	a := s.send(client, method, path, data)
	var problem string
	switch {
	case a.err != nil:
		problem = a.err.Error()
	case a.status != http.StatusOK:
		problem = fmt.Sprintf("%d %s", a.status, a.body)
	case v != nil:
		if err := json.Unmarshal(a.body, v); err != nil {
			problem = err.Error()
		}
	}
	s.note(what, during, begin, problem)
	return problem == ""
}

// note records a request, and why it failed, if it did.
func (s *steady) note(what, during string, begin time.Time, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[what]++
	if problem != "" {
		s.failures[during] = append(s.failures[during], fmt.Sprintf("at %s: %s: %s", begin.Format("15:04:05.000"), what, problem))
	}
}

// poll gets the user of the key.
func (s *steady) poll() {
	s.ask(s.fresh, "get the user", http.MethodGet, "/me", nil, nil)
	time.Sleep(pollEvery)
}

// create creates a document with one file, which is yet to be uploaded.
func (s *steady) create(file string) (d document, ok bool) {
	body := map[string]any{"name": file, "files": []map[string]string{{"name": file, "type": "application/octet-stream"}}}
	return d, s.ask(s.kept, "create", http.MethodPost, "/documents", body, &d) && len(d.Files) == 1
}

// work does with one document what clients do.
func (s *steady) work() {
	content := harness.Contract()
	d, ok := s.create(contractFile)
	if !ok || !s.ask(s.kept, "upload", http.MethodPut, d.Files[0].UploadURL, content, nil) {
		return
	}
	at := "/documents/" + d.ID
	if !s.ask(s.kept, "get", http.MethodGet, at, nil, &d) {
		return
	}
	if a := s.send(s.kept, http.MethodGet, d.Files[0].DownloadURL, nil); !bytes.Equal(a.body, content) {
		s.note("download", s.during.Load().(string), time.Now(), fmt.Sprintf("%d %.200s %v", a.status, a.body, a.err))
	}
	for _, step := range []struct {
		what, path string
		body       any
	}{
		{"convert", at + "/convert", nil},
		{"annotate", at + "/annotate", map[string]any{"field_values": map[string]any{"agreementinput-fee": map[string]string{"value": "120.50"}}}},
		{"insights", "/insights", map[string]any{"document_id": d.ID, "insights": []any{map[string]any{"type": "document_title"}}}},
	} {
		s.ask(s.kept, step.what, http.MethodPost, step.path, step.body, nil)
	}
}
