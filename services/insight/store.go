package insight

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/mongostore"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
	"github.com/rectohq/recto/services/insight/internal/usagecommand"
)

// StoreConfig says where insights and jobs are stored.
type StoreConfig struct {
	Database string `env:"INSIGHT_DATABASE,notEmpty" secret:"true" desc:"where insights and jobs are stored: the path of a SQLite database (jobs go to x-jobs.db next to x.db), or the mongodb:// URL of a database on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("INSIGHT_DATABASE", c.Database) }

// place is where jobs are stored: next to the insights.
var place = jobstore.Place{Service: insightapi.Service, Variable: "INSIGHT_DATABASE", Beside: true}

// records stores the insights, the fingerprints of documents, and what is known about the
// use of a language model.
type records interface {
	domain.Store
	domain.Completions
	domain.Fingerprints
	ledger.Store
	jobstore.Database
}

// openers open the store of the records in each kind of database.
var openers = jobstore.Openers[records]{
	MongoDB: func(ctx context.Context, url string, t *telemetry.Telemetry) (records, error) {
		return mongostore.Open(ctx, url, t)
	},
	SQLite: func(ctx context.Context, path string) (records, error) { return sqlitestore.Open(ctx, path) },
}

// Jobs returns the source from which the jobs command reads this service's jobs. load
// returns the path or URL of the database.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Analyze, load, place.OpenForCommand)
}

// Usage returns the usage command. load returns the path or URL of the database.
func Usage(load func() (database string, err error)) *cobra.Command {
	return usagecommand.New(func(ctx context.Context) (usagecommand.Store, error) {
		database, err := load()
		if err != nil {
			return nil, err
		}
		return runner.OpenStore(ctx, place.Service, place.Variable, func(ctx context.Context, t *telemetry.Telemetry) (usagecommand.Store, error) {
			return openRecords(ctx, database, t)
		})
	})
}

// openRecords opens the store of the records in the database with the given path or URL.
func openRecords(ctx context.Context, database string, t *telemetry.Telemetry) (opened records, err error) {
	if mongodb.IsURL(database) {
		opened, err = openers.MongoDB(ctx, database, t)
	} else {
		opened, err = openers.SQLite(ctx, database)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store, %s: %w", place.Variable, err)
	}
	return opened, nil
}

// Commands returns the jobs and usage commands. They can be used while the service runs.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load)), Usage(load)}
}
