// Package problem is the one error type of Recto. An error says what went wrong in the
// terms of the API: a code, a sentence for the sender of the request, and an entry for
// every invalid field. It travels unchanged over the bus; only the gateway turns it into
// an HTTP response.
//
// The text of the cause is for logs. It is never serialized, so nothing internal leaves
// the process.
package problem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Code is an error code of the API, for example 3001. It determines the HTTP status and
// the URL of the page that explains it.
type Code int

// The codes of the API. Their meanings are public and never change.
const (
	RouteNotFound       Code = 1001
	MethodNotAllowed    Code = 1002
	HTTPSRequired       Code = 1003
	MissingKey          Code = 2001
	InvalidKey          Code = 2002
	RateLimited         Code = 2003
	PermissionDenied    Code = 2004
	InvalidRequest      Code = 3001
	MissingFields       Code = 3002
	InvalidFormat       Code = 3003
	TooLarge            Code = 3004
	DocumentNotFound    Code = 4001
	VersionNotFound     Code = 4002
	PageNotFound        Code = 4003
	IdempotencyConflict Code = 4009
	Internal            Code = 5000
	Unavailable         Code = 5003
	TimedOut            Code = 5004
)

// Codes lists every code in ascending order.
func Codes() []Code {
	return []Code{
		RouteNotFound, MethodNotAllowed, HTTPSRequired,
		MissingKey, InvalidKey, RateLimited, PermissionDenied,
		InvalidRequest, MissingFields, InvalidFormat, TooLarge,
		DocumentNotFound, VersionNotFound, PageNotFound, IdempotencyConflict,
		Internal, Unavailable, TimedOut,
	}
}

// Message returns the summary of c, for example "Invalid request".
func (c Code) Message() string {
	switch c {
	case RouteNotFound:
		return "Not found"
	case MethodNotAllowed:
		return "Method not allowed"
	case HTTPSRequired:
		return "HTTPS required"
	case MissingKey:
		return "Missing API key"
	case InvalidKey:
		return "Invalid API key"
	case RateLimited:
		return "Rate limit exceeded"
	case PermissionDenied:
		return "Permission denied"
	case InvalidRequest:
		return "Invalid request"
	case MissingFields:
		return "Missing required fields"
	case InvalidFormat:
		return "Invalid field format"
	case TooLarge:
		return "Payload too large"
	case DocumentNotFound:
		return "Document not found"
	case VersionNotFound:
		return "Version not found"
	case PageNotFound:
		return "Page not found"
	case IdempotencyConflict:
		return "Idempotency conflict"
	case Unavailable:
		return "Service unavailable"
	case TimedOut:
		return "Timed out"
	default:
		return "Internal error"
	}
}

// Error is a failure as reported to the caller of the API.
type Error struct {
	// Code is the general error code.
	Code Code `json:"code"`
	// Detail says what is wrong, where, and what to do.
	Detail string `json:"detail"`
	// Entries are the invalid fields, in field order.
	Entries []Entry `json:"entries,omitzero"`
	// RetryAfter is how many seconds to wait before retrying the same request; zero makes
	// no statement.
	RetryAfter int `json:"retry_after,omitzero"`

	cause error
}

// New returns an Error with the code and the formatted detail.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Because returns a copy of e with a cause, for logs and for errors.Is. The cause never
// leaves the process.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// After returns a copy of e that asks the caller to wait for d, rounded up to whole
// seconds, before retrying.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = int((d + time.Second - 1) / time.Second)
	return &c
}

// Error returns a text for logs, which includes the cause.
func (e *Error) Error() string {
	text := fmt.Sprintf("%d %s: %s", e.Code, e.Code.Message(), e.Detail)
	for _, entry := range e.Entries {
		text += fmt.Sprintf("; %s: %s", entry.Path, entry.Code)
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Of returns err as an *Error. Any other error becomes TimedOut if a deadline passed and
// Internal otherwise, with err as its cause.
func Of(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return New(TimedOut, "The request did not finish in time. The work continues: retry the request.").Because(err)
	default:
		return New(Internal, "The service failed unexpectedly. Retry the request. To report the failure, send the X-Request-Id of this answer.").Because(err)
	}
}

// Is reports whether err is an Error with the code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
