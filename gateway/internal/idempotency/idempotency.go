// Package idempotency remembers requests that carry an Idempotency-Key, so that
// one that is sent again is not done again: it gets the answer of the first.
//
// A request has a lease for as long as it runs. If the program dies, the next
// identical request takes over when the lease has ended, and keeps the time of
// the first beginning: the ids that follow from it are those that the first one
// may have made something under.
package idempotency

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Scope is where an Idempotency-Key means one request.
type Scope struct {
	Organization string
	// Key is the id of the API key, never the key itself.
	Key string
	// Route is the method and template of the path.
	Route string
	// Value is that of the header.
	Value string
}

// Hash is the SHA-256 of all that makes two requests the same.
type Hash [sha256.Size]byte

// Record is what is remembered of a request. Times are whole milliseconds.
type Record struct {
	Scope
	Hash Hash
	// DocumentID is the id of the document that the request is about, or of the
	// one that it makes.
	DocumentID string
	// CreatedAt is when the first of the identical requests began.
	CreatedAt time.Time
	// ExpiresAt is when the record may be forgotten, unless its request runs.
	ExpiresAt time.Time
	// Owner is who runs the request, another one for each attempt.
	Owner string
	// LeaseUntil is how long the owner alone may run it; the zero time once the
	// owner has ended.
	LeaseUntil time.Time
	// Answer is what the request was answered with, nil until then.
	Answer []byte
}

// Outcome is what becomes of a request that has an Idempotency-Key.
type Outcome string

// The outcomes. Their values are labels of a metric.
const (
	// First is a request that is to be done.
	First Outcome = "first"
	// TakenOver is one that is to be done because nobody does it any more.
	TakenOver Outcome = "taken_over"
	// Running is one that somebody else is doing.
	Running Outcome = "running"
	// Answered is one that has its answer.
	Answered Outcome = "replayed"
	// Conflict is another request than the one of this Idempotency-Key.
	Conflict Outcome = "conflict"
)

// Meets returns what becomes of a request that comes at the time now and finds
// r in its scope.
func (r Record) Meets(claim Record, now time.Time) Outcome {
	running := r.LeaseUntil.After(now)
	released := r.Answer == nil && r.LeaseUntil.IsZero()
	same := r.Hash == claim.Hash
	switch {
	case !running && !r.ExpiresAt.After(now):
		return First
	case !same && released:
		return First
	case !same:
		return Conflict
	case r.Answer != nil:
		return Answered
	case running:
		return Running
	}
	return TakenOver
}

// seed tells the request from all others. The header is printable, so that no
// part of it can be taken for another.
func (r Record) seed() string {
	return strings.Join([]string{r.Organization, r.Key, r.Route, r.Value, fmt.Sprintf("%x", r.Hash)}, "\n")
}

// Token marks what the request makes, the same for each attempt at it; "" for
// the zero record.
func (r Record) Token() string {
	if r.CreatedAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%d", r.seed(), r.CreatedAt.UnixMilli())))
}

// ErrLost says that a record is no longer there, is answered, or has another
// owner.
var ErrLost = errors.New("the record is no longer the caller's")

// Store keeps records, at most one in each scope. The suite in package storetest
// is the specification of it.
type Store interface {
	// Begin looks for a record in the scope of claim, and returns what it Meets
	// at the time now. First stores claim in place of what was there; TakenOver
	// gives the record there the owner and the lease of claim and changes
	// nothing else of it; the others change nothing. Of many at the same time
	// one gets First, or TakenOver. The record returned is the one that is
	// there afterwards.
	Begin(ctx context.Context, claim Record, now time.Time) (Record, Outcome, error)
	// Renew sets the lease of a running record. ErrLost if it is not r.Owner's.
	Renew(ctx context.Context, r Record, until time.Time) error
	// Finish sets the answer of a running record and ends its lease. ErrLost if
	// it is not r.Owner's.
	Finish(ctx context.Context, r Record, answer []byte) error
	// Release ends the lease of a running record: an identical request takes it
	// over, another one replaces it. ErrLost if it is not r.Owner's.
	Release(ctx context.Context, r Record) error
	// Remove removes a record, running or not. ErrLost if it is not r.Owner's.
	Remove(ctx context.Context, r Record) error
	// ForgetDocument removes the records of a document, running or not. It is
	// no error if there are none.
	ForgetDocument(ctx context.Context, organization, documentID string) error
	// Expire removes at most limit of the records that have expired at the time
	// now and do not run, and returns how many it has removed.
	Expire(ctx context.Context, now time.Time, limit int) (int, error)
}
