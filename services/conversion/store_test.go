package conversion_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/conversion"
)

// away is a database on a server that nobody listens for.
const away = "mongodb://user:pass%40word@127.0.0.1:1/conversion"

// run runs a command of the service over a database and returns what it prints.
func run(ctx context.Context, database string, args ...string) (string, error) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "conversion", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(conversion.Commands(func() (string, error) { return database, nil })...)
	root.SetArgs(args)
	root.SetOut(&out)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

// TestCommands lists, retries and drops dead letters in each kind of database.
func TestCommands(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "jobs.db")
		s, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		testCommands(t, path, s)
	})
	t.Run("MongoDB", func(t *testing.T) {
		url := mongodbtest.URL(t)
		tel, err := telemetry.New(t.Context(), "conversion", telemetry.Config{}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		s, err := mongostore.Open(t.Context(), url, tel)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		testCommands(t, url, s)
	})
}

func testCommands(t *testing.T, database string, s job.Store) {
	for _, id := range []string{"job_1", "job_2"} {
		_, _, err := s.Add(t.Context(), job.Record{
			ID: id, Key: id, Principal: contract.Principal{Organization: "org_1"}, Lane: jobapi.Bulk, State: jobapi.Failed, Dead: true, EndedAt: 5,
			Request: jsontext.Value("{}"), Attempt: 1, Tries: 5, Error: problem.New(problem.Internal, "It was given up."),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"jobs dead list --json", `"id": "job_2"`}, {"jobs dead retry job_1", "job_1 is queued again"}, {"jobs dead drop job_2", "job_2 is dropped"},
	} {
		if out, err := run(t.Context(), database, strings.Fields(c.args)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
	if r, err := s.Get(t.Context(), "org_1", "job_1"); err != nil || r.Ended() || r.Attempt != 2 {
		t.Errorf("the job that was retried is %+v, %v", r, err)
	}
	if _, err := run(t.Context(), database, "jobs", "dead", "drop", "job_2"); err == nil || !strings.Contains(err.Error(), "job_2") {
		t.Errorf("a job that is gone: %v", err)
	}
}

// TestCommandWithoutDatabase does not wait for ever for a database that is away,
// and says which one it is without its password.
func TestCommandWithoutDatabase(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // a command waits for no longer than its context
	defer cancel()
	_, err := run(ctx, away, "jobs", "dead", "list")
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}

// TestDatabase checks what is said of the name of the database at the start.
func TestDatabase(t *testing.T) {
	var cfg conversion.Config
	if err := config.Load([]string{"CONVERSION_DATABASE=" + away}, "CONVERSION_", &cfg); err != nil {
		t.Error(err)
	}
	err := config.Load([]string{"CONVERSION_DATABASE=mongodb://user:pass%40word@127.0.0.1:1"}, "CONVERSION_", &cfg)
	if err == nil || !strings.Contains(err.Error(), "CONVERSION_DATABASE names no database") || strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
