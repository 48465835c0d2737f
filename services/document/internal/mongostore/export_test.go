package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// Documents returns the collection, for tests that need to fill it in bulk.
func (s *Store) Documents() *mongo.Collection { return s.documents }

// ListPlans returns the server's plans for the two commands of a list, by the names of
// the indexes that they hint at.
func (s *Store) ListPlans(ctx context.Context, organization string, r documentapi.ListRequest) (plans map[string]bson.M, err error) {
	filter, err := listFilter(organization, r.Where)
	if err != nil {
		return nil, err
	}
	order, err := listOrder(r.Order)
	if err != nil {
		return nil, err
	}
	page, err := s.plan(ctx, pageCommand(filter, order, r))
	if err != nil {
		return nil, err
	}
	// The command that the driver's CountDocuments sends.
	count, err := s.plan(ctx, bson.D{
		{Key: "aggregate", Value: collection}, {Key: "hint", Value: countIndex(r.Where)}, {Key: "cursor", Value: bson.D{}},
		{Key: "pipeline", Value: bson.A{
			bson.D{{Key: "$match", Value: filter}},
			bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}}},
		}},
	})
	return map[string]bson.M{pageIndex(r): page, "count " + countIndex(r.Where): count}, err
}

// BacklogPlans returns the server's plans for the commands of the backlog, by the names
// of the indexes that they hint at.
func (s *Store) BacklogPlans(ctx context.Context) (map[string]bson.M, error) {
	plans := map[string]bson.M{}
	for index, filter := range map[string]bson.D{unpublishedIndex: isUnpublished, deletedIndex: deletedBefore(5)} {
		plan, err := s.plan(ctx, bson.D{
			{Key: "find", Value: collection}, {Key: "filter", Value: filter}, {Key: "hint", Value: index}, {Key: "limit", Value: 10},
		})
		if err != nil {
			return nil, err
		}
		plans[index] = plan
	}
	return plans, nil
}

// plan asks the server how it would run a command.
func (s *Store) plan(ctx context.Context, command bson.D) (bson.M, error) {
	var answer bson.M
	err := s.db.RunCommand(ctx, bson.D{{Key: "explain", Value: command}, {Key: "verbosity", Value: "queryPlanner"}}).Decode(&answer)
	return answer, err
}
