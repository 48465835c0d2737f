package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/gateway/internal/apierror"
	"github.com/rectohq/recto/gateway/internal/console"
	"github.com/rectohq/recto/gateway/internal/negotiate"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Headers of RFC 7240.
const (
	headerPrefer            = "Prefer"
	headerPreferenceApplied = "Preference-Applied"
)

// prefersAsync reports whether the client sent "Prefer: respond-async": it wants the id
// of a job now instead of waiting for the result.
func (r *request) prefersAsync() bool {
	return negotiate.PrefersAsync(r.headerValues(headerPrefer))
}

// acceptedJob is the response to an asynchronous request.
type acceptedJob struct {
	ID    string       `json:"id"`
	State jobapi.State `json:"state"`
}

// jobResponse is the response of GET and DELETE /jobs/{job_id}.
type jobResponse struct {
	ID       string       `json:"id"`
	Kind     jobapi.Kind  `json:"kind"`
	State    jobapi.State `json:"state"`
	Progress float64      `json:"progress"`
	// Result is what the synchronous request would have returned. It is null until the
	// job has succeeded, and after the document is deleted.
	Result jsontext.Value `json:"result"`
	// Error is what the synchronous request would have returned, or null.
	Error *apierror.Body `json:"error"`
}

// accepted responds 202 with the job that does the work.
func (r *request) accepted(job acceptedJob, err error) error {
	if err != nil {
		return err
	}
	r.Status(http.StatusAccepted)
	r.Set(headerPreferenceApplied, negotiate.RespondAsync)
	location := "/v2/jobs/" + url.PathEscape(job.ID)
	if r.exchange.console {
		location = console.Public(location)
	}
	r.Set(fiber.HeaderLocation, location)
	return r.answer(job, nil)
}

// jobKind describes a kind of jobs: the scope required to submit one, and the endpoints of
// the service that runs them.
type jobKind struct {
	kind   jobapi.Kind
	scope  contract.Scope
	get    contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	cancel contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	list   contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]
}

// jobKinds returns all kinds of jobs.
func jobKinds() []jobKind {
	return []jobKind{
		{jobapi.Convert, contract.ScopeConvert, conversionapi.Job, conversionapi.CancelJob, conversionapi.ListJobs},
		{jobapi.Annotate, contract.ScopeAnnotate, annotationapi.Job, annotationapi.CancelJob, annotationapi.ListJobs},
		{jobapi.Analyze, contract.ScopeInsights, insightapi.Job, insightapi.CancelJob, insightapi.ListJobs},
	}
}

// jobKindsOf returns the kinds that the job with the id may have: the one that the id
// contains, or all of them for an id from before ids contained a kind.
func jobKindsOf(id string) []jobKind {
	kind, ok := jobapi.KindOf(id)
	if !ok {
		return jobKinds()
	}
	return slices.DeleteFunc(jobKinds(), func(k jobKind) bool { return k.kind != kind })
}

// getJob is GET /jobs/{job_id}. The scope documents:read gives access to every job, and
// the scope to submit a kind of jobs gives access to that kind.
func (s *Server) getJob(r *request) error {
	job, err := s.askForJob(r, func(k jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error) {
		return k.get, r.needsOne(contract.ScopeDocumentsRead, k.scope)
	})
	return s.answerJob(r, job, err)
}

// cancelJob is DELETE /jobs/{job_id}. It requires the scope to submit that kind of jobs.
func (s *Server) cancelJob(r *request) error {
	job, err := s.askForJob(r, func(k jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error) {
		return k.cancel, r.needs(k.scope)
	})
	return s.answerJob(r, job, err)
}

// answerJob responds with a job.
func (s *Server) answerJob(r *request, job jobapi.Job, err error) error {
	if err != nil {
		return err
	}
	answer := jobResponse{ID: job.ID, Kind: job.Kind, State: job.State, Progress: job.Progress}
	if answer.Result, err = shown(job); err != nil {
		return fmt.Errorf("read the result of %s: %w", job.ID, err)
	}
	if job.Error != nil {
		failure := apierror.NewBody(job.Error, s.docs)
		answer.Error = &failure
	}
	return r.answer(answer, nil)
}

// hasResult reports whether a job has a result to show.
func hasResult(job jobapi.Job) bool { return len(job.Result) > 0 && job.Result.Kind() != 'n' }

// shown returns the part of a job's result that the client sees: for a file, what the
// synchronous request would have returned; otherwise all of it. It is null if there is no
// result.
func shown(job jobapi.Job) (jsontext.Value, error) {
	if !hasResult(job) {
		return jsontext.Value("null"), nil
	}
	switch job.Kind {
	case jobapi.Convert:
		return only[convertedFile](job.Result)
	case jobapi.Annotate:
		return only[annotatedFile](job.Result)
	}
	return job.Result, nil
}

