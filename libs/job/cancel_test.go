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

// ends remembers the ends of jobs that a pool tells of.
type ends struct {
	mu     sync.Mutex
	states map[string][]jobapi.State // by id
}

// told is what a pool calls.
func (e *ends) told(_ context.Context, r job.Record) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states[r.ID] = append(e.states[r.ID], r.State)
	return nil
}

// of returns what was told of a job.
func (e *ends) of(id string) []jobapi.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]jobapi.State(nil), e.states[id]...)
}

// openTelling returns a pool that does not work yet, and what it tells.
func (s *system) openTelling(cfg job.Config) (*job.Pool, *ends) {
	s.t.Helper()
	e := &ends{states: map[string][]jobapi.State{}}
	p, err := job.Open(s.t.Context(), "test", cfg, job.Deps{Conn: s.conn, Store: s.store, Telemetry: s.tel, Ended: e.told})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Close() })
	return p, e
}

// eventually waits until something is so.
func (s *system) eventually(what string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s", what)
		}
	}
}

// cancel cancels a job and ends the test if that fails.
func (s *system) cancel(p *job.Pool, r job.Record) job.Record {
	s.t.Helper()
	there, err := p.Cancel(s.t.Context(), r.Principal.Organization, r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return there
}

// TestFullQueueFindsJobs fills the queue: what is done is still answered, and what
// waits is still waited for. Work that is new, or begins anew, is refused.
func TestFullQueueFindsJobs(t *testing.T) {
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
		there, err := p.Submit(t.Context(), order("org_a", want.Key, jobapi.Interactive), never)
		if err != nil || there.ID != want.ID {
			t.Errorf("%s while the queue is full: %+v, %v", want.Key, there, err)
		}
	}
	for key, again := range map[string]func(job.Record) bool{"done": always, "third": never} {
		if _, err := p.Submit(t.Context(), order("org_a", key, jobapi.Interactive), again); !problem.Is(err, problem.Unavailable) || problem.Of(err).RetryAfter == 0 {
			t.Errorf("%s is work for a full queue: %v", key, err)
		}
	}
	close(release)
	if r := s.wait(p, first); r.State != jobapi.Succeeded {
		t.Errorf("the job ended as %+v", r)
	}
}

