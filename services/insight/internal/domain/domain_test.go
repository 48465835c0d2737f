package domain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1"}

// jobs is a jobservice.Jobs in memory, by id.
type jobs map[string]job.Record

// Submit implements jobservice.Jobs: it accepts every job.
func (j jobs) Submit(_ context.Context, r job.Record, again func(job.Record) bool) (job.Record, error) {
	if there, ok := j[r.ID]; ok && !again(there) {
		return there, nil
	}
	j[r.ID] = r
	return r, nil
}

// Wait implements jobservice.Jobs: it returns at once.
func (j jobs) Wait(_ context.Context, r job.Record) (job.Record, error) { return r, nil }

// Get implements jobservice.Jobs.
func (j jobs) Get(_ context.Context, _, id string) (job.Record, error) {
	if r, ok := j[id]; ok {
		return r, nil
	}
	return job.Record{}, job.ErrNotFound
}

// Cancel implements jobservice.Jobs.
func (j jobs) Cancel(ctx context.Context, organization, id string) (job.Record, error) {
	return j.Get(ctx, organization, id)
}

// engine finds a title of the given length.
type engine struct{ length int }

// Version implements domain.Engine.
func (engine) Version(string) string { return "test" }

// Analyze implements domain.Engine.
func (e engine) Analyze(_ context.Context, m domain.Material, _ domain.Question, _ domain.Listener) (domain.Analysis, error) {
	return domain.Analysis{
		Answer: insightapi.Answer{DocumentTitle: &[]insightapi.Title{{Title: strings.Repeat("x", e.length)}}},
		Shown:  domain.Shown{Key: m.Files[0].Key, Name: "a.txt", Type: "text/plain"},
	}, nil
}

// quiet is a domain.Progress that keeps nothing.
type quiet struct{}

func (quiet) Append(context.Context, string, string, int, []byte) error { return nil }
func (quiet) Remove(context.Context, string, string) error              { return nil }

// settings keep the insights of stored documents for a day, and URLs for a minute.
var settings = domain.Config{Workers: 1, DownloadTTL: time.Minute, Keep: 24 * time.Hour}

// newService returns a service over real stores, with changes to the settings.
func newService(t *testing.T, known jobs, e domain.Engine, scratch string, changes ...func(*domain.Config)) (*domain.Service, *sqlitestore.Store, *blob.Store) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	blobs := blobtest.Dial(t, "insight-"+strings.ToLower(t.Name()))
	cfg := settings
	for _, change := range changes {
		change(&cfg)
	}
	return domain.NewService(cfg, domain.Deps{
		Status: func(context.Context, contract.Principal, string) (bool, error) { return false, nil },
		Engine: e, Store: store, Kept: store, Objects: blobs, Jobs: known, Progress: quiet{}, Scratch: scratch, KeepSent: time.Hour, Log: telemetry.Discard(),
		Fetch: func(_ context.Context, _ string, to io.Writer) (domain.Fetched, error) {
			_, err := to.Write([]byte("x"))
			return domain.Fetched{}, err
		},
	}), store, blobs
}

// keys returns the keys of all objects.
func keys(t *testing.T, blobs *blob.Store) string {
	t.Helper()
	var keys []string
	if err := blobs.List(t.Context(), "", func(o blob.Object) error { keys = append(keys, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(keys, " ")
}

var text = insightapi.CreateRequest{Source: insightapi.DocText, Value: "A text", Insights: []insightapi.Request{{Type: insightapi.DocumentTitle}}}

// TestTextIsDeleted shows that the insights of a text expire with its URL, that the text
// is removed afterwards, and that it is read again when it is sent again.
func TestTextIsDeleted(t *testing.T) {
	known := jobs{}
	s, _, blobs := newService(t, known, engine{1}, t.TempDir())
	begun, err := s.Begin(t.Context(), principal, text)
	if err != nil {
		t.Fatal(err)
	}
	object := "insights/org_1/" + begun.ID + "/source"
	at := func(after time.Duration) { s.SetNow(func() time.Time { return time.Now().Add(after) }) }
	sweep := func(want string) {
		t.Helper()
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, blobs); got != want {
			t.Errorf("the objects are %q, want %q", got, want)
		}
	}
	at(10 * time.Hour) // the job is still waiting for a worker
	sweep(object)
	at(0)
	result, err := s.Work(t.Context(), known[begun.ID], func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	r := known[begun.ID]
	r.State, r.EndedAt = jobapi.Succeeded, time.Now().UnixMilli()
	r.Result, _ = json.Marshal(result)
	known[begun.ID] = r
	at(50 * time.Second)
	sweep(object)
	if shown, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: begun.ID}); err != nil || !strings.Contains(string(shown.Result), `"title":"x"`) {
		t.Errorf("the job is %+v, %v", shown, err)
	}
	at(61 * time.Second) // a URL presigned a second before the end still leads to the text
	sweep(object)
	if _, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: begun.ID}); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("the job is shown: %v", err)
	}
	if _, err := s.Sign(t.Context(), principal, insightapi.Result{JobID: begun.ID}); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("the insights are signed: %v", err)
	}
	at(3 * time.Minute)
	sweep("")
	if _, err := s.Work(t.Context(), r, func(float64) {}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("an expired text: %v", err)
	}
	again, err := s.Begin(t.Context(), principal, text)
	if err != nil || again.ID != begun.ID || again.State == jobapi.Succeeded {
		t.Errorf("the same request again: %+v, %v", again, err)
	}
	if got := keys(t, blobs); got != object {
		t.Errorf("the objects are %q", got)
	}
}

