package job

import (
	"context"
	"errors"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/jobapi"
)

const (
	// storeTimeout bounds one read or write of a worker in the store.
	storeTimeout = 5 * time.Second
	// saveEvery is the longest interval between attempts to save a change.
	saveEvery = time.Second
)

// get returns a record, with the timeout for workers.
func (p *Pool) get(ctx context.Context, organization, id string) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return p.store.Get(ctx, organization, id)
}

// replace stores the record of a job that this worker owns, and renews the lease if the
// job is running. An earlier change whose reply was lost may have taken effect: then the
// record has another revision but is still this worker's, as only its owner updates it.
// The error is ErrConflict if this worker no longer owns the job.
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
		return r, lookErr // the owner is still unknown
	case lookErr != nil || r.Owner == "" || there.Owner != r.Owner:
		return r, err
	}
	r.Revision = there.Revision
	return p.store.Replace(ctx, r)
}

// save is replace, retried while the store is unavailable, for as long as one try of a
// job may take: finished work must not be repeated or count as a failed try because the
// store was unavailable at the end. Meanwhile it reports to the queue that the job is in
// progress.
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
			p.log.WarnContext(ctx, "could not store the state of a job; retrying", "job", r.ID, "error", errors.Join(err, d.Working()))
		}
		select {
		case <-ctx.Done():
			return r, err
		case <-ticker.C:
		}
	}
}
