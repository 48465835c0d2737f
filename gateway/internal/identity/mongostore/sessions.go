package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/mongodb"
)

// session is a session or a link as it is stored. ExpiresAt is a date, because the TTL
// index requires one.
type session struct {
	Digest    []byte    `bson:"_id"`
	Kind      string    `bson:"kind"`
	Key       string    `bson:"api_key"`
	CreatedAt int64     `bson:"created_at"`
	ExpiresAt time.Time `bson:"expires_at"`
}

// session converts s to an identity.Session.
func (s session) session() identity.Session {
	n := identity.Session{
		Kind: identity.SessionKind(s.Kind), KeyID: s.Key, CreatedAt: instant(s.CreatedAt), ExpiresAt: s.ExpiresAt.UTC(),
	}
	copy(n.Digest[:], s.Digest)
	return n
}

// withDigest returns a filter for the session of the kind with one of the digests.
func withDigest(kind identity.SessionKind, digests []identity.Digest) bson.D {
	return append(is("_id", is("$in", candidates(digests))), is("kind", string(kind))...)
}

// CreateSession implements identity.Sessions. The TTL index removes expired sessions.
func (s *Store) CreateSession(ctx context.Context, n identity.Session) error {
	return s.db.Do(ctx, "add the session", func(ctx context.Context) error {
		_, err := s.sessions.InsertOne(ctx, session{
			Digest: n.Digest[:], Kind: string(n.Kind), Key: n.KeyID, CreatedAt: millis(n.CreatedAt), ExpiresAt: n.ExpiresAt,
		})
		if mongodb.IsDuplicate(err) {
			return identity.ErrExists
		}
		if err != nil {
			return err
		}
		return s.removeOldest(ctx, n.KeyID, n.Kind)
	})
}

// removeOldest removes the sessions of a key, of one kind, that exceed
// identity.MaxSessions.
func (s *Store) removeOldest(ctx context.Context, keyID string, kind identity.SessionKind) error {
	cursor, err := s.sessions.Find(ctx, append(is("api_key", keyID), is("kind", string(kind))...), options.Find().SetHint(byKey).
		SetSort(is("created_at", -1)).SetSkip(identity.MaxSessions).SetProjection(is("_id", 1)))
	if err != nil {
		return err
	}
	var oldest []struct {
		Digest []byte `bson:"_id"`
	}
	if err := cursor.All(ctx, &oldest); err != nil || len(oldest) == 0 {
		return err
	}
	digests := make([][]byte, len(oldest))
	for i, o := range oldest {
		digests[i] = o.Digest
	}
	_, err = s.sessions.DeleteMany(ctx, is("_id", is("$in", digests)))
	return err
}

// FindSession implements identity.Sessions.
func (s *Store) FindSession(ctx context.Context, digests []identity.Digest) (identity.Session, identity.Account, error) {
	var found session
	err := s.db.Do(ctx, "find the session", func(ctx context.Context) error {
		return s.sessions.FindOne(ctx, withDigest(identity.SignedIn, digests)).Decode(&found)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = identity.ErrNotFound
	}
	if err != nil {
		return identity.Session{}, identity.Account{}, err
	}
	account, err := s.account(ctx, is("id", found.Key), byID)
	return found.session(), account, err
}

// TakeSession implements identity.Sessions.
func (s *Store) TakeSession(ctx context.Context, kind identity.SessionKind, digests []identity.Digest) (identity.Session, error) {
	var taken session
	err := s.db.Do(ctx, "remove the session", func(ctx context.Context) error {
		return s.sessions.FindOneAndDelete(ctx, withDigest(kind, digests)).Decode(&taken)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = identity.ErrNotFound
	}
	if err != nil {
		return identity.Session{}, err
	}
	return taken.session(), nil
}
