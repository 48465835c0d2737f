package domain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/jobservice"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// pendingPrefix begins the keys of the bodies of unfinished jobs:
// pending/<organization>.<document>.<job>.
const pendingPrefix = "pending/"

// pendingOf returns the common prefix of the keys of the bodies of a document's jobs.
func pendingOf(organization, documentID string) string {
	return pendingPrefix + organization + "." + documentID + "."
}

// pendingKey returns the key of the body of a job.
func pendingKey(r job.Record) string {
	return pendingOf(r.Principal.Organization, r.Subject) + r.ID
}

// cleanupTimeout bounds the cleanup after a failed request.
const cleanupTimeout = 5 * time.Second

// Submit accepts a job that fills a document. Whatever can be validated without the file
// is refused immediately.
func (s *Service) Submit(ctx context.Context, p contract.Principal, payload contract.Stream) (jobapi.Job, error) {
	o, body, release, err := s.receive(ctx, p, payload)
	if err != nil {
		return jobapi.Job{}, err
	}
	defer release()
	values, err := judge.ParseFieldValues(body, o.problems)
	if err == nil {
		err = values.Err()
	}
	if err != nil {
		return jobapi.Job{}, err
	}
	if reasons := o.faults(); len(reasons) == len(o.Files) {
		return jobapi.Job{}, o.refuse(reasons)
	}
	return s.enqueue(ctx, p, o, body)
}

// enqueue stores the body of a job for its worker, and then the job. Two requests are
// always two jobs, even if they are identical.
func (s *Service) enqueue(ctx context.Context, p contract.Principal, o order, body []byte) (jobapi.Job, error) {
	id := jobapi.NewID(jobapi.Annotate)
	key := pendingOf(p.Organization, o.DocumentID) + id
	err := s.Objects.Put(ctx, key, bytes.NewReader(body), int64(len(body)), "application/json")
	if err != nil {
		return jobapi.Job{}, blob.Unavailable(err)
	}
	accepted, err := s.Accept(ctx, jobservice.Request[order]{ID: id, Principal: p, Subject: o.DocumentID, Lane: jobapi.Bulk, Order: o})
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := s.Objects.Remove(ctx, key); err != nil {
			s.Log.WarnContext(ctx, "the body of a job that was not accepted will be removed later", "job", id, "error", err)
		}
		return jobapi.Job{}, err
	}
	return accepted, nil
}

// work runs one try of a job.
func (s *Service) work(ctx context.Context, r job.Record, o order, report func(progress float64)) (filled, error) {
	body, release, err := s.pending(ctx, r)
	if err != nil {
		return filled{}, err
	}
	defer release()
	result, err := s.annotate(ctx, r.Principal, o, body, r.ID, report)
	return result, storable(err)
}

// kept reports that the result of a job can still be used. Each job has its own result,
// so this always holds.
func (s *Service) kept(context.Context, job.Record, filled) (bool, error) { return true, nil }

// pending reads the body of a job.
func (s *Service) pending(ctx context.Context, r job.Record) ([]byte, func(), error) {
	body, object, err := s.Objects.Get(ctx, pendingKey(r))
	if errors.Is(err, blob.ErrNotFound) {
		gone := problem.New(problem.Unavailable, "The values of this job have expired. Send the request again.").Because(err)
		return nil, nil, job.Final(gone)
	}
	if err != nil {
		return nil, nil, blob.Unavailable(err)
	}
	defer body.Close()
	data, release, err := s.hold(ctx, contract.Stream{Body: body, Size: object.Size})
	var known *problem.Error
	if err != nil && !errors.As(err, &known) {
		err = blob.Unavailable(err)
	}
	return data, release, err
}

const (
	// maxStoredError is the limit on the error of a job, in bytes of JSON, because the
	// error is part of the job's record.
	maxStoredError = 4 << 20
	// shortEcho is how many bytes of a value, and of each string in it, an entry echoes
	// if all entries together are too large.
	shortEcho = 256
)

// storable returns err with its values shortened if the record of a job could not hold
// them.
func storable(err error) error {
	var failure *problem.Error
	if !errors.As(err, &failure) {
		return err
	}
	if size := entriesSize(failure); size <= maxStoredError {
		return err
	}
	cut := *failure
	cut.Entries = nil
	for _, e := range failure.Entries {
		e.Value = problem.Shorten(e.Value, shortEcho)
		cut.Entries = append(cut.Entries, e)
	}
	return &cut
}

// entriesSize returns the approximate size of the entries in JSON.
func entriesSize(e *problem.Error) (size int) {
	for _, entry := range e.Entries {
		size += len(entry.Value) + len(entry.Path) + len(entry.Message) + len(entry.InternalMessage) + len(entry.Resolution)
	}
	return size
}

// Ended returns the hook for finished jobs. It publishes what a successful job filled,
// and removes the file that a canceled job may have filled. It removes the body of the
// job, except for dead-lettered jobs, which may be retried.
func Ended(objects *blob.Store, tell func(context.Context, Filled) error) func(context.Context, job.Record) error {
	return func(ctx context.Context, r job.Record) (err error) {
		switch {
		case r.Dead:
			return nil
		case r.State == jobapi.Canceled:
			err = objects.Remove(ctx, derived.Files{Prefix: annotatedPrefix}.Of(r.Principal.Organization, r.Subject)+r.ID)
		case r.State == jobapi.Succeeded:
			err = tellOf(ctx, r, tell)
		}
		return errors.Join(err, objects.Remove(ctx, pendingKey(r)))
	}
}

// tellOf publishes what a successful job filled. A dry run filled nothing.
func tellOf(ctx context.Context, r job.Record, tell func(context.Context, Filled) error) error {
	var result filled
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return fmt.Errorf("decode the result of job %s: %w", r.ID, err)
	}
	if result.Key == "" {
		return nil
	}
	return tell(ctx, Filled{
		Organization: r.Principal.Organization, DocumentID: r.Subject, Name: r.ID, Fields: result.Fields, At: time.UnixMilli(r.EndedAt),
	})
}

// show returns the result of a job as clients see it: what Annotate would have answered.
func (s *Service) show(ctx context.Context, r job.Record, result filled) (jsontext.Value, error) {
	answer := annotationapi.AnnotateResponse{Valid: true} // a dry run
	if result.Key != "" {
		var err error
		if answer, err = s.sign(ctx, result.Result); err != nil {
			return nil, err
		}
	}
	answer.Result = annotationapi.Result{} // the key of the object is internal
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the result of job %s: %w", r.ID, err)
	}
	return data, nil
}
