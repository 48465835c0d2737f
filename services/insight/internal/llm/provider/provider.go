// Package provider sends prompts to a language model and returns JSON that matches a
// schema. It owns the connection to the provider and the errors that providers make: what
// it returns is complete and valid, or an *Error.
package provider

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// Prompt is one request to a language model. The document comes before the task, so that
// providers can reuse what they have computed for the same document.
type Prompt struct {
	// System says what the model is to do with any document.
	System string
	// Document is the text that is to be read, as data.
	Document string
	// Task says what is to be answered about it.
	Task   string
	Schema Schema
}

// Schema is the JSON schema of an answer.
type Schema struct {
	// Name consists of letters and underscores.
	Name string
	// Document is the schema. Each object lists all its properties as required and allows
	// no others, since that is what providers can enforce.
	Document jsontext.Value
}

// Completion is the answer to a Prompt.
type Completion struct {
	// JSON matches the schema of the prompt.
	JSON jsontext.Value `json:"json"`
	// Tokens are those of all requests that were needed for it.
	Tokens insightapi.Tokens `json:"tokens"`
}

// Kind is the kind of an Error.
type Kind int

const (
	// Unavailable means that the provider did not answer, or not completely. Another try
	// may help.
	Unavailable Kind = iota
	// TimedOut is Unavailable because of time.
	TimedOut
	// TooLong means that the answer, or the prompt, exceeds the limits of the model. A
	// shorter document may help.
	TooLong
	// Refused means that the model declined to answer.
	Refused
	// Invalid means that the model did not answer in the required form, not even when told
	// what was wrong.
	Invalid
	// Denied means that the provider rejects the request, for example because of its key
	// or the name of the model.
	Denied
)

// String returns the name of the kind, as metrics have it.
func (k Kind) String() string {
	switch k {
	case Unavailable:
		return "unavailable"
	case TimedOut:
		return "timed_out"
	case TooLong:
		return "too_long"
	case Refused:
		return "refused"
	case Invalid:
		return "invalid"
	default:
		return "denied"
	}
}

// Error is an error of a provider. Its text contains no part of a prompt or of an answer,
// nor the key.
type Error struct {
	Kind Kind
	// Status is the HTTP status, 0 if there is none.
	Status int
	// After is how long the provider asks to wait before the next try, 0 if it does not
	// say.
	After time.Duration
	// Tokens are those that the failed requests used.
	Tokens insightapi.Tokens
	// Reason says what went wrong.
	Reason string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Status != 0 && e.Status != http.StatusOK {
		return fmt.Sprintf("the language model: %s (HTTP status %d)", e.Reason, e.Status)
	}
	return "the language model: " + e.Reason
}

// Temporary reports whether another try may help.
func (e *Error) Temporary() bool { return e.Kind == Unavailable || e.Kind == TimedOut }

// Lasting reports whether the same prompt would always fail like this, while others may
// succeed.
func (e *Error) Lasting() bool { return e.Kind == TooLong || e.Kind == Refused || e.Kind == Invalid }
