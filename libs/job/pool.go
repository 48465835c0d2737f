package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Work does one try of a job, within its budget, and returns the result. Report
// tells how far it is, from 0 to 1. An error that is a *problem.Error about the
// request is the job's own: it ends with it. Any other, and those that say that
// something is unavailable, late or broken inside, is of the infrastructure: the
// job is tried again, unless it is Final.
type Work func(ctx context.Context, r Record, report func(progress float64)) (result any, err error)

// Pool accepts jobs and does them.
type Pool struct {
	kind  string
	cfg   Config
	conn  *bus.Conn
	queue *bus.Queue
	store Store
	told  func(ctx context.Context, r Record) error
	work  Work // set by Run
	log   *slog.Logger
	now   func() time.Time
	stats *metrics
}

// Deps is what a Pool is given. It closes none of it.
type Deps struct {
	Conn      *bus.Conn
	Store     Store
	Telemetry *telemetry.Telemetry
	// Ended tells others that a job has ended, if it is not nil. It is called
	// again for the same end if it fails, or if nobody knows whether it did.
	Ended func(ctx context.Context, r Record) error
}

// Open returns a Pool of the kind of work, which does nothing before Run. The
// caller closes it.
func Open(ctx context.Context, kind string, cfg Config, deps Deps) (*Pool, error) {
	queue, err := deps.Conn.OpenQueue(ctx, bus.QueueConfig{Name: kind, Limit: maxMessages(cfg.Limit), AckWait: cfg.AckWait})
	if err != nil {
		return nil, err
	}
	if deps.Ended == nil {
		deps.Ended = func(context.Context, Record) error { return nil }
	}
	return &Pool{
		kind: kind, told: deps.Ended, cfg: cfg, conn: deps.Conn, queue: queue, store: deps.Store,
		log: deps.Telemetry.Log, now: time.Now, stats: newMetrics(deps.Telemetry.Metrics, kind),
	}, nil
}

// maxMessages is how many messages the queue takes for as many jobs as may wait. A
// job may have one in each lane, and that of a job that was canceled stays until a
// worker comes to it: neither must keep out the message of a job that was accepted.
func maxMessages(jobs int64) int64 { return 4*jobs + 100 }

// Close ends the listening for work.
func (p *Pool) Close() error { return p.queue.Close() }

// doneSubject is where the end of a job is told.
func (p *Pool) doneSubject(r Record) string {
	return "jobs.done." + p.kind + "." + r.Principal.Organization + "." + r.ID
}

// Submit accepts a job and returns its record, which may be that of one that
// was accepted before. Again decides whether one that has ended is to be done
// anew. It is on the disk when Submit returns. A full queue refuses new work
// only: a job that is there already is found all the same.
func (p *Pool) Submit(ctx context.Context, r Record, again func(Record) bool) (Record, error) {
	r.State, r.Attempt, r.CreatedAt = jobapi.Queued, 1, p.now().UnixMilli()
	there, added, err := p.add(ctx, r)
	if err != nil {
		return r, err
	}
	if !added {
		if there, err = p.renew(ctx, there, r, again); err != nil {
			return there, err
		}
	}
	if there.State == jobapi.Queued {
		// Who gave up waiting must not leave this half done.
		ctx := context.WithoutCancel(ctx)
		if there.QueuedAt == 0 {
			err = p.promote(ctx, there.Principal.Organization)
		} else { // the queue knows what it has; what a crash has lost it is given now
			err = p.publish(ctx, there)
		}
		if err != nil {
			p.log.WarnContext(ctx, "a job was accepted and is queued later", "job", there.ID, "error", err)
		}
	}
	return there, nil
}

// add returns the job of the organization and key of r, and whether it had to be
// added.
func (p *Pool) add(ctx context.Context, r Record) (there Record, added bool, err error) {
	there, err = p.store.Lookup(ctx, r.Principal.Organization, r.Key)
	if !errors.Is(err, ErrNotFound) {
		return there, false, err
	}
	if err := p.admit(ctx); err != nil {
		return r, false, err
	}
	return p.store.Add(ctx, r)
}

// Get returns the record of a job by its id, or ErrNotFound.
func (p *Pool) Get(ctx context.Context, organization, id string) (Record, error) {
	return p.store.Get(ctx, organization, id)
}

// List returns the jobs of an organization that match the filter; see Store.
func (p *Pool) List(ctx context.Context, organization string, f Filter, limit int) ([]Record, int64, error) {
	return p.store.List(ctx, organization, f, limit)
}

