package insight

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/mongostore"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// StoreConfig says where insights and jobs are stored.
type StoreConfig struct {
	Database string `env:"INSIGHT_DATABASE,notEmpty" secret:"true" desc:"where insights and jobs are stored: the path of a SQLite database (jobs go to x-jobs.db next to x.db), or the mongodb:// URL of a database on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("INSIGHT_DATABASE", c.Database) }

// place is where jobs are stored: next to the insights.
var place = jobstore.Place{Service: insightapi.Service, Variable: "INSIGHT_DATABASE", Beside: true}

// records stores the insights.
type records interface {
	domain.Store
	jobstore.Database
}

// openers open the store of the insights in each kind of database.
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

// Commands returns the jobs command. It can be used while the service runs.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}
