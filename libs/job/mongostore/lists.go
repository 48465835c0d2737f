package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
)

// Overdue implements job.Store.
func (s *Store) Overdue(ctx context.Context, before int64, limit int) ([]job.Record, error) {
	late := bson.D{{Key: "$lt", Value: before}}
	filter := append(append(of(""), hasTurn...), bson.E{Key: "$or", Value: bson.A{
		bson.D{{Key: "state", Value: jobapi.Queued}, {Key: "queued_at", Value: late}},
		bson.D{{Key: "state", Value: jobapi.Running}, {Key: "lease_ends", Value: late}},
	}})
	return s.list(ctx, filter, options.Find().SetHint(byTurn).SetSort(ascending("created_at")).SetLimit(int64(limit)))
}

// Dead implements job.Store.
func (s *Store) Dead(ctx context.Context, limit int) ([]job.Record, error) {
	return s.list(ctx, bson.D{{Key: "dead", Value: true}, {Key: "ended_at", Value: bson.D{{Key: "$gt", Value: never}}}},
		options.Find().SetHint(byEnd).SetSort(bson.D{{Key: "ended_at", Value: -1}}).SetLimit(int64(limit)))
}

// Ended implements job.Store.
func (s *Store) Ended(ctx context.Context, before int64, dead bool, limit int) ([]job.Record, error) {
	return s.list(ctx, bson.D{{Key: "dead", Value: dead}, {Key: "ended_at", Value: bson.D{{Key: "$gt", Value: never}, {Key: "$lt", Value: before}}}},
		options.Find().SetHint(byEnd).SetSort(ascending("ended_at")).SetLimit(int64(limit)))
}

// latestFirst is the order of lists: that of their indexes, reversed.
var latestFirst = bson.D{{Key: "created_at", Value: -1}, {Key: "id", Value: -1}}

// listed are the fields that List reads.
var listed = bson.D{
	{Key: "id", Value: 1}, {Key: "subject", Value: 1}, {Key: "state", Value: 1}, {Key: "created_at", Value: 1}, {Key: "ended_at", Value: 1},
}

// List implements job.Store.
func (s *Store) List(ctx context.Context, organization string, f job.Filter, limit int) (records []job.Record, total int64, err error) {
	filter, index := of(organization), byAge
	if len(f.States) > 0 {
		filter, index = append(filter, bson.E{Key: "state", Value: bson.D{{Key: "$in", Value: f.States}}}), byState
	}
	if len(f.Subjects) > 0 {
		filter, index = append(filter, bson.E{Key: "subject", Value: bson.D{{Key: "$in", Value: f.Subjects}}}), byDocument
	}
	var documents []document
	err = s.db.Do(ctx, "list jobs", func(ctx context.Context) (err error) {
		if total, err = s.jobs.CountDocuments(ctx, filter, options.Count().SetHint(index)); err != nil {
			return err
		}
		cursor, err := s.jobs.Find(ctx, filter, options.Find().SetHint(index).SetSort(latestFirst).SetProjection(listed).SetLimit(int64(limit)))
		if err != nil {
			return err
		}
		return cursor.All(ctx, &documents)
	})
	for _, d := range documents {
		records = append(records, job.Record{ID: d.ID, Subject: d.Subject, State: d.State, CreatedAt: d.CreatedAt, EndedAt: d.EndedAt})
	}
	return records, total, err
}

// list returns the jobs that match the filter.
func (s *Store) list(ctx context.Context, filter bson.D, o *options.FindOptionsBuilder) ([]job.Record, error) {
	var documents []document
	err := s.db.Do(ctx, "list jobs", func(ctx context.Context) error {
		cursor, err := s.jobs.Find(ctx, filter, o)
		if err != nil {
			return err
		}
		return cursor.All(ctx, &documents)
	})
	if err != nil {
		return nil, err
	}
	var records []job.Record
	for _, d := range documents {
		r, err := d.record()
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// Unfinished implements job.Store. Unfinished jobs are never dead; saying so in the
// filter lets the index answer the count.
func (s *Store) Unfinished(ctx context.Context, organization string) (n int64, err error) {
	filter, index := bson.D{{Key: "dead", Value: false}, {Key: "ended_at", Value: never}}, byEnd
	if organization != "" {
		filter, index = append(of(organization), filter...), unfinished
	}
	err = s.db.Do(ctx, "count jobs", func(ctx context.Context) (err error) {
		n, err = s.jobs.CountDocuments(ctx, filter, options.Count().SetHint(index))
		return err
	})
	return n, err
}

// Oldest implements job.Store. It reads the first entry of an index.
func (s *Store) Oldest(ctx context.Context) (int64, error) {
	var d document
	err := s.db.Do(ctx, "find the oldest job", func(ctx context.Context) error {
		return s.jobs.FindOne(ctx, bson.D{{Key: "ended_at", Value: never}},
			options.FindOne().SetHint(byWait).SetSort(ascending("created_at")).SetProjection(bson.D{{Key: "created_at", Value: 1}})).Decode(&d)
	})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return 0, nil
	}
	return d.CreatedAt, err
}

// Pending implements job.Store.
func (s *Store) Pending(ctx context.Context, organization, subject string, limit int) ([]job.Record, error) {
	filter := append(bson.D{{Key: "subject", Value: subject}}, of(organization)...)
	return s.list(ctx, append(filter, bson.E{Key: "ended_at", Value: never}), options.Find().SetHint(bySubject).SetLimit(int64(limit)))
}

// Remove implements job.Store. The ID identifies a single job, but for DeleteOne
// DocumentDB may scan the whole collection.
func (s *Store) Remove(ctx context.Context, organization, id string) error {
	return s.db.Do(ctx, "remove job "+id, func(ctx context.Context) error {
		_, err := s.jobs.DeleteMany(ctx, append(bson.D{{Key: "id", Value: id}}, of(organization)...), options.DeleteMany().SetHint(byID))
		return err
	})
}

// forgetBatch is how many jobs are removed at once.
const forgetBatch = 1000

// Forget implements job.Store. It searches again for jobs that were added meanwhile, so
// that it returns the IDs of all removed jobs.
func (s *Store) Forget(ctx context.Context, organization, subject string) ([]string, error) {
	var ids []string
	for {
		found, err := s.list(ctx, append(bson.D{{Key: "subject", Value: subject}}, of(organization)...),
			options.Find().SetHint(bySubject).SetLimit(forgetBatch))
		if err != nil || len(found) == 0 {
			return ids, err
		}
		for _, r := range found {
			ids = append(ids, r.ID)
		}
		last := append(of(organization), bson.E{Key: "id", Value: bson.D{{Key: "$in", Value: ids[len(ids)-len(found):]}}})
		err = s.db.Do(ctx, "remove the jobs of "+subject, func(ctx context.Context) error {
			_, err := s.jobs.DeleteMany(ctx, last, options.DeleteMany().SetHint(byID))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
}
