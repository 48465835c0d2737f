package insight

import (
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job/jobcommand"
)

// Commands returns the command jobs. It works beside a running service. Load
// returns the path or URL of the database of the service.
func Commands(load func() (database string, err error)) []*cobra.Command {
	return []*cobra.Command{jobcommand.New(Jobs(load))}
}

// Jobs is where the command jobs finds those of this service.
func Jobs(load func() (database string, err error)) jobcommand.Source {
	return jobcommand.From(jobapi.Analyze, load, openForCommand)
}
