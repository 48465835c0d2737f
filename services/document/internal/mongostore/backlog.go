package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/services/document/internal/domain"
)

// Unpublished implements domain.Backlog.
func (s *Store) Unpublished(ctx context.Context, limit int) ([]domain.Document, error) {
	o := options.Find().SetHint(unpublishedIndex).SetSort(bson.D{{Key: "created_at", Value: 1}, {Key: "_id", Value: 1}}).
		SetLimit(int64(limit))
	return s.backlog(ctx, "read unpublished events", isUnpublished, o)
}

// Deleted implements domain.Backlog.
func (s *Store) Deleted(ctx context.Context, before int64, limit int) ([]domain.Document, error) {
	o := options.Find().SetHint(deletedIndex).SetSort(bson.D{{Key: "deleted_at", Value: 1}, {Key: "_id", Value: 1}}).
		SetLimit(int64(limit))
	return s.backlog(ctx, "read deleted documents", deletedBefore(before), o)
}

// deletedBefore returns the filter for documents deleted before a time.
func deletedBefore(t int64) bson.D {
	return bson.D{{Key: "deleted_at", Value: bson.D{isDeleted, {Key: "$lt", Value: t}}}}
}

// inBacklog is the projection to the fields of a domain.Backlog.
var inBacklog = bson.D{
	{Key: "organization", Value: 1}, {Key: "revision", Value: 1}, {Key: "outbox", Value: 1}, {Key: "deleted_at", Value: 1},
}

// backlog returns the records that match a filter, with the fields of a domain.Backlog.
func (s *Store) backlog(ctx context.Context, what string, filter bson.D, o *options.FindOptionsBuilder) ([]domain.Document, error) {
	var records []record
	err := s.db.Do(ctx, what, func(ctx context.Context) error {
		cursor, err := s.documents.Find(ctx, filter, o.SetProjection(inBacklog))
		if err != nil {
			return err
		}
		return cursor.All(ctx, &records) // closes the cursor
	})
	return documents(records), err
}

// Published implements domain.Backlog, for all records in one command. If the command
// fails halfway, the cleared outboxes stay cleared, and the events of the others are
// published again.
func (s *Store) Published(ctx context.Context, documents []domain.Document) error {
	var changes []mongo.WriteModel
	for _, d := range documents {
		ids := bson.A{}
		for _, e := range d.Outbox {
			ids = append(ids, e.ID)
		}
		changes = append(changes, mongo.NewUpdateOneModel().SetFilter(byID(d.Organization, d.ID)).SetUpdate(bson.D{
			{Key: "$pull", Value: bson.D{{Key: "outbox", Value: bson.D{{Key: "id", Value: bson.D{{Key: "$in", Value: ids}}}}}}},
			{Key: "$inc", Value: bson.D{{Key: "revision", Value: int64(1)}}},
		}))
	}
	if len(changes) == 0 {
		return nil
	}
	return s.db.Do(ctx, "clear outboxes", func(ctx context.Context) error {
		_, err := s.documents.BulkWrite(ctx, changes, options.BulkWrite().SetOrdered(false))
		return err
	})
}
