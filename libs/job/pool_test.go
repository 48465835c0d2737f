package job_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

func TestMain(m *testing.M) {
	// This goroutine ends once it has noticed that its connection is closed, which may be
	// after the last test.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

// system is a bus and a store that several pools share.
type system struct {
	t     *testing.T
	conn  *bus.Conn
	store job.Store
	tel   *telemetry.Telemetry
}

func newSystem(t *testing.T) *system {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tel, err := telemetry.New(t.Context(), "job", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return &system{t: t, conn: bustest.Connect(t, bustest.Server(t), "job"), store: store, tel: tel}
}

// config returns a configuration whose AckWait no worker misses, even on a busy machine.
func config() job.Config {
	return job.Config{
		Workers: 2, AckWait: patience.Scale(10 * time.Second), Budget: time.Minute, MaxTries: 3, Limit: 1000, Share: 4,
		KeepEnded: time.Hour, KeepDead: time.Hour,
	}
}

// open returns a pool that is not running yet.
func (s *system) open(cfg job.Config) *job.Pool {
	s.t.Helper()
	p, err := job.Open(s.t.Context(), "test", cfg, job.Deps{Conn: s.conn, Store: s.store, Telemetry: s.tel})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Close() })
	return p
}

// run runs a pool until the test ends or stop is called. Jobs in progress then have the
// duration grace to finish.
func (s *system) run(p *job.Pool, grace time.Duration, work job.Work) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	inGrace, cut := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx, inGrace, work) })
	stop = func() {
		cancel()
		time.AfterFunc(grace, cut)
		running.Wait()
	}
	s.t.Cleanup(func() { stop(); cut() })
	return stop
}

// order returns a job of an organization.
func order(organization, key string, lane jobapi.Lane) job.Record {
	return job.Record{
		ID: contract.NewID(contract.JobPrefix), Principal: contract.Principal{Organization: organization},
		Key: key, Subject: "doc_" + key, Lane: lane, Request: jsontext.Value(`"` + key + `"`),
	}
}

func never(job.Record) bool  { return false }
func always(job.Record) bool { return true }

// submit submits a job and fails the test if that fails.
func (s *system) submit(p *job.Pool, r job.Record) job.Record {
	s.t.Helper()
	there, err := p.Submit(s.t.Context(), r, never)
	if err != nil {
		s.t.Fatal(err)
	}
	return there
}

// wait returns the job once it has ended.
func (s *system) wait(p *job.Pool, r job.Record) job.Record {
	s.t.Helper()
	ended, err := p.Wait(patience.Context(s.t), r)
	if err != nil {
		s.t.Fatal(err)
	}
	return ended
}

func echo(_ context.Context, r job.Record, report func(float64)) (any, error) {
	report(.5)
	return r.Request, nil
}

func TestJobIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p := s.open(config())
	var done atomic.Int32
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		done.Add(1)
		time.Sleep(50 * time.Millisecond)
		return echo(ctx, r, report)
	})
	var wg sync.WaitGroup
	ids := make([]string, 16)
	for i := range ids {
		wg.Go(func() {
			r := s.wait(p, s.submit(p, order("org_a", "one", jobapi.Interactive)))
			ids[i] = r.ID
			if r.State != jobapi.Succeeded || string(r.Result) != `"one"` || r.Progress != 1 || r.EndedAt == 0 {
				t.Errorf("the job ended as %+v", r)
			}
		})
	}
	wg.Wait()
	if slices.Sort(ids); done.Load() != 1 || len(slices.Compact(ids)) != 1 {
		t.Errorf("the work ran %d times", done.Load())
	}
	again, err := p.Submit(t.Context(), order("org_a", "one", jobapi.Interactive), always)
	if err != nil || again.Attempt != 2 || again.Ended() {
		t.Errorf("a job to be run again is %+v, %v", again, err)
	}
	if s.wait(p, again); done.Load() != 2 {
		t.Errorf("the work ran %d times, want 2", done.Load())
	}
}

