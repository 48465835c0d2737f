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

// unsteady is a store with outages and lost replies: a change whose reply is lost still
// takes effect.
type unsteady struct {
	job.Store
	down  atomic.Bool
	loses atomic.Bool // loses every other reply to a change
	asked atomic.Int32
}

var errOutage = problem.New(problem.Unavailable, "The database does not answer.")

// asks runs a query, or returns an error during an outage.
func (u *unsteady) asks(answer func() error) error {
	if u.down.Load() {
		return errOutage
	}
	return answer()
}

// changes makes a change, or fails with or without making it.
func (u *unsteady) changes(change func() error) error {
	err := u.asks(change)
	if err == nil && u.loses.Load() && u.asked.Add(1)%2 == 0 {
		return errOutage
	}
	return err
}

func (u *unsteady) Add(ctx context.Context, r job.Record) (known job.Record, added bool, err error) {
	return known, added, u.asks(func() (err error) { known, added, err = u.Store.Add(ctx, r); return err })
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

// newUnsteady returns a system with an unsteady store, and a configuration for pools that
// allow one try per job.
func newUnsteady(t *testing.T) (*system, *unsteady, job.Config) {
	t.Helper()
	s := newSystem(t)
	u := &unsteady{Store: s.store}
	s.store = u
	cfg := config()
	cfg.MaxTries = 1
	return s, u, cfg
}

// TestStoreOutage interrupts the store while jobs are waiting, starting and running, for
// longer than AckWait, with idle workers around. Each job is done once, and none is
// dead-lettered although it has only one try. Waiters get the result in the end.
func TestStoreOutage(t *testing.T) {
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
		patience.Receive(t, "a job has begun", begun)
	}
	submit("org_b")
	store.down.Store(true)
	if _, err := p.Submit(t.Context(), order("org_a", "new", jobapi.Interactive), never); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a new job during the outage: %v", err)
	}
	time.Sleep(3 * cfg.AckWait) // jobs are running
	close(release)
	time.Sleep(2 * cfg.AckWait) // jobs are done, but not stored
	store.down.Store(false)
	waiting.Wait()
	if want := int32(4 * cfg.Share); done.Load() != want {
		t.Errorf("%d jobs ran %d times", want, done.Load())
	}
}

// TestAnswersAreLost loses every other reply of the store to a change: each job is still
// done once.
func TestAnswersAreLost(t *testing.T) {
	t.Parallel()
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
			return nil, problem.New(problem.Unavailable, "A dependency is unavailable.")
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
		t.Errorf("%d jobs ran %d times, with %d changes", len(all), done.Load(), store.asked.Load())
	}
}

// TestWaitThroughOutage waits through an outage of the store that outlasts the wait.
func TestWaitThroughOutage(t *testing.T) {
	t.Parallel()
	s, store, cfg := newUnsteady(t)
	p := s.open(cfg)
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	store.down.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx, r); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Wait = %v", err)
	}
}

// TestMessageOfAnEarlierAttempt leaves a message of a finished attempt in the queue: the
// next attempt still waits for its turn.
func TestMessageOfAnEarlierAttempt(t *testing.T) {
	t.Parallel()
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
	if err := queue.Publish(t.Context(), jobapi.Interactive, "org_a", waits.ID, "an earlier attempt"); err != nil {
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
		t.Errorf("the jobs ran in the order %v", order)
	}
}
