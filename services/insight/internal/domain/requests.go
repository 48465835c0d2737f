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
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
)

// Create reads a document and waits for its insights. The same request gets the same
// insights while they are kept.
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

// Begin is Create for a caller that follows the progress: it returns the job at once.
func (s *Service) Begin(ctx context.Context, p contract.Principal, r insightapi.CreateRequest) (jobapi.Job, error) {
	return s.accept(ctx, p, r, jobapi.Interactive)
}

// Submit is Create for a caller that does not wait: it returns the job at once, in the
// bulk lane.
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

// request returns the job for a request. It immediately refuses requests whose problems
// can be found without reading the document.
func (s *Service) request(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, lane jobapi.Lane) (request jobservice.Request[order], err error) {
	o := order{Question: Question{Requests: r.Insights, Context: r.Context}}
	asks := func(t insightapi.Type) bool { return slices.Contains(insightapi.Asked(r.Insights), t) }
	if asks(insightapi.DocumentSigners) {
		o.Question.Organization = r.Organization
	}
	if asks(insightapi.MatchingDocuments) {
		o.Question.User = p.User.ID
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
	request.Key, err = o.key(s.Engine.Version(p.Organization))
	return request, err
}

// send stores the text that a request has sent, or the file that its URL leads to, where
// the job finds it. It returns the order with that material, and the id of the job, which
// is derived from the order so that the same order always has the same id.
func (s *Service) send(ctx context.Context, p contract.Principal, r insightapi.CreateRequest, o order) (id string, _ order, err error) {
	var what sent
	switch r.Source {
	case insightapi.DocText:
		what, err = s.sentText(r.Value)
	case insightapi.URL:
		what, err = s.sentURL(ctx, p.Organization, r.Value)
	default:
		err = fmt.Errorf("unknown source %q", r.Source)
	}
	if err != nil {
		return "", o, err
	}
	defer func() { _ = what.close() }()
	o.Material = sentMaterial(p, r.Source, what)
	key, err := o.key(s.Engine.Version(p.Organization))
	if err != nil {
		return "", o, err
	}
	id = jobapi.DeriveID(jobapi.Analyze, p.Organization+" "+key)
	if o.Material.Files[0].SealedAt, err = s.sealedAt(ctx, p.Organization, id); err != nil {
		return "", o, err
	}
	o.Material.Files[0].Key = sentOf(p.Organization, id) + sourceName
	return id, o, s.place(ctx, o.Material.Files[0].Key, what)
}

// sealedAt returns the time that counts as the creation of the material of a job. A job that
// failed, or may fail yet, keeps its time when it is run again: clients may have read it in an
// event.
func (s *Service) sealedAt(ctx context.Context, organization, id string) (int64, error) {
	known, err := s.Jobs.Get(ctx, organization, id)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return s.now().UnixMilli(), nil
	case err != nil:
		return 0, err
	case known.State == jobapi.Succeeded || known.State == jobapi.Canceled: // their events are dropped: see dropProgress
		return s.now().UnixMilli(), nil
	}
	var o order
	if err := json.Unmarshal(known.Request, &o); err != nil {
		return 0, fmt.Errorf("decode the job %s: %w", id, err)
	}
	if len(o.Material.Files) != 1 {
		return 0, fmt.Errorf("the job %s has %d files, not one", id, len(o.Material.Files))
	}
	return o.Material.Files[0].SealedAt, nil
}

// dropProgress removes the progress of a job that is about to run again: a text that is
// sent again has another creation time. Clients that followed the old attempt get the rest
// with the result.
func (s *Service) dropProgress(ctx context.Context, r job.Record) error {
	err := s.Progress.Remove(ctx, r.Principal.Organization, r.ID)
	if err != nil {
		return problem.New(problem.Unavailable, "The earlier progress of this request cannot be removed. Retry later.").
			After(time.Second).Because(err)
	}
	return nil
}

// isKept reports whether the insights of a job can still be returned to new requests.
func (s *Service) isKept(ctx context.Context, r job.Record, _ insightapi.Result) (bool, error) {
	found, err := s.Store.Insight(ctx, r.Principal.Organization, r.ID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	matched := found.Analysis.Answer.MatchingDocuments != nil
	if err != nil || found.Analysis.Degraded || matched && s.now().UnixMilli() >= found.CreatedAt+keepMatches.Milliseconds() {
		return false, err
	}
	return s.kept(ctx, found)
}

// keepMatches is how long new requests are answered with insights that include matching
// documents. Other documents come and go, but a client that repeats a request or continues a
// stream soon after should see the same.
const keepMatches = 5 * time.Minute
