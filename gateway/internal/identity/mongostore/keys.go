package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

// key is a key as it is stored. Times are Unix milliseconds, 0 for none.
type key struct {
	Number       int64            `bson:"_id,omitempty"`
	ID           string           `bson:"id"`
	Digest       []byte           `bson:"digest,omitempty"`
	Pepper       string           `bson:"pepper,omitempty"`
	Organization string           `bson:"organization"`
	User         string           `bson:"user"`
	Scopes       []contract.Scope `bson:"scopes"`
	Rate         int              `bson:"rate"`
	CreatedAt    int64            `bson:"created_at"`
	ExpiresAt    int64            `bson:"expires_at"`
	Revoked      bool             `bson:"revoked"`
	LastUsedAt   int64            `bson:"last_used_at"`
}

// key converts k to an identity.Key.
func (k key) key() identity.Key {
	return identity.Key{
		ID: k.ID, OrganizationID: k.Organization, UserID: k.User, Scopes: k.Scopes, Rate: identity.Rate(k.Rate), PepperID: k.Pepper,
		CreatedAt: instant(k.CreatedAt), ExpiresAt: instant(k.ExpiresAt), Revoked: k.Revoked, LastUsedAt: instant(k.LastUsedAt),
	}
}

// CreateKey implements identity.Keys.
func (s *Store) CreateKey(ctx context.Context, k identity.Key) error {
	return s.insert(ctx, s.keys, either(is("id", k.ID), is("digest", k.Digest[:])), func(number int64) any {
		return key{
			Number: number, ID: k.ID, Digest: k.Digest[:], Pepper: k.PepperID, Organization: k.OrganizationID, User: k.UserID,
			Scopes: k.Scopes, Rate: int(k.Rate), CreatedAt: millis(k.CreatedAt), ExpiresAt: millis(k.ExpiresAt),
			Revoked: k.Revoked, LastUsedAt: millis(k.LastUsedAt),
		}
	})
}

// FindAccount implements identity.Keys.
func (s *Store) FindAccount(ctx context.Context, digests []identity.Digest) (identity.Account, error) {
	return s.account(ctx, is("digest", is("$in", candidates(digests))), byDigest)
}

// candidates returns the digests as they are stored.
func candidates(digests []identity.Digest) [][]byte {
	all := make([][]byte, len(digests))
	for i, d := range digests {
		all[i] = d[:]
	}
	return all
}

// account returns the account of the key that matches the filter. It uses a single query,
// because it runs for each key every few seconds while a request waits.
func (s *Store) account(ctx context.Context, filter bson.D, index string) (identity.Account, error) {
	pipeline := mongo.Pipeline{
		is("$match", filter), is("$limit", 1), is("$project", projections[keys]),
		join(organizations, "organization", "organizations"), join(users, "user", "users"),
	}
	var found []struct {
		Key           key `bson:",inline"`
		Organizations []organization
		Users         []user
	}
	err := s.db.Do(ctx, "find the key", func(ctx context.Context) error {
		cursor, err := s.keys.Aggregate(ctx, pipeline, options.Aggregate().SetHint(index))
		if err != nil {
			return err
		}
		return cursor.All(ctx, &found)
	})
	if err != nil {
		return identity.Account{}, err
	}
	if len(found) == 0 || len(found[0].Organizations) == 0 || len(found[0].Users) == 0 {
		return identity.Account{}, identity.ErrNotFound
	}
	f := found[0]
	return identity.Account{
		Key: f.Key.key(), Organization: identity.Organization{ID: f.Organizations[0].ID, Name: f.Organizations[0].Name}, User: f.Users[0].user(),
	}, nil
}

// join returns a $lookup stage that adds the documents of a collection whose id is in a
// field, as a list.
func join(collection, field, as string) bson.D {
	return is("$lookup", bson.D{{Key: "from", Value: collection}, {Key: "localField", Value: field}, {Key: "foreignField", Value: "id"}, {Key: "as", Value: as}})
}

// GetKey implements identity.Keys.
func (s *Store) GetKey(ctx context.Context, id string) (identity.Key, error) {
	var k key
	err := s.first(ctx, s.keys, is("id", id), byID, &k)
	return k.key(), err
}

// ListKeys implements identity.Keys.
func (s *Store) ListKeys(ctx context.Context, organization string) ([]identity.Key, error) {
	filter, index := bson.D{}, ""
	if organization != "" {
		filter, index = is("organization", organization), byOrganization
	}
	var found []key
	if err := s.all(ctx, s.keys, filter, index, &found); err != nil {
		return nil, err
	}
	var all []identity.Key
	for _, k := range found {
		all = append(all, k.key())
	}
	return all, nil
}

// EndKey implements identity.Keys. It uses UpdateMany although only one key has the id: for
// UpdateOne, DocumentDB may scan the whole collection.
func (s *Store) EndKey(ctx context.Context, id string, at time.Time, revoked bool) error {
	change := is("$set", bson.D{{Key: "expires_at", Value: millis(at)}, {Key: "revoked", Value: revoked}})
	return s.db.Do(ctx, "end the key", func(ctx context.Context) error {
		result, err := s.keys.UpdateMany(ctx, is("id", id), change, options.UpdateMany().SetHint(byID))
		if err == nil && result.MatchedCount == 0 {
			err = identity.ErrNotFound
		}
		return err
	})
}

// TouchKeys implements identity.Keys. It uses UpdateMany for the same reason as EndKey.
func (s *Store) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	var changes []mongo.WriteModel
	for id, at := range used {
		changes = append(changes, mongo.NewUpdateManyModel().SetFilter(is("id", id)).SetHint(byID).
			SetUpdate(is("$max", is("last_used_at", millis(at)))))
	}
	if len(changes) == 0 {
		return nil
	}
	return s.db.Do(ctx, "store when keys were used", func(ctx context.Context) error {
		_, err := s.keys.BulkWrite(ctx, changes, options.BulkWrite().SetOrdered(false))
		return err
	})
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
