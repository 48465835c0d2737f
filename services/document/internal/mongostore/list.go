package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

var operators = map[documentapi.Op]string{
	documentapi.GreaterOrEqual: "$gte", documentapi.Greater: "$gt", documentapi.LessOrEqual: "$lte", documentapi.Less: "$lt",
}

// notInLists are the fields that lists leave out.
var notInLists = bson.D{{Key: "versions", Value: 0}, {Key: "access", Value: 0}, {Key: "outbox", Value: 0}}

// List implements domain.Store. The page and the count are read side by side,
// each along an index that is named: left to themselves, servers choose among
// those that begin alike by chance, or by what they chose the last time.
func (s *Store) List(ctx context.Context, organization string, r documentapi.ListRequest) ([]domain.Document, int64, error) {
	filter, err := listFilter(organization, r.Where)
	if err != nil {
		return nil, 0, err
	}
	page, err := listPage(r)
	if err != nil {
		return nil, 0, err
	}
	var documents []domain.Document
	var total int64
	err = s.db.Do(ctx, "list documents", func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) {
			total, err = s.documents.CountDocuments(ctx, filter, options.Count().SetHint(countIndex(r.Where)))
			return err
		})
		group.Go(func() (err error) {
			documents, err = s.find(ctx, filter, page)
			return err
		})
		return group.Wait()
	})
	return documents, total, err
}

// find returns the records that a filter finds.
func (s *Store) find(ctx context.Context, filter bson.D, o options.Lister[options.FindOptions]) ([]domain.Document, error) {
	cursor, err := s.documents.Find(ctx, filter, o)
	if err != nil {
		return nil, err
	}
	return decodeAll(ctx, cursor)
}

// decodeAll reads a cursor to its end.
func decodeAll(ctx context.Context, cursor *mongo.Cursor) ([]domain.Document, error) {
	var found []record
	if err := cursor.All(ctx, &found); err != nil { // which closes it
		return nil, err
	}
	documents := make([]domain.Document, 0, len(found))
	for _, r := range found {
		documents = append(documents, r.document())
	}
	return documents, nil
}

// listFilter returns the conditions of a list. Names of fields and operators
// come from the tables alone, and values are texts and numbers.
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

// listPage returns which of the records that meet the conditions are shown. The
// id comes last, in the direction of the first field, so that pages do not
// overlap and one index serves both directions.
func listPage(r documentapi.ListRequest) (*options.FindOptionsBuilder, error) {
	order := bson.D{}
	named := map[documentapi.Field]bool{}
	for _, o := range r.Order {
		field, ok := fields[o.Field]
		if !ok {
			return nil, fmt.Errorf("no field of records for the order by %q", o.Field)
		}
		if !named[o.Field] { // the second time it decides nothing
			order = append(order, bson.E{Key: field, Value: direction(o)})
		}
		named[o.Field] = true
	}
	order = append(order, bson.E{Key: "_id", Value: direction(r.Order[0])})
	return options.Find().SetSort(order).SetHint(orderIndexes[r.Order[0].Field]).SetProjection(notInLists).
		SetSkip((r.Page - 1) * int64(r.Size)).SetLimit(int64(r.Size)).SetBatchSize(int32(r.Size)), nil
}

// direction is that of one field.
func direction(o documentapi.Order) int {
	if o.Descending {
		return -1
	}
	return 1
}

// countIndex names the index that a count walks along: one that begins with a
// field that is asked for, so that it need not be walked from end to end, or the
// smallest.
func countIndex(conditions []documentapi.Condition) string {
	for _, c := range conditions {
		if index, ok := orderIndexes[c.Field]; ok {
			return index
		}
	}
	return orderIndexes[documentapi.FieldState]
}
