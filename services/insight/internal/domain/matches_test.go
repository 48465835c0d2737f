package domain_test

import (
	"context"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// matcher is an engine that finds a title and a matching document.
type matcher struct{ engine }

// Analyze implements domain.Engine.
func (e matcher) Analyze(ctx context.Context, m domain.Material, q domain.Question, told domain.Listener) (domain.Analysis, error) {
	a, err := e.engine.Analyze(ctx, m, q, told)
	a.Answer.MatchingDocuments = &[]insightapi.MatchingDocument{{DocumentID: "doc_2"}}
	return a, err
}

// asking returns a request for insights of a type about the text.
func asking(types ...insightapi.Type) insightapi.CreateRequest {
	r := insightapi.CreateRequest{Source: insightapi.DocText, Value: "A text"}
	for _, t := range types {
		r.Insights = append(r.Insights, insightapi.Request{Type: t})
	}
	return r
}

// TestMatchesAge shows that matching documents are looked for again after five minutes,
// while other insights stay for as long as they are kept. The old result can still be
// fetched.
func TestMatchesAge(t *testing.T) {
	for _, c := range []struct {
		types []insightapi.Type
		age   time.Duration
		again bool
	}{
		{[]insightapi.Type{insightapi.MatchingDocuments}, 4 * time.Minute, false},
		{[]insightapi.Type{insightapi.MatchingDocuments}, 5 * time.Minute, true},
		{[]insightapi.Type{insightapi.DocumentTitle, insightapi.MatchingDocuments}, 6 * time.Minute, true},
		{[]insightapi.Type{insightapi.DocumentTitle}, 6 * time.Minute, false},
	} {
		known := jobs{}
		s, _, _ := newService(t, known, matcher{engine{1}}, t.TempDir(), func(cfg *domain.Config) { cfg.DownloadTTL = time.Hour })
		begun, err := s.Begin(t.Context(), principal, asking(c.types...))
		if err != nil {
			t.Fatal(err)
		}
		r := known[begun.ID]
		if _, err := s.Work(t.Context(), r, func(float64) {}); err != nil {
			t.Fatal(err)
		}
		r.State, r.Result = "succeeded", []byte(`{"job_id":"`+r.ID+`"}`)
		known[r.ID] = r
		s.SetNow(func() time.Time { return time.Now().Add(c.age) })
		if _, err := s.Sign(t.Context(), principal, insightapi.Result{JobID: r.ID}); err != nil {
			t.Errorf("%v after %v cannot be fetched: %v", c.types, c.age, err)
		}
		again, err := s.Begin(t.Context(), principal, asking(c.types...))
		if err != nil || (again.State == "") != c.again {
			t.Errorf("%v after %v: the same request is the job %+v, %v", c.types, c.age, again, err)
		}
	}
}

// TestMatchesOfUsers shows that users share a job unless it looks for matching documents,
// which not everybody may see.
func TestMatchesOfUsers(t *testing.T) {
	s, _, _ := newService(t, jobs{}, matcher{engine{1}}, t.TempDir())
	for _, c := range []struct {
		asked insightapi.Type
		jobs  int
	}{{insightapi.DocumentTitle, 1}, {insightapi.MatchingDocuments, 2}} {
		ids := map[string]bool{}
		for _, user := range []string{"user_1", "user_2", "user_1"} {
			j, err := s.Begin(t.Context(), contract.Principal{Organization: "org_1", User: contract.User{ID: user}}, asking(c.asked))
			if err != nil {
				t.Fatal(err)
			}
			ids[j.ID] = true
		}
		if len(ids) != c.jobs {
			t.Errorf("two users have %d jobs about %s, want %d", len(ids), c.asked, c.jobs)
		}
	}
}

// TestFree shows that Free waits for a worker, and leaves it to a job.
func TestFree(t *testing.T) {
	known, e := jobs{"job_1": stored("job_1")}, &modelled{engine: engine{1}}
	s, store, _ := newService(t, known, e, t.TempDir())
	e.kept = store
	e.before = func(domain.Listener) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.Free(ctx); err == nil {
			t.Error("a worker is free although the only one reads a document")
		}
		return nil
	}
	if _, err := s.Work(t.Context(), stored("job_1"), func(float64) {}); err != nil {
		t.Fatal(err)
	}
	if err := s.Free(t.Context()); err != nil {
		t.Error(err)
	}
	if waiting, running := s.Load(); waiting != 0 || running != 0 {
		t.Errorf("%d wait and %d run after Free", waiting, running)
	}
}
