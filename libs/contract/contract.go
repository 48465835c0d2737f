// Package contract is what the parts of Recto may know of each other: who acts,
// what a message is called, and, in a package for each service, what it says.
//
// The packages below it hold the payloads and the rules of their fields, so
// that the gateway, which reads a request, and the service, which owns what it
// is about, judge it by the same code. They hold no behaviour beyond that.
package contract

import (
	"io"
	"slices"
)

// User is a person as the API shows one.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Principal is who a request acts for. The gateway makes it from the API key;
// it travels with every message and job.
type Principal struct {
	// Organization is the id of the organization that owns what is touched.
	Organization string `json:"organization"`
	// User is the user who made the key.
	User User `json:"user"`
	// Key is the id of the API key, never the key itself.
	Key string `json:"key"`
	// Scopes are what the key may do.
	Scopes []Scope `json:"scopes"`
}

// Scope is a permission of an API key.
type Scope string

// The scopes of an API key.
const (
	ScopeAll            Scope = "*"
	ScopeDocumentsRead  Scope = "documents:read"
	ScopeDocumentsWrite Scope = "documents:write"
	ScopeConvert        Scope = "convert"
	ScopeAnnotate       Scope = "annotate"
	ScopeInsights       Scope = "insights"
)

// Scopes lists every scope.
func Scopes() []Scope {
	return []Scope{ScopeAll, ScopeDocumentsRead, ScopeDocumentsWrite, ScopeConvert, ScopeAnnotate, ScopeInsights}
}

// May reports whether the principal has the scope.
func (p Principal) May(s Scope) bool {
	return slices.Contains(p.Scopes, ScopeAll) || slices.Contains(p.Scopes, s)
}

// Endpoint is one request-reply operation of a service. Req and Res are its
// payloads; they travel as JSON, or as they are where they are a Stream.
type Endpoint[Req, Res any] struct {
	// Service is the name of the service that answers.
	Service string
	// Name is the operation, unique within the service.
	Name string
	// Idempotent says that a request which is handled twice does what it does once.
	// Callers send it again where a reply is long in coming.
	Idempotent bool
}

// Subject returns the NATS subject of the endpoint.
func (e Endpoint[Req, Res]) Subject() string { return e.Service + "." + e.Name }

// Stream is a payload of raw bytes, for bodies that are too large to be held
// in memory by everyone they pass.
type Stream struct {
	// Body is read once. Whoever receives a Stream closes Body if it is an
	// io.Closer.
	Body io.Reader
	// Size is the number of bytes in Body, -1 if it is not known beforehand.
	Size int64
}

// Close closes the body if it can be closed.
func (s Stream) Close() error {
	if c, ok := s.Body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
