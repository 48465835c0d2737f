// Package mongostore keeps requests with an Idempotency-Key in MongoDB or a compatible
// database, for any number of gateways.
package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is an idempotency.Store in a MongoDB database.
type Store struct {
	db       *mongodb.DB
	requests *mongo.Collection
}

var _ idempotency.Store = (*Store)(nil)

const collection = "requests"

// The names of the indexes. Each query names its index as a hint, because DocumentDB often
// picks the wrong one.
const (
	byDocument = "document"
	byExpiry   = "expires_at"
)

// indexes are the indexes of the collection. There is no TTL index, because it would also
// remove the records of running requests; Expire removes expired records.
var indexes = mongodb.Indexes{collection: {
	{Keys: is("document", 1), Options: options.Index().SetName(byDocument)},
	{Keys: is("expires_at", 1), Options: options.Index().SetName(byExpiry)},
}}

// Open opens the Store in the database that the URL names; see mongodb.Open. The caller
// closes it.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, indexes, t)
	if err != nil {
		return nil, err
	}
	return &Store{db, db.Collection(collection)}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// request is a record as it is stored. Times are Unix milliseconds, 0 for none. The answer
// is absent until there is one.
type request struct {
	Scope        string `bson:"_id"`
	Organization string `bson:"organization"`
	Hash         []byte `bson:"hash"`
	Document     string `bson:"document"`
	CreatedAt    int64  `bson:"created_at"`
	ExpiresAt    int64  `bson:"expires_at"`
	Owner        string `bson:"owner"`
	LeaseUntil   int64  `bson:"lease_until"`
	Answer       []byte `bson:"answer,omitempty"`
}

// place returns the _id of the record of a scope. No part of a scope contains a line break.
func place(s idempotency.Scope) string {
	return strings.Join([]string{s.Organization, s.Key, s.Route, s.Value}, "\n")
}

// newRequest converts a record to its stored form.
func newRequest(r idempotency.Record) request {
	return request{
		Scope: place(r.Scope), Organization: r.Organization, Hash: r.Hash[:], Document: r.DocumentID, CreatedAt: millis(r.CreatedAt),
		ExpiresAt: millis(r.ExpiresAt), Owner: r.Owner, LeaseUntil: millis(r.LeaseUntil), Answer: r.Answer,
	}
}

// record is the inverse of newRequest.
func (r request) record(scope idempotency.Scope) idempotency.Record {
	record := idempotency.Record{
		Scope: scope, DocumentID: r.Document, CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt),
		Owner: r.Owner, LeaseUntil: instant(r.LeaseUntil), Answer: r.Answer,
	}
	copy(record.Hash[:], r.Hash)
	return record
}

// is returns a document with one field, such as a condition.
func is(field string, value any) bson.D { return bson.D{{Key: field, Value: value}} }

// atMost returns a condition that matches times up to t.
func atMost(t time.Time) bson.D { return is("$lte", millis(t)) }

// Begin implements idempotency.Store. Most requests are the first in their scope, so it
// tries to insert the record before it looks for an existing one.
func (s *Store) Begin(ctx context.Context, claim idempotency.Record, now time.Time) (record idempotency.Record, outcome idempotency.Outcome, err error) {
	err = s.db.Do(ctx, "begin the request", func(ctx context.Context) error {
		for {
			_, err := s.requests.InsertOne(ctx, newRequest(claim))
			if err == nil {
				record, outcome = claim, idempotency.First
			}
			if !mongodb.IsDuplicate(err) {
				return err
			}
			var known request
			err = s.requests.FindOne(ctx, is("_id", place(claim.Scope))).Decode(&known)
			if errors.Is(err, mongo.ErrNoDocuments) { // it has been removed since
				continue
			}
			if err != nil {
				return err
			}
			record = known.record(claim.Scope)
			outcome = record.Meets(claim, now)
			done, err := s.take(ctx, known, &record, outcome, claim)
			if done || err != nil {
				return err
			}
		}
	})
	return record, outcome, err
}

