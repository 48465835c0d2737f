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

// show returns the insights of a job as clients see them: the answer of Create. They are
// available while the object behind their URL exists, which for a PDF is up to the
// conversion service.
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

// Sign returns existing insights of the principal's organization with a new URL.
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
			return insightapi.CreateResponse{}, fmt.Errorf("the result of job %s does not belong to document %q", r.JobID, r.DocumentID)
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

// found returns the insights of a job.
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

// notKept returns the error for insights that have expired.
func notKept(cause error) error {
	return problem.New(problem.Unavailable, "The insights have expired. Send the request again.").After(time.Second).Because(cause)
}

// kept reports whether insights can still be returned and the object they show exists.
// A PDF that its owner would renew is no longer shown: the document is read again, with
// the new PDF.
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

// urlTTL returns how long a URL presigned now may be valid: it must not outlive the
// object.
func (s *Service) urlTTL(shown Shown) time.Duration {
	if removed := shown.Lifetime.RemovedAt; removed != 0 {
		return min(s.cfg.DownloadTTL, time.UnixMilli(removed).Sub(s.now()))
	}
	return s.cfg.DownloadTTL
}

// minURLTTL is the shortest time that a URL is valid for.
const minURLTTL = time.Second

// isShown returns ErrNotFound if the object that a URL would lead to no longer exists or
// is about to be removed: the PDF of a stored document belongs to the conversion service,
// and may be older than the insights.
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

// answer returns insights as clients see them. Only the URL differs from one call to the
// next.
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
	return insightapi.CreateResponse{Answer: jsontext.Value(data), Engine: answer.AnsweredBy(), Result: insightapi.Result{JobID: jobID, DocumentID: found.DocumentID}}, nil
}
