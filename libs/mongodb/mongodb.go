// Package mongodb opens the databases in which deployed services store their records: one
// database per service, on a server that speaks the MongoDB protocol. A majority of the
// members acknowledges every write.
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/rectohq/recto/libs/telemetry"
)

// DB is the database of one service.
type DB struct {
	*mongo.Database
	timeout time.Duration // bounds one call of Do
}

// Indexes are the indexes of a database by collection. Open creates them.
type Indexes map[string][]mongo.IndexModel

const (
	// commandTimeout bounds one command, unless the URL sets timeoutMS. It is shorter
	// than the time that callers wait for a reply.
	commandTimeout = 10 * time.Second
	// selectionTimeout bounds the wait for a server that can serve, which covers the
	// election of a primary. A URL may override it with serverSelectionTimeoutMS.
	selectionTimeout = 5 * time.Second
	// dialTimeout bounds the opening of one connection. A URL may override it with
	// connectTimeoutMS.
	dialTimeout = 5 * time.Second
	// idleTimeout is how long an unused connection is kept.
	idleTimeout = 5 * time.Minute
	// indexTimeout bounds the creation of indexes. An index added by a later version
	// requires a scan of the whole collection.
	indexTimeout = 15 * time.Minute
	// waitShortest and waitLongest bound the pauses between attempts to reach a server
	// that is not up yet.
	waitShortest = 250 * time.Millisecond
	waitLongest  = 5 * time.Second
)

// Open returns the database that the URL names, with its indexes created. It waits until
// ctx ends for a server that is not up yet, and logs that it waits. An error that waiting
// does not fix, such as a wrong password, is returned at once. The URL sets the
// connection pool and the timeouts: maxPoolSize, minPoolSize, timeoutMS, and the other
// standard options. t measures and traces the commands.
func Open(ctx context.Context, url string, indexes Indexes, t *telemetry.Telemetry) (*DB, error) {
	parsed, err := connstring.ParseAndValidate(url)
	if err != nil {
		return nil, withoutValues(err)
	}
	o := clientOptions(url, parsed, t)
	client, err := mongo.Connect(o)
	if err != nil {
		return nil, withoutValues(err)
	}
	db := &DB{client.Database(parsed.Database), *o.Timeout}
	if err := db.prepare(ctx, indexes, t.Log); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// clientOptions returns the options of the URL, with defaults for those it does not set.
// These are fixed: writes are acknowledged once a majority has journaled them, and reads
// go to the primary, since a secondary may not have the acknowledged writes yet.
func clientOptions(url string, parsed *connstring.ConnString, t *telemetry.Telemetry) *options.ClientOptions {
	journal := true
	o := options.Client().ApplyURI(url).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadConcern(readconcern.Majority()).SetReadPreference(readpref.Primary()).
		SetMonitor(newCommandMonitor(t)).SetPoolMonitor(newPoolMonitor(t))
	if o.AppName == nil {
		o.SetAppName("recto")
	}
	if o.Timeout == nil || *o.Timeout == 0 { // zero would mean no timeout
		o.SetTimeout(commandTimeout)
	}
	if !parsed.ServerSelectionTimeoutSet {
		o.SetServerSelectionTimeout(selectionTimeout)
	}
	if !parsed.ConnectTimeoutSet {
		o.SetConnectTimeout(dialTimeout)
	}
	if !parsed.MaxConnIdleTimeSet {
		o.SetMaxConnIdleTime(idleTimeout)
	}
	return o
}

// prepare returns when the server answers and the indexes exist. It retries while the
// server is unavailable, but not if the server refuses access, which a retry would not
// change.
func (db *DB) prepare(ctx context.Context, indexes Indexes, log *slog.Logger) error {
	for pause := waitShortest; ; pause = min(2*pause, waitLongest) {
		err := db.Check(ctx)
		if err == nil {
			err = db.makeIndexes(ctx, indexes)
		}
		if err == nil || isRefusal(err) || !isAway(err) {
			return err
		}
		if ctx.Err() == nil {
			log.Warn("waiting for the database", "database", db.Name(), "error", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out waiting for the database: %w: %w", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// isRefusal reports whether the server rejected our credentials or permissions.
func isRefusal(err error) bool {
	const unauthorized, authenticationFailed = 13, 18
	var e mongo.ServerError
	return errors.As(err, &e) && (e.HasErrorCode(unauthorized) || e.HasErrorCode(authenticationFailed))
}

// makeIndexes creates missing indexes. Several instances may do so concurrently.
func (db *DB) makeIndexes(ctx context.Context, indexes Indexes) error {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	for collection, models := range indexes {
		if _, err := db.Collection(collection).Indexes().CreateMany(ctx, copied(models)); err != nil {
			return fmt.Errorf("create the indexes of the collection %s; if a different index has the same name, drop it: %w", collection, err)
		}
	}
	return nil
}

// copied returns the models with copies of their options: the driver adds to the options,
// and a package's models are shared by everyone who opens its store.
func copied(models []mongo.IndexModel) []mongo.IndexModel {
	models = slices.Clone(models)
	for i, m := range models {
		if m.Options != nil {
			models[i].Options = &options.IndexOptionsBuilder{Opts: slices.Clone(m.Options.Opts)}
		}
	}
	return models
}

// checkTimeout bounds one health check.
const checkTimeout = 5 * time.Second

// Check is a health check. It returns nil if the server answers.
func (db *DB) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := db.Client().Ping(ctx, nil); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	return nil
}

// Close closes all connections.
func (db *DB) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	return db.Client().Disconnect(ctx)
}

// IsDuplicate reports whether err means that a key exists already.
func IsDuplicate(err error) bool { return mongo.IsDuplicateKeyError(err) }
