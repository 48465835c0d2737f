package insight_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// TestRoles has an instance accept requests of every source while there is no worker. They
// wait where a worker finds them, and are answered when one starts, even if the first
// worker ends at work.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := prepare(t, "INSIGHT_SHUTDOWN_GRACE="+patience.Scale(2*time.Second).String())
	js := s.JetStream()
	s.Service = s.instance(jobrun.API)
	var ids []string
	for _, r := range []insightapi.CreateRequest{
		ask(insightapi.DocumentID, s.document(documentapi.Draft, "A document")), ask(insightapi.DocText, "A text"), ask(insightapi.URL, "https://example.com/secret?a.txt"),
	} {
		j, err := bus.Call(patience.Context(t), s.Caller, insightapi.Submit, principal, r)
		if err != nil || j.State != jobapi.Queued {
			t.Fatalf("the job of %s is %+v, %v", r.Source, j, err)
		}
		ids = append(ids, j.ID)
	}
	waited := make(chan error, 1)
	question := ask(insightapi.DocText, "Another text")
	go func() {
		_, err := bus.Call(patience.Context(t), s.Caller, insightapi.Create, principal, question)
		waited <- err
	}()
	for lane, n := range map[jobapi.Lane]uint64{jobapi.Bulk: 3, jobapi.Interactive: 1} {
		s.WaitPending(js, "JOBS-ANALYZE", string(lane), n)
	}
	list, err := bus.Call(patience.Context(t), s.Caller, insightapi.ListJobs, principal, jobapi.ListRequest{Limit: 10})
	if err != nil || list.Total != 4 || list.Items[0].State != jobapi.Queued {
		t.Errorf("the jobs are %+v, %v", list, err)
	}
	reached := make(chan struct{}, 100)
	s.reader.set(func(ctx context.Context, _ domain.Material) error {
		reached <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	first := s.instance(jobrun.Worker)
	patience.Receive(t, "the first worker is at work", reached)
	if err := first.Stop(); err != nil {
		t.Error(err)
	}
	s.reader.set(nil)
	s.instance(jobrun.Worker)
	for _, id := range ids {
		s.isLogged(id)
	}
	if err := patience.Receive(t, "the answer", waited); err != nil {
		t.Errorf("the waiting request: %v", err)
	}
}

// TestWorkerAlone has a worker do a job that was accepted before, by an instance without
// a PDF reader. The worker answers no requests.
func TestWorkerAlone(t *testing.T) {
	t.Parallel()
	s := prepare(t)
	var cfg insight.Config
	if err := config.Load(s.env, "INSIGHT_", &cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Role = jobrun.API
	s.Service = s.StartReady(insightapi.Service, func(ctx context.Context, deps runner.Deps) error { return insight.Run(ctx, cfg, deps) })
	j, err := bus.Call(patience.Context(t), s.Caller, insightapi.Submit, principal, ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	s.instance(jobrun.Worker)
	patience.Until(t, "the text is read", func() bool { return s.reader.calls() == 1 })
	if _, err := s.create(ask(insightapi.DocText, "x")); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a request to a worker: %v", err)
	}
	s.Service = s.instance(jobrun.API)
	s.isLogged(j.ID)
}

// TestRoleConfig checks the errors for a role that does not exist, or that needs another
// database.
func TestRoleConfig(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]string{
		"INSIGHT_ROLE=worker INSIGHT_DATABASE=" + unreachable: "",
		"INSIGHT_ROLE=none INSIGHT_DATABASE=insight.db":       "INSIGHT_ROLE must be all, api or worker",
		"INSIGHT_ROLE=worker INSIGHT_DATABASE=insight.db":     "set INSIGHT_DATABASE to a mongodb:// URL, or INSIGHT_ROLE to all",
	} {
		var cfg insight.Config
		err := config.Load(strings.Fields(environ), "INSIGHT_", &cfg)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", environ, err, want)
		}
	}
}
