// Package jobservice handles the life of the jobs of one kind, from the request that
// submits a job to the response. A service defines its orders, how an order is carried
// out, and what clients see of the result. This package does the rest: submitting,
// waiting, finding, listing, canceling, and deciding whether a finished job is run again.
package jobservice

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// Jobs accepts jobs, which Service.Work runs in this process or another one. A *job.Pool
// implements it.
type Jobs interface {
	// Submit accepts a job and returns its record, or that of an equal job accepted
	// before. Again decides whether a finished job is run again.
	Submit(ctx context.Context, r job.Record, again func(job.Record) bool) (job.Record, error)
	// Wait returns the record once the job has ended.
	Wait(ctx context.Context, r job.Record) (job.Record, error)
	// List returns the records of an organization that match the filter, and their total
	// number; see job.Store.
	List(ctx context.Context, organization string, f job.Filter, limit int) ([]job.Record, int64, error)
	job.Finder
}

// Spec defines the parts of a job's life that are specific to a service. Every order and
// result is stored as JSON.
type Spec[Order, Result any] struct {
	Kind jobapi.Kind
	// Work does one try of an order; see job.Work.
	Work func(ctx context.Context, r job.Record, o Order, report func(progress float64)) (Result, error)
	// Kept reports whether requests can still be answered with the result of a job. It is
	// called when the same work is submitted again.
	Kept func(ctx context.Context, r job.Record, result Result) (bool, error)
	// Renew prepares a job to be run again if its result is no longer kept or it was
	// canceled. Renew may be nil.
	Renew func(ctx context.Context, r job.Record) error
	// Show returns the result as clients see it, which equals the response to a waiting
	// client.
	Show func(ctx context.Context, r job.Record, result Result) (jsontext.Value, error)
}

// Service submits and shows the jobs of one kind. Its errors are *problem.Error; any
// other error is internal.
type Service[Order, Result any] struct {
	spec   Spec[Order, Result]
	jobs   Jobs
	status job.Status
}

// New returns a Service. Status reports whether a document was deleted.
func New[Order, Result any](jobs Jobs, status job.Status, spec Spec[Order, Result]) *Service[Order, Result] {
	return &Service[Order, Result]{spec, jobs, status}
}

// Request is an order to submit.
type Request[Order any] struct {
	// ID is the ID of a new job; "" generates one.
	ID        string
	Principal contract.Principal
	// Key identifies the work: submissions with the same key share one job. "" means that
	// the work equals no other.
	Key string
	// Subject is the ID of the document that the job is about, or "".
	Subject string
	Lane    jobapi.Lane
	Order   Order
}

// Submit accepts an order and returns the record of its job.
func (s *Service[Order, Result]) Submit(ctx context.Context, r Request[Order]) (job.Record, error) {
	request, err := json.Marshal(r.Order, json.Deterministic(true))
	if err != nil {
		return job.Record{}, fmt.Errorf("encode the job: %w", err)
	}
	if r.ID == "" {
		r.ID = jobapi.NewID(s.spec.Kind)
	}
	if r.Key == "" {
		r.Key = r.ID
	}
	var checkErr error
	record, err := s.jobs.Submit(ctx, job.Record{
		ID: r.ID, Principal: r.Principal, Key: r.Key, Subject: r.Subject, Lane: r.Lane, Request: request,
	}, func(ended job.Record) bool {
		var again bool
		again, checkErr = s.again(ctx, ended)
		return again && checkErr == nil
	})
	return record, errors.Join(err, checkErr)
}

// again reports whether a finished job is to be run again: its result is no longer kept,
// it failed for a reason other than its document, or it was canceled.
func (s *Service[Order, Result]) again(ctx context.Context, r job.Record) (bool, error) {
	switch r.State {
	case jobapi.Failed:
		return r.Dead || r.Error == nil || r.Error.RetryAfter > 0, nil
	case jobapi.Succeeded:
		result, err := s.Result(r)
		if err != nil {
			return false, err
		}
		if kept, err := s.spec.Kept(ctx, r, result); kept || err != nil {
			return false, err
		}
	}
	if s.spec.Renew != nil {
		return true, s.spec.Renew(ctx, r)
	}
	return true, nil
}

