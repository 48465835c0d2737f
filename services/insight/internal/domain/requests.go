package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// Create reads a document and waits for what is found in it. The same request is
// answered with what was found before, while that is kept.
func (s *Service) Create(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (insightapi.CreateResponse, error) {
	record, err := s.submit(ctx, p, r, jobapi.Interactive)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	if !record.Ended() {
		if record, err = s.Jobs.Wait(ctx, record); err != nil {
			return insightapi.CreateResponse{}, err
		}
	}
	switch record.State {
	case jobapi.Failed:
		return insightapi.CreateResponse{}, record.Error
	case jobapi.Canceled:
		return insightapi.CreateResponse{}, job.Canceled(ctx, p, record, s.Status)
	}
	found, err := s.found(ctx, record)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	return s.answer(ctx, record.ID, found)
}

// Begin accepts what Create does for a caller who follows its progress.
func (s *Service) Begin(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
	record, err := s.submit(ctx, p, r, jobapi.Interactive)
	if err != nil {
		return jobapi.Job{}, err
	}
	return record.Job(jobapi.Analyze), nil
}

// Submit accepts what Create does for a caller who does not wait.
func (s *Service) Submit(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
	record, err := s.submit(ctx, p, r, jobapi.Bulk)
	if err != nil {
		return jobapi.Job{}, err
	}
	return record.Job(jobapi.Analyze), nil
}

// submit accepts the job of a request. What nobody has to work at is refused at
// once.
func (s *Service) submit(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, lane jobapi.Lane) (job.Record, error) {
	o := order{Question: Question{Requests: r.Insights, Context: r.Context}}
	if slices.ContainsFunc(r.Insights, func(i insightapi.Request) bool { return i.Type == insightapi.DocumentSigners }) {
		o.Question.Organization = r.Organization
	}
	var what sent
	var err error
	switch r.Source {
	case insightapi.DraftID, insightapi.CompletedID, insightapi.DocumentID:
		if o.Material, err = s.stored(ctx, p, r); err != nil {
			return job.Record{}, err
		}
		return s.enqueue(ctx, p, contract.NewID(contract.JobPrefix), o, lane)
	case insightapi.DocText:
		what, err = s.sentText(r.Value)
	case insightapi.URL:
		what, err = s.sentURL(ctx, p.Organization, r.Value)
	default:
		err = fmt.Errorf("there is no source %q", r.Source)
	}
	if err != nil {
		return job.Record{}, err
	}
	defer func() { _ = what.close() }()
	o.Material = sentMaterial(p, r.Source, what, s.now())
	return s.enqueueSent(ctx, p, what, o, lane)
}

// enqueueSent stores what was sent where its job finds it, and then the job. The id
// of the job follows from what it is to do, so that the same one finds the same.
func (s *Service) enqueueSent(ctx context.Context, p contract.Principal, what sent, o order, lane jobapi.Lane) (job.Record, error) {
	key, err := o.key(s.Engine.Version())
	if err != nil {
		return job.Record{}, err
	}
	id := contract.DeriveID(contract.JobPrefix, time.UnixMilli(0), p.Organization+" "+key)
	o.Material.Files[0].Key = sentOf(p.Organization, id) + sourceName
	if err := s.place(ctx, o.Material.Files[0].Key, what); err != nil {
		return job.Record{}, err
	}
	return s.enqueue(ctx, p, id, o, lane)
}

// enqueue accepts the job of an order.
func (s *Service) enqueue(ctx context.Context, p contract.Principal, id string, o order, lane jobapi.Lane) (job.Record, error) {
	key, err := o.key(s.Engine.Version())
	if err != nil {
		return job.Record{}, err
	}
	request, err := json.Marshal(o, json.Deterministic(true))
	if err != nil {
		return job.Record{}, fmt.Errorf("encode the job: %w", err)
	}
	var checkErr error
	record, err := s.Jobs.Submit(ctx, job.Record{
		ID: id, Principal: p, Key: key, Subject: o.Material.DocumentID, Lane: lane, Request: request,
	}, func(r job.Record) bool {
		var again bool
		if again, checkErr = s.again(ctx, r); again && r.State != jobapi.Failed {
			checkErr = s.untell(ctx, r)
		}
		return again && checkErr == nil
	})
	return record, errors.Join(err, checkErr)
}

// untell removes what is told of a job that is to be done anew: a text that is sent again
// has another time. What is told anew, who follows hears with the result.
func (s *Service) untell(ctx context.Context, r job.Record) error {
	err := s.Progress.Remove(ctx, r.Principal.Organization, r.ID)
	if err != nil {
		return problem.New(problem.Unavailable, "The earlier progress of this request cannot be removed. Retry later.").
			After(time.Second).Because(err)
	}
	return nil
}

// again reports whether a job that has ended is to be done anew: its result is no
// longer kept, it did not fail for a fault of the document, or it was canceled.
func (s *Service) again(ctx context.Context, r job.Record) (bool, error) {
	switch r.State {
	case jobapi.Canceled:
		return true, nil
	case jobapi.Failed:
		return r.Dead || r.Error == nil || r.Error.RetryAfter > 0, nil
	}
	found, err := s.Store.Insight(ctx, r.Principal.Organization, r.ID)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	kept, err := s.kept(ctx, found)
	return !kept, err
}
