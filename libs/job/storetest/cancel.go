package storetest

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
)

// testLookup finds a job by its key, only within its organization.
func testLookup(t *testing.T, s job.Store) {
	r := add(t, s, record("org_a", "job_1", jobapi.Bulk))
	if got, err := s.Lookup(t.Context(), "org_a", r.Key); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("Lookup = %+v, %v; want %+v", got, err, r)
	}
	for _, unknown := range [][2]string{{"org_b", r.Key}, {"org_a", "another key"}, {"org_a", r.ID}} {
		if _, err := s.Lookup(t.Context(), unknown[0], unknown[1]); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Lookup(%v) = %v, want ErrNotFound", unknown, err)
		}
	}
}

// testPending lists the unfinished jobs of a document, only within its organization.
func testPending(t *testing.T, s job.Store) {
	add(t, s, record("org_a", "job_queued", jobapi.Bulk))
	running := add(t, s, record("org_a", "job_running", jobapi.Interactive))
	running.State, running.LeaseEnds = jobapi.Running, 10
	replace(t, s, running)
	for _, state := range []jobapi.State{jobapi.Succeeded, jobapi.Failed, jobapi.Canceled} {
		r := add(t, s, record("org_a", "job_"+string(state), jobapi.Bulk))
		r.State, r.EndedAt = state, 10
		replace(t, s, r)
	}
	other := record("org_a", "job_other", jobapi.Bulk)
	other.Subject = "doc_2"
	add(t, s, other)
	add(t, s, record("org_b", "job_foreign", jobapi.Bulk))
	found, err := s.Pending(t.Context(), "org_a", "doc_1", 10)
	if got := ids(found); err != nil || len(found) != 2 || !strings.Contains(got, "job_queued") || !strings.Contains(got, "job_running") {
		t.Errorf("Pending = %q, %v", got, err)
	}
	if found, err := s.Pending(t.Context(), "org_a", "doc_1", 1); err != nil || len(found) != 1 {
		t.Errorf("Pending with a limit = %q, %v", ids(found), err)
	}
}

// testCancel cancels a queued job: the job no longer counts as unfinished, frees its
// turn, and keeps its state.
func testCancel(t *testing.T, s job.Store) {
	add(t, s, record("org_a", "job_1", jobapi.Bulk))
	r := promote(t, s, "org_a", 1, 3, 1)[0]
	r.State, r.EndedAt, r.Owner = jobapi.Canceled, 9, ""
	r = replace(t, s, r)
	if got, err := s.Get(t.Context(), "org_a", "job_1"); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("read %+v, %v; want %+v", got, err, r)
	}
	if n, err := s.Unfinished(t.Context(), "org_a"); err != nil || n != 0 {
		t.Errorf("%d jobs are unfinished, %v", n, err)
	}
	if overdue, err := s.Overdue(t.Context(), 100, 10); err != nil || len(overdue) != 0 {
		t.Errorf("Overdue = %q, %v", ids(overdue), err)
	}
	if ended, err := s.Ended(t.Context(), 10, false, 10); err != nil || ids(ended) != "job_1" {
		t.Errorf("Ended = %q, %v", ids(ended), err)
	}
	add(t, s, record("org_a", "job_2", jobapi.Bulk))
	if next := promote(t, s, "org_a", 1, 4, 1); next[0].ID != "job_2" { // the turn is free again
		t.Errorf("promoted is %q", ids(next))
	}
}

// testCancelRace lets a worker store its result while another caller cancels the job,
// repeatedly: one of them wins, and the record is the winner's.
func testCancelRace(t *testing.T, s job.Store) {
	for i := range 20 {
		r := record("org_a", "job_"+string(rune('a'+i)), jobapi.Bulk)
		r.Result = nil
		r = add(t, s, r)
		succeeded, canceled := r, r
		succeeded.State, succeeded.EndedAt, succeeded.Result = jobapi.Succeeded, 1, []byte(`{"a":1}`)
		canceled.State, canceled.EndedAt, canceled.Owner = jobapi.Canceled, 1, ""
		var wg sync.WaitGroup
		var failures [2]error
		for i, change := range []job.Record{succeeded, canceled} {
			wg.Go(func() { _, failures[i] = s.Replace(t.Context(), change) })
		}
		wg.Wait()
		there, err := s.Get(t.Context(), "org_a", r.ID)
		if err != nil {
			t.Fatal(err)
		}
		won, lost := failures[0], failures[1]
		if there.State == jobapi.Canceled {
			won, lost = lost, won
		}
		if won != nil || !errors.Is(lost, job.ErrConflict) || there.HasResult() != (there.State == jobapi.Succeeded) {
			t.Errorf("the job is %s with the result %s; the changes ended with %v", there.State, there.Result, failures)
		}
	}
}
