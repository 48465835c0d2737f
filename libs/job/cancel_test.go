package job_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// ends records the ends of jobs that a pool announces.
type ends struct {
	mu     sync.Mutex
	states map[string][]jobapi.State // by ID
}

// announce is the pool's Ended function.
func (e *ends) announce(_ context.Context, r job.Record) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states[r.ID] = append(e.states[r.ID], r.State)
	return nil
}

// of returns the announced ends of a job.
func (e *ends) of(id string) []jobapi.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]jobapi.State(nil), e.states[id]...)
}

// openRecording returns a pool that is not running yet, and its record of announced ends.
func (s *system) openRecording(cfg job.Config) (*job.Pool, *ends) {
	s.t.Helper()
	e := &ends{states: map[string][]jobapi.State{}}
	p, err := job.Open(s.t.Context(), "test", cfg, job.Deps{Conn: s.conn, Store: s.store, Telemetry: s.tel, Ended: e.announce})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Close() })
	return p, e
}

// eventually waits until a condition holds.
func (s *system) eventually(what string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("did not happen: %s", what)
		}
	}
}

// cancel cancels a job and fails the test if that fails.
func (s *system) cancel(p *job.Pool, r job.Record) job.Record {
	s.t.Helper()
	stored, err := p.Cancel(s.t.Context(), r.Principal.Organization, r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return stored
}

// TestFullQueueFindsJobs fills the queue: finished jobs are still returned, and waiting
// jobs can still be waited for. New and repeated work is rejected.
func TestFullQueueFindsJobs(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Limit = 2
	p := s.open(cfg)
	release := make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if r.Key != "done" {
			<-release
		}
		return echo(ctx, r, report)
	})
	done := s.wait(p, s.submit(p, order("org_a", "done", jobapi.Interactive)))
	first := s.submit(p, order("org_a", "first", jobapi.Interactive))
	s.submit(p, order("org_a", "second", jobapi.Interactive))
	for _, want := range []job.Record{done, first} {
		stored, err := p.Submit(t.Context(), order("org_a", want.Key, jobapi.Interactive), never)
		if err != nil || stored.ID != want.ID {
			t.Errorf("%s while the queue is full: %+v, %v", want.Key, stored, err)
		}
	}
	for key, again := range map[string]func(job.Record) bool{"done": always, "third": never} {
		if _, err := p.Submit(t.Context(), order("org_a", key, jobapi.Interactive), again); !problem.Is(err, problem.Unavailable) || problem.Of(err).RetryAfter == 0 {
			t.Errorf("submitting %s to a full queue: %v", key, err)
		}
	}
	close(release)
	if r := s.wait(p, first); r.State != jobapi.Succeeded {
		t.Errorf("the job ended as %+v", r)
	}
}

// TestCancelQueued cancels a waiting job: its waiters are notified, no worker runs it,
// and the same request starts it again.
func TestCancelQueued(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p, announced := s.openRecording(config())
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	waited := make(chan job.Record)
	go func() { waited <- s.wait(p, r) }()
	canceled := s.cancel(p, r)
	if canceled.State != jobapi.Canceled || canceled.EndedAt == 0 || canceled.Result != nil || canceled.Error != nil {
		t.Errorf("the job is %+v", canceled)
	}
	if seen := <-waited; seen.State != jobapi.Canceled {
		t.Errorf("the waiter sees %+v", seen)
	}
	if again := s.cancel(p, r); again.Revision != canceled.Revision || again.EndedAt != canceled.EndedAt {
		t.Errorf("canceled again, the job is %+v; it was %+v", again, canceled)
	}
	if n, err := s.store.Unfinished(t.Context(), ""); err != nil || n != 0 {
		t.Errorf("%d jobs are unfinished, %v", n, err)
	}
	var mu sync.Mutex
	var attempts []int
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		attempts = append(attempts, r.Attempt)
		return echo(ctx, r, report)
	})
	s.wait(p, s.submit(p, order("org_a", "other", jobapi.Interactive)))
	renewed, err := p.Submit(t.Context(), order("org_a", "one", jobapi.Interactive), always)
	if err != nil || renewed.ID != r.ID || renewed.Attempt != 2 {
		t.Fatalf("submitted again, the job is %+v, %v", renewed, err)
	}
	if ended := s.wait(p, renewed); ended.State != jobapi.Succeeded || string(ended.Result) != `"one"` {
		t.Errorf("the job ended as %+v", ended)
	}
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(attempts) != "[1 2]" { // of the other job and of this one
		t.Errorf("the attempts that ran are %v", attempts)
	}
	if states := announced.of(r.ID); len(states) == 0 || states[0] != jobapi.Canceled {
		t.Errorf("the announced ends are %v", states)
	}
}

