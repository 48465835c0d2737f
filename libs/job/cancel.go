package job

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract/jobapi"
)

// Cancel cancels an unfinished job and returns it; a finished job is returned unchanged.
// A canceled job gets no result, even if its worker is about to store one, and its worker
// stops soon. The error is ErrNotFound if there is no such job.
func (p *Pool) Cancel(ctx context.Context, organization, id string) (Record, error) {
	for {
		r, err := p.store.Get(ctx, organization, id)
		if err != nil || r.Ended() {
			return r, err
		}
		r.State, r.Result, r.Error = jobapi.Canceled, nil, nil
		r.EndedAt, r.LeaseEnds = p.now().UnixMilli(), 0
		r.Owner = "" // so that its worker does not mistake this change for its own
		r, err = p.store.Replace(ctx, r)
		if errors.Is(err, ErrConflict) { // it was changed or removed meanwhile
			continue
		}
		if err == nil {
			p.canceled(ctx, r)
		}
		return r, err
	}
}

// canceled notifies the job's waiters and its worker, and promotes the next job. If this
// process ends before that is done, it is done when the queue delivers the job, or by the
// next sweep.
func (p *Pool) canceled(ctx context.Context, r Record) {
	p.stats.ended.WithLabelValues("canceled").Inc()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	err := errors.Join(p.conn.Publish(p.doneSubject(r), nil), p.announce(ctx, r), p.promote(ctx, r.Principal.Organization))
	if err != nil {
		p.log.WarnContext(ctx, "a job was canceled, but not everyone was notified; retrying later", "job", r.ID, "error", err)
	}
}

// CancelAll cancels the unfinished jobs of a subject.
func (p *Pool) CancelAll(ctx context.Context, organization, subject string) error {
	for {
		pending, err := p.store.Pending(ctx, organization, subject, sweepBatch)
		if err != nil {
			return err
		}
		for _, r := range pending {
			if _, err := p.Cancel(ctx, organization, r.ID); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		if len(pending) < sweepBatch {
			return nil
		}
	}
}
