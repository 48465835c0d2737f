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

// Config configures how requests are remembered.
type Config struct {
	Database string        `env:"GATEWAY_IDEMPOTENCY_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of requests with an Idempotency-Key, or the mongodb:// URL of a MongoDB database, which may be that of GATEWAY_DATABASE"`
	TTL      time.Duration `env:"GATEWAY_IDEMPOTENCY_TTL" envDefault:"24h" desc:"how long an Idempotency-Key is remembered"`
	Lease    time.Duration `env:"GATEWAY_IDEMPOTENCY_LEASE" envDefault:"10s" desc:"time after which a repeated request takes over from a gateway that died"`
}

// minLease bounds how often leases are renewed.
const minLease = 10 * time.Millisecond

// Validate implements config.Validator.
func (c Config) Validate() []error {
	if c.Lease < minLease || c.TTL <= c.Lease {
		return []error{fmt.Errorf("  GATEWAY_IDEMPOTENCY_LEASE must be at least %s and shorter than GATEWAY_IDEMPOTENCY_TTL", minLease)}
	}
	return nil
}

const (
	// storeTimeout bounds one call of the store.
	storeTimeout = 5 * time.Second
	// sweepEvery is how often expired records are removed.
	sweepEvery = time.Minute
	// sweepBatch bounds how many records are removed in one call, because other writers
	// wait for it.
	sweepBatch = 500
	// renewals is how often a lease is renewed within its duration.
	renewals = 3
)

// Ledger decides for each request with an Idempotency-Key whether it must run.
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

// Begin returns the record and the outcome of a request. The document is the id of the
// document that the request is about. If it is "", the request creates a document, and the
// record has the id for it. Requests with the outcome First or TakenOver must run under
// Hold, and must end with Finish, Release or Remove.
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

// instant returns the current time in whole milliseconds, as in records.
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

// renew renews the lease of a record until ctx ends. Losing the lease does not stop the
// work: the new owner creates the same things.
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
			l.log.WarnContext(ctx, "cannot renew the lease of a request", "route", r.Route, "error", err)
		}
		if errors.Is(err, ErrLost) {
			return
		}
	}
}

// bounded calls change with the timeout of the store. It ignores the cancellation of ctx,
// so that a write that has begun completes even if the request is canceled.
func bounded(ctx context.Context, change func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return change(ctx)
}

// Finish stores the response of a request for repeated requests.
func (l *Ledger) Finish(ctx context.Context, r Record, answer []byte) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Finish(ctx, r, answer) })
}

// Release ends the lease of a request that failed without making clear what it has done.
// An identical request can then take over.
func (l *Ledger) Release(ctx context.Context, r Record) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Release(ctx, r) })
}

// Remove removes the record of a request that has done nothing, or whose response is no
// longer useful.
func (l *Ledger) Remove(ctx context.Context, r Record) error {
	return bounded(ctx, func(ctx context.Context) error { return l.store.Remove(ctx, r) })
}

// Forget removes the records of the document that an event is about. It is idempotent.
func (l *Ledger) Forget(ctx context.Context, e contract.Event) error {
	if err := l.store.ForgetDocument(ctx, e.Organization, e.Subject); err != nil {
		return fmt.Errorf("remove the idempotency records of %s: %w", e.Subject, err)
	}
	return nil
}

// Sweep removes expired records periodically, until ctx ends.
func (l *Ledger) Sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := l.sweep(ctx); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "cannot remove expired idempotency records, will retry", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweep removes all expired records in batches.
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
