package domain

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// Store stores the records of documents. The suite in package storetest is the
// specification that every implementation passes.
//
// Every method takes the organization first, and neither sees nor changes the documents
// of other organizations. Lists leave out deleted documents, but Get returns them.
// Accepted changes outlive the process.
type Store interface {
	// Create adds a record, with Revision 1. It returns ErrExists if the id exists in any
	// organization.
	Create(ctx context.Context, organization string, d Document) error
	// Get returns a record, or ErrNotFound.
	Get(ctx context.Context, organization, id string) (Document, error)
	// List returns one page of the records that match r, without their versions, access
	// and outbox, and the number of matches on all pages. The id breaks ties, in the
	// direction of the first order. A page past the end is empty. Strings are compared
	// bytewise.
	List(ctx context.Context, organization string, r documentapi.ListRequest) ([]Document, int64, error)
	// Replace replaces the record with d's id if its Revision is that of d, and
	// increments the Revision. It returns ErrConflict if the Revision differs, and
	// ErrNotFound if there is no record.
	Replace(ctx context.Context, organization string, d Document) error
	// Remove deletes the record with d's id permanently if its Revision is that of d. It
	// returns ErrConflict if the Revision differs. A missing record is not an error.
	Remove(ctx context.Context, organization string, d Document) error
	Backlog
}

// Backlog is the part of a Store that lists outstanding work, across all organizations.
// Its records have only ID, Organization, Revision, Outbox and DeletedAt, because it
// returns many at once and each record may be large.
type Backlog interface {
	// Unpublished returns up to limit records whose Outbox is not empty.
	Unpublished(ctx context.Context, limit int) ([]Document, error)
	// Published removes from each record the events in the given Outbox, and increments
	// its Revision. It skips missing records.
	Published(ctx context.Context, documents []Document) error
	// Deleted returns up to limit records that were deleted before the given time, in
	// Unix milliseconds, in the order of their deletion.
	Deleted(ctx context.Context, before int64, limit int) ([]Document, error)
}

// The errors of a Store, in addition to those of its database.
var (
	ErrExists   = errors.New("a document with that id already exists")
	ErrNotFound = errors.New("no such document")
	ErrConflict = errors.New("the document has changed since it was read")
)