// TestSweep shows that only the files of jobs that may still need them are kept.
func TestSweep(t *testing.T) {
	now := time.Now().UnixMilli()
	s, store, blobs := newService(t, jobs{
		"job_dead": {State: jobapi.Failed, Dead: true, EndedAt: now}, "job_failed": {State: jobapi.Failed, EndedAt: now}, "job_queued": {State: jobapi.Queued},
	}, engine{1}, t.TempDir())
	for _, key := range []string{"content/org_1/doc_1/x", "insights/org_1/job_dead/source", "insights/org_1/job_failed/shown.pdf", "insights/org_1/job_failed/source", "insights/org_1/job_none/source", "insights/org_1/job_queued/source", "insights/x"} {
		if err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Keep(t.Context(), "org_1", "job_1", domain.Insight{ExpiresAt: now + time.Hour.Milliseconds()}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  string
		found bool
	}{
		{time.Minute, "content/org_1/doc_1/x insights/org_1/job_dead/source insights/org_1/job_failed/shown.pdf insights/org_1/job_failed/source insights/org_1/job_none/source insights/org_1/job_queued/source insights/x", true},
		{3 * time.Minute, "content/org_1/doc_1/x insights/org_1/job_dead/source insights/org_1/job_queued/source", true},
		{25 * time.Hour, "content/org_1/doc_1/x insights/org_1/job_queued/source", false},
	} {
		s.SetNow(func() time.Time { return time.Now().Add(step.after) })
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, blobs); got != step.want {
			t.Errorf("after %s the objects are %s", step.after, got)
		}
		if _, err := store.Insight(t.Context(), "org_1", "job_1"); errors.Is(err, domain.ErrNotFound) == step.found {
			t.Errorf("after %s the insights are %v", step.after, err)
		}
	}
	if err := s.Expire(t.Context()); err != nil && !errors.Is(err, blob.ErrNoLifecycle) {
		t.Error(err)
	}
}

// purged is an engine whose document is purged while it reads.
type purged struct {
	engine
	jobs jobs
}

// Analyze implements domain.Engine.
func (p purged) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	clear(p.jobs)
	return p.engine.Analyze(ctx, m, q, told)
}

// TestPurgeMeanwhile shows that nothing is kept of a document that is purged while it is
// read.
func TestPurgeMeanwhile(t *testing.T) {
	for _, gone := range []bool{true, false} {
		known := jobs{}
		e := domain.Engine(engine{1})
		if gone {
			e = purged{engine{1}, known}
		}
		s, store, _ := newService(t, known, e, t.TempDir())
		known["job_1"] = job.Record{
			ID: "job_1", Principal: principal, Subject: "doc_1",
			Request: []byte(`{"material":{"kind":"document_id","document_id":"doc_1","files":[{}]},"question":{"requests":[{"type":"document_title"}]}}`),
		}
		if _, err := s.Work(t.Context(), known["job_1"], func(float64) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Insight(t.Context(), "org_1", "job_1"); errors.Is(err, domain.ErrNotFound) != gone {
			t.Errorf("purged %v: the insights are %v", gone, err)
		}
	}
}

// TestShownIsGone shows that a job is not found if its URL would lead to nothing: the PDF
// expires by its own age, and may be older than the job.
func TestShownIsGone(t *testing.T) {
	now := time.Now().UnixMilli()
	s, store, blobs := newService(t, jobs{"job_1": {ID: "job_1", Principal: principal, State: jobapi.Succeeded, Result: []byte("{}"), EndedAt: now}}, engine{1}, t.TempDir())
	found := domain.Insight{ExpiresAt: now + time.Hour.Milliseconds(), Analysis: domain.Analysis{Shown: domain.Shown{Key: "derived/org_1/doc_1/x", Name: "a.pdf"}}}
	if err := store.Keep(t.Context(), "org_1", "job_1", found); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: "job_1"}); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("without the PDF: %v", err)
	}
	if err := blobs.Put(t.Context(), found.Analysis.Shown.Key, strings.NewReader("x"), 1, ""); err != nil {
		t.Fatal(err)
	}
	if shown, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: "job_1"}); err != nil || shown.Result == nil {
		t.Errorf("with the PDF: %+v, %v", shown, err)
	}
}

