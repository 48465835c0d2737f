package mongodb_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// indexes are the indexes of the test databases.
var indexes = mongodb.Indexes{"things": {{
	Keys: bson.D{{Key: "name", Value: 1}}, Options: options.Index().SetName("by_name").SetUnique(true),
}}}

// discard returns a telemetry that logs to the test.
func discard(t *testing.T) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return tel
}

// open opens a database and closes it when the test ends.
func open(t *testing.T, url string) *mongodb.DB {
	t.Helper()
	db, err := mongodb.Open(t.Context(), url, indexes, discard(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// insert inserts a thing with the name.
func insert(ctx context.Context, db *mongodb.DB, name string) error {
	return db.Do(ctx, "insert "+name, func(ctx context.Context) error {
		_, err := db.Collection("things").InsertOne(ctx, bson.D{{Key: "name", Value: name}})
		return err
	})
}

// count counts the things with the name.
func count(t *testing.T, db *mongodb.DB, name string) int64 {
	t.Helper()
	n, err := db.Collection("things").CountDocuments(t.Context(), bson.D{{Key: "name", Value: name}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOpen has several instances open one new database concurrently.
func TestOpen(t *testing.T) {
	url := mongodbtest.URL(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := mongodb.Open(t.Context(), url, indexes, discard(t))
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(db.Check(t.Context()), db.Close()); err != nil {
				t.Error(err)
			}
			if err := db.Check(t.Context()); err == nil {
				t.Error("a closed database answers")
			}
		})
	}
	wg.Wait()
	db := open(t, url)
	if err := insert(t.Context(), db, "a"); err != nil {
		t.Fatal(err)
	}
	if err := insert(t.Context(), db, "a"); !mongodb.IsDuplicate(err) || problem.Is(err, problem.Unavailable) {
		t.Errorf("the same name again: %v", err)
	}
	err := db.Do(t.Context(), "find b", func(ctx context.Context) error {
		return db.Collection("things").FindOne(ctx, bson.D{{Key: "name", Value: "b"}}).Err()
	})
	if !errors.Is(err, mongo.ErrNoDocuments) || mongodb.IsDuplicate(err) || !strings.HasPrefix(err.Error(), "find b: ") {
		t.Errorf("a missing name: %v", err)
	}
}

// TestOpenRefuses checks errors that waiting does not fix.
func TestOpenRefuses(t *testing.T) {
	url := mongodbtest.URL(t)
	open(t, url)
	other := mongodb.Indexes{"things": {{Keys: bson.D{{Key: "other", Value: 1}}, Options: options.Index().SetName("by_name")}}}
	if _, err := mongodb.Open(t.Context(), url, other, discard(t)); err == nil || !strings.Contains(err.Error(), "collection things") {
		t.Errorf("another index of that name: %v", err)
	}
	wrong := strings.Replace(url, "://", "://nobody:secret@", 1) + "&authSource=admin"
	if _, err := mongodb.Open(t.Context(), wrong, nil, discard(t)); err == nil || !strings.Contains(err.Error(), "uthentication") || strings.Contains(err.Error(), "secret") {
		t.Errorf("wrong credentials: %v", err)
	}
	if _, err := mongodb.Open(t.Context(), "mongodb://u:%zzsecret@h/d", nil, discard(t)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a wrong URL: %v", err)
	}
}

// TestLateServer opens a database before its server is up.
func TestLateServer(t *testing.T) {
	proxy, url := mongodbtest.NewProxy(t, mongodbtest.URL(t))
	url += "&serverSelectionTimeoutMS=100"
	tel := discard(t)
	lines := &syncbuffer.Buffer{}
	tel.Log = slog.New(slog.NewTextHandler(lines, nil))

	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error, 1)
	go func() {
		_, err := mongodb.Open(ctx, url, indexes, tel)
		given <- err
	}()
	patience.Until(t, "the log says that Open is waiting", func() bool { return strings.Contains(lines.String(), "waiting for the database") })
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("when its context ends: %v", err)
	}

	opened := make(chan *mongodb.DB, 1)
	go func() {
		db, err := mongodb.Open(t.Context(), url, indexes, tel)
		if err != nil {
			t.Error(err)
		}
		opened <- db
	}()
	before := len(lines.String())
	patience.Until(t, "the log says so again", func() bool { return len(lines.String()) > before })
	proxy.Start()
	db := <-opened
	if err := errors.Join(insert(t.Context(), db, "a"), db.Close()); err != nil {
		t.Error(err)
	}
}

// TestOutages makes the server unavailable in each possible way: every error is a
// problem.Unavailable, and everything works again when the server is back.
func TestOutages(t *testing.T) {
	database := mongodbtest.URL(t)
	direct := open(t, database)
	proxy, url := mongodbtest.NewProxy(t, database)
	proxy.Start()
	db := open(t, url+"&timeoutMS=3000&serverSelectionTimeoutMS=300&maxPoolSize=2")
	unavailable := func(what string, err error) {
		t.Helper()
		var e *problem.Error
		if !errors.As(err, &e) || e.Code != problem.Unavailable || e.RetryAfter == 0 {
			t.Errorf("%s: got %v, want Unavailable", what, err)
		}
	}
	back := func() { patience.Until(t, "the database is back", func() bool { return db.Check(t.Context()) == nil }) }

	proxy.Stop()
	unavailable("an insert without a server", insert(t.Context(), db, "stopped"))
	if err := db.Check(t.Context()); err == nil {
		t.Error("Check returns nil without a server")
	}
	proxy.Start()
	back()

	proxy.Mute()
	unavailable("an insert without a reply", insert(t.Context(), db, "muted"))
	var wg sync.WaitGroup
	for range 4 { // two of them wait for a connection
		wg.Go(func() { unavailable("one of many inserts", insert(t.Context(), db, "many")) })
	}
	wg.Wait()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := insert(short, db, "late"); !errors.Is(err, context.DeadlineExceeded) || problem.Is(err, problem.Unavailable) {
		t.Errorf("after the caller's deadline: %v", err)
	}
	if err := db.Check(t.Context()); err == nil {
		t.Error("Check returns nil although the server does not answer")
	}
	proxy.Unmute()
	back()
	patience.Until(t, "the insert whose reply was lost is done", func() bool { return count(t, direct, "muted") == 1 })
	if err := insert(t.Context(), direct, "last"); err != nil {
		t.Error(err)
	}
	if n := count(t, direct, "muted"); n != 1 {
		t.Errorf("the insert whose reply was lost was done %d times", n)
	}
}

// TestServerErrors checks the error codes of servers that temporarily cannot serve, and
// other codes.
func TestServerErrors(t *testing.T) {
	db := open(t, mongodbtest.URL(t)+"&timeoutMS=30000")
	for _, tc := range []struct {
		err         error
		unavailable bool
	}{
		{mongo.CommandError{Code: 10107, Message: "not primary"}, true},
		{mongo.CommandError{Code: 189, Message: "stepped down"}, true},
		{mongo.CommandError{Code: 50, Message: "operation exceeded time limit"}, true},
		{mongo.CommandError{Code: 1, Message: "FATAL: terminating connection due to administrator command"}, true},
		{mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64, Message: "waiting for replication timed out"}}, true},
		{mongo.WriteException{WriteErrors: mongo.WriteErrors{{Code: 11000, Message: "duplicate"}}}, false},
		{mongo.CommandError{Code: 1, Message: "unexpected"}, false},
		{mongo.CommandError{Code: 13, Message: "not authorized"}, false},
		{mongo.ErrNoDocuments, false},
	} {
		err := db.Do(t.Context(), "try", func(context.Context) error { return tc.err })
		if problem.Is(err, problem.Unavailable) != tc.unavailable || !strings.Contains(err.Error(), tc.err.Error()) {
			t.Errorf("%v became %v", tc.err, err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := db.Do(short, "try", func(context.Context) error { return mongo.CommandError{Code: 50} })
	if !errors.Is(err, context.DeadlineExceeded) || problem.Is(err, problem.Unavailable) {
		t.Errorf("when the server reports the caller's deadline: %v", err)
	}
}
