// Package mongodb opens the databases that services keep their records in when
// they are deployed: one database each, on a server that speaks the MongoDB
// protocol, in which every write is acknowledged by a majority of its members.
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
	timeout time.Duration // of one call of Do
}

// Indexes are those of a database, by collection. Open makes them.
type Indexes map[string][]mongo.IndexModel

const (
	// commandTimeout bounds one command, and is what a URL may set otherwise by
	// timeoutMS. It is less than callers wait for an answer.
	commandTimeout = 10 * time.Second
	// selectionTimeout bounds the wait for a server that can serve: a primary may
	// be elected meanwhile. A URL may set another by serverSelectionTimeoutMS.
	selectionTimeout = 5 * time.Second
	// dialTimeout bounds the making of one connection; a URL may set another by
	// connectTimeoutMS.
	dialTimeout = 5 * time.Second
	// idleTimeout is how long a connection is kept that nobody uses.
	idleTimeout = 5 * time.Minute
	// indexTimeout bounds the making of indexes, which read a whole collection
	// where a later version adds one.
	indexTimeout = 15 * time.Minute
	// waitShortest and waitLongest are the pauses between two looks for a server
	// that is not there yet.
	waitShortest = 250 * time.Millisecond
	waitLongest  = 5 * time.Second
)

// Open returns the database that the URL names, with its indexes made. It waits
// for a server that is not there yet, until ctx ends, and tells so in the log;
// what waiting cannot mend, such as a wrong password, it returns. The pool of
// connections and the timeouts are as the URL says: maxPoolSize, minPoolSize,
// timeoutMS, and the other options of the standard. Commands are measured and
// traced by t.
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

// clientOptions are those of the URL, with our defaults for what it leaves open.
// What is not open: writes are acknowledged when they are in the journals of a
// majority, and reads see what was acknowledged, which a secondary may not know
// yet.
func clientOptions(url string, parsed *connstring.ConnString, t *telemetry.Telemetry) *options.ClientOptions {
	journal := true
	o := options.Client().ApplyURI(url).
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadConcern(readconcern.Majority()).SetReadPreference(readpref.Primary()).
		SetMonitor(newCommandMonitor(t)).SetPoolMonitor(newPoolMonitor(t))
	if o.AppName == nil {
		o.SetAppName("recto")
	}
	if o.Timeout == nil || *o.Timeout == 0 { // which would be without end
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

// prepare returns when the server answers and the indexes are made. It tries
// again as long as the server is away: one that refuses us will not change its
// mind by being asked again.
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
			log.Warn("the database does not answer yet; it is tried again", "database", db.Name(), "error", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer while there was time: %w: %w", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// isRefusal reports whether the server said no to who we are or to what we may.
func isRefusal(err error) bool {
	const unauthorized, authenticationFailed = 13, 18
	var e mongo.ServerError
	return errors.As(err, &e) && (e.HasErrorCode(unauthorized) || e.HasErrorCode(authenticationFailed))
}

// makeIndexes makes the indexes that are not there yet. Several instances may do
// so at a time.
func (db *DB) makeIndexes(ctx context.Context, indexes Indexes) error {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	for collection, models := range indexes {
		if _, err := db.Collection(collection).Indexes().CreateMany(ctx, copied(models)); err != nil {
			return fmt.Errorf("make the indexes of the collection %s; if there is another one of that name, drop it: %w", collection, err)
		}
	}
	return nil
}

// copied returns the models with options of their own: the driver adds to them, and
// those of a package are shared by all who open its store.
func copied(models []mongo.IndexModel) []mongo.IndexModel {
	models = slices.Clone(models)
	for i, m := range models {
		if m.Options != nil {
			models[i].Options = &options.IndexOptionsBuilder{Opts: slices.Clone(m.Options.Opts)}
		}
	}
	return models
}

// checkTimeout bounds one look at the server.
const checkTimeout = 5 * time.Second

// Check returns nil if the server answers. It is a check of health.
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

// IsDuplicate reports whether err says that a key is there already.
func IsDuplicate(err error) bool { return mongo.IsDuplicateKeyError(err) }
