package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// fields maps the fields of a list to those of a record. No text of a request
// ever names a field: what is not here fails.
var fields = map[documentapi.Field]string{
	documentapi.FieldOrganization: "organization", documentapi.FieldName: "name", documentapi.FieldState: "state",
	documentapi.FieldCreatedBy: "created_by.id", documentapi.FieldUpdatedBy: "updated_by.id",
	documentapi.FieldCreatedAt: "created_at", documentapi.FieldUpdatedAt: "updated_at",
}

// orderIndexes maps the first field of an order to its index.
var orderIndexes = map[documentapi.Field]string{
	documentapi.FieldCreatedAt: "by_created_at", documentapi.FieldUpdatedAt: "by_updated_at",
	documentapi.FieldName: "by_name", documentapi.FieldState: "by_state",
}

// The indexes of what is left to do hold nothing else, and stay small however
// many documents there are.
const (
	unpublishedIndex = "unpublished"
	deletedIndex     = "deleted"
)

var (
	isUnpublished = bson.D{{Key: "outbox.id", Value: bson.D{{Key: "$exists", Value: true}}}}
	isDeleted     = bson.E{Key: "$gt", Value: int64(0)}
)

// indexes are those of the collection. Each order has one, in which the id
// follows, for ties, and behind it every field that can be filtered by: whatever
// the filters, a page is one walk along its index, in either direction, that
// reads no record but those of the page, and a count reads none. An index for
// each filter with each order would be twenty; with four, a filter that few
// documents meet costs a look at the keys of the organization.
//
// That a document is not deleted is a field of these indexes, and not their
// condition: MongoDB would look at each record to see that it meets that.
var indexes = []mongo.IndexModel{
	orderIndex("by_created_at", "created_at", "_id", "state", "updated_at", "created_by.id", "updated_by.id"),
	orderIndex("by_updated_at", "updated_at", "_id", "state", "created_at", "created_by.id", "updated_by.id"),
	orderIndex("by_name", "name", "_id", "state", "created_at", "updated_at", "created_by.id", "updated_by.id"),
	orderIndex("by_state", "state", "_id", "created_at", "updated_at", "created_by.id", "updated_by.id"),
	{
		Keys:    bson.D{{Key: "created_at", Value: 1}, {Key: "_id", Value: 1}},
		Options: options.Index().SetName(unpublishedIndex).SetPartialFilterExpression(isUnpublished),
	},
	{
		Keys:    bson.D{{Key: "deleted_at", Value: 1}, {Key: "_id", Value: 1}},
		Options: options.Index().SetName(deletedIndex).SetPartialFilterExpression(bson.D{{Key: "deleted_at", Value: bson.D{isDeleted}}}),
	},
}

// orderIndex is the index of an order, over the documents of an organization
// that are not deleted.
func orderIndex(name string, keys ...string) mongo.IndexModel {
	d := bson.D{{Key: "organization", Value: 1}, {Key: "deleted_at", Value: 1}}
	for _, k := range keys {
		d = append(d, bson.E{Key: k, Value: 1})
	}
	return mongo.IndexModel{Keys: d, Options: options.Index().SetName(name)}
}
