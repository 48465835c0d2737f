package domain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/derived"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/annotation/internal/judge"
)

// pendingPrefix is where the bodies of jobs are until these have ended:
// pending/<organization>.<document>.<job>.
const pendingPrefix = "pending/"

// pendingOf begins the keys of the bodies of the jobs of a document.
func pendingOf(organization, documentID string) string {
	return pendingPrefix + organization + "." + documentID + "."
}

// pendingKey is where the body of a job is.
func pendingKey(r job.Record) string {
	return pendingOf(r.Principal.Organization, r.Subject) + r.ID
}

// cleanupTimeout bounds the removal of what a request leaves behind.
const cleanupTimeout = 5 * time.Second

// Submit accepts the filling of a document. What can be judged without the file
// is refused at once.
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

// enqueue keeps the body of a job where its worker finds it, and then the job.
func (s *Service) enqueue(ctx context.Context, p contract.Principal, o order, body []byte) (jobapi.Job, error) {
	request, err := json.Marshal(o)
	if err != nil {
		return jobapi.Job{}, fmt.Errorf("encode the job: %w", err)
	}
	id := contract.NewID(contract.JobPrefix)
	// Two requests are two jobs, whatever they have in common.
	record := job.Record{ID: id, Principal: p, Key: id, Subject: o.DocumentID, Lane: jobapi.Bulk, Request: request}
	err = s.Objects.Put(ctx, pendingKey(record), bytes.NewReader(body), int64(len(body)), "application/json")
	if err != nil {
		return jobapi.Job{}, blob.Unavailable(err)
	}
	accepted, err := s.Jobs.Submit(ctx, record, func(job.Record) bool { return false })
	if err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := s.Objects.Remove(ctx, pendingKey(record)); err != nil {
			s.Log.WarnContext(ctx, "the body of a job that was not accepted is removed later", "job", id, "error", err)
		}
		return jobapi.Job{}, err
	}
	return accepted.Job(jobapi.Annotate), nil
}

// Work does one try of a job.
func (s *Service) Work(ctx context.Context, r job.Record, report func(progress float64)) (any, error) {
	var o order
	if err := json.Unmarshal(r.Request, &o); err != nil {
		return nil, fmt.Errorf("decode the job %s: %w", r.ID, err)
	}
	if err := job.Wanted(ctx, r, s.Status); err != nil {
		return nil, err
	}
	body, release, err := s.pending(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	result, err := s.annotate(ctx, r.Principal.Organization, o, body, r.ID, report)
	if err != nil {
		return nil, storable(err)
	}
	return result, nil
}

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
	// maxStoredError is how large the error of a job may be, in bytes of JSON: it
	// is part of a record.
	maxStoredError = 4 << 20
	// shortEcho is how many bytes an entry repeats of a value, and of a string in
	// it, where all of them are too large.
	shortEcho = 256
)

// storable returns err with its values cut where the record of a job could not
// hold them.
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

// entriesSize is about how large the entries are in JSON.
func entriesSize(e *problem.Error) (size int) {
	for _, entry := range e.Entries {
		size += len(entry.Value) + len(entry.Path) + len(entry.Message) + len(entry.InternalMessage) + len(entry.Resolution)
	}
	return size
}

// Ended returns what is done when a job has ended: others are told of what was
// filled, and the body goes, unless the job may be tried again. Of a job that was
// canceled goes what it may have filled.
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

// tellOf tells what a job that has succeeded has filled: nothing, if it was a dry
// run.
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

// Job returns a job of the principal's organization, with its result if it has
// one.
func (s *Service) Job(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Find(ctx, s.Jobs, p, r.ID, s.Status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// CancelJob cancels a job of the principal's organization unless it has ended, and
// returns it as Job does.
func (s *Service) CancelJob(ctx context.Context, p contract.Principal, r jobapi.GetRequest) (jobapi.Job, error) {
	record, err := job.Cancel(ctx, s.Jobs, p, r.ID, s.Status)
	if err != nil {
		return jobapi.Job{}, err
	}
	return s.show(ctx, record)
}

// show returns a job with its result if it has one.
func (s *Service) show(ctx context.Context, r job.Record) (shown jobapi.Job, err error) {
	shown = r.Job(jobapi.Annotate)
	if r.HasResult() {
		shown.Result, err = s.showResult(ctx, r)
	}
	return shown, err
}

// showResult returns what a client is shown of the result of a job: what Annotate
// would have answered.
func (s *Service) showResult(ctx context.Context, r job.Record) ([]byte, error) {
	var result annotationapi.Result
	if err := json.Unmarshal(r.Result, &result); err != nil {
		return nil, fmt.Errorf("decode the result of job %s: %w", r.ID, err)
	}
	answer := annotationapi.AnnotateResponse{Valid: true} // of a dry run
	if result.Key != "" {
		var err error
		if answer, err = s.sign(ctx, result); err != nil {
			return nil, err
		}
	}
	answer.Result = annotationapi.Result{} // the key of the object is nobody's business
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the result of job %s: %w", r.ID, err)
	}
	return data, nil
}
