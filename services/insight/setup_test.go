package insight_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

func TestMain(m *testing.M) { os.Exit(sourcetest.Main(m)) }

var (
	principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}
	stranger  = contract.Principal{Organization: "org_2", User: contract.User{ID: "user_2"}}
	titles    = []insightapi.Request{{Type: insightapi.DocumentTitle}, {Type: insightapi.DocumentIDs}}
)

// system is an insight service over a fake engine, next to a fake document service.
type system struct {
	*servicetest.World
	*servicetest.Service
	documents *servicetest.Documents
	env       []string
	reader    *reader
}

// reader stands in for the engine and the URL fetcher.
type reader struct {
	blobs *blob.Store
	mu    sync.Mutex
	seen  []domain.Material
	// before is called before a document is read to its end, if it is set. It may fail.
	before func(ctx context.Context, m domain.Material) error
}

// Version implements domain.Engine.
func (r *reader) Version(string) string { return "test" }

// Analyze implements domain.Engine: the title of a document is its text.
func (r *reader) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	r.mu.Lock()
	r.seen = append(r.seen, m)
	before := r.before
	r.mu.Unlock()
	f := m.Files[slices.IndexFunc(m.Files, func(f documentapi.Content) bool { return f.Fault == "" })]
	body, _, err := r.blobs.Get(ctx, f.Key)
	if err != nil {
		return domain.Analysis{}, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return domain.Analysis{}, err
	}
	a := insightapi.Answer{
		DocumentTitle: &[]insightapi.Title{{Title: string(text), TitleSource: insightapi.FromFirstLine, Place: insightapi.Place{Quote: string(text), ConfidenceScore: 0.9}}},
		DocumentIDs:   &insightapi.IDs{MD5: f.MD5, CRC32C: f.CRC32C, CreateDatetime: float64(f.SealedAt) / 1000, MIMEType: f.Type},
	}
	asked := insightapi.Asked(q.Requests)
	for _, step := range insightapi.Steps(false) {
		if step.Stage == insightapi.StageRead && before != nil {
			if err := before(ctx, m); err != nil {
				return domain.Analysis{}, err
			}
		}
		if step.Stage != "" {
			told.Reached(step.Stage)
		} else if slices.Contains(asked, step.Key) {
			told.Answered(step.Key, &a)
		}
	}
	return domain.Analysis{Answer: a, Shown: domain.Shown{Key: f.Key, Name: f.Name, Type: f.Type}}, nil
}

