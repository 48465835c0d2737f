package domain

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// Store keeps the records of documents. The suite in package storetest is the
// specification that every implementation passes.
//
// Every method takes the organization first and neither sees nor changes the
// documents of another one. Deleted documents are in no list, but Get returns
// them. What a method has accepted outlives the process.
type Store interface {
	// Create adds a record, whose Revision becomes 1. ErrExists if there is
	// one of that id, in whatever organization.
	Create(ctx context.Context, organization string, d Document) error
	// Get returns a record. ErrNotFound if there is none.
	Get(ctx context.Context, organization, id string) (Document, error)
	// List returns one page of the records that meet r, without their
	// versions, access and outbox, and how many there are on all pages. The id
	// breaks ties in the direction of the first order. A page past the end is
	// empty. Texts are compared by their bytes.
	List(ctx context.Context, organization string, r documentapi.ListRequest) ([]Document, int64, error)
	// Replace stores d in place of the record of its id if that has the
	// Revision of d, and raises it by one. ErrConflict if it has another,
	// ErrNotFound if there is none.
	Replace(ctx context.Context, organization string, d Document) error
	// Remove deletes the record of d's id for good if it has the Revision of
	// d. ErrConflict if it has another; none is no error.
	Remove(ctx context.Context, organization string, d Document) error
	Backlog
}

// Backlog is what a Store knows of the work that is left to do, for whatever
// organization. It returns records with nothing but their ID, Organization,
// Revision, Outbox and DeletedAt: many of them at a time, and each may be large.
type Backlog interface {
	// Unpublished returns up to limit records whose Outbox is not empty.
	Unpublished(ctx context.Context, limit int) ([]Document, error)
	// Published removes from each of the records the events that stand in the
	// Outbox that is given, and raises its Revision. What is gone is left out.
	Published(ctx context.Context, documents []Document) error
	// Deleted returns up to limit records that were deleted before the time, in
	// Unix milliseconds: the first deleted first.
	Deleted(ctx context.Context, before int64, limit int) ([]Document, error)
}

// The errors of a Store, beside those of its database.
var (
	ErrExists   = errors.New("there is a document of that id already")
	ErrNotFound = errors.New("no such document")
	ErrConflict = errors.New("the document has changed since it was read")
)
