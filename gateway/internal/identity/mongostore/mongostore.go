// Package mongostore keeps organizations, users, API keys and sessions in MongoDB or a
// compatible database.
package mongostore

import (
	"context"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is an identity.Store in a MongoDB database.
type Store struct {
	db                                   *mongodb.DB
	organizations, users, keys, sessions *mongo.Collection
}

var _ identity.Store = (*Store)(nil)

// The collections.
const (
	organizations = "organizations"
	users         = "users"
	keys          = "api_keys"
	sessions      = "sessions"
)

// The names of the indexes. Each query names its index as a hint, because DocumentDB often
// picks the wrong one.
const (
	byID           = "id"
	byName         = "name"
	byEmail        = "email"
	byDigest       = "digest"
	byOrganization = "organization"
	byKey          = "api_key"
	byExpiry       = "expires_at"
)

// indexes are the indexes of the collections. In each collection, _id is a sequence number,
// see insert, except for sessions, where it is the digest. MongoDB removes a session when
// it has expired.
var indexes = mongodb.Indexes{
	organizations: {unique(byID, "id"), unique(byName, "name")},
	users:         {unique(byID, "id"), unique(byEmail, "organization", "email_folded")},
	keys: {
		unique(byID, "id"), unique(byDigest, "digest"),
		{Keys: ascending("organization", "_id"), Options: options.Index().SetName(byOrganization)},
	},
	sessions: {
		{Keys: ascending("api_key", "kind", "created_at"), Options: options.Index().SetName(byKey)},
		{Keys: ascending("expires_at"), Options: options.Index().SetName(byExpiry).SetExpireAfterSeconds(0)},
	},
}

// unique returns a unique index on the fields.
func unique(name string, fields ...string) mongo.IndexModel {
	return mongo.IndexModel{Keys: ascending(fields...), Options: options.Index().SetName(name).SetUnique(true)}
}

// ascending returns the keys of an ascending index on the fields.
func ascending(fields ...string) bson.D {
	var order bson.D
	for _, f := range fields {
		order = append(order, bson.E{Key: f, Value: 1})
	}
	return order
}

// Open opens the Store in the database that the URL names; see mongodb.Open. The caller
// closes it.
func Open(ctx context.Context, url string, t *telemetry.Telemetry) (*Store, error) {
	db, err := mongodb.Open(ctx, url, indexes, t)
	if err != nil {
		return nil, err
	}
	return &Store{
		db: db, organizations: db.Collection(organizations), users: db.Collection(users), keys: db.Collection(keys), sessions: db.Collection(sessions),
	}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// is returns a document with one field, such as a condition.
func is(field string, value any) bson.D { return bson.D{{Key: field, Value: value}} }

// either returns a condition that matches if one of the conditions does.
func either(conditions ...bson.D) bson.D { return is("$or", conditions) }

// insert adds a document. Its _id is the highest one plus one, so that lists sorted by _id
// are in insertion order and new documents always come last. If another writer takes the
// number first, insert tries the next one. It returns ErrExists if the filter taken finds a
// document.
func (s *Store) insert(ctx context.Context, c *mongo.Collection, taken bson.D, document func(number int64) any) error {
	return s.db.Do(ctx, "add to "+c.Name(), func(ctx context.Context) error {
		for {
			var last struct {
				Number int64 `bson:"_id"`
			}
			err := c.FindOne(ctx, bson.D{}, options.FindOne().SetSort(is("_id", -1)).SetProjection(is("_id", 1))).Decode(&last)
			if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
				return err
			}
			if _, err = c.InsertOne(ctx, document(last.Number+1)); !mongodb.IsDuplicate(err) {
				return err
			}
			err = c.FindOne(ctx, taken, options.FindOne().SetProjection(is("_id", 1))).Err()
			if err == nil {
				return identity.ErrExists
			}
			if !errors.Is(err, mongo.ErrNoDocuments) {
				return err
			}
		}
	})
}

// first decodes the oldest document that matches the filter, or returns ErrNotFound.
func (s *Store) first(ctx context.Context, c *mongo.Collection, filter bson.D, index string, into any) error {
	o := options.FindOne().SetSort(is("_id", 1)).SetProjection(projections[c.Name()])
	if index != "" {
		o.SetHint(index)
	}
	err := s.db.Do(ctx, "read "+c.Name(), func(ctx context.Context) error { return c.FindOne(ctx, filter, o).Decode(into) })
	if errors.Is(err, mongo.ErrNoDocuments) {
		return identity.ErrNotFound
	}
	return err
}

// projections are the fields that are read from each collection. The digests of keys are
// never read.
var projections = map[string]bson.D{
	organizations: {{Key: "_id", Value: 0}},
	users:         {{Key: "_id", Value: 0}, {Key: "email_folded", Value: 0}},
	keys:          {{Key: "_id", Value: 0}, {Key: "digest", Value: 0}},
}

// all decodes the documents that match the filter into a slice, in insertion order.
func (s *Store) all(ctx context.Context, c *mongo.Collection, filter bson.D, index string, into any) error {
	o := options.Find().SetSort(is("_id", 1)).SetProjection(projections[c.Name()])
	if index != "" {
		o.SetHint(index)
	}
	return s.db.Do(ctx, "list "+c.Name(), func(ctx context.Context) error {
		cursor, err := c.Find(ctx, filter, o)
		if err != nil {
			return err
		}
		return cursor.All(ctx, into)
	})
}

// organization is an organization as it is stored.
type organization struct {
	Number int64  `bson:"_id,omitempty"`
	ID     string `bson:"id"`
	Name   string `bson:"name"`
}

// CreateOrganization implements identity.Directory.
func (s *Store) CreateOrganization(ctx context.Context, o identity.Organization) error {
	return s.insert(ctx, s.organizations, either(is("id", o.ID), is("name", o.Name)), func(number int64) any {
		return organization{number, o.ID, o.Name}
	})
}

// FindOrganization implements identity.Directory.
func (s *Store) FindOrganization(ctx context.Context, idOrName string) (identity.Organization, error) {
	var o organization
	var err error
	if idOrName == "" {
		err = s.first(ctx, s.organizations, bson.D{}, "", &o)
	} else {
		err = s.first(ctx, s.organizations, is("id", idOrName), byID, &o)
		if errors.Is(err, identity.ErrNotFound) {
			err = s.first(ctx, s.organizations, is("name", idOrName), byName, &o)
		}
	}
	return identity.Organization{ID: o.ID, Name: o.Name}, err
}

// user is a user as it is stored.
type user struct {
	Number       int64  `bson:"_id,omitempty"`
	ID           string `bson:"id"`
	Organization string `bson:"organization"`
	Email        string `bson:"email"`
	EmailFolded  string `bson:"email_folded,omitempty"`
	Name         string `bson:"name"`
}

// user converts u to a contract.User.
func (u user) user() contract.User { return contract.User{ID: u.ID, Email: u.Email, Name: u.Name} }

// withEmail returns a filter for the user of an organization with an e-mail address,
// ignoring case.
func withEmail(organization, email string) bson.D {
	return append(is("organization", organization), is("email_folded", strings.ToLower(email))...)
}

// CreateUser implements identity.Directory.
func (s *Store) CreateUser(ctx context.Context, organization string, u contract.User) error {
	return s.insert(ctx, s.users, either(is("id", u.ID), withEmail(organization, u.Email)), func(number int64) any {
		return user{number, u.ID, organization, u.Email, strings.ToLower(u.Email), u.Name}
	})
}

// FindUser implements identity.Directory.
func (s *Store) FindUser(ctx context.Context, organization, idOrEmail string) (contract.User, error) {
	var u user
	var err error
	if idOrEmail == "" {
		err = s.first(ctx, s.users, is("organization", organization), byEmail, &u)
	} else {
		err = s.first(ctx, s.users, append(is("id", idOrEmail), is("organization", organization)...), byID, &u)
		if errors.Is(err, identity.ErrNotFound) {
			err = s.first(ctx, s.users, withEmail(organization, idOrEmail), byEmail, &u)
		}
	}
	return u.user(), err
}

// ListUsers implements identity.Directory.
func (s *Store) ListUsers(ctx context.Context, organization string) ([]contract.User, error) {
	var found []user
	if err := s.all(ctx, s.users, is("organization", organization), byEmail, &found); err != nil {
		return nil, err
	}
	var all []contract.User
	for _, u := range found {
		all = append(all, u.user())
	}
	return all, nil
}
