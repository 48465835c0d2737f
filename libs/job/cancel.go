package job

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract/jobapi"
)

// Cancel cancels a job that has not ended, and returns it as it is then: one that
// has ended stays as it is. A canceled job gets no result, whatever its worker is
// about to store, and its worker stops soon. The error is ErrNotFound if there is
// no such job.
func (p *Pool) Cancel(ctx context.Context, organization, id string) (Record, error) {
	for {
		r, err := p.store.Get(ctx, organization, id)
		if err != nil || r.Ended() {
			return r, err
		}
		r.State, r.Result, r.Error = jobapi.Canceled, nil, nil
		r.EndedAt, r.LeaseEnds = p.now().UnixMilli(), 0
		r.Owner = "" // its worker must not take the change for one of its own
		r, err = p.store.Replace(ctx, r)
		if errors.Is(err, ErrConflict) { // it has changed in between, or is gone
			continue
		}
		if err == nil {
			p.canceled(ctx, r)
		}
		return r, err
	}
}

// canceled tells whoever waits for a job or works on it that it was canceled, and
// lets the next one take its turn. What is not done here, because this process
// ends, is done when the queue hands the job out, or by the next sweep.
func (p *Pool) canceled(ctx context.Context, r Record) {
	p.stats.ended.WithLabelValues("canceled").Inc()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	err := errors.Join(p.conn.Publish(p.doneSubject(r), nil), p.told(ctx, r), p.promote(ctx, r.Principal.Organization))
	if err != nil {
		p.log.WarnContext(ctx, "a job was canceled, and the rest of it is done later", "job", r.ID, "error", err)
	}
}

// CancelAll cancels the jobs of a subject that have not ended.
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