// TestFaults distinguishes faults of a job, which end it, from other failures, which are
// retried and then dead-letter it.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p := s.open(config())
	var tries atomic.Int32
	s.run(p, time.Second, func(_ context.Context, r job.Record, _ func(float64)) (any, error) {
		switch tries.Add(1); string(r.Request) {
		case `"own"`:
			return nil, problem.New(problem.InvalidRequest, "The file is empty.")
		case `"final"`:
			return nil, fmt.Errorf("it is: %w", job.Final(problem.New(problem.Unavailable, "It cannot be done.")))
		case `"once"`:
			if tries.Load() == 1 {
				return nil, problem.New(problem.Unavailable, "The store is unavailable.")
			}
			return "done", nil
		case `"panic"`:
			panic("poison")
		}
		return nil, errors.New("poison")
	})
	for _, c := range []struct {
		key   string
		tries int32
		state jobapi.State
		dead  bool
	}{{"own", 1, jobapi.Failed, false}, {"final", 1, jobapi.Failed, false}, {"once", 2, jobapi.Succeeded, false}, {"poison", 3, jobapi.Failed, true}, {"panic", 3, jobapi.Failed, true}} {
		tries.Store(0)
		r := s.wait(p, s.submit(p, order("org_a", c.key, jobapi.Interactive)))
		if r.State != c.state || r.Dead != c.dead || tries.Load() != c.tries {
			t.Errorf("%s: %s, dead %v, after %d tries; want %+v", c.key, r.State, r.Dead, tries.Load(), c)
		}
		if c.dead && (r.Error == nil || !strings.Contains(r.Error.Detail, "not retried automatically") || strings.Contains(r.Error.Detail, "poison")) {
			t.Errorf("%s: the error is %v", c.key, r.Error)
		}
	}
	dead, err := s.store.Dead(t.Context(), 10)
	if err != nil || len(dead) != 2 {
		t.Errorf("%d jobs are dead, %v; want 2", len(dead), err)
	}
}

// TestAfter shows that the next try of a job begins no earlier than what failed has asked.
func TestAfter(t *testing.T) {
	t.Parallel()
	const delay = 2500 * time.Millisecond // the first retry comes after one second otherwise
	s := newSystem(t)
	p := s.open(config())
	var began []time.Time
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if began = append(began, time.Now()); len(began) == 1 {
			return nil, fmt.Errorf("it is busy: %w", job.After(errors.New("come back later"), delay))
		}
		return echo(ctx, r, report)
	})
	if r := s.wait(p, s.submit(p, order("org_a", "busy", jobapi.Interactive))); r.State != jobapi.Succeeded || r.Tries != 2 {
		t.Errorf("the job ended as %+v", r)
	}
	if len(began) != 2 || began[1].Sub(began[0]) < delay {
		t.Errorf("the tries began at %v, less than %v apart", began, delay)
	}
}

// TestFailingJobBlocksNoOther retries one failing job forever while others are done.
func TestFailingJobBlocksNoOther(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Workers, cfg.MaxTries = 1, 1_000_000 // it is never dead-lettered
	p := s.open(cfg)
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if string(r.Request) == `"poison"` {
			return nil, errors.New("poison")
		}
		return echo(ctx, r, report)
	})
	poison := s.submit(p, order("org_a", "poison", jobapi.Interactive))
	for i := range 5 {
		if r := s.wait(p, s.submit(p, order("org_a", fmt.Sprint(i), jobapi.Interactive))); r.State != jobapi.Succeeded {
			t.Errorf("job %d ended as %+v", i, r)
		}
	}
	if r, err := p.Get(t.Context(), "org_a", poison.ID); err != nil || r.Ended() {
		t.Errorf("the failing job is %+v, %v: the others waited for it", r, err)
	}
}

