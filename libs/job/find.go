package job

import (
	"context"
	"errors"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Finder finds and cancels jobs. A Pool is a Finder.
type Finder interface {
	// Get returns the record of a job by its ID, or ErrNotFound.
	Get(ctx context.Context, organization, id string) (Record, error)
	// Cancel cancels an unfinished job and returns its record, or ErrNotFound.
	Cancel(ctx context.Context, organization, id string) (Record, error)
}

// Status asks the document service, on behalf of p, whether a document was deleted. The
// error is DocumentNotFound if the document does not exist or p may not see it.
type Status func(ctx context.Context, p contract.Principal, documentID string) (deleted bool, err error)

// Find returns the record of a job that p may see: the job belongs to p's organization,
// and p may see its document. Otherwise the error is jobapi.NotFound. If the document was
// deleted, Find cancels an unfinished job and returns the record without its Result.
func Find(ctx context.Context, jobs Finder, p contract.Principal, id string, status Status) (Record, error) {
	r, err := jobs.Get(ctx, p.Organization, id)
	deleted := false
	if err == nil {
		deleted, err = status.of(ctx, p, r)
	}
	if err == nil && deleted {
		// The deletion event does the same, slightly earlier or later.
		r, err = jobs.Cancel(ctx, p.Organization, id)
		r.Result = nil
	}
	return r, notFound(err, id)
}

// Cancel cancels a job that p may see, and returns it as Find does. A finished job stays
// as it is.
func Cancel(ctx context.Context, jobs Finder, p contract.Principal, id string, status Status) (Record, error) {
	r, err := Find(ctx, jobs, p, id, status)
	if err != nil || r.Ended() {
		return r, err
	}
	r, err = jobs.Cancel(ctx, p.Organization, id)
	return r, notFound(err, id)
}

// notFound translates an error of a job lookup for the client: a job that the client may
// not see is indistinguishable from one that does not exist.
func notFound(err error, id string) error {
	if errors.Is(err, ErrNotFound) || problem.Is(err, problem.DocumentNotFound) {
		return jobapi.NotFound(id)
	}
	return err
}

// of asks for the status of a job's document. A job without a document (its file was sent
// with the request) counts as not deleted.
func (s Status) of(ctx context.Context, p contract.Principal, r Record) (deleted bool, err error) {
	if r.Subject == "" {
		return false, nil
	}
	return s(ctx, p, r.Subject)
}

// ErrCanceled is returned by Work for a job that is no longer wanted; the job ends as
// canceled.
var ErrCanceled = errors.New("the job was canceled")

// Wanted returns ErrCanceled if the document of a job was deleted. Work calls it before
// it begins: a job that was accepted while its document was being deleted may have missed
// the event that cancels the others.
func Wanted(ctx context.Context, r Record, status Status) error {
	deleted, err := status.of(ctx, r.Principal, r)
	if deleted || problem.Is(err, problem.DocumentNotFound) {
		return ErrCanceled
	}
	return err
}

// canceledRetry is the retry delay suggested to a caller whose job was canceled.
const canceledRetry = time.Second

// Canceled returns the error for a caller p whose job was canceled while p waited: either the
// document is gone, or the request should be retried.
func Canceled(ctx context.Context, p contract.Principal, r Record, status Status) error {
	deleted, err := status.of(ctx, p, r)
	if err != nil {
		return err
	}
	if deleted {
		return documentapi.NotFound(r.Subject)
	}
	return problem.New(problem.Unavailable, "Another request canceled the job %s that this request waited for. Retry to run it again.", r.ID).
		After(canceledRetry)
}
