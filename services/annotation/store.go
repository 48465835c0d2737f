package annotation

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation/internal/domain"
	"github.com/rectohq/recto/services/annotation/internal/mongostore"
	"github.com/rectohq/recto/services/annotation/internal/sqlitestore"
)

// StoreConfig says where fields and jobs are stored.
type StoreConfig struct {
	Database string `env:"ANNOTATION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of fields (the database of jobs is created next to it: x-jobs.db next to x.db), or the mongodb:// URL of a MongoDB database"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("ANNOTATION_DATABASE", c.Database) }

// place is where jobs are stored: next to the fields.
var place = jobstore.Place{Service: annotationapi.Service, Variable: "ANNOTATION_DATABASE", Beside: true}

// records is the store of the fields.
type records interface {
	domain.Store
	jobstore.Database
}

// openers open the store of the fields in each kind of database.
var openers = jobstore.Openers[records]{
	MongoDB: func(ctx context.Context, url string, t *telemetry.Telemetry) (records, error) {
		return mongostore.Open(ctx, url, t)
	},
	SQLite: func(ctx context.Context, path string) (records, error) { return sqlitestore.Open(ctx, path) },
}

// Jobs returns the jobs of this service for the command jobs. load returns the path or
// URL of the service's database.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Annotate, load, place.OpenForCommand)
}

// Commands returns the command jobs, which can be used while the service runs.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}
