package job

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// worker runs one job after another.
func (p *Pool) worker(ctx, work context.Context) {
	poll := time.NewTicker(p.queue.PollEvery())
	defer poll.Stop()
	for ctx.Err() == nil {
		d, err := p.queue.TryNext(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("fetching a job failed; retrying", "error", err)
		}
		if d != nil {
			p.do(work, d)
			continue
		}
		select {
		case <-ctx.Done():
		case <-p.queue.Woken():
		case <-poll.C:
		}
	}
}

// do handles one delivery. If anything goes wrong here, the job is redelivered when its
// lease has ended.
func (p *Pool) do(ctx context.Context, d *bus.Delivery) {
	r, ok, err := p.claim(ctx, d)
	ctx = r.Context(ctx)
	if err == nil && ok {
		err = p.run(ctx, d, r)
	}
	if err != nil {
		p.log.WarnContext(ctx, "a job was not finished; it will be redelivered", "job", d.ID, "error", err)
	}
}

// run does one try of a job that this worker owns, and stores how it ended.
func (p *Pool) run(ctx context.Context, d *bus.Delivery, r Record) error {
	p.stats.running.Inc()
	defer p.stats.running.Dec()
	begin := p.now()
	if r.Tries == 1 {
		p.stats.queued.Observe(begin.Sub(time.UnixMilli(r.QueuedAt)).Seconds())
	}
	result, err := p.try(ctx, d, &r)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), p.handOver(d, r))
	}
	if errors.Is(err, errLost) {
		return d.Later(retryDelay(1)) // claim then finds out what happened
	}
	ended := r
	own, isOwn := ownFault(err)
	switch {
	case err == nil:
		ended.State, ended.Result, ended.Progress = jobapi.Succeeded, result, 1
	case errors.Is(err, ErrCanceled):
		ended.State = jobapi.Canceled
	case isOwn:
		ended.State, ended.Error = jobapi.Failed, own
	case problem.Is(err, problem.Unavailable) && p.now().Sub(time.UnixMilli(r.CreatedAt)) < patience:
		// A dependency of the work is unavailable. That does not count as a try: an
		// outage of an hour must not dead-letter everything that was accepted.
		p.stats.ended.WithLabelValues("postponed").Inc()
		p.log.WarnContext(ctx, "a job was postponed: a dependency is unavailable", "job", r.ID, "error", err)
		r.Tries--
		return p.giveBack(ctx, d, r, max(retryDelay(postponedAs), wanted(err)))
	case r.Tries >= p.cfg.MaxTries:
		ended = p.dead(ctx, ended, err)
	default:
		p.stats.ended.WithLabelValues("retried").Inc()
		p.log.WarnContext(ctx, "a job failed; retrying", "job", r.ID, "try", r.Tries, "error", err)
		return p.giveBack(ctx, d, r, max(retryDelay(r.Tries), wanted(err)))
	}
	p.stats.seconds.Observe(p.now().Sub(begin).Seconds())
	return p.end(ctx, d, ended)
}

const (
	// patience is how long after its creation a job may be postponed.
	patience = 24 * time.Hour
	// postponedAs is the number of tries whose retry delay a postponed job gets: 8 s.
	postponedAs = 4
	// handOverTimeout bounds the return of a job during shutdown.
	handOverTimeout = 5 * time.Second
)

// handOver returns a job that this process has no time left for. The try does not count,
// and another worker takes the job at once.
func (p *Pool) handOver(d *bus.Delivery, r Record) error {
	ctx, cancel := context.WithTimeout(context.Background(), handOverTimeout)
	defer cancel()
	r.Tries--
	return p.giveBack(ctx, d, r, 0)
}

// giveBack has a job redelivered after the delay.
func (p *Pool) giveBack(ctx context.Context, d *bus.Delivery, r Record, delay time.Duration) error {
	r.State, r.LeaseEnds = jobapi.Queued, 0
	_, err := p.save(ctx, d, r)
	if errors.Is(err, ErrConflict) {
		err = nil // it has another owner already, or was forgotten
	}
	return errors.Join(err, d.Later(delay))
}

// claim makes this worker the owner of a delivered job. It reports false if there is
// nothing to do: the job is gone, has ended, waits for its turn, or belongs to another
// worker.
func (p *Pool) claim(ctx context.Context, d *bus.Delivery) (Record, bool, error) {
	r, err := p.get(ctx, d.Organization, d.ID)
	ctx = r.Context(ctx)
	now := p.now()
	switch {
	case errors.Is(err, ErrNotFound):
		return r, false, d.Done(ctx)
	case err == nil && r.Ended(): // its worker may have died before announcing it
		return r, false, p.finish(ctx, d, r)
	case err != nil:
		return r, false, errors.Join(err, d.Later(retryDelay(1)))
	case r.QueuedAt == 0: // the message belongs to an earlier attempt
		return r, false, d.Done(ctx)
	case r.State == jobapi.Running && now.UnixMilli() < r.LeaseEnds:
		return r, false, d.Later(time.UnixMilli(r.LeaseEnds + 1).Sub(now))
	}
	r.Owner = rand.Text()
	if r.Tries >= p.cfg.MaxTries { // its last worker died
		return r, false, p.end(ctx, d, p.dead(ctx, r, errors.New("its worker died on every try")))
	}
	r.State = jobapi.Running
	r.Tries++
	claimed, err := p.save(ctx, d, r)
	switch {
	case errors.Is(err, ErrConflict):
		return r, false, d.Later(retryDelay(1))
	case err != nil:
		return r, false, errors.Join(err, d.Later(retryDelay(1)))
	}
	return claimed, true, nil
}

