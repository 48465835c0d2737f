// Package jobstore opens the store of the jobs of a service, in the kind of database
// that the service keeps its records in.
package jobstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// Store is an open store of jobs.
type Store interface {
	job.Store
	Database
}

// Database is what every open store is.
type Database interface {
	// Check returns nil while the database answers. It is a check of health.
	Check(ctx context.Context) error
	Close() error
}

// Place is where a service keeps its jobs.
type Place struct {
	// Service is the name of the service.
	Service string
	// Variable names its database.
	Variable string
	// Beside says that the service keeps other records in the database. On a server jobs
	// are in the same one, and in SQLite in a file beside it, x-jobs.db beside x.db,
	// since each file has its own versions.
	Beside bool
}

// Open opens the store in the database of that path or URL, and waits for a server
// that is not there yet.
func (p Place) Open(ctx context.Context, database string, t *telemetry.Telemetry) (opened Store, err error) {
	switch ext := filepath.Ext(database); {
	case mongodb.IsURL(database):
		opened, err = mongostore.Open(ctx, database, t)
	case p.Beside:
		opened, err = sqlitestore.Open(ctx, strings.TrimSuffix(database, ext)+"-jobs"+ext)
	default:
		opened, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of jobs, %s: %w", p.Variable, err)
	}
	return opened, nil
}

// OpenForCommand is Open for a command of the terminal.
func (p Place) OpenForCommand(ctx context.Context, database string) (Store, error) {
	return runner.OpenStore(ctx, p.Service, p.Variable, func(ctx context.Context, t *telemetry.Telemetry) (Store, error) {
		return p.Open(ctx, database, t)
	})
}

// Stores are the records of a service, and its jobs beside them.
type Stores[Records Database] struct {
	Records Records
	Jobs    Store
}

// Openers open the records of a service in each kind of database. An open store of
// MongoDB waits for a server that is not there yet.
type Openers[Records Database] struct {
	MongoDB func(ctx context.Context, url string, t *telemetry.Telemetry) (Records, error)
	SQLite  func(ctx context.Context, path string) (Records, error)
}

// OpenBoth opens the records and the jobs of a service in the database of that path or
// URL. The caller closes them.
func OpenBoth[Records Database](ctx context.Context, p Place, database string, open Openers[Records], t *telemetry.Telemetry) (s Stores[Records], err error) {
	if mongodb.IsURL(database) {
		s.Records, err = open.MongoDB(ctx, database, t)
	} else {
		s.Records, err = open.SQLite(ctx, database)
	}
	if err != nil {
		return s, fmt.Errorf("open the store, %s: %w", p.Variable, err)
	}
	if s.Jobs, err = p.Open(ctx, database, t); err != nil {
		return s, errors.Join(err, s.Records.Close())
	}
	return s, nil
}

// Close closes both.
func (s Stores[Records]) Close() error { return errors.Join(s.Jobs.Close(), s.Records.Close()) }
