// Package storetest specifies job.Store as a test suite. Every implementation must pass
// it against its real database.
package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Run runs the suite. Open creates an empty database that lasts as long as the given
// test, and returns a function that opens a new Store on it each time, as the instances
// of a service do.
func Run(t *testing.T, open func(t *testing.T) func() job.Store) {
	for name, test := range map[string]func(*testing.T, job.Store){
		"AddAndGet":     testAddAndGet,
		"AddRace":       testAddRace,
		"Replace":       testReplace,
		"Promote":       testPromote,
		"PromoteLimits": testPromoteLimits,
		"ChangeLane":    testChangeLane,
		"Overdue":       testOverdue,
		"Ended":         testEnded,
		"Oldest":        testOldest,
		"Forget":        testForget,
		"Lookup":        testLookup,
		"Pending":       testPending,
		"Cancel":        testCancel,
		"CancelRace":    testCancelRace,
		"List":          testList,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)()) })
	}
	t.Run("PromoteRace", func(t *testing.T) { testPromoteRace(t, open(t)) })
}

// record returns a job with every field set except those about its end.
func record(organization, id string, lane jobapi.Lane) job.Record {
	return job.Record{
		ID:        id,
		Principal: contract.Principal{Organization: organization, User: contract.User{ID: "user_1"}, Key: "key_1", Scopes: []contract.Scope{contract.ScopeAll}},
		Key:       "key of " + id, Subject: "doc_1", Lane: lane, State: jobapi.Queued, Progress: .5,
		Request: jsontext.Value(`{"a":1}`), Result: jsontext.Value(`{"b":2}`),
		Error: problem.New(problem.InvalidRequest, "The file is empty."), Attempt: 1, Tries: 2, Owner: "worker_1", CreatedAt: 5,
		Origin: telemetry.Origin{RequestID: "req_1", Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "vendor=1"},
	}
}

// add stores a job and fails the test if that fails.
func add(t *testing.T, s job.Store, r job.Record) job.Record {
	t.Helper()
	there, added, err := s.Add(t.Context(), r)
	if err != nil || !added {
		t.Fatalf("Add = %v, %v", added, err)
	}
	return there
}

// replace updates a job and fails the test if that fails.
func replace(t *testing.T, s job.Store, r job.Record) job.Record {
	t.Helper()
	changed, err := s.Replace(t.Context(), r)
	if err != nil {
		t.Fatalf("Replace = %v", err)
	}
	return changed
}

// testAddAndGet reads back a stored job, and checks that one key is one job.
func testAddAndGet(t *testing.T, s job.Store) {
	r := record("org_a", "job_1", jobapi.Bulk)
	there := add(t, s, r)
	r.Revision = 1
	if got, err := s.Get(t.Context(), "org_a", "job_1"); err != nil || !reflect.DeepEqual(got, r) || !reflect.DeepEqual(there, r) {
		t.Errorf("stored %+v\n read %+v, %v", r, got, err)
	}
	again := record("org_a", "job_2", jobapi.Interactive)
	again.Key = r.Key
	if there, added, err := s.Add(t.Context(), again); err != nil || added || there.ID != "job_1" {
		t.Errorf("the same key again: %+v, %v, %v", there, added, err)
	}
	other := again
	other.Principal.Organization = "org_b"
	add(t, s, other)
	for _, gone := range [][2]string{{"org_b", "job_1"}, {"org_a", "job_9"}} {
		if _, err := s.Get(t.Context(), gone[0], gone[1]); !errors.Is(err, job.ErrNotFound) {
			t.Errorf("Get(%v): got %v, want ErrNotFound", gone, err)
		}
	}
}

// testAddRace adds one key 16 times concurrently: one call adds it, and all see the same
// job.
func testAddRace(t *testing.T, s job.Store) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids, added := map[string]bool{}, 0
	for i := range 16 {
		wg.Go(func() {
			r := record("org_a", fmt.Sprintf("job_%d", i), jobapi.Bulk)
			r.Key = "one"
			there, ok, err := s.Add(t.Context(), r)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if ok {
				added++
			}
			ids[there.ID] = true
		})
	}
	wg.Wait()
	if added != 1 || len(ids) != 1 {
		t.Errorf("%d were added and the IDs %v returned, want one", added, ids)
	}
}

