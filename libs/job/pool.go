package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Work does one try of a job, within its budget, and returns the result. It calls report
// with its progress, from 0 to 1. A *problem.Error that is about the request ends the job
// as failed. All other errors, and problems that mean unavailable, timed out or internal,
// are failures of the infrastructure: the job is retried, unless the error is Final.
type Work func(ctx context.Context, r Record, report func(progress float64)) (result any, err error)

// Pool accepts jobs and runs them. Every pool puts jobs into the queue when their turn
// comes: when one is submitted, when one has ended, and in every sweep. So the queue is
// filled as long as any pool runs, with or without workers.
type Pool struct {
	kind                 string
	cfg                  Config
	conn                 *bus.Conn
	queue                *bus.Queue
	store                Store
	announce             func(ctx context.Context, r Record) error
	work                 Work // set by Run
	log                  *slog.Logger
	tracer               trace.Tracer
	creating, processing span
	now                  func() time.Time
	stats                *metrics
}

// Deps holds a Pool's dependencies. The Pool does not close them.
type Deps struct {
	Conn      *bus.Conn
	Store     Store
	Telemetry *telemetry.Telemetry
	// Ended, if not nil, announces that a job has ended. It may be called more than
	// once for the same end, if a call failed or its outcome is unknown.
	Ended func(ctx context.Context, r Record) error
}

// Open returns a Pool for jobs of the kind. It runs none before Run. The caller closes
// it.
func Open(ctx context.Context, kind string, cfg Config, deps Deps) (*Pool, error) {
	queue, err := deps.Conn.OpenQueue(ctx, bus.QueueConfig{Name: kind, Limit: maxMessages(cfg.Limit), AckWait: cfg.AckWait})
	if err != nil {
		return nil, err
	}
	if deps.Ended == nil {
		deps.Ended = func(context.Context, Record) error { return nil }
	}
	return &Pool{
		kind: kind, announce: deps.Ended, cfg: cfg, conn: deps.Conn, queue: queue, store: deps.Store,
		log: deps.Telemetry.Log, now: time.Now, stats: newMetrics(deps.Telemetry.Metrics, kind, cfg.Limit, time.Now), tracer: deps.Telemetry.Tracer,
		creating: newSpan("create", kind, trace.SpanKindProducer), processing: newSpan("process", kind, trace.SpanKindConsumer),
	}, nil
}

// maxMessages returns how many messages the queue must hold for the given number of
// unfinished jobs. A job may have a message in each lane, and the message of a canceled
// job stays until a worker receives it; neither may leave an accepted job
// without room for its message.
func maxMessages(jobs int64) int64 { return 4*jobs + 100 }

// Close stops listening for work.
func (p *Pool) Close() error { return p.queue.Close() }

// doneSubject returns the subject on which the end of a job is announced.
func (p *Pool) doneSubject(r Record) string {
	return "jobs.done." + p.kind + "." + r.Principal.Organization + "." + r.ID
}

// Submit accepts a job and returns its record, which may be that of a job accepted
// before. Again decides whether a finished job is run again. The record is on disk when
// Submit returns. A full queue rejects only new work: a job that exists already is
// returned regardless.
func (p *Pool) Submit(ctx context.Context, r Record, again func(Record) bool) (Record, error) {
	r.State, r.Attempt, r.CreatedAt = jobapi.Queued, 1, p.now().UnixMilli()
	known, added, err := p.add(ctx, r)
	if err != nil {
		return r, err
	}
	if !added {
		if known, err = p.renew(ctx, known, r, again); err != nil {
			return known, err
		}
	}
	follow(ctx, known)
	if known.State == jobapi.Queued {
		// A caller that gives up waiting must not leave this half done.
		ctx := context.WithoutCancel(ctx)
		if known.QueuedAt == 0 {
			err = p.promote(ctx, known.Principal.Organization)
		} else { // the queue ignores a duplicate; a message lost in a crash is published now
			err = p.publish(ctx, known)
		}
		if err != nil {
			p.log.WarnContext(ctx, "a job was accepted but could not be queued; it will be queued later", "job", known.ID, "error", err)
		}
	}
	return known, nil
}