// TestCancelQueued cancels a job that waits: whoever waits for it is told, nobody
// does it, and the same request begins it anew.
func TestCancelQueued(t *testing.T) {
	s := newSystem(t)
	p, told := s.openTelling(config())
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	waited := make(chan job.Record)
	go func() { waited <- s.wait(p, r) }()
	canceled := s.cancel(p, r)
	if canceled.State != jobapi.Canceled || canceled.EndedAt == 0 || canceled.Result != nil || canceled.Error != nil {
		t.Errorf("the job is %+v", canceled)
	}
	if seen := <-waited; seen.State != jobapi.Canceled {
		t.Errorf("who waits sees %+v", seen)
	}
	if again := s.cancel(p, r); again.Revision != canceled.Revision || again.EndedAt != canceled.EndedAt {
		t.Errorf("canceled once more it is %+v, was %+v", again, canceled)
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
	anew, err := p.Submit(t.Context(), order("org_a", "one", jobapi.Interactive), always)
	if err != nil || anew.ID != r.ID || anew.Attempt != 2 {
		t.Fatalf("submitted again it is %+v, %v", anew, err)
	}
	if ended := s.wait(p, anew); ended.State != jobapi.Succeeded || string(ended.Result) != `"one"` {
		t.Errorf("it ended as %+v", ended)
	}
	mu.Lock()
	defer mu.Unlock()
	if fmt.Sprint(attempts) != "[1 2]" { // of the other job, and of this one
		t.Errorf("the attempts %v were worked on", attempts)
	}
	if states := told.of(r.ID); len(states) == 0 || states[0] != jobapi.Canceled {
		t.Errorf("told was %v", states)
	}
}

// TestCancelRunning cancels a job that is worked on: its worker stops long before
// its lease ends, and does the next job.
func TestCancelRunning(t *testing.T) {
	s := newSystem(t)
	cfg := config()
	cfg.Workers, cfg.AckWait, cfg.Budget = 1, time.Hour, time.Hour
	p, told := s.openTelling(cfg)
	begun := make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if r.Key == "one" && r.Attempt == 1 {
			report(.5)
			close(begun)
			<-ctx.Done()
			return "too late", nil // as work does that does not look at its context
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
	if there, err := p.Get(t.Context(), "org_a", r.ID); err != nil || there.State != jobapi.Canceled || there.Result != nil {
		t.Errorf("the job is %+v, %v", there, err)
	}
	// Once by who canceled it, and once more when the queue has handed it out again,
	// so that what its worker has left is cleared up.
	s.eventually("its end is told twice", func() bool { return len(told.of(r.ID)) >= 2 })
	for _, state := range told.of(r.ID) {
		if state != jobapi.Canceled {
			t.Errorf("told was %v", told.of(r.ID))
		}
	}
	anew, err := p.Submit(t.Context(), order("org_a", "one", jobapi.Interactive), always)
	if err != nil {
		t.Fatal(err)
	}
	if ended := s.wait(p, anew); ended.State != jobapi.Succeeded || string(ended.Result) != `"one"` {
		t.Errorf("begun anew it ended as %+v", ended)
	}
}

// TestCancelRace cancels jobs at about the time at which they end: each has one end,
// nothing else is told of it, and a canceled one has no result.
func TestCancelRace(t *testing.T) {
	s := newSystem(t)
	cfg := config()
	cfg.Workers = 4
	p, told := s.openTelling(cfg)
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
				t.Errorf("canceled it is %+v, %v", r, err)
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
		s.eventually("the end is told", func() bool { return len(told.of(id)) > 0 })
		r, err := p.Get(t.Context(), "org_a", id)
		if err != nil || r.State != state || r.HasResult() != (state == jobapi.Succeeded) {
			t.Errorf("a job that ended as %s is %+v, %v", state, r, err)
		}
		for _, other := range told.of(id) {
			if other != state {
				t.Errorf("of a job that ended as %s was told %v", state, told.of(id))
			}
		}
	}
	t.Logf("ended as: %v", counts)
}

// TestCanceledBeforeTheEnd leaves what a process leaves that ends as soon as a
// cancellation is stored: the queue hands the job out, nobody does it, and its end
// is told.
func TestCanceledBeforeTheEnd(t *testing.T) {
	s := newSystem(t)
	p, told := s.openTelling(config())
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
		t.Error("a job was done that was canceled")
		return "done", nil
	})
	s.eventually("its end is told", func() bool { return len(told.of(r.ID)) > 0 && told.of(r.ID)[0] == jobapi.Canceled })
}

// TestCancelWithLostAnswers loses the answers of the store to changes: a job is
// canceled in the end, and stays so.
func TestCancelWithLostAnswers(t *testing.T) {
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
		there, err := p.Cancel(t.Context(), "org_a", r.ID)
		return err == nil && there.State == jobapi.Canceled
	})
	store.loses.Store(false)
	if ended := s.wait(p, r); ended.State != jobapi.Canceled || ended.Result != nil {
		t.Errorf("the job is %+v", ended)
	}
}

// TestCancelAll cancels the jobs of one document, of which more are there than are
// looked at in one go, and no others.
func TestCancelAll(t *testing.T) {
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
		if there, err := p.Get(t.Context(), r.Principal.Organization, r.ID); err != nil || there.Ended() {
			t.Errorf("another job is %+v, %v", there, err)
		}
	}
}

// TestWorkCancels lets the work find out that nobody wants the job.
func TestWorkCancels(t *testing.T) {
	s := newSystem(t)
	p, told := s.openTelling(config())
	s.run(p, time.Second, func(context.Context, job.Record, func(float64)) (any, error) {
		return nil, fmt.Errorf("it is: %w", job.ErrCanceled)
	})
	r := s.wait(p, s.submit(p, order("org_a", "one", jobapi.Interactive)))
	if r.State != jobapi.Canceled || r.Result != nil || r.Error != nil || r.Tries != 1 {
		t.Errorf("the job ended as %+v", r)
	}
	s.eventually("its end is told", func() bool { return len(told.of(r.ID)) > 0 && told.of(r.ID)[0] == jobapi.Canceled })
}

// TestCanceledJobsKeepNobodyOut cancels many more jobs than may wait, before a worker
// comes to their messages: the queue takes the next job all the same.
func TestCanceledJobsKeepNobodyOut(t *testing.T) {
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
