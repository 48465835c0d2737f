package conversion_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/conversion"
)

// hasGauges reports whether an instance has the metrics of its converters.
func hasGauges(t *testing.T, s *servicetest.Service) bool {
	t.Helper()
	families, err := s.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recto_conversions_running" {
			return true
		}
	}
	return false
}

// TestRoles has an instance accept requests while there is no worker. They wait where a
// worker finds them, and are answered when one starts.
func TestRoles(t *testing.T) {
	s := newSystem(t)
	api := s.start(jobrun.API, engine{})
	submitted, err := s.submit(s.document("bulk"))
	if err != nil {
		t.Fatal(err)
	}
	stored, inline := make(chan error, 1), make(chan error, 1)
	waitedFor := s.document("interactive")
	go func() {
		_, err := bus.Call(patience.Context(t), s.Caller, conversionapi.Stored, principal, conversionapi.StoredRequest{DocumentID: waitedFor, Format: "pdf"})
		stored <- err
	}()
	go func() {
		body := `{"file_base64":"aW5saW5l","filename":"a.txt"}`
		answer, err := bus.Call(patience.Context(t), s.Caller, conversionapi.Inline, principal, contract.Stream{Body: strings.NewReader(body), Size: int64(len(body))})
		if err == nil {
			var pdf []byte
			if pdf, err = io.ReadAll(answer.Body); !strings.Contains(string(pdf), `"aW5saW5l"`) {
				err = fmt.Errorf("the answer is %s, %w", pdf, err)
			}
		}
		inline <- err
	}()
	js := s.JetStream()
	for stream, consumers := range map[string][]string{"JOBS-CONVERT": {"bulk", "interactive"}, "REQUESTS-CONVERSION-INLINE": {"workers"}} {
		for _, consumer := range consumers {
			s.WaitPending(js, stream, consumer, 1)
		}
	}
	if j, _ := s.job(submitted); j.State != jobapi.Queued {
		t.Errorf("without a worker the job is %+v", j)
	}
	list, err := bus.Call(patience.Context(t), s.Caller, conversionapi.ListJobs, principal, jobapi.ListRequest{Limit: 10})
	if err != nil || list.Total != 2 || !slices.ContainsFunc(list.Items, func(j jobapi.Summary) bool { return j.ID == submitted && j.State == jobapi.Queued }) {
		t.Errorf("the jobs are %+v, %v", list, err)
	}
	select {
	case err := <-stored:
		t.Errorf("a request was answered without a worker: %v", err)
	case err := <-inline:
		t.Errorf("an inline file was answered without a worker: %v", err)
	default:
	}
	worker := s.start(jobrun.Worker, engine{})
	s.becomes(submitted, "bulk")
	for what, answered := range map[string]chan error{"stored": stored, "inline": inline} {
		if err := patience.Receive(t, "the answer to "+what, answered); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if hasGauges(t, api) || !hasGauges(t, worker) {
		t.Error("only the worker should have metrics of its converters")
	}
	for role, instance := range map[string]*servicetest.Service{"api": api, "worker": worker} {
		if got := instance.Health.Notes()[conversionapi.Service]["role"]; got != role {
			t.Errorf("the health of the instance with the role %s says %q", role, got)
		}
	}
}

// TestRolesOfPages has an instance that accepts requests show the pages that a worker reads.
func TestRolesOfPages(t *testing.T) {
	s := newSystem(t)
	s.start(jobrun.API, engine{})
	s.start(jobrun.Worker, engine{})
	id := s.document("text")
	image := func(page int) (conversionapi.PageImageResponse, error) {
		return bus.Call(patience.Context(t), s.Caller, conversionapi.PageImage, principal, conversionapi.PageImageRequest{DocumentID: id, PageNumber: page, Width: 100})
	}
	for range 2 {
		got, err := image(1)
		if err != nil {
			t.Fatal(err)
		}
		if content, _ := s.Download(got.URL); string(content) != "text" || got.Size != 4 {
			t.Errorf("the image is %q, %+v", content, got)
		}
	}
	if _, err := image(2); !problem.Is(err, problem.PageNotFound) {
		t.Errorf("page 2: %v", err)
	}
	list, err := bus.Call(patience.Context(t), s.Caller, conversionapi.Pages, principal, conversionapi.PagesRequest{DocumentID: id, Page: 1, Size: 10})
	if err != nil || list.Total != 1 || list.Items[0].Height != 792 {
		t.Errorf("the pages are %+v, %v", list, err)
	}
	words, err := bus.Call(patience.Context(t), s.Caller, conversionapi.PageWords, principal, conversionapi.PageWordsRequest{DocumentID: id, PageNumber: 1})
	if err != nil || len(words.Words) != 1 || words.Words[0].Text != "text" {
		t.Errorf("the words are %+v, %v", words, err)
	}
}

// TestWorkerAlone has a worker do all jobs that were accepted before, also those that
// waited for their organization's turn. It answers no requests.
func TestWorkerAlone(t *testing.T) {
	s := newSystem(t)
	s.env = append(s.env, "CONVERSION_SHARE=2")
	api := s.start(jobrun.API, engine{})
	var ids []string
	for i := range 5 {
		id, err := s.submit(s.document(fmt.Sprint("text ", i)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	queue, err := s.JetStream().Stream(patience.Context(t), "JOBS-CONVERT")
	if err != nil {
		t.Fatal(err)
	}
	if n := queue.CachedInfo().State.Msgs; n != 2 {
		t.Errorf("%d jobs are in the queue, want the share of their organization, 2", n)
	}
	if err := api.Stop(); err != nil {
		t.Fatal(err)
	}
	var done atomic.Int32
	s.start(jobrun.Worker, engine{begin: func(context.Context) error { done.Add(1); return nil }})
	if _, err := s.submit("doc_1"); !problem.Is(err, problem.Unavailable) {
		t.Errorf("a request to a worker: %v", err)
	}
	patience.Until(t, "all documents are converted", func() bool { return int(done.Load()) == len(ids) })
	s.start(jobrun.API, engine{})
	for i, id := range ids {
		s.becomes(id, fmt.Sprint("text ", i))
	}
}

// TestWorkerLeaves ends a worker at work: another one does its job.
func TestWorkerLeaves(t *testing.T) {
	s := newSystem(t)
	s.env = append(s.env, "CONVERSION_SHUTDOWN_GRACE="+patience.Scale(2*time.Second).String())
	s.start(jobrun.API, engine{})
	begun := make(chan struct{}, 1)
	first := s.start(jobrun.Worker, engine{begin: func(ctx context.Context) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	id, err := s.submit(s.document("text"))
	if err != nil {
		t.Fatal(err)
	}
	patience.Receive(t, "the first worker begins", begun)
	s.start(jobrun.Worker, engine{})
	if err := first.Stop(); err != nil {
		t.Error(err)
	}
	s.becomes(id, "text")
}

// TestAPIPurges removes the jobs of a purged document while there is no worker.
func TestAPIPurges(t *testing.T) {
	s := newSystem(t)
	s.start(jobrun.API, engine{})
	document := s.document("text")
	id, err := s.submit(document)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Caller.PublishEvent(t.Context(), contract.Event{ID: "e1", Type: documentapi.EventPurged, Organization: "org_1", Subject: document, At: 1})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the job is gone", func() bool {
		_, err := bus.Call(patience.Context(t), s.Caller, conversionapi.Job, principal, jobapi.GetRequest{ID: id})
		return problem.Is(err, problem.RouteNotFound)
	})
}

// TestReadyWithoutLibreOffice starts instances on a machine without LibreOffice. Only the
// worker needs it.
func TestReadyWithoutLibreOffice(t *testing.T) {
	s := newSystem(t)
	s.env = append(s.env, "CONVERSION_LIBREOFFICE="+t.TempDir(), "CONVERSION_SCRATCH="+t.TempDir(), "CONVERSION_PDF_CACHE="+t.TempDir())
	var cfg conversion.Config
	if err := config.Load(s.env, "CONVERSION_", &cfg); err != nil {
		t.Fatal(err)
	}
	for role, want := range map[jobrun.Role]string{jobrun.All: "", jobrun.API: "", jobrun.Worker: "LibreOffice is not installed"} {
		cfg.Role = role
		instance := s.StartReady(conversionapi.Service, func(ctx context.Context, deps runner.Deps) error { return conversion.Run(ctx, cfg, deps) })
		states, ready := instance.Health.Ready(t.Context())
		if (want == "") != ready || !strings.Contains(states["libreoffice"], want) {
			t.Errorf("the role %s is ready: %v, %v", role, ready, states)
		}
		if err := instance.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// TestRoleConfig checks the errors for a role that does not exist, or that needs another
// database.
func TestRoleConfig(t *testing.T) {
	for environ, want := range map[string]string{
		"CONVERSION_ROLE=all CONVERSION_DATABASE=jobs.db":            "",
		"CONVERSION_ROLE=worker CONVERSION_DATABASE=" + unreachable:  "",
		"CONVERSION_ROLE=api CONVERSION_DATABASE=" + unreachable:     "",
		"CONVERSION_ROLE=workers CONVERSION_DATABASE=" + unreachable: "CONVERSION_ROLE must be all, api or worker",
		"CONVERSION_ROLE=api CONVERSION_DATABASE=jobs.db":            "set CONVERSION_DATABASE to a mongodb:// URL, or CONVERSION_ROLE to all",
	} {
		var cfg conversion.Config
		err := config.Load(strings.Fields(environ), "CONVERSION_", &cfg)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", environ, err, want)
		}
	}
}
