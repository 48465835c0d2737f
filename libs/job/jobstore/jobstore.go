// Package jobstore opens the job store of a service in the kind of database in which the
// service keeps its records.
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

// Store is an open job store.
type Store interface {
	job.Store
	Database
}

// Database is implemented by every open store.
type Database interface {
	// Check is a health check. It returns nil while the database answers.
	Check(ctx context.Context) error
	Close() error
}

// Place says where a service keeps its jobs.
type Place struct {
	// Service is the name of the service.
	Service string
	// Variable is the environment variable that names its database.
	Variable string
	// Beside is set if the service keeps other records in the database. In MongoDB the
	// jobs then share the database. In SQLite they get a file next to it, x-jobs.db for
	// x.db, since each file has its own schema version.
	Beside bool
}

// Open opens the store in the database with the given path or URL. It waits for a server
// that is not up yet.
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

// OpenForCommand is Open for a terminal command.
func (p Place) OpenForCommand(ctx context.Context, database string) (Store, error) {
	return runner.OpenStore(ctx, p.Service, p.Variable, func(ctx context.Context, t *telemetry.Telemetry) (Store, error) {
		return p.Open(ctx, database, t)
	})
}

// Stores holds a service's records and its jobs.
type Stores[Records Database] struct {
	Records Records
	Jobs    Store
}

// Openers open the records of a service in each kind of database. Opening MongoDB waits
// for a server that is not up yet.
type Openers[Records Database] struct {
	MongoDB func(ctx context.Context, url string, t *telemetry.Telemetry) (Records, error)
	SQLite  func(ctx context.Context, path string) (Records, error)
}

// OpenBoth opens the records and the jobs of a service in the database with the given
// path or URL. The caller closes them.
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

// Close closes both stores.
func (s Stores[Records]) Close() error { return errors.Join(s.Jobs.Close(), s.Records.Close()) }