// calls returns how many documents were read.
func (r *reader) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// set sets the function that is called before a document is read to its end.
func (r *reader) set(before func(ctx context.Context, m domain.Material) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

// fetch is a domain.Fetch of one address.
func (r *reader) fetch(_ context.Context, address string, to io.Writer) (domain.Fetched, error) {
	if address != "https://example.com/secret?a.txt" {
		return domain.Fetched{}, problem.New(problem.InvalidRequest, "The address is forbidden.")
	}
	_, err := io.WriteString(to, "What was fetched")
	return domain.Fetched{Name: "a.txt", Type: "text/plain"}, err
}

// start starts the service with further variables.
func start(t *testing.T, env ...string) *system {
	t.Helper()
	s := prepare(t, env...)
	s.run()
	return s
}

// prepare returns a system without an instance.
func prepare(t *testing.T, env ...string) *system {
	t.Helper()
	w := servicetest.New(t)
	s := &system{World: w, documents: w.Documents(), reader: &reader{blobs: w.Blobs}}
	s.env = append([]string{
		"INSIGHT_DATABASE=" + filepath.Join(t.TempDir(), "insight.db"), "INSIGHT_SCRATCH=" + t.TempDir(),
		"INSIGHT_ACK_WAIT=" + patience.Scale(10*time.Second).String(),
	}, env...)
	return s
}

// run starts the service, for the first time or after Stop.
func (s *system) run() {
	s.T.Helper()
	s.Service = s.instance(jobrun.All)
}

// instance starts an instance with the role. The instances are in one process, so they may
// share a database that separate processes may not.
func (s *system) instance(role jobrun.Role) *servicetest.Service {
	s.T.Helper()
	return s.instanceOf(role, s.reader, s.reader.fetch)
}

// instanceOf starts an instance with an engine and a fetcher.
func (s *system) instanceOf(role jobrun.Role, engine domain.Engine, fetch domain.Fetch) *servicetest.Service {
	s.T.Helper()
	var cfg insight.Config
	if err := config.Load(s.env, "INSIGHT_", &cfg); err != nil {
		s.T.Fatal(err)
	}
	cfg.Role = role
	return s.StartReady(insightapi.Service, func(ctx context.Context, deps runner.Deps) error {
		return insight.RunWith(ctx, cfg, deps, engine, fetch)
	})
}

// document adds a document of the principal's organization in the state and returns its
// id. Its file has the text, or was never uploaded if the text is "".
func (s *system) document(state documentapi.State, text string) string {
	s.T.Helper()
	f := servicetest.File{Name: "a.txt", Type: "text/plain", Content: text}
	if text == "" {
		f.Fault = documentapi.NotUploaded
	}
	return s.documents.Add("org_1", state, f)
}

// ask returns a request for the titles of a source.
func ask(source insightapi.SourceKind, value string) insightapi.CreateRequest {
	return insightapi.CreateRequest{Source: source, Value: value, Insights: titles}
}

// create sends a request and waits for the answer.
func (s *system) create(r insightapi.CreateRequest) (insightapi.CreateResponse, error) {
	s.T.Helper()
	return bus.Call(patience.Context(s.T), s.Caller, insightapi.Create, principal, r)
}

// waiting returns how many requests wait for a job.
func (s *system) waiting() (n float64) {
	s.T.Helper()
	families, err := s.Metrics.Gather()
	if err != nil {
		s.T.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recto_jobs_waiting_requests" {
			n = f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	return n
}

// job returns a job of the principal.
func (s *system) job(id string) (jobapi.Job, error) {
	return bus.Call(patience.Context(s.T), s.Caller, insightapi.Job, principal, jobapi.GetRequest{ID: id})
}

// ended waits until a job is finished, and returns it.
func (s *system) ended(id string) (j jobapi.Job) {
	s.T.Helper()
	patience.Until(s.T, "the end of job "+id, func() bool {
		var err error
		if j, err = s.job(id); err != nil {
			s.T.Fatal(err)
		}
		return j.State.Ended()
	})
	return j
}

// read returns an answer without its URL, which differs each time, and the content that
// the URL leads to.
func (s *system) read(answer jsontext.Value) (rest string, shown string) {
	s.T.Helper()
	var a insightapi.Answer
	if err := json.Unmarshal(answer, &a); err != nil {
		s.T.Fatalf("%v in %s", err, answer)
	}
	content, _ := s.Download(a.SignedURL)
	quoted, err := jsontext.AppendQuote(nil, a.SignedURL)
	if err != nil {
		s.T.Fatal(err)
	}
	without := strings.Replace(string(answer), string(quoted), `"…"`, 1)
	if strings.Contains(without, a.SignedURL) || !strings.HasSuffix(without, `"…"}`) {
		s.T.Errorf("the URL is not at the end: %s", answer)
	}
	return without, string(content)
}

// follow waits for the first n events of a job and returns them.
func (s *system) follow(id string, n int) (events []insightapi.Event) {
	s.T.Helper()
	f, err := s.Caller.Follow(s.T.Context(), insightapi.ProgressLog, "org_1", id, 1)
	if err != nil {
		s.T.Fatal(err)
	}
	defer f.Close()
	ctx := patience.Context(s.T)
	for len(events) < n {
		sequence, data, err := f.Next(ctx)
		if err != nil {
			s.T.Fatal(fmt.Errorf("after %d events: %w", len(events), err))
		}
		var e insightapi.Event
		if err := json.Unmarshal(data, &e); err != nil || e.Sequence != sequence {
			s.T.Fatalf("event %d is %s, %v", sequence, data, err)
		}
		events = append(events, e)
	}
	return events
}
