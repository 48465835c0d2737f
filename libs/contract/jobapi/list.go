package jobapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Limits and defaults of a list of jobs.
const (
	MaxPageSize     = 500
	DefaultPageSize = 100
	// MaxListed bounds page × size, because every service returns all jobs up to the page.
	MaxListed = 10_000
	// maxValues bounds the number of values of one filter.
	maxValues = 100
)

// List is a client's request for one page of an organization's jobs.
type List struct {
	// Page counts from 1.
	Page, Size int
	// Kinds, States and Documents filter the jobs: a job must match one value of each. An
	// empty filter matches every job.
	Kinds     []Kind
	States    []State
	Documents []string
}

// Kinds returns every kind of job.
func Kinds() []Kind { return []Kind{Convert, Annotate, Analyze} }

// States returns every state of a job.
func States() []State { return []State{Queued, Running, Succeeded, Failed, Canceled} }

// listParameters are the names of the parameters of a list.
var listParameters = []string{"size", "page", "kind", "state", "document_id"}

// ParseList parses the query of List Jobs. The values of a filter are separated by commas.
// The error is a *problem.Error that lists every problem, in the order of the parameters.
func ParseList(rawQuery string) (List, error) {
	l := List{Page: 1, Size: DefaultPageSize}
	var problems problem.List
	query.Read(rawQuery, listParameters, &problems, func(p query.Parameter) {
		switch p.Name {
		case "size":
			if n, ok := query.Bounded(p, MaxPageSize, &problems); ok {
				l.Size = int(n)
			}
		case "page":
			if n, ok := query.Bounded(p, MaxListed, &problems); ok {
				l.Page = int(n)
			}
		case "kind":
			l.Kinds = parseNames(p, Kinds(), &problems)
		case "state":
			l.States = parseNames(p, States(), &problems)
		case "document_id":
			l.Documents = parseValues(p, &problems)
		}
	})
	if l.Page*l.Size > MaxListed {
		problems.Check("page", strconv.Itoa(l.Page), &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("times size must be at most %d", MaxListed),
			Resolution: "Send filters that match fewer jobs, or a lower page.",
		})
	}
	return l, problems.Err()
}

// parseValues parses comma-separated values. It replaces invalid UTF-8, which JSON could
// not carry to a service, by U+FFFD, which no real value contains.
func parseValues(p query.Parameter, problems *problem.List) []string {
	text, ok := p.One()
	values := strings.Split(strings.ToValidUTF8(text, "\uFFFD"), ",")
	switch {
	case !ok || slices.Contains(values, ""):
		problems.Check(p.Name, p.String(), &problem.Fault{
			Code: problem.CodeFilterInvalid, Message: "must be given once, with one value or several separated by commas",
			Resolution: "Send the parameter once, without empty values.",
		})
		return nil
	case len(values) > maxValues:
		problems.Check(p.Name, fmt.Sprintf("%d values", len(values)), &problem.Fault{
			Code: problem.CodeFilterInvalid, Message: fmt.Sprintf("has %d values; the limit is %d", len(values), maxValues),
			Resolution: "Send fewer values. Split the request into several.",
		})
		return nil
	}
	return values
}

// parseNames parses values that must all be in known.
func parseNames[T ~string](p query.Parameter, known []T, problems *problem.List) []T {
	var names []T
	for _, value := range parseValues(p, problems) {
		if !slices.Contains(known, T(value)) {
			problems.Check(p.Name, value, unknownName(known))
			return nil
		}
		names = append(names, T(value))
	}
	return names
}

// unknownName returns the fault of a value that is not in known.
func unknownName[T ~string](known []T) *problem.Fault {
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, string(k))
	}
	list := strings.Join(names, ", ")
	return &problem.Fault{Code: problem.CodeInvalidEnum, Message: "must be one of " + list, Resolution: "Send one of " + list + "."}
}

// ListRequest asks a service for its latest jobs.
type ListRequest struct {
	States    []State  `json:"states,omitempty"`
	Documents []string `json:"documents,omitempty"`
	// Limit is the largest number of jobs to return, at most MaxListed.
	Limit int `json:"limit"`
}

// Validate checks the limits again in the service.
func (r ListRequest) Validate() error {
	if r.Limit < 1 || r.Limit > MaxListed || len(r.States) > maxValues || len(r.Documents) > maxValues {
		return fmt.Errorf("a list request for %d jobs with %d states and %d documents exceeds the limits", r.Limit, len(r.States), len(r.Documents))
	}
	return nil
}

// ListResponse contains the jobs, the latest first, and the total number of jobs.
type ListResponse struct {
	Items []Summary `json:"items"`
	Total int64     `json:"total"`
}

// Summary is a job in a list. It has no progress, result and error.
type Summary struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	State State  `json:"state"`
	// DocumentID is the id of the job's document, or null if it has none.
	DocumentID *string `json:"document_id"`
	// CreatedAt is when the job was submitted. EndedAt is when it finished, or null if it
	// has not. Both are Unix milliseconds.
	CreatedAt int64  `json:"created_at"`
	EndedAt   *int64 `json:"ended_at"`
}

// Compare orders summaries by time, the latest first, and then by descending id.
func (s Summary) Compare(other Summary) int {
	if s.CreatedAt != other.CreatedAt {
		return int(max(min(other.CreatedAt-s.CreatedAt, 1), -1))
	}
	return strings.Compare(other.ID, s.ID)
}
