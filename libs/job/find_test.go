package job_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// known is a job.Finder with the jobs in the map, by organization and ID.
type known map[string]job.Record

// Get implements job.Finder.
func (k known) Get(_ context.Context, organization, id string) (job.Record, error) {
	if r, ok := k[organization+" "+id]; ok {
		return r, nil
	}
	return job.Record{}, job.ErrNotFound
}

// Cancel implements job.Finder.
func (k known) Cancel(ctx context.Context, organization, id string) (job.Record, error) {
	r, err := k.Get(ctx, organization, id)
	if err == nil && !r.Ended() {
		r.State = jobapi.Canceled
		k[organization+" "+id] = r
	}
	return r, err
}

var errAskLater = errors.New("unavailable")

// documents is a job.Status: doc_1 exists, doc_2 does not, doc_3 is deleted, and the
// status of doc_4 is unavailable.
func documents(_ context.Context, p contract.Principal, documentID string) (deleted bool, err error) {
	switch p.Organization + " " + documentID {
	case "org_1 doc_1":
		return false, nil
	case "org_1 doc_3":
		return true, nil
	case "org_1 doc_4":
		return false, errAskLater
	}
	return false, problem.New(problem.DocumentNotFound, "There is no document %s.", documentID)
}

var (
	member   = contract.Principal{Organization: "org_1"}
	stranger = contract.Principal{Organization: "org_2"}
)

// TestFind finds jobs whose document the caller may see. Other jobs are indistinguishable
// from jobs that do not exist. Jobs of a deleted document have no result and are
// canceled.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		who     contract.Principal
		job     job.Record
		find    jobapi.State // "" for not found
		result  bool
		cancels jobapi.State
	}{
		{member, job.Record{Subject: "doc_1", State: jobapi.Running}, jobapi.Running, false, jobapi.Canceled},
		{member, job.Record{Subject: "doc_1", State: jobapi.Succeeded, Result: []byte("1")}, jobapi.Succeeded, true, jobapi.Succeeded},
		{member, job.Record{State: jobapi.Queued}, jobapi.Queued, false, jobapi.Canceled}, // without a document
		{member, job.Record{Subject: "doc_2", State: jobapi.Queued}, "", false, ""},
		{member, job.Record{Subject: "doc_3", State: jobapi.Queued}, jobapi.Canceled, false, jobapi.Canceled},
		{member, job.Record{Subject: "doc_3", State: jobapi.Running}, jobapi.Canceled, false, jobapi.Canceled},
		{member, job.Record{Subject: "doc_3", State: jobapi.Succeeded, Result: []byte("1")}, jobapi.Succeeded, false, jobapi.Succeeded},
		{member, job.Record{Subject: "doc_3", State: jobapi.Failed}, jobapi.Failed, false, jobapi.Failed},
		{stranger, job.Record{Subject: "doc_1", State: jobapi.Running}, "", false, ""},
		{stranger, job.Record{State: jobapi.Queued}, "", false, ""},
	} {
		for what, do := range map[string]func(context.Context, job.Finder, contract.Principal, string, job.Status) (job.Record, error){"find": job.Find, "cancel": job.Cancel} {
			want := c.find
			if what == "cancel" {
				want = c.cancels
			}
			jobs := known{"org_1 job_1": c.job}
			r, err := do(t.Context(), jobs, c.who, "job_1", documents)
			if want == "" {
				if err == nil || err.Error() != jobapi.NotFound("job_1").Error() || jobs["org_1 job_1"].State != c.job.State {
					t.Errorf("%s %+v of %s: %+v, %v", what, c.job, c.who.Organization, r, err)
				}
				continue
			}
			if err != nil || r.State != want || r.HasResult() != c.result || jobs["org_1 job_1"].State != want {
				t.Errorf("%s %+v: %+v, %v; want %s", what, c.job, r, err, want)
			}
		}
	}
	jobs := known{"org_1 job_4": {Subject: "doc_4"}}
	if _, err := job.Find(t.Context(), jobs, member, "job_4", documents); !errors.Is(err, errAskLater) {
		t.Errorf("while the document service is unavailable: %v", err)
	}
	if _, err := job.Cancel(t.Context(), jobs, member, "job_none", documents); err == nil || err.Error() != jobapi.NotFound("job_none").Error() {
		t.Errorf("an unknown job: %v", err)
	}
}

// TestWanted cancels work on deleted documents, and checks the error for waiters.
func TestWanted(t *testing.T) {
	t.Parallel()
	for subject, c := range map[string]struct {
		wanted error
		waiter problem.Code // for the waiter of a canceled job, 0 for any
	}{
		"":      {nil, problem.Unavailable},
		"doc_1": {nil, problem.Unavailable},
		"doc_2": {job.ErrCanceled, problem.DocumentNotFound},
		"doc_3": {job.ErrCanceled, problem.DocumentNotFound},
		"doc_4": {errAskLater, 0},
	} {
		r := job.Record{ID: "job_1", Principal: member, Subject: subject}
		if err := job.Wanted(t.Context(), r, documents); !errors.Is(err, c.wanted) {
			t.Errorf("a job of %q: %v, want %v", subject, err, c.wanted)
		}
		err := job.Canceled(t.Context(), member, r, documents)
		if c.waiter == 0 && !errors.Is(err, errAskLater) || c.waiter != 0 && !problem.Is(err, c.waiter) {
			t.Errorf("the waiter for a job of %q gets %v", subject, err)
		}
		if c.waiter == problem.Unavailable && problem.Of(err).RetryAfter == 0 {
			t.Errorf("the error does not say when to retry: %v", err)
		}
	}
}

// TestSlots checks that no more work runs concurrently than there are slots.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := job.NewSlots(2, "hands")
		load := func(waiting, running int) {
			t.Helper()
			synctest.Wait()
			if w, r := slots.Load(); w != waiting || r != running {
				t.Errorf("%d wait and %d run, want %d and %d", w, r, waiting, running)
			}
		}
		first, _ := slots.Acquire(t.Context())
		second, _ := slots.Acquire(t.Context())
		load(0, 2)
		ctx, cancel := context.WithCancel(t.Context())
		refused := make(chan error, 1)
		go func() {
			_, err := slots.Acquire(ctx)
			refused <- err
		}()
		load(1, 2)
		metrics := prometheus.NewRegistry()
		job.Measure(metrics, "hands", "They wait.", "They work.", slots.Load)
		families, err := metrics.Gather()
		if err != nil || len(families) != 2 || families[0].GetName() != "hands_running" || families[0].GetMetric()[0].GetGauge().GetValue() != 2 ||
			families[1].GetName() != "hands_waiting" || families[1].GetMetric()[0].GetGauge().GetValue() != 1 {
			t.Errorf("the gauges are %v, %v", families, err)
		}
		cancel()
		if err := <-refused; !problem.Is(err, problem.Unavailable) {
			t.Errorf("got %v", err)
		}
		load(0, 2)
		first()
		third, err := slots.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second()
		third()
		load(0, 0)
	})
}
