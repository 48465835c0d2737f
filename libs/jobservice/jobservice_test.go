package jobservice_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
)

// order and result are the input and output of the jobs in these tests.
type (
	order  struct{ Text string }
	result struct{ Length int }
)

// jobs is a fake whose jobs run while they are waited for and end as end says. A job that
// exists already is always offered to again.
type jobs struct {
	records map[string]job.Record
	end     func(*job.Record)
}

// Submit implements jobservice.Jobs.
func (j jobs) Submit(_ context.Context, r job.Record, again func(job.Record) bool) (job.Record, error) {
	there, ok := j.records[r.Key]
	if ok && !(there.Ended() && again(there)) {
		return there, nil
	}
	r.State = jobapi.Queued
	j.records[r.Key] = r
	return r, nil
}

// Wait implements jobservice.Jobs.
func (j jobs) Wait(_ context.Context, r job.Record) (job.Record, error) {
	j.end(&r)
	j.records[r.Key] = r
	return r, nil
}

// Get implements jobservice.Jobs.
func (j jobs) Get(_ context.Context, _, id string) (job.Record, error) {
	for _, r := range j.records {
		if r.ID == id {
			return r, nil
		}
	}
	return job.Record{}, job.ErrNotFound
}

// Cancel implements jobservice.Jobs.
func (j jobs) Cancel(ctx context.Context, organization, id string) (job.Record, error) {
	r, err := j.Get(ctx, organization, id)
	if err == nil && !r.Ended() {
		r.State = jobapi.Canceled
		j.records[r.Key] = r
	}
	return r, err
}

// List implements jobservice.Jobs.
func (j jobs) List(_ context.Context, _ string, f job.Filter, limit int) ([]job.Record, int64, error) {
	return []job.Record{{ID: "job_1", Subject: "doc_1", State: f.States[0], CreatedAt: 5, EndedAt: 7}}, int64(limit), nil
}

var principal = contract.Principal{Organization: "org_1"}

// service is a service over jobs. Documents named "deleted" are deleted.
type service struct {
	*jobservice.Service[order, result]
	jobs    jobs
	kept    bool // whether results are kept
	renewed int
}

func newService() *service {
	s := &service{kept: true, jobs: jobs{records: map[string]job.Record{}, end: func(r *job.Record) {
		r.State, r.Result = jobapi.Succeeded, jsontext.Value(`{"Length":3}`)
	}}}
	status := func(_ context.Context, _ contract.Principal, id string) (bool, error) { return id == "deleted", nil }
	s.Service = jobservice.New(s.jobs, status, jobservice.Spec[order, result]{
		Kind: jobapi.Convert,
		Work: func(_ context.Context, _ job.Record, o order, _ func(float64)) (result, error) {
			return result{len(o.Text)}, nil
		},
		Kept:  func(context.Context, job.Record, result) (bool, error) { return s.kept, nil },
		Renew: func(context.Context, job.Record) error { s.renewed++; return nil },
		Show: func(_ context.Context, _ job.Record, r result) (jsontext.Value, error) {
			return jsontext.Value(fmt.Sprintf(`{"shown":%d}`, r.Length)), nil
		},
	})
	return s
}

func request() jobservice.Request[order] {
	return jobservice.Request[order]{Principal: principal, Key: "key", Subject: "doc_1", Order: order{"abc"}}
}

// TestDo submits a job and waits for it, and then answers the same request with the kept
// result.
func TestDo(t *testing.T) {
	s := newService()
	record, got, err := s.Do(t.Context(), request())
	if err != nil || got.Length != 3 {
		t.Fatalf("Do = %+v, %v", got, err)
	}
	if kind, ok := jobapi.KindOf(record.ID); !ok || kind != jobapi.Convert {
		t.Errorf("the job %s is of kind %q", record.ID, kind)
	}
	if again, _, err := s.Do(t.Context(), request()); err != nil || again.ID != record.ID {
		t.Errorf("the same work is the job %s, %v; want %s", again.ID, err, record.ID)
	}
	shown, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: record.ID})
	if err != nil || string(shown.Result) != `{"shown":3}` || shown.Kind != jobapi.Convert {
		t.Errorf("Job = %+v, %v", shown, err)
	}
	if _, err := s.Job(t.Context(), principal, jobapi.GetRequest{ID: "job_9"}); !problem.Is(err, problem.RouteNotFound) {
		t.Errorf("an unknown job: %v", err)
	}
}

