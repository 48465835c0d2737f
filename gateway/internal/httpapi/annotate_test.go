package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// receive reads and records a request to Annotate or Submit. The caller holds s.mu.
func (s *services) receive(payload contract.Stream) (annotationapi.AnnotateRequest, error) {
	r, body, err := annotationapi.ReadAnnotate(payload)
	if err != nil {
		return r, err
	}
	text, err := io.ReadAll(body.Body)
	if err == nil && body.Size >= 0 && body.Size != int64(len(text)) {
		err = fmt.Errorf("the body has %d bytes, but %d were declared", len(text), body.Size)
	}
	var problems problem.List
	for _, e := range r.Problems {
		problems.Add(e)
	}
	if err == nil {
		err = problems.Err() // as the service reports them
	}
	if err == nil {
		s.annotations = append(s.annotations, annotation{r, string(text)})
	}
	return r, err
}

// annotate implements annotationapi.Annotate.
func (s *services) annotate(_ context.Context, _ contract.Principal, payload contract.Stream) (annotationapi.AnnotateResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.receive(payload)
	if err == nil {
		err = s.failure
	}
	if r.DryRun {
		return annotationapi.AnnotateResponse{Valid: true}, err
	}
	answer := annotationapi.AnnotateResponse{DownloadURL: s.signature(), ExpiresAt: 1, Result: annotationapi.Result{Key: "secret/2", Name: "a.docx"}}
	if err == nil && s.annotations[len(s.annotations)-1].body == `{"warn":1}` {
		answer.Warnings = []annotationapi.Warning{{Code: annotationapi.WarningCalculation, Message: "m"}}
		answer.Result.Warnings = answer.Warnings
	}
	return answer, err
}

// submitAnnotation implements annotationapi.Submit.
func (s *services) submitAnnotation(_ context.Context, _ contract.Principal, payload contract.Stream) (jobapi.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.receive(payload)
	return jobapi.Job{ID: fmt.Sprintf("job_%d", len(s.annotations)), Kind: jobapi.Annotate, State: jobapi.Queued}, err
}

// signAnnotation implements annotationapi.Sign.
func (s *services) signAnnotation(_ context.Context, _ contract.Principal, r annotationapi.Result) (annotationapi.AnnotateResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Key != "secret/2" || r.Name != "a.docx" {
		return annotationapi.AnnotateResponse{}, fmt.Errorf("sign %+v", r)
	}
	return annotationapi.AnnotateResponse{DownloadURL: s.signature(), ExpiresAt: 1, Warnings: r.Warnings}, s.unsigned
}

// annotationJob implements annotationapi.Job.
func (s *services) annotationJob(_ context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	if r.ID == "job_annotated" {
		return jobapi.Job{ID: r.ID, Kind: jobapi.Annotate, State: jobapi.Succeeded, Progress: 1, Result: []byte(`{"download_url":"v","expires_at":2,"result":{"key":"secret/2"}}`)}, nil
	}
	return jobapi.Job{}, jobapi.NotFound(r.ID)
}

// fields implements annotationapi.Fields.
func (s *services) fields(_ context.Context, _ contract.Principal, r annotationapi.FieldsRequest) (annotationapi.FieldsResponse, error) {
	return annotationapi.FieldsResponse{Items: []annotationapi.Field{{FieldID: fmt.Sprintf("%s version %d", r.DocumentID, r.Version.Number)}}}, nil
}

// putFields implements annotationapi.PutFields.
func (s *services) putFields(_ context.Context, _ contract.Principal, r annotationapi.PutFieldsRequest) (annotationapi.FieldsResponse, error) {
	return annotationapi.FieldsResponse{Items: []annotationapi.Field{{FieldID: fmt.Sprintf("%s %s version %d", r.DocumentID, r.Fields[0].FieldID, r.Version.Number)}}}, nil
}

