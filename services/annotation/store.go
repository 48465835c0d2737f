package annotation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rectohq/recto/libs/job"
	jobsinmongo "github.com/rectohq/recto/libs/job/mongostore"
	jobsinsqlite "github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation/internal/domain"
	"github.com/rectohq/recto/services/annotation/internal/mongostore"
	"github.com/rectohq/recto/services/annotation/internal/sqlitestore"
)

// StoreConfig says where fields and jobs are.
type StoreConfig struct {
	Database string `env:"ANNOTATION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of fields, beside which the one of jobs is made (x-jobs.db beside x.db), or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("ANNOTATION_DATABASE", c.Database) }

// database is what every store can do beside keeping records.
type database interface {
	Check(ctx context.Context) error
	Close() error
}

// fieldStore is what keeps the fields.
type fieldStore interface {
	domain.Store
	database
}

// jobStore is what keeps the jobs.
type jobStore interface {
	job.Store
	database
}

// stores are all that the service keeps.
type stores struct {
	fields fieldStore
	jobs   jobStore
}

// openStores opens the stores in the database of that path or URL. It waits for a
// server that is not there yet.
func openStores(ctx context.Context, database string, t *telemetry.Telemetry) (s stores, err error) {
	if mongodb.IsURL(database) {
		s.fields, err = mongostore.Open(ctx, database, t)
	} else {
		s.fields, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return s, fmt.Errorf("open the store of fields, ANNOTATION_DATABASE: %w", err)
	}
	if s.jobs, err = openJobs(ctx, database, t); err != nil {
		return s, errors.Join(err, s.fields.Close())
	}
	return s, nil
}

// close closes both.
func (s stores) close() error { return errors.Join(s.jobs.Close(), s.fields.Close()) }

// openJobs opens the store of jobs: on a server it is in the same database as the
// fields, and in SQLite in a file of its own, since each has its own versions.
func openJobs(ctx context.Context, database string, t *telemetry.Telemetry) (opened jobStore, err error) {
	if mongodb.IsURL(database) {
		opened, err = jobsinmongo.Open(ctx, database, t)
	} else {
		ext := filepath.Ext(database)
		opened, err = jobsinsqlite.Open(ctx, strings.TrimSuffix(database, ext)+"-jobs"+ext)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of jobs, ANNOTATION_DATABASE: %w", err)
	}
	return opened, nil
}

// openForCommand opens the store of jobs for a command of the terminal.
func openForCommand(ctx context.Context, database string) (jobStore, error) {
	return runner.OpenStore(ctx, "annotation", "ANNOTATION_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (jobStore, error) {
		return openJobs(ctx, database, t)
	})
}
