package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// clientTimeout is longer than any time budget of the API. A request that takes longer
// hangs.
func clientTimeout() time.Duration { return patience.Scale(90 * time.Second) }

// kills returns how many times the program is killed: RECTO_KILLS, or 3 if it is not set.
func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("RECTO_KILLS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("RECTO_KILLS: %v", err)
	}
	return n
}

// promises records the responses that a system must stand by.
type promises struct {
	mu        sync.Mutex
	documents map[string]string // content by document, "" if the upload was not answered
	once      map[string]string // documents by Idempotency-Key
	jobs      map[string]bool
	fillings  map[string]string // values by job
	insights  map[string]*reading
	pages     []string // paths of images of pages, answered or not
	errors    []string // wrong responses
}

func newPromises() *promises {
	return &promises{
		documents: map[string]string{}, once: map[string]string{}, jobs: map[string]bool{}, fillings: map[string]string{}, insights: map[string]*reading{},
	}
}

// some reports whether there are promises of each kind.
func (p *promises) some() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.documents) > 0 && len(p.once) > 0 && len(p.jobs) > 0 && len(p.fillings) > 0 && len(p.insights) > 0 && len(p.pages) > 0
}

// impatient returns variables that make jobs of a killed program continue soon.
func impatient() []string {
	wait := patience.Scale(5 * time.Second).String()
	return []string{"CONVERSION_ACK_WAIT=" + wait, "ANNOTATION_ACK_WAIT=" + wait, "INSIGHT_ACK_WAIT=" + wait}
}

