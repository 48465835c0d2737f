package conversion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// maxListed bounds how many dead letters are listed.
const maxListed = 1000

// Commands returns the command jobs. It works beside a running service. Load
// returns the path or URL of the database of jobs.
func Commands(load func() (database string, err error)) []*cobra.Command {
	c := &commands{load}
	dead := &cobra.Command{Use: "dead", Short: "List, retry and drop jobs that were given up"}
	dead.AddCommand(c.list(), c.retry(), c.drop())
	jobs := &cobra.Command{Use: "jobs", Short: "Look after jobs"}
	jobs.AddCommand(dead)
	return []*cobra.Command{jobs}
}

// commands makes the commands that administer jobs, for the conversion service
// and the standalone program alike.
type commands struct {
	load func() (database string, err error)
}

// run opens the store for the time of do.
func (c *commands) run(cmd *cobra.Command, do func(ctx context.Context, s job.Store) error) (err error) {
	database, err := c.load()
	if err != nil {
		return err
	}
	store, err := openForCommand(cmd.Context(), database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return do(cmd.Context(), store)
}

// list returns the command jobs dead list.
func (c *commands) list() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the jobs that were given up, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.run(cmd, func(ctx context.Context, s job.Store) error {
				records, err := s.Dead(ctx, maxListed)
				if err != nil {
					return err
				}
				return printDead(cmd.OutOrStdout(), records, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// deadLetter is a job that was given up, as the list shows it. Times are Unix
// milliseconds.
type deadLetter struct {
	ID             string         `json:"id"`
	Kind           jobapi.Kind    `json:"kind"`
	OrganizationID string         `json:"organization_id"`
	DocumentID     string         `json:"document_id"`
	CreatedAt      int64          `json:"created_at"`
	EndedAt        int64          `json:"ended_at"`
	Tries          int            `json:"tries"`
	Error          *problem.Error `json:"error"`
}

// printDead writes dead letters as a table or as a JSON array.
func printDead(w io.Writer, records []job.Record, asJSON bool) error {
	letters := []deadLetter{}
	for _, r := range records {
		letters = append(letters, deadLetter{
			ID: r.ID, Kind: jobapi.Convert, OrganizationID: r.Principal.Organization, DocumentID: r.Subject,
			CreatedAt: r.CreatedAt, EndedAt: r.EndedAt, Tries: r.Tries, Error: r.Error,
		})
	}
	if asJSON {
		if err := json.MarshalWrite(w, letters, jsontext.Multiline(true)); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		_, err := fmt.Fprintln(w)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "JOB\tKIND\tORGANIZATION\tDOCUMENT\tTRIES\tGIVEN UP")
	for _, l := range letters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n", l.ID, l.Kind, l.OrganizationID, l.DocumentID, l.Tries, time.UnixMilli(l.EndedAt).Format(time.DateTime))
	}
	return table.Flush()
}

// retry returns the command jobs dead retry.
func (c *commands) retry() *cobra.Command {
	return &cobra.Command{
		Use: "retry JOB_ID", Short: "Let a job be tried again; a running service begins within seconds", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.change(cmd, args[0], "is queued again", func(ctx context.Context, s job.Store, r job.Record) error {
				_, err := s.Replace(ctx, r.Again(time.Now()))
				return err
			})
		},
	}
}

// drop returns the command jobs dead drop.
func (c *commands) drop() *cobra.Command {
	return &cobra.Command{
		Use: "drop JOB_ID", Short: "Forget a job that was given up", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.change(cmd, args[0], "is dropped", func(ctx context.Context, s job.Store, r job.Record) error {
				return s.Remove(ctx, r.Principal.Organization, r.ID)
			})
		},
	}
}

// change finds a dead letter by its id and does something to it.
func (c *commands) change(cmd *cobra.Command, id, done string, do func(context.Context, job.Store, job.Record) error) error {
	return c.run(cmd, func(ctx context.Context, s job.Store) error {
		records, err := s.Dead(ctx, maxListed)
		if err != nil {
			return err
		}
		for _, r := range records {
			if r.ID == id {
				if err := do(ctx, s, r); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", id, done)
				return nil
			}
		}
		return fmt.Errorf("there is no job %s that was given up; jobs dead list shows those that were", id)
	})
}
