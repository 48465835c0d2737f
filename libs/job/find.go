package job

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Finder finds jobs, as a Pool does.
type Finder interface {
	// Get returns the record of a job by its id, or ErrNotFound.
	Get(ctx context.Context, organization, id string) (Record, error)
}

// Find returns the record of a job that p may see: one of its organization, whose
// document mayRead lets p read. For any other it is jobapi.NotFound.
func Find(ctx context.Context, jobs Finder, p contract.Principal, id string, mayRead func(ctx context.Context, p contract.Principal, documentID string) error) (Record, error) {
	r, err := jobs.Get(ctx, p.Organization, id)
	if err == nil {
		err = mayRead(ctx, p, r.Subject)
	}
	if errors.Is(err, ErrNotFound) || problem.Is(err, problem.DocumentNotFound) {
		return Record{}, jobapi.NotFound(id)
	}
	return r, err
}
