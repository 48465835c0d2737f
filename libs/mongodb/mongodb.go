// Package mongodb opens the databases that services keep their records in when
// they are deployed: one database each, on a server that speaks the MongoDB
// protocol, in which every write is acknowledged by a majority of its members.
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/rectohq/recto/libs/telemetry"
)

// DB is the database of one service.
type DB struct{ *mongo.Database }

// Indexes are those of a database, by collection. Open makes them.
type Indexes map[string][]mongo.IndexModel

const (
	// commandTimeout bounds what its caller gives no deadline, and is what a URL
	// may set otherwise by timeoutMS.
	commandTimeout = 10 * time.Second
	// dialTimeout bounds the making of one connection; a URL may set another by
	// connectTimeoutMS.
	dialTimeout = 5 * time.Second
	// idleTimeout is how long a connection is kept that nobody uses.
	idleTimeout = 5 * time.Minute
	// indexTimeout bounds the making of indexes, which read a whole collection
	// where a later version adds one.
	indexTimeout = 15 * time.Minute
	// waitLongest is the longest pause between two looks for a server that is
	// not there yet.
	waitLongest = 5 * time.Second
)

// IsURL reports whether a database is named by a URL of a server, and not by the
// path of a file.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "mongodb://") || strings.HasPrefix(name, "mongodb+srv://")
}

// Validate returns what is wrong with the URL of a database, which the variable
// holds, or nil. It dials nobody, and does not repeat the URL: that may hold a
// password.
func Validate(variable, url string) error {
	parsed, err := connstring.Parse(url)
	switch {
	case err != nil && strings.HasPrefix(url, "mongodb+srv://"):
		return nil // its options are in the DNS: Open finds out
	case err != nil:
		return fmt.Errorf("%s is not a valid MongoDB URL: %w", variable, withoutURL(err, url))
	case parsed.Database == "":
		return fmt.Errorf("%s names no database: write mongodb://host:27017/name", variable)
	case parsed.WNumberSet && parsed.WNumber < 1:
		return fmt.Errorf("%s must not ask for w=0: what is accepted would not be stored", variable)
	}
	return nil
}

// withoutURL returns an error of the parser without the URL that it may repeat.
func withoutURL(err error, url string) error {
	return errors.New(strings.ReplaceAll(err.Error(), url, "the URL"))
}

// Open returns the database that the URL names, with its indexes made. It waits
// for a server that is not there yet, until ctx ends, and tells so in the log;
// what waiting cannot mend, such as a wrong password, it returns. The pool of
// connections and the timeouts are as the URL says: maxPoolSize, minPoolSize,
// timeoutMS, and the other options of the standard. Commands are measured and
// traced by t.
func Open(ctx context.Context, url string, indexes Indexes, t *telemetry.Telemetry) (*DB, error) {
	parsed, err := connstring.Parse(url)
	if err != nil {
		return nil, withoutURL(err, url)
	}
	client, err := mongo.Connect(clientOptions(url, parsed, t))
	if err != nil {
		return nil, withoutURL(err, url)
	}
	db := &DB{client.Database(parsed.Database)}
	if err := db.wait(ctx, t.Log); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := db.makeIndexes(ctx, indexes); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// clientOptions are those of the URL, with our defaults for what it leaves open.
// That writes are acknowledged by a majority, and read back as such, is not open.
func clientOptions(url string, parsed *connstring.ConnString, t *telemetry.Telemetry) *options.ClientOptions {
	o := options.Client().ApplyURI(url).
		SetWriteConcern(writeconcern.Majority()).SetReadConcern(readconcern.Majority()).
		SetMonitor(newCommandMonitor(t)).SetPoolMonitor(newPoolMonitor(t))
	if o.AppName == nil {
		o.SetAppName("recto")
	}
	if o.Timeout == nil {
		o.SetTimeout(commandTimeout)
	}
	if !parsed.ConnectTimeoutSet {
		o.SetConnectTimeout(dialTimeout)
	}
	if !parsed.MaxConnIdleTimeSet {
		o.SetMaxConnIdleTime(idleTimeout)
	}
	return o
}

// wait returns when the server answers. A server that refuses us will not
// change its mind by being asked again.
func (db *DB) wait(ctx context.Context, log *slog.Logger) error {
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, waitLongest) {
		err := db.Check(ctx)
		if err == nil || isRefusal(err) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("no answer while there was time: %w", err)
		}
		log.Warn("the database does not answer yet; it is tried again", "database", db.Name(), "error", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer while there was time: %w", err)
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
		if _, err := db.Collection(collection).Indexes().CreateMany(ctx, models); err != nil {
			return fmt.Errorf("make the indexes of the collection %s; if there is another one of that name, drop it: %w", collection, err)
		}
	}
	return nil
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
