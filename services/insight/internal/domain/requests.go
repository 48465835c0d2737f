package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
)

// Create reads a document and waits for what is found in it. The same request is
// answered with what was found before, while that is kept.
func (s *Service) Create(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (insightapi.CreateResponse, error) {
	request, err := s.request(ctx, p, r, jobapi.Interactive)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	record, _, err := s.Do(ctx, request)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	found, err := s.found(ctx, record)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	return s.answer(ctx, record.ID, found)
}

// Begin accepts what Create does for a caller who follows its progress.
func (s *Service) Begin(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
	return s.accept(ctx, p, r, jobapi.Interactive)
}

// Submit accepts what Create does for a caller who does not wait.
func (s *Service) Submit(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
	return s.accept(ctx, p, r, jobapi.Bulk)
}

// accept accepts a request in a lane.
func (s *Service) accept(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, lane jobapi.Lane) (jobapi.Job, error) {
	request, err := s.request(ctx, p, r, lane)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.Accept(ctx, request)
}

// request returns the order of a request. What nobody has to work at is refused at
// once.
func (s *Service) request(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, lane jobapi.Lane) (request jobservice.Request[order], err error) {
	o := order{Question: Question{Requests: r.Insights, Context: r.Context}}
	if slices.ContainsFunc(r.Insights, func(i insightapi.Request) bool { return i.Type == insightapi.DocumentSigners }) {
		o.Question.Organization = r.Organization
	}
	request = jobservice.Request[order]{Principal: p, Lane: lane}
	if r.Source.Stored() {
		o.Material, err = s.stored(ctx, p, r)
	} else {
		request.ID, o, err = s.send(ctx, p, r, o)
	}
	if err != nil {
		return request, err
	}
	request.Order, request.Subject = o, o.Material.DocumentID
	request.Key, err = o.key(s.Engine.Version())
	return request, err
}

// send stores what a request has sent, or led to, where its job finds it. It returns the
// id of the job, which follows from what it is to do, so that the same order has the
// same one, and the order with the material.
func (s *Service) send(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, o order) (id string, _ order, err error) {
	var what sent
	switch r.Source {
	case insightapi.DocText:
		what, err = s.sentText(r.Value)
	case insightapi.URL:
		what, err = s.sentURL(ctx, p.Organization, r.Value)
	default:
		err = fmt.Errorf("there is no source %q", r.Source)
	}
	if err != nil {
		return "", o, err
	}
	defer func() { _ = what.close() }()
	o.Material = sentMaterial(p, r.Source, what, s.now())
	key, err := o.key(s.Engine.Version())
	if err != nil {
		return "", o, err
	}
	id = jobapi.DeriveID(jobapi.Analyze, p.Organization+" "+key)
	o.Material.Files[0].Key = sentOf(p.Organization, id) + sourceName
	return id, o, s.place(ctx, o.Material.Files[0].Key, what)
}

// dropProgress removes the progress of a job that is to be done anew: a text that is sent
// again has another time. Whoever followed the job gets the rest with the result.
func (s *Service) dropProgress(ctx context.Context, r job.Record) error {
	err := s.Progress.Remove(ctx, r.Principal.Organization, r.ID)
	if err != nil {
		return problem.New(problem.Unavailable, "The earlier progress of this request cannot be removed. Retry later.").
			After(time.Second).Because(err)
	}
	return nil
}

// isKept reports whether what a job has found can still be answered with.
func (s *Service) isKept(ctx context.Context, r job.Record, _ insightapi.Result) (bool, error) {
	found, err := s.Store.Insight(ctx, r.Principal.Organization, r.ID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return s.kept(ctx, found)
}
