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

// Finder finds jobs and cancels them, as a Pool does.
type Finder interface {
	// Get returns the record of a job by its id, or ErrNotFound.
	Get(ctx context.Context, organization, id string) (Record, error)
	// Cancel cancels a job that has not ended and returns its record, or
	// ErrNotFound.
	Cancel(ctx context.Context, organization, id string) (Record, error)
}

// Status asks the document service, on behalf of p, whether a document was deleted.
// The error is DocumentNotFound if p may not see it, or if there is none.
type Status func(ctx context.Context, p contract.Principal, documentID string) (deleted bool, err error)

// Find returns the record of a job that p may see: one of its organization, whose
// document p may see. For any other the error is jobapi.NotFound. A job whose
// document was deleted is canceled unless it has ended, and has no Result.
func Find(ctx context.Context, jobs Finder, p contract.Principal, id string, status Status) (Record, error) {
	r, err := jobs.Get(ctx, p.Organization, id)
	deleted := false
	if err == nil {
		deleted, err = status.of(ctx, p, r)
	}
	if err == nil && deleted {
		// The event of the deletion does the same, a moment before or after.
		r, err = jobs.Cancel(ctx, p.Organization, id)
		r.Result = nil
	}
	return r, notFound(err, id)
}

// Cancel cancels a job that p may see, and returns it as Find does. One that has
// ended stays as it is.
func Cancel(ctx context.Context, jobs Finder, p contract.Principal, id string, status Status) (Record, error) {
	r, err := Find(ctx, jobs, p, id, status)
	if err != nil || r.Ended() {
		return r, err
	}
	r, err = jobs.Cancel(ctx, p.Organization, id)
	return r, notFound(err, id)
}

// notFound returns what a client is told of err, which the search for a job ended
// with: a job that it may not see is like one that is not there.
func notFound(err error, id string) error {
	if errors.Is(err, ErrNotFound) || problem.Is(err, problem.DocumentNotFound) {
		return jobapi.NotFound(id)
	}
	return err
}

// of asks for the document of a job. What was sent, and is no document, is not
// deleted.
func (s Status) of(ctx context.Context, p contract.Principal, r Record) (deleted bool, err error) {
	if r.Subject == "" {
		return false, nil
	}
	return s(ctx, p, r.Subject)
}

// ErrCanceled is what Work returns for a job that nobody wants any more: it ends as
// canceled.
var ErrCanceled = errors.New("the job was canceled")

// Wanted returns ErrCanceled if the document of a job was deleted. Work asks before
// it begins: a job that was accepted while its document was being deleted may be too
// late for the event that cancels the others.
func Wanted(ctx context.Context, r Record, status Status) error {
	deleted, err := status.of(ctx, r.Principal, r)
	if deleted || problem.Is(err, problem.DocumentNotFound) {
		return ErrCanceled
	}
	return err
}

// canceledRetry is what a caller is told to wait whose job was canceled.
const canceledRetry = time.Second

// Canceled returns what p is told, who has waited for a job that was canceled: that
// its document is gone, or to send the request again.
func Canceled(ctx context.Context, p contract.Principal, r Record, status Status) error {
	deleted, err := status.of(ctx, p, r)
	if err != nil {
		return err
	}
	if deleted {
		return documentapi.NotFound(r.Subject)
	}
	return problem.New(problem.Unavailable, "Another request canceled the job %s that this request waited for. Retry to start a new job.", r.ID).
		After(canceledRetry)
}
