package domain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// show returns what clients see of what a job has found: what Create would have
// answered. It is there for as long as what it shows is, which for a PDF the conversion
// service decides.
func (s *Service) show(ctx context.Context, r job.Record, _ insightapi.Result) (jsontext.Value, error) {
	found, err := s.found(ctx, r)
	if err == nil {
		err = s.isShown(ctx, found)
	}
	if errors.Is(err, ErrNotFound) {
		return nil, jobapi.NotFound(r.ID)
	}
	if err != nil {
		return nil, err
	}
	answer, err := s.answer(ctx, r.ID, found)
	return answer.Answer, err
}

// Sign answers anew with what was found for the principal's organization.
func (s *Service) Sign(ctx context.Context, p contract.Principal, r insightapi.Result) (insightapi.CreateResponse, error) {
	if err := s.MayRead(ctx, p, r.DocumentID); err != nil {
		return insightapi.CreateResponse{}, err
	}
	found, err := s.Store.Insight(ctx, p.Organization, r.JobID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return insightapi.CreateResponse{}, err
	}
	kept := false
	if err == nil {
		if found.DocumentID != r.DocumentID {
			return insightapi.CreateResponse{}, fmt.Errorf("the result of job %s is none of document %q", r.JobID, r.DocumentID)
		}
		if kept, err = s.kept(ctx, found); err != nil {
			return insightapi.CreateResponse{}, err
		}
	}
	if !kept {
		return insightapi.CreateResponse{}, problem.New(problem.DocumentNotFound, "The insights have expired. Send the request again.")
	}
	return s.answer(ctx, r.JobID, found)
}

// found returns what a job has found.
func (s *Service) found(ctx context.Context, r job.Record) (Insight, error) {
	found, err := s.Store.Insight(ctx, r.Principal.Organization, r.ID)
	if err == nil && found.ExpiresAt <= s.now().UnixMilli() {
		err = ErrNotFound
	}
	if errors.Is(err, ErrNotFound) {
		return found, notKept(err)
	}
	return found, err
}

// notKept is the error for what was found and is no longer kept.
func notKept(cause error) error {
	return problem.New(problem.Unavailable, "The insights have expired. Send the request again.").After(time.Second).Because(cause)
}

// kept reports whether what was found can still be answered with, and what it shows is
// there. A PDF that its owner would make again is not shown either: the document is
// read again, with the new one.
func (s *Service) kept(ctx context.Context, found Insight) (bool, error) {
	now, renewed := s.now().UnixMilli(), found.Analysis.Shown.Lifetime.RenewedAt
	if found.ExpiresAt <= now || renewed != 0 && renewed <= now {
		return false, nil
	}
	err := s.isShown(ctx, found)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// urlTTL returns how long a URL that is made now may lead to what is shown: no longer
// than that is there.
func (s *Service) urlTTL(shown Shown) time.Duration {
	if removed := shown.Lifetime.RemovedAt; removed != 0 {
		return min(s.cfg.DownloadTTL, time.UnixMilli(removed).Sub(s.now()))
	}
	return s.cfg.DownloadTTL
}

// minURLTTL is the least that a URL is valid.
const minURLTTL = time.Second

// isShown returns ErrNotFound if what a URL would lead to is gone, or about to: the PDF
// of a stored document is the conversion service's, and may be older than what was
// found.
func (s *Service) isShown(ctx context.Context, found Insight) error {
	if s.urlTTL(found.Analysis.Shown) < minURLTTL {
		return ErrNotFound
	}
	_, err := s.Objects.Stat(ctx, found.Analysis.Shown.Key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return ErrNotFound
	case err != nil:
		return blob.Unavailable(err)
	}
	return nil
}

// answer is what a client is told of what was found: the same each time, but for
// its URL.
func (s *Service) answer(ctx context.Context, jobID string, found Insight) (insightapi.CreateResponse, error) {
	shown := found.Analysis.Shown
	ttl := s.urlTTL(shown)
	if ttl < minURLTTL {
		return insightapi.CreateResponse{}, notKept(ErrNotFound)
	}
	u, err := s.Objects.PresignGet(ctx, shown.Key, ttl, shown.Name, shown.Type)
	if err != nil {
		return insightapi.CreateResponse{}, err
	}
	answer := found.Analysis.Answer
	answer.SignedURL = u.URL
	data, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		return insightapi.CreateResponse{}, fmt.Errorf("encode the answer of job %s: %w", jobID, err)
	}
	return insightapi.CreateResponse{Answer: jsontext.Value(data), Result: insightapi.Result{JobID: jobID, DocumentID: found.DocumentID}}, nil
}
