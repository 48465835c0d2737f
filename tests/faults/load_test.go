package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// budget is longer than any time budget of the API. A response that takes longer is a
// failure.
func budget() time.Duration { return patience.Scale(75 * time.Second) }

// persistence is how long a client retries a request that has not succeeded.
func persistence() time.Duration { return patience.Scale(2 * time.Minute) }

const (
	// inFlight limits concurrent requests. An instance of a service handles 64 at a time
	// and refuses others, and a request that is not answered soon is sent up to four times.
	// Where a disk stalls for seconds, more requests would be refused, although no fault is
	// to blame.
	inFlight = 16
	// slow limits the concurrent requests of each kind that is queued, and its unfinished
	// jobs. On a busy machine the load is lower, instead of a queue that grows until
	// requests in it time out.
	slow = 2
)

// stored is what the system has accepted for a document.
type stored struct {
	name string
	text string // "" until an upload was accepted
}

// load generates requests at fixed rates, but no more at once than its limits allow. It
// records what the system has accepted and every wrong response.
type load struct {
	system *harness.System
	http   *http.Client
	// strict is set while every request must succeed.
	strict atomic.Bool
	// dying is set while a gateway is being killed: its connections break.
	dying atomic.Bool

	mu        sync.Mutex
	documents map[string]stored // by id
	once      map[string]string // documents by Idempotency-Key
	keys      []string          // all Idempotency-Keys that were sent
	jobs      map[string]bool
	readings  map[string]string // documents by the job that reads them
	insights  map[string]string // responses by request
	wrong     []string
	answers   map[string]int // by kind and status
	slowest   time.Duration

	slots   chan struct{}
	running sync.WaitGroup
	n       atomic.Int64
}

func newLoad(s *harness.System) *load {
	transport := s.Transport()
	transport.MaxIdleConnsPerHost = inFlight
	return &load{
		system: s, http: &http.Client{Transport: transport, Timeout: budget()},
		documents: map[string]stored{}, once: map[string]string{}, jobs: map[string]bool{}, answers: map[string]int{},
		readings: map[string]string{}, insights: map[string]string{},
		slots: make(chan struct{}, inFlight),
	}
}

// run sends requests until ctx is done, and returns when the last one is answered.
func (l *load) run(ctx context.Context) {
	var tickers sync.WaitGroup
	for _, kind := range []struct {
		every time.Duration
		most  int
		do    func(context.Context)
	}{
		{500 * time.Millisecond, inFlight, l.createAndUpload}, {250 * time.Millisecond, inFlight, l.get}, {time.Second, inFlight, l.list},
		{1500 * time.Millisecond, slow, l.convert}, {2 * time.Second, slow, l.convertLater},
		{2 * time.Second, slow, l.read}, {3 * time.Second, slow, l.readLater}, {2 * time.Second, slow, l.follow},
	} {
		tickers.Go(func() {
			own := make(chan struct{}, kind.most)
			ticker := time.NewTicker(kind.every)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
					l.begin(own, kind.do)
				}
			}
		})
	}
	tickers.Wait()
	l.running.Wait()
	l.http.CloseIdleConnections()
}

// begin starts one operation of the load, unless too many requests are in flight: of all
// kinds, or of its own.
func (l *load) begin(own chan struct{}, do func(context.Context)) {
	for _, slots := range []chan struct{}{own, l.slots} {
		select {
		case slots <- struct{}{}:
		default:
			if slots != own {
				<-own
			}
			return
		}
	}
	l.running.Go(func() {
		defer func() { <-l.slots; <-own }()
		ctx, cancel := context.WithTimeout(context.Background(), persistence())
		defer cancel()
		do(ctx)
	})
}

// await waits until a job has ended, or ctx has.
func (l *load) await(ctx context.Context, id string) {
	until(ctx, func() bool {
		time.Sleep(time.Second)
		var job struct{ State string }
		a := l.ask(ctx, "job", http.MethodGet, "/jobs/"+id, nil)
		return a.status == http.StatusOK && json.Unmarshal(a.body, &job) == nil && (job.State == "succeeded" || job.State == "failed")
	})
}

// fail records a failure.
func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// answer is the response to a request. Status 0 means that there was none.
type answer struct {
	status int
	body   []byte
	err    error
}