// TestKill kills the program under load several times. The program must stand by all of
// its responses.
func TestKill(t *testing.T) {
	harness.StandaloneOnly(t)
	p := newPromises()
	dir := t.TempDir()
	var keys []string // all keys that were sent, answered or not
	for round := range kills(t) {
		s := harness.Start(t, harness.Options{Dir: dir, Rate: "unlimited", Env: impatient()})
		for i := range 20 {
			keys = append(keys, fmt.Sprintf("%d-%d", round, i))
		}
		load(t, s, p, keys, 1500*time.Millisecond+time.Duration(round%5)*300*time.Millisecond)
	}
	s := harness.Start(t, harness.Options{Dir: dir, Rate: "unlimited", Env: impatient()})
	c := s.Client(t)
	for _, e := range p.errors {
		t.Error(e)
	}
	p.check(t, c)
	for _, key := range keys { // completes unanswered requests; each must be done once
		a := repeat(c, key, "/documents", named(key))
		for ; a.Status == http.StatusConflict; a = repeat(c, key, "/documents", named(key)) {
			pause()
		}
		var d document
		a.OK(&d)
		if first := p.once[key]; first != "" && first != d.ID {
			t.Errorf("the key %s created document %s, then %s", key, first, d.ID)
		}
		var list struct{ Total int }
		if c.Get("/documents?organization_id=" + c.OrganizationID + "&created_at=" + fmt.Sprint(d.CreatedAt) + "&size=500").OK(&list); list.Total < 1 {
			t.Errorf("document %s is not listed", d.ID)
		}
	}
	t.Logf("%d documents, %d conversions, %d fillings, %d requests for insights and %d Idempotency-Keys over %d kills",
		len(p.documents), len(p.jobs), len(p.fillings), len(p.insights), len(keys), kills(t))
	names := allNames(t, c)
	for _, key := range keys {
		if n := names["once "+key]; n != 1 {
			t.Errorf("the key %s created %d documents, want 1", key, n)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	checkEvents(t, s, p)
}

// check checks that a system stands by the responses about documents, jobs, insights and
// pages.
func (p *promises) check(t *testing.T, c *harness.Client) {
	t.Helper()
	for id, text := range p.documents {
		if got := content(t, c, "/documents/"+id); text != "" && got != text {
			t.Errorf("the content of document %s is %q, want %q", id, got, text)
		}
	}
	for id := range p.jobs {
		if j := ended(t, c, id); j.State != "succeeded" {
			t.Errorf("job %s ended as %+v", id, j)
		} else if a := c.Raw(http.MethodGet, j.Result.DownloadURL, nil, nil); a.Status != 200 || !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
			t.Errorf("the result of job %s is %d %.20q", id, a.Status, a.Body)
		}
	}
	for id, value := range p.fillings {
		if j := ended(t, c, id); j.State != "succeeded" {
			t.Errorf("job %s ended as %+v", id, j)
		} else if text := filledText(t, download(t, c, j.Result.DownloadURL)); !strings.Contains(text, spaceless(value)) {
			t.Errorf("the result of job %s says %q, want %q", id, text, value)
		}
	}
	p.checkInsights(t, c)
	p.checkPages(t, c)
}

// named returns the body of a document that is created once.
func named(key string) object { return with("name", "once "+key) }

// allNames returns how many documents have each name.
func allNames(t *testing.T, c *harness.Client) map[string]int {
	t.Helper()
	names := map[string]int{}
	for page := 1; ; page++ {
		var list struct {
			Items []document
			Pages int
		}
		c.Get(fmt.Sprintf("/documents?size=500&page=%d", page)).OK(&list)
		for _, d := range list.Items {
			names[d.Name]++
		}
		if page >= list.Pages {
			return names
		}
	}
}

// checkEvents checks the event stream of a stopped system. Every document and every
// finished job has exactly one event, and no event occurs twice.
func checkEvents(t *testing.T, s *harness.System, p *promises) {
	t.Helper()
	seen, created, completed, read := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	eachMessage(t, s, func(stream string, m *jetstream.RawStreamMsg) {
		if stream != "EVENTS" {
			return // a job moved to the interactive lane may be in both lanes of its queue
		}
		var e struct {
			ID, Type, Subject string
			Data              struct {
				JobID string `json:"job_id"`
			}
		}
		if err := json.Unmarshal(m.Data, &e); err != nil {
			t.Fatal(err)
		}
		seen[e.ID]++
		switch e.Type {
		case "document.created":
			created[e.Subject]++
		case "conversion.completed":
			completed[e.Data.JobID]++
		case "insight.completed":
			read[e.Data.JobID]++
		}
	})
	for id, n := range seen {
		if n != 1 {
			t.Errorf("event %s is in the stream %d times, want 1", id, n)
		}
	}
	for id := range p.jobs {
		if completed[id] != 1 {
			t.Errorf("job %s has %d conversion.completed events, want 1", id, completed[id])
		}
	}
	for id := range p.fillings {
		if n := seen["annotated."+id]; n != 1 {
			t.Errorf("job %s has %d events of a filled document, want 1", id, n)
		}
	}
	p.checkReadings(t, read)
	for id := range p.documents {
		if created[id] != 1 {
			t.Errorf("document %s has %d document.created events, want 1", id, created[id])
		}
	}
}

// load sends requests to a system for the given time, and until promises of each kind are
// recorded. Then it kills the system while requests are in flight.
func load(t *testing.T, s *harness.System, p *promises, keys []string, d time.Duration) {
	t.Helper()
	stop := startLoad(s, p, keys)
	time.Sleep(d)
	patience.Until(t, "there are promises of each kind", p.some)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	stop()
}

// startLoad sends requests to a system until stop is called, which waits for the last ones.
func startLoad(s *harness.System, p *promises, keys []string) (stop func()) {
	transport := s.Transport()
	l := &loader{s: s, p: p, http: &http.Client{Transport: transport, Timeout: clientTimeout()}}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
					l.work(w, n, keys)
				}
			}
		})
	}
	return func() {
		close(ended)
		wg.Wait()
		transport.CloseIdleConnections()
	}
}

// work sends the n-th requests of a worker.
func (l *loader) work(w, n int, keys []string) {
	switch w {
	case 0:
		l.createOnce(keys[n%len(keys)])
	case 1:
		l.createUploadFill(fmt.Sprintf("value %d", n), n)
	case 2, 3: // two workers, so that they often request the same insights
		l.readText(fmt.Sprintf("%d.%d", len(keys), n/len(waysToAsk)), waysToAsk[n%len(waysToAsk)])
		if w == 3 && n%4 == 0 {
			l.createUploadRead(fmt.Sprintf("%d.%d", len(keys), n))
		}
	default:
		l.createUploadConvert(fmt.Sprintf("text %d.%d", w, n), n%4 == 0)
	}
}

