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

// Promote implements job.Store: it gives the free turns to the longest-waiting jobs, one
// by one.
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

// queue identifies a queue in which jobs take turns.
type queue struct {
	organization string
	lane         jobapi.Lane
}

// taken returns the turns in use, by queue, of an organization, or of all if it is "".
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

// of matches the jobs of an organization, or of all if it is "". Even then the filter
// names the organization, because an index is used only if its first field is queried.
func of(organization string) bson.D {
	if organization == "" {
		return bson.D{{Key: "organization", Value: bson.D{{Key: "$gt", Value: ""}}}}
	}
	return bson.D{{Key: "organization", Value: organization}}
}

// isWaiting narrows a filter to the jobs that wait for their turn in a lane.
func isWaiting(jobs bson.D, lane jobapi.Lane) bson.D {
	return append(jobs, bson.E{Key: "lane", Value: lane}, bson.E{Key: "queued_at", Value: never}, bson.E{Key: "ended_at", Value: never})
}

// waiting returns the organizations with jobs waiting in a lane.
func (s *Store) waiting(ctx context.Context, lane jobapi.Lane) ([]string, error) {
	var groups []struct {
		Organization string `bson:"_id"`
	}
	err := s.db.Do(ctx, "find the organizations with waiting jobs", func(ctx context.Context) error {
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

// promote gives the free turns of a queue to the longest-waiting jobs and returns them.
// If another instance took a turn or a job first, it looks again: a turn that has just
// become free must not stay free because others were promoting too.
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

// freeTurns returns the lowest free turns below limit, at most as many as the limit
// leaves room for. Turns above the limit, taken while it was higher, count as well.
func freeTurns(taken []int, limit int) []int {
	var free []int
	for turn := 0; turn < limit && len(taken)+len(free) < limit; turn++ {
		if !slices.Contains(taken, turn) {
			free = append(free, turn)
		}
	}
	return free
}

// giveTurn promotes a job. It reports false if the job has changed or the turn was taken
// in the meantime.
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

// isDeadlock reports whether DocumentDB aborted this update because of a deadlock with
// another one that sets or frees the same turn. MongoDB resolves such conflicts itself.
func isDeadlock(err error) bool {
	const deadlockDetected = 16908292 // SQLSTATE 40P01, as PostgreSQL encodes it in a number
	var e mongo.ServerError
	return errors.As(err, &e) && e.HasErrorCode(deadlockDetected)
}
