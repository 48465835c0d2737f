package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// fields maps the fields of a list request to those of a record. Text from a request
// never names a field: an unknown field is an error.
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

// userIndexes maps a field that names a user to the index of that user's documents.
var userIndexes = map[documentapi.Field]string{
	documentapi.FieldCreatedBy: "by_created_by", documentapi.FieldUpdatedBy: "by_updated_by",
}

// The indexes of outstanding work contain nothing else, and stay small however many
// documents there are.
const (
	unpublishedIndex = "unpublished"
	deletedIndex     = "deleted"
)

var (
	isUnpublished = bson.D{{Key: "outbox.id", Value: bson.D{{Key: "$exists", Value: true}}}}
	isDeleted     = bson.E{Key: "$gt", Value: int64(0)}
)

// indexes are the indexes of the collection. Each order has one: the order's field, then
// the id for ties, then every field that can be filtered by. Whatever the filters, a page
// is one scan of its index, in either direction, that reads only the records of the page,
// and a count reads no records. A separate index for each combination of filter and order
// would mean twenty indexes.
//
// Entries that a scan skips cost time too, so each user's documents have another index,
// in the most common order. With 100 000 documents in an organization, reading a page and
// the total of one user's 2 000 documents took 17 to 47 ms with that index, and 109 to
// 343 ms without it, depending on the server. With all of these indexes an insert took up
// to twice as long as with none; with twenty, up to four times as long.
//
// MongoDB scans the indexes in order. DocumentDB does so with its extended RUM
// (documentdb_extended_rum), and sorts the results without it.
//
// deleted_at is a key of the indexes instead of a partial filter, because MongoDB would
// read each record to check the filter.
var indexes = []mongo.IndexModel{
	listIndex("by_created_at", "created_at", "_id", "state", "updated_at", "created_by.id", "updated_by.id"),
	listIndex("by_updated_at", "updated_at", "_id", "state", "created_at", "created_by.id", "updated_by.id"),
	listIndex("by_name", "name", "_id", "state", "created_at", "updated_at", "created_by.id", "updated_by.id"),
	listIndex("by_state", "state", "_id", "created_at", "updated_at", "created_by.id", "updated_by.id"),
	listIndex("by_created_by", "created_by.id", "created_at", "_id"),
	listIndex("by_updated_by", "updated_by.id", "created_at", "_id"),
	{
		Keys:    bson.D{{Key: "created_at", Value: 1}, {Key: "_id", Value: 1}},
		Options: options.Index().SetName(unpublishedIndex).SetPartialFilterExpression(isUnpublished),
	},
	{
		Keys:    bson.D{{Key: "deleted_at", Value: 1}, {Key: "_id", Value: 1}},
		Options: options.Index().SetName(deletedIndex).SetPartialFilterExpression(bson.D{{Key: "deleted_at", Value: bson.D{isDeleted}}}),
	},
}

// listIndex returns an index over the documents of an organization, with deleted_at as a
// key.
func listIndex(name string, keys ...string) mongo.IndexModel {
	d := bson.D{{Key: "organization", Value: 1}, {Key: "deleted_at", Value: 1}}
	for _, k := range keys {
		d = append(d, bson.E{Key: k, Value: 1})
	}
	return mongo.IndexModel{Keys: d, Options: options.Index().SetName(name)}
}

// pageIndex returns the name of the index for reading a page.
func pageIndex(r documentapi.ListRequest) string {
	for _, c := range r.Where {
		index, ok := userIndexes[c.Field]
		if ok && len(c.Values) == 1 && r.Order[0].Field == documentapi.FieldCreatedAt {
			return index
		}
	}
	return orderIndexes[r.Order[0].Field]
}

// countIndex returns the name of the index for counting. It begins with a field of the
// conditions, so that the count does not scan the whole index. Users come first, because
// a user has fewer documents than a state, and a time range may match all of them.
func countIndex(conditions []documentapi.Condition) string {
	index := orderIndexes[documentapi.FieldState]
	for _, c := range conditions {
		if user, ok := userIndexes[c.Field]; ok {
			return user
		}
		if order, ok := orderIndexes[c.Field]; ok {
			index = order
		}
	}
	return index
}
