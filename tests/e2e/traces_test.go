package e2e

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/rectohq/recto/tests/harness"
)

// recorder is an OTLP receiver that keeps the spans it gets.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex
	spans []recorded
}

// recorded is a span of a service.
type recorded struct {
	service string
	*otlp.Span
}

// record starts a receiver that ends with the test.
func record(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var export collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &export)
		}
		if err != nil || request.URL.Path != "/v1/traces" {
			http.Error(w, fmt.Sprint(request.URL, err), http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, resource := range export.GetResourceSpans() {
			service := text(resource.GetResource().GetAttributes(), "service.name")
			for _, scope := range resource.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					r.spans = append(r.spans, recorded{service, s})
				}
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// text returns an attribute as text, or "" if there is none of that name.
func text(attributes []*common.KeyValue, name string) string {
	for _, a := range attributes {
		if a.GetKey() == name {
			if number, ok := a.GetValue().GetValue().(*common.AnyValue_IntValue); ok {
				return fmt.Sprint(number.IntValue)
			}
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// shownAttributes are the attributes that a tree shows.
var shownAttributes = []string{
	"http.request.method", "http.route", "http.response.status_code", "rpc.system.name", "rpc.method", "messaging.system",
	"messaging.operation.type", "messaging.destination.name", "recto.job.kind", "recto.job.attempt", "recto.job.try", "recto.file.type", "error.type",
}

// line returns a span in one line: its service, kind, name, status if it is Error, and the
// attributes that are shown.
func (s recorded) line() string {
	line := fmt.Sprintf("%s %s %s", s.service, strings.ToLower(strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_")), s.GetName())
	if s.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR {
		line += fmt.Sprintf(" ERROR %q", s.GetStatus().GetMessage())
	}
	for _, name := range shownAttributes {
		if value := text(s.GetAttributes(), name); value != "" {
			line += fmt.Sprintf(" %s=%s", strings.TrimPrefix(name, "messaging."), value)
		}
	}
	return line + "\n"
}

// tree returns the spans of a trace, one a line, below the span of the client. Siblings are
// in the order of their names.
func (r *recorder) tree(trace string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	children := map[string][]recorded{}
	total, reached := 0, 0
	for _, s := range r.spans {
		if hex.EncodeToString(s.GetTraceId()) == trace {
			parent := hex.EncodeToString(s.GetParentSpanId())
			children[parent] = append(children[parent], s)
			total++
		}
	}
	var below func(parent, indent string) string
	below = func(parent, indent string) (lines string) {
		siblings := children[parent]
		slices.SortFunc(siblings, func(a, b recorded) int { return strings.Compare(a.GetName(), b.GetName()) })
		last := ""
		for _, s := range siblings {
			reached++
			subtree := indent + s.line() + below(hex.EncodeToString(s.GetSpanId()), indent+"  ")
			// On a slow machine a request may have been sent again before its answer came.
			if s.GetKind() != otlp.Span_SPAN_KIND_SERVER || subtree != last {
				lines += subtree
			}
			last = subtree
		}
		return lines
	}
	if tree := below(clientSpan, ""); reached == total {
		return tree
	}
	return fmt.Sprintf("%d of %d spans are not below the client", total-reached, total)
}

// clientSpan is the span of the client in every trace of these tests.
const clientSpan = "00f067aa0ba902b7"

// traceID returns the id of the n-th trace of a test.
func traceID(n int) string { return fmt.Sprintf("4bf92f3577b34da6a3ce929d0e0e%04x", n) }

// traced returns the headers of a request in the n-th trace of a test.
func traced(n int, further ...string) map[string]string {
	header := map[string]string{"traceparent": fmt.Sprintf("00-%s-%s-01", traceID(n), clientSpan), "X-Request-Id": fmt.Sprintf("traced-%d", n)}
	for i := 0; i < len(further); i += 2 {
		header[further[i]] = further[i+1]
	}
	return header
}

// wantTraces are the traces of the requests in TestTraces: annotate, convert a stored document and
// wait, convert one without waiting, convert a file inline, and convert a damaged document.
var wantTraces = []string{`
gateway server POST /v2/documents/:document_id/annotate http.request.method=POST http.route=/v2/documents/:document_id/annotate http.response.status_code=200
  gateway client annotation.annotate rpc.system.name=nats rpc.method=annotation.annotate
    annotation server annotation.annotate rpc.system.name=nats rpc.method=annotation.annotate
      annotation client document.contents rpc.system.name=nats rpc.method=document.contents
        document server document.contents rpc.system.name=nats rpc.method=document.contents
      annotation internal fill document
      annotation client put object
      annotation internal read fields
        annotation client get object
`, `
gateway server POST /v2/documents/:document_id/convert http.request.method=POST http.route=/v2/documents/:document_id/convert http.response.status_code=200
  gateway client conversion.stored rpc.system.name=nats rpc.method=conversion.stored
    conversion server conversion.stored rpc.system.name=nats rpc.method=conversion.stored
      conversion producer create jobs.convert system=nats operation.type=create destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1
        conversion consumer process jobs.convert system=nats operation.type=process destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1 recto.job.try=1
          conversion internal convert document recto.file.type=DOCX
          conversion client document.status rpc.system.name=nats rpc.method=document.status
            document server document.status rpc.system.name=nats rpc.method=document.status
          conversion client get object
          conversion client put object
      conversion client document.contents rpc.system.name=nats rpc.method=document.contents
        document server document.contents rpc.system.name=nats rpc.method=document.contents
`, `
gateway server POST /v2/documents/:document_id/convert http.request.method=POST http.route=/v2/documents/:document_id/convert http.response.status_code=202
  gateway client conversion.submit rpc.system.name=nats rpc.method=conversion.submit
    conversion server conversion.submit rpc.system.name=nats rpc.method=conversion.submit
      conversion producer create jobs.convert system=nats operation.type=create destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1
        conversion consumer process jobs.convert system=nats operation.type=process destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1 recto.job.try=1
          conversion internal convert document recto.file.type=DOCX
          conversion client document.status rpc.system.name=nats rpc.method=document.status
            document server document.status rpc.system.name=nats rpc.method=document.status
          conversion client get object
          conversion client put object
      conversion client document.contents rpc.system.name=nats rpc.method=document.contents
        document server document.contents rpc.system.name=nats rpc.method=document.contents
`, `
gateway server POST /v2/documents/convert http.request.method=POST http.route=/v2/documents/convert http.response.status_code=200
  gateway client conversion.inline rpc.system.name=nats rpc.method=conversion.inline
    conversion producer send requests.conversion.inline system=nats operation.type=send destination.name=requests.conversion.inline
      conversion consumer process requests.conversion.inline system=nats operation.type=process destination.name=requests.conversion.inline
        conversion internal convert document recto.file.type=DOCX
`, `
gateway server POST /v2/documents/:document_id/convert http.request.method=POST http.route=/v2/documents/:document_id/convert http.response.status_code=400 error.type=3001
  gateway client conversion.stored ERROR "Invalid request" rpc.system.name=nats rpc.method=conversion.stored error.type=3001
    conversion server conversion.stored ERROR "Invalid request" rpc.system.name=nats rpc.method=conversion.stored error.type=3001
      conversion producer create jobs.convert system=nats operation.type=create destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1
        conversion consumer process jobs.convert ERROR "Invalid request" system=nats operation.type=process destination.name=jobs.convert recto.job.kind=convert recto.job.attempt=1 recto.job.try=1 error.type=3001
          conversion client document.status rpc.system.name=nats rpc.method=document.status
            document server document.status rpc.system.name=nats rpc.method=document.status
          conversion client get object
      conversion client document.contents rpc.system.name=nats rpc.method=document.contents
        document server document.contents rpc.system.name=nats rpc.method=document.contents
`}

// TestTraces compares the whole trace of each kind of request: a request that is answered at
// once, jobs that are waited for or not, queued requests, and requests that fail. It also
// compares the ids in the log lines of one of them.
func TestTraces(t *testing.T) {
	harness.StandaloneOnly(t)
	r := record(t)
	s, err := harness.Launch(harness.Options{Env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + r.URL, "LOG_LEVEL=DEBUG"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Remove() }()
	c := s.Client(t)
	contract, agreement, damaged := upload(t, c, "contract.docx", testdata(t, "contract.docx")), upload(t, c, "agreement.docx", testdata(t, "agreement.docx")), upload(t, c, "a.docx", []byte("no document"))
	for _, d := range []document{contract, agreement, damaged} {
		content(t, c, "/documents/"+d.ID) // seals the upload, which would otherwise be part of a trace
	}
	post := func(n int, path string, body any, further ...string) *harness.Answer {
		return c.Do(harness.Request{Method: http.MethodPost, Path: path, Body: body, Header: traced(n, further...)})
	}
	post(1, "/documents/"+contract.ID+"/annotate", contractValues(t)).OK(nil)
	post(2, "/documents/"+contract.ID+"/convert", nil).OK(nil)
	var job accepted
	post(3, "/documents/"+agreement.ID+"/convert", nil, "Prefer", "respond-async").Accepted(&job)
	ended(t, c, job.ID)
	post(4, "/documents/convert", inlineBody("agreement.docx", testdata(t, "agreement.docx"))).OK(nil)
	post(5, "/documents/"+damaged.ID+"/convert", nil).Fails(400, 3001)
	keys := decode[[]key](t, recto(t, s, "keys", "list", "--json"))
	if err := s.Stop(); err != nil { // sends the spans
		t.Fatal(err)
	}
	checkLines(t, s.Output(), 5, c.OrganizationID, keys[0].ID, c.Key)
	for i, want := range wantTraces {
		if got := "\n" + r.tree(traceID(i+1)); got != want {
			t.Errorf("trace %d is\n%s\nwant\n%s", i+1, got, want)
		}
	}
}

// checkLines checks that the lines of the gateway, the service and the worker about the
// request of the n-th trace carry the same ids, and that no line has the key.
func checkLines(t *testing.T, output string, n int, organization, keyID, key string) {
	t.Helper()
	requestID := fmt.Sprintf("traced-%d", n)
	want := strings.Join([]string{requestID, traceID(n), organization, keyID}, " ")
	found := map[string]bool{}
	for line := range strings.Lines(output) {
		var l struct {
			Service, Msg   string
			RequestID      string `json:"request_id"`
			TraceID        string `json:"trace_id"`
			OrganizationID string `json:"organization_id"`
			KeyID          string `json:"key_id"`
		}
		if json.Unmarshal([]byte(line), &l) != nil { // recto up prints more than log lines
			continue
		}
		if strings.Contains(line, key[8:]) {
			t.Errorf("the API key is in %s", line)
		}
		if l.TraceID != traceID(n) && l.RequestID != requestID {
			continue
		}
		if got := strings.Join([]string{l.RequestID, l.TraceID, l.OrganizationID, l.KeyID}, " "); got != want {
			t.Errorf("the ids are %s, want %s:\n%s", got, want, line)
		}
		found[l.Service+": "+l.Msg] = true
	}
	for _, line := range []string{"gateway: request", "conversion: a request was refused", "conversion: job ended"} {
		if !found[line] {
			t.Errorf("there is no line %q with the ids", line)
		}
	}
}
