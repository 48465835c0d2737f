package httpapi

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
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
	Result *convertedDocument `json:"result"`
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

// getJob is GET /jobs/{job_id}. All jobs are conversions so far.
func (s *Server) getJob(r *request) error {
	job, err := bus.Call(bus.WithTimeout(r.ctx, s.cfg.Budget), s.bus, conversionapi.Job, r.principal, jobapi.GetRequest{ID: r.id("job_id")})
	if err != nil {
		return err
	}
	answer := jobResponse{ID: job.ID, Kind: job.Kind, State: job.State, Progress: job.Progress}
	if len(job.Result) > 0 && job.Result.Kind() != 'n' {
		var result conversionapi.StoredResponse
		if err := json.Unmarshal(job.Result, &result); err != nil {
			return fmt.Errorf("read the result of %s: %w", job.ID, err)
		}
		answer.Result = shown(result)
	}
	if job.Error != nil {
		failure := errorBody(job.Error, s.docs)
		answer.Error = &failure
	}
	return r.answer(answer, nil)
}
