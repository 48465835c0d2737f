package job

import (
	"context"
	"errors"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
)

const (
	// storeTimeout bounds one look at the store, or one change, of a worker.
	storeTimeout = 5 * time.Second
	// saveEvery is how often a change is tried again at most.
	saveEvery = time.Second
)

// get returns a record in the time that a worker has for it.
func (p *Pool) get(ctx context.Context, organization, id string) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return p.store.Get(ctx, organization, id)
}

// replace stores the record of a job that is this worker's, and renews the lease
// of one that is running. A change before, whose answer was lost, may have been
// made: then the record has another revision, and is this worker's still, whom
// nobody else changes it for. ErrConflict if it is not.
func (p *Pool) replace(ctx context.Context, r Record) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if r.State == jobapi.Running {
		r.LeaseEnds = p.now().Add(p.cfg.AckWait).UnixMilli()
	}
	stored, err := p.store.Replace(ctx, r)
	if !errors.Is(err, ErrConflict) {
		return stored, err
	}
	there, lookErr := p.store.Get(ctx, r.Principal.Organization, r.ID)
	switch {
	case lookErr != nil && !errors.Is(lookErr, ErrNotFound):
		return r, lookErr // whose it is, is still to be found out
	case lookErr != nil || r.Owner == "" || there.Owner != r.Owner:
		return r, err
	}
	r.Revision = there.Revision
	return p.store.Replace(ctx, r)
}

// save is replace, tried again while the store is away, for as long as one try
// of a job may take: what has been done is not to be done again, nor to count as
// a try that has failed, because the store was away when it ended. The queue is
// told meanwhile that the job is in work.
func (p *Pool) save(ctx context.Context, d *bus.Delivery, r Record) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Budget)
	defer cancel()
	ticker := time.NewTicker(min(saveEvery, p.cfg.AckWait/3))
	defer ticker.Stop()
	for {
		saved, err := p.replace(ctx, r)
		if err == nil || errors.Is(err, ErrConflict) {
			return saved, err
		}
		if ctx.Err() == nil {
			p.log.WarnContext(ctx, "the state of a job was not stored; it is tried again", "job", r.ID, "error", errors.Join(err, d.Working()))
		}
		select {
		case <-ctx.Done():
			return r, err
		case <-ticker.C:
		}
	}
}