// TestEndIsAnnounced makes the announcement of an end fail: it is repeated until it succeeds,
// and the work is not repeated.
func TestEndIsAnnounced(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	var announced, done atomic.Int32
	p, err := job.Open(t.Context(), "test", config(), job.Deps{Conn: s.conn, Store: s.store, Telemetry: s.tel, Ended: func(_ context.Context, r job.Record) error {
		if announced.Add(1) == 1 {
			return errors.New("not now")
		}
		if r.State != jobapi.Succeeded {
			t.Errorf("announced is %+v", r)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		done.Add(1)
		return echo(ctx, r, report)
	})
	s.wait(p, s.submit(p, order("org_a", "one", jobapi.Interactive)))
	patience.Until(t, "the end is announced again", func() bool { return announced.Load() >= 2 })
	if announced.Load() != 2 || done.Load() != 1 {
		t.Errorf("the end was announced %d times, the work ran %d times", announced.Load(), done.Load())
	}
}

// TestWorkerEnds stops a worker with a job in progress: another worker runs the job at
// once, and the interrupted try does not count.
func TestWorkerEnds(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.AckWait = time.Hour // the test must not depend on it
	first := s.open(cfg)
	begun := make(chan struct{})
	var once sync.Once
	stop := s.run(first, 0, func(ctx context.Context, _ job.Record, _ func(float64)) (any, error) {
		once.Do(func() { close(begun) })
		<-ctx.Done()
		return nil, ctx.Err()
	})
	r := s.submit(first, order("org_a", "one", jobapi.Interactive))
	patience.Receive(t, "the job has begun", begun)
	stop()
	second := s.open(cfg)
	s.run(second, time.Second, echo)
	if r = s.wait(second, r); r.State != jobapi.Succeeded || r.Tries != 1 {
		t.Errorf("the job ended as %+v", r)
	}
}

// TestWorkerDies leaves a job as a worker does that dies: delivered, running, its lease
// not ended. Another worker runs it after AckWait.
func TestWorkerDies(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.AckWait = patience.Scale(5 * time.Second)
	p := s.open(cfg)
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	queue, err := s.conn.OpenQueue(t.Context(), bus.QueueConfig{Name: "test", Limit: cfg.Limit, AckWait: cfg.AckWait})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	if d, err := queue.TryNext(t.Context()); err != nil || d == nil || d.ID != r.ID {
		t.Fatalf("delivered %+v, %v", d, err)
	}
	if r, err = s.store.Get(t.Context(), "org_a", r.ID); err != nil {
		t.Fatal(err)
	}
	r.State, r.Tries, r.LeaseEnds = jobapi.Running, 1, time.Now().Add(cfg.AckWait).UnixMilli()
	if _, err := s.store.Replace(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	s.run(p, time.Second, echo)
	if r = s.wait(p, r); r.State != jobapi.Succeeded || r.Tries != 2 {
		t.Errorf("the job ended as %+v", r)
	}
}

// TestBulkAddsOneJob queues 1 000 bulk jobs of one organization and starts running them.
// An interactive job of another organization waits only for the job in progress, and for
// one that may just have been fetched.
func TestBulkAddsOneJob(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Workers, cfg.Limit = 1, 2000
	p := s.open(cfg)
	for i := range 1000 {
		s.submit(p, order("org_a", fmt.Sprint("bulk", i), jobapi.Bulk))
	}
	var mu sync.Mutex
	var begun []string
	busy := make(chan struct{})
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		mu.Lock()
		if begun = append(begun, r.Key); len(begun) == 3 {
			close(busy)
		}
		mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		return echo(ctx, r, report)
	})
	patience.Receive(t, "three jobs have begun", busy)
	r := s.submit(p, order("org_b", "theirs", jobapi.Interactive))
	mu.Lock()
	before := len(begun)
	mu.Unlock()
	s.wait(p, r)
	mu.Lock()
	defer mu.Unlock()
	if more := slices.Index(begun, "theirs") - before; more > 1 {
		t.Errorf("%d bulk jobs were begun before the interactive job", more)
	}
}

// TestLeftBetweenSteps repairs what a crash can leave behind: a job that was never
// queued, one that was promoted but not published, and one whose worker died long ago.
func TestLeftBetweenSteps(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	long := time.Now().Add(-time.Hour).UnixMilli()
	var left []job.Record
	for _, key := range []string{"running", "promoted", "accepted"} {
		r := order("org_a", key, jobapi.Bulk)
		r.State, r.Attempt, r.CreatedAt = jobapi.Queued, 1, long
		r, _, err := s.store.Add(t.Context(), r)
		if err == nil && key != "accepted" {
			var promoted []job.Record
			promoted, err = s.store.Promote(t.Context(), "org_a", 4, long)
			r = promoted[0]
		}
		if err == nil && key == "running" {
			r.State, r.LeaseEnds, r.Tries = jobapi.Running, long, 1
			r, err = s.store.Replace(t.Context(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, r)
	}
	p := s.open(config())
	s.run(p, time.Second, echo)
	for _, r := range left {
		if r := s.wait(p, r); r.State != jobapi.Succeeded {
			t.Errorf("%s ended as %+v", r.Key, r)
		}
	}
}

// TestLongWorkIsKept runs a job for longer than AckWait: it stays with its worker.
func TestLongWorkIsKept(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.AckWait = patience.Scale(4 * time.Second)
	p := s.open(cfg)
	var done atomic.Int32
	s.run(p, time.Second, func(context.Context, job.Record, func(float64)) (any, error) {
		done.Add(1)
		time.Sleep(3 * cfg.AckWait)
		return "done", nil
	})
	r := s.wait(p, s.submit(p, order("org_a", "long", jobapi.Interactive)))
	if r.Tries != 1 || done.Load() != 1 {
		t.Errorf("the job was delivered %d times and run %d times", r.Tries, done.Load())
	}
}

// TestTurns fills both lanes with jobs of one organization: jobs of other organizations,
// and interactive jobs, do not wait for them.
func TestTurns(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Workers = 1
	p := s.open(cfg)
	const many = 200
	for i := range many {
		s.submit(p, order("org_a", fmt.Sprint("bulk", i), jobapi.Bulk))
	}
	for i := range 20 {
		s.submit(p, order("org_a", fmt.Sprint("mine", i), jobapi.Interactive))
	}
	r := s.submit(p, order("org_b", "theirs", jobapi.Interactive))
	var mu sync.Mutex
	var before []string
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		mu.Lock()
		before = append(before, r.Key)
		mu.Unlock()
		return echo(ctx, r, report)
	})
	s.wait(p, r)
	mu.Lock()
	place := slices.Index(before, "theirs")
	mu.Unlock()
	if place < 0 || place > cfg.Share {
		t.Errorf("%d jobs ran before that of another organization, at most %d may", place, cfg.Share)
	}
	patience.Until(t, "all jobs are done", func() bool {
		n, err := s.store.Unfinished(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return n == 0
	})
	mu.Lock()
	defer mu.Unlock()
	if slices.Sort(before); len(before) != many+21 || len(slices.Compact(before)) != many+21 {
		t.Errorf("%d jobs ran, want %d", len(before), many+21)
	}
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	cfg := config()
	cfg.Limit = 3
	p := s.open(cfg)
	for i := range 3 {
		s.submit(p, order("org_a", fmt.Sprint(i), jobapi.Bulk))
	}
	_, err := p.Submit(t.Context(), order("org_b", "one more", jobapi.Interactive), never)
	if !problem.Is(err, problem.Unavailable) || problem.Of(err).RetryAfter == 0 {
		t.Errorf("one job too many: %v", err)
	}
}

// TestBacklogMetrics checks that the metrics say how many jobs are unfinished, of how many,
// and how old the oldest is.
func TestBacklogMetrics(t *testing.T) {
	s := newSystem(t)
	old := order("org_a", "old", jobapi.Bulk)
	old.State, old.CreatedAt = jobapi.Queued, time.Now().Add(-time.Hour).UnixMilli()
	if _, _, err := s.store.Add(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	p := s.open(config())
	values := func() map[string]float64 {
		families, err := s.tel.Metrics.Gather()
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]float64{}
		for _, f := range families {
			values[f.GetName()] = f.GetMetric()[0].GetGauge().GetValue()
		}
		return values
	}
	block := make(chan struct{})
	s.run(p, 0, func(context.Context, job.Record, func(float64)) (any, error) {
		<-block
		return nil, nil
	})
	patience.Until(t, "a sweep has seen the job", func() bool {
		v := values()
		return v["recto_jobs_oldest_age_seconds"] >= time.Hour.Seconds() && v["recto_jobs_unfinished"] == 1 && v["recto_jobs_queued"] == 1 && v["recto_jobs_limit"] == 1000
	})
	close(block)
	patience.Until(t, "a sweep has seen that it is finished", func() bool {
		v := values()
		return v["recto_jobs_oldest_age_seconds"] == 0 && v["recto_jobs_unfinished"] == 0 && v["recto_jobs_queued"] == 0
	})
}

// TestForgotten forgets a job while a caller waits for it.
func TestForgotten(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p := s.open(config())
	r := s.submit(p, order("org_a", "one", jobapi.Interactive))
	waited := make(chan error)
	go func() {
		_, err := p.Wait(context.Background(), r)
		waited <- err
	}()
	if _, err := s.store.Forget(t.Context(), "org_a", r.Subject); err != nil {
		t.Fatal(err)
	}
	if err := patience.Receive(t, "the end of the wait", waited); !problem.Is(err, problem.Unavailable) {
		t.Errorf("the waiter gets %v", err)
	}
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		if r.Key == "one" {
			t.Error("a forgotten job was run")
		}
		return echo(ctx, r, report)
	})
	if r := s.wait(p, s.submit(p, order("org_a", "other", jobapi.Interactive))); r.State == jobapi.Queued {
		t.Errorf("the next job is %+v", r)
	}
}

// TestSameIDAgain runs a job whose ID, derived by its service, equals that of a forgotten
// job: the queue must not take it for a duplicate.
func TestSameIDAgain(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	p := s.open(config())
	var done atomic.Int32
	s.run(p, time.Second, func(ctx context.Context, r job.Record, report func(float64)) (any, error) {
		done.Add(1)
		return echo(ctx, r, report)
	})
	r := order("org_a", "one", jobapi.Interactive)
	for range 2 {
		if ended := s.wait(p, s.submit(p, r)); ended.State != jobapi.Succeeded {
			t.Fatalf("the job is %+v", ended)
		}
		if err := s.store.Remove(t.Context(), "org_a", r.ID); err != nil {
			t.Fatal(err)
		}
	}
	if done.Load() != 2 {
		t.Errorf("the work ran %d times, want 2", done.Load())
	}
}
