package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// Jobs accepts jobs, which Service.Work does in this process or another one.
type Jobs interface {
	// Submit accepts a job and returns the record of it or of the one like it
	// that was accepted before. Again decides whether one that has ended is to
	// be done anew.
	Submit(ctx context.Context, r job.Record, again func(job.Record) bool) (job.Record, error)
	// Wait returns the record when the job has ended.
	Wait(ctx context.Context, r job.Record) (job.Record, error)
	job.Finder
}

// order is the request of a job: the first convertible of the files is to be
// converted.
type order struct {
	DocumentID    string                `json:"document_id"`
	VersionNumber int                   `json:"version_number"`
	Files         []documentapi.Content `json:"files"`
}

// Stored converts the first convertible file of a version and waits for it. The
// result is kept by the hash of the file and the version of the engine, so that
// the same content is converted once.
func (s *Service) Stored(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
	record, err := s.submit(ctx, p, r, jobapi.Interactive)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	if !record.Ended() {
		if record, err = s.jobs.Wait(ctx, record); err != nil {
			return conversionapi.StoredResponse{}, err
		}
	}
	if record.State == jobapi.Canceled {
		return conversionapi.StoredResponse{}, job.Canceled(ctx, p, record, s.documents.Status)
	}
	answer, err := s.answer(ctx, record)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	answer.File, err = s.lifetime(ctx, answer.Result.Key)
	return answer, err
}

// lifetime says how long a converted file is there.
func (s *Service) lifetime(ctx context.Context, key string) (conversionapi.Lifetime, error) {
	renewed, removed, err := s.converted.Lifetime(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return conversionapi.Lifetime{}, problem.New(problem.Unavailable, "The converted file expired during the request. Retry the request.").
			After(time.Second).Because(err)
	}
	if err != nil || renewed.IsZero() {
		return conversionapi.Lifetime{}, err
	}
	return conversionapi.Lifetime{RenewedAt: renewed.UnixMilli(), RemovedAt: removed.UnixMilli()}, nil
}

