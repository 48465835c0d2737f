package jobcommand_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/jobcommand"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/problem"
)

// source returns a source of dead-lettered jobs that ended at the given times.
func source(t *testing.T, kind jobapi.Kind, ended map[string]int64) jobcommand.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.db")
	s, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for id, at := range ended {
		_, _, err := s.Add(t.Context(), job.Record{
			ID: id, Key: id, Principal: contract.Principal{Organization: "org_1"}, Lane: jobapi.Bulk, State: jobapi.Failed, Dead: true, EndedAt: at,
			Request: jsontext.Value("{}"), Attempt: 1, Tries: 5, Error: problem.New(problem.Internal, "The job failed 5 times."),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return jobcommand.Source{Kind: kind, Open: func(ctx context.Context) (jobcommand.Store, error) { return sqlitestore.Open(ctx, path) }}
}

// TestSeveralSources lists the dead letters of all sources in one order, and finds each
// in its source.
func TestSeveralSources(t *testing.T) {
	sources := []jobcommand.Source{
		source(t, jobapi.Convert, map[string]int64{"job_1": 1, "job_3": 3}), source(t, jobapi.Annotate, map[string]int64{"job_2": 2, "job_4": 4}),
	}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := jobcommand.New(sources...)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append([]string{"dead"}, args...))
		cmd.SetOut(&out)
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	lists := func(want ...string) {
		t.Helper()
		out, err := run("list")
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			got = append(got, strings.Join(strings.Fields(line)[:2], " "))
		}
		if err != nil || strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("listed are %v, %v; want %v", got, err, want)
		}
	}
	lists("job_4 annotate", "job_3 convert", "job_2 annotate", "job_1 convert")
	if out, err := run("retry", "job_2"); err != nil || out != "job_2 is queued again\n" {
		t.Errorf("retry: %q, %v", out, err)
	}
	if out, err := run("drop", "job_1"); err != nil || out != "job_1 is dropped\n" {
		t.Errorf("drop: %q, %v", out, err)
	}
	lists("job_4 annotate", "job_3 convert")
	if _, err := run("drop", "job_1"); err == nil || !strings.Contains(err.Error(), "no dead-lettered job job_1") {
		t.Errorf("drop of a dropped job: %v", err)
	}
}
