// Package jobstore opens the store of the jobs of a service, in the kind of database
// that the service keeps its records in.
package jobstore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is an open store of jobs.
type Store interface {
	job.Store
	// Check returns nil while the database answers. It is a check of health.
	Check(ctx context.Context) error
	Close() error
}

// Open opens the store in the database of that path or URL, and waits for a server
// that is not there yet. The error names the variable that the database is from.
func Open(ctx context.Context, database, variable string, t *telemetry.Telemetry) (opened Store, err error) {
	if mongodb.IsURL(database) {
		opened, err = mongostore.Open(ctx, database, t)
	} else {
		opened, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of jobs, %s: %w", variable, err)
	}
	return opened, nil
}

// OpenBeside is Open for a service that keeps other records in the database: on a
// server jobs are in the same one, and in SQLite in a file beside it, x-jobs.db beside
// x.db, since each file has its own versions.
func OpenBeside(ctx context.Context, database, variable string, t *telemetry.Telemetry) (Store, error) {
	if !mongodb.IsURL(database) {
		ext := filepath.Ext(database)
		database = strings.TrimSuffix(database, ext) + "-jobs" + ext
	}
	return Open(ctx, database, variable, t)
}
