package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// insightService is a fake insight service. Tests set the state of its jobs.
type insightService struct {
	mu         sync.Mutex
	asked      []insightapi.CreateRequest
	endpoints  []string
	signatures int
	padding    int          // additional bytes in each signature
	titled     int          // additional bytes in the first title
	state      jobapi.State // of every job
	progress   float64
	failure    *problem.Error // of every failed job
	refusal    error          // of every request
	unsigned   error          // error of Sign and Job
	renews     bool           // a failed job succeeds when it is requested again
	resultless bool           // no job has a result, because its document is deleted
	engine     insightapi.Engine
}

// set changes the service's responses.
func (s *insightService) set(change func(*insightService)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// answered returns what the service finds in every document.
func answered() insightapi.Answer {
	page := 1
	at := insightapi.Place{PageNumber: &page, Quote: "\u2028\n<é>", ConfidenceScore: 0.25}
	return insightapi.Answer{
		DocumentTitle: &[]insightapi.Title{{Title: "A", TitleSource: insightapi.FromHeading, Place: at}, {Title: "B", Place: at}},
		Payments:      &[]insightapi.Payment{{PaymentType: "fee", Place: at}},
		DocumentIDs:   &insightapi.IDs{MD5: "5"},
	}
}

// wanted returns the insights that the tests request.
func wanted() []insightapi.Request {
	return []insightapi.Request{{Type: insightapi.PaymentDueDate}, {Type: insightapi.DocumentTitle}, {Type: insightapi.DocumentIDs}}
}

// want returns the body of a request for them, with more members.
func want(members string) string {
	return `{"insights":[{"type":"payment_due_date"},{"type":"document_title"},{"type":"document_ids"}],` + members + `}`
}

// answer returns the complete result, with a different signature each time.
func (s *insightService) answer() jsontext.Value {
	all := answered()
	(*all.DocumentTitle)[0].Title += strings.Repeat("x", s.titled)
	selected := all.Select(wanted())
	s.signatures++
	selected.SignedURL = fmt.Sprintf("https://objects.example/x?signature=%d", s.signatures) + strings.Repeat("0", s.padding)
	data, err := json.Marshal(selected, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return data
}

// took records a request.
func (s *insightService) took(endpoint string, r insightapi.CreateRequest) {
	s.asked = append(s.asked, r)
	s.endpoints = append(s.endpoints, endpoint)
}

func (s *insightService) create(_ context.Context, _ contract.Principal, r insightapi.CreateRequest) (insightapi.CreateResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took("create", r)
	return insightapi.CreateResponse{Answer: s.answer(), Result: insightapi.Result{JobID: "secret"}, Engine: s.engine}, s.refusal
}

// accept implements insightapi.Begin and insightapi.Submit.
func (s *insightService) accept(endpoint string) func(context.Context, contract.Principal, insightapi.CreateRequest) (jobapi.Job, error) {
	return func(_ context.Context, _ contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.took(endpoint, r)
		if s.renews {
			s.state, s.failure = jobapi.Succeeded, nil
		}
		return jobapi.Job{ID: "job_read", Kind: "analyze", State: s.state, Error: s.failure}, s.refusal
	}
}

func (s *insightService) job(_ context.Context, _ contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID != "job_read" {
		return jobapi.Job{}, jobapi.NotFound(r.ID)
	}
	job := jobapi.Job{ID: r.ID, Kind: "analyze", State: s.state, Progress: s.progress, Error: s.failure}
	if s.state == jobapi.Succeeded && !s.resultless {
		job.Result = s.answer()
	}
	return job, s.unsigned
}

func (s *insightService) sign(_ context.Context, _ contract.Principal, r insightapi.Result) (insightapi.CreateResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.JobID != "secret" {
		return insightapi.CreateResponse{}, fmt.Errorf("sign %+v", r)
	}
	return insightapi.CreateResponse{Answer: s.answer(), Engine: s.engine}, s.unsigned
}

// readInsights starts the insight service behind a gateway.
func (g *gateway) readInsights(t *testing.T) *insightService {
	t.Helper()
	s := &insightService{state: jobapi.Queued}
	b := g.begin(t, insightapi.Service)
	for _, err := range []error{
		bus.Handle(b, insightapi.Create, s.create), bus.Handle(b, insightapi.Begin, s.accept("begin")), bus.Handle(b, insightapi.Submit, s.accept("submit")),
		bus.Handle(b, insightapi.Job, s.job), bus.Handle(b, insightapi.CancelJob, s.job), bus.Handle(b, insightapi.Sign, s.sign),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// serveInsights starts a gateway and the insight service behind it.
func serveInsights(t *testing.T, environ ...string) (*gateway, *insightService) {
	t.Helper()
	g := serve(t, environ...)
	return g, g.readInsights(t)
}

const insightsPath = "/v2/insights"

func TestInsights(t *testing.T) {
	g, s := serveInsights(t)
	r := g.post(t, insightsPath, want(`"doc_text":"t","context":"c"`)).is(t, 200, "signature=1", false)
	s.signatures = 0
	if exact := string(s.answer()); r.body != exact || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("answered %s %v\nwant %s", r.body, r.header, exact)
	}
	g.post(t, insightsPath+"/", want(`"document_id":"doc_x"`)).is(t, 200, "", false)
	g.post(t, insightsPath, want(`"url":"https://a.example/"`)).is(t, 200, "", false)
	wants := []insightapi.CreateRequest{
		{Source: insightapi.DocText, Value: "t", Context: "c"}, {Source: insightapi.DocumentID, Value: "doc_x"}, {Source: insightapi.URL, Value: "https://a.example/"},
	}
	for i := range wants {
		wants[i].Organization, wants[i].Insights = "Default organization", wanted()
	}
	if !reflect.DeepEqual(s.asked, wants) {
		t.Errorf("the service got %+v", s.asked)
	}
	g.post(t, insightsPath, `{}`).is(t, 400, `"code":3002`, false)
	g.post(t, insightsPath, want(`"doc_text":"t","stream":1`)).is(t, 400, `"path":"stream"`, false)
	s.set(func(s *insightService) { s.refusal = problem.New(problem.DocumentNotFound, "No.") })
	g.post(t, insightsPath, want(`"doc_text":"t"`)).is(t, 404, `"code":4001`, false)
	g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).is(t, 404, `"code":4001`, false)
	g.post(t, insightsPath, want(`"doc_text":"t"`), "Prefer", "respond-async").is(t, 404, `"code":4001`, false)
}

// TestInsightsEngine checks that a response says what found the insights, also when it is
// replayed, and that no other response of the route does.
func TestInsightsEngine(t *testing.T) {
	g, s := serveInsights(t)
	body := want(`"doc_text":"t"`)
	for name, tc := range map[string]struct {
		engine insightapi.Engine
		want   string
	}{
		"a service without a model, or of an earlier version": {"", "rules"},
		"rules": {insightapi.ByRules, "rules"},
		"model": {insightapi.ByModel, "model"},
		"both":  {insightapi.ByBoth, "both"},
	} {
		s.set(func(s *insightService) { s.engine = tc.engine })
		for _, replayed := range []bool{false, true} {
			r := g.post(t, insightsPath, body, "Idempotency-Key", name).is(t, 200, "", replayed)
			if got := r.header.Values("X-Recto-Engine"); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%s, replayed %t: the header is %q", name, replayed, got)
			}
		}
	}
	for name, r := range map[string]reply{
		"a job":    g.post(t, insightsPath, body, "Prefer", "respond-async").is(t, 202, "", false),
		"an error": g.post(t, insightsPath, `{}`).is(t, 400, "", false),
	} {
		if got := r.header.Values("X-Recto-Engine"); len(got) != 0 {
			t.Errorf("%s has the header %q", name, got)
		}
	}
}

func TestInsightsBodySize(t *testing.T) {
	g, s := serveInsights(t, "GATEWAY_MAX_BODY=1000000")
	body := want(`"doc_text":"` + strings.Repeat("x", 1_000_000) + `"`)
	g.post(t, insightsPath, body).is(t, 413, `"code":3004`, false)
	if len(s.asked) != 0 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
}

// TestInsightsScopes sends requests with keys that have only one of the scopes insights and
// documents:read, or both.
func TestInsightsScopes(t *testing.T) {
	g, _ := serveInsights(t)
	key := func(scopes ...contract.Scope) {
		_, secret, err := identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		g.key = secret
	}
	key(contract.ScopeInsights)
	g.post(t, insightsPath, want(`"doc_text":"t"`)).is(t, 200, "", false)
	g.post(t, insightsPath, want(`"url":"https://a.example/"`)).is(t, 200, "", false)
	for _, source := range []string{"draft_id", "completed_id", "document_id"} {
		for _, stream := range []string{"true", "false"} {
			g.post(t, insightsPath, want(`"`+source+`":"doc_x","stream":`+stream)).is(t, 403, `"code":2004`, false)
		}
	}
	g.post(t, insightsPath, want(`"draft_id":7`)).is(t, 400, `"code":3003`, false)
	matching := `{"doc_text":"t","insights":[{"type":"document_title"},{"type":"organization_matching_documents"}]}`
	g.post(t, insightsPath, matching).is(t, 403, `"code":2004`, false)
	key(contract.ScopeInsights, contract.ScopeDocumentsRead)
	g.post(t, insightsPath, matching).is(t, 200, "", false)
	g.post(t, insightsPath, want(`"draft_id":"doc_x"`)).is(t, 200, "", false)
	key(contract.ScopeDocumentsRead)
	g.post(t, insightsPath, want(`"doc_text":"t"`)).is(t, 403, `"code":2004`, false)
}

func TestInsightsOnce(t *testing.T) {
	g, s := serveInsights(t)
	body := want(`"document_id":"doc_x"`)
	first := g.post(t, insightsPath, body, "Idempotency-Key", "k").is(t, 200, "signature=1", false)
	again := g.post(t, insightsPath, body, "Idempotency-Key", "k").is(t, 200, "signature=2", true)
	if strings.ReplaceAll(again.body, "signature=2", "signature=1") != first.body {
		t.Errorf("first %s\nthen %s", first.body, again.body)
	}
	g.post(t, insightsPath, want(`"document_id":"doc_y"`), "Idempotency-Key", "k").is(t, 409, `"code":4009`, false)
	if len(s.asked) != 1 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
	// A result that no longer exists is created again.
	s.set(func(s *insightService) { s.unsigned = problem.New(problem.DocumentNotFound, "No.") })
	g.post(t, insightsPath, body, "Idempotency-Key", "k").is(t, 200, "signature=", false)
	if len(s.asked) != 2 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
	s.set(func(s *insightService) { s.unsigned = nil })
	g.post(t, insightsPath, body, "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, "job_read", false)
	g.post(t, insightsPath, body, "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, "job_read", true)
	g.post(t, insightsPath, body, "Idempotency-Key", "m").is(t, 409, `"code":4009`, false)
	s.set(func(s *insightService) { s.unsigned = jobapi.NotFound("job_read") })
	g.post(t, insightsPath, body, "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, "job_read", false)
	if len(s.asked) != 4 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
}

func TestInsightsJob(t *testing.T) {
	g, s := serveInsights(t)
	b := g.begin(t, conversionapi.Service)
	if err := bus.Handle(b, conversionapi.Job, (&services{}).job); err != nil {
		t.Fatal(err)
	}
	if err := bus.Handle(g.begin(t, annotationapi.Service), annotationapi.Job, (&services{}).annotationJob); err != nil {
		t.Fatal(err)
	}
	r := g.post(t, insightsPath, want(`"doc_text":"t"`), "Prefer", "respond-async").is(t, 202, `{"id":"job_read","state":"queued"}`, false)
	if r.header.Get("Location") != "/v2/jobs/job_read" || s.endpoints[0] != "submit" {
		t.Errorf("accepted with the headers %v by the endpoints %v", r.header, s.endpoints)
	}
	if status, body := g.get(t, "/v2/jobs/job_read"); status != 200 || body != `{"id":"job_read","kind":"analyze","state":"queued","progress":0,"result":null,"error":null}` {
		t.Errorf("got %d %s", status, body)
	}
	s.set(func(s *insightService) { s.state, s.progress = jobapi.Succeeded, 1 })
	status, body := g.get(t, "/v2/jobs/job_read")
	s.signatures--
	if want := `{"id":"job_read","kind":"analyze","state":"succeeded","progress":1,"result":` + string(s.answer()) + `,"error":null}`; status != 200 || body != want {
		t.Errorf("got %d %s\nwant %s", status, body, want)
	}
	if status, body := g.get(t, "/v2/jobs/job_other"); status != http.StatusNotFound {
		t.Errorf("got %d %s", status, body)
	}
}
