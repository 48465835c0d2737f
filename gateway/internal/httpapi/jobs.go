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

// prefersAsync reports whether the client would rather be told of a job than
// wait for its result.
func (r *request) prefersAsync() bool {
	return negotiate.PrefersAsync(r.headerValues(headerPrefer))
}

// acceptedJob is the answer to a request that nobody waits for.
type acceptedJob struct {
	ID    string       `json:"id"`
	State jobapi.State `json:"state"`
}

// jobResponse is the answer of GET and DELETE /jobs/{job_id}.
type jobResponse struct {
	ID       string       `json:"id"`
	Kind     jobapi.Kind  `json:"kind"`
	State    jobapi.State `json:"state"`
	Progress float64      `json:"progress"`
	// Result is what a client that waits would have got. It is null until then, and
	// once the document is deleted.
	Result jsontext.Value `json:"result"`
	// Error is as it would have been answered, null if there is none.
	Error *apierror.Body `json:"error"`
}

// accepted answers with the job that does what was asked for.
func (r *request) accepted(job acceptedJob, err error) error {
	if err != nil {
		return err
	}
	r.Status(http.StatusAccepted)
	r.Set(headerPreferenceApplied, negotiate.RespondAsync)
	r.Set(fiber.HeaderLocation, "/v2/jobs/"+url.PathEscape(job.ID))
	return r.answer(job, nil)
}

// jobKind is a kind of jobs: the scope that it takes to submit one, and the endpoints
// of the service that has them.
type jobKind struct {
	kind   jobapi.Kind
	scope  contract.Scope
	get    contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	cancel contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	list   contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]
}

// jobKinds returns all kinds.
func jobKinds() []jobKind {
	return []jobKind{
		{jobapi.Convert, contract.ScopeConvert, conversionapi.Job, conversionapi.CancelJob, conversionapi.ListJobs},
		{jobapi.Annotate, contract.ScopeAnnotate, annotationapi.Job, annotationapi.CancelJob, annotationapi.ListJobs},
		{jobapi.Analyze, contract.ScopeInsights, insightapi.Job, insightapi.CancelJob, insightapi.ListJobs},
	}
}

// jobKindsOf returns the kinds that the job of an id may be of: the one that the id
// says, or all for an id that was made before ids did.
func jobKindsOf(id string) []jobKind {
	kind, ok := jobapi.KindOf(id)
	if !ok {
		return jobKinds()
	}
	return slices.DeleteFunc(jobKinds(), func(k jobKind) bool { return k.kind != kind })
}

// getJob is GET /jobs/{job_id}. Who may read documents may read every job, and who
// may submit jobs of a kind may read those.
func (s *Server) getJob(r *request) error {
	job, err := s.askForJob(r, func(k jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error) {
		return k.get, r.needsOne(contract.ScopeDocumentsRead, k.scope)
	})
	return s.answerJob(r, job, err)
}

// cancelJob is DELETE /jobs/{job_id}. Who may submit jobs of a kind may cancel those.
func (s *Server) cancelJob(r *request) error {
	job, err := s.askForJob(r, func(k jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error) {
		return k.cancel, r.needs(k.scope)
	})
	return s.answerJob(r, job, err)
}

// answerJob answers with a job.
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

// shown returns what a client is told of the result of a job: of a file where it
// is, and of everything else all. It is null until there is one.
func shown(job jobapi.Job) (jsontext.Value, error) {
	if !hasResult(job) {
		return jsontext.Value("null"), nil
	}
	if job.Kind != jobapi.Convert && job.Kind != jobapi.Annotate {
		return job.Result, nil
	}
	var file derivedFile
	if err := json.Unmarshal(job.Result, &file); err != nil {
		return nil, err
	}
	return json.Marshal(file)
}

// errNoJobScope is the error for a key that may do nothing with any kind of jobs.
func errNoJobScope() error {
	return problem.New(problem.PermissionDenied,
		"The API key has no scope for jobs. Use a key with the scope of the job's kind (convert, annotate or insights). To read jobs, documents:read is enough.")
}

// askForJob asks the service that has the job. Where the id does not tell the kind, it
// asks the services that have jobs, one after the other, until one knows it: a job is
// not there only if all have said so, since one that is away may have it. Choose returns
// the endpoint to ask for a kind, and an error if the key may not do that. Such a service
// is asked only whether it has the job; a key that may do nothing with any kind is
// refused before.
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

// jobsResponse is the answer of GET /jobs.
type jobsResponse struct {
	Items []jobapi.Summary `json:"items"`
	Total int64            `json:"total"`
	Page  int              `json:"page"`
	Size  int              `json:"size"`
	Pages int64            `json:"pages"`
}

// listJobs is GET /jobs. It shows the jobs that the key may read. Each service is asked
// for all of its own up to the page, and these are merged.
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

// readableKinds returns those of the kinds that the key may read, or of all if none is
// named. The error is PermissionDenied if there are none.
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

// askForJobs asks the services of all kinds at once. Without one of them there is no
// list: nobody could tell it from one that has no more jobs.
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
