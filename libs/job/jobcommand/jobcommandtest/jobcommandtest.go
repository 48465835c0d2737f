// Package jobcommandtest tests the jobs command of a service as run from a terminal, on
// each kind of database that the service supports.
package jobcommandtest

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
)

// Commands returns the commands of a service for the database that load returns.
type Commands func(load func() (database string, err error)) []*cobra.Command

// Run runs one command on a database and returns its output.
func Run(ctx context.Context, commands Commands, database string, args ...string) (string, error) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "service", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(commands(func() (string, error) { return database, nil })...)
	root.SetArgs(args)
	root.SetOut(&out)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// TestCommands lists, retries and drops dead letters in each kind of database. path is
// the service's SQLite database; jobs is the path of its job database, which is the same
// file or one next to it.
func TestCommands(t *testing.T, commands Commands, kind jobapi.Kind, path, jobs string) {
	t.Run("SQLite", func(t *testing.T) {
		s, err := sqlitestore.Open(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		testCommands(t, commands, kind, path, s)
	})
	t.Run("MongoDB", func(t *testing.T) {
		url := mongodbtest.URL(t)
		testCommands(t, commands, kind, url, mongodbtest.Open(t, url, mongostore.Open))
	})
}

func testCommands(t *testing.T, commands Commands, kind jobapi.Kind, database string, s job.Store) {
	for _, id := range []string{"job_1", "job_2"} {
		_, _, err := s.Add(t.Context(), job.Record{
			ID: id, Key: id, Principal: contract.Principal{Organization: "org_1"}, Lane: jobapi.Bulk, State: jobapi.Failed, Dead: true, EndedAt: 5,
			Request: jsontext.Value("{}"), Attempt: 1, Tries: 5, Error: problem.New(problem.Internal, "The job failed 5 times."),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"jobs dead list --json", `"id": "job_2"`}, {"jobs dead list --json", `"kind": "` + string(kind) + `"`},
		{"jobs dead retry job_1", "job_1 is queued again"}, {"jobs dead drop job_2", "job_2 is dropped"},
	} {
		if out, err := Run(t.Context(), commands, database, strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
	if r, err := s.Get(t.Context(), "org_1", "job_1"); err != nil || r.Ended() || r.Attempt != 2 {
		t.Errorf("the retried job is %+v, %v", r, err)
	}
	if _, err := Run(t.Context(), commands, database, "jobs", "dead", "drop", "job_2"); err == nil || !strings.Contains(err.Error(), "job_2") {
		t.Errorf("drop of a dropped job: %v, want an error that names it", err)
	}
}