// TestCancelRunning cancels a running job: its worker stops long before its lease ends,
// and runs the next job.
func TestCancelRunning(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Workers, cfg.AckWait, cfg.Budget = 1, time.Hour, time.Hour
	p, announced := s.openRecording(cfg)
	begun := make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if r.Key == "one" && r.Attempt == 1 {
			report(.5)
			close(begun)
			<-ctx.Done()
			return "too late", nil // work that ignores its context
		}
		return echo(ctx, r, report)
	})
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	<-begun
	if canceled := s.cancel(p, r); canceled.State != jobapi.Canceled || canceled.Progress != .5 {
		t.Errorf("the job is %+v", canceled)
	}
	if next := s.wait(p, s.submit(p, order("org_a", "other", jobapi.Interactive))); next.State != jobapi.Succeeded {
		t.Errorf("the next job ended as %+v", next)
	}
	if stored, err := p.Get(t.Context(), "org_a", r.ID); err != nil || stored.State != jobapi.Canceled || stored.Result != nil {
		t.Errorf("the job is %+v, %v", stored, err)
	}
	// The end is announced by the caller of Cancel, and again when the queue has
	// redelivered the job, so that leftovers of its worker are cleaned up.
	s.eventually("its end is announced twice", func() bool { return len(announced.of(r.ID)) >= 2 })
	for _, state := range announced.of(r.ID) {
		if state != jobapi.Canceled {
			t.Errorf("the announced ends are %v", announced.of(r.ID))
		}
	}
	renewed, err := p.Submit(t.Context(), order("org_a", "one", jobapi.Interactive), always)
	if err != nil {
		t.Fatal(err)
	}
	if ended := s.wait(p, renewed); ended.State != jobapi.Succeeded || string(ended.Result) != `"one"` {
		t.Errorf("started again, the job ended as %+v", ended)
	}
}

// TestCancelRace cancels jobs at about the time they end: each has one end, no other end
// is announced, and a canceled job has no result.
func TestCancelRace(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Workers = 4
	p, announced := s.openRecording(cfg)
	ending := make(chan string)
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		select {
		case ending <- r.ID:
		case <-ctx.Done():
		}
		return echo(ctx, r, report)
	})
	const jobs = 60
	for i := range jobs {
		s.submit(p, order("org_a", fmt.Sprint(i), jobapi.Interactive))
	}
	var canceling sync.WaitGroup
	var mu sync.Mutex
	ended := map[string]jobapi.State{}
	for i := range jobs {
		id := <-ending
		canceling.Go(func() {
			time.Sleep(time.Duration(i%6) * time.Millisecond)
			r, err := p.Cancel(t.Context(), "org_a", id)
			if err != nil || !r.Ended() {
				t.Errorf("the canceled job is %+v, %v", r, err)
			}
			mu.Lock()
			defer mu.Unlock()
			ended[id] = r.State
		})
	}
	canceling.Wait()
	counts := map[jobapi.State]int{}
	for id, state := range ended {
		counts[state]++
		s.eventually("the end is announced", func() bool { return len(announced.of(id)) > 0 })
		r, err := p.Get(t.Context(), "org_a", id)
		if err != nil || r.State != state || r.HasResult() != (state == jobapi.Succeeded) {
			t.Errorf("a job that ended as %s is %+v, %v", state, r, err)
		}
		for _, other := range announced.of(id) {
			if other != state {
				t.Errorf("the announced ends of a job that ended as %s are %v", state, announced.of(id))
			}
		}
	}
	t.Logf("ended as: %v", counts)
}

