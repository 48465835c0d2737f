package conversion

import (
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/jobstore"
	"github.com/rectohq/recto/libs/mongodb"
)

// StoreConfig says where jobs are.
type StoreConfig struct {
	Database string `env:"CONVERSION_DATABASE,notEmpty" secret:"true" desc:"path of the SQLite database of jobs, or the mongodb:// URL of one on a server"`
}

// Validate implements config.Validator.
func (c StoreConfig) Validate() []error { return mongodb.Problems("CONVERSION_DATABASE", c.Database) }

// place is where jobs are. The service keeps nothing else.
var place = jobstore.Place{Service: conversionapi.Service, Variable: "CONVERSION_DATABASE"}

// Jobs is where the command jobs finds those of this service. Load returns the path or
// URL of its database.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Convert, load, place.OpenForCommand)
}

// Commands returns the command jobs. It works beside a running service.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}
