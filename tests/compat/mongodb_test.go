package compat

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// parts are those with a database.
var parts = []string{"gateway", "idempotency", "document", "annotation", "conversion", "insight"}

// inMongoDB returns new databases in MongoDB. They are dropped when the test ends.
func inMongoDB(t *testing.T) databases {
	t.Helper()
	urls := map[string]string{}
	for _, part := range parts {
		urls[part] = mongodbtest.URL(t)
	}
	return func(part string) string { return urls[part] }
}

// records are the documents of a collection in extended JSON.
type records struct {
	Collection string           `json:"collection"`
	Documents  []jsontext.Value `json:"documents"`
}

// openMongoDB connects to a database until the test ends.
func openMongoDB(t *testing.T, address string) *mongo.Database {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(address))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(t.Context()) })
	return client.Database(strings.TrimPrefix(parsed.Path, "/"))
}

// dumpMongoDB returns the records of a database.
func dumpMongoDB(t *testing.T, address string) (all []records) {
	t.Helper()
	ctx, db := patience.Context(t), openMongoDB(t, address)
	names, err := db.ListCollectionNames(ctx, bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		var found []bson.Raw
		cursor, err := db.Collection(name).Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
		if err == nil {
			err = cursor.All(ctx, &found)
		}
		if err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
		r := records{Collection: name, Documents: []jsontext.Value{}}
		for _, document := range found {
			text, err := bson.MarshalExtJSON(document, true, false)
			if err != nil {
				t.Fatalf("read %s: %v", name, err)
			}
			r.Documents = append(r.Documents, text)
		}
		all = append(all, r)
	}
	return all
}

// restoreMongoDB stores recorded records in an empty database.
func restoreMongoDB(t *testing.T, all []records, address string) {
	t.Helper()
	ctx, db := patience.Context(t), openMongoDB(t, address)
	for _, r := range all {
		for _, text := range r.Documents {
			var document bson.D
			err := bson.UnmarshalExtJSON([]byte(revive(string(text))), true, &document)
			if err == nil {
				_, err = db.Collection(r.Collection).InsertOne(ctx, document)
			}
			if err != nil {
				t.Fatalf("restore %s: %v", r.Collection, err)
			}
		}
	}
}

// TestRecordMongoDB records what the services of this tree store in MongoDB, if -record is
// set. Its ids are not normalized: some are inside binary values.
func TestRecordMongoDB(t *testing.T) {
	if !*recording {
		t.Skip("only with -record, for a new version of the contract")
	}
	w := newWorld(t, inMongoDB(t))
	w.listen(t)
	n := newNormalizer(time.Now())
	w.start()
	newScenario(w).run(t)
	call := w.callGateway()
	w.catchUp(t)
	w.mu.Lock()
	var reads []*exchange
	for _, e := range w.exchanges {
		if e.Reads {
			reads = append(reads, e)
		}
	}
	w.mu.Unlock()
	files := map[string][]byte{"reads.json": encode(t, reads), "gateway.json": encode(t, call), "objects.json": encode(t, w.objects(t))}
	w.stop(slices.Collect(maps.Keys(w.services))...)
	for _, part := range parts {
		files["databases/"+part+".json"] = encode(t, dumpMongoDB(t, w.at(part)))
	}
	write(t, "mongodb", files, n.times)
}

// TestOldMongoDB is TestOldDatabases with MongoDB. Then it holds the records that the
// services of this tree have written against the recorded ones.
func TestOldMongoDB(t *testing.T) {
	w := newWorld(t, inMongoDB(t))
	for _, part := range parts {
		restoreMongoDB(t, read[[]records](t, "mongodb", "databases", part+".json"), w.at(part))
	}
	w.putObjects(t, "mongodb")
	w.checkOld(t, read[[]*exchange](t, "mongodb", "reads.json"), read[gatewayCall](t, "mongodb", "gateway.json"))
}

// TestNewMongoDB sends the recorded requests of a whole session to the services of this tree,
// with MongoDB. The recorded version can read the records that they write.
func TestNewMongoDB(t *testing.T) {
	w := newWorld(t, inMongoDB(t))
	w.listen(t)
	w.start()
	r := newReplay(w)
	for _, e := range recordedExchanges(t) {
		r.check(t, e)
	}
	w.stop(slices.Collect(maps.Keys(w.services))...)
	for _, part := range []string{"document", "annotation", "conversion", "insight"} {
		was, is := observed{}, observed{}
		was.addRecords(read[[]records](t, "mongodb", "databases", part+".json"))
		is.addRecords(dumpMongoDB(t, w.at(part)))
		for _, b := range was.breaks(is) {
			t.Errorf("%s cannot read the records in the database %s of this tree: %s", version, part, b)
		}
		for path := range was {
			if !strings.Contains(path, ".") && is[path] == nil {
				t.Errorf("this tree has stored nothing in the collection %s of the database %s", path, part)
			}
		}
	}
}

// addRecords observes records.
func (o observed) addRecords(all []records) {
	for _, r := range all {
		for _, document := range r.Documents {
			o.add(r.Collection, decode(document))
		}
	}
}
