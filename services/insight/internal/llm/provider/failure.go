package provider

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// failure returns why the exchange has no answer, nil if it has. The other error is
// langchaingo's, which may quote the answer, so that its text is never used.
func (x *exchange) failure(other error) *Error {
	e := x.explain(other)
	if e != nil {
		e.Status = x.status
		if e.Temporary() {
			e.After = x.after
		}
	}
	return e
}

// explain is failure without the facts of HTTP.
func (x *exchange) explain(other error) *Error {
	switch r := x.report; {
	case x.status == 0:
		return x.unreached(other)
	case x.status != http.StatusOK:
		return x.rejected()
	case errors.Is(x.fault, errTooLarge), x.report.said > x.most:
		return &Error{Kind: Invalid, Reason: "its answer is far larger than it may be"}
	case r.truncated():
		return &Error{Kind: TooLong, Reason: "the answer is cut off at the limit of its length"}
	case r.declined():
		return &Error{Kind: Refused, Reason: "it declines to answer"}
	case r.complete():
		return x.unread(other)
	case errors.Is(x.fault, errTimeout):
		return x.late()
	case r.failed && tooLong.Match(x.body):
		return &Error{Kind: TooLong, Reason: "the prompt exceeds the context window"}
	case r.failed:
		return &Error{Kind: Unavailable, Reason: "it reports an error in place of the answer"}
	}
	return &Error{Kind: Unavailable, Reason: "its answer breaks off, or is not one of the API that INSIGHT_MODEL_PROVIDER names"}
}

// unread returns why langchaingo cannot read a complete answer.
func (x *exchange) unread(other error) *Error {
	switch {
	case other == nil, len(x.report.answer) > 0:
		return nil
	case x.report.choices == 0 && x.report.said == 0 && !errors.Is(other, errPanic):
		return &Error{Kind: Refused, Reason: "its answer is empty"}
	}
	return &Error{Kind: Invalid, Reason: unknownParts}
}

// unknownParts is the reason if langchaingo cannot read all of a complete answer.
const unknownParts = "its answer has parts of an unknown kind"

// late says that the provider did not answer in time.
func (x *exchange) late() *Error {
	return &Error{Kind: TimedOut, Reason: fmt.Sprintf("it sends nothing for %v", x.timeout)}
}

// unreached returns why there is no response.
func (x *exchange) unreached(other error) *Error {
	var certificate *tls.CertificateVerificationError
	switch {
	case x.fault == nil && other != nil: // langchaingo did not send the request
		return &Error{Kind: Invalid, Reason: "the prompt cannot be sent"}
	case errors.Is(x.fault, errTimeout):
		return x.late()
	case errors.As(x.fault, &certificate):
		return &Error{Kind: Denied, Reason: "its certificate is not trusted; check INSIGHT_MODEL_URL"}
	}
	return &Error{Kind: Unavailable, Reason: "it cannot be reached, or closes the connection"}
}

var (
	// tooLong matches what providers say about prompts that exceed the context window.
	tooLong = regexp.MustCompile(`(?i)context_length_exceeded|maximum context length|prompt is too long|exceed_context_size` +
		`|exceeds the (available )?context|exceeds the maximum number of tokens|maximum model length|ContextWindowExceeded` +
		`|request_too_large|request too large|too large for model`)
	// filtered matches what providers say if a filter rejects a prompt.
	filtered = regexp.MustCompile(`(?i)"content_filter"|content_policy_violation|ResponsibleAIPolicyViolation`)
	// unpaid matches what providers say to an account that has to be paid first. Waiting
	// does not help.
	unpaid = regexp.MustCompile(`(?i)insufficient_quota|credit balance is too low`)
)

// rejected returns the meaning of a status other than 200.
func (x *exchange) rejected() *Error {
	switch s := x.status; {
	case tooLong.Match(x.body):
		return &Error{Kind: TooLong, Reason: "the prompt exceeds the context window"}
	case s == http.StatusBadRequest && filtered.Match(x.body):
		return &Error{Kind: Refused, Reason: "a filter rejects the prompt"}
	case unpaid.Match(x.body):
		return &Error{Kind: Denied, Reason: "the account has no quota left"}
	case s == http.StatusRequestEntityTooLarge:
		return &Error{Kind: TooLong, Reason: "the prompt is too large"}
	case s == http.StatusTooManyRequests:
		return &Error{Kind: Unavailable, Reason: "it limits the rate of requests"}
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s >= 500, s < 300:
		return &Error{Kind: Unavailable, Reason: "it fails"}
	case s < 400:
		return &Error{Kind: Denied, Reason: "it redirects; set INSIGHT_MODEL_URL to the new address"}
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return &Error{Kind: Denied, Reason: "it rejects INSIGHT_MODEL_KEY"}
	case s == http.StatusNotFound:
		return &Error{Kind: Denied, Reason: "it knows no such model or address; check INSIGHT_MODEL and INSIGHT_MODEL_URL"}
	}
	return &Error{Kind: Denied, Reason: "it rejects the request" + x.about()}
}

// about says which parts of the request an error names. It quotes nothing of the error,
// which could repeat the prompt.
func (x *exchange) about() string {
	known := []string{
		"format", "json_schema", "max_completion_tokens", "max_tokens", "messages", "model", "num_ctx", "response_format",
		"seed", "stream_options", "temperature", "tool_choice", "tools",
	}
	named := slices.DeleteFunc(known, func(name string) bool { return !word(x.body, name) })
	if len(named) == 0 {
		return ""
	}
	return "; its message names " + strings.Join(named, ", ")
}

// word reports whether a text has a name that is not part of a longer one.
func word(text []byte, name string) bool {
	inner := func(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' }
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(name)
		if (begin == 0 || !inner(text[begin-1])) && (end == len(text) || !inner(text[end])) {
			return true
		}
		at = end
	}
}
