package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// fingerprint is a domain.Fingerprint as stored.
type fingerprint struct {
	Place        string  `bson:"_id"`
	Organization string  `bson:"organization"`
	Document     string  `bson:"document"`
	Version      int     `bson:"version"`
	Source       string  `bson:"source"`
	Signature    []byte  `bson:"signature"`
	Keys         []int64 `bson:"keys"`
}

// fingerprint returns the record as a domain.Fingerprint.
func (r fingerprint) fingerprint() domain.Fingerprint {
	return domain.Fingerprint{DocumentID: r.Document, Version: r.Version, Source: r.Source, Signature: r.Signature, Keys: r.Keys}
}

// KeepFingerprint implements domain.Fingerprints.
func (s *Store) KeepFingerprint(ctx context.Context, organization string, f domain.Fingerprint) (err error) {
	r := fingerprint{place(organization, f.DocumentID), organization, f.DocumentID, f.Version, f.Source, f.Signature, f.Keys}
	notLater := append(at(r.Place), bson.E{Key: "version", Value: bson.D{{Key: "$lte", Value: f.Version}}})
	for range putTries {
		err = s.db.Do(ctx, "store the fingerprint of document "+f.DocumentID, func(ctx context.Context) error {
			_, err := s.fingerprints.ReplaceOne(ctx, notLater, r, options.Replace().SetUpsert(true))
			return err
		})
		if !mongodb.IsDuplicate(err) {
			return err
		}
		// Either there is a later version, or a concurrent call inserted one.
		kept, findErr := s.Fingerprint(ctx, organization, f.DocumentID)
		if findErr == nil && kept.Version > f.Version {
			return nil
		}
	}
	return err
}

// Fingerprint implements domain.Fingerprints.
func (s *Store) Fingerprint(ctx context.Context, organization, documentID string) (domain.Fingerprint, error) {
	var r fingerprint
	err := s.db.Do(ctx, "read the fingerprint of document "+documentID, func(ctx context.Context) error {
		return s.fingerprints.FindOne(ctx, at(place(organization, documentID))).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return domain.Fingerprint{}, domain.ErrNotFound
	}
	r.Keys = nil
	return r.fingerprint(), err
}

// Candidates implements domain.Fingerprints.
func (s *Store) Candidates(ctx context.Context, organization string, keys []int64, limit int) ([]domain.Fingerprint, error) {
	var places []string
	for _, key := range keys {
		of, err := s.withKey(ctx, organization, key, limit)
		if err != nil {
			return nil, err
		}
		places = append(places, of...)
	}
	slices.Sort(places)
	var found []domain.Fingerprint
	for some := range slices.Chunk(slices.Compact(places), candidateBatch) {
		var batch []fingerprint
		err := s.db.Do(ctx, "read fingerprints", func(ctx context.Context) error {
			cursor, err := s.fingerprints.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: some}}}},
				options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetProjection(bson.D{{Key: "keys", Value: 0}}))
			if err != nil {
				return err
			}
			return cursor.All(ctx, &batch)
		})
		if err != nil {
			return nil, err
		}
		for _, r := range batch {
			found = append(found, r.fingerprint())
		}
	}
	return found, nil
}

// candidateBatch is how many fingerprints are read per call.
const candidateBatch = 500

// withKey returns the places of up to limit fingerprints with a key.
func (s *Store) withKey(ctx context.Context, organization string, key int64, limit int) (places []string, err error) {
	err = s.db.Do(ctx, "look for fingerprints", func(ctx context.Context) error {
		cursor, err := s.fingerprints.Find(ctx, bson.D{{Key: "organization", Value: organization}, {Key: "keys", Value: key}},
			options.Find().SetSort(bson.D{{Key: "document", Value: 1}}).SetLimit(int64(limit)).SetProjection(bson.D{{Key: "_id", Value: 1}}))
		if err != nil {
			return err
		}
		var records []struct {
			Place string `bson:"_id"`
		}
		if err := cursor.All(ctx, &records); err != nil {
			return err
		}
		places = nil // of an earlier try
		for _, r := range records {
			places = append(places, r.Place)
		}
		return nil
	})
	return places, err
}

// ForgetFingerprint implements domain.Fingerprints.
func (s *Store) ForgetFingerprint(ctx context.Context, organization, documentID string) error {
	return s.db.Do(ctx, "remove the fingerprint of document "+documentID, func(ctx context.Context) error {
		_, err := s.fingerprints.DeleteOne(ctx, at(place(organization, documentID)))
		return err
	})
}
