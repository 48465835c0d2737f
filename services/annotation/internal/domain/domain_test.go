package domain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/annotation/internal/domain"
	"github.com/rectohq/recto/services/annotation/internal/sqlitestore"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var principal = contract.Principal{Organization: "org_1"}

// jobs is a jobservice.Jobs with a fixed set of jobs.
type jobs map[string]job.Record

// Submit implements jobservice.Jobs: the queue is full.
func (jobs) Submit(_ context.Context, r job.Record, _ func(job.Record) bool) (job.Record, error) {
	return r, problem.New(problem.Unavailable, "Too many jobs are waiting.")
}

// Get implements jobservice.Jobs.
func (j jobs) Get(_ context.Context, organization, id string) (job.Record, error) {
	if r, ok := j[organization+" "+id]; ok {
		return r, nil
	}
	return job.Record{}, job.ErrNotFound
}

// Cancel implements jobservice.Jobs: nothing is canceled.
func (j jobs) Cancel(ctx context.Context, organization, id string) (job.Record, error) {
	return j.Get(ctx, organization, id)
}

// newService returns a service over real stores.
func newService(t *testing.T, cfg domain.Config, known jobs) (*domain.Service, *sqlitestore.Store, *blob.Store) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "annotation.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	blobs := blobtest.Dial(t, "annotation-"+strings.NewReplacer("/", "-", "_", "-").Replace(strings.ToLower(t.Name())))
	contents := func(context.Context, contract.Principal, documentapi.GetRequest) (documentapi.ContentsResponse, error) {
		return documentapi.ContentsResponse{DocumentID: "doc_1", VersionNumber: 1, Files: []documentapi.Content{{Name: "a.docx", Key: "content/x", SHA256: "ab"}}}, nil
	}
	return domain.NewService(cfg, domain.Deps{
		Store: store, Objects: blobs, Contents: contents, Jobs: known, Scratch: t.TempDir(), KeepBodies: time.Hour,
		Status: func(context.Context, contract.Principal, string) (bool, error) { return false, nil },
		Tell:   func(context.Context, domain.Filled) error { return nil }, Count: func(fields.Type) {}, Log: telemetry.Discard(),
	}), store, blobs
}

// config keeps filled files for an hour, and makes URLs valid for a minute.
var config = domain.Config{Workers: 1, Memory: 100, DownloadTTL: time.Minute, Keep: time.Hour, KeepFields: 48 * time.Hour}

// TestSweep checks that Sweep removes what has expired, and nothing else. The body of
// job_none is what a crash between storing a body and creating its job leaves.
func TestSweep(t *testing.T) {
	running := job.Record{State: jobapi.Running}
	ended := job.Record{State: jobapi.Succeeded}
	dead := job.Record{State: jobapi.Failed, Dead: true}
	s, store, blobs := newService(t, config, jobs{"org_1 job_running": running, "org_1 job_ended": ended, "org_1 job_dead": dead})
	for _, key := range []string{
		"annotated/org_1/doc_1/x", "pending/org_1.doc_1.job_running", "pending/org_1.doc_1.job_ended", "pending/org_1.doc_1.job_dead",
		"pending/org_1.doc_1.job_none", "content/org_1/doc_1/x",
	} {
		if err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1, ""); err != nil {
			t.Fatal(err)
		}
	}
	content := domain.Content{DocumentID: "doc_1", SHA256: "ab", Version: "1"}
	if err := store.KeepFound(t.Context(), "org_1", content, domain.Found{UsedAt: time.Now().UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  string
		found bool
	}{
		{29 * time.Minute, "annotated/org_1/doc_1/x content/org_1/doc_1/x pending/org_1.doc_1.job_dead pending/org_1.doc_1.job_ended pending/org_1.doc_1.job_none pending/org_1.doc_1.job_running", true},
		{31 * time.Minute, "annotated/org_1/doc_1/x content/org_1/doc_1/x pending/org_1.doc_1.job_dead pending/org_1.doc_1.job_running", true},
		{2 * time.Hour, "content/org_1/doc_1/x pending/org_1.doc_1.job_dead pending/org_1.doc_1.job_running", true},
		{49 * time.Hour, "content/org_1/doc_1/x pending/org_1.doc_1.job_dead pending/org_1.doc_1.job_running", false},
	} {
		s.SetNow(func() time.Time { return time.Now().Add(step.after) })
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var keys []string
		if err := blobs.List(t.Context(), "", func(o blob.Object) error { keys = append(keys, o.Key); return nil }); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(keys, " "); got != step.want {
			t.Errorf("after %s the objects are %s", step.after, got)
		}
		if _, err := store.Found(t.Context(), "org_1", content); errors.Is(err, domain.ErrNotFound) == step.found {
			t.Errorf("after %s, Found returns %v", step.after, err)
		}
	}
}

