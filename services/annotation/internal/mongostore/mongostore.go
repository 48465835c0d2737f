// Package mongostore stores fields in MongoDB, or in a server that speaks its protocol.
package mongostore

import (
	"context"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation/internal/domain"
)

// Store is a domain.Store in a MongoDB database.
type Store struct {
	db                *mongodb.DB
	found, registries *mongo.Collection
}

var _ domain.Store = (*Store)(nil)

// indexes are the indexes of the collections. Registries are only looked up by place,
// their _id.
var indexes = mongodb.Indexes{
	"fields_found": {
		{Keys: bson.D{{Key: "organization", Value: 1}, {Key: "document", Value: 1}}, Options: options.Index().SetName("by_document")},
		{Keys: bson.D{{Key: "used_at", Value: 1}}, Options: options.Index().SetName("by_use")},
	},
}

// Open returns a Store in the database that the URL names. It waits until the server is
// available or ctx ends. The caller closes the Store.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, indexes, t)
	if err != nil {
		return nil, err
	}
	return &Store{db, db.Collection("fields_found"), db.Collection("field_registries")}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns nil if the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// found is a stored domain.Found. Members that are queried have their own field; the rest
// is JSON.
type found struct {
	Place        string `bson:"_id"`
	Organization string `bson:"organization"`
	Document     string `bson:"document"`
	UsedAt       int64  `bson:"used_at"`
	Record       string `bson:"record"`
}

// registry is the stored registry of a document.
type registry struct {
	Place    string `bson:"_id"`
	Revision int64  `bson:"revision"`
	Record   string `bson:"record"`
}

// place returns the _id of a record, which makes it unique. The parts contain no line
// breaks.
func place(parts ...string) string { return strings.Join(parts, "\n") }

// at returns the filter for one place.
func at(parts ...string) bson.D { return bson.D{{Key: "_id", Value: place(parts...)}} }

// Found implements domain.Store.
func (s *Store) Found(ctx context.Context, organization string, c domain.Content) (domain.Found, error) {
	var r found
	err := s.db.Do(ctx, "read the fields of document "+c.DocumentID, func(ctx context.Context) error {
		return s.found.FindOne(ctx, at(organization, c.DocumentID, c.SHA256, c.Version)).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.Found{}, domain.ErrNotFound
	}
	f := domain.Found{UsedAt: r.UsedAt}
	if err != nil {
		return f, err
	}
	return f, domain.Decode([]byte(r.Record), &f)
}

// KeepFound implements domain.Store.
func (s *Store) KeepFound(ctx context.Context, organization string, c domain.Content, f domain.Found) error {
	data, err := domain.Encode(f)
	if err != nil {
		return err
	}
	r := found{place(organization, c.DocumentID, c.SHA256, c.Version), organization, c.DocumentID, f.UsedAt, string(data)}
	return s.upsert(ctx, "store the fields of document "+c.DocumentID, func(ctx context.Context) error {
		_, err := s.found.ReplaceOne(ctx, bson.D{{Key: "_id", Value: r.Place}}, r, options.Replace().SetUpsert(true))
		return err
	})
}

// upsertTries is the maximum number of tries of an upsert that loses to concurrent ones.
const upsertTries = 32

// upsert runs a command that creates a record if it does not exist. If two run
// concurrently and find no record, one fails with a duplicate key, and finds the record
// when it tries again.
func (s *Store) upsert(ctx context.Context, what string, command func(context.Context) error) (err error) {
	for range upsertTries {
		if err = s.db.Do(ctx, what, command); !mongodb.IsDuplicate(err) {
			return err
		}
	}
	return err
}

// Registry implements domain.Store.
func (s *Store) Registry(ctx context.Context, organization, documentID string) (domain.Registry, error) {
	var r registry
	err := s.db.Do(ctx, "read the registry of document "+documentID, func(ctx context.Context) error {
		return s.registries.FindOne(ctx, at(organization, documentID)).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.Registry{}, nil
	}
	found := domain.Registry{Revision: r.Revision}
	if err != nil {
		return found, err
	}
	return found, domain.Decode([]byte(r.Record), &found.Definitions)
}

// PutRegistry implements domain.Store.
func (s *Store) PutRegistry(ctx context.Context, organization, documentID string, definitions []annotationapi.Definition) (domain.Registry, error) {
	data, err := domain.Encode(definitions)
	if err != nil {
		return domain.Registry{}, err
	}
	change := bson.D{
		{Key: "$set", Value: bson.D{{Key: "record", Value: string(data)}}},
		{Key: "$inc", Value: bson.D{{Key: "revision", Value: int64(1)}}},
	}
	var r registry
	err = s.upsert(ctx, "replace the registry of document "+documentID, func(ctx context.Context) error {
		how := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After).SetProjection(bson.D{{Key: "revision", Value: 1}})
		return s.registries.FindOneAndUpdate(ctx, at(organization, documentID), change, how).Decode(&r)
	})
	return domain.Registry{Definitions: definitions, Revision: r.Revision}, err
}

// Forget implements domain.Store.
func (s *Store) Forget(ctx context.Context, organization, documentID string) error {
	return s.db.Do(ctx, "delete the fields of document "+documentID, func(ctx context.Context) error {
		_, err := s.found.DeleteMany(ctx, bson.D{{Key: "organization", Value: organization}, {Key: "document", Value: documentID}})
		if err == nil {
			_, err = s.registries.DeleteOne(ctx, at(organization, documentID))
		}
		return err
	})
}

// Expire implements domain.Store.
func (s *Store) Expire(ctx context.Context, before int64, limit int) (removed int, err error) {
	err = s.db.Do(ctx, "remove expired fields", func(ctx context.Context) error {
		old := bson.D{{Key: "used_at", Value: bson.D{{Key: "$lt", Value: before}}}}
		how := options.Find().SetLimit(int64(limit)).SetProjection(bson.D{{Key: "_id", Value: 1}})
		cursor, err := s.found.Find(ctx, old, how)
		if err != nil {
			return err
		}
		var records []found
		if err := cursor.All(ctx, &records); err != nil {
			return err
		}
		for _, r := range records {
			// A record used in the meantime stays.
			result, err := s.found.DeleteOne(ctx, append(bson.D{{Key: "_id", Value: r.Place}}, old...))
			if err != nil {
				return err
			}
			removed += int(result.DeletedCount)
		}
		return nil
	})
	return removed, err
}
