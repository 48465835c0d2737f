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

// retryAfter is the retry delay suggested to callers when the database is unavailable.
const retryAfter = time.Second

// Do runs a command, or a few that belong together. It bounds the command with the
// database's timeout even if ctx lasts longer, so that a caller waiting for an
// unavailable database learns of it in time. An unavailable database becomes
// problem.Unavailable, which does not say whether a write was done. The error text begins
// with what.
func (db *DB) Do(ctx context.Context, what string, command func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	err := command(bounded)
	if expired(err) {
		<-bounded.Done() // the server's own limit is this timeout minus the round trip
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the caller's deadline has passed, which is not the database's fault
		return fmt.Errorf("%s: %w: %w", what, ctx.Err(), err)
	case bounded.Err() != nil || isAway(err):
		err = problem.New(problem.Unavailable, "The database is unavailable. Retry later.").
			After(retryAfter).Because(err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// maxTimeExpired is the error code of a command that exceeded its time limit.
const maxTimeExpired = 50

func expired(err error) bool {
	var server mongo.ServerError
	return errors.As(err, &server) && server.HasErrorCode(maxTimeExpired)
}

// awayCodes are the error codes of servers that temporarily cannot serve: they are
// shutting down, are not primary, or could not replicate a write to a majority.
var awayCodes = []int{
	6, 7, 89, 91, // HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress
	maxTimeExpired, 262, // and ExceededTimeLimit
	64, 79, 100, // WriteConcernTimeout, UnknownReplWriteConcern, UnsatisfiableWriteConcern
	133, 134, 189, // FailedToSatisfyReadPreference, ReadConcernMajorityNotAvailableYet, PrimarySteppedDown
	9001, 10058, 10107, 13435, 13436, // SocketException, NotPrimary in its various forms
	11600, 11602, // InterruptedAtShutdown, InterruptedDueToReplStateChange
}

// postgresAway are FerretDB's error texts for an unavailable PostgreSQL. It reports them
// with the code for unknown errors, 1.
var postgresAway = []string{
	"failed to connect", "unexpected EOF", "conn closed", "terminating connection",
	"the database system is", "too many clients",
}

// isAway reports whether err means that the database is temporarily unavailable: no
// server answers, or the one that does cannot serve.
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
