// Package contract defines what the parts of Recto know about each other: principals,
// endpoints, events and ids. Each service has a package below it.
//
// These packages define the payloads and the validation rules of their fields, so that
// the gateway, which parses a request, and the service, which owns the resource, apply
// the same rules. They contain no other logic.
package contract

import (
	"io"
	"slices"
)

// User is a user as the API represents it.
type User struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Principal identifies the caller of a request. The gateway derives it from the API
// key. It is sent with every message and stored with every job.
type Principal struct {
	// Organization is the id of the organization that owns the resources.
	Organization string `json:"organization"`
	// User is the user who created the key.
	User User `json:"user"`
	// Key is the id of the API key, never the key itself.
	Key string `json:"key"`
	// Scopes are the permissions of the key.
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

// Endpoint is a request-reply operation of a service. Req and Res are its payloads,
// which are encoded as JSON, except that a Stream is sent as raw bytes.
type Endpoint[Req, Res any] struct {
	// Service is the name of the service that implements the endpoint.
	Service string
	// Name is the name of the operation, unique within the service.
	Name string
	// Idempotent means that handling a request twice has the same effect as handling
	// it once. Callers resend an idempotent request if the reply takes too long.
	Idempotent bool
}

// Subject returns the NATS subject of the endpoint.
func (e Endpoint[Req, Res]) Subject() string { return e.Service + "." + e.Name }

// Stream is a payload of raw bytes, for bodies that are too large for every
// process on their way to hold in memory.
type Stream struct {
	// Body can be read once. The receiver of a Stream closes it if it is an
	// io.Closer.
	Body io.Reader
	// Size is the number of bytes in Body, or -1 if it is unknown.
	Size int64
}

// Close closes the body if it is an io.Closer.
func (s Stream) Close() error {
	if c, ok := s.Body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
