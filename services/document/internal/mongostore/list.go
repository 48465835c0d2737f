package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

var operators = map[documentapi.Op]string{
	documentapi.GreaterOrEqual: "$gte", documentapi.Greater: "$gt", documentapi.LessOrEqual: "$lte", documentapi.Less: "$lt",
}

// notInLists is the projection that removes the fields that lists leave out.
var notInLists = bson.D{{Key: "versions", Value: 0}, {Key: "access", Value: 0}, {Key: "outbox", Value: 0}}

// List implements domain.Store. It reads the page and the count concurrently, each with
// an explicit index. Without a hint, servers choose among indexes with the same prefix
// arbitrarily, or repeat their last choice.
func (s *Store) List(ctx context.Context, organization string, r documentapi.ListRequest) ([]domain.Document, int64, error) {
	filter, err := listFilter(organization, r.Where)
	if err != nil {
		return nil, 0, err
	}
	order, err := listOrder(r.Order)
	if err != nil {
		return nil, 0, err
	}
	var found []domain.Document
	var total int64
	err = s.db.Do(ctx, "read documents", func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) {
			total, err = s.documents.CountDocuments(ctx, filter, options.Count().SetHint(countIndex(r.Where)))
			return err
		})
		group.Go(func() (err error) {
			found, err = s.page(ctx, pageCommand(filter, order, r))
			return err
		})
		return group.Wait()
	})
	return found, total, err
}

// page returns the records of one page.
func (s *Store) page(ctx context.Context, command bson.D) ([]domain.Document, error) {
	var answer struct {
		Cursor struct {
			Records []record `bson:"firstBatch"`
		} `bson:"cursor"`
	}
	err := s.db.RunCommand(ctx, command).Decode(&answer)
	return documents(answer.Cursor.Records), err
}

// pageCommand returns the command that reads a page in one batch. It is a raw command
// because the driver's Find does not send the server a time limit, and a server that does
// not notice that the client has gone would scan to the end.
func pageCommand(filter, order bson.D, r documentapi.ListRequest) bson.D {
	return bson.D{
		{Key: "find", Value: collection}, {Key: "filter", Value: filter}, {Key: "sort", Value: order},
		{Key: "hint", Value: pageIndex(r)}, {Key: "projection", Value: notInLists},
		{Key: "skip", Value: (r.Page - 1) * int64(r.Size)}, {Key: "limit", Value: r.Size},
		{Key: "batchSize", Value: r.Size}, {Key: "singleBatch", Value: true},
		{Key: "readConcern", Value: bson.D{{Key: "level", Value: "majority"}}},
	}
}

// documents converts stored records to documents.
func documents(records []record) []domain.Document {
	found := make([]domain.Document, 0, len(records))
	for _, r := range records {
		found = append(found, r.document())
	}
	return found
}

// listFilter returns the filter of a list. Names of fields and operators come only from
// the tables, and values are only strings and numbers.
func listFilter(organization string, conditions []documentapi.Condition) (bson.D, error) {
	filter := bson.D{{Key: "organization", Value: organization}, {Key: "deleted_at", Value: int64(0)}}
	var all bson.A
	for _, c := range conditions {
		field, ok := fields[c.Field]
		if !ok {
			return nil, fmt.Errorf("no field of records for the field %q", c.Field)
		}
		values := bson.A{}
		for _, v := range c.Values {
			values = append(values, v)
		}
		for _, t := range c.Times {
			values = append(values, t)
		}
		var term bson.E
		operator, isBound := operators[c.Op]
		switch {
		case isBound && len(values) == 1:
			term = bson.E{Key: operator, Value: values[0]}
		case c.Op == documentapi.In:
			term = bson.E{Key: "$in", Value: values}
		default:
			return nil, fmt.Errorf("the condition %q on %q has %d values", c.Op, c.Field, len(values))
		}
		all = append(all, bson.D{{Key: field, Value: bson.D{term}}})
	}
	if all != nil {
		filter = append(filter, bson.E{Key: "$and", Value: all})
	}
	return filter, nil
}

// listOrder returns the sort order of a list. The id comes last, in the direction of the
// first field, so that pages do not overlap and one index serves both directions.
func listOrder(order []documentapi.Order) (bson.D, error) {
	var terms bson.D
	named := map[documentapi.Field]bool{}
	for _, o := range order {
		field, ok := fields[o.Field]
		if !ok {
			return nil, fmt.Errorf("no field of records for the order by %q", o.Field)
		}
		if !named[o.Field] { // a repeated field has no effect
			terms = append(terms, bson.E{Key: field, Value: direction(o)})
		}
		named[o.Field] = true
	}
	return append(terms, bson.E{Key: "_id", Value: direction(order[0])}), nil
}

// direction returns the sort direction of one field.
func direction(o documentapi.Order) int {
	if o.Descending {
		return -1
	}
	return 1
}
