package insight_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var (
	principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}
	stranger  = contract.Principal{Organization: "org_2", User: contract.User{ID: "user_2"}}
	titles    = []insightapi.Request{{Type: insightapi.DocumentTitle}, {Type: insightapi.DocumentIDs}}
)

// system is a running insight service, the documents that it asks about, and who
// asks it.
type system struct {
	t         *testing.T
	server    *natsserver.Server
	env       []string
	blobs     *blob.Store
	caller    *bus.Conn
	documents *documents
	reader    *reader
	log       *safeBuffer
	metrics   prometheus.Gatherer
	stop      func()
}

// safeBuffer holds what is logged.
type safeBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// documents stands in for the document service.
type documents struct {
	mu       sync.Mutex
	contents map[string]documentapi.ContentsResponse // by organization and id
	states   map[string]documentapi.State            // by id
	deleted  map[string]bool                         // by id
}

// get answers documentapi.Get.
func (d *documents) get(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	c, err := d.contentsOf(ctx, p, r)
	d.mu.Lock()
	defer d.mu.Unlock()
	return documentapi.Document{ID: r.DocumentID, Name: "The name", State: d.states[r.DocumentID], VersionNumber: c.VersionNumber}, err
}

// contentsOf answers documentapi.Contents.
func (d *documents) contentsOf(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.contents[p.Organization+" "+r.DocumentID]
	if !ok || d.deleted[r.DocumentID] {
		return documentapi.ContentsResponse{}, documentapi.NotFound(r.DocumentID)
	}
	return c, nil
}

// status answers documentapi.Status.
func (d *documents) status(_ context.Context, p contract.Principal, r documentapi.StatusRequest) (documentapi.StatusResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.contents[p.Organization+" "+r.DocumentID]; !ok {
		return documentapi.StatusResponse{}, documentapi.NotFound(r.DocumentID)
	}
	return documentapi.StatusResponse{Deleted: d.deleted[r.DocumentID]}, nil
}

// remove deletes a document.
func (d *documents) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deleted[id] = true
}

// forget makes a document one that is not there.
func (d *documents) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.contents, "org_1 "+id)
}

// reader stands in for the engine, and for what fetches URLs.
type reader struct {
	blobs *blob.Store
	mu    sync.Mutex
	seen  []domain.Material
	// before is called before each key is answered, if it is set. It may fail.
	before func(ctx context.Context, m domain.Material) error
}

// Version implements domain.Engine.
func (r *reader) Version() string { return "test" }

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
	for _, stage := range insightapi.Stages() {
		told.Reached(stage)
	}
	if before != nil {
		if err := before(ctx, m); err != nil {
			return domain.Analysis{}, err
		}
	}
	a := insightapi.Answer{
		DocumentTitle: &[]insightapi.Title{{Title: string(text), TitleSource: insightapi.FromFirstLine, Place: insightapi.Place{Quote: string(text), ConfidenceScore: 0.9}}},
		DocumentIDs:   &insightapi.IDs{MD5: f.MD5, CRC32C: f.CRC32C, CreateDatetime: float64(f.SealedAt) / 1000, MIMEType: f.Type},
	}
	for _, key := range insightapi.Asked(q.Requests) {
		told.Answered(key, &a)
	}
	return domain.Analysis{Answer: a, Shown: domain.Shown{Key: f.Key, Name: f.Name, Type: f.Type}}, nil
}

// calls returns how often was read.
func (r *reader) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// set sets what is called before keys are answered.
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
	s := &system{
		t: t, server: bustest.Server(t), log: &safeBuffer{},
		documents: &documents{contents: map[string]documentapi.ContentsResponse{}, states: map[string]documentapi.State{}, deleted: map[string]bool{}},
		blobs:     blobtest.Dial(t, "b"+hash(t.Name())[:16]),
	}
	s.env = append([]string{"INSIGHT_DATABASE=" + filepath.Join(t.TempDir(), "insight.db"), "INSIGHT_SCRATCH=" + t.TempDir(), "INSIGHT_ACK_WAIT=" + patience.Scale(10*time.Second).String()}, env...)
	s.reader = &reader{blobs: s.blobs}
	answering, err := bustest.Connect(t, s.server, "document").Serve(documentapi.Service, "1.0.0", 16)
	if err == nil {
		err = bus.Handle(answering, documentapi.Contents, s.documents.contentsOf)
	}
	if err == nil {
		err = bus.Handle(answering, documentapi.Get, s.documents.get)
	}
	if err == nil {
		err = bus.Handle(answering, documentapi.Status, s.documents.status)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.caller = bustest.Connect(t, s.server, "gateway")
	t.Cleanup(func() { _ = answering.Shutdown(context.Background()) })
	s.run()
	return s
}

