package idempotency

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/contract"
)

// Config says how requests are remembered.
type Config struct {
	Database string        `env:"GATEWAY_IDEMPOTENCY_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of repeated requests, or the mongodb:// URL of one on a server, which may be that of GATEWAY_DATABASE"`
	TTL      time.Duration `env:"GATEWAY_IDEMPOTENCY_TTL" envDefault:"24h" desc:"how long an Idempotency-Key is remembered"`
	Lease    time.Duration `env:"GATEWAY_IDEMPOTENCY_LEASE" envDefault:"10s" desc:"time after which a repeated request goes on with what a gateway that died had begun"`
}

// minLease keeps the renewals of a lease from taking all of the time.
const minLease = 10 * time.Millisecond

// Validate implements config.Validator.
func (c Config) Validate() []error {
	if c.Lease < minLease || c.TTL <= c.Lease {
		return []error{fmt.Errorf("  GATEWAY_IDEMPOTENCY_LEASE must be at least %s, and GATEWAY_IDEMPOTENCY_TTL longer than it", minLease)}
	}
	return nil
}

const (
	// storeTimeout bounds one question to the store.
	storeTimeout = 5 * time.Second
	// sweepEvery is how long an expired record may stay.
	sweepEvery = time.Minute
	// sweepBatch bounds the records that are removed at a time: whoever wants to
	// write waits for it.
	sweepBatch = 500
	// renewals is how often a lease is renewed before it would end.
	renewals = 3
)

// Ledger says of each request with an Idempotency-Key whether it is to be done.
type Ledger struct {
	store Store
	cfg   Config
	log   *slog.Logger
	now   func() time.Time
}

// New returns a Ledger over the store.
func New(store Store, cfg Config, log *slog.Logger) *Ledger {
	return &Ledger{store: store, cfg: cfg, log: log, now: time.Now}
}

// Begin says what becomes of a request now, and returns its record. The document
// is the one that the request is about, "" for one that it makes: the record
// then has the id of that. First and TakenOver are to be done under Hold, and
// ended by Finish, Release or Remove.
func (l *Ledger) Begin(ctx context.Context, scope Scope, hash Hash, document string) (Record, Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := l.instant()
	claim := Record{
		Scope: scope, Hash: hash, DocumentID: document, CreatedAt: now, ExpiresAt: now.Add(l.cfg.TTL),
		Owner: rand.Text(), LeaseUntil: now.Add(l.cfg.Lease),
	}
	if document == "" {
		claim.DocumentID = contract.DeriveID(contract.DocumentPrefix, now, claim.seed())
	}
	return l.store.Begin(ctx, claim, now)
}

// instant returns the time in whole milliseconds, as records have it.
func (l *Ledger) instant() time.Time { return time.UnixMilli(l.now().UnixMilli()).UTC() }

// Hold calls work and renews the lease of the record until it returns.
func (l *Ledger) Hold(ctx context.Context, r Record, work func()) {
	held, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { l.renew(held, r) })
	defer renewing.Wait() // also when work panics
	defer cancel()
	work()
}

// renew renews the lease of a record until ctx ends. A lease that is lost is no
// reason to stop the work: whoever has taken it over makes the same of it.
func (l *Ledger) renew(ctx context.Context, r Record) {
	ticker := time.NewTicker(l.cfg.Lease / renewals)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := bounded(ctx, func(ctx context.Context) error {
			return l.store.Renew(ctx, r, l.instant().Add(l.cfg.Lease))
		})
		if err != nil {
			l.log.WarnContext(ctx, "the lease of a request was not renewed", "route", r.Route, "error", err)
		}
		if errors.Is(err, ErrLost) {
			return
		}
	}
}

// bounded calls change with the time that the store has, whatever becomes of the
// request: what has begun to be written is written.
func bounded(ctx context.Context, change func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return change(ctx)
}

// Finish keeps the answer of a request for those that repeat it.
func (l *Ledger) Finish(ctx context.Context, r Record, answer []byte) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Finish(ctx, r, answer) })
}

// Release lets go of a request that has failed in a way that leaves open what it
// has done. An identical request goes on where it has ended.
func (l *Ledger) Release(ctx context.Context, r Record) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Release(ctx, r) })
}

// Remove forgets a request: it has done nothing, or its answer is of no use any
// more.
func (l *Ledger) Remove(ctx context.Context, r Record) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Remove(ctx, r) })
}

// Forget forgets the requests of the document that an event is about. Once more
// does no harm.
func (l *Ledger) Forget(ctx context.Context, e contract.Event) error {
	if err := l.store.ForgetDocument(ctx, e.Organization, e.Subject); err != nil {
		return fmt.Errorf("forget the requests of %s: %w", e.Subject, err)
	}
	return nil
}

// Sweep removes expired records from time to time, until ctx ends.
func (l *Ledger) Sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := l.sweep(ctx); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "expired requests were not removed and are tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweep removes what has expired by now, a batch at a time.
func (l *Ledger) sweep(ctx context.Context) error {
	for removed := sweepBatch; removed == sweepBatch && ctx.Err() == nil; {
		err := bounded(ctx, func(ctx context.Context) (err error) {
			removed, err = l.store.Expire(ctx, l.instant(), sweepBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