func TestAnnotate(t *testing.T) {
	g, s := serveAll(t)
	first := g.post(t, "/v2/documents/doc_x/annotate?version_number=2&flatten=true", `{"a":1}`).is(t, 200, `"expires_at":1}`, false)
	if strings.Contains(first.body, "secret") || strings.Contains(first.body, "valid") {
		t.Errorf("the response has internal members: %s", first.body)
	}
	g.post(t, "/v2/documents/doc_x/annotate?dry_run=true&flatten=false", `{"b":1}`).is(t, 200, `{"valid":true}`, false)
	g.post(t, "/v2/documents/doc_x/annotate?dry_run=true", `{"c":1}`, "Prefer", "respond-async").is(t, 200, `{"valid":true}`, false)
	g.post(t, "/v2/documents/doc_x/annotate", ``).is(t, 200, "", false)
	large := `{"d":"` + strings.Repeat("x", 3<<20) + `"}`
	g.post(t, "/v2/documents/doc_x/annotate", large).is(t, 200, "", false)
	warned := `"expires_at":1,"warnings":[{"code":"calculation_not_run","message":"m"}]}`
	g.post(t, "/v2/documents/doc_x/annotate?format=pdf&flatten=true", `{"warn":1}`, "Idempotency-Key", "w").is(t, 200, warned, false)
	g.post(t, "/v2/documents/doc_x/annotate?format=pdf&flatten=true", `{"warn":1}`, "Idempotency-Key", "w").is(t, 200, warned, true)
	g.post(t, "/v2/documents/doc_x/annotate?format=PDF&dry_run=true", `{}`).is(t, 200, `{"valid":true}`, false)
	accepted := g.post(t, "/v2/documents/doc_x/annotate", large, "Prefer", "respond-async").is(t, 202, `{"id":"job_8","state":"queued"}`, false)
	if accepted.header.Get("Location") != "/v2/jobs/job_8" {
		t.Errorf("accepted with the headers %v", accepted.header)
	}
	want := []annotation{
		{annotationapi.AnnotateRequest{DocumentID: "doc_x", Version: documentapi.Version{Number: 2, Given: true}, Flatten: true}, `{"a":1}`},
		{annotationapi.AnnotateRequest{DocumentID: "doc_x", DryRun: true}, `{"b":1}`}, {annotationapi.AnnotateRequest{DocumentID: "doc_x", DryRun: true}, `{"c":1}`},
		{annotationapi.AnnotateRequest{DocumentID: "doc_x"}, ""}, {annotationapi.AnnotateRequest{DocumentID: "doc_x"}, large}, {annotationapi.AnnotateRequest{DocumentID: "doc_x", PDF: true, Flatten: true}, `{"warn":1}`},
		{annotationapi.AnnotateRequest{DocumentID: "doc_x", PDF: true, DryRun: true}, `{}`}, {annotationapi.AnnotateRequest{DocumentID: "doc_x"}, large},
	}
	if len(s.annotations) != len(want) {
		t.Fatalf("the service got %d requests, want %d", len(s.annotations), len(want))
	}
	for i, got := range s.annotations {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("request %d: the service got %+v and %.100s", i, got.AnnotateRequest, got.body)
		}
	}
}

