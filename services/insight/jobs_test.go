package insight_test

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

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

// isLogged checks that the log of a finished job has the events that follow from its
// result, each once.
func (s *system) isLogged(id string) {
	s.T.Helper()
	done := s.ended(id)
	if done.State != jobapi.Succeeded || done.Progress != 1 {
		s.T.Fatalf("the job ended as %+v", done)
	}
	var a insightapi.Answer
	if err := json.Unmarshal(done.Result, &a); err != nil {
		s.T.Fatal(err)
	}
	want := insightapi.Events(titles, &a)
	if got := s.follow(id, len(want)); !reflect.DeepEqual(got, want) {
		s.T.Errorf("the events are %+v, want %+v", got, want)
	}
}

// TestJobs shows that jobs run without a waiting caller, and that their events are published.
func TestJobs(t *testing.T) {
	t.Parallel()
	s := start(t)
	events := make(chan contract.Event, 10)
	stop, err := s.Caller.Consume(t.Context(), "listener", []string{insightapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	id := s.document(documentapi.Draft, "The draft")
	for _, source := range []insightapi.CreateRequest{ask(insightapi.DocText, "x"), ask(insightapi.DocumentID, id)} {
		begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, source)
		if err != nil || begun.Kind != jobapi.Analyze {
			t.Fatalf("got %+v, %v", begun, err)
		}
		submitted, err := bus.Call(patience.Context(t), s.Caller, insightapi.Submit, principal, source)
		if err != nil || submitted.ID != begun.ID {
			t.Errorf("the same request is another job: %+v, %v", submitted, err)
		}
		s.isLogged(begun.ID)
		if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Job, stranger, jobapi.GetRequest{ID: begun.ID}); !problem.Is(err, problem.RouteNotFound) {
			t.Errorf("the job of another organization: %v", err)
		}
		if source.Source == insightapi.DocumentID {
			if e := <-events; e.Subject != id || string(e.Data) != `{"job_id":"`+begun.ID+`","state":"succeeded"}` {
				t.Errorf("the event is %+v", e)
			}
			s.documents.Delete(id)
			if j, err := s.job(begun.ID); err != nil || j.State != jobapi.Succeeded || string(j.Result) != "null" {
				t.Errorf("the job of a deleted document: %+v, %v", j, err)
			}
			s.documents.Purge(id)
			if _, err := s.job(begun.ID); !problem.Is(err, problem.RouteNotFound) {
				t.Errorf("the job of a purged document: %v", err)
			}
		}
	}
	if n := s.reader.calls(); n != 2 || len(events) > 0 {
		t.Errorf("documents were read %d times, and there are %d more events", n, len(events))
	}
	if _, err := s.job("job_none"); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("no job: %v", err)
	}
}

// TestCanceled cancels a running job that a caller waits for: the engine stops, the
// caller gets a retryable error, no completion event is published, and the same request
// starts a new attempt.
func TestCanceled(t *testing.T) {
	t.Parallel()
	s := start(t)
	completed := make(chan contract.Event, 10)
	stop, err := s.Caller.Consume(t.Context(), "listener", []string{insightapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
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
		begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Submit, principal, source)
		if err != nil {
			t.Fatal(err)
		}
		<-reached
		waited := make(chan error)
		go func() {
			_, err := s.create(source)
			waited <- err
		}()
		patience.Until(s.T, "a caller waits", func() bool { return s.waiting() == 1 })
		for _, id := range []string{begun.ID, "job_none"} {
			if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.CancelJob, stranger, jobapi.GetRequest{ID: id}); !problem.Is(err, problem.RouteNotFound) {
				t.Errorf("the job of another organization: %v", err)
			}
		}
		for range 2 {
			canceled, err := bus.Call(patience.Context(t), s.Caller, insightapi.CancelJob, principal, jobapi.GetRequest{ID: begun.ID})
			if err != nil || canceled.ID != begun.ID || canceled.State != jobapi.Canceled || string(canceled.Result) != "null" || canceled.Error != nil {
				t.Errorf("the canceled job is %+v, %v", canceled, err)
			}
		}
		if err := <-waited; !problem.Is(err, problem.Unavailable) || problem.Of(err).RetryAfter == 0 || !strings.Contains(err.Error(), begun.ID) {
			t.Errorf("the waiting caller got %v", err)
		}
		<-stopped
		s.reader.set(nil)
		if got, err := s.create(source); err != nil || got.Result.JobID == "" {
			t.Errorf("the same request again: %+v, %v", got.Result, err)
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

// TestDeleted deletes a document while it is read: its job is canceled, whether the
// service hears of that by event or by asking, and the waiting caller gets a not-found
// error.
func TestDeleted(t *testing.T) {
	t.Parallel()
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
		begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.DocumentID, id))
		if err != nil {
			t.Fatal(err)
		}
		<-reached
		waited := make(chan error)
		go func() {
			_, err := s.create(ask(insightapi.DocumentID, id))
			waited <- err
		}()
		patience.Until(s.T, "a caller waits", func() bool { return s.waiting() == 1 })
		s.documents.Delete(id)
		if heard {
			_, err := s.Caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventDeleted, Organization: "org_1", Subject: id, At: 1})
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
			t.Errorf("the waiting caller got %v", err)
		}
	}
}

