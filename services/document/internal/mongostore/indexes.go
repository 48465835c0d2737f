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

// userIndexes maps a field that names a user to the index of that user's
// documents.
var userIndexes = map[documentapi.Field]string{
	documentapi.FieldCreatedBy: "by_created_by", documentapi.FieldUpdatedBy: "by_updated_by",
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
// each filter with each order would be twenty.
//
// What such a walk skips costs time too, so that each user's documents have an
// index as well, in the order that is asked for most. Of 100 000 documents of an
// organization, a page of the 2 000 of one user and their number took 17 to 47 ms
// with it, and 109 to 343 ms without, depending on the server. An insert took up
// to twice as long with all of these as with none, and up to four times with
// twenty.
//
// MongoDB walks along them in their order; a DocumentDB does so with its extended
// RUM (documentdb_extended_rum), and sorts what the index has found without it.
//
// That a document is not deleted is a field of the indexes, and not their
// condition: MongoDB would look at each record to see that it meets that.
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

// listIndex is an index over the documents of an organization that are not
// deleted.
func listIndex(name string, keys ...string) mongo.IndexModel {
	d := bson.D{{Key: "organization", Value: 1}, {Key: "deleted_at", Value: 1}}
	for _, k := range keys {
		d = append(d, bson.E{Key: k, Value: 1})
	}
	return mongo.IndexModel{Keys: d, Options: options.Index().SetName(name)}
}

// pageIndex names the index that a page is read along.
func pageIndex(r documentapi.ListRequest) string {
	for _, c := range r.Where {
		index, ok := userIndexes[c.Field]
		if ok && len(c.Values) == 1 && r.Order[0].Field == documentapi.FieldCreatedAt {
			return index
		}
	}
	return orderIndexes[r.Order[0].Field]
}

// countIndex names the index that a count walks along: one that begins with a
// field that is asked for, so that it need not be walked from end to end. A user
// has fewer documents than a state, and a time may have all of them.
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
