package annotation

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/job/jobstore"
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

// fieldStore is what keeps the fields.
type fieldStore interface {
	domain.Store
	Check(ctx context.Context) error
	Close() error
}

// stores are all that the service keeps.
type stores struct {
	fields fieldStore
	jobs   jobstore.Store
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
	if s.jobs, err = jobstore.OpenBeside(ctx, database, "ANNOTATION_DATABASE", t); err != nil {
		return s, errors.Join(err, s.fields.Close())
	}
	return s, nil
}

// close closes both.
func (s stores) close() error { return errors.Join(s.jobs.Close(), s.fields.Close()) }

// openForCommand opens the store of jobs for a command of the terminal.
func openForCommand(ctx context.Context, database string) (jobstore.Store, error) {
	return runner.OpenStore(ctx, "annotation", "ANNOTATION_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (jobstore.Store, error) {
		return jobstore.OpenBeside(ctx, database, "ANNOTATION_DATABASE", t)
	})
}
