package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/mongodb"
)

// Promote implements job.Store: it gives the turns that are free to the jobs
// that wait longest, one by one.
func (s *Store) Promote(ctx context.Context, organization string, limit int, now int64) ([]job.Record, error) {
	var promoted []job.Record
	taken, err := s.taken(ctx, organization)
	if err != nil {
		return nil, err
	}
	for _, lane := range []jobapi.Lane{jobapi.Interactive, jobapi.Bulk} {
		organizations := []string{organization}
		if organization == "" {
			if organizations, err = s.waiting(ctx, lane); err != nil {
				return promoted, err
			}
		}
		for _, o := range organizations {
			q := queue{o, lane}
			records, err := s.promote(ctx, q, taken[q], limit, now)
			promoted = append(promoted, records...)
			if err != nil {
				return promoted, err
			}
		}
	}
	return promoted, nil
}

// queue is what jobs take turns in.
type queue struct {
	organization string
	lane         jobapi.Lane
}

// taken returns the turns that are taken in the queues of an organization or,
// "", of all.
func (s *Store) taken(ctx context.Context, organization string) (map[queue][]int, error) {
	var jobs []struct {
		Organization string
		Lane         jobapi.Lane `bson:"queued_lane"`
		Turn         int
	}
	err := s.db.Do(ctx, "find the jobs that are queued", func(ctx context.Context) error {
		cursor, err := s.jobs.Find(ctx, append(of(organization), hasTurn...), options.Find().SetHint(byTurn).
			SetProjection(bson.D{{Key: "_id", Value: 0}, {Key: "organization", Value: 1}, {Key: "queued_lane", Value: 1}, {Key: "turn", Value: 1}}))
		if err != nil {
			return err
		}
		return cursor.All(ctx, &jobs)
	})
	if err != nil {
		return nil, err
	}
	turns := map[queue][]int{}
	for _, j := range jobs {
		q := queue{j.Organization, j.Lane}
		turns[q] = append(turns[q], j.Turn)
	}
	return turns, nil
}

// of finds the jobs of an organization, or, "", of all: an index is used for
// those alone whose first field is asked for.
func of(organization string) bson.D {
	if organization == "" {
		return bson.D{{Key: "organization", Value: bson.D{{Key: "$gt", Value: ""}}}}
	}
	return bson.D{{Key: "organization", Value: organization}}
}

// isWaiting finds, of some jobs, those that wait for their turn in a lane.
func isWaiting(jobs bson.D, lane jobapi.Lane) bson.D {
	return append(jobs, bson.E{Key: "lane", Value: lane}, bson.E{Key: "queued_at", Value: never}, bson.E{Key: "ended_at", Value: never})
}

// waiting returns the organizations that have jobs waiting in a lane.
func (s *Store) waiting(ctx context.Context, lane jobapi.Lane) ([]string, error) {
	var groups []struct {
		Organization string `bson:"_id"`
	}
	err := s.db.Do(ctx, "find the organizations whose jobs wait", func(ctx context.Context) error {
		cursor, err := s.jobs.Aggregate(ctx, mongo.Pipeline{
			{{Key: "$match", Value: isWaiting(of(""), lane)}}, {{Key: "$group", Value: bson.D{{Key: "_id", Value: "$organization"}}}},
		}, options.Aggregate().SetHint(unfinished))
		if err != nil {
			return err
		}
		return cursor.All(ctx, &groups)
	})
	var organizations []string
	for _, g := range groups {
		organizations = append(organizations, g.Organization)
	}
	return organizations, err
}

// promote gives the free turns of a queue to the jobs that wait longest, and
// returns these. Where somebody else was quicker it looks again: who has ended a
// job must not leave its turn free because others were promoting as well.
func (s *Store) promote(ctx context.Context, q queue, taken []int, limit int, now int64) ([]job.Record, error) {
	var promoted []job.Record
	for {
		turns := freeTurns(taken, limit)
		if len(turns) == 0 {
			return promoted, nil
		}
		first, err := s.list(ctx, isWaiting(of(q.organization), q.lane),
			options.Find().SetHint(unfinished).SetSort(ascending("created_at", "_id")).SetLimit(int64(len(turns))))
		if err != nil {
			return promoted, err
		}
		given := 0
		for i, r := range first {
			ok, err := s.giveTurn(ctx, &r, turns[i], now)
			if err != nil {
				return promoted, err
			}
			if ok {
				given++
				promoted = append(promoted, r)
			}
		}
		if given == len(first) {
			return promoted, nil
		}
		all, err := s.taken(ctx, q.organization)
		if err != nil {
			return promoted, err
		}
		taken = all[q]
	}
}

// freeTurns returns the lowest of the turns below limit that are not taken, as
// many as there may be more: some that are taken may be above, from a time when
// the limit was higher, and count nevertheless.
func freeTurns(taken []int, limit int) []int {
	var free []int
	for turn := 0; turn < limit && len(taken)+len(free) < limit; turn++ {
		if !slices.Contains(taken, turn) {
			free = append(free, turn)
		}
	}
	return free
}

// giveTurn promotes a job. It reports false if the job has changed or the turn
// is taken since both were looked at.
func (s *Store) giveTurn(ctx context.Context, r *job.Record, turn int, now int64) (bool, error) {
	ok, err := s.change(ctx, *r, bson.D{{Key: "$set", Value: bson.D{
		{Key: "queued_at", Value: now}, {Key: "queued_lane", Value: r.Lane}, {Key: "turn", Value: turn},
	}}})
	if mongodb.IsDuplicate(err) || isDeadlock(err) {
		return false, nil
	}
	if ok {
		r.QueuedAt = now
		r.Revision++
	}
	return ok, err
}

// isDeadlock reports whether DocumentDB has chosen an update, of two that set
// the same turn, as the one to be undone. MongoDB decides such things by itself.
func isDeadlock(err error) bool {
	const deadlockDetected = 16908292 // 40P01, as PostgreSQL packs it into a number
	var e mongo.ServerError
	return errors.As(err, &e) && e.HasErrorCode(deadlockDetected)
}
