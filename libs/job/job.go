// Package job keeps work that was accepted until it is done, and does it: once
// as far as anybody sees, whatever dies in between.
//
// A job is a record in the store of the service that owns it. The record is the
// truth; a work queue on the bus hands it to a worker. What the queue loses is
// put into it again, what it hands out twice is done once. Jobs of one kind with
// one key are one job, and whoever wants its result waits for that.
//
// The store is our own, over the two databases that services have, SQLite and
// MongoDB. Libraries for jobs bring a database of their own, and a queue of NATS alone
// can neither find a job by its key nor count those of an organization, which turns
// among organizations, cancellation and the list of dead letters need.
package job

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Record is a job. Times are Unix milliseconds, 0 for never.
type Record struct {
	// ID is what clients know the job by.
	ID string
	// Principal is who wanted it first. Its organization owns the job.
	Principal contract.Principal
	// Key says what is to be done to what: two jobs of one key and organization
	// are the same.
	Key string
	// Subject is the id of the document that the job is about.
	Subject string
	Lane    jobapi.Lane
	State   jobapi.State
	// Dead is set for a job that was given up, not for what it is about.
	Dead bool
	// Progress is from 0 to 1.
	Progress float64
	// Request is what the worker is told, Result what it answers.
	Request, Result jsontext.Value
	// Error is why the job has failed.
	Error *problem.Error
	// Attempt counts how often the job was begun anew, from 1, and Tries how
	// often a worker was handed the attempt.
	Attempt, Tries int
	CreatedAt      int64
	// QueuedAt is when it was put into the queue, which Promote alone decides;
	// until then it waits for its organization's turn.
	QueuedAt int64
	// LeaseEnds is when a running job is handed to another worker.
	LeaseEnds int64
	// Owner is who has begun the last try, another one for each; "" for none.
	Owner string
	// EndedAt is when it succeeded, failed or was canceled.
	EndedAt int64
	// Revision counts the changes of the record, from 1.
	Revision int64
}

// Ended reports whether the job is over: it succeeded, failed or was canceled.
func (r Record) Ended() bool { return r.State.Ended() }

// Again returns the job as it is before it is begun anew, at the time.
func (r Record) Again(at time.Time) Record {
	r.State, r.Dead, r.Progress, r.Tries = jobapi.Queued, false, 0, 0
	r.Result, r.Error, r.EndedAt, r.QueuedAt, r.LeaseEnds, r.Owner = nil, nil, 0, 0, 0, ""
	r.Attempt++
	r.CreatedAt = at.UnixMilli()
	return r
}

// HasResult reports whether there is a result to show. Find takes it from the jobs
// of a document that was deleted.
func (r Record) HasResult() bool { return r.State == jobapi.Succeeded && len(r.Result) > 0 }

// Job shows the job, which is of the kind. The result is added by its owner.
func (r Record) Job(kind jobapi.Kind) jobapi.Job {
	return jobapi.Job{ID: r.ID, Kind: kind, State: r.State, Progress: r.Progress, Error: r.Error}
}

// Summary shows the job, which is of the kind, as lists have it.
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

// Filter selects jobs: those in one of the States that are about one of the Subjects.
// Where one of them is empty, any will do.
type Filter struct {
	States   []jobapi.State
	Subjects []string
}

// Store keeps the jobs of one service. The suite in package storetest is the
// specification that every implementation passes. What a method has accepted
// outlives the process.
type Store interface {
	// Add adds a record, whose Revision becomes 1, unless there is one of its
	// organization and Key. It returns the one that is there now, and whether
	// it was added.
	Add(ctx context.Context, r Record) (Record, bool, error)
	// Lookup returns the record of an organization and Key. ErrNotFound if there is
	// none.
	Lookup(ctx context.Context, organization, key string) (Record, error)
	// Get returns a record by its id. ErrNotFound if there is none.
	Get(ctx context.Context, organization, id string) (Record, error)
	// Replace stores r in place of the record of its id if that has the Revision
	// of r, and raises it by one. ErrConflict if it has another or is gone.
	Replace(ctx context.Context, r Record) (Record, error)
	// Promote sets QueuedAt of the jobs whose turn it is, and returns them:
	// those that wait longest, of every organization and lane as many as are
	// short of limit jobs that are queued or running; the interactive lane
	// first. The organization is "" for all of them. However many call it at a
	// time, a job is returned to one of them at most, and there are never more
	// than limit. A job that moves to another lane afterwards counts in the one
	// that it was promoted in: or moving would be a way around the limit. With
	// an error there may be jobs that were promoted nevertheless: those that are
	// returned, and one whose promotion is in doubt, which Overdue finds.
	Promote(ctx context.Context, organization string, limit int, now int64) ([]Record, error)
	// Overdue returns up to limit jobs that were queued before the time and are
	// still not begun, and running ones whose lease has ended before it.
	Overdue(ctx context.Context, before int64, limit int) ([]Record, error)
	// Unfinished counts the jobs that have not ended, of an organization or, "",
	// of all.
	Unfinished(ctx context.Context, organization string) (int64, error)
	// Pending returns up to limit jobs of a subject that have not ended, in any
	// order.
	Pending(ctx context.Context, organization, subject string, limit int) ([]Record, error)
	// List returns up to limit jobs of an organization that match the filter, the
	// latest first by CreatedAt and then by ID, and how many match in all. Of each
	// record it reads ID, Subject, State, CreatedAt and EndedAt.
	List(ctx context.Context, organization string, f Filter, limit int) ([]Record, int64, error)
	// Dead returns the jobs that were given up, the latest first.
	Dead(ctx context.Context, limit int) ([]Record, error)
	// Ended returns up to limit jobs that ended before the time; dead ones only
	// if dead is set, and only those then.
	Ended(ctx context.Context, before int64, dead bool, limit int) ([]Record, error)
	// Remove deletes a record. One that is not there is no error.
	Remove(ctx context.Context, organization, id string) error
	// Forget deletes the records of a subject and returns their ids.
	Forget(ctx context.Context, organization, subject string) ([]string, error)
}

// The errors of a Store, beside those of its database.
var (
	ErrNotFound = errors.New("no such job")
	ErrConflict = errors.New("the job has changed since it was read")
)
