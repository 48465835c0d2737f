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

// StoreConfig says where fields and jobs are.
type StoreConfig struct {
	Database string `env:"ANNOTATION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of fields, beside which the one of jobs is made (x-jobs.db beside x.db), or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("ANNOTATION_DATABASE", c.Database) }

// place is where jobs are: beside the fields.
var place = jobstore.Place{Service: annotationapi.Service, Variable: "ANNOTATION_DATABASE", Beside: true}

// records is what keeps the fields.
type records interface {
	domain.Store
	jobstore.Database
}

// openers open the fields in each kind of database.
var openers = jobstore.Openers[records]{
	MongoDB: func(ctx context.Context, url string, t *telemetry.Telemetry) (records, error) {
		return mongostore.Open(ctx, url, t)
	},
	SQLite: func(ctx context.Context, path string) (records, error) { return sqlitestore.Open(ctx, path) },
}

// Jobs is where the command jobs finds those of this service. Load returns the path or
// URL of its database.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Annotate, load, place.OpenForCommand)
}

// Commands returns the command jobs. It works beside a running service.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}
