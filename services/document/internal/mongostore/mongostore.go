// Package mongostore stores the records of documents in MongoDB, or in a server that
// speaks its protocol. A record is one MongoDB document, and every change is one command
// on it, so no transactions are needed.
package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// Store is a domain.Store in a MongoDB database.
type Store struct {
	db        *mongodb.DB
	documents *mongo.Collection
}

var _ domain.Store = (*Store)(nil)

const collection = "documents"

// Open returns a Store in the database that the URL names. It waits until the server is
// available or ctx ends. The caller closes the Store.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, mongodb.Indexes{collection: indexes}, t)
	if err != nil {
		return nil, err
	}
	// Versions and events use their JSON names as field names.
	names := options.Collection().SetBSONOptions(&options.BSONOptions{UseJSONStructTags: true, NilSliceAsEmpty: true})
	return &Store{db, db.Collection(collection, names)}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Check returns nil if the database answers.
func (s *Store) Check(ctx context.Context) error { return s.db.Check(ctx) }

// record is a stored document.
type record struct {
	ID           string            `bson:"_id"`
	Organization string            `bson:"organization"`
	Name         string            `bson:"name"`
	State        documentapi.State `bson:"state"`
	CreatedAt    int64             `bson:"created_at"`
	UpdatedAt    int64             `bson:"updated_at"`
	CreatedBy    contract.User     `bson:"created_by"`
	UpdatedBy    contract.User     `bson:"updated_by"`
	Access       access            `bson:"access"`
	Versions     []domain.Version  `bson:"versions"`
	Revision     int64             `bson:"revision"`
	Outbox       []domain.Event    `bson:"outbox"`
	DeletedAt    int64             `bson:"deleted_at"`
}

// access is a stored domain.Access. Users are a list because text from a client must not
// become a field name.
type access struct {
	Organization domain.Permission `bson:"organization"`
	Users        []exception       `bson:"users"`
}

// exception is the permission of one user.
type exception struct {
	User       string            `bson:"user"`
	Permission domain.Permission `bson:"permission"`
}

// newRecord returns the record of a document in the organization.
func newRecord(organization string, d domain.Document, revision int64) record {
	r := record{
		ID: d.ID, Organization: organization, Name: d.Name, State: d.State, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
		CreatedBy: d.CreatedBy, UpdatedBy: d.UpdatedBy, Access: access{Organization: d.Access.Organization},
		Versions: d.Versions, Revision: revision, Outbox: d.Outbox, DeletedAt: d.DeletedAt,
	}
	for user, permission := range d.Access.Users {
		r.Access.Users = append(r.Access.Users, exception{user, permission})
	}
	return r
}

// document converts the record to a document.
func (r record) document() domain.Document {
	d := domain.Document{
		ID: r.ID, Organization: r.Organization, Name: r.Name, State: r.State, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		CreatedBy: r.CreatedBy, UpdatedBy: r.UpdatedBy, Access: domain.Access{Organization: r.Access.Organization},
		Versions: r.Versions, Revision: r.Revision, Outbox: r.Outbox, DeletedAt: r.DeletedAt,
	}
	for _, e := range r.Access.Users {
		if d.Access.Users == nil {
			d.Access.Users = map[string]domain.Permission{}
		}
		d.Access.Users[e.User] = e.Permission
	}
	return d
}

// byID returns the filter for one record.
func byID(organization, id string) bson.D {
	return bson.D{{Key: "_id", Value: id}, {Key: "organization", Value: organization}}
}

// byRevision returns the filter for one record at the revision of d.
func byRevision(organization string, d domain.Document) bson.D {
	return append(byID(organization, d.ID), bson.E{Key: "revision", Value: d.Revision})
}

// Create implements domain.Store.
func (s *Store) Create(ctx context.Context, organization string, d domain.Document) error {
	err := s.db.Do(ctx, "insert document "+d.ID, func(ctx context.Context) error {
		_, err := s.documents.InsertOne(ctx, newRecord(organization, d, 1))
		return err
	})
	if mongodb.IsDuplicate(err) {
		return domain.ErrExists
	}
	return err
}

// Get implements domain.Store.
func (s *Store) Get(ctx context.Context, organization, id string) (domain.Document, error) {
	var r record
	err := s.db.Do(ctx, "read document "+id, func(ctx context.Context) error {
		return s.documents.FindOne(ctx, byID(organization, id)).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.Document{}, domain.ErrNotFound
	}
	return r.document(), err
}

// Replace implements domain.Store.
func (s *Store) Replace(ctx context.Context, organization string, d domain.Document) error {
	var found int64
	err := s.db.Do(ctx, "update document "+d.ID, func(ctx context.Context) error {
		result, err := s.documents.ReplaceOne(ctx, byRevision(organization, d), newRecord(organization, d, d.Revision+1))
		if err == nil {
			found = result.MatchedCount
		}
		return err
	})
	if err != nil || found == 1 {
		return err
	}
	if err := s.exists(ctx, organization, d.ID); err != nil {
		return err
	}
	return domain.ErrConflict
}

// Remove implements domain.Store.
func (s *Store) Remove(ctx context.Context, organization string, d domain.Document) error {
	var removed int64
	err := s.db.Do(ctx, "remove document "+d.ID, func(ctx context.Context) error {
		result, err := s.documents.DeleteOne(ctx, byRevision(organization, d))
		if err == nil {
			removed = result.DeletedCount
		}
		return err
	})
	if err != nil || removed == 1 {
		return err
	}
	if err := s.exists(ctx, organization, d.ID); errors.Is(err, domain.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return domain.ErrConflict
}

// exists returns nil if there is a record with the id, and ErrNotFound if there is none.
// It reads only the id.
func (s *Store) exists(ctx context.Context, organization, id string) error {
	err := s.db.Do(ctx, "look for document "+id, func(ctx context.Context) error {
		return s.documents.FindOne(ctx, byID(organization, id), options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.ErrNotFound
	}
	return err
}
