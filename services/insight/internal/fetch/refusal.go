package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/rectohq/recto/libs/problem"
)

// refusal is why an address has no document for the caller. Its message completes
// "url" to a sentence and holds nothing of what names resolve to; the cause may.
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

// redirected returns what a refusal of the address that a server redirects to says
// of the one that was sent, which is valid by itself.
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
	var late net.Error // deadlines have names of their own in some places
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

// explain returns err as the caller of the API is told of it.
func (c *Client) explain(address string, err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	var problems problem.List
	problems.Check("url", mask(address), &problem.Fault{Code: r.code, Message: r.message, Resolution: c.resolution(r.code)})
	return problem.Of(problems.Err()).Because(r.cause)
}
