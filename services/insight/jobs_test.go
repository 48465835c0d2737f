package insight_test

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand/jobcommandtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// isTold checks that the log of a job that has ended has what follows from its
// result, once.
func (s *system) isTold(id string) {
	s.t.Helper()
	done := s.ended(id)
	if done.State != jobapi.Succeeded || done.Progress != 1 {
		s.t.Fatalf("the job ended as %+v", done)
	}
	var a insightapi.Answer
	if err := json.Unmarshal(done.Result, &a); err != nil {
		s.t.Fatal(err)
	}
	want := insightapi.Events(titles, &a)
	if got := s.follow(id, len(want)); !reflect.DeepEqual(got, want) {
		s.t.Errorf("told was %+v, want %+v", got, want)
	}
}

// TestJobs does jobs that nobody waits for, and tells of what it does.
func TestJobs(t *testing.T) {
	s := start(t)
	events := make(chan contract.Event, 10)
	stop, err := s.caller.Consume(t.Context(), "listener", []string{insightapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	id := s.document(documentapi.Draft, "The draft")
	for _, source := range []insightapi.CreateRequest{ask(insightapi.DocText, "x"), ask(insightapi.DocumentID, id)} {
		begun, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, source)
		if err != nil || begun.Kind != jobapi.Analyze {
			t.Fatalf("got %+v, %v", begun, err)
		}
		submitted, err := bus.Call(t.Context(), s.caller, insightapi.Submit, principal, source)
		if err != nil || submitted.ID != begun.ID {
			t.Errorf("the same is another job: %+v, %v", submitted, err)
		}
		s.isTold(begun.ID)
		if _, err := bus.Call(t.Context(), s.caller, insightapi.Job, stranger, jobapi.GetRequest{ID: begun.ID}); !problem.Is(err, problem.RouteNotFound) {
			t.Errorf("the job of another organization: %v", err)
		}
		if source.Source == insightapi.DocumentID {
			if e := <-events; e.Subject != id || string(e.Data) != `{"job_id":"`+begun.ID+`","state":"succeeded"}` {
				t.Errorf("the event is %+v", e)
			}
			s.documents.remove(id)
			if j, err := s.job(begun.ID); err != nil || j.State != jobapi.Succeeded || string(j.Result) != "null" {
				t.Errorf("the job of a document that is deleted: %+v, %v", j, err)
			}
			s.documents.forget(id)
			if _, err := s.job(begun.ID); !problem.Is(err, problem.RouteNotFound) {
				t.Errorf("the job of a document that is purged: %v", err)
			}
		}
	}
	if n := s.reader.calls(); n != 2 || len(events) > 0 {
		t.Errorf("it was read %d times, and there are %d more events", n, len(events))
	}
	if _, err := s.job("job_none"); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("no job: %v", err)
	}
}