// ask sends a request to the API and records a failure if the response is not allowed.
func (l *load) ask(ctx context.Context, kind, method, path string, body any, header ...string) answer {
	var data []byte
	if body != nil {
		data, _ = json.Marshal(body)
	}
	strict, dying := l.strict.Load(), l.dying.Load()
	begin := time.Now()
	a := l.send(ctx, method, l.system.BaseURL+path, data, append(header, "x-api-key", l.system.APIKey)...)
	took := time.Since(begin)
	l.mu.Lock()
	l.answers[fmt.Sprintf("%s %d", kind, a.status)]++
	l.slowest = max(l.slowest, took)
	l.mu.Unlock()
	strict = strict && l.strict.Load()
	dying = dying || l.dying.Load()
	switch {
	case a.status == http.StatusOK || a.status == http.StatusAccepted:
	case took >= budget():
		l.fail("%s %s hangs for %v", method, path, took)
	case a.status == 0 && dying && ctx.Err() == nil:
	case a.status == 0:
		l.fail("%s %s is not answered, after %v: %v", method, path, took, a.err)
	case a.status == http.StatusConflict && slices.Contains(header, "Idempotency-Key"):
	case strict:
		l.fail("%s %s: %d %s after %v", method, path, a.status, a.body, took)
	case !isUnavailable(a):
		l.fail("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// isUnavailable reports whether the response is a well-formed error 5003 or 5004.
func isUnavailable(a answer) bool {
	var p harness.Problem
	if json.Unmarshal(a.body, &p) != nil || p.Message == "" || p.Detail == "" || !strings.HasSuffix(p.Docs, fmt.Sprintf("/docs/errors/%d", p.Code)) {
		return false
	}
	return a.status == http.StatusServiceUnavailable && p.Code == 5003 || a.status == http.StatusGatewayTimeout && p.Code == 5004
}

// send sends a request once.
func (l *load) send(ctx context.Context, method, url string, body []byte, header ...string) answer {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := l.http.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err}
	}
	return answer{status: response.StatusCode, body: content}
}

// until retries do until it succeeds, as a persistent client would. It returns false if
// ctx is done first.
func until(ctx context.Context, do func() bool) bool {
	for !do() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(200 * time.Millisecond):
		}
	}
	return true
}

type document struct {
	ID    string
	Name  string
	Files []struct {
		UploadURL   string `json:"upload_url"`
		DownloadURL string `json:"download_url"`
	}
}

// createAndUpload creates a document with an Idempotency-Key and uploads its content.
func (l *load) createAndUpload(ctx context.Context) {
	key := fmt.Sprintf("key %d", l.n.Add(1))
	l.mu.Lock()
	l.keys = append(l.keys, key)
	l.mu.Unlock()
	d, ok := l.create(ctx, key)
	if !ok {
		l.fail("the document of %s cannot be created", key)
		return
	}
	text := "This is the document of " + key + "."
	if !until(ctx, func() bool { return l.put(ctx, d.Files[0].UploadURL, text) }) {
		l.fail("the content of %s cannot be uploaded", d.ID)
		return
	}
	l.mu.Lock()
	l.documents[d.ID] = stored{key, text}
	l.mu.Unlock()
}

// put uploads content and reports whether the object store has accepted it.
func (l *load) put(ctx context.Context, url, text string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience.Limit())
	defer cancel()
	return l.send(ctx, http.MethodPut, url, []byte(text)).status == http.StatusOK
}

