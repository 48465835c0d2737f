// Package job runs durable jobs: an accepted job is done, with the effect of having run
// once, even if processes die in between.
//
// A job is a record in the store of the service that owns it. The record is the source of
// truth; a work queue on the bus hands it to a worker. A message that the queue loses is
// published again, and a job that is delivered twice is done once. Jobs of one kind with
// the same key are one job, and every caller that wants its result waits for that job.
//
// The store is built on the two databases that services use, SQLite and MongoDB. Job
// libraries bring a database of their own. A NATS queue alone can neither find a job by
// its key nor count the jobs of an organization, which fair turns among organizations,
// cancellation and the list of dead letters require.
package job

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// Record is a job. Times are Unix milliseconds, 0 for never.
type Record struct {
	// ID identifies the job to clients.
	ID string
	// Principal submitted the job first. Its organization owns the job.
	Principal contract.Principal
	// Origin is the request that began this attempt.
	Origin telemetry.Origin
	// Key says what is done to what: two jobs of one organization with the same key are
	// the same job.
	Key string
	// Subject is the ID of the document that the job is about.
	Subject string
	Lane    jobapi.Lane
	State   jobapi.State
	// Dead is set for a dead-lettered job: one that failed in its last try for a reason
	// other than its document.
	Dead bool
	// Progress is from 0 to 1.
	Progress float64
	// Request is the input of the worker, Result its output.
	Request, Result jsontext.Value
	// Error is why the job failed.
	Error *problem.Error
	// Attempt counts the job's runs from the beginning, starting at 1. Tries counts how
	// often this attempt was handed to a worker.
	Attempt, Tries int
	CreatedAt      int64
	// QueuedAt is when the job was put into the queue, which only Promote decides. Until
	// then the job waits for its organization's turn.
	QueuedAt int64
	// LeaseEnds is when a running job may be handed to another worker.
	LeaseEnds int64
	// Owner identifies the worker's current or last try; it is unique for each try. ""
	// means none.
	Owner string
	// EndedAt is when the job succeeded, failed or was canceled.
	EndedAt int64
	// Revision counts the changes of the record, from 1.
	Revision int64
}

// Ended reports whether the job is finished: it succeeded, failed or was canceled.
func (r Record) Ended() bool { return r.State.Ended() }

// Again returns the job reset for a new attempt that begins at the given time.
func (r Record) Again(at time.Time) Record {
	r.State, r.Dead, r.Progress, r.Tries = jobapi.Queued, false, 0, 0
	r.Result, r.Error, r.EndedAt, r.QueuedAt, r.LeaseEnds, r.Owner = nil, nil, 0, 0, 0, ""
	r.Attempt++
	r.CreatedAt = at.UnixMilli()
	return r
}

// HasResult reports whether there is a result to show. Find removes the result of a job
// whose document was deleted.
func (r Record) HasResult() bool { return r.State == jobapi.Succeeded && len(r.Result) > 0 }

// Job converts the record to a job of the kind for the API. Its owner adds the result.
func (r Record) Job(kind jobapi.Kind) jobapi.Job {
	return jobapi.Job{ID: r.ID, Kind: kind, State: r.State, Progress: r.Progress, Error: r.Error}
}

// Summary converts the record to a list entry for a job of the kind.
func (r Record) Summary(kind jobapi.Kind) jobapi.Summary {
	s := jobapi.Summary{ID: r.ID, Kind: kind, State: r.State, CreatedAt: r.CreatedAt}
	if r.Subject != "" {
		s.DocumentID = &r.Subject
	}
	if r.EndedAt != 0 {
		s.EndedAt = &r.EndedAt
	}
	return s
}

// Filter selects jobs that are in one of the States and about one of the Subjects. An
// empty list matches all.
type Filter struct {
	States   []jobapi.State
	Subjects []string
}

// Store stores the jobs of one service. The test suite in package storetest specifies
// what every implementation must do. Changes that a method has accepted survive the
// process.
type Store interface {
	// Add adds a record with Revision 1, unless one with its organization and Key exists.
	// It returns the stored record, and whether it was added.
	Add(ctx context.Context, r Record) (Record, bool, error)
	// Lookup returns the record of an organization and Key, or ErrNotFound.
	Lookup(ctx context.Context, organization, key string) (Record, error)
	// Get returns a record by its ID, or ErrNotFound.
	Get(ctx context.Context, organization, id string) (Record, error)
	// Replace stores r if the stored record with its ID has the same Revision, and
	// increments the Revision. It returns ErrConflict if the record has another Revision
	// or is gone.
	Replace(ctx context.Context, r Record) (Record, error)
	// Promote sets QueuedAt of the jobs whose turn it is and returns them, the
	// interactive lane first. In each lane of an organization it promotes the
	// longest-waiting jobs until limit jobs are queued or running. An organization of ""
	// means all organizations. Concurrent calls never return the same job twice and never
	// exceed limit. A job that changes lanes afterwards still counts in the lane it was
	// promoted in; otherwise changing lanes would bypass the limit. Even on error some
	// jobs may have been promoted: those returned, and one whose promotion is uncertain,
	// which Overdue finds.
	Promote(ctx context.Context, organization string, limit int, now int64) ([]Record, error)
	// Overdue returns up to limit jobs that were queued before the time but not begun, or
	// that are running with a lease that ended before it.
	Overdue(ctx context.Context, before int64, limit int) ([]Record, error)
	// Unfinished counts the unfinished jobs of an organization, or of all if it is "".
	Unfinished(ctx context.Context, organization string) (int64, error)
	// Oldest returns the CreatedAt of the unfinished job that was created first, or 0 if all
	// jobs are finished.
	Oldest(ctx context.Context) (int64, error)
	// Pending returns up to limit unfinished jobs of a subject, in any order.
	Pending(ctx context.Context, organization, subject string, limit int) ([]Record, error)
	// List returns up to limit jobs of an organization that match the filter, the latest
	// first by CreatedAt and then by ID, and the total number of matches. Of each record
	// it reads only ID, Subject, State, CreatedAt and EndedAt.
	List(ctx context.Context, organization string, f Filter, limit int) ([]Record, int64, error)
	// Dead returns up to limit dead-lettered jobs, the latest first.
	Dead(ctx context.Context, limit int) ([]Record, error)
	// Ended returns up to limit jobs that ended before the time: only dead-lettered jobs
	// if dead is set, and only others if not.
	Ended(ctx context.Context, before int64, dead bool, limit int) ([]Record, error)
	// Remove deletes a record. It is not an error if the record does not exist.
	Remove(ctx context.Context, organization, id string) error
	// Forget deletes the records of a subject and returns their IDs.
	Forget(ctx context.Context, organization, subject string) ([]string, error)
}

// The errors of a Store, in addition to those of its database.
var (
	ErrNotFound = errors.New("no such job")
	ErrConflict = errors.New("the job has changed since it was read")
)