// TestCanceled cancels a job that is worked on and waited for: the engine stops, who
// waits is told to ask again, nobody hears of a completion, and the same request is
// answered from the beginning.
func TestCanceled(t *testing.T) {
	s := start(t)
	completed := make(chan contract.Event, 10)
	stop, err := s.caller.Consume(t.Context(), "listener", []string{insightapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
		completed <- e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, source := range []insightapi.CreateRequest{ask(insightapi.DocText, "x"), ask(insightapi.DocumentID, s.document(documentapi.Draft, "x"))} {
		reached, stopped := make(chan struct{}), make(chan struct{})
		s.reader.set(func(ctx context.Context, _ domain.Material) error {
			close(reached)
			<-ctx.Done()
			close(stopped)
			return ctx.Err()
		})
		begun, err := bus.Call(t.Context(), s.caller, insightapi.Submit, principal, source)
		if err != nil {
			t.Fatal(err)
		}
		<-reached
		waited := make(chan error)
		go func() {
			_, err := s.create(source)
			waited <- err
		}()
		s.eventually("somebody waits", func() bool { return s.waiting() == 1 })
		for _, id := range []string{begun.ID, "job_none"} {
			if _, err := bus.Call(t.Context(), s.caller, insightapi.CancelJob, stranger, jobapi.GetRequest{ID: id}); !problem.Is(err, problem.RouteNotFound) {
				t.Errorf("the job of another organization: %v", err)
			}
		}
		for range 2 {
			canceled, err := bus.Call(t.Context(), s.caller, insightapi.CancelJob, principal, jobapi.GetRequest{ID: begun.ID})
			if err != nil || canceled.ID != begun.ID || canceled.State != jobapi.Canceled || string(canceled.Result) != "null" || canceled.Error != nil {
				t.Errorf("canceled it is %+v, %v", canceled, err)
			}
		}
		if err := <-waited; !problem.Is(err, problem.Unavailable) || problem.Of(err).RetryAfter == 0 || !strings.Contains(err.Error(), begun.ID) {
			t.Errorf("who waits is told %v", err)
		}
		<-stopped
		s.reader.set(nil)
		if got, err := s.create(source); err != nil || got.Result.JobID == "" {
			t.Errorf("once more: %+v, %v", got.Result, err)
		}
		if source.Source == insightapi.DocumentID {
			if e := <-completed; e.Subject != source.Value || !strings.Contains(string(e.Data), `"state":"succeeded"`) {
				t.Errorf("the event is %+v", e)
			}
		}
	}
	if len(completed) > 0 {
		t.Errorf("there are %d more events", len(completed))
	}
}

// TestDeleted deletes a document while it is read: its job is canceled, whether that
// is heard or asked for, and who waits is told that the document is gone.
func TestDeleted(t *testing.T) {
	s := start(t)
	for _, heard := range []bool{true, false} {
		id := s.document(documentapi.Draft, "x")
		reached, stopped := make(chan struct{}), make(chan struct{})
		s.reader.set(func(ctx context.Context, _ domain.Material) error {
			close(reached)
			<-ctx.Done()
			close(stopped)
			return ctx.Err()
		})
		begun, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, ask(insightapi.DocumentID, id))
		if err != nil {
			t.Fatal(err)
		}
		<-reached
		waited := make(chan error)
		go func() {
			_, err := s.create(ask(insightapi.DocumentID, id))
			waited <- err
		}()
		s.eventually("somebody waits", func() bool { return s.waiting() == 1 })
		s.documents.remove(id)
		if heard {
			_, err := s.caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventDeleted, Organization: "org_1", Subject: id, At: 1})
			if err != nil {
				t.Fatal(err)
			}
			<-stopped
		}
		if j, err := s.job(begun.ID); err != nil || j.State != jobapi.Canceled || string(j.Result) != "null" {
			t.Errorf("the job is %+v, %v", j, err)
		}
		<-stopped
		if err := <-waited; !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("who waits is told %v", err)
		}
	}
}

