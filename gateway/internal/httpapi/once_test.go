package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

const newDocument = `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`

// unsign removes the signatures from a body, and returns the rest and the signatures.
func unsign(body string) (rest string, signatures []string) {
	for part := range strings.SplitSeq(body, "signature=") {
		signature, after, ok := strings.Cut(part, `"`)
		if rest != "" && ok {
			signatures = append(signatures, signature)
			part = after
		}
		rest += part
	}
	return rest, signatures
}

// repeats checks that b is the same as a except for new signatures.
func repeats(t *testing.T, a, b reply) {
	t.Helper()
	was, old := unsign(a.body)
	is, fresh := unsign(b.body)
	if was != is || len(old) == 0 || len(old) != len(fresh) || a.status != b.status {
		t.Fatalf("first %d %s\nthen %d %s", a.status, a.body, b.status, b.body)
	}
	for i := range old {
		if old[i] == fresh[i] {
			t.Errorf("the signature %s is not new", old[i])
		}
	}
}

func TestCreateOnce(t *testing.T) {
	g, s := serveAll(t)
	first := g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, `"id":"doc_`, false)
	repeats(t, first, g.post(t, "/v2/documents/", newDocument, "idempotency-key", "k").is(t, 200, `"id":"doc_`, true))
	if len(s.creates) != 1 || s.creates[0].ID == "" {
		t.Errorf("the service got %+v", s.creates)
	}
	g.post(t, "/v2/documents", newDocument+" ", "Idempotency-Key", "k").is(t, 409, "a different request", false)
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "l").is(t, 200, `"id":"doc_`, false)
	g.post(t, "/v2/documents", newDocument).is(t, 200, `"id":""`, false) // the service assigns the id
	g.post(t, "/v2/documents", newDocument).is(t, 200, `"id":""`, false)
	if len(s.creates) != 4 || s.creates[1].ID == s.creates[0].ID {
		t.Errorf("the service got %+v", s.creates)
	}
	s.set(func(s *services) { s.unsigned = problem.New(problem.DocumentNotFound, "No.") })
	if again := g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, "", true); again.body != first.body {
		t.Errorf("after the document was deleted: %s\nwant %s", again.body, first.body)
	}
	s.set(func(s *services) { s.unsigned = problem.New(problem.Unavailable, "No.").After(time.Second) })
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 503, `"code":5003`, false)
}

func TestHeaderRules(t *testing.T) {
	g, s := serveAll(t)
	for _, header := range [][]string{
		{"Idempotency-Key", ""}, {"Idempotency-Key", strings.Repeat("x", 256)}, {"Idempotency-Key", "é"}, {"Idempotency-Key", "a", "Idempotency-Key", "a"},
	} {
		r := g.post(t, "/v2/documents", newDocument, header...).is(t, 400, `"code":3001`, false)
		if strings.Contains(r.body, `"errors"`) {
			t.Errorf("with %q: %s", header, r.body)
		}
	}
	if len(s.creates) != 0 {
		t.Errorf("the service got %+v", s.creates)
	}
	g.post(t, "/v2/documents/convert", "{}", "Idempotency-Key", "").is(t, 503, "", false) // it is ignored
}

// TestFailuresAreNotKept repeats failed requests. After a server error, the repeated request
// uses the same document id, since the document may have been created.
func TestFailuresAreNotKept(t *testing.T) {
	g, s := serveAll(t)
	for range 2 {
		g.post(t, "/v2/documents", "{}", "Idempotency-Key", "k").is(t, 400, `"code":3002`, false)
	}
	for _, failure := range []struct {
		code   problem.Code
		status int
	}{{problem.InvalidRequest, 400}, {problem.TimedOut, 504}, {problem.Internal, 500}} {
		s.set(func(s *services) { s.failure = problem.New(failure.code, "No.") })
		g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, failure.status, "No.", false)
	}
	s.set(func(s *services) { s.failure = nil })
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, "", false)
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, "", true)
	c := s.creates
	if len(c) != 4 || c[0].ID == c[1].ID || c[1].ID != c[2].ID || c[1].ID != c[3].ID {
		t.Errorf("the service got %+v", c)
	}
	if got := g.outcomes(t); got != "first 4, replayed 1, taken_over 2" {
		t.Errorf("the metric counts %s", got)
	}
}

