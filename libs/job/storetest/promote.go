package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// promote promotes jobs and fails the test unless there are want of them.
func promote(t *testing.T, s job.Store, organization string, limit int, now int64, want int) []job.Record {
	t.Helper()
	promoted, err := s.Promote(t.Context(), organization, limit, now)
	if err != nil || len(promoted) != want {
		t.Fatalf("Promote(%q, %d) = %s, %v; want %d jobs", organization, limit, ids(promoted), err, want)
	}
	return promoted
}

// end finishes a job.
func end(t *testing.T, s job.Store, r job.Record) {
	t.Helper()
	r.State, r.EndedAt = jobapi.Succeeded, 80
	replace(t, s, r)
}

// testPromote gives organizations their turns: each gets as many jobs into the queue as
// the limit allows, in each lane, the oldest first.
func testPromote(t *testing.T, s job.Store) {
	for i := range 5 {
		for _, o := range []string{"org_a", "org_b"} {
			for _, lane := range []jobapi.Lane{jobapi.Bulk, jobapi.Interactive} {
				r := record(o, fmt.Sprintf("job_%s_%s_%d", o, lane, i), lane)
				r.CreatedAt = int64(10 - i)
				add(t, s, r)
			}
		}
	}
	if n, err := s.Unfinished(t.Context(), "org_a"); err != nil || n != 10 {
		t.Errorf("Unfinished = %d, %v", n, err)
	}
	promoted, err := s.Promote(t.Context(), "org_a", 2, 77)
	if err != nil || len(promoted) != 4 || promoted[0].Lane != jobapi.Interactive || promoted[2].Lane != jobapi.Bulk {
		t.Fatalf("Promote = %+v, %v", promoted, err)
	}
	for _, r := range promoted {
		if r.QueuedAt != 77 || r.CreatedAt > 7 || r.Principal.Organization != "org_a" {
			t.Errorf("promoted %+v", r)
		}
	}
	if again, err := s.Promote(t.Context(), "org_a", 2, 78); err != nil || len(again) != 0 {
		t.Errorf("a second Promote = %+v, %v", again, err)
	}
	end(t, s, promoted[0])
	all, err := s.Promote(t.Context(), "", 2, 79)
	if err != nil || len(all) != 5 {
		t.Errorf("Promote of all = %d jobs, %v; want one of org_a and four of org_b", len(all), err)
	}
	if n, err := s.Unfinished(t.Context(), ""); err != nil || n != 19 {
		t.Errorf("Unfinished = %d, %v; want 19", n, err)
	}
}

// testPromoteLimits changes the limit while jobs are queued.
func testPromoteLimits(t *testing.T, s job.Store) {
	for i := range 12 {
		add(t, s, record("org_a", fmt.Sprintf("job_%02d", i), jobapi.Bulk))
	}
	promote(t, s, "org_a", 0, 1, 0)
	queued := promote(t, s, "org_a", 4, 1, 4)
	for _, left := range []int{3, 2} { // at the limit, or above it
		end(t, s, queued[left])
		promote(t, s, "org_a", 2, 2, 0)
	}
	end(t, s, queued[1])
	queued = append(queued[:1], promote(t, s, "", 2, 3, 1)...)
	queued = append(queued, promote(t, s, "org_a", 5, 4, 3)...)
	for _, r := range queued {
		end(t, s, r)
	}
	promote(t, s, "", 3, 5, 3)
}

// testChangeLane moves queued jobs, and a waiting one, to the other lane: the limit holds
// no matter how many are moved.
func testChangeLane(t *testing.T, s job.Store) {
	for i := range 6 {
		add(t, s, record("org_a", fmt.Sprintf("job_%d", i), jobapi.Bulk))
	}
	moved := promote(t, s, "org_a", 2, 1, 2)
	for i := range moved {
		moved[i].Lane = jobapi.Interactive
		moved[i] = replace(t, s, moved[i])
	}
	promote(t, s, "org_a", 2, 2, 0) // they are still unfinished
	add(t, s, record("org_a", "job_other", jobapi.Interactive))
	if other := promote(t, s, "org_a", 2, 3, 1); other[0].ID != "job_other" {
		t.Errorf("promoted is %s", ids(other))
	}
	waits, err := s.Get(t.Context(), "org_a", "job_5")
	if err != nil {
		t.Fatal(err)
	}
	waits.Lane = jobapi.Interactive
	replace(t, s, waits)
	if next := promote(t, s, "org_a", 2, 4, 1); next[0].ID != "job_5" || next[0].Lane != jobapi.Interactive {
		t.Errorf("promoted is %s", ids(next))
	}
	end(t, s, moved[0])
	if next := promote(t, s, "org_a", 2, 5, 1); next[0].Lane != jobapi.Bulk {
		t.Errorf("promoted is %+v", next)
	}
	again := replace(t, s, moved[1].Again(time.UnixMilli(90))) // it waits again, in its current lane
	if next := promote(t, s, "org_a", 3, 6, 3); ids(next[:1]) != again.ID {
		t.Errorf("promoted is %s", ids(next))
	}
}

// The race of several instances on one database.
const (
	raceStores  = 4
	raceWorkers = 2 // of each
	raceJobs    = 24
	raceLimit   = 3
)