// errLost means that a worker no longer owns its job: it was canceled or forgotten, or
// another worker has it.
var errLost = errors.New("this worker no longer owns the job")

// try runs the work and keeps the lease alive meanwhile. If this worker no longer owns
// the job, the work is stopped and the error is errLost.
func (p *Pool) try(ctx context.Context, d *bus.Delivery, r *Record) (done jsontext.Value, err error) {
	ctx, trying := p.processing.start(ctx, p.tracer, *r)
	defer func() { telemetry.End(trying, failure(err)) }()
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Budget)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex // guards r
	seen := *r        // the copy that Work sees
	keep := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
		if p.keep(ctx, d, r) {
			return
		}
		stop(errLost)
	}
	alive := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() { p.beat(ctx, seen, alive, func() { keep(func() {}) }) })
	result, err := p.call(ctx, seen, func(progress float64) { keep(func() { r.Progress = progress }) })
	close(alive)
	beating.Wait()
	if errors.Is(context.Cause(ctx), errLost) {
		return nil, errLost
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// beat calls keep regularly, and at once when the end of the job is announced, until
// alive is closed.
func (p *Pool) beat(ctx context.Context, r Record, alive <-chan struct{}, keep func()) {
	noticed, stop, err := p.conn.Await(p.doneSubject(r))
	if err != nil { // a cancellation is noticed a little later
		p.log.WarnContext(ctx, "running a job without listening for its cancellation", "job", r.ID, "error", err)
		stop = func() {}
	}
	defer stop()
	// The job may have ended before Await subscribed.
	if there, err := p.get(ctx, r.Principal.Organization, r.ID); errors.Is(err, ErrNotFound) || err == nil && there.Owner != r.Owner {
		keep()
	}
	ticker := time.NewTicker(p.cfg.AckWait / 3)
	defer ticker.Stop()
	for {
		select {
		case <-alive:
			return
		case <-noticed:
			noticed = nil
			keep()
		case <-ticker.C:
			keep()
		}
	}
}

// call turns a panic of the work into an error, so that one job does not crash the
// process.
func (p *Pool) call(ctx context.Context, r Record, report func(float64)) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return p.work(ctx, r, report)
}

// keep renews the lease of a job and stores its progress. It reports false if this worker
// no longer owns the job. While the store is unavailable the job stays with its worker,
// because another worker could not even read it.
func (p *Pool) keep(ctx context.Context, d *bus.Delivery, r *Record) (ours bool) {
	kept, err := p.replace(ctx, *r)
	if errors.Is(err, ErrConflict) {
		p.log.InfoContext(ctx, "this worker no longer owns a job and stops it", "job", r.ID)
		return false
	}
	if err == nil {
		*r = kept
	}
	if err = errors.Join(err, d.Working()); err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "could not renew the lease of a job", "job", r.ID, "error", err)
	}
	return true
}

// dead returns the record of a job that is dead-lettered.
func (p *Pool) dead(ctx context.Context, r Record, cause error) Record {
	p.log.ErrorContext(ctx, "a job was dead-lettered; see recto jobs dead", "job", r.ID, "tries", r.Tries, "error", cause)
	r.State, r.Dead = jobapi.Failed, true
	r.Error = problem.New(problem.Internal, "The job failed %d times and is not retried automatically. Ask the operator to retry the job %s.", r.Tries, r.ID)
	return r
}

// end stores the end of a job, then notifies the waiters, then removes the message from
// the queue. If the process dies in between, the work is not repeated; the end is just
// announced again.
func (p *Pool) end(ctx context.Context, d *bus.Delivery, r Record) error {
	r.EndedAt, r.LeaseEnds = p.now().UnixMilli(), 0
	if _, err := p.save(ctx, d, r); err != nil {
		if errors.Is(err, ErrConflict) { // see errLost: the outcome is dropped, and claim cleans up
			return d.Later(retryDelay(1))
		}
		return errors.Join(err, d.Later(retryDelay(r.Tries)))
	}
	outcome := string(r.State)
	if r.Dead {
		outcome = "dead"
	}
	p.stats.ended.WithLabelValues(outcome).Inc()
	p.log.InfoContext(ctx, "job ended", "job", r.ID, "kind", p.kind, "outcome", outcome, "tries", r.Tries)
	err := p.finish(ctx, d, r)
	return errors.Join(err, p.promote(ctx, r.Principal.Organization))
}

// finish announces the end of a stored job and removes its message from the queue.
func (p *Pool) finish(ctx context.Context, d *bus.Delivery, r Record) error {
	err := p.conn.Publish(p.doneSubject(r), nil)
	if failed := p.announce(ctx, r); failed != nil {
		return errors.Join(err, failed, d.Later(retryDelay(1)))
	}
	return errors.Join(err, d.Done(ctx))
}

// retryDelay returns the delay after the given number of tries: 1, 2, 4 … 30 s.
func retryDelay(tries int) time.Duration {
	return min(time.Second<<min(max(tries-1, 0), 5), 30*time.Second)
}
