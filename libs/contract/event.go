package contract

import "github.com/go-json-experiment/json/jsontext"

// Event reports that something has happened to a document or to something derived
// from it. Events can arrive late, and more than once with the same ID, so handlers
// must be idempotent.
type Event struct {
	ID string `json:"id"`
	// Type names the owner and what happened, for example "document.created".
	Type string `json:"type"`
	// Organization is the id of the organization that owns the subject.
	Organization string `json:"organization"`
	// Subject is the id of the resource that the event is about.
	Subject string `json:"subject"`
	// At is when it happened, in Unix milliseconds.
	At int64 `json:"at"`
	// Data holds further fields that depend on the type. It may be absent.
	Data jsontext.Value `json:"data,omitzero"`
}
