package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
)

// order is the request of a job: convert the first convertible file.
type order struct {
	DocumentID    string                `json:"document_id"`
	VersionNumber int                   `json:"version_number"`
	Files         []documentapi.Content `json:"files"`
	Profile       conversionapi.Profile `json:"profile,omitzero"`
}

// Stored converts the first convertible file of a version and waits for the result.
// Results are stored by the hash of the file and the version of the engine, so that
// the same content is converted only once.
func (s *Service) Stored(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (conversionapi.StoredResponse, error) {
	request, err := s.request(ctx, p, r, jobapi.Interactive)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	_, result, err := s.Do(ctx, request)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	answer, err := s.sign(ctx, result)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	answer.File, err = s.lifetime(ctx, result.Key)
	return answer, err
}

// lifetime returns how long a converted file is kept.
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

// Submit accepts a job that converts the first convertible file of a version.
func (s *Service) Submit(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest) (jobapi.Job, error) {
	request, err := s.request(ctx, p, r, jobapi.Bulk)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.Accept(ctx, request)
}

// show returns a result as clients see it, which is the response of Stored.
func (s *Service) show(ctx context.Context, r job.Record, result conversionapi.Result) (jsontext.Value, error) {
	answer, err := s.sign(ctx, result)
	if err != nil {
		return nil, err
	}
	answer.Result = conversionapi.Result{} // the key of the object is internal
	shown, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the result of job %s: %w", r.ID, err)
	}
	return shown, nil
}

// Sign returns a new URL for a result of the principal's organization.
func (s *Service) Sign(ctx context.Context, p contract.Principal, r conversionapi.Result) (conversionapi.StoredResponse, error) {
	own := strings.HasPrefix(r.Key, s.converted.Of(p.Organization, r.DocumentID)) || strings.HasPrefix(r.Key, documentapi.ContentKey(p.Organization, r.DocumentID, ""))
	if !own {
		return conversionapi.StoredResponse{}, fmt.Errorf("the result %q does not belong to document %s", r.Key, r.DocumentID)
	}
	if err := s.MayRead(ctx, p, r.DocumentID); err != nil {
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

// request returns the job request for r. If no file is available, it fails
// immediately.
func (s *Service) request(ctx context.Context, p contract.Principal, r conversionapi.StoredRequest, lane jobapi.Lane) (jobservice.Request[order], error) {
	var problems problem.List
	problems.Check("format", r.Format, conversionapi.CheckFormat(r.Format))
	if err := problems.Err(); err != nil {
		return jobservice.Request[order]{}, err
	}
	contents, err := s.documents.Contents(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID, Version: r.Version})
	if err != nil {
		return jobservice.Request[order]{}, err
	}
	o := order{DocumentID: contents.DocumentID, VersionNumber: contents.VersionNumber, Files: contents.Files, Profile: r.Profile}
	if reasons := o.faults(); len(reasons) == len(o.Files) {
		return jobservice.Request[order]{}, o.refuse(reasons)
	}
	return jobservice.Request[order]{
		Principal: p, Key: o.key(s.Engine.Version() + " pdf-" + pdf.Version), Subject: o.DocumentID, Lane: lane, Order: o,
	}, nil
}

// resultVersion must be increased when results gain a field that stored ones lack.
const resultVersion = 4

// key identifies the result of the order. Orders have the same key if they have the
// same files with the same names and charsets, the same profile, and the same engines (the converter and
// the PDF reader).
func (o order) key(engine string) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d\n%s\n%s\n%d\n%s\n", resultVersion, engine, o.DocumentID, o.VersionNumber, o.Profile)
	for _, f := range o.Files {
		fmt.Fprintf(hash, "%q %q %s %s\n", f.ID, f.Name, f.SHA256, filetype.Charset(f.Type))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// faults returns the reasons why files are not available.
func (o order) faults() []string {
	var reasons []string
	for _, f := range o.Files {
		if f.Fault != "" {
			reasons = append(reasons, f.Name+" "+f.Fault)
		}
	}
	return reasons
}

// refuse returns the error for a version without a convertible file.
func (o order) refuse(reasons []string) *problem.Error {
	return problem.New(problem.InvalidRequest, "Version %d of the document has no file that can be converted to PDF: %s.",
		o.VersionNumber, strings.Join(reasons, "; "))
}

// kept reports whether the file of a result still exists.
func (s *Service) kept(ctx context.Context, _ job.Record, result conversionapi.Result) (bool, error) {
	return s.converted.Kept(ctx, result.Key, s.now())
}

// sign returns the response for a result, with a presigned URL.
func (s *Service) sign(ctx context.Context, r conversionapi.Result) (conversionapi.StoredResponse, error) {
	u, err := s.objects.PresignGet(ctx, r.Key, s.cfg.DownloadTTL, r.Name, pdfType)
	if err != nil {
		return conversionapi.StoredResponse{}, err
	}
	return conversionapi.StoredResponse{DownloadURL: u.URL, ExpiresAt: u.Expires.UnixMilli(), Details: r.Details, Result: r}, nil
}

const pdfType = "application/pdf"

// work executes an order: it converts the first convertible file.
func (s *Service) work(ctx context.Context, r job.Record, o order, report func(progress float64)) (conversionapi.Result, error) {
	release, err := s.Acquire(ctx)
	if err != nil {
		return conversionapi.Result{}, err
	}
	defer release()
	owned := pdf.WithOwner(ctx, r.Principal.Organization)
	var reasons []string
	var retryable, flawed bool
	for _, file := range picturesLast(o.Files) {
		if file.Fault != "" {
			reasons = append(reasons, file.Name+" "+file.Fault)
			continue
		}
		key, details, err := s.storedFile(owned, s.converted.Of(r.Principal.Organization, o.DocumentID), file, o.Profile, report)
		if err == nil {
			return conversionapi.Result{Key: key, Name: pdfName(file.Name), DocumentID: o.DocumentID, FileID: file.ID, Details: details}, nil
		}
		var refused *refusal
		if !errors.As(err, &refused) {
			return conversionapi.Result{}, err
		}
		retryable, flawed = retryable || refused.retryable, refused.flawed
		reasons = append(reasons, file.Name+" "+refused.reason)
	}
	failure := o.refuse(reasons)
	if flawed && len(reasons) == 1 { // the only file can be converted to PDF, but not as the profile requires
		failure = problem.New(problem.InvalidRequest, "%s.", reasons[0])
	}
	if retryable {
		failure = failure.After(time.Second)
	}
	return conversionapi.Result{}, failure
}

// picturesLast returns the files in the order in which they are tried: in their own, but those
// named as pictures last, because a logo beside an agreement is not what is asked for.
func picturesLast(files []documentapi.Content) []documentapi.Content {
	last := func(f documentapi.Content) int {
		if filetype.OfName(f.Name).IsPicture() {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(files), func(a, b documentapi.Content) int { return last(a) - last(b) })
}

// Forget removes everything derived from a purged document.
func (s *Service) Forget(ctx context.Context, organization, documentID string, _ []string) error {
	return s.converted.Forget(ctx, organization, documentID)
}

// Expire implements derived.Keeper.
func (s *Service) Expire(ctx context.Context) error { return s.converted.Expire(ctx) }

// Sweep implements derived.Keeper. It removes expired converted files.
func (s *Service) Sweep(ctx context.Context) error { return s.converted.Sweep(ctx, s.now()) }
