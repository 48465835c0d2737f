package mongodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/rectohq/recto/libs/problem"
)

// retryAfter is what a caller is told to wait when the database is away.
const retryAfter = time.Second

// Do runs a command, or a few that belong together, and gives it no more time
// than a command may take, however long ctx lasts: who waits for a database
// that is away is told so while there is time to tell. That the database is away
// becomes problem.Unavailable, which says nothing about whether a write was
// done. What is said of it begins with what was to be done.
func (db *DB) Do(ctx context.Context, what string, command func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err := command(bounded)
	if expired(err) {
		<-bounded.Done() // the server was given this time, less that of the way to it
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the caller's time is over: that is no fault of the database
		return fmt.Errorf("%s: %w: %w", what, ctx.Err(), err)
	case bounded.Err() != nil || isAway(err):
		err = problem.New(problem.Unavailable, "The database is unavailable. Retry later.").
			After(retryAfter).Because(err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// maxTimeExpired is what a server answers that has worked for as long as it may.
const maxTimeExpired = 50

func expired(err error) bool {
	var server mongo.ServerError
	return errors.As(err, &server) && server.HasErrorCode(maxTimeExpired)
}

// awayCodes are what servers answer that cannot serve at the moment: they are
// about to end, or are no primary, or could not hand a write on to a majority.
var awayCodes = []int{
	6, 7, 89, 91, // HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress
	maxTimeExpired, 262, // and ExceededTimeLimit
	64, 79, 100, // WriteConcernTimeout, UnknownReplWriteConcern, UnsatisfiableWriteConcern
	133, 134, 189, // FailedToSatisfyReadPreference, ReadConcernMajorityNotAvailableYet, PrimarySteppedDown
	9001, 10058, 10107, 13435, 13436, // SocketException, NotPrimary in its various forms
	11600, 11602, // InterruptedAtShutdown, InterruptedDueToReplStateChange
}

// postgresAway is what FerretDB says of a PostgreSQL that is away, for which it
// has no code but that of all that it does not know, 1.
var postgresAway = []string{
	"failed to connect", "unexpected EOF", "conn closed", "terminating connection",
	"the database system is", "too many clients",
}

// isAway reports whether err says that the database cannot be used at the
// moment: nobody answers, or somebody who cannot serve.
func isAway(err error) bool {
	var server mongo.ServerError
	if errors.As(err, &server) {
		if slices.ContainsFunc(awayCodes, server.HasErrorCode) {
			return true
		}
		if slices.ContainsFunc(postgresAway, func(text string) bool { return server.HasErrorCodeWithMessage(1, text) }) {
			return true
		}
	}
	var selection topology.ServerSelectionError
	var connection topology.ConnectionError
	var pool driver.RetryablePoolError
	return mongo.IsTimeout(err) || mongo.IsNetworkError(err) || errors.Is(err, mongo.ErrClientDisconnected) ||
		errors.As(err, &selection) || errors.As(err, &pool) || errors.As(err, &connection) && !isRefusal(err)
}