// race tracks jobs while several instances promote and finish them.
type race struct {
	t    *testing.T
	todo chan job.Record

	mu       sync.Mutex
	promoted map[string]job.Record // jobs as promoted, by ID and attempt
	returned map[string]bool       // those that Promote returned
	queued   map[string]int        // by organization and lane; never more than the actual number
	left     int                   // unfinished jobs
	done     chan struct{}         // closed when none is left
}

// testPromoteRace lets several instances promote and finish jobs concurrently, while some
// jobs change lanes or are reset and some promotions are cut off at any point. A queue
// never exceeds the limit, no job is promoted twice, and none is left behind.
func testPromoteRace(t *testing.T, open func() job.Store) {
	ctx, cancel := context.WithTimeout(t.Context(), patience.Scale(5*time.Minute))
	defer cancel()
	r := &race{t: t, promoted: map[string]job.Record{}, returned: map[string]bool{}, queued: map[string]int{}, done: make(chan struct{})}
	var stores []job.Store
	for range raceStores {
		stores = append(stores, open())
	}
	for i := range raceJobs {
		for _, o := range []string{"org_a", "org_b"} {
			for _, lane := range []jobapi.Lane{jobapi.Bulk, jobapi.Interactive} {
				j := record(o, fmt.Sprintf("job_%s_%s_%d", o, lane, i), lane)
				j.CreatedAt = int64(i)
				add(t, stores[i%raceStores], j)
				r.left++
			}
		}
	}
	r.todo = make(chan job.Record, 2*r.left)
	var running sync.WaitGroup
	for _, s := range stores {
		for range raceWorkers {
			running.Go(func() { r.work(ctx, s) })
		}
	}
	running.Go(func() { r.breakOff(ctx, stores[0]) })
	running.Wait()
	if n, err := stores[0].Unfinished(t.Context(), ""); err != nil || n != 0 {
		t.Errorf("%d jobs are unfinished, %v; the test expects %d", n, err, r.left)
	}
}

// work promotes jobs and finishes them, and promotes more after each, until none are
// left.
func (r *race) work(ctx context.Context, s job.Store) {
	organization := ""
	for {
		records, err := s.Promote(ctx, organization, raceLimit, 1)
		if err != nil {
			r.t.Errorf("Promote = %v", err)
			return
		}
		for _, j := range records {
			r.enter(j, true)
		}
		select {
		case <-r.done:
			return
		case <-ctx.Done():
			r.t.Error("jobs were left behind")
			return
		case j := <-r.todo:
			organization = j.Principal.Organization
			if err := r.leave(ctx, s, j); err != nil {
				r.t.Errorf("end %s: %v", j.ID, err)
				return
			}
		}
	}
}

// breakOff starts promotions and cuts them off, then picks up what they left half done,
// as the sweep of a service does.
func (r *race) breakOff(ctx context.Context, s job.Store) {
	for ctx.Err() == nil {
		select {
		case <-r.done:
			return
		default:
		}
		short, cancel := context.WithTimeout(ctx, rand.N(5*time.Millisecond))
		records, _ := s.Promote(short, "", raceLimit, 1) // an error is expected
		cancel()
		for _, j := range records {
			r.enter(j, true)
		}
		overdue, err := s.Overdue(ctx, 2, 1000)
		if err != nil {
			r.t.Errorf("Overdue = %v", err)
			return
		}
		for _, j := range overdue {
			r.enter(j, false)
		}
	}
}

// queueOf returns the queue that a job was promoted in, attemptOf the promoted attempt.
func queueOf(j job.Record) string   { return j.Principal.Organization + " " + string(j.Lane) }
func attemptOf(j job.Record) string { return fmt.Sprint(j.ID, " ", j.Attempt) }

// enter hands a promoted job to a worker and counts it. The job is promoted before it is
// counted, and is no longer counted by the time it ends.
func (r *race) enter(j job.Record, returned bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.promoted[attemptOf(j)]
	if returned && (r.returned[attemptOf(j)] || ok && known.Revision != j.Revision) {
		r.t.Errorf("%s was promoted twice, to the revisions %d and %d", attemptOf(j), known.Revision, j.Revision)
	}
	r.returned[attemptOf(j)] = r.returned[attemptOf(j)] || returned
	if ok {
		return
	}
	r.promoted[attemptOf(j)] = j
	r.queued[queueOf(j)]++
	if n := r.queued[queueOf(j)]; n > raceLimit {
		r.t.Errorf("%d jobs of %s are queued, the limit is %d", n, queueOf(j), raceLimit)
	}
	r.todo <- j
}

// leave finishes a job. Some jobs change lanes first, and some are reset instead.
func (r *race) leave(ctx context.Context, s job.Store, j job.Record) (err error) {
	promoted := queueOf(j)
	if j.CreatedAt%4 == 0 {
		j.Lane = jobapi.Interactive
		if j, err = s.Replace(ctx, j); err != nil {
			return err
		}
	}
	again := j.CreatedAt%4 == 1 && j.Attempt == 1
	if again {
		j = j.Again(time.UnixMilli(j.CreatedAt))
	} else {
		j.State, j.EndedAt = jobapi.Succeeded, 9
	}
	r.mu.Lock()
	r.queued[promoted]--
	r.mu.Unlock()
	if _, err := s.Replace(ctx, j); err != nil || again {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left--; r.left == 0 {
		close(r.done)
	}
	return nil
}
