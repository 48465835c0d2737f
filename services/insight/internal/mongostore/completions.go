package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rectohq/recto/services/insight/internal/domain"
)

// completion is a domain.Completion as stored.
type completion struct {
	Place        string `bson:"_id"`
	Organization string `bson:"organization"`
	Job          string `bson:"job"`
	Document     string `bson:"document"`
	ExpiresAt    int64  `bson:"expires_at"`
	Data         []byte `bson:"data"`
}

// KeepCompletion implements domain.Completions.
func (s *Store) KeepCompletion(ctx context.Context, organization string, c domain.Completion) error {
	if err := c.Check(); err != nil {
		return err
	}
	r := completion{place(organization, c.JobID, c.Key), organization, c.JobID, c.DocumentID, c.ExpiresAt, c.Data}
	return s.put(ctx, "store a completion of job "+c.JobID, s.completions, r.Place, r)
}

// Completion implements domain.Completions.
func (s *Store) Completion(ctx context.Context, organization, jobID, key string) ([]byte, error) {
	var r completion
	err := s.db.Do(ctx, "read a completion of job "+jobID, func(ctx context.Context) error {
		return s.completions.FindOne(ctx, at(place(organization, jobID, key))).Decode(&r)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, domain.ErrNotFound
	}
	return r.Data, err
}

// ForgetCompletions implements domain.Completions.
func (s *Store) ForgetCompletions(ctx context.Context, organization, jobID string) error {
	return s.db.Do(ctx, "remove the completions of job "+jobID, func(ctx context.Context) error {
		_, err := s.completions.DeleteMany(ctx, bson.D{{Key: "organization", Value: organization}, {Key: "job", Value: jobID}})
		return err
	})
}
