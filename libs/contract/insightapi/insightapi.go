// Package insightapi is what the insight service says to the others: its
// endpoints, their payloads and the rules of their fields.
package insightapi

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
)

// Service is the name of the insight service.
const Service = "insight"

// The endpoints of the insight service.
var (
	// Create reads a document and answers with what was asked for.
	Create = contract.Endpoint[CreateRequest, CreateResponse]{Service: Service, Name: "create"}
	// Begin accepts what Create does for a caller who follows its progress: the
	// events of the job are in the log ProgressLog, under its id.
	Begin = contract.Endpoint[CreateRequest, jobapi.Job]{Service: Service, Name: "begin"}
	// Submit accepts what Create does for a caller who does not wait: it is done
	// after all that somebody waits for.
	Submit = contract.Endpoint[CreateRequest, jobapi.Job]{Service: Service, Name: "submit"}
	// Job answers with a job of Begin or Submit. Its Result is an Answer with its
	// signed_url, as Create would have answered.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels such a job unless it has ended, and answers as Job does.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs answers with the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign answers anew with a result of Create, with a new URL. Its error is
	// DocumentNotFound if the result is no longer kept.
	Sign = contract.Endpoint[Result, CreateResponse]{Service: Service, Name: "sign", Idempotent: true}
)

// EventCompleted says that a document was read. Its Subject is the id of the
// document, its Data a jobapi.Completed. What was no stored document has no event.
const EventCompleted = "insight.completed"

// SourceKind is how a request names what is to be read.
type SourceKind string

// The kinds of sources, as the members of a request that name them. Exactly one
// is there.
const (
	DraftID     SourceKind = "draft_id"
	CompletedID SourceKind = "completed_id"
	DocumentID  SourceKind = "document_id"
	DocText     SourceKind = "doc_text"
	URL         SourceKind = "url"
)

// CreateRequest asks what a document says.
type CreateRequest struct {
	Source SourceKind `json:"source"`
	// Value is the id, the text or the address.
	Value string `json:"value"`
	// Context is background that whoever answers a prompt may use.
	Context string `json:"context,omitzero"`
	// Organization is the name of the caller's organization, which tells its own party
	// from the others. The gateway knows it; clients do not send it.
	Organization string `json:"organization,omitzero"`
	// Insights are in the order of the request; what was sent twice is there
	// once. Custom prompts with different messages are different.
	Insights []Request `json:"insights"`
	// Stream is whether the caller wants items as they are found.
	Stream bool `json:"stream,omitzero"`
}

// Request is one of the insights that are asked for.
type Request struct {
	// Type is the name that was sent, of either set of names.
	Type Type `json:"type"`
	// Message is the question of a custom_prompt, "" for every other type.
	Message string `json:"message,omitzero"`
}

// CreateResponse is what a document says.
type CreateResponse struct {
	// Answer is the Insight object of the API, with signed_url. It is JSON as
	// clients get it, byte for byte.
	Answer jsontext.Value `json:"answer"`
	// Result is what Sign makes the answer from again. The gateway keeps it for
	// itself, and nothing else of the answer.
	Result Result `json:"result"`
}

// Result names what was found in a document.
type Result struct {
	JobID string `json:"job_id"`
	// DocumentID is the stored document that it was found in, "" for none.
	DocumentID string `json:"document_id,omitzero"`
}