// TestAnnotateStreams sends a body without a declared length.
func TestAnnotateStreams(t *testing.T) {
	g, s := serveAll(t, "GATEWAY_MAX_ANNOTATE_BODY=1000000")
	send := func(n int) (int, string) {
		body := struct{ io.Reader }{bytes.NewReader(bytes.Repeat([]byte("x"), n))}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v2/documents/doc_x/annotate", body)
		if err != nil {
			t.Fatal(err)
		}
		return g.do(t, request)
	}
	if status, body := send(1_000_000); status != 200 || len(s.annotations[0].body) != 1_000_000 {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := send(1_000_001); status != 413 || !strings.Contains(body, `"code":3004`) {
		t.Errorf("got %d %s", status, body)
	}
	for _, header := range [][]string{nil, {"Idempotency-Key", "k"}, {"Prefer", "respond-async"}} {
		g.post(t, "/v2/documents/doc_x/annotate", strings.Repeat("x", 1_000_001), header...).is(t, 413, `"code":3004`, false)
	}
	if len(s.annotations) != 1 {
		t.Errorf("the service got %d requests, want 1", len(s.annotations))
	}
}

func TestAnnotateParameters(t *testing.T) {
	g, s := serveAll(t)
	for query, path := range map[string]string{
		"dry_run=yes": "dry_run", "dry_run=": "dry_run", "dry_run=TRUE": "dry_run", "dry_run=true&dry_run=true": "dry_run",
		"flatten=1": "flatten", "flatten=": "flatten", "version_number=x": "version_number",
	} {
		r := g.post(t, "/v2/documents/doc_x/annotate?"+query, "{}").is(t, 400, `"code":3003`, false)
		if !strings.Contains(r.body, `"path":"`+path+`"`) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	all := g.post(t, "/v2/documents/doc_x/annotate?flatten=1&dry_run=2&version_number=x", "{}").is(t, 400, `"code":3003`, false)
	if strings.Count(all.body, `"path"`) != 3 {
		t.Errorf("not all problems are reported: %s", all.body)
	}
	for _, query := range []string{"format=docx", "format=", "format=pdf&format=pdf"} {
		r := g.post(t, "/v2/documents/doc_x/annotate?"+query, "{}").is(t, 400, `"code":3001`, false)
		if !strings.Contains(r.body, `"path":"format","code":"format_unsupported"`) {
			t.Errorf("%s: %s", query, r.body)
		}
	}
	if len(s.annotations) != 0 {
		t.Errorf("the service got %+v", s.annotations)
	}
}

func TestAnnotateOnce(t *testing.T) {
	g, s := serveAll(t)
	const path = "/v2/documents/doc_x/annotate"
	first := g.post(t, path, "{}", "Idempotency-Key", "k").is(t, 200, "signature=", false)
	repeats(t, first, g.post(t, path, "{}", "Idempotency-Key", "k").is(t, 200, "", true))
	g.post(t, path, "{ }", "Idempotency-Key", "k").is(t, 409, `"code":4009`, false)
	g.post(t, path, "{}", "Idempotency-Key", "k", "Prefer", "respond-async").is(t, 409, `"code":4009`, false)
	g.post(t, path+"?dry_run=true", "{}", "Idempotency-Key", "l").is(t, 200, `{"valid":true}`, false)
	g.post(t, path+"?dry_run=true", "{}", "Idempotency-Key", "l").is(t, 200, `{"valid":true}`, true)
	g.post(t, path, "{}", "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, `"job_3"`, false)
	g.post(t, path, "{}", "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, `"job_3"`, true)
	if len(s.annotations) != 3 {
		t.Errorf("the service got %+v", s.annotations)
	}
	// A result that no longer exists is created again.
	s.set(func(s *services) { s.unsigned = problem.New(problem.DocumentNotFound, "No.") })
	g.post(t, path, "{}", "Idempotency-Key", "k").is(t, 200, "signature=", false)
	if len(s.annotations) != 4 || s.annotations[3].body != "{}" {
		t.Errorf("the service got %+v", s.annotations)
	}
	s.set(func(s *services) { s.failure = problem.New(problem.InvalidRequest, "No.") })
	g.post(t, path, "{}", "Idempotency-Key", "n").is(t, 400, "No.", false)
}

func TestFields(t *testing.T) {
	g, _ := serveAll(t)
	if status, body := g.get(t, "/v2/documents/doc_x/fields?version_number=3"); status != 200 || !strings.Contains(body, `"doc_x version 3"`) {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := g.get(t, "/v2/documents/doc_x/fields?version_number=x"); status != 400 || !strings.Contains(body, `"version_invalid"`) {
		t.Errorf("got %d %s", status, body)
	}
	put := func(query, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, g.url+"/v2/documents/doc_x/fields"+query, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return g.do(t, request)
	}
	if status, body := put("?version_number=3", `{"fields":[{"field_id":"agreementinput-a","type":"text"}]}`); status != 200 || !strings.Contains(body, `"doc_x agreementinput-a version 3"`) {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := put("?version_number=x", `{"fields":[]}`); status != 400 || !strings.Contains(body, `"version_invalid"`) {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := put("", `{}`); status != 400 || !strings.Contains(body, `"code":3002`) {
		t.Errorf("got %d %s", status, body)
	}
}

// TestJobsOfTwoServices gets jobs of two services, while both are running and while one is
// unavailable.
func TestJobsOfTwoServices(t *testing.T) {
	g, _ := serveAll(t)
	for id, want := range map[string]string{
		"job_annotated": `{"id":"job_annotated","kind":"annotate","state":"succeeded","progress":1,"result":{"download_url":"v","expires_at":2},"error":null}`,
		"job_done":      `{"id":"job_done","kind":"convert","state":"succeeded","progress":1,"result":{"download_url":"u","expires_at":1},"error":null}`,
	} {
		if status, body := g.get(t, "/v2/jobs/"+id); status != 200 || body != want {
			t.Errorf("got %d %s\nwant %s", status, body, want)
		}
	}
	if status, body := g.get(t, "/v2/jobs/job_x"); status != 404 || !strings.Contains(body, "has no job") {
		t.Errorf("got %d %s", status, body)
	}
	for stopped, c := range map[string]struct {
		known  string
		handle func(*bus.Server) error
	}{
		conversionapi.Service: {"job_annotated", func(b *bus.Server) error { return bus.Handle(b, annotationapi.Job, (&services{}).annotationJob) }},
		annotationapi.Service: {"job_done", func(b *bus.Server) error { return bus.Handle(b, conversionapi.Job, (&services{}).job) }},
	} {
		g := serve(t)
		running := annotationapi.Service
		if stopped == running {
			running = conversionapi.Service
		}
		if err := c.handle(g.begin(t, running)); err != nil {
			t.Fatal(err)
		}
		if status, body := g.get(t, "/v2/jobs/"+c.known); status != 200 {
			t.Errorf("without %s: got %d %s", stopped, status, body)
		}
		if status, body := g.get(t, "/v2/jobs/job_x"); status != 503 || !strings.Contains(body, "The "+stopped+" service is not running") {
			t.Errorf("without %s: got %d %s", stopped, status, body)
		}
	}
}
