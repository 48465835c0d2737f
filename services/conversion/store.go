package conversion

import (
	"context"

	"github.com/rectohq/recto/libs/job/jobstore"
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

// openStore opens the store of jobs.
func openStore(ctx context.Context, database string, t *telemetry.Telemetry) (jobstore.Store, error) {
	return jobstore.Open(ctx, database, "CONVERSION_DATABASE", t)
}

// openForCommand is openStore for a command of the terminal.
func openForCommand(ctx context.Context, database string) (jobstore.Store, error) {
	return runner.OpenStore(ctx, "conversion", "CONVERSION_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (jobstore.Store, error) {
		return openStore(ctx, database, t)
	})
}
