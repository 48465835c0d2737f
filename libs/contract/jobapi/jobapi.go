// Package jobapi defines how services represent jobs. A job is accepted work that
// continues even if no caller waits for it. Every service that runs jobs uses these types.
package jobapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

// State is the state of a job.
type State string

// The states of a job. All but the first two are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
	Canceled  State = "canceled"
)

// Ended reports whether the state is final.
func (s State) Ended() bool { return s == Succeeded || s == Failed || s == Canceled }

// Lane is one of the two queues in which jobs wait. Jobs in Interactive run before all
// jobs in Bulk.
type Lane string

// The lanes of jobs.
const (
	Interactive Lane = "interactive" // a caller waits for the result
	Bulk        Lane = "bulk"
)

// Kind is the kind of work that a job does.
type Kind string

// The kinds of jobs: converting, filling and reading a document.
const (
	Convert  Kind = "convert"
	Annotate Kind = "annotate"
	Analyze  Kind = "analyze"
)

// Job is a job as services represent it. The gateway shows Error in the same format as
// every other error.
type Job struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	State State  `json:"state"`
	// Progress is from 0 to 1.
	Progress float64 `json:"progress"`
	// Result is the response that a waiting caller would have received. It is null
	// until the job has succeeded, and again once its document is deleted.
	Result jsontext.Value `json:"result"`
	// Error is the reason why the job failed, or null if it did not.
	Error *problem.Error `json:"error"`
}

// Completed is the data of the events that report the end of a job.
type Completed struct {
	JobID string `json:"job_id"`
	State State  `json:"state"`
}

// GetRequest names a job of the principal's organization.
type GetRequest struct {
	ID string `json:"id"`
}

// NotFound returns the error for a job that does not exist or no longer exists.
func NotFound(id string) error {
	return problem.New(problem.RouteNotFound,
		"The organization of this key has no job %.64q. Check the id: jobs are kept for a day after they end.", id)
}
