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

// EventLog is the log of the events of the insight service's jobs.
type EventLog interface {
	// Follow follows the events of a job, starting at the given sequence number. Events
	// may exist already or arrive later. The caller closes the Follower.
	Follow(ctx context.Context, organization, job string, from int) (Follower, error)
}

// Follower reads the events of a job. It is not safe for concurrent use.
type Follower interface {
	// Next waits for the next event, an insightapi.Event as JSON.
	Next(ctx context.Context) (sequence int, data []byte, err error)
	Close()
}

const (
	// pauseEvery is the longest time without output. Proxies and load balancers drop
	// connections that are silent for longer.
	pauseEvery = 15 * time.Second
	// askFirst and askLast bound how long to wait for events before polling the service
	// for the state of the job. The wait doubles with each poll.
	askFirst = 50 * time.Millisecond
	askLast  = 2 * time.Second
	// askTimeout bounds one poll.
	askTimeout = 5 * time.Second
)

// eventStreamer sends the events of a job to a client, each once and in order. The events
// come from the log, which may repeat or lose some. When the job succeeds, it sends the
// missing ones from the result.
type eventStreamer struct {
	server    *Server
	principal contract.Principal
	requests  []insightapi.Request
	job       string
	ended     bool // whether the job is known to have finished
	last      int  // sequence number of the last event that the client has
	size      int  // size of the result in bytes, if it had to wait for memory; otherwise 0
	out       eventWriter
	// failure is the error that was sent, nil for none.
	failure *problem.Error
}

// errDone signals that the last event was sent.
var errDone = errors.New("the last event was sent")

// run sends the events until the last one, or until ctx ends. It returns nil if the
// client can tell from the events whether the stream is complete.
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
		err = t.fail(problem.New(problem.TimedOut, "Reading the document takes longer than a stream may last. The work continues: retry with the id of the last event in the Last-Event-ID header."))
	}
	if errors.Is(err, errDone) || errors.Is(err, errEnding) {
		return nil // without a last event, the client sends the request again
	}
	return err
}

// listen sends the events that arrive, and polls the job when none do. It returns errDone
// after the last event.
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

// patience returns how long to wait for another event after e before polling the job.
// After the last event of the log, the result follows in a moment.
func patience(e insightapi.Event) time.Duration {
	var p insightapi.Progress
	if e.Kind == insightapi.EventProgress && json.Unmarshal(e.Data, &p) == nil && p.Progress >= 1 {
		return askFirst
	}
	return askLast
}

// follow sends the events of the log to the channel, starting at the given sequence
// number, until ctx ends or the log fails.
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

// notFollowed logs that the log cannot be read any more. The client then gets the
// remaining events when the job finishes.
func (t *eventStreamer) notFollowed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		t.server.log.WarnContext(ctx, "cannot follow the events of a job", "job", t.job, "error", err)
	}
}

// event sends an event if it is the next one. Events after a gap are sent with the
// result.
func (t *eventStreamer) event(e insightapi.Event) error {
	if e.Sequence != t.last+1 {
		return nil
	}
	t.last++
	return t.out.event(e)
}

// ask polls the job, and sends the remaining events if it has finished. It ignores an
// unavailable service, so that the next poll tries again. A result that did not fit into
// the memory is not fetched again until it does.
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
		return t.fail(problem.New(problem.Unavailable, "The job %s was canceled, or its document was deleted. Retry to run it again.", job.ID).After(time.Second))
	case job.State == jobapi.Succeeded:
		return t.finish(ctx, job.Result)
	}
	return nil
}

// errorOf returns the error of a failed job.
func errorOf(job jobapi.Job) error {
	if job.Error == nil {
		return fmt.Errorf("job %s failed without an error", job.ID)
	}
	return job.Error
}

// finish sends the events that the log has not delivered, and then the complete result,
// until ctx ends. If other streams use all the memory for results, it sends nothing, and
// the job is polled again.
func (t *eventStreamer) finish(ctx context.Context, result jsontext.Value) error {
	if t.size == 0 { // otherwise ask holds the memory already
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
		if ctx.Err() != nil { // a slow client must not keep the memory from others for longer
			return context.Cause(ctx)
		}
		if err := t.event(e); err != nil {
			return err
		}
	}
	return errDone
}

// fail sends an error as the last event. If a retry may succeed, its id is that of the
// event before it, so that a client that continues from there misses nothing.
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
	return errDone
}
