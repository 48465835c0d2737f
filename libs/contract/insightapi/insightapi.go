// Package insightapi defines the interface of the insight service: its
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
	// Create reads a document and returns the requested insights.
	Create = contract.Endpoint[CreateRequest, CreateResponse]{Service: Service, Name: "create"}
	// Begin is Create for a caller that follows the progress. It returns the accepted
	// job, whose events are in the log ProgressLog under its id.
	Begin = contract.Endpoint[CreateRequest, jobapi.Job]{Service: Service, Name: "begin"}
	// Submit is Create for a caller that does not wait. It returns the accepted job,
	// which waits in the bulk lane.
	Submit = contract.Endpoint[CreateRequest, jobapi.Job]{Service: Service, Name: "submit"}
	// Job returns a job of Begin or Submit. Its Result is the Answer that Create would
	// have returned, including signed_url.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels a job unless it has finished, and returns it like Job.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs returns the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign returns the response of Create again, with a new URL. It fails with
	// DocumentNotFound if the result has expired.
	Sign = contract.Endpoint[Result, CreateResponse]{Service: Service, Name: "sign", Idempotent: true}
)

// EventCompleted reports that a document was read. Its Subject is the id of the
// document, and its Data is a jobapi.Completed. There is no event for sources that are
// not stored documents.
const EventCompleted = "insight.completed"

// SourceKind is the kind of a source.
type SourceKind string

// The kinds of sources. Each is the name of a member of a request, which has exactly one
// of them.
const (
	DraftID     SourceKind = "draft_id"
	CompletedID SourceKind = "completed_id"
	DocumentID  SourceKind = "document_id"
	DocText     SourceKind = "doc_text"
	URL         SourceKind = "url"
)

// CreateRequest asks for insights about a document.
type CreateRequest struct {
	Source SourceKind `json:"source"`
	// Value is the id, the text or the URL.
	Value string `json:"value"`
	// Context is background information that can be used to answer prompts.
	Context string `json:"context,omitzero"`
	// Organization is the name of the caller's organization, which helps to identify
	// its own party. The gateway sets it; clients do not send it.
	Organization string `json:"organization,omitzero"`
	// Insights are in the order of the request, without duplicates. Custom prompts
	// with different messages are different insights.
	Insights []Request `json:"insights"`
	// Stream is set if the caller wants to receive items as they are found.
	Stream bool `json:"stream,omitzero"`
}

// Request is one requested insight.
type Request struct {
	// Type is the type as it was sent, which may be an alternative name.
	Type Type `json:"type"`
	// Message is the question of a custom_prompt, and "" for every other type.
	Message string `json:"message,omitzero"`
}

// CreateResponse contains the insights about a document.
type CreateResponse struct {
	// Answer is the Insight object of the API, with signed_url. Clients receive exactly
	// these bytes.
	Answer jsontext.Value `json:"answer"`
	// Result is the input of Sign. The gateway stores it, and no other part of the
	// response, and does not show it to clients.
	Result Result `json:"result"`
	// Engine says what found the insights. "" means ByRules.
	Engine Engine `json:"engine,omitzero"`
}

// Result names the stored insights about a document.
type Result struct {
	JobID string `json:"job_id"`
	// DocumentID is the id of the stored document, or "" if the source is not stored.
	DocumentID string `json:"document_id,omitzero"`
}
