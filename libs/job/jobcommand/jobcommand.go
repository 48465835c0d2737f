// Package jobcommand implements the jobs command, with which the operator handles
// dead-lettered jobs. It runs alongside running services, on the stores of one or more of
// them.
package jobcommand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// maxListed bounds how many dead letters of one kind are listed.
const maxListed = 1000

// Store is a job store that the command closes.
type Store interface {
	job.Store
	Close() error
}

// Source is a store of jobs of one kind.
type Source struct {
	Kind jobapi.Kind
	Open func(ctx context.Context) (Store, error)
}

// From returns the source of a service: load returns the path or URL of its database, and
// open opens the jobs in it.
func From[S Store](kind jobapi.Kind, load func() (database string, err error), open func(ctx context.Context, database string) (S, error)) Source {
	return Source{Kind: kind, Open: func(ctx context.Context) (Store, error) {
		database, err := load()
		if err != nil {
			return nil, err
		}
		return open(ctx, database)
	}}
}

// New returns the jobs command for the sources.
func New(sources ...Source) *cobra.Command {
	c := &commands{sources}
	dead := &cobra.Command{Use: "dead", Short: "List, retry and drop dead-lettered jobs"}
	dead.AddCommand(c.list(), c.retry(), c.drop())
	jobs := &cobra.Command{Use: "jobs", Short: "List, retry and drop dead-lettered jobs"}
	jobs.AddCommand(dead)
	return jobs
}

// commands builds the commands for its sources.
type commands struct{ sources []Source }

// each opens the stores one after another and calls do with each, until do returns true.
func (c *commands) each(ctx context.Context, do func(s job.Store, kind jobapi.Kind) (done bool, err error)) error {
	for _, source := range c.sources {
		store, err := source.Open(ctx)
		if err != nil {
			return err
		}
		done, err := do(store, source.Kind)
		if err = errors.Join(err, store.Close()); err != nil || done {
			return err
		}
	}
	return nil
}

// list returns the command "jobs dead list".
func (c *commands) list() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List dead-lettered jobs, latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			letters := []deadLetter{}
			err := c.each(cmd.Context(), func(s job.Store, kind jobapi.Kind) (bool, error) {
				records, err := s.Dead(cmd.Context(), maxListed)
				for _, r := range records {
					letters = append(letters, newDeadLetter(r, kind))
				}
				return false, err
			})
			if err != nil {
				return err
			}
			slices.SortStableFunc(letters, func(a, b deadLetter) int { return int(b.EndedAt - a.EndedAt) })
			return printDead(cmd.OutOrStdout(), letters, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// deadLetter is a dead-lettered job as the list shows it. Times are Unix milliseconds.
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

func newDeadLetter(r job.Record, kind jobapi.Kind) deadLetter {
	return deadLetter{
		ID: r.ID, Kind: kind, OrganizationID: r.Principal.Organization, DocumentID: r.Subject,
		CreatedAt: r.CreatedAt, EndedAt: r.EndedAt, Tries: r.Tries, Error: r.Error,
	}
}

// printDead writes dead letters as a table or as a JSON array.
func printDead(w io.Writer, letters []deadLetter, asJSON bool) error {
	if asJSON {
		if err := json.MarshalWrite(w, letters, jsontext.Multiline(true)); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		_, err := fmt.Fprintln(w)
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "JOB\tKIND\tORGANIZATION\tDOCUMENT\tTRIES\tDEAD-LETTERED")
	for _, l := range letters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n", l.ID, l.Kind, l.OrganizationID, l.DocumentID, l.Tries, time.UnixMilli(l.EndedAt).Format(time.DateTime))
	}
	return table.Flush()
}

// retry returns the command "jobs dead retry".
func (c *commands) retry() *cobra.Command {
	return &cobra.Command{
		Use: "retry JOB_ID", Short: "Queue a job again; a running service starts it within seconds", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.change(cmd, args[0], "is queued again", func(ctx context.Context, s job.Store, r job.Record) error {
				_, err := s.Replace(ctx, r.Again(time.Now()))
				return err
			})
		},
	}
}

// drop returns the command "jobs dead drop".
func (c *commands) drop() *cobra.Command {
	return &cobra.Command{
		Use: "drop JOB_ID", Short: "Delete a dead-lettered job", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.change(cmd, args[0], "is dropped", func(ctx context.Context, s job.Store, r job.Record) error {
				return s.Remove(ctx, r.Principal.Organization, r.ID)
			})
		},
	}
}

// change finds a dead letter by its ID and calls do with it.
func (c *commands) change(cmd *cobra.Command, id, done string, do func(context.Context, job.Store, job.Record) error) error {
	found := false
	err := c.each(cmd.Context(), func(s job.Store, _ jobapi.Kind) (bool, error) {
		records, err := s.Dead(cmd.Context(), maxListed)
		i := slices.IndexFunc(records, func(r job.Record) bool { return r.ID == id })
		if found = err == nil && i >= 0; !found {
			return false, err
		}
		return true, do(cmd.Context(), s, records[i])
	})
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("no dead-lettered job %s; see jobs dead list", id)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", id, done)
	return nil
}