// only returns the members of a result that T has.
func only[T any](result jsontext.Value) (jsontext.Value, error) {
	var file T
	if err := json.Unmarshal(result, &file); err != nil {
		return nil, err
	}
	return json.Marshal(file)
}

// errNoJobScope returns the error for a key without a scope for any kind of jobs.
func errNoJobScope() error {
	return problem.New(problem.PermissionDenied,
		"The API key has no scope for jobs. Use a key with the scope for the kind of job (convert, annotate or insights). To read jobs, documents:read is enough.")
}

// askForJob calls the service that owns the job. If the id does not contain the kind, it
// asks each service with jobs in turn until one finds the job. It reports "not found" only
// if all of them do, since an unavailable service may own the job.
//
// Choose returns the endpoint to call for a kind, or an error if the key lacks the scope.
// In that case the service is only asked whether the job exists, and if it does, the
// error is returned. A key without a scope for any kind is rejected right away.
func (s *Server) askForJob(r *request, choose func(jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error)) (jobapi.Job, error) {
	if !slices.ContainsFunc(jobKinds(), func(k jobKind) bool { _, err := choose(k); return err == nil }) {
		return jobapi.Job{}, errNoJobScope()
	}
	id := r.id("job_id")
	var failure error
	for _, k := range jobKindsOf(id) {
		endpoint, forbidden := choose(k)
		if forbidden != nil {
			endpoint = k.get
		}
		job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, endpoint, r.principal, jobapi.GetRequest{ID: id})
		switch {
		case err == nil && forbidden != nil:
			return jobapi.Job{}, forbidden
		case err == nil:
			return job, nil
		case failure == nil || problem.Is(failure, problem.RouteNotFound):
			failure = err
		}
	}
	return jobapi.Job{}, failure
}

// jobsResponse is the response of GET /jobs.
type jobsResponse struct {
	Items []jobapi.Summary `json:"items"`
	Total int64            `json:"total"`
	Page  int              `json:"page"`
	Size  int              `json:"size"`
	Pages int64            `json:"pages"`
}

// listJobs is GET /jobs. It lists the jobs that the key may read. Each service returns its
// jobs up to the end of the requested page, and the lists are merged.
func (s *Server) listJobs(r *request) error {
	list, err := jobapi.ParseList(r.rawQuery())
	if err != nil {
		return err
	}
	kinds, err := r.readableKinds(list.Kinds)
	if err != nil {
		return err
	}
	lists, err := s.askForJobs(r, kinds, jobapi.ListRequest{States: list.States, Documents: list.Documents, Limit: list.Page * list.Size})
	if err != nil {
		return err
	}
	answer := jobsResponse{Items: []jobapi.Summary{}, Page: list.Page, Size: list.Size}
	var all []jobapi.Summary
	for _, l := range lists {
		all = append(all, l.Items...)
		answer.Total += l.Total
	}
	slices.SortFunc(all, jobapi.Summary.Compare)
	if first := (list.Page - 1) * list.Size; first < len(all) {
		answer.Items = all[first:min(first+list.Size, len(all))]
	}
	answer.Pages = (answer.Total + int64(list.Size) - 1) / int64(list.Size)
	return r.answer(answer, nil)
}

// readableKinds returns the named kinds of jobs that the key may read. Without names, it
// considers all kinds. It returns PermissionDenied if the key may read none of them.
func (r *request) readableKinds(named []jobapi.Kind) ([]jobKind, error) {
	kinds, failure := []jobKind{}, error(nil)
	for _, k := range jobKinds() {
		if len(named) > 0 && !slices.Contains(named, k.kind) {
			continue
		}
		if err := r.needsOne(contract.ScopeDocumentsRead, k.scope); err != nil {
			failure = err
			continue
		}
		kinds = append(kinds, k)
	}
	switch {
	case len(kinds) > 0:
		return kinds, nil
	case len(named) > 0:
		return nil, failure
	default:
		return nil, errNoJobScope()
	}
}

// askForJobs asks the services of all kinds concurrently. If one of them fails, the whole
// list fails: the client could not tell a partial list from a complete one.
func (s *Server) askForJobs(r *request, kinds []jobKind, list jobapi.ListRequest) ([]jobapi.ListResponse, error) {
	lists := make([]jobapi.ListResponse, len(kinds))
	asking, ctx := errgroup.WithContext(r.ctx)
	for i, k := range kinds {
		asking.Go(func() (err error) {
			lists[i], err = bus.Call(bus.WithTimeout(ctx, s.cfg.Budget), s.bus, k.list, r.principal, list)
			return err
		})
	}
	return lists, asking.Wait()
}
