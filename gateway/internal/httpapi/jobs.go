package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

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

// jobResponse is the answer of GET /jobs/{job_id}.
type jobResponse struct {
	ID       string       `json:"id"`
	Kind     jobapi.Kind  `json:"kind"`
	State    jobapi.State `json:"state"`
	Progress float64      `json:"progress"`
	// Result is what a client that waits would have got, null until then.
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

// getJob is GET /jobs/{job_id}.
func (s *Server) getJob(r *request) error {
	job, err := s.findJob(r, jobapi.GetRequest{ID: r.id("job_id")})
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

// shown returns what a client is told of the result of a job: of a file where it
// is, and of everything else all. It is null until there is one.
func shown(job jobapi.Job) (jsontext.Value, error) {
	if len(job.Result) == 0 || job.Result.Kind() == 'n' {
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

// findJob asks the services that have jobs, one after the other, until one knows
// it. A job is not there only if all have said so: one that is away may have it.
func (s *Server) findJob(r *request, get jobapi.GetRequest) (jobapi.Job, error) {
	var failure error
	for _, endpoint := range []contract.Endpoint[jobapi.GetRequest, jobapi.Job]{conversionapi.Job, annotationapi.Job, insightapi.Job} {
		job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, endpoint, r.principal, get)
		if err == nil {
			return job, nil
		}
		if failure == nil || problem.Is(failure, problem.RouteNotFound) {
			failure = err
		}
	}
	return jobapi.Job{}, failure
}