// TestWorkerEnds ends the service while it reads: the next one does the job again,
// and whoever follows it hears each event once.
func TestWorkerEnds(t *testing.T) {
	s := start(t, "INSIGHT_SHUTDOWN_GRACE=100ms")
	reached := make(chan struct{}, 1)
	s.reader.set(func(ctx context.Context, _ domain.Material) error {
		reached <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	begun, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	patience.Receive(t, "it is being read", reached)
	s.stop()
	s.reader.set(nil)
	s.run()
	s.isTold(begun.ID)
	if n := s.reader.calls(); n != 2 {
		t.Errorf("it was read %d times", n)
	}
}

// TestLogIsLost takes the log away in the midst of a job, which ends nevertheless.
func TestLogIsLost(t *testing.T) {
	s := start(t)
	nc, err := nats.Connect("", s.server.Option())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s.reader.set(func(ctx context.Context, _ domain.Material) error {
		return js.DeleteStream(ctx, "LOG-INSIGHT")
	})
	got, err := s.create(ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if answer, _ := s.read(got.Answer); !strings.Contains(answer, `"title":"x"`) {
		t.Errorf("the answer is %s", answer)
	}
	if !strings.Contains(s.log.String(), "no longer written") {
		t.Error("the operator is not told")
	}
}

// TestDead gives a job up that fails again and again.
func TestDead(t *testing.T) {
	s := start(t, "INSIGHT_MAX_TRIES=2")
	s.reader.set(func(context.Context, domain.Material) error { panic("broken") })
	begun, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if done := s.ended(begun.ID); done.State != jobapi.Failed || done.Error == nil || done.Error.Code != problem.Internal || s.reader.calls() != 2 {
		t.Errorf("the job ended as %+v after %d tries", done, s.reader.calls())
	}
	s.reader.set(nil)
	again, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil || again.ID != begun.ID {
		t.Fatalf("got %+v, %v", again, err)
	}
	s.isTold(begun.ID)
}

// TestToldAnew reads a text again whose time is over: nobody is told of it what was found
// the first time, when it had been sent at another one.
func TestToldAnew(t *testing.T) {
	s := start(t, "INSIGHT_DOWNLOAD_URL_TTL="+patience.Scale(5*time.Second).String())
	begin := func() string {
		begun, err := bus.Call(t.Context(), s.caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
		if err != nil {
			t.Fatal(err)
		}
		s.ended(begun.ID)
		return begun.ID
	}
	id := begin()
	s.isTold(id)
	s.eventually("the time of the text is over", func() bool {
		_, err := s.job(id)
		return problem.Is(err, problem.RouteNotFound)
	})
	if again := begin(); again != id || s.reader.calls() != 2 || !s.isSilent(id) {
		t.Errorf("job %s is %s, was done %d times, and is told of still", id, again, s.reader.calls())
	}
}

// TestPurge leaves nothing of a document that is gone, and all of the others.
func TestPurge(t *testing.T) {
	s := start(t)
	gone, other := s.document(documentapi.Draft, "x"), s.document(documentapi.Draft, "x")
	results := map[string]insightapi.Result{}
	for _, id := range []string{gone, other} {
		got, err := s.create(ask(insightapi.DocumentID, id))
		if err != nil {
			t.Fatal(err)
		}
		results[id] = got.Result
	}
	_, err := s.caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventPurged, Organization: "org_1", Subject: gone, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.eventually("the job is gone", func() bool {
		_, err := s.job(results[gone].JobID)
		return problem.Is(err, problem.RouteNotFound)
	})
	s.eventually("what was found is gone", func() bool {
		_, err := bus.Call(t.Context(), s.caller, insightapi.Sign, principal, results[gone])
		return problem.Is(err, problem.DocumentNotFound)
	})
	if _, err := bus.Call(t.Context(), s.caller, insightapi.Sign, principal, results[other]); err != nil {
		t.Errorf("another document has lost something: %v", err)
	}
	s.isTold(results[other].JobID)
	s.eventually("what was told is gone", func() bool { return s.isSilent(results[gone].JobID) })
}

// silence is how long nothing is told where nothing is.
const silence = 200 * time.Millisecond

// isSilent reports whether nothing is told of a job.
func (s *system) isSilent(id string) bool {
	s.t.Helper()
	f, err := s.caller.Follow(s.t.Context(), insightapi.ProgressLog, "org_1", id, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(s.t.Context(), silence)
	defer cancel()
	_, _, err = f.Next(ctx)
	return err != nil
}

// away is a database on a server that nobody listens for.
const away = "mongodb://user:pass%40word@127.0.0.1:1/insight"

// TestCommands looks after dead letters in each kind of database.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	jobcommandtest.TestCommands(t, insight.Commands, jobapi.Analyze, filepath.Join(dir, "insight.db"), filepath.Join(dir, "insight-jobs.db"))
}

// TestConfig checks what is said of wrong variables, at the start and where the
// database is away.
func TestConfig(t *testing.T) {
	var cfg insight.Config
	if err := config.Load([]string{"INSIGHT_DATABASE=" + away}, "INSIGHT_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"INSIGHT_DATABASE=mongodb://user:pass%40word@127.0.0.1:1", "INSIGHT_PROGRESS_BYTES=1", "INSIGHT_KEEP=0s"}, "INSIGHT_", &cfg)
	for _, want := range []string{"INSIGHT_DATABASE names no database", "INSIGHT_PROGRESS_BYTES must be at least 1048576", "INSIGHT_KEEP must be"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "word") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a command waits for no longer than its context
	if _, err := jobcommandtest.Run(ctx, insight.Commands, away, "jobs", "dead", "list"); err == nil || !strings.Contains(err.Error(), "INSIGHT_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