// loader sends requests that may be interrupted at any time.
type loader struct {
	s    *harness.System
	p    *promises
	http *http.Client
}

// send sends a request and decodes the response into v. It reports whether a complete
// response with status 200 or 202 arrived.
func (l *loader) send(method, url string, body []byte, header map[string]string, v any) bool {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // cannot happen: tests build the request
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	begin := time.Now()
	response, err := l.http.Do(request)
	if time.Since(begin) >= clientTimeout() {
		l.wrong("%s %s hangs", method, url)
	}
	if err != nil {
		return false
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return false
	}
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted:
		return v == nil || json.Unmarshal(answer, v) == nil
	case http.StatusConflict, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		l.wrong("%s %s: %d %s", method, url, response.StatusCode, answer)
	}
	return false
}

func (l *loader) wrong(format string, args ...any) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.p.errors = append(l.p.errors, fmt.Sprintf(format, args...))
}

// api sends a POST to the API.
func (l *loader) api(path string, body any, v any, header ...string) bool {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // cannot happen: tests build the request
	}
	h := map[string]string{"x-api-key": l.s.APIKey}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	return l.send(http.MethodPost, l.s.BaseURL+path, data, h, v)
}

// createOnce creates a document with an Idempotency-Key that may have been sent before.
func (l *loader) createOnce(key string) {
	var d document
	if !l.api("/documents", named(key), &d, "Idempotency-Key", key) {
		return
	}
	l.p.mu.Lock()
	first := l.p.once[key]
	l.p.once[key] = d.ID
	l.p.documents[d.ID] = ""
	l.p.mu.Unlock()
	if first != "" && first != d.ID {
		l.wrong("the key %s created document %s, then %s", key, first, d.ID)
	}
}

// createUpload creates a document and uploads its content. It reports whether both
// requests succeeded.
func (l *loader) createUpload(name, content string) (d document, ok bool) {
	if !l.api("/documents", object{"name": "load", "files": []object{{"name": name, "type": "text/plain"}}}, &d) {
		return d, false
	}
	l.p.mu.Lock()
	l.p.documents[d.ID] = ""
	l.p.mu.Unlock()
	if !l.send(http.MethodPut, d.Files[0].UploadURL, []byte(content), nil, nil) {
		return d, false
	}
	l.p.mu.Lock()
	l.p.documents[d.ID] = content
	l.p.mu.Unlock()
	return d, true
}

// createUploadFill fills a Word document or, if n is odd, a PDF asynchronously, then
// synchronously. It shows a page of the PDF first.
func (l *loader) createUploadFill(value string, n int) {
	name, content := "a.docx", harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a}}"})
	if n%2 == 1 {
		name, content = "a.pdf", textPDF("{{agreementinput-a}}")
	}
	d, ok := l.createUpload(name, string(content))
	if !ok {
		return
	}
	if n%2 == 1 {
		l.show(d.ID)
	}
	body := object{"field_values": object{"agreementinput-a": object{"value": value}}}
	var job accepted
	if l.api("/documents/"+d.ID+"/annotate", body, &job, "Prefer", "respond-async") {
		l.p.mu.Lock()
		l.p.fillings[job.ID] = value
		l.p.mu.Unlock()
	}
	l.api("/documents/"+d.ID+"/annotate", body, nil)
}

// createUploadConvert creates a document, uploads its content and, if convert is set,
// converts it asynchronously, then synchronously.
func (l *loader) createUploadConvert(text string, convert bool) {
	d, ok := l.createUpload("a.txt", text)
	if !ok || !convert {
		return
	}
	var job accepted
	if l.api("/documents/"+d.ID+"/convert", nil, &job, "Prefer", "respond-async") {
		l.p.mu.Lock()
		l.p.jobs[job.ID] = true
		l.p.mu.Unlock()
	}
	l.api("/documents/"+d.ID+"/convert", nil, nil)
}