// Accept is Submit for a client that does not wait: it returns the job.
func (s *Service[Order, Result]) Accept(ctx context.Context, r Request[Order]) (jobapi.Job, error) {
	record, err := s.Submit(ctx, r)
	if err != nil {
		return jobapi.Job{}, err
	}
	return record.Job(s.spec.Kind), nil
}

// Do submits an order and waits until its job has succeeded. If the job failed, the error
// is the job's. If it was canceled, the error is Unavailable or DocumentNotFound.
func (s *Service[Order, Result]) Do(ctx context.Context, r Request[Order]) (record job.Record, result Result, err error) {
	record, err = s.Submit(ctx, r)
	if err == nil && !record.Ended() {
		record, err = s.jobs.Wait(ctx, record)
	}
	switch {
	case err != nil:
		return record, result, err
	case record.State == jobapi.Canceled:
		return record, result, job.Canceled(ctx, r.Principal, record, s.status)
	case record.State == jobapi.Failed:
		return record, result, record.Error
	}
	result, err = s.Result(record)
	return record, result, err
}

// Result decodes the result of a job that has succeeded.
func (s *Service[Order, Result]) Result(r job.Record) (result Result, err error) {
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return result, fmt.Errorf("decode the result of job %s: %w", r.ID, err)
	}
	return result, nil
}

// Work does one try of a job, unless the job is no longer wanted. It is a job.Work.
func (s *Service[Order, Result]) Work(ctx context.Context, r job.Record, report func(progress float64)) (any, error) {
	var o Order
	if err := json.Unmarshal(r.Request, &o); err != nil {
		return nil, fmt.Errorf("decode the job %s: %w", r.ID, err)
	}
	if err := job.Wanted(ctx, r, s.status); err != nil {
		return nil, err
	}
	result, err := s.spec.Work(ctx, r, o, report)
	if problem.Is(err, problem.DocumentNotFound) { // the document may have been deleted meanwhile
		if err := job.Wanted(ctx, r, s.status); errors.Is(err, job.ErrCanceled) {
			return nil, err
		}
	}
	return result, err
}

// Job returns a job of the principal's organization, with its result if it has one.
func (s *Service[Order, Result]) Job(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Find(ctx, s.jobs, p, r.ID, s.status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// CancelJob cancels a job of the principal's organization unless it has ended, and
// returns it as Job does.
func (s *Service[Order, Result]) CancelJob(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Cancel(ctx, s.jobs, p, r.ID, s.status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// show converts a job to the form that clients see.
func (s *Service[Order, Result]) show(ctx context.Context, r job.Record) (jobapi.Job, error) {
	shown := r.Job(s.spec.Kind)
	if !r.HasResult() {
		return shown, nil
	}
	result, err := s.Result(r)
	if err != nil {
		return jobapi.Job{}, err
	}
	shown.Result, err = s.spec.Show(ctx, r, result)
	return shown, err
}

// ListJobs returns the latest matching jobs of the principal's organization.
func (s *Service[Order, Result]) ListJobs(ctx context.Context, p contract.Principal, r jobapi.ListRequest) (jobapi.ListResponse, error) {
	if err := r.Validate(); err != nil {
		return jobapi.ListResponse{}, err
	}
	records, total, err := s.jobs.List(ctx, p.Organization, job.Filter{States: r.States, Subjects: r.Documents}, r.Limit)
	if err != nil {
		return jobapi.ListResponse{}, err
	}
	list := jobapi.ListResponse{Items: make([]jobapi.Summary, 0, len(records)), Total: total}
	for _, record := range records {
		list.Items = append(list.Items, record.Summary(s.spec.Kind))
	}
	return list, nil
}

// MayRead returns an error unless the principal may see the document: a deleted document
// is gone with everything derived from it. A job without a document ("") belongs to its
// organization.
func (s *Service[Order, Result]) MayRead(ctx context.Context, p contract.Principal, documentID string) error {
	if documentID == "" {
		return nil
	}
	deleted, err := s.status(ctx, p, documentID)
	if err == nil && deleted {
		err = documentapi.NotFound(documentID)
	}
	return err
}