// take updates an existing record as the outcome requires. It reports false if the record
// has changed since it was read. Comparing its owner and lease is enough to detect that,
// since an owner ends a request only once.
func (s *Store) take(ctx context.Context, known request, record *idempotency.Record, outcome idempotency.Outcome, claim idempotency.Record) (bool, error) {
	switch outcome {
	case idempotency.First:
		*record = claim
	case idempotency.TakenOver:
		record.Owner, record.LeaseUntil = claim.Owner, claim.LeaseUntil
	default:
		return true, nil
	}
	result, err := s.requests.ReplaceOne(ctx, append(owned(record.Scope, known.Owner), is("lease_until", known.LeaseUntil)...), newRequest(*record))
	if err != nil {
		return false, err
	}
	return result.MatchedCount == 1, nil
}

// owned returns a filter for the record of a scope and an owner.
func owned(scope idempotency.Scope, owner string) bson.D {
	return append(is("_id", place(scope)), is("owner", owner)...)
}

// Renew implements idempotency.Store.
func (s *Store) Renew(ctx context.Context, r idempotency.Record, until time.Time) error {
	return s.change(ctx, r, "renew the lease", is("lease_until", millis(until)))
}

// Finish implements idempotency.Store.
func (s *Store) Finish(ctx context.Context, r idempotency.Record, answer []byte) error {
	return s.change(ctx, r, "keep the answer", append(is("answer", answer), is("lease_until", millis(time.Time{}))...))
}

// Release implements idempotency.Store.
func (s *Store) Release(ctx context.Context, r idempotency.Record) error {
	return s.change(ctx, r, "end the lease", is("lease_until", millis(time.Time{})))
}

// change sets fields of a running record, which is a record with a lease.
func (s *Store) change(ctx context.Context, r idempotency.Record, what string, fields bson.D) error {
	filter := append(owned(r.Scope, r.Owner), is("lease_until", is("$gt", millis(time.Time{})))...)
	return s.db.Do(ctx, what, func(ctx context.Context) error {
		result, err := s.requests.UpdateOne(ctx, filter, is("$set", fields))
		if err == nil && result.MatchedCount == 0 {
			err = idempotency.ErrLost
		}
		return err
	})
}

// Remove implements idempotency.Store.
func (s *Store) Remove(ctx context.Context, r idempotency.Record) error {
	return s.db.Do(ctx, "remove the request", func(ctx context.Context) error {
		result, err := s.requests.DeleteOne(ctx, owned(r.Scope, r.Owner))
		if err == nil && result.DeletedCount == 0 {
			err = idempotency.ErrLost
		}
		return err
	})
}

// ForgetDocument implements idempotency.Store.
func (s *Store) ForgetDocument(ctx context.Context, organization, documentID string) error {
	return s.db.Do(ctx, fmt.Sprintf("remove the requests of %s", documentID), func(ctx context.Context) error {
		_, err := s.requests.DeleteMany(ctx, append(is("document", documentID), is("organization", organization)...), options.DeleteMany().SetHint(byDocument))
		return err
	})
}

// Expire implements idempotency.Store. A record that it has found may be running again, or
// belong to another request, when it is deleted. The deletion therefore repeats the
// conditions.
func (s *Store) Expire(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	expired := append(is("expires_at", atMost(now)), is("lease_until", atMost(now))...)
	err = s.db.Do(ctx, "remove expired requests", func(ctx context.Context) error {
		cursor, err := s.requests.Find(ctx, expired, options.Find().SetHint(byExpiry).SetProjection(is("_id", 1)).SetLimit(int64(limit)))
		if err != nil {
			return err
		}
		var found []request
		if err := cursor.All(ctx, &found); err != nil || len(found) == 0 {
			return err
		}
		places := make([]string, len(found))
		for i, r := range found {
			places[i] = r.Scope
		}
		result, err := s.requests.DeleteMany(ctx, append(is("_id", is("$in", places)), expired...))
		if err == nil {
			removed = int(result.DeletedCount)
		}
		return err
	})
	return removed, err
}

// millis returns a time in Unix milliseconds, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant is the inverse of millis.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
