package jobrun_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// files is a derived.Keeper that keeps nothing.
type files struct{}

// Sweep implements derived.Keeper.
func (files) Sweep(context.Context) error { return nil }

// Expire implements derived.Keeper.
func (files) Expire(context.Context) error { return nil }

var (
	wait      = contract.Endpoint[struct{}, struct{}]{Service: "test", Name: "wait"}
	principal = contract.Principal{Organization: "org_1"}
)

// service is a running service with one job and one request in progress. Stop tells it to
// shut down; ended receives the result of Run.
type service struct {
	server   *natsserver.Server
	pool     *job.Pool
	record   job.Record
	answered chan error
	stop     context.CancelFunc
	ended    chan error
}

// start starts a service with the shutdown grace period grace. Its job and its request
// end when release is closed or their contexts end.
func start(t *testing.T, grace time.Duration, release chan struct{}) *service {
	t.Helper()
	n := bustest.Server(t)
	conn := bustest.Connect(t, n, "test")
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	cfg := jobrun.Config{Pool: 4, Grace: grace, Jobs: job.Config{
		Workers: 1, AckWait: patience.Scale(10 * time.Second), Budget: time.Minute, MaxTries: 3, Limit: 10, Share: 4, KeepEnded: time.Hour, KeepDead: time.Hour,
	}}
	pool, err := job.Open(t.Context(), "test", cfg.Jobs, job.Deps{Conn: conn, Store: store, Telemetry: tel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	begun := make(chan struct{}, 2)
	work := func(ctx context.Context) error {
		begun <- struct{}{}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &service{server: n, pool: pool, answered: make(chan error, 1), stop: stop, ended: make(chan error, 1)}
	go func() {
		s.ended <- jobrun.Run(ctx, jobrun.Process{
			Name: "test", Config: cfg, Deps: runner.Deps{Telemetry: tel, Bus: conn},
			Register: func(server *bus.Server) error {
				return bus.Handle(server, wait, func(ctx context.Context, _ contract.Principal, r struct{}) (struct{}, error) { return r, work(ctx) })
			},
			Purged: func(context.Context, contract.Event) error { return nil },
			Pool:   pool, Work: func(ctx context.Context, _ job.Record, _ func(float64)) (any, error) { return "done", work(ctx) },
			Files: files{},
		})
	}()
	s.record, err = pool.Submit(t.Context(), job.Record{
		ID: "job_1", Key: "key_1", Principal: principal, Subject: "doc_1", Lane: jobapi.Bulk, Request: jsontext.Value("{}"),
	}, func(job.Record) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	<-begun // the endpoint is registered by now
	caller := bustest.Connect(t, n, "caller")
	go func() {
		_, err := bus.Call(patience.Context(t), caller, wait, principal, struct{}{})
		s.answered <- err
	}()
	<-begun
	return s
}

// TestEnd checks that shutdown waits for the request and the job in progress.
func TestEnd(t *testing.T) {
	release := make(chan struct{})
	s := start(t, patience.Limit(), release)
	s.stop()
	close(release)
	if err := <-s.ended; err != nil {
		t.Errorf("Run = %v", err)
	}
	if err := <-s.answered; err != nil {
		t.Errorf("the request ended with %v", err)
	}
	if r, err := s.pool.Get(t.Context(), "org_1", "job_1"); err != nil || r.State != jobapi.Succeeded {
		t.Errorf("the job is %s, %v", r.State, err)
	}
}

// TestGrace interrupts a job and a request that outlast the grace period, and leaves the
// job to the next worker.
func TestGrace(t *testing.T) {
	s := start(t, 100*time.Millisecond, nil)
	s.stop()
	if err := <-s.ended; err == nil {
		t.Error("Run does not report that a request was not answered in time")
	}
	if r, err := s.pool.Get(t.Context(), "org_1", "job_1"); err != nil || r.Ended() {
		t.Errorf("the job is %s, %v", r.State, err)
	}
	if err := <-s.answered; err == nil {
		t.Error("the request was answered")
	}
}

// TestListen deletes and purges the document of a job. The job is canceled before deleted is
// called, which is called again after an error.
func TestListen(t *testing.T) {
	release := make(chan struct{})
	s := start(t, patience.Limit(), release)
	defer func() {
		close(release)
		s.stop()
		<-s.ended
		<-s.answered
	}()
	conn := bustest.Connect(t, s.server, "listener")
	heard := make(chan string, 4)
	tries := 0
	stop, err := jobrun.Listen(t.Context(), conn, "listener", s.pool, func(ctx context.Context, e contract.Event) error {
		r, err := s.pool.Get(ctx, "org_1", "job_1")
		heard <- e.Type + " of " + e.Subject + " with a job that is " + string(r.State)
		if tries++; tries == 1 {
			return errors.New("the store does not answer")
		}
		return err
	}, func(_ context.Context, e contract.Event) error {
		heard <- e.Type + " of " + e.Subject
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	deleted := "document.deleted of doc_1 with a job that is canceled"
	for kind, want := range map[string][]string{documentapi.EventDeleted: {deleted, deleted}, documentapi.EventPurged: {"document.purged of doc_1"}} {
		if _, err := conn.PublishEvent(t.Context(), contract.Event{ID: kind, Type: kind, Organization: "org_1", Subject: "doc_1", At: 1}); err != nil {
			t.Fatal(err)
		}
		for _, want := range want {
			select {
			case got := <-heard:
				if got != want {
					t.Errorf("heard %q, want %q", got, want)
				}
			case <-patience.Context(t).Done():
				t.Fatalf("%s is not heard", want)
			}
		}
	}
}