// admit refuses a job while too many wait.
func (p *Pool) admit(ctx context.Context) error {
	n, err := p.store.Unfinished(ctx, "")
	if err != nil {
		return err
	}
	if n >= p.cfg.Limit {
		return problem.New(problem.Unavailable, "The job queue is full (limit %d). Retry later.", p.cfg.Limit).After(busyRetry)
	}
	return nil
}

// busyRetry is what a caller is told to wait who found too many before them.
const busyRetry = 5 * time.Second

// renew begins a job anew that has ended, if it is to be, and moves one that
// waits in the bulk lane to the lane of who waits for it now.
func (p *Pool) renew(ctx context.Context, there, wanted Record, again func(Record) bool) (Record, error) {
	for {
		switch {
		case there.Ended() && again(there):
			if err := p.admit(ctx); err != nil {
				return there, err
			}
			there = there.Again(p.now())
			there.Principal, there.Request, there.Lane = wanted.Principal, wanted.Request, wanted.Lane
		case there.State == jobapi.Queued && there.Lane == jobapi.Bulk && wanted.Lane == jobapi.Interactive:
			there.Lane, there.Owner = jobapi.Interactive, "" // whose last change, if it is in doubt, must not undo this one
		default:
			return there, nil
		}
		renewed, err := p.store.Replace(ctx, there)
		if !errors.Is(err, ErrConflict) {
			return renewed, err
		}
		if there, err = p.store.Get(ctx, there.Principal.Organization, there.ID); err != nil {
			return there, err
		}
	}
}

// promote puts the jobs into the queue whose turn it is.
func (p *Pool) promote(ctx context.Context, organization string) error {
	ctx, cancel := context.WithTimeout(ctx, promoteTimeout)
	defer cancel()
	records, err := p.store.Promote(ctx, organization, p.cfg.Share, p.now().UnixMilli())
	for _, r := range records {
		// One that is not published now is overdue soon.
		err = errors.Join(err, p.publish(ctx, r))
	}
	return err
}

// promoteTimeout bounds the promoting of jobs. What is left then is promoted by
// the next one who does.
const promoteTimeout = 30 * time.Second

// publish puts a job into the queue, which knows it again by its lane and its try.
// What is there in both lanes is done once.
func (p *Pool) publish(ctx context.Context, r Record) error {
	return p.queue.Publish(ctx, r.Lane, r.Principal.Organization, r.ID, tryOf(r))
}

// tryOf tells the attempts of a job apart, and those of a job of the same id that was
// forgotten since.
func tryOf(r Record) string { return fmt.Sprintf("%d.%d", r.CreatedAt, r.Attempt) }

// Wait returns the record of a job when it has ended, or the error of ctx. The
// job goes on, whoever waits. A store that is away for a while is waited for too.
func (p *Pool) Wait(ctx context.Context, r Record) (Record, error) {
	p.stats.waiting.Inc()
	defer p.stats.waiting.Dec()
	done, stop, err := p.conn.Await(p.doneSubject(r))
	if err != nil { // the record is looked at all the same
		p.log.WarnContext(ctx, "a job is waited for without a notice", "job", r.ID, "error", err)
		stop = func() {}
	}
	defer stop()
	poll := time.NewTicker(waitPoll)
	defer poll.Stop()
	for {
		current, err := p.store.Get(ctx, r.Principal.Organization, r.ID)
		switch {
		case errors.Is(err, ErrNotFound):
			return r, problem.New(problem.Unavailable, "The job was deleted while the request waited for it. Retry the request.").After(busyRetry)
		case err == nil && current.Ended():
			return current, nil
		}
		select {
		case <-ctx.Done():
			if err != nil {
				return r, err
			}
			return current, ctx.Err()
		case <-done:
			done = nil // from now on the record is looked at
		case <-poll.C: // a notice may be lost with its connection
		}
	}
}

// waitPoll is how often who waits for a job looks whether it has ended.
const waitPoll = time.Second

// Run does jobs with do until ctx ends, and returns when those in work are done, or
// stopped because work has ended too. What is not done then is handed to another worker.
// It is called once.
func (p *Pool) Run(ctx, work context.Context, do Work) {
	p.work = do
	var workers sync.WaitGroup
	for range p.cfg.Workers {
		workers.Go(func() { p.worker(ctx, work) })
	}
	workers.Go(func() { p.sweep(ctx) })
	workers.Wait()
}