// testReplace updates a job by compare-and-set.
func testReplace(t *testing.T, s job.Store) {
	r := add(t, s, record("org_a", "job_1", jobapi.Bulk))
	next := r
	next.State, next.Lane, next.LeaseEnds, next.Error = jobapi.Running, jobapi.Interactive, 7, nil
	changed, err := s.Replace(t.Context(), next)
	if err != nil || changed.Revision != 2 {
		t.Fatalf("Replace = %+v, %v", changed, err)
	}
	if got, err := s.Get(t.Context(), "org_a", "job_1"); err != nil || !reflect.DeepEqual(got, changed) {
		t.Errorf("read %+v, %v; want %+v", got, err, changed)
	}
	if _, err := s.Replace(t.Context(), next); !errors.Is(err, job.ErrConflict) {
		t.Errorf("Replace of an old revision: got %v, want ErrConflict", err)
	}
	changed.ID = "job_9"
	if _, err := s.Replace(t.Context(), changed); !errors.Is(err, job.ErrConflict) {
		t.Errorf("Replace of a missing job: got %v, want ErrConflict", err)
	}
}

// testOverdue finds jobs that no worker has begun, and those whose worker has died.
func testOverdue(t *testing.T, s job.Store) {
	for _, c := range []struct {
		id       string
		queuedAt int64
		change   func(*job.Record)
	}{
		{"job_late", 3, func(*job.Record) {}},
		{"job_running", 3, func(r *job.Record) { r.State, r.LeaseEnds = jobapi.Running, 10 }},
		{"job_left", 3, func(r *job.Record) { r.State, r.LeaseEnds = jobapi.Running, 4 }},
		{"job_ended", 3, func(r *job.Record) { r.State, r.EndedAt = jobapi.Failed, 4 }},
		{"job_queued", 10, func(*job.Record) {}},
	} {
		add(t, s, record("org_a", c.id, jobapi.Bulk))
		promoted := promote(t, s, "org_a", 10, c.queuedAt, 1)
		c.change(&promoted[0])
		replace(t, s, promoted[0])
	}
	add(t, s, record("org_a", "job_waiting", jobapi.Bulk))
	overdue, err := s.Overdue(t.Context(), 5, 10)
	if got := ids(overdue); err != nil || len(overdue) != 2 || !strings.Contains(got, "job_late") || !strings.Contains(got, "job_left") {
		t.Errorf("Overdue = %s, %v", got, err)
	}
	if overdue, err := s.Overdue(t.Context(), 5, 1); err != nil || len(overdue) != 1 {
		t.Errorf("Overdue with a limit = %v, %v", overdue, err)
	}
}

// testEnded finds jobs by the time they ended, dead-lettered jobs separately.
func testEnded(t *testing.T, s job.Store) {
	for i, dead := range []bool{false, true, false, true} {
		r := record("org_a", fmt.Sprintf("job_%d", i), jobapi.Bulk)
		r.State, r.Dead, r.EndedAt = jobapi.Failed, dead, int64(10+i)
		add(t, s, r)
	}
	add(t, s, record("org_a", "job_9", jobapi.Bulk))
	for _, c := range []struct {
		before int64
		dead   bool
		want   string
	}{{12, false, "job_0"}, {20, false, "job_0 job_2"}, {20, true, "job_1 job_3"}, {10, true, ""}} {
		found, err := s.Ended(t.Context(), c.before, c.dead, 10)
		if got := ids(found); err != nil || got != c.want {
			t.Errorf("Ended(%d, %v) = %q, %v; want %q", c.before, c.dead, got, err, c.want)
		}
	}
	if found, err := s.Dead(t.Context(), 10); err != nil || ids(found) != "job_3 job_1" {
		t.Errorf("Dead = %q, %v", ids(found), err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), "org_a", "job_1"); err != nil {
			t.Error(err)
		}
	}
	if found, err := s.Dead(t.Context(), 10); err != nil || ids(found) != "job_3" {
		t.Errorf("Dead after Remove = %q, %v", ids(found), err)
	}
}

// ids joins the IDs of jobs in order.
func ids(records []job.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

// testForget removes all jobs of a document, only within its organization.
func testForget(t *testing.T, s job.Store) {
	add(t, s, record("org_a", "job_1", jobapi.Bulk))
	add(t, s, record("org_a", "job_2", jobapi.Interactive))
	other := record("org_a", "job_3", jobapi.Bulk)
	other.Subject = "doc_2"
	add(t, s, other)
	foreign := record("org_b", "job_4", jobapi.Bulk)
	add(t, s, foreign)
	gone, err := s.Forget(t.Context(), "org_a", "doc_1")
	if err != nil || len(gone) != 2 {
		t.Errorf("Forget = %v, %v", gone, err)
	}
	if _, err := s.Get(t.Context(), "org_a", "job_1"); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("Get after Forget: %v", err)
	}
	if n, err := s.Unfinished(t.Context(), ""); err != nil || n != 2 {
		t.Errorf("%d jobs are left, %v; want 2", n, err)
	}
}
