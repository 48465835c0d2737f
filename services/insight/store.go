package insight

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/mongostore"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// StoreConfig says where what was found and jobs are.
type StoreConfig struct {
	Database string `env:"INSIGHT_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of what was found, beside which the one of jobs is made (x-jobs.db beside x.db), or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("INSIGHT_DATABASE", c.Database) }

// insightStore is what keeps what was found.
type insightStore interface {
	domain.Store
	Check(ctx context.Context) error
	Close() error
}

// stores are all that the service keeps.
type stores struct {
	insights insightStore
	jobs     jobstore.Store
}

// openStores opens the stores in the database of that path or URL. It waits for a
// server that is not there yet.
func openStores(ctx context.Context, database string, t *telemetry.Telemetry) (s stores, err error) {
	if mongodb.IsURL(database) {
		s.insights, err = mongostore.Open(ctx, database, t)
	} else {
		s.insights, err = sqlitestore.Open(ctx, database)
	}
	if err != nil {
		return s, fmt.Errorf("open the store of insights, INSIGHT_DATABASE: %w", err)
	}
	if s.jobs, err = jobstore.OpenBeside(ctx, database, "INSIGHT_DATABASE", t); err != nil {
		return s, errors.Join(err, s.insights.Close())
	}
	return s, nil
}

// close closes both.
func (s stores) close() error { return errors.Join(s.jobs.Close(), s.insights.Close()) }

// openForCommand opens the store of jobs for a command of the terminal.
func openForCommand(ctx context.Context, database string) (jobstore.Store, error) {
	return runner.OpenStore(ctx, "insight", "INSIGHT_DATABASE", func(ctx context.Context, t *telemetry.Telemetry) (jobstore.Store, error) {
		return jobstore.OpenBeside(ctx, database, "INSIGHT_DATABASE", t)
	})
}