// add returns the job with the organization and key of r, and whether it had to be added.
func (p *Pool) add(ctx context.Context, r Record) (known Record, added bool, err error) {
	known, err = p.store.Lookup(ctx, r.Principal.Organization, r.Key)
	if !errors.Is(err, ErrNotFound) {
		return known, false, err
	}
	if err := p.admit(ctx); err != nil {
		return r, false, err
	}
	err = p.created(ctx, r, func(ctx context.Context, r Record) (err error) {
		known, added, err = p.store.Add(ctx, r)
		return err
	})
	return known, added, err
}

// Get returns the record of a job by its ID, or ErrNotFound.
func (p *Pool) Get(ctx context.Context, organization, id string) (Record, error) {
	return p.store.Get(ctx, organization, id)
}

// List returns the jobs of an organization that match the filter; see Store.
func (p *Pool) List(ctx context.Context, organization string, f Filter, limit int) ([]Record, int64, error) {
	return p.store.List(ctx, organization, f, limit)
}

// admit rejects a job while too many are unfinished.
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

// busyRetry is the retry delay suggested to callers when too many are waiting.
const busyRetry = 5 * time.Second

// renew resets a finished job to be run again if again says so, and moves a job waiting
// in the bulk lane to the interactive lane if the new caller waits for it.
func (p *Pool) renew(ctx context.Context, known, wanted Record, again func(Record) bool) (renewed Record, err error) {
	replace := func(ctx context.Context, r Record) (err error) {
		renewed, err = p.store.Replace(ctx, r)
		return err
	}
	for {
		switch {
		case known.Ended() && again(known):
			if err := p.admit(ctx); err != nil {
				return known, err
			}
			known = known.Again(p.now())
			known.Principal, known.Request, known.Lane = wanted.Principal, wanted.Request, wanted.Lane
			err = p.created(ctx, known, replace)
		case known.State == jobapi.Queued && known.Lane == jobapi.Bulk && wanted.Lane == jobapi.Interactive:
			known.Lane, known.Owner = jobapi.Interactive, "" // so that a pending change of its last owner cannot undo this one
			err = replace(ctx, known)
		default:
			return known, nil
		}
		if !errors.Is(err, ErrConflict) {
			return renewed, err
		}
		if known, err = p.store.Get(ctx, known.Principal.Organization, known.ID); err != nil {
			return known, err
		}
	}
}

// promote puts the jobs whose turn it is into the queue.
func (p *Pool) promote(ctx context.Context, organization string) error {
	ctx, cancel := context.WithTimeout(ctx, promoteTimeout)
	defer cancel()
	records, err := p.store.Promote(ctx, organization, p.cfg.Share, p.now().UnixMilli())
	for _, r := range records {
		// A job that cannot be published now will be overdue soon.
		err = errors.Join(err, p.publish(ctx, r))
	}
	return err
}

// promoteTimeout bounds one promotion of jobs. The next one promotes the rest.
const promoteTimeout = 30 * time.Second

// publish puts a job into the queue, which recognizes duplicates by lane and attempt. A
// job queued in both lanes is done once.
func (p *Pool) publish(ctx context.Context, r Record) error {
	return p.queue.Publish(ctx, r.Lane, r.Principal.Organization, r.ID, attemptToken(r))
}

// attemptToken identifies an attempt of a job. It also differs from the tokens of an
// earlier job with the same ID that was forgotten.
func attemptToken(r Record) string { return fmt.Sprintf("%d.%d", r.CreatedAt, r.Attempt) }

// Wait returns the record of a job when it has ended, or the error of ctx. The job
// continues in either case. Wait also sits out a temporary outage of the store.
func (p *Pool) Wait(ctx context.Context, r Record) (Record, error) {
	p.stats.waiting.Inc()
	defer p.stats.waiting.Dec()
	done, stop, err := p.conn.Await(p.doneSubject(r))
	if err != nil { // the record is polled anyway
		p.log.WarnContext(ctx, "waiting for a job by polling only", "job", r.ID, "error", err)
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
			done = nil // from now on only poll
		case <-poll.C: // a notice may be lost with the connection
		}
	}
}

// waitPoll is how often Wait polls the record.
const waitPoll = time.Second

// Run runs jobs with do and fills the queue until ctx ends, and returns when the jobs in
// progress are finished, or stopped because work has ended too. Unfinished jobs are
// handed to another worker. Run may be called only once.
func (p *Pool) Run(ctx, work context.Context, do Work) {
	p.work = do
	var workers sync.WaitGroup
	for range p.cfg.Workers {
		workers.Go(func() { p.worker(ctx, work) })
	}
	workers.Go(func() { p.sweep(ctx) })
	workers.Wait()
}
