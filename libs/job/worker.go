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
)

// worker does one job after the other.
func (p *Pool) worker(ctx, work context.Context) {
	poll := time.NewTicker(p.queue.PollEvery())
	defer poll.Stop()
	for ctx.Err() == nil {
		d, err := p.queue.TryNext(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Warn("no job was fetched; it is tried again", "error", err)
		}
		if d != nil {
			if err := p.do(work, d); err != nil {
				p.log.Warn("a job was not finished and is handed out again", "job", d.ID, "error", err)
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-p.queue.Woken():
		case <-poll.C:
		}
	}
}

// do deals with one delivery. Whatever goes wrong here, the job is handed out
// again when its lease has ended.
func (p *Pool) do(ctx context.Context, d *bus.Delivery) error {
	r, ok, err := p.claim(ctx, d)
	if err != nil || !ok {
		return err
	}
	p.stats.running.Inc()
	defer p.stats.running.Dec()
	begin := p.now()
	result, err := p.try(ctx, d, &r)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), p.handOver(d, r))
	}
	if errors.Is(err, errLost) {
		return d.Later(retryDelay(1)) // claim then sees what became of it
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
		// What the work needs is away. That is no try: an outage of an hour must
		// not make dead letters of all that was accepted.
		p.stats.ended.WithLabelValues("postponed").Inc()
		p.log.WarnContext(ctx, "a job waits for what it needs", "job", r.ID, "error", err)
		r.Tries--
		return p.giveBack(ctx, d, r, retryDelay(maxDelayed))
	case r.Tries >= p.cfg.MaxTries:
		ended = p.dead(ended, err)
	default:
		p.stats.ended.WithLabelValues("retried").Inc()
		p.log.WarnContext(ctx, "a job failed and is tried again", "job", r.ID, "try", r.Tries, "error", err)
		return p.giveBack(ctx, d, r, retryDelay(r.Tries))
	}
	p.stats.seconds.Observe(p.now().Sub(begin).Seconds())
	return p.end(ctx, d, ended)
}

// Final makes a job end with err, whatever it is: no other try would do better.
func Final(err *problem.Error) error { return &final{err} }

// final marks an error of Work.
type final struct{ err *problem.Error }

func (f *final) Error() string { return f.err.Error() }
func (f *final) Unwrap() error { return f.err }

const (
	// patience is how long a job may wait for what it needs and is away.
	patience = 24 * time.Hour
	// maxDelayed is the try after which the delays grow no more.
	maxDelayed = 4
	// handOverTimeout bounds the giving back of a job by a process that ends.
	handOverTimeout = 5 * time.Second
)

// handOver gives a job back that this process has no time for, as if it had not
// been tried: another one takes it at once.
func (p *Pool) handOver(d *bus.Delivery, r Record) error {
	ctx, cancel := context.WithTimeout(context.Background(), handOverTimeout)
	defer cancel()
	r.Tries--
	return p.giveBack(ctx, d, r, 0)
}

// giveBack hands a job out again after the delay.
func (p *Pool) giveBack(ctx context.Context, d *bus.Delivery, r Record, delay time.Duration) error {
	r.State, r.LeaseEnds = jobapi.Queued, 0
	_, err := p.save(ctx, d, r)
	if errors.Is(err, ErrConflict) {
		err = nil // it is somebody else's already, or was forgotten
	}
	return errors.Join(err, d.Later(delay))
}

// ownFault returns the error that a job ends with, if err is one: what is wrong
// with the job itself, and will be the next time.
func ownFault(err error) (*problem.Error, bool) {
	var f *final
	if errors.As(err, &f) {
		return f.err, true
	}
	var p *problem.Error
	if !errors.As(err, &p) {
		return nil, false
	}
	return p, p.Code != problem.Internal && p.Code != problem.Unavailable && p.Code != problem.TimedOut
}

