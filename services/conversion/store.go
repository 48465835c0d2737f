package conversion

import (
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
)

// StoreConfig configures the job database.
type StoreConfig struct {
	Database string `env:"CONVERSION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of jobs, or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("CONVERSION_DATABASE", c.Database) }

// place is the job database. The service stores nothing else in a database.
var place = jobstore.Place{Service: conversionapi.Service, Variable: "CONVERSION_DATABASE"}

// Jobs returns the source of this service's jobs for the command jobs. Load returns the
// path or URL of the database.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Convert, load, place.OpenForCommand)
}

// Commands returns the command jobs. It can be used while the service is running.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}