// TestAgain runs a job again if its result is no longer kept, it was canceled, or it
// failed because of the infrastructure, and not otherwise.
func TestAgain(t *testing.T) {
	refused := problem.New(problem.InvalidRequest, "The file is empty.")
	for name, test := range map[string]struct {
		end     func(*job.Record)
		kept    bool
		again   bool
		renewed int
	}{
		"kept":     {func(r *job.Record) { r.State, r.Result = jobapi.Succeeded, jsontext.Value(`{}`) }, true, false, 0},
		"expired":  {func(r *job.Record) { r.State, r.Result = jobapi.Succeeded, jsontext.Value(`{}`) }, false, true, 1},
		"canceled": {func(r *job.Record) { r.State = jobapi.Canceled }, true, true, 1},
		"refused":  {func(r *job.Record) { r.State, r.Error = jobapi.Failed, refused }, true, false, 0},
		"retryable": {func(r *job.Record) {
			r.State, r.Error = jobapi.Failed, problem.New(problem.Unavailable, "Unavailable.").After(1)
		}, true, true, 0},
		"dead": {func(r *job.Record) { r.State, r.Error, r.Dead = jobapi.Failed, refused, true }, true, true, 0},
	} {
		s := newService()
		s.kept = test.kept
		r := request()
		first, err := s.Submit(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		test.end(&first)
		s.jobs.records[r.Key] = first
		second, err := s.Submit(t.Context(), r)
		if err != nil || (second.ID != first.ID) != test.again || s.renewed != test.renewed {
			t.Errorf("%s: the job is %s after %s, %v; it was renewed %d times", name, second.ID, first.ID, err, s.renewed)
		}
	}
}

// TestEnds checks what a waiting request gets for each end of its job.
func TestEnds(t *testing.T) {
	failure := problem.New(problem.InvalidRequest, "The file is empty.")
	for name, test := range map[string]struct {
		subject string
		end     func(*job.Record)
		code    problem.Code
	}{
		"failed":   {"doc_1", func(r *job.Record) { r.State, r.Error = jobapi.Failed, failure }, problem.InvalidRequest},
		"canceled": {"doc_1", func(r *job.Record) { r.State = jobapi.Canceled }, problem.Unavailable},
		"deleted":  {"deleted", func(r *job.Record) { r.State = jobapi.Canceled }, problem.DocumentNotFound},
		"garbled":  {"doc_1", func(r *job.Record) { r.State, r.Result = jobapi.Succeeded, jsontext.Value("[]") }, problem.Internal},
	} {
		s := newService()
		s.jobs.end = test.end
		s.Service = jobservice.New(s.jobs, func(_ context.Context, _ contract.Principal, id string) (bool, error) { return id == "deleted", nil },
			jobservice.Spec[order, result]{Kind: jobapi.Convert})
		r := request()
		r.Subject = test.subject
		if _, _, err := s.Do(t.Context(), r); problem.Of(err).Code != test.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWork runs an order unless its document was deleted, and rejects an invalid one.
func TestWork(t *testing.T) {
	s := newService()
	record := job.Record{ID: "job_1", Principal: principal, Subject: "doc_1", Request: jsontext.Value(`{"Text":"abcd"}`)}
	if got, err := s.Work(t.Context(), record, nil); err != nil || got != (result{4}) {
		t.Errorf("Work = %v, %v", got, err)
	}
	notFound := problem.New(problem.DocumentNotFound, "It is gone.")
	for deleted, want := range map[bool]error{false: notFound, true: job.ErrCanceled} {
		gone := false
		during := jobservice.New(s.jobs, func(context.Context, contract.Principal, string) (bool, error) { return gone, nil },
			jobservice.Spec[order, result]{Work: func(context.Context, job.Record, order, func(float64)) (result, error) {
				gone = deleted
				return result{}, notFound
			}})
		if _, err := during.Work(t.Context(), record, nil); !errors.Is(err, want) {
			t.Errorf("a document not found while its job runs: %v, want %v", err, want)
		}
	}
	record.Subject = "deleted"
	if _, err := s.Work(t.Context(), record, nil); !errors.Is(err, job.ErrCanceled) {
		t.Errorf("a deleted document: %v", err)
	}
	record.Request = jsontext.Value(`[]`)
	if _, err := s.Work(t.Context(), record, nil); err == nil || errors.Is(err, job.ErrCanceled) {
		t.Errorf("an invalid order: %v", err)
	}
}

// TestAccept returns a job that can be canceled and is listed.
func TestAccept(t *testing.T) {
	s := newService()
	r := request()
	r.Key = ""
	accepted, err := s.Accept(t.Context(), r)
	if err != nil || accepted.State != jobapi.Queued {
		t.Fatalf("Accept = %+v, %v", accepted, err)
	}
	if other, err := s.Accept(t.Context(), r); err != nil || other.ID == accepted.ID {
		t.Errorf("work without a key got the job %s twice, %v", other.ID, err)
	}
	canceled, err := s.CancelJob(t.Context(), principal, jobapi.GetRequest{ID: accepted.ID})
	if err != nil || canceled.State != jobapi.Canceled {
		t.Errorf("CancelJob = %+v, %v", canceled, err)
	}
	list, err := s.ListJobs(t.Context(), principal, jobapi.ListRequest{States: []jobapi.State{jobapi.Failed}, Limit: 3})
	if err != nil || list.Total != 3 || len(list.Items) != 1 || *list.Items[0].DocumentID != "doc_1" || *list.Items[0].EndedAt != 7 || list.Items[0].State != jobapi.Failed {
		t.Errorf("ListJobs = %+v, %v", list, err)
	}
	if _, err := s.ListJobs(t.Context(), principal, jobapi.ListRequest{Limit: jobapi.MaxListed + 1}); err == nil {
		t.Error("a list without a limit is accepted")
	}
}

// TestMayRead checks that nothing derived from a deleted document can be read.
func TestMayRead(t *testing.T) {
	s := newService()
	for id, code := range map[string]problem.Code{"": 0, "doc_1": 0, "deleted": problem.DocumentNotFound} {
		if err := s.MayRead(t.Context(), principal, id); code == 0 && err != nil || code != 0 && !problem.Is(err, code) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