// accepting is a jobservice.Jobs that accepts every job, once before has been called.
type accepting struct {
	jobs
	before func()
}

// Submit implements jobservice.Jobs.
func (a accepting) Submit(_ context.Context, r job.Record, _ func(job.Record) bool) (job.Record, error) {
	a.before()
	r.State = jobapi.Queued
	a.jobs[r.Principal.Organization+" "+r.ID] = r
	return r, nil
}

// TestSweepOfAnotherReplica sweeps on another replica, whose clock is 15 minutes ahead,
// just before a job is created: its body stays. After a crash at that point, the next
// replica to sweep removes the body.
func TestSweepOfAnotherReplica(t *testing.T) {
	known := jobs{}
	other, _, blobs := newService(t, config, known)
	bodies := func() (n int) {
		t.Helper()
		if err := blobs.List(t.Context(), "pending/", func(blob.Object) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	sweepAfter := func(age time.Duration) {
		t.Helper()
		other.SetNow(func() time.Time { return time.Now().Add(age) })
		if err := other.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	deps := other.Deps
	deps.Jobs = accepting{known, func() {
		if sweepAfter(15 * time.Minute); bodies() != 1 {
			t.Error("the body of a job that is being created was removed")
		}
	}}
	s := domain.NewService(config, deps)
	j, err := s.Submit(t.Context(), principal, payload(t, `{"field_values":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if sweepAfter(time.Hour); bodies() != 1 {
		t.Error("the body of an unfinished job was removed")
	}
	delete(known, "org_1 "+j.ID)
	if sweepAfter(time.Hour); bodies() != 0 {
		t.Error("the body of a job that was never created remains")
	}
}

// TestMemory checks that a body waits briefly for memory, and that a body larger than the
// limit is refused.
func TestMemory(t *testing.T) {
	s, _, _ := newService(t, config, nil)
	stream := func(text string, size int64) contract.Stream {
		return contract.Stream{Body: strings.NewReader(text), Size: size}
	}
	for _, size := range []int64{101, 1 << 40} {
		if _, _, err := domain.Hold(s, t.Context(), stream("", size)); !problem.Is(err, problem.TooLarge) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, _, err := domain.Hold(s, t.Context(), stream(strings.Repeat("x", 101), -1)); !problem.Is(err, problem.TooLarge) {
		t.Errorf("a body of unknown size: %v", err)
	}
	if _, _, err := domain.Hold(s, t.Context(), stream("short", 60)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that ends too early: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		held, release, err := domain.Hold(s, t.Context(), stream(strings.Repeat("x", 60), 60))
		if err != nil || len(held) != 60 {
			t.Fatalf("%d bytes, %v", len(held), err)
		}
		if _, _, err := domain.Hold(s, t.Context(), stream("", 60)); !problem.Is(err, problem.Unavailable) {
			t.Errorf("with no memory left: %v", err)
		}
		time.AfterFunc(time.Second, release)
		_, release, err = domain.Hold(s, t.Context(), stream(strings.Repeat("x", 60), -1))
		if err != nil {
			t.Fatalf("with memory released soon: %v", err)
		}
		release()
	})
}

// payload returns the payload of a request for doc_1.
func payload(t *testing.T, body string) contract.Stream {
	t.Helper()
	p, err := annotationapi.NewAnnotate(annotationapi.AnnotateRequest{DocumentID: "doc_1"}, strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestQueueIsFull checks that a job that was not accepted leaves no body behind.
func TestQueueIsFull(t *testing.T) {
	s, _, blobs := newService(t, config, nil)
	if _, err := s.Submit(t.Context(), principal, payload(t, `{"field_values":{}}`)); !problem.Is(err, problem.Unavailable) {
		t.Errorf("got %v", err)
	}
	if err := blobs.List(t.Context(), "pending/", func(o blob.Object) error { return errors.New(o.Key) }); err != nil {
		t.Errorf("an object remains: %v", err)
	}
}

// TestMissingContent checks the error for an object that was lost.
func TestMissingContent(t *testing.T) {
	s, _, _ := newService(t, config, nil)
	if _, err := s.Annotate(t.Context(), principal, payload(t, `{"field_values":{}}`)); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "a.docx no longer exists") {
		t.Errorf("got %v", err)
	}
}

// TestMissingBodyOfJob checks that a job whose body was lost fails permanently.
func TestMissingBodyOfJob(t *testing.T) {
	s, _, _ := newService(t, config, nil)
	_, err := s.Work(t.Context(), job.Record{ID: "job_1", Principal: principal, Subject: "doc_1", Request: []byte("{}")}, func(float64) {})
	if !problem.Is(err, problem.Unavailable) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("got %v", err)
	}
}

// TestEnded checks that a finished job is published and cleaned up: a canceled job leaves
// nothing behind, a dead-lettered one keeps everything for a retry.
func TestEnded(t *testing.T) {
	const pending, filled, other = "pending/org_1.doc_1.job_1", "annotated/org_1/doc_1/job_1", "annotated/org_1/doc_1/job_2"
	result := []byte(`{"key":"` + filled + `","name":"a.docx","document_id":"doc_1","fields":3}`)
	for name, c := range map[string]struct {
		end   job.Record
		told  string
		left  string
		fails bool
	}{
		"succeeded": {job.Record{State: jobapi.Succeeded, Result: result, EndedAt: 5}, "job_1 of doc_1: 3 at 5", filled + " " + other, false},
		"dry run":   {job.Record{State: jobapi.Succeeded, Result: []byte(`{"key":""}`)}, "", filled + " " + other, false},
		"failed":    {job.Record{State: jobapi.Failed}, "", filled + " " + other, false},
		"canceled":  {job.Record{State: jobapi.Canceled}, "", other, false},
		"dead":      {job.Record{State: jobapi.Failed, Dead: true}, "", filled + " " + other + " " + pending, false},
		"unread":    {job.Record{State: jobapi.Succeeded, Result: []byte(`[]`)}, "", filled + " " + other, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, blobs := newService(t, config, jobs{})
			for _, key := range []string{pending, filled, other} {
				if err := blobs.Put(t.Context(), key, strings.NewReader("x"), 1, ""); err != nil {
					t.Fatal(err)
				}
			}
			told := ""
			ended := domain.Ended(blobs, func(_ context.Context, f domain.Filled) error {
				told += fmt.Sprintf("%s of %s: %d at %d", f.Name, f.DocumentID, f.Fields, f.At.UnixMilli())
				return nil
			})
			c.end.ID, c.end.Principal, c.end.Subject = "job_1", principal, "doc_1"
			if err := ended(t.Context(), c.end); (err != nil) != c.fails {
				t.Errorf("got %v", err)
			}
			var left []string
			if err := blobs.List(t.Context(), "", func(o blob.Object) error { left = append(left, o.Key); return nil }); err != nil {
				t.Fatal(err)
			}
			if told != c.told || strings.Join(left, " ") != c.left {
				t.Errorf("published %q, objects left: %q; want %q and %q", told, left, c.told, c.left)
			}
		})
	}
}

// List implements jobservice.Jobs: it lists all jobs.
func (j jobs) List(context.Context, string, job.Filter, int) ([]job.Record, int64, error) {
	return slices.Collect(maps.Values(j)), int64(len(j)), nil
}

// Wait implements jobservice.Jobs: it does not wait.
func (j jobs) Wait(_ context.Context, r job.Record) (job.Record, error) { return r, nil }
