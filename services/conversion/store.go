package conversion

import (
	"context"
	"fmt"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// StoreConfig says where jobs are.
type StoreConfig struct {
	Database string `env:"CONVERSION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of jobs, or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("CONVERSION_DATABASE", c.Database) }

// store is what keeps the jobs.
type store interface {
	job.Store
	Check(ctx context.Context) error
	Close() error
}

// openStore opens the store in the database of that path or URL. It waits for a
// server that is not there yet.
func openStore(ctx context.Context, database string, t *telemetry.Telemetry) (opened store, err error) {
	if mongodb.IsURL(database) {
		opened, err = mongostore.Open(ctx, database, t)
	} else {
		opened, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of jobs, CONVERSION_DATABASE: %w", err)
	}
	return opened, nil
}

// openForCommand is openStore for a command of the terminal.
func openForCommand(ctx context.Context, database string) (store, error) {
	return runner.OpenStore(ctx, "conversion", "CONVERSION_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (store, error) {
		return openStore(ctx, database, t)
	})
}
