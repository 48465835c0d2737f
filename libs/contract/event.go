package contract

import "github.com/go-json-experiment/json/jsontext"

// Event says that something has happened to a document or to what was made of
// it. Events may arrive more than once, with the same ID, and late: what happens
// at an event must do no harm a second time.
type Event struct {
	ID string `json:"id"`
	// Type is the owner and what happened, for example "document.created".
	Type string `json:"type"`
	// Organization owns the subject.
	Organization string `json:"organization"`
	// Subject is the id of what the event is about.
	Subject string `json:"subject"`
	// At is when it happened, in Unix milliseconds.
	At int64 `json:"at"`
	// Data is what else belongs to the type; it may be absent.
	Data jsontext.Value `json:"data,omitzero"`
}