// TestPDFOfAnotherService shows that the lifetime of a stored document's PDF goes before
// the retention of insights: from the time the conversion service would renew the PDF,
// the document is read again, and no URL outlives the PDF.
func TestPDFOfAnotherService(t *testing.T) {
	const key = "derived/org_1/doc_1/x"
	now := time.Now().Truncate(time.Millisecond) // as precise as a Lifetime
	ms := func(after time.Duration) int64 { return now.Add(after).UnixMilli() }
	pdf := conversionapi.Lifetime{RenewedAt: ms(time.Hour), RemovedAt: ms(time.Hour + 30*time.Second)} // insights themselves are kept for 24 h
	found := domain.Insight{ExpiresAt: ms(24 * time.Hour), Analysis: domain.Analysis{Shown: domain.Shown{Key: key, Name: "a.pdf", Lifetime: pdf}}}
	for _, c := range []struct {
		after    time.Duration
		lifetime conversionapi.Lifetime
		kept     bool // the insights
		shown    bool // the job, with its result
		valid    time.Duration
	}{
		{0, pdf, true, true, time.Minute},
		{time.Hour - time.Second, pdf, true, true, 31 * time.Second},
		{time.Hour, pdf, false, true, 30 * time.Second},
		{time.Hour + 29*time.Second, pdf, false, true, time.Second},
		{time.Hour + 30*time.Second, pdf, false, false, 0},
		{23 * time.Hour, conversionapi.Lifetime{}, true, true, time.Minute}, // a PDF that lasts as long as its document
	} {
		s, store, blobs := newService(t, jobs{"job_1": {ID: "job_1", Principal: principal, Subject: "doc_1", State: jobapi.Succeeded, Result: []byte("{}")}}, engine{1}, t.TempDir())
		found.Analysis.Shown.Lifetime, found.DocumentID = c.lifetime, "doc_1"
		err := errors.Join(store.Keep(t.Context(), "org_1", "job_1", found), blobs.Put(t.Context(), key, strings.NewReader("x"), 1, ""))
		if err != nil {
			t.Fatal(err)
		}
		s.SetNow(func() time.Time { return now.Add(c.after) })
		_, err = s.Sign(t.Context(), principal, insightapi.Result{JobID: "job_1", DocumentID: "doc_1"})
		if (err == nil) != c.kept || err != nil && !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("after %s signing the insights: %v", c.after, err)
		}
		job, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: "job_1"})
		if (err == nil) != c.shown || err != nil && !problem.Is(err, problem.RouteNotFound) {
			t.Errorf("after %s getting the job: %v", c.after, err)
		}
		if want := fmt.Sprintf("X-Amz-Expires=%d", int(c.valid.Seconds())); c.shown && !strings.Contains(string(job.Result), want+"&") && !strings.Contains(string(job.Result), want+`\u0026`) {
			t.Errorf("after %s the result is %s, want %s", c.after, job.Result, want)
		}
	}
}

// stopped is an engine that is stopped while it reads.
type stopped struct {
	engine
	stop func()
}

// Analyze implements domain.Engine.
func (s stopped) Analyze(ctx context.Context, _ domain.Material, _ domain.Question, _ domain.Listener) (domain.Analysis, error) {
	s.stop()
	<-ctx.Done()
	return domain.Analysis{}, context.Cause(ctx)
}

// TestTooLong shows that a job fails for good if its document takes too long, since it
// would take as long the next time, but not if it is stopped for another reason.
func TestTooLong(t *testing.T) {
	known := jobs{}
	var stop func()
	s, _, _ := newService(t, known, stopped{stop: func() { stop() }}, t.TempDir())
	begun, err := s.Submit(t.Context(), principal, text)
	if err != nil {
		t.Fatal(err)
	}
	for cause, final := range map[error]bool{context.DeadlineExceeded: true, context.Canceled: false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop = func() { cancel(cause) }
		_, err := s.Work(ctx, known[begun.ID], func(float64) {})
		var told *problem.Error
		own := errors.As(err, &told) && told.Code == problem.InvalidRequest && told.RetryAfter > 0
		if !errors.Is(err, cause) || own != final {
			t.Errorf("%v: %v", cause, err)
		}
	}
}

// TestTooMuch shows that the error for an answer too large to keep says what to do.
func TestTooMuch(t *testing.T) {
	known := jobs{}
	s, _, _ := newService(t, known, engine{domain.MaxSize}, t.TempDir())
	begun, err := s.Submit(t.Context(), principal, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Work(t.Context(), known[begun.ID], func(float64) {}); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "fewer insights") {
		t.Errorf("got %v", err)
	}
}

// TestNoScratch shows that a URL request is refused as retryable if the scratch folder is
// missing.
func TestNoScratch(t *testing.T) {
	s, _, _ := newService(t, jobs{}, engine{1}, filepath.Join(t.TempDir(), "none"))
	r := text
	r.Source, r.Value = insightapi.URL, "https://example.com/"
	if _, err := s.Begin(t.Context(), principal, r); !problem.Is(err, problem.Unavailable) {
		t.Errorf("got %v", err)
	}
}

// List implements jobservice.Jobs: it returns all jobs.
func (j jobs) List(context.Context, string, job.Filter, int) ([]job.Record, int64, error) {
	return slices.Collect(maps.Values(j)), int64(len(j)), nil
}
