package httpapi

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/rectohq/recto/libs/problem"
)

// status returns the HTTP status of a code. It is the one place that decides.
func status(c problem.Code) int {
	switch c {
	case problem.RouteNotFound, problem.DocumentNotFound, problem.VersionNotFound:
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

// docsURL is where the pages that explain errors are published.
type docsURL string

func (d docsURL) page(c problem.Code) string {
	return string(d) + "/errors/" + strconv.Itoa(int(c))
}

// body is an error as clients see it.
type body struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	Detail  string       `json:"detail"`
	Docs    string       `json:"docs"`
	Errors  []entry      `json:"errors,omitempty"`
}

// entry is one element of the errors of an answer, with the members in the order
// that the specification shows.
type entry struct {
	Path            string            `json:"path"`
	Code            problem.EntryCode `json:"code"`
	Message         string            `json:"message"`
	Value           jsontext.Value    `json:"value"`
	InternalMessage string            `json:"internal_message"`
	Resolution      string            `json:"resolution"`
	Docs            string            `json:"docs"`
}

// errorBody is the answer that tells of e.
func errorBody(e *problem.Error, docs docsURL) body {
	b := body{Code: e.Code, Message: e.Code.Message(), Detail: e.Detail, Docs: docs.page(e.Code)}
	for _, p := range e.Entries {
		b.Errors = append(b.Errors, entry{
			Path: p.Path, Code: p.Code, Message: p.Message, Value: p.Value,
			InternalMessage: p.InternalMessage, Resolution: p.Resolution, Docs: b.Docs,
		})
	}
	return b
}

// problemOf returns what a client is told of an error, also of those that the
// HTTP library makes.
func problemOf(err error) *problem.Error {
	var e *problem.Error
	var f *fiber.Error
	switch {
	case errors.As(err, &e):
		return e
	case !errors.As(err, &f):
		return problem.Of(err)
	}
	switch f.Code {
	case http.StatusNotFound:
		return problem.New(problem.RouteNotFound, "The path does not exist. Paths of the API begin with /v2; /docs lists them.")
	case http.StatusMethodNotAllowed:
		return problem.New(problem.MethodNotAllowed, "The path does not support this method. The Allow header lists the methods that it supports.")
	case http.StatusRequestHeaderFieldsTooLarge:
		return problem.New(problem.TooLarge, "The request line and headers exceed %d bytes. Send fewer or shorter headers.", readBufferSize)
	case http.StatusRequestTimeout:
		return problem.New(problem.InvalidRequest, "The request did not arrive in time. Retry, and send it without pauses.").Because(err)
	default:
		return problem.New(problem.InvalidRequest, "The request is not valid HTTP. Check its request line, headers and framing.").Because(err)
	}
}

// writeProblem makes err the answer.
func (s *Server) writeProblem(fctx *fasthttp.RequestCtx, err error) {
	e := problemOf(err)
	x := s.exchange(fctx)
	x.failure = e
	code := status(e.Code)
	if code >= http.StatusInternalServerError {
		s.log.ErrorContext(x.ctx, "a request failed", "method", string(fctx.Method()), "path", string(fctx.URI().PathOriginal()), "error", err)
	}
	fctx.Response.ResetBody()
	fctx.Response.SetStatusCode(code)
	if e.RetryAfter > 0 {
		fctx.Response.Header.Set(fiber.HeaderRetryAfter, strconv.Itoa(e.RetryAfter))
	}
	if e.Code == problem.HTTPSRequired {
		fctx.Response.Header.Set(fiber.HeaderUpgrade, "TLS/1.2, HTTP/1.1")
	}
	writeJSON(fctx, errorBody(e, s.docs))
}

// writeJSON sets the answer's body. Members come in the same order every time,
// so that equal answers have equal bytes.
func writeJSON(fctx *fasthttp.RequestCtx, v any) {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil { // what is answered is made of strings, numbers and valid JSON
		data = []byte(`{}`)
	}
	fctx.Response.Header.SetContentType(fiber.MIMEApplicationJSON)
	fctx.Response.SetBodyRaw(data)
}
