package job_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// unsteady is a store that is away at times, or whose answers get lost: what was
// to be changed is changed then.
type unsteady struct {
	job.Store
	away  atomic.Bool
	loses atomic.Bool // every other answer to a change
	asked atomic.Int32
}

var errAway = problem.New(problem.Unavailable, "The database does not answer.")

// asks returns the error of a question that is to be answered by answer.
func (u *unsteady) asks(answer func() error) error {
	if u.away.Load() {
		return errAway
	}
	return answer()
}

// changes returns the error of a change, which it makes or not.
func (u *unsteady) changes(change func() error) error {
	err := u.asks(change)
	if err == nil && u.loses.Load() && u.asked.Add(1)%2 == 0 {
		return errAway
	}
	return err
}

func (u *unsteady) Add(ctx context.Context, r job.Record) (there job.Record, added bool, err error) {
	return there, added, u.asks(func() (err error) { there, added, err = u.Store.Add(ctx, r); return err })
}

func (u *unsteady) Get(ctx context.Context, organization, id string) (r job.Record, err error) {
	return r, u.asks(func() (err error) { r, err = u.Store.Get(ctx, organization, id); return err })
}

func (u *unsteady) Replace(ctx context.Context, r job.Record) (stored job.Record, err error) {
	return stored, u.changes(func() (err error) { stored, err = u.Store.Replace(ctx, r); return err })
}

func (u *unsteady) Promote(ctx context.Context, organization string, limit int, now int64) (records []job.Record, err error) {
	return records, u.asks(func() (err error) { records, err = u.Store.Promote(ctx, organization, limit, now); return err })
}

func (u *unsteady) Overdue(ctx context.Context, before int64, limit int) (records []job.Record, err error) {
	return records, u.asks(func() (err error) { records, err = u.Store.Overdue(ctx, before, limit); return err })
}

func (u *unsteady) Unfinished(ctx context.Context, organization string) (n int64, err error) {
	return n, u.asks(func() (err error) { n, err = u.Store.Unfinished(ctx, organization); return err })
}

func (u *unsteady) Ended(ctx context.Context, before int64, dead bool, limit int) (records []job.Record, err error) {
	return records, u.asks(func() (err error) { records, err = u.Store.Ended(ctx, before, dead, limit); return err })
}

// newUnsteady returns a system whose store is unsteady, and the configuration of
// pools that try a job once.
func newUnsteady(t *testing.T) (*system, *unsteady, job.Config) {
	t.Helper()
	s := newSystem(t)
	u := &unsteady{Store: s.store}
	s.store = u
	cfg := config()
	cfg.MaxTries = 1
	return s, u, cfg
}

// TestStoreIsAway takes the store away while jobs wait, are about to be begun and
// are in work, for longer than AckWait, with workers that have nothing to do:
// each is done once, and none is given up, though one try is all that they have.
// Who waits for them is told in the end.
func TestStoreIsAway(t *testing.T) {
	t.Parallel()
	s, store, cfg := newUnsteady(t)
	cfg.Workers, cfg.Share, cfg.AckWait = 6, 2, patience.Scale(3*time.Second)
	p := s.open(cfg)
	var done atomic.Int32
	begun, release := make(chan struct{}, 100), make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		done.Add(1)
		begun <- struct{}{}
		<-release
		return echo(ctx, r, report)
	})
	var waiting sync.WaitGroup
	submit := func(organization string) {
		for i := range 2 * cfg.Share {
			r := s.submit(p, order(organization, fmt.Sprint(i), jobapi.Interactive))
			waiting.Go(func() {
				if ended := s.wait(p, r); ended.State != jobapi.Succeeded || ended.Tries != 1 {
					t.Errorf("job %s ended as %+v", r.Key, ended)
				}
			})
		}
	}
	submit("org_a")
	for range cfg.Share {
		patience.Receive(t, "a job is begun", begun)
	}
	submit("org_b")
	store.away.Store(true)
	if _, err := p.Submit(t.Context(), order("org_a", "new", jobapi.Interactive), never); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a new job meanwhile: %v", err)
	}
	time.Sleep(3 * cfg.AckWait) // in work
	close(release)
	time.Sleep(2 * cfg.AckWait) // done, and not stored
	store.away.Store(false)
	waiting.Wait()
	if want := int32(4 * cfg.Share); done.Load() != want {
		t.Errorf("%d jobs were done %d times", want, done.Load())
	}
}

// TestAnswersAreLost loses every other answer of the store to a change: each job
// is done once nevertheless.
func TestAnswersAreLost(t *testing.T) {
	s, store, cfg := newUnsteady(t)
	p := s.open(cfg)
	var done, postponed atomic.Int32
	var all []job.Record
	for i := range 12 {
		all = append(all, s.submit(p, order("org_a", fmt.Sprint(i), jobapi.Bulk)))
	}
	store.loses.Store(true)
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if r.Key == "3" && postponed.Add(1) == 1 {
			return nil, problem.New(problem.Unavailable, "What it needs is away.")
		}
		done.Add(1)
		return echo(ctx, r, report)
	})
	for _, r := range all {
		if ended := s.wait(p, r); ended.State != jobapi.Succeeded || ended.Tries != 1 {
			t.Errorf("job %s ended as %+v", r.Key, ended)
		}
	}
	if int(done.Load()) != len(all) || store.asked.Load() < int32(len(all)) {
		t.Errorf("%d jobs were done %d times, with %d changes", len(all), done.Load(), store.asked.Load())
	}
}

// TestWaiterIsToldOfTheStore waits while the store is away, for too long.
func TestWaiterIsToldOfTheStore(t *testing.T) {
	s, store, cfg := newUnsteady(t)
	p := s.open(cfg)
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	store.away.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx, r); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Wait = %v", err)
	}
}

// TestMessageOfAnEarlierAttempt leaves a message of an attempt that has ended in
// the queue: the next attempt waits for its turn all the same.
func TestMessageOfAnEarlierAttempt(t *testing.T) {
	s := newSystem(t)
	cfg := config()
	cfg.Workers, cfg.Share = 1, 1
	p := s.open(cfg)
	first := s.submit(p, order("org_a", "first", jobapi.Bulk))
	waits := s.submit(p, order("org_a", "waits", jobapi.Bulk))
	queue, err := s.conn.OpenQueue(t.Context(), bus.QueueConfig{Name: "test", Limit: cfg.Limit, AckWait: cfg.AckWait})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	if err := queue.Publish(t.Context(), jobapi.Interactive, "org_a", waits.ID, "an earlier one"); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []string
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, r.Key)
		return echo(ctx, r, report)
	})
	s.wait(p, first)
	s.wait(p, waits)
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(order) != "[first waits]" {
		t.Errorf("the jobs were done in the order %v", order)
	}
}
