// Package mongostore stores insights and the fingerprints of documents in MongoDB, or in a
// server compatible with its protocol, and what is known about the use of a language model.
package mongostore

import (
	"context"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// Store is a domain.Store, a domain.Completions, a domain.Fingerprints and a ledger.Store in
// a MongoDB database.
type Store struct {
	db           *mongodb.DB
	insights     *mongo.Collection
	completions  *mongo.Collection
	accounts     *mongo.Collection
	fingerprints *mongo.Collection
}

var (
	_ domain.Store        = (*Store)(nil)
	_ domain.Completions  = (*Store)(nil)
	_ domain.Fingerprints = (*Store)(nil)
	_ ledger.Store        = (*Store)(nil)
)

// indexes are the indexes of the collections.
var indexes = mongodb.Indexes{
	"insights": {
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "document", Value: 1}}, Options: options.Index().SetName("by_document")},
		{Keys: bson.D{{Key: "expires_at", Value: 1}}, Options: options.Index().SetName("by_expiry")},
	},
	"completions": {
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "document", Value: 1}}, Options: options.Index().SetName("by_document")},
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "job", Value: 1}}, Options: options.Index().SetName("by_job")},
		{Keys: bson.D{{Key: "expires_at", Value: 1}}, Options: options.Index().SetName("by_expiry")},
	},
	"accounts": {
		{Keys: bson.D{{Key: "period", Value: -1}, {Key: "organization", Value: 1}}, Options: options.Index().SetName("by_period")},
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "period", Value: -1}}, Options: options.Index().SetName("by_organization")},
		{Keys: bson.D{{Key: "expires_at", Value: 1}}, Options: options.Index().SetName("by_expiry")},
	},
	"fingerprints": {
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "keys", Value: 1}, {Key: "document", Value: 1}}, Options: options.Index().SetName("by_key")},
	},
}

// Open returns a Store in the database that the URL names. It waits until the server is
// available or ctx ends. The caller must close the Store.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, indexes, t)
	if err != nil {
		return nil, err
	}
	return &Store{
		db: db, insights: db.Collection("insights"), completions: db.Collection("completions"), accounts: db.Collection("accounts"),
		fingerprints: db.Collection("fingerprints"),
	}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns an error unless the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// insight is a domain.Insight as stored. Each property that is queried has its own field;
// the rest is JSON.
type insight struct {
	Place        string `bson:"_id"`
	Organization string `bson:"organization"`
	Document     string `bson:"document"`
	CreatedAt    int64  `bson:"created_at"`
	ExpiresAt    int64  `bson:"expires_at"`
	Analysis     string `bson:"analysis"`
}

// place returns the _id of a record. It is unique because no part contains line breaks.
func place(parts ...string) string { return strings.Join(parts, "\n") }

// at returns the filter for one place.
func at(place string) bson.D { return bson.D{{Key: "_id", Value: place}} }

// Insight implements domain.Store.
func (s *Store) Insight(ctx context.Context, organization, jobID string) (domain.Insight, error) {
	var r insight
	err := s.db.Do(ctx, "read the insights of job "+jobID, func(ctx context.Context) error {
		return s.insights.FindOne(ctx, at(place(organization, jobID))).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.Insight{}, domain.ErrNotFound
	}
	if err != nil {
		return domain.Insight{}, err
	}
	analysis, err := domain.Decode([]byte(r.Analysis))
	return domain.Insight{DocumentID: r.Document, Analysis: analysis, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}, err
}

// Keep implements domain.Store.
func (s *Store) Keep(ctx context.Context, organization, jobID string, i domain.Insight) error {
	data, err := domain.Encode(i.Analysis)
	if err != nil {
		return err
	}
	r := insight{place(organization, jobID), organization, i.DocumentID, i.CreatedAt, i.ExpiresAt, string(data)}
	return s.put(ctx, "store the insights of job "+jobID, s.insights, r.Place, r)
}

// putTries is the maximum number of tries of a write that loses to concurrent ones.
const putTries = 32

// put stores a record at a place, replacing an earlier one. If two calls find no record at
// the same time, one fails as a duplicate, and finds the record when it tries again.
func (s *Store) put(ctx context.Context, what string, c *mongo.Collection, place string, r any) (err error) {
	for range putTries {
		err = s.db.Do(ctx, what, func(ctx context.Context) error {
			_, err := c.ReplaceOne(ctx, at(place), r, options.Replace().SetUpsert(true))
			return err
		})
		if !mongodb.IsDuplicate(err) {
			return err
		}
	}
	return err
}

// Forget implements domain.Store.
func (s *Store) Forget(ctx context.Context, organization, documentID string) error {
	return s.db.Do(ctx, "remove the insights of document "+documentID, func(ctx context.Context) error {
		of := bson.D{{Key: "organization", Value: organization}, {Key: "document", Value: documentID}}
		_, err := s.insights.DeleteMany(ctx, of)
		if err != nil {
			return err
		}
		if _, err := s.completions.DeleteMany(ctx, of); err != nil {
			return err
		}
		_, err = s.fingerprints.DeleteOne(ctx, at(place(organization, documentID)))
		return err
	})
}

// Expire implements domain.Store.
func (s *Store) Expire(ctx context.Context, before int64, limit int) (removed int, err error) {
	for _, c := range []*mongo.Collection{s.insights, s.completions, s.accounts} {
		if removed == limit {
			break // in a query, a limit of 0 means none
		}
		n, err := s.expire(ctx, c, before, limit-removed)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// expire removes up to limit expired records of a collection.
func (s *Store) expire(ctx context.Context, c *mongo.Collection, before int64, limit int) (removed int, err error) {
	err = s.db.Do(ctx, "remove expired "+c.Name(), func(ctx context.Context) error {
		old := bson.D{{Key: "expires_at", Value: bson.D{{Key: "$lt", Value: before}}}}
		how := options.Find().SetLimit(int64(limit)).SetProjection(bson.D{{Key: "_id", Value: 1}})
		cursor, err := c.Find(ctx, old, how)
		if err != nil {
			return err
		}
		var records []struct {
			Place string `bson:"_id"`
		}
		if err := cursor.All(ctx, &records); err != nil {
			return err
		}
		for _, r := range records {
			// A record that was renewed meanwhile must stay.
			result, err := c.DeleteOne(ctx, append(at(r.Place), old...))
			if err != nil {
				return err
			}
			removed += int(result.DeletedCount)
		}
		return nil
	})
	return removed, err
}
