// Package jobapi is how a job is shown: work that was accepted and goes on
// whoever waits for it. Every service that has jobs speaks of them in these
// terms.
package jobapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

// State is how far a job is.
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

// Lane is one of the two in which jobs wait. What waits in Interactive goes
// before all that waits in Bulk.
type Lane string

// The lanes of jobs.
const (
	Interactive Lane = "interactive" // somebody waits for the answer
	Bulk        Lane = "bulk"
)

// Kind is what a job does.
type Kind string

// The kinds: jobs that convert a stored document, that fill one, and that read one.
const (
	Convert  Kind = "convert"
	Annotate Kind = "annotate"
	Analyze  Kind = "analyze"
)

// Job is a job as the services speak of it. The gateway shows Error in the
// shape of every other error.
type Job struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	State State  `json:"state"`
	// Progress is from 0 to 1.
	Progress float64 `json:"progress"`
	// Result is the answer that a caller who waits would have got. It is null
	// until the job has succeeded, and once its document is deleted.
	Result jsontext.Value `json:"result"`
	// Error is why the job has failed, null if it has not.
	Error *problem.Error `json:"error"`
}

// Completed is the data of the events that tell of the end of a job.
type Completed struct {
	JobID string `json:"job_id"`
	State State  `json:"state"`
}

// GetRequest names a job of the principal's organization.
type GetRequest struct {
	ID string `json:"id"`
}

// NotFound is the error for a job that is not there, or no longer.
func NotFound(id string) error {
	return problem.New(problem.RouteNotFound,
		"The organization of this key has no job %.64q. Check the id: jobs are kept for a day after they end.", id)
}