// run runs the service, anew where it was stopped.
func (s *system) run() {
	s.t.Helper()
	var cfg insight.Config
	if err := config.Load(s.env, "INSIGHT_", &cfg); err != nil {
		s.t.Fatal(err)
	}
	tel, err := telemetry.New(s.t.Context(), "insight", telemetry.Config{}, io.MultiWriter(s.t.Output(), s.log))
	if err != nil {
		s.t.Fatal(err)
	}
	s.metrics = tel.Metrics
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	conn := bustest.Connect(s.t, s.server, "insight")
	go func() {
		ended <- insight.RunWith(ctx, cfg, insight.Deps{Telemetry: tel, Bus: conn, Blobs: s.blobs}, s.reader, s.reader.fetch)
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(s.stop) // before its connection is closed
	if err := tel.Health.Part(insightapi.Service).Wait(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func hash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// document makes a document of the principal's organization in the state, with one
// file, or with one that has a fault where the text is "", and returns its id.
func (s *system) document(state documentapi.State, text string) string {
	s.t.Helper()
	id := contract.NewID(contract.DocumentPrefix)
	f := documentapi.Content{ID: "file_1", Name: "a.txt", Type: "text/plain", Fault: "has not been uploaded"}
	if text != "" {
		f.Fault, f.SHA256, f.Size = "", hash(text), int64(len(text))
		f.Key = "content/org_1/" + id + "/" + f.SHA256
		if err := s.blobs.Put(s.t.Context(), f.Key, strings.NewReader(text), f.Size, f.Type); err != nil {
			s.t.Fatal(err)
		}
	}
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	s.documents.contents["org_1 "+id] = documentapi.ContentsResponse{DocumentID: id, VersionNumber: 3, Files: []documentapi.Content{f}}
	s.documents.states[id] = state
	return id
}

// ask returns a request for the titles of a source.
func ask(source insightapi.SourceKind, value string) insightapi.CreateRequest {
	return insightapi.CreateRequest{Source: source, Value: value, Insights: titles}
}

// create asks what a source says.
func (s *system) create(r insightapi.CreateRequest) (insightapi.CreateResponse, error) {
	s.t.Helper()
	return bus.Call(s.t.Context(), s.caller, insightapi.Create, principal, r)
}

// waiting is how many requests wait for a job.
func (s *system) waiting() (n float64) {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
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
	return bus.Call(s.t.Context(), s.caller, insightapi.Job, principal, jobapi.GetRequest{ID: id})
}

// ended waits for the end of a job.
func (s *system) ended(id string) (j jobapi.Job) {
	s.t.Helper()
	s.eventually("the end of job "+id, func() bool {
		var err error
		if j, err = s.job(id); err != nil {
			s.t.Fatal(err)
		}
		return j.State.Ended()
	})
	return j
}

// eventually waits for something that takes a while.
func (s *system) eventually(what string, is func() bool) {
	s.t.Helper()
	patience.Until(s.t, what, is)
}

// read splits an answer: what is the same each time, and what its URL leads to.
func (s *system) read(answer jsontext.Value) (rest string, shown string) {
	s.t.Helper()
	var a insightapi.Answer
	if err := json.Unmarshal(answer, &a); err != nil {
		s.t.Fatalf("%v in %s", err, answer)
	}
	response, err := http.Get(a.SignedURL)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d, %v: %.200s", response.StatusCode, err, content)
	}
	quoted, err := jsontext.AppendQuote(nil, a.SignedURL)
	if err != nil {
		s.t.Fatal(err)
	}
	without := strings.Replace(string(answer), string(quoted), `"…"`, 1)
	if strings.Contains(without, a.SignedURL) || !strings.HasSuffix(without, `"…"}`) {
		s.t.Errorf("the URL is not at the end: %s", answer)
	}
	return without, string(content)
}

// follow returns the events of a job, as many as there are for the titles, as soon
// as they are there.
func (s *system) follow(id string, n int) (events []insightapi.Event) {
	s.t.Helper()
	f, err := s.caller.Follow(s.t.Context(), insightapi.ProgressLog, "org_1", id, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	ctx := patience.Context(s.t)
	for len(events) < n {
		sequence, data, err := f.Next(ctx)
		if err != nil {
			s.t.Fatal(fmt.Errorf("after %d events: %w", len(events), err))
		}
		var e insightapi.Event
		if err := json.Unmarshal(data, &e); err != nil || e.Sequence != sequence {
			s.t.Fatalf("event %d is %s, %v", sequence, data, err)
		}
		events = append(events, e)
	}
	return events
}