// TestWorkerEnds stops the service while it reads: the next process runs the job again,
// and a follower sees each event once.
func TestWorkerEnds(t *testing.T) {
	t.Parallel()
	s := start(t, "INSIGHT_SHUTDOWN_GRACE=100ms")
	reached := make(chan struct{}, 1)
	s.reader.set(func(ctx context.Context, _ domain.Material) error {
		reached <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	patience.Receive(t, "the text is being read", reached)
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	s.reader.set(nil)
	s.run()
	s.isLogged(begun.ID)
	if n := s.reader.calls(); n != 2 {
		t.Errorf("the text was read %d times", n)
	}
}

// TestLogIsLost shows that a job succeeds even if its log is removed while it runs.
func TestLogIsLost(t *testing.T) {
	t.Parallel()
	s := start(t)
	js := s.JetStream()
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
	if !strings.Contains(s.Log.String(), "no longer written") {
		t.Error("the lost log is not logged")
	}
}

// TestDead shows that a job that keeps failing is dead-lettered, and can be sent again. The
// events that it has reported before remain true: the text keeps its creation time.
func TestDead(t *testing.T) {
	t.Parallel()
	s := start(t, "INSIGHT_MAX_TRIES=2")
	s.reader.set(func(context.Context, domain.Material) error { panic("broken") })
	begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if done := s.ended(begun.ID); done.State != jobapi.Failed || done.Error == nil || done.Error.Code != problem.Internal || s.reader.calls() != 2 {
		t.Errorf("the job ended as %+v after %d tries", done, s.reader.calls())
	}
	s.reader.set(nil)
	again, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
	if err != nil || again.ID != begun.ID {
		t.Fatalf("got %+v, %v", again, err)
	}
	s.isLogged(begun.ID)
}

// TestExpiredText shows that an expired text is read again when it is sent again, and
// that the progress of its first attempt, which has another time, is not replayed.
func TestExpiredText(t *testing.T) {
	t.Parallel()
	s := start(t, "INSIGHT_DOWNLOAD_URL_TTL="+patience.Scale(5*time.Second).String())
	begin := func() string {
		begun, err := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(insightapi.DocText, "x"))
		if err != nil {
			t.Fatal(err)
		}
		s.ended(begun.ID)
		return begun.ID
	}
	id := begin()
	s.isLogged(id)
	patience.Until(s.T, "the text has expired", func() bool {
		_, err := s.job(id)
		return problem.Is(err, problem.RouteNotFound)
	})
	if again := begin(); again != id || s.reader.calls() != 2 || !s.isSilent(id) {
		t.Errorf("job %s is now %s, was done %d times, or its old events are still there", id, again, s.reader.calls())
	}
}

// TestPurge shows that everything of a purged document is removed, and nothing of others.
func TestPurge(t *testing.T) {
	t.Parallel()
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
	_, err := s.Caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventPurged, Organization: "org_1", Subject: gone, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(s.T, "the job is gone", func() bool {
		_, err := s.job(results[gone].JobID)
		return problem.Is(err, problem.RouteNotFound)
	})
	patience.Until(s.T, "the insights are gone", func() bool {
		_, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, principal, results[gone])
		return problem.Is(err, problem.DocumentNotFound)
	})
	if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, principal, results[other]); err != nil {
		t.Errorf("another document has lost something: %v", err)
	}
	s.isLogged(results[other].JobID)
	patience.Until(s.T, "the events are gone", func() bool { return s.isSilent(results[gone].JobID) })
}

// silence is how long isSilent waits for an event.
const silence = 200 * time.Millisecond

// isSilent reports whether a job has no events.
func (s *system) isSilent(id string) bool {
	s.T.Helper()
	f, err := s.Caller.Follow(s.T.Context(), insightapi.ProgressLog, "org_1", id, 1)
	if err != nil {
		s.T.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(s.T.Context(), silence)
	defer cancel()
	_, _, err = f.Next(ctx)
	return err != nil
}

// unreachable is the URL of a database on an address where no server listens.
const unreachable = "mongodb://user:pass%40word@127.0.0.1:1/insight"

// TestCommands shows that the commands find dead letters in each kind of database.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jobcommandtest.TestCommands(t, insight.Commands, jobapi.Analyze, filepath.Join(dir, "insight.db"), filepath.Join(dir, "insight-jobs.db"))
}

// TestConfig checks the errors for wrong variables, and for an unavailable database.
func TestConfig(t *testing.T) {
	t.Parallel()
	var cfg insight.Config
	if err := config.Load([]string{"INSIGHT_DATABASE=" + unreachable}, "INSIGHT_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"INSIGHT_DATABASE=mongodb://user:pass%40word@127.0.0.1:1", "INSIGHT_PROGRESS_BYTES=1", "INSIGHT_KEEP=0s", "INSIGHT_EXCHANGE_RATES=none.csv"}, "INSIGHT_", &cfg)
	for _, want := range []string{"INSIGHT_DATABASE names no database", "INSIGHT_PROGRESS_BYTES must be at least 1048576", "INSIGHT_KEEP must be", "INSIGHT_EXCHANGE_RATES: cannot read rates from none.csv"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "word") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a command waits no longer than its context
	if _, err := jobcommandtest.Run(ctx, insight.Commands, unreachable, "jobs", "dead", "list"); err == nil || !strings.Contains(err.Error(), "INSIGHT_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