// claim makes the job of a delivery this worker's. It reports false if there is
// nothing to do: the job is gone, has ended, waits for its turn, or is another
// worker's.
func (p *Pool) claim(ctx context.Context, d *bus.Delivery) (Record, bool, error) {
	r, err := p.get(ctx, d.Organization, d.ID)
	now := p.now()
	switch {
	case errors.Is(err, ErrNotFound):
		return r, false, d.Done(ctx)
	case err == nil && r.Ended(): // and its worker may have died before it could tell
		return r, false, p.finish(ctx, d, r)
	case err != nil:
		return r, false, errors.Join(err, d.Later(retryDelay(1)))
	case r.QueuedAt == 0: // the message is of an attempt before this one
		return r, false, d.Done(ctx)
	case r.State == jobapi.Running && now.UnixMilli() < r.LeaseEnds:
		return r, false, d.Later(time.UnixMilli(r.LeaseEnds + 1).Sub(now))
	}
	r.Owner = rand.Text()
	if r.Tries >= p.cfg.MaxTries { // and its last worker died
		return r, false, p.end(ctx, d, p.dead(r, errors.New("its worker ended without a word each time")))
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

// errLost says that a job is no longer its worker's: it was canceled or forgotten,
// or another worker has it.
var errLost = errors.New("the job is no longer this worker's")

// try does the work, and says meanwhile that the worker lives. The work is stopped,
// and the error is errLost, when the job is no longer this worker's.
func (p *Pool) try(ctx context.Context, d *bus.Delivery, r *Record) (jsontext.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Budget)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex // of r
	told := *r        // what the work sees of it
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
	beating.Go(func() { p.beat(ctx, told, alive, func() { keep(func() {}) }) })
	result, err := p.call(ctx, told, func(progress float64) { keep(func() { r.Progress = progress }) })
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

// beat calls keep from time to time, and at once when somebody tells that the job
// has ended, until alive is closed.
func (p *Pool) beat(ctx context.Context, r Record, alive <-chan struct{}, keep func()) {
	noticed, stop, err := p.conn.Await(p.doneSubject(r))
	if err != nil { // who cancels the job is heard a little later
		p.log.Warn("a job is done without a notice of its end", "job", r.ID, "error", err)
		stop = func() {}
	}
	defer stop()
	// It may have ended before anybody listened.
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

// call turns a panic of the work into an error: one job must not take the others
// with it.
func (p *Pool) call(ctx context.Context, r Record, report func(float64)) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return p.work(ctx, r, report)
}

// keep renews the lease of a job, and says how far it is. It reports false if the
// job is no longer this worker's. While the store is away the job stays with its
// worker: another one could not even read what is to be done.
func (p *Pool) keep(ctx context.Context, d *bus.Delivery, r *Record) (ours bool) {
	kept, err := p.replace(ctx, *r)
	if errors.Is(err, ErrConflict) {
		p.log.InfoContext(ctx, "a job is no longer this worker's, which stops", "job", r.ID)
		return false
	}
	if err == nil {
		*r = kept
	}
	if err = errors.Join(err, d.Working()); err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "the lease of a job was not renewed", "job", r.ID, "error", err)
	}
	return true
}

// dead is the record of a job that is given up.
func (p *Pool) dead(r Record, cause error) Record {
	p.log.Error("a job is given up; see recto jobs dead", "job", r.ID, "tries", r.Tries, "error", cause)
	r.State, r.Dead = jobapi.Failed, true
	r.Error = problem.New(problem.Internal, "The job failed %d times and was given up. Ask the operator to retry the job %s.", r.Tries, r.ID)
	return r
}

// end stores the end of a job, then tells who waits, then takes it off the
// queue: what dies in between is done again by nobody, and told once more.
func (p *Pool) end(ctx context.Context, d *bus.Delivery, r Record) error {
	r.EndedAt, r.LeaseEnds = p.now().UnixMilli(), 0
	if _, err := p.save(ctx, d, r); err != nil {
		if errors.Is(err, ErrConflict) { // see errLost: what was done is dropped, and claim clears up
			return d.Later(retryDelay(1))
		}
		return errors.Join(err, d.Later(retryDelay(r.Tries)))
	}
	outcome := string(r.State)
	if r.Dead {
		outcome = "dead"
	}
	p.stats.ended.WithLabelValues(outcome).Inc()
	err := p.finish(ctx, d, r)
	return errors.Join(err, p.promote(ctx, r.Principal.Organization))
}

// finish tells of the end of a job that is stored, and takes it off the queue.
func (p *Pool) finish(ctx context.Context, d *bus.Delivery, r Record) error {
	err := p.conn.Publish(p.doneSubject(r), nil)
	if told := p.told(ctx, r); told != nil {
		return errors.Join(err, told, d.Later(retryDelay(1)))
	}
	return errors.Join(err, d.Done(ctx))
}

// retryDelay is how long a job rests after so many tries: 1, 2, 4 … 30 s.
func retryDelay(tries int) time.Duration {
	return min(time.Second<<min(max(tries-1, 0), 5), 30*time.Second)
}
