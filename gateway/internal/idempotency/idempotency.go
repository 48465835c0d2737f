// Package idempotency remembers requests with an Idempotency-Key. A repeated request does
// not run again: it gets the response of the first one.
//
// A request holds a lease while it runs. If the program dies, the next identical request
// takes over when the lease has expired. It keeps the start time of the first request, so
// that it derives the same ids and finds anything that the first request created.
package idempotency

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Scope is the scope within which an Idempotency-Key identifies one request.
type Scope struct {
	Organization string
	// Key is the id of the API key, never the key itself.
	Key string
	// Route is the method and the path template.
	Route string
	// Value is the value of the Idempotency-Key header.
	Value string
}

// Hash is the SHA-256 of everything that identical requests have in common.
type Hash [sha256.Size]byte

// Record is the stored state of a request. Times are in whole milliseconds.
type Record struct {
	Scope
	Hash Hash
	// DocumentID is the id of the document that the request is about or creates.
	DocumentID string
	// CreatedAt is when the first of the identical requests began.
	CreatedAt time.Time
	// ExpiresAt is when the record may be removed, unless its request is running.
	ExpiresAt time.Time
	// Owner identifies the attempt that runs the request.
	Owner string
	// LeaseUntil is when the owner's lease expires; the zero time once the owner has
	// finished.
	LeaseUntil time.Time
	// Answer is the response to the request, nil until then.
	Answer []byte
}

// Outcome is how to handle a request with an Idempotency-Key.
type Outcome string

// The outcomes. Their values are labels of a metric.
const (
	// First means that the request is new and must run.
	First Outcome = "first"
	// TakenOver means that the request must run because its previous owner stopped.
	TakenOver Outcome = "taken_over"
	// Running means that another owner is running the request.
	Running Outcome = "running"
	// Answered means that the request already has a response.
	Answered Outcome = "replayed"
	// Conflict means that the Idempotency-Key belongs to a different request.
	Conflict Outcome = "conflict"
)

// Meets returns the outcome of a request that arrives at the time now, wants to store
// claim, and finds r in its scope.
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

// seed returns a string that is unique to the request. The header value is printable, so it
// contains no line break that could be taken for a separator.
func (r Record) seed() string {
	return strings.Join([]string{r.Organization, r.Key, r.Route, r.Value, fmt.Sprintf("%x", r.Hash)}, "\n")
}

// Token returns a token that marks what the request creates. It is the same for each
// attempt, and "" for the zero Record.
func (r Record) Token() string {
	if r.CreatedAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%d", r.seed(), r.CreatedAt.UnixMilli())))
}

// ErrLost is returned if a record no longer exists, has a response, or has another owner.
var ErrLost = errors.New("the caller no longer owns the record")

// Store keeps at most one record for each scope. The test suite in package storetest
// specifies it.
type Store interface {
	// Begin finds the record in the scope of claim and returns the outcome of its Meets,
	// or First if there is none. For First, it replaces the record with claim. For
	// TakenOver, it sets only the owner and the lease of the record to those of claim.
	// For other outcomes it changes nothing. Of concurrent calls, one gets First or
	// TakenOver. Begin returns the record as it is stored afterwards.
	Begin(ctx context.Context, claim Record, now time.Time) (Record, Outcome, error)
	// Renew extends the lease of a running record. It returns ErrLost if the record is not
	// r.Owner's.
	Renew(ctx context.Context, r Record, until time.Time) error
	// Finish stores the response of a running record and ends its lease. It returns ErrLost
	// if the record is not r.Owner's.
	Finish(ctx context.Context, r Record, answer []byte) error
	// Release ends the lease of a running record. An identical request then takes it over,
	// and a different one replaces it. It returns ErrLost if the record is not r.Owner's.
	Release(ctx context.Context, r Record) error
	// Remove removes a record, running or not. It returns ErrLost if the record is not
	// r.Owner's.
	Remove(ctx context.Context, r Record) error
	// ForgetDocument removes the records of a document, running or not. It succeeds if
	// there are none.
	ForgetDocument(ctx context.Context, organization, documentID string) error
	// Expire removes at most limit records that have expired at the time now and are not
	// running. It returns how many it has removed.
	Expire(ctx context.Context, now time.Time, limit int) (int, error)
}