// TestCanceledBeforeTheEnd leaves the state of a process that dies right after storing a
// cancellation: the queue delivers the job, no worker runs it, and its end is announced.
func TestCanceledBeforeTheEnd(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p, announced := s.openRecording(config())
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	r, err := p.Get(t.Context(), "org_a", r.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.State, r.EndedAt = jobapi.Canceled, time.Now().UnixMilli()
	if _, err := s.store.Replace(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	s.run(p, time.Second, func(context.Context, job.Record, func(float64)) (any, error) {
		t.Error("a canceled job was run")
		return "done", nil
	})
	s.eventually("its end is announced", func() bool { return len(announced.of(r.ID)) > 0 && announced.of(r.ID)[0] == jobapi.Canceled })
}

// TestCancelWithLostAnswers loses the store's replies to changes: the job is canceled in
// the end, and stays canceled.
func TestCancelWithLostAnswers(t *testing.T) {
	t.Parallel()
	s, store, cfg := newUnsteady(t)
	p := s.open(cfg)
	begun := make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, _ job.Record, _ func(float64)) (any, error) {
		close(begun)
		<-ctx.Done()
		return "too late", nil
	})
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	<-begun
	store.loses.Store(true)
	s.eventually("the job is canceled", func() bool {
		stored, err := p.Cancel(t.Context(), "org_a", r.ID)
		return err == nil && stored.State == jobapi.Canceled
	})
	store.loses.Store(false)
	if ended := s.wait(p, r); ended.State != jobapi.Canceled || ended.Result != nil {
		t.Errorf("the job is %+v", ended)
	}
}

// TestCancelAll cancels the jobs of one document, more than one query returns, and no
// others.
func TestCancelAll(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p := s.open(config())
	submit := func(organization, key, subject string) job.Record {
		r := order(organization, key, jobapi.Bulk)
		r.Subject = subject
		return s.submit(p, r)
	}
	const jobs = 501
	for i := range jobs {
		submit("org_a", fmt.Sprint(i), "doc_1")
	}
	others := []job.Record{submit("org_a", "other", "doc_2"), submit("org_b", "foreign", "doc_1")}
	for range 2 {
		if err := p.CancelAll(t.Context(), "org_a", "doc_1"); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.store.Unfinished(t.Context(), ""); err != nil || n != int64(len(others)) {
		t.Errorf("%d jobs are unfinished, %v; want %d", n, err, len(others))
	}
	for _, r := range others {
		if stored, err := p.Get(t.Context(), r.Principal.Organization, r.ID); err != nil || stored.Ended() {
			t.Errorf("another job is %+v, %v", stored, err)
		}
	}
}

// TestWorkCancels lets the work itself find out that the job is no longer wanted.
func TestWorkCancels(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p, announced := s.openRecording(config())
	s.run(p, time.Second, func(context.Context, job.Record, func(float64)) (any, error) {
		return nil, fmt.Errorf("it is: %w", job.ErrCanceled)
	})
	r := s.wait(p, s.submit(p, order("org_a", "one", jobapi.Interactive)))
	if r.State != jobapi.Canceled || r.Result != nil || r.Error != nil || r.Tries != 1 {
		t.Errorf("the job ended as %+v", r)
	}
	s.eventually("its end is announced", func() bool { return len(announced.of(r.ID)) > 0 && announced.of(r.ID)[0] == jobapi.Canceled })
}

// TestCanceledJobsLeaveRoom cancels many more jobs than may wait, before a worker
// handles their messages: the queue still accepts the next job.
func TestCanceledJobsLeaveRoom(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Limit = 1
	p := s.open(cfg)
	for i := range 20 {
		s.cancel(p, s.submit(p, order("org_a", fmt.Sprint(i), jobapi.Interactive)))
	}
	last := s.submit(p, order("org_a", "last", jobapi.Interactive))
	queue, err := s.conn.OpenQueue(t.Context(), bus.QueueConfig{Name: "test", Limit: 104, AckWait: cfg.AckWait})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	for {
		d, err := queue.TryNext(t.Context())
		if err != nil || d == nil {
			t.Fatalf("the job is not in the queue: %v", err)
		}
		if d.ID == last.ID {
			return
		}
	}
}
