package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// EventLog tells of what jobs of the insight service do.
type EventLog interface {
	// Follow follows the events of a job, from the one of that sequence on. They
	// may be there or yet to come. The caller closes the Follower.
	Follow(ctx context.Context, organization, job string, from int) (Follower, error)
}

// Follower reads the events of a job. It is for one goroutine.
type Follower interface {
	// Next waits for the next event, an insightapi.Event as JSON.
	Next(ctx context.Context) (sequence int, data []byte, err error)
	Close()
}

const (
	// pauseEvery is how long nothing is written at most: what stands between takes
	// a connection for dead that is silent for longer.
	pauseEvery = 15 * time.Second
	// askFirst and askLast are how long to wait for events before the service is
	// asked how far the job is: longer each time in vain.
	askFirst = 50 * time.Millisecond
	askLast  = 2 * time.Second
	// askTimeout bounds one such question.
	askTimeout = 5 * time.Second
)

// eventStreamer tells a client the events of a job, each once and in order, whoever else
// tells them how often. It hears of them from the log; what that has lost follows
// from the result of the job.
type eventStreamer struct {
	server    *Server
	principal contract.Principal
	requests  []insightapi.Request
	job       string
	ended     bool // the job has, as far as is known
	last      int  // sequence of the event that the client has
	size      int  // of the result in bytes, 0 until there was no memory for it
	out       eventWriter
	// failure is the error that was told, nil for none.
	failure *problem.Error
}

// errTold says that all was told.
var errTold = errors.New("the last event was told")

// run tells the events until the last one, or until ctx ends. Its error is nil if
// the client can tell what there is yet to come.
func (t *eventStreamer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	events := make(chan insightapi.Event)
	if !t.ended && t.server.events != nil {
		from := t.last + 1
		following.Go(func() { t.follow(ctx, from, events) })
	}
	err := t.listen(ctx, events)
	if errors.Is(err, context.DeadlineExceeded) {
		err = t.fail(problem.New(problem.TimedOut, "Reading the document takes longer than a stream may last. The work continues: retry with the id of the last event in Last-Event-ID."))
	}
	if errors.Is(err, errTold) || errors.Is(err, errEnding) {
		return nil // a client that was told nothing of an end asks again
	}
	return err
}

// listen tells the events that come, and asks for the job when none do. Its error
// is errTold after the last event.
func (t *eventStreamer) listen(ctx context.Context, events <-chan insightapi.Event) error {
	pause := time.NewTicker(pauseEvery)
	defer pause.Stop()
	wait := askFirst
	if t.ended {
		wait = 0
	}
	ask := time.NewTimer(wait)
	defer ask.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case e := <-events:
			err = t.event(e)
			wait = patience(e)
			ask.Reset(wait)
		case <-ask.C:
			err = t.ask(ctx)
			wait = min(max(2*wait, askFirst), askLast)
			ask.Reset(wait)
		case <-pause.C:
			err = t.out.pause()
		}
		if err != nil {
			return err
		}
	}
}

// patience is how long to wait for another event after e: after the last one of
// the log, the result is there in a moment.
func patience(e insightapi.Event) time.Duration {
	var p insightapi.Progress
	if e.Kind == insightapi.EventProgress && json.Unmarshal(e.Data, &p) == nil && p.Progress >= 1 {
		return askFirst
	}
	return askLast
}

// follow sends the events of the log, from the one of that sequence on, until ctx
// ends or there are no more.
func (t *eventStreamer) follow(ctx context.Context, from int, events chan<- insightapi.Event) {
	follower, err := t.server.events.Follow(ctx, t.principal.Organization, t.job, from)
	if err != nil {
		t.notFollowed(ctx, err)
		return
	}
	defer follower.Close()
	for {
		_, data, err := follower.Next(ctx)
		var e insightapi.Event
		if err == nil {
			err = json.Unmarshal(data, &e)
		}
		if err != nil {
			t.notFollowed(ctx, err)
			return
		}
		select {
		case events <- e:
		case <-ctx.Done():
			return
		}
	}
}

// notFollowed notes that the log is not heard any more. The client only hears all
// at the end.
func (t *eventStreamer) notFollowed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		t.server.log.WarnContext(ctx, "the events of a job cannot be followed", "job", t.job, "error", err)
	}
}

// event tells an event, if it is the next one. One that follows a gap is told with
// the result.
func (t *eventStreamer) event(e insightapi.Event) error {
	if e.Sequence != t.last+1 {
		return nil
	}
	t.last++
	return t.out.event(e)
}

// ask asks how far the job is, and tells the rest if it has ended. While nobody
// answers it goes on. A result that there was no memory for is not fetched again before
// there is.
func (t *eventStreamer) ask(ctx context.Context) error {
	release, ok := t.server.streams.hold(t.size)
	if !ok {
		return nil
	}
	defer release()
	bounded, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	job, err := bus.Call(bounded, t.server.bus, insightapi.Job, t.principal, jobapi.GetRequest{ID: t.job})
	switch {
	case problem.Is(err, problem.Unavailable), problem.Is(err, problem.TimedOut):
		return nil
	case err != nil:
		return t.fail(problemOf(err))
	case job.State == jobapi.Failed:
		return t.fail(problemOf(errorOf(job)))
	case isLost(job):
		return t.fail(problem.New(problem.Unavailable, "The job %s was canceled, or its document was deleted. Retry to start a new job.", job.ID).After(time.Second))
	case job.State == jobapi.Succeeded:
		return t.finish(ctx, job.Result)
	}
	return nil
}

// errorOf returns why a job has failed.
func errorOf(job jobapi.Job) error {
	if job.Error == nil {
		return fmt.Errorf("job %s has failed without a reason", job.ID)
	}
	return job.Error
}

// finish tells the events that the log has not told, and at last the whole answer, for
// as long as the stream has. While others have all the memory for that it tells nothing,
// and the job is asked for again.
func (t *eventStreamer) finish(ctx context.Context, result jsontext.Value) error {
	if t.size == 0 { // otherwise it is held already
		release, ok := t.server.streams.hold(len(result))
		if !ok {
			t.size = len(result)
			return nil
		}
		defer release()
	}
	var answer insightapi.Answer
	if err := json.Unmarshal(result, &answer); err != nil {
		return t.fail(problemOf(fmt.Errorf("read the result of %s: %w", t.job, err)))
	}
	events := insightapi.Events(t.requests, &answer)
	events = append(events, insightapi.Event{Sequence: len(events) + 1, Kind: insightapi.EventDone, Data: result})
	for _, e := range events {
		if ctx.Err() != nil { // who takes one event at a time, slowly, would keep the memory from others
			return context.Cause(ctx)
		}
		if err := t.event(e); err != nil {
			return err
		}
	}
	return errTold
}

// fail tells of an error, which is the last event. Where the same request may yet be
// answered, its id is that of the event before: who goes on after it misses none.
func (t *eventStreamer) fail(e *problem.Error) error {
	t.failure = e
	id := t.last + 1
	if apierror.Status(e.Code) >= http.StatusInternalServerError {
		t.server.log.Error("a stream failed", "job", t.job, "error", e)
		id = t.last
	}
	data, err := json.Marshal(apierror.NewBody(e, t.server.docs), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode an error: %w", err)
	}
	if err := t.out.event(insightapi.Event{Sequence: id, Kind: insightapi.EventError, Data: data}); err != nil {
		return err
	}
	return errTold
}
