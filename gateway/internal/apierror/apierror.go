// Package apierror defines errors as API clients see them: the HTTP status of each code
// and the body of the response.
package apierror

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/problem"
)

// Status returns the HTTP status of a code. It is the only place that maps codes to
// statuses.
func Status(c problem.Code) int {
	switch c {
	case problem.RouteNotFound, problem.DocumentNotFound, problem.VersionNotFound, problem.PageNotFound:
		return http.StatusNotFound
	case problem.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case problem.HTTPSRequired:
		return http.StatusUpgradeRequired
	case problem.MissingKey:
		return http.StatusUnauthorized
	case problem.InvalidKey, problem.PermissionDenied:
		return http.StatusForbidden
	case problem.RateLimited:
		return http.StatusTooManyRequests
	case problem.InvalidRequest, problem.MissingFields, problem.InvalidFormat:
		return http.StatusBadRequest
	case problem.TooLarge:
		return http.StatusRequestEntityTooLarge
	case problem.IdempotencyConflict:
		return http.StatusConflict
	case problem.Unavailable:
		return http.StatusServiceUnavailable
	case problem.TimedOut:
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}

// DocsURL is the base URL of the pages that explain errors.
type DocsURL string

func (d DocsURL) page(c problem.Code) string {
	return string(d) + "/errors/" + strconv.Itoa(int(c))
}

// rule returns the URL of the row that explains the code of an entry. The page of
// InvalidRequest explains all of them; the code of the response may be that of another page.
func (d DocsURL) rule(path string, c problem.EntryCode) string {
	row := string(c)
	if strings.HasPrefix(path, "field_values.") {
		row = "field_values." + row
	}
	return d.page(problem.InvalidRequest) + "#" + row
}

// Body is an error as clients see it.
type Body struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	Detail  string       `json:"detail"`
	Docs    string       `json:"docs"`
	Errors  []Entry      `json:"errors,omitempty"`
}

// Entry is one element of the errors in a Body. Its members are in the order of the
// specification.
type Entry struct {
	Path            string            `json:"path"`
	Code            problem.EntryCode `json:"code"`
	Message         string            `json:"message"`
	Value           jsontext.Value    `json:"value"`
	InternalMessage string            `json:"internal_message"`
	Resolution      string            `json:"resolution"`
	Docs            string            `json:"docs"`
}

// NewBody returns the response body for e.
func NewBody(e *problem.Error, docs DocsURL) Body {
	b := Body{Code: e.Code, Message: e.Code.Message(), Detail: e.Detail, Docs: docs.page(e.Code)}
	for _, p := range e.Entries {
		b.Errors = append(b.Errors, Entry{
			Path: p.Path, Code: p.Code, Message: p.Message, Value: p.Value,
			InternalMessage: p.InternalMessage, Resolution: p.Resolution, Docs: docs.rule(p.Path, p.Code),
		})
	}
	return b
}

// HTTPSRequired returns the error for a request without TLS.
func HTTPSRequired() *problem.Error {
	return problem.New(problem.HTTPSRequired, "The API requires HTTPS. Send the request to the same address with https://.")
}