// create creates the document of an Idempotency-Key, or gets it again.
func (l *load) create(ctx context.Context, key string) (d document, ok bool) {
	body := map[string]any{"name": key, "files": []map[string]string{{"name": "a.txt", "type": "text/plain"}}}
	ok = until(ctx, func() bool {
		a := l.ask(ctx, "create", http.MethodPost, "/documents", body, "Idempotency-Key", key)
		return a.status == http.StatusOK && json.Unmarshal(a.body, &d) == nil
	})
	if !ok {
		return d, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.once[key]; first != "" && first != d.ID {
		l.wrong = append(l.wrong, fmt.Sprintf("%s created document %s, then %s", key, first, d.ID))
	}
	l.once[key] = d.ID
	if _, known := l.documents[d.ID]; !known {
		l.documents[d.ID] = stored{name: key}
	}
	return d, true
}

// any returns a random document whose content was uploaded.
func (l *load) any() (id string, s stored, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for id, s := range l.documents {
		if s.text != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "", stored{}, false
	}
	id = ids[rand.IntN(len(ids))]
	return id, l.documents[id], true
}

// get gets a document and its content.
func (l *load) get(ctx context.Context) {
	id, s, ok := l.any()
	if !ok {
		return
	}
	a := l.ask(ctx, "get", http.MethodGet, "/documents/"+id, nil)
	var d document
	if a.status != http.StatusOK {
		return
	}
	if err := json.Unmarshal(a.body, &d); err != nil || d.ID != id || d.Name != s.name || len(d.Files) != 1 {
		l.fail("document %s is returned as %s: %v", id, a.body, err)
		return
	}
	content := l.send(ctx, http.MethodGet, d.Files[0].DownloadURL, nil)
	if content.status == http.StatusOK && string(content.body) != s.text {
		l.fail("the content of document %s is %q, want %q", id, content.body, s.text)
	}
}

func (l *load) list(ctx context.Context) {
	a := l.ask(ctx, "list", http.MethodGet, "/documents?size=20&state=draft", nil)
	if a.status == http.StatusOK && !bytes.Contains(a.body, []byte(`"total"`)) {
		l.fail("the list is %s", a.body)
	}
}

// convert converts a document and waits for it.
func (l *load) convert(ctx context.Context) {
	if id, _, ok := l.any(); ok {
		l.ask(ctx, "convert", http.MethodPost, "/documents/"+id+"/convert", nil)
	}
}

// convertLater converts a document asynchronously and records the job.
func (l *load) convertLater(ctx context.Context) {
	id, _, ok := l.any()
	if !ok {
		return
	}
	a := l.ask(ctx, "convert later", http.MethodPost, "/documents/"+id+"/convert", nil, "Prefer", "respond-async")
	var job struct{ ID string }
	if a.status == http.StatusAccepted && json.Unmarshal(a.body, &job) == nil {
		l.mu.Lock()
		l.jobs[job.ID] = true
		l.mu.Unlock()
		l.await(ctx, job.ID)
	}
}

// check checks, after the load has ended, that the system has kept everything that it
// accepted.
func (l *load) check(t *testing.T) {
	t.Helper()
	for _, w := range l.wrong {
		t.Error(w)
	}
	t.Logf("%d documents, %d conversions, %d readings, slowest response %v; responses: %v", len(l.documents), len(l.jobs), len(l.readings), l.slowest.Round(time.Millisecond), l.answers)
	ctx, cancel := context.WithTimeout(t.Context(), patience.Scale(5*time.Minute))
	defer cancel()
	for _, key := range l.keys { // each key still returns the same document
		if d, ok := l.create(ctx, key); ok && l.documents[d.ID].text != "" {
			l.checkContent(ctx, t, d.ID)
		}
	}
	for id := range maps.Keys(l.jobs) {
		l.checkJob(ctx, t, id)
	}
	for job, document := range l.readings {
		l.checkReading(ctx, t, job, document)
	}
	names := l.names(ctx, t)
	for _, key := range l.keys {
		if names[key] != 1 {
			t.Errorf("%s created %d documents, want 1", key, names[key])
		}
	}
	if len(names) != len(l.keys) {
		t.Errorf("documents have %d names, want %d", len(names), len(l.keys))
	}
}

func (l *load) checkContent(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	var d document
	a := l.ask(ctx, "check", http.MethodGet, "/documents/"+id, nil)
	if err := json.Unmarshal(a.body, &d); err != nil || a.status != http.StatusOK || len(d.Files) != 1 {
		t.Errorf("document %s: %d %s", id, a.status, a.body)
		return
	}
	if content := l.send(ctx, http.MethodGet, d.Files[0].DownloadURL, nil); string(content.body) != l.documents[id].text {
		t.Errorf("the content of document %s is %d %q, want %q", id, content.status, content.body, l.documents[id].text)
	}
}

// checkJob waits for a job and checks its result.
func (l *load) checkJob(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	var job struct {
		State  string
		Result struct {
			DownloadURL string `json:"download_url"`
		}
		Error json.RawMessage
	}
	ended := until(ctx, func() bool {
		a := l.ask(ctx, "check", http.MethodGet, "/jobs/"+id, nil)
		return a.status == http.StatusOK && json.Unmarshal(a.body, &job) == nil && (job.State == "succeeded" || job.State == "failed")
	})
	if !ended || job.State != "succeeded" {
		t.Errorf("job %s is %+v", id, job)
		return
	}
	if pdf := l.send(ctx, http.MethodGet, job.Result.DownloadURL, nil); !bytes.HasPrefix(pdf.body, []byte("%PDF-")) {
		t.Errorf("the result of job %s is %d %.40q", id, pdf.status, pdf.body)
	}
}

// names returns how many documents have each name.
func (l *load) names(ctx context.Context, t *testing.T) map[string]int {
	t.Helper()
	names := map[string]int{}
	for page := 1; ; page++ {
		var list struct {
			Items []document
			Pages int
		}
		a := l.ask(ctx, "check", http.MethodGet, fmt.Sprintf("/documents?size=500&page=%d", page), nil)
		if err := json.Unmarshal(a.body, &list); err != nil || a.status != http.StatusOK {
			t.Fatal(errors.Join(err, fmt.Errorf("the list: %d %s", a.status, a.body)))
		}
		for _, d := range list.Items {
			names[d.Name]++
		}
		if page >= list.Pages {
			return names
		}
	}
}