// Submit accepts the conversion of the first convertible file of a version.
func (s *Service) Submit(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (jobapi.Job, error) {
	record, err := s.submit(ctx, p, r, jobapi.Bulk)
	if err != nil {
		return jobapi.Job{}, err
	}
	return record.Job(jobapi.Convert), nil
}

// Job returns a job of the principal's organization, with its result if it has
// one.
func (s *Service) Job(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Find(ctx, s.jobs, p, r.ID, s.documents.Status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// CancelJob cancels a job of the principal's organization unless it has ended, and
// returns it as Job does.
func (s *Service) CancelJob(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Cancel(ctx, s.jobs, p, r.ID, s.documents.Status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// show returns a job with its result if it has one.
func (s *Service) show(ctx context.Context, r job.Record) (jobapi.Job, error) {
	shown := r.Job(jobapi.Convert)
	if !r.HasResult() {
		return shown, nil
	}
	answer, err := s.answer(ctx, r)
	if err != nil {
		return jobapi.Job{}, err
	}
	answer.Result = conversionapi.Result{} // clients are shown what Stored shows them
	if shown.Result, err = json.Marshal(answer); err != nil {
		return jobapi.Job{}, fmt.Errorf("encode the result of job %s: %w", r.ID, err)
	}
	return shown, nil
}

// Sign returns a new URL for a result of the principal's organization.
func (s *Service) Sign(ctx context.Context, p contract.Principal, r conversionapi.Result) (conversionapi.StoredResponse, error) {
	own := strings.HasPrefix(r.Key, s.converted.Of(p.Organization, r.DocumentID)) || strings.HasPrefix(r.Key, documentapi.ContentKey(p.Organization, r.DocumentID, ""))
	if !own {
		return conversionapi.StoredResponse{}, fmt.Errorf("the result %q is none of document %s", r.Key, r.DocumentID)
	}
	if err := s.mayRead(ctx, p, r.DocumentID); err != nil {
		return conversionapi.StoredResponse{}, err
	}
	kept, err := s.converted.Kept(ctx, r.Key, s.now())
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	if !kept {
		return conversionapi.StoredResponse{}, problem.New(problem.DocumentNotFound, "The converted file has expired. Convert the document again.")
	}
	return s.sign(ctx, r)
}

// mayRead asks the document service whether the principal may see the document:
// one that is deleted is gone with all that was made of it.
func (s *Service) mayRead(ctx context.Context, p contract.Principal, documentID string) error {
	deleted, err := s.documents.Status(ctx, p, documentID)
	if err == nil && deleted {
		err = documentapi.NotFound(documentID)
	}
	return err
}

// submit accepts the job of a request. What nobody has to work at is refused at
// once.
func (s *Service) submit(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest, lane jobapi.Lane) (job.Record, error) {
	var problems problem.List
	problems.Check("format", r.Format, conversionapi.CheckFormat(r.Format))
	if err := problems.Err(); err != nil {
		return job.Record{}, err
	}
	contents, err := s.documents.Contents(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return job.Record{}, err
	}
	o := order{DocumentID: contents.DocumentID, VersionNumber: contents.VersionNumber, Files: contents.Files}
	if reasons := o.faults(); len(reasons) == len(o.Files) {
		return job.Record{}, o.refuse(reasons)
	}
	request, err := json.Marshal(o)
	if err != nil {
		return job.Record{}, fmt.Errorf("encode the job: %w", err)
	}
	var checkErr error
	record, err := s.jobs.Submit(ctx, job.Record{
		ID: contract.NewID(contract.JobPrefix), Principal: p, Key: o.key(s.engine.Version() + " pdf-" + pdf.Version), Subject: o.DocumentID, Lane: lane, Request: request,
	}, func(r job.Record) bool {
		var again bool
		again, checkErr = s.again(ctx, r)
		return again
	})
	return record, errors.Join(err, checkErr)
}

// resultVersion is raised when a result says more than those that are kept.
const resultVersion = 2

// key says what the order comes to: the same files, named the same, by the same
// engines: the one that converts and the one that opens PDFs.
func (o order) key(engine string) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n%s\n%s\n%d\n", resultVersion, engine, o.DocumentID, o.VersionNumber)
	for _, f := range o.Files {
		fmt.Fprintf(hash, "%q %q %s\n", f.ID, f.Name, f.SHA256)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// faults returns why files cannot even be looked at.
func (o order) faults() []string {
	var reasons []string
	for _, f := range o.Files {
		if f.Fault != "" {
			reasons = append(reasons, f.Name+" "+f.Fault)
		}
	}
	return reasons
}

// refuse is the error for a version without a file that can be converted.
func (o order) refuse(reasons []string) *problem.Error {
	return problem.New(problem.InvalidRequest, "Version %d of the document has no file that can be converted to PDF: %s.",
		o.VersionNumber, strings.Join(reasons, "; "))
}

// again reports whether a job that has ended is to be done anew: its result is
// no longer kept, it did not fail for a fault of the document, or it was canceled.
func (s *Service) again(ctx context.Context, r job.Record) (bool, error) {
	switch r.State {
	case jobapi.Canceled:
		return true, nil
	case jobapi.Failed:
		return r.Dead || r.Error == nil || r.Error.RetryAfter > 0, nil
	}
	var result conversionapi.Result
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return false, fmt.Errorf("decode the result of job %s: %w", r.ID, err)
	}
	kept, err := s.converted.Kept(ctx, result.Key, s.now())
	return !kept, err
}

// answer is that of a job that has ended.
func (s *Service) answer(ctx context.Context, r job.Record) (conversionapi.StoredResponse, error) {
	if r.State == jobapi.Failed {
		return conversionapi.StoredResponse{}, r.Error
	}
	var result conversionapi.Result
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return conversionapi.StoredResponse{}, fmt.Errorf("decode the result of job %s: %w", r.ID, err)
	}
	return s.sign(ctx, result)
}

// sign returns the URL of a result.
func (s *Service) sign(ctx context.Context, r conversionapi.Result) (conversionapi.StoredResponse, error) {
	u, err := s.objects.PresignGet(ctx, r.Key, s.cfg.DownloadTTL, r.Name, pdfType)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	return conversionapi.StoredResponse{DownloadURL: u.URL, ExpiresAt: u.Expires.UnixMilli(), Result: r}, nil
}

const pdfType = "application/pdf"

// Work does one try of a job: it converts the first convertible file.
func (s *Service) Work(ctx context.Context, r job.Record, report func(progress float64)) (any, error) {
	var o order
	if err := json.Unmarshal(r.Request, &o); err != nil {
		return nil, fmt.Errorf("decode the job %s: %w", r.ID, err)
	}
	if err := job.Wanted(ctx, r, s.documents.Status); err != nil {
		return nil, err
	}
	release, err := s.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	var reasons []string
	var retryable bool
	for _, file := range o.Files {
		if file.Fault != "" {
			reasons = append(reasons, file.Name+" "+file.Fault)
			continue
		}
		key, err := s.storedFile(ctx, s.converted.Of(r.Principal.Organization, o.DocumentID), file, report)
		if err == nil {
			return conversionapi.Result{Key: key, Name: pdfName(file.Name), DocumentID: o.DocumentID, FileID: file.ID}, nil
		}
		var refused *refusal
		if !errors.As(err, &refused) {
			return nil, err
		}
		retryable = retryable || refused.retryable
		reasons = append(reasons, file.Name+" "+refused.reason)
	}
	failure := o.refuse(reasons)
	if retryable {
		failure = failure.After(time.Second)
	}
	return nil, failure
}

// Forget removes what was made of a document that is gone.
func (s *Service) Forget(ctx context.Context, organization, documentID string) error {
	return s.converted.Forget(ctx, organization, documentID)
}

// Expire implements derived.Keeper.
func (s *Service) Expire(ctx context.Context) error { return s.converted.Expire(ctx) }

// Sweep implements derived.Keeper: it removes the converted files that are kept no
// longer.
func (s *Service) Sweep(ctx context.Context) error { return s.converted.Sweep(ctx, s.now()) }
