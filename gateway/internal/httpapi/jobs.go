package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

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
	Error *body `json:"error"`
}

// accepted answers with the job that does what was asked for.
func (r *request) accepted(job acceptedJob, err error) error {
	if err != nil {
		return err
	}
	r.Status(http.StatusAccepted)
	r.Set(headerPreferenceApplied, respondAsync)
	r.Set(fiber.HeaderLocation, "/v2/jobs/"+url.PathEscape(job.ID))
	return r.answer(job, nil)
}

// jobKind is a kind of jobs: the scope that it takes to submit one, and the endpoints
// of the service that has them.
type jobKind struct {
	scope  contract.Scope
	get    contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	cancel contract.Endpoint[jobapi.GetRequest, jobapi.Job]
}

// jobKinds returns all kinds.
func jobKinds() []jobKind {
	return []jobKind{
		{contract.ScopeConvert, conversionapi.Job, conversionapi.CancelJob},
		{contract.ScopeAnnotate, annotationapi.Job, annotationapi.CancelJob},
		{contract.ScopeInsights, insightapi.Job, insightapi.CancelJob},
	}
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
		failure := errorBody(job.Error, s.docs)
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

// askForJob asks the services that have jobs, one after the other, until one knows it.
// A job is not there only if all have said so: one that is away may have it. Choose
// returns the endpoint to ask for a kind, and an error if the key may not do that. Such
// a service is asked only whether it has the job, since the id does not tell the kind;
// a key that may do nothing with any kind is refused before.
func (s *Server) askForJob(r *request, choose func(jobKind) (contract.Endpoint[jobapi.GetRequest, jobapi.Job], error)) (jobapi.Job, error) {
	kinds := jobKinds()
	if !slices.ContainsFunc(kinds, func(k jobKind) bool { _, err := choose(k); return err == nil }) {
		return jobapi.Job{}, problem.New(problem.PermissionDenied,
			"The API key has no scope for jobs. Use a key with the scope of the job's kind (convert, annotate or insights). To read jobs, documents:read is enough.")
	}
	var failure error
	for _, k := range kinds {
		endpoint, forbidden := choose(k)
		if forbidden != nil {
			endpoint = k.get
		}
		job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, endpoint, r.principal, jobapi.GetRequest{ID: r.id("job_id")})
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