// TestDeletedBeforeItIsRepeated repeats a request that got no response after its document
// was deleted: it creates another document.
func TestDeletedBeforeItIsRepeated(t *testing.T) {
	g, s := serveAll(t)
	s.set(func(s *services) { s.failure = problem.New(problem.TimedOut, "No.") })
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 504, "", false)
	s.set(func(s *services) { s.failure, s.deleted = nil, s.creates[0].ID })
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, `"id":"doc_`, false)
	g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k").is(t, 200, `"id":"doc_`, true)
	if c := s.creates; len(c) != 3 || c[0].ID != c[1].ID || c[2].ID == c[1].ID {
		t.Errorf("the service got %+v", c)
	}
}

// outcomes returns the values of the idempotency metric.
func (g *gateway) outcomes(t *testing.T) string {
	t.Helper()
	families, err := g.telemetry.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var counts []string
	for _, family := range families {
		if family.GetName() != "recto_idempotency_requests_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			counts = append(counts, fmt.Sprintf("%s %v", m.GetLabel()[0].GetValue(), m.GetCounter().GetValue()))
		}
	}
	return strings.Join(counts, ", ")
}

// TestConcurrentRequests sends one request 16 times concurrently: it runs once.
func TestConcurrentRequests(t *testing.T) {
	g, s := serveAll(t)
	s.wait = make(chan struct{})
	send := func() reply { return g.post(t, "/v2/documents", newDocument, "Idempotency-Key", "k") }
	var wg sync.WaitGroup
	answers := make(chan reply, 16)
	for range 16 {
		wg.Go(func() { answers <- send() })
	}
	for range 15 {
		r := (<-answers).is(t, 409, "still running", false)
		if r.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
		}
	}
	close(s.wait)
	wg.Wait()
	first := (<-answers).is(t, 200, "", false)
	repeats(t, first, send().is(t, 200, "", true))
	if len(s.creates) != 1 {
		t.Errorf("the service got %d requests, want 1", len(s.creates))
	}
}

func TestCreateVersionOnce(t *testing.T) {
	g, s := serveAll(t)
	body := `{"files":[{"name":"a.docx","type":"a/b"}]}`
	first := g.post(t, "/v2/documents/doc_1/versions", body, "Idempotency-Key", "k").is(t, 200, `"version_number":7`, false)
	repeats(t, first, g.post(t, "/v2/documents/doc_1/versions", body, "Idempotency-Key", "k").is(t, 200, "", true))
	g.post(t, "/v2/documents/doc_2/versions", body, "Idempotency-Key", "k").is(t, 409, "a different request", false)
	g.post(t, "/v2/documents/doc_1/versions", body, "Idempotency-Key", "l").is(t, 200, "", false)
	g.post(t, "/v2/documents/doc_1/versions", body).is(t, 200, "", false)
	v := s.versions
	if len(v) != 3 || len(v[0].Token) != 64 || len(v[1].Token) != 64 || v[0].Token == v[1].Token || v[2].Token != "" {
		t.Errorf("the service got %+v", v)
	}
}

func TestConvertOnce(t *testing.T) {
	g, s := serveAll(t)
	convert := func(header ...string) reply {
		return g.post(t, "/v2/documents/doc_1/convert", "ignored", append(header, "Idempotency-Key", "k")...)
	}
	g.post(t, "/v2/documents/doc_1/convert?format=x", "", "Idempotency-Key", "k").is(t, 400, "format_unsupported", false)
	first := convert().is(t, 200, `"expires_at":1`, false)
	again := convert().is(t, 200, `"expires_at":2`, true)
	if strings.Contains(first.body+again.body, "secret") || first.body == again.body || s.conversions != 1 {
		t.Errorf("first %s\nthen %s\nafter %d conversions", first.body, again.body, s.conversions)
	}
	convert("Prefer", "respond-async").is(t, 409, "a different request", false)
	g.post(t, "/v2/documents/doc_1/convert?format=pdf", "", "Idempotency-Key", "k").is(t, 409, "a different request", false)
	s.set(func(s *services) { s.unsigned = problem.New(problem.TimedOut, "No.") })
	convert().is(t, 504, `"code":5004`, false)
	s.set(func(s *services) { s.unsigned = problem.New(problem.DocumentNotFound, "No.") })
	convert().is(t, 200, `"expires_at":1`, false)
	if s.conversions != 2 {
		t.Errorf("there were %d conversions", s.conversions)
	}
	s.set(func(s *services) { s.unsigned = nil })
	convert().is(t, 200, `"expires_at":2`, true)
}

func TestRespondAsync(t *testing.T) {
	g, s := serveAll(t)
	for _, replayed := range []bool{false, true} {
		r := g.post(t, "/v2/documents/doc_1/convert", "", "Prefer", "wait=1", "Prefer", "x, Respond-Async", "Idempotency-Key", "k")
		r.is(t, 202, `{"id":"job_1","state":"queued"}`, replayed)
		if r.header.Get("Location") != "/v2/jobs/job_1" || r.header.Get("Preference-Applied") != "respond-async" {
			t.Errorf("the headers are %v", r.header)
		}
	}
	s.set(func(s *services) { s.failure = problem.New(problem.DocumentNotFound, "No.") })
	if r := g.post(t, "/v2/documents/doc_1/convert", "", "Prefer", "respond-async").is(t, 404, `"code":4001`, false); r.header.Get("Location") != "" {
		t.Errorf("the headers are %v", r.header)
	}
}

func TestJobs(t *testing.T) {
	g, _ := serveAll(t)
	for id, want := range map[string]string{
		"job_queued": `{"id":"job_queued","kind":"convert","state":"queued","progress":0,"result":null,"error":null}`,
		"job_done":   `{"id":"job_done","kind":"convert","state":"succeeded","progress":1,"result":{"download_url":"u","expires_at":1},"error":null}`,
		"job_failed": `{"id":"job_failed","kind":"convert","state":"failed","progress":0.5,"result":null,"error":{"code":3001,"message":"Invalid request","detail":"No.","docs":"https://recto.example/docs/errors/3001"}}`,
	} {
		if status, body := g.get(t, "/v2/jobs/"+id); status != 200 || body != want {
			t.Errorf("%s: %d %s\nwant %s", id, status, body, want)
		}
	}
	for _, id := range []string{"x", "%ff"} {
		if status, body := g.get(t, "/v2/jobs/"+id); status != 404 || !strings.Contains(body, `"code":1001`) {
			t.Errorf("%s: %d %s", id, status, body)
		}
	}
}

// TestMethods checks the response to methods that a path does not support.
func TestMethods(t *testing.T) {
	g := serve(t)
	for path, want := range map[string]map[string]bool{
		"/v2/documents/doc_1":          {"GET": true, "HEAD": true, "PATCH": true, "DELETE": true},
		"/v2/documents/doc_1/versions": {"GET": true, "HEAD": true, "POST": true},
		"/v2/documents/doc_1/convert":  {"POST": true},
		"/v2/jobs/job_1":               {"GET": true, "HEAD": true, "DELETE": true},
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			status, body, header := g.exchange(t, request)
			if want[method] {
				if status == 404 || status == 405 {
					t.Errorf("%s %s: %d %s", method, path, status, body)
				}
				continue
			}
			allowed := map[string]bool{}
			for name := range strings.SplitSeq(header.Get("Allow"), ", ") {
				allowed[name] = true
			}
			if status != 405 || fmt.Sprint(allowed) != fmt.Sprint(want) {
				t.Errorf("%s %s: %d, Allow: %s", method, path, status, header.Get("Allow"))
			}
		}
	}
}
