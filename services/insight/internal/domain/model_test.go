package domain_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// modelled is an engine that has asked a language model and kept its completion. before is
// called after that; its error is that of the engine.
type modelled struct {
	engine
	kept   domain.Completions
	before func(told domain.Listener) error
	// degraded says that the model was not available.
	degraded bool
}

// Analyze implements domain.Engine.
func (e *modelled) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	err := e.kept.KeepCompletion(ctx, m.Principal.Organization, domain.Completion{
		JobID: m.Job.ID, DocumentID: m.DocumentID, Key: "k", Data: []byte("{}"), ExpiresAt: time.Now().Add(time.Hour).UnixMilli(),
	})
	if err == nil {
		err = e.before(told)
	}
	if err != nil {
		return domain.Analysis{}, err
	}
	a, err := e.engine.Analyze(ctx, m, q, told)
	a.Degraded = e.degraded
	return a, err
}

// stored returns the record of a job about a stored document.
func stored(id string) job.Record {
	return job.Record{
		ID: id, Principal: principal, Subject: "doc_1", Tries: 1,
		Request: []byte(`{"material":{"kind":"document_id","document_id":"doc_1","files":[{}]},"question":{"requests":[{"type":"document_title"}]}}`),
	}
}

// TestCompletions shows that completions are kept for the next try of a job, and removed
// when the job has its result or its document is purged.
func TestCompletions(t *testing.T) {
	for name, c := range map[string]struct {
		fails, purged, kept bool
	}{
		"done": {false, false, false}, "to be tried again": {true, false, true}, "purged": {false, true, false}, "failed and purged": {true, true, false},
	} {
		known, e := jobs{"job_1": stored("job_1")}, &modelled{engine: engine{1}}
		e.before = func(domain.Listener) error {
			if c.purged {
				clear(known)
			}
			if c.fails {
				return errors.New("the provider does not answer")
			}
			return nil
		}
		s, store, _ := newService(t, known, e, t.TempDir())
		e.kept = store
		if _, err := s.Work(t.Context(), stored("job_1"), func(float64) {}); (err != nil) != c.fails {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := store.Completion(t.Context(), principal.Organization, "job_1", "k"); (err == nil) != c.kept {
			t.Errorf("%s: the completion: %v", name, err)
		}
	}
}

// TestIdle shows that a document is read while another one waits for a model, by a service
// with a single worker, and that the waiting one has its turn back afterwards.
func TestIdle(t *testing.T) {
	known, e := jobs{"job_1": stored("job_1"), "job_2": stored("job_2")}, &modelled{engine: engine{1}}
	s, store, _ := newService(t, known, e, t.TempDir())
	e.kept = store
	running := func() int { _, n := s.Load(); return n }
	e.before = func(told domain.Listener) error {
		told.Progressed(0.5)
		err := told.Idle(t.Context(), func() error {
			e.before = func(domain.Listener) error { return nil }
			_, err := s.Work(t.Context(), stored("job_2"), func(float64) {})
			if running() != 0 {
				t.Errorf("%d documents are being read while the only one waits", running())
			}
			return err
		})
		if running() != 1 {
			t.Errorf("%d documents are being read after waiting, want 1", running())
		}
		return err
	}
	var reported []float64
	if _, err := s.Work(t.Context(), stored("job_1"), func(progress float64) { reported = append(reported, progress) }); err != nil {
		t.Fatal(err)
	}
	if len(reported) != 1 || reported[0] != 0.125 { // half of one of four steps
		t.Errorf("the progress was %v, want 0.125", reported)
	}
	if running() != 0 {
		t.Errorf("%d turns were not given back", running())
	}
}

// TestDegraded shows that an answer without the model that was to be asked can be fetched
// as the answer of its request, but is not the answer of the same request later.
func TestDegraded(t *testing.T) {
	for _, degraded := range []bool{true, false} {
		known, e := jobs{}, &modelled{engine: engine{1}, degraded: degraded, before: func(domain.Listener) error { return nil }}
		s, store, _ := newService(t, known, e, t.TempDir())
		e.kept = store
		begun, err := s.Begin(t.Context(), principal, text)
		if err != nil {
			t.Fatal(err)
		}
		r := known[begun.ID]
		if _, err := s.Work(t.Context(), r, func(float64) {}); err != nil {
			t.Fatal(err)
		}
		ended := r
		ended.State, ended.Result = "succeeded", []byte(`{"job_id":"`+r.ID+`"}`)
		known[r.ID] = ended
		if _, err := s.Sign(t.Context(), principal, insightapi.Result{JobID: r.ID}); err != nil {
			t.Errorf("degraded %v: the answer cannot be fetched: %v", degraded, err)
		}
		again, err := s.Begin(t.Context(), principal, text)
		if err != nil {
			t.Fatal(err)
		}
		if asked := again.State == ""; asked != degraded {
			t.Errorf("degraded %v: the same request again is the job %+v", degraded, again)
		}
	}
}
