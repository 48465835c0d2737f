package jobapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// Bounds and defaults of a list of jobs.
const (
	MaxPageSize     = 500
	DefaultPageSize = 100
	// MaxListed bounds page × size: every service is asked for all jobs up to the page.
	MaxListed = 10_000
	// maxValues bounds the values of one filter.
	maxValues = 100
)

// List is a page of the jobs of an organization, as a client asks for it.
type List struct {
	// Page counts from 1.
	Page, Size int
	// Kinds, States and Documents are what a job has to have one of each; none is any.
	Kinds     []Kind
	States    []State
	Documents []string
}

// Kinds returns every kind of jobs.
func Kinds() []Kind { return []Kind{Convert, Annotate, Analyze} }

// States returns every state of a job.
func States() []State { return []State{Queued, Running, Succeeded, Failed, Canceled} }

// listParameters are the names of the parameters that a list takes.
var listParameters = []string{"size", "page", "kind", "state", "document_id"}

// ParseList reads the query of List Jobs. Several values of a filter are separated by
// commas. The error is a *problem.Error with all that is wrong, in the order of the
// parameters.
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

// parseValues reads values that are separated by commas. What is not valid UTF-8 in them
// becomes U+FFFD, which no value has: JSON could not carry it to a service.
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

// parseNames reads values each of which is one of the known.
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

// unknownName is the fault of a value that is none of the known.
func unknownName[T ~string](known []T) *problem.Fault {
	names := make([]string, 0, len(known))
	for _, k := range known {
		names = append(names, string(k))
	}
	list := strings.Join(names, ", ")
	return &problem.Fault{Code: problem.CodeInvalidEnum, Message: "must be one of " + list, Resolution: "Send " + list + "."}
}

// ListRequest asks a service for the latest of its jobs.
type ListRequest struct {
	States    []State  `json:"states,omitempty"`
	Documents []string `json:"documents,omitempty"`
	// Limit is how many jobs the answer has at most, up to MaxListed.
	Limit int `json:"limit"`
}

// Validate checks the bounds once more, where the request arrives.
func (r ListRequest) Validate() error {
	if r.Limit < 1 || r.Limit > MaxListed || len(r.States) > maxValues || len(r.Documents) > maxValues {
		return fmt.Errorf("a list of %d jobs of %d states and %d documents is out of bounds", r.Limit, len(r.States), len(r.Documents))
	}
	return nil
}

// ListResponse has the jobs, the latest first, and how many there are in all.
type ListResponse struct {
	Items []Summary `json:"items"`
	Total int64     `json:"total"`
}

// Summary is a job in a list. Get has its progress, result and error.
type Summary struct {
	ID    string `json:"id"`
	Kind  Kind   `json:"kind"`
	State State  `json:"state"`
	// DocumentID is the document that the job is about, null if it is about none.
	DocumentID *string `json:"document_id"`
	// CreatedAt is when the job was submitted, EndedAt when it ended, null until then.
	// Unix milliseconds.
	CreatedAt int64  `json:"created_at"`
	EndedAt   *int64 `json:"ended_at"`
}

// Compare orders summaries: the latest first, and by id where they are of one time.
func (s Summary) Compare(other Summary) int {
	if s.CreatedAt != other.CreatedAt {
		return int(max(min(other.CreatedAt-s.CreatedAt, 1), -1))
	}
	return strings.Compare(other.ID, s.ID)
}
