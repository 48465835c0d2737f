package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/rectohq/recto/libs/problem"
)

// refusal is the reason why no document was fetched. Its message follows the word "url" in
// a sentence, and does not reveal what names resolve to; the cause may.
type refusal struct {
	code    problem.EntryCode
	message string
	cause   error
}

func (r *refusal) Error() string {
	if r.cause != nil {
		return r.message + ": " + r.cause.Error()
	}
	return r.message
}

func (r *refusal) Unwrap() error { return r.cause }

func invalid(format string, args ...any) *refusal {
	return &refusal{code: problem.CodeURLInvalid, message: fmt.Sprintf(format, args...)}
}

func forbidden(format string, args ...any) *refusal {
	return &refusal{code: problem.CodeURLForbidden, message: fmt.Sprintf(format, args...)}
}

func unreachable(cause error, format string, args ...any) *refusal {
	return &refusal{code: problem.CodeURLUnreachable, message: fmt.Sprintf(format, args...), cause: cause}
}

// redirected turns a refusal of a redirect's target into one of the address that was sent,
// which itself is valid.
func (r *refusal) redirected() *refusal {
	c := *r
	c.message = "redirects to an address that " + r.message
	if r.code == problem.CodeURLInvalid {
		c.code = problem.CodeURLUnreachable
	}
	return &c
}

// refused returns the refusal for the error of a connection.
func refused(err error) *refusal {
	var unverified *tls.CertificateVerificationError
	var dns *net.DNSError
	var late net.Error // deadlines are reported as different types
	switch {
	case errors.Is(err, errForbidden):
		return &refusal{code: problem.CodeURLForbidden, message: "leads to an address or a port that is not public", cause: err}
	case errors.As(err, &unverified):
		return unreachable(err, "has a certificate that cannot be verified")
	case errors.As(err, &dns) && dns.IsNotFound:
		return unreachable(err, "has an unknown host")
	case errors.As(err, &late) && late.Timeout():
		return unreachable(err, "did not answer in time")
	}
	return unreachable(err, "could not be reached")
}

// resolution says what to do about a refusal.
func (c *Client) resolution(code problem.EntryCode) string {
	switch code {
	case problem.CodeURLInvalid:
		return `Send the complete URL of a document, for example "https://example.com/contract.pdf", without a user name or a password.`
	case problem.CodeURLForbidden:
		return fmt.Sprintf("Send a public URL that begins with %s and uses the default port, or upload the document and send its id.", c.schemes())
	}
	return "Check that the URL answers with the document without signing in, or upload the document and send its id."
}

// explain returns err as API clients see it.
func (c *Client) explain(address string, err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	var problems problem.List
	problems.Check("url", mask(address), &problem.Fault{Code: r.code, Message: r.message, Resolution: c.resolution(r.code)})
	return problem.Of(problems.Err()).Because(r.cause)
}
