// Package annotationapi is what the annotation service says to the others: its
// endpoints, their payloads and the rules of their fields.
package annotationapi

import (
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Service is the name of the annotation service.
const Service = "annotation"

// The endpoints of the annotation service.
var (
	// Annotate fills a document. Its payload is an AnnotateRequest as one line of
	// JSON, "\n", and the body of the API's request as it came: that is too large
	// to be held by all it passes. NewAnnotate makes it, ReadAnnotate reads it.
	Annotate = contract.Endpoint[contract.Stream, AnnotateResponse]{Service: Service, Name: "annotate"}
	// Submit is Annotate for a caller who does not wait: the job is accepted.
	Submit = contract.Endpoint[contract.Stream, jobapi.Job]{Service: Service, Name: "submit"}
	// Job answers with the job that Submit has accepted.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels such a job unless it has ended, and answers as Job does.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs answers with the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign answers with a new URL for the result of Annotate. Its error is
	// DocumentNotFound if the result is no longer kept.
	Sign = contract.Endpoint[Result, AnnotateResponse]{Service: Service, Name: "sign", Idempotent: true}
	// Fields answers with the fields of a document.
	Fields = contract.Endpoint[FieldsRequest, FieldsResponse]{Service: Service, Name: "fields", Idempotent: true}
	// PutFields replaces the field registry of a document and answers as Fields
	// does.
	PutFields = contract.Endpoint[PutFieldsRequest, FieldsResponse]{Service: Service, Name: "put_fields"}
)

// EventCompleted says that a document was filled. Its Subject is the id of the
// document, its Data a Completed.
const EventCompleted = "annotation.completed"

// Completed is the data of EventCompleted.
type Completed struct {
	// Fields is how many fields were filled.
	Fields int `json:"fields"`
}

// AnnotateRequest is what a request says beside its body.
type AnnotateRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// DryRun checks the values and changes nothing.
	DryRun bool `json:"dry_run,omitzero"`
	// Flatten makes a PDF that is no form any more.
	Flatten bool `json:"flatten,omitzero"`
	// Problems are what is wrong with the query: they are told with those of the
	// body, and nothing is filled.
	Problems []problem.Entry `json:"problems,omitzero"`
}

// AnnotateResponse says where the filled file is; of a dry run it says nothing
// but Valid.
type AnnotateResponse struct {
	DownloadURL string `json:"download_url,omitzero"`
	// ExpiresAt is when the URL ends, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at,omitzero"`
	// Valid is the answer to a dry run.
	Valid bool `json:"valid,omitzero"`
	// Result is what Sign makes another URL from. The gateway keeps it for
	// itself.
	Result Result `json:"result,omitzero"`
}

// Result names a filled file.
type Result struct {
	// Key is the object's.
	Key string `json:"key"`
	// Name and Type are what the file is downloaded as.
	Name string `json:"name"`
	Type string `json:"type"`
	// DocumentID is the document that it was made of.
	DocumentID string `json:"document_id"`
}

// FieldsRequest asks for the fields of a version of a document.
type FieldsRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
}

// FieldsResponse are the fields of a document.
type FieldsResponse struct {
	Items []Field `json:"items"`
}

// Field is a field as the API shows one.
type Field struct {
	FieldID string `json:"field_id"`
	// Type is as requests name it ("name"), FieldType as insights do
	// ("NAMETEXTINPUT").
	Type      string  `json:"type"`
	FieldType string  `json:"field_type"`
	Label     *string `json:"label"`
	Required  bool    `json:"required"`
	// Options are what a reader sees; null for a field without.
	Options *[]string `json:"options"`
	Min     *int      `json:"min"`
	Max     *int      `json:"max"`
	// Multiple is null but for a field that may hold images.
	Multiple *bool  `json:"multiple"`
	Source   string `json:"source"`
	// Value is what the field holds: a string, an array of strings for a
	// checkbox, null for an empty one.
	Value any `json:"value"`
	// PageNumber and BoundingBox are null where the file has no pages.
	PageNumber  *int         `json:"page_number"`
	BoundingBox *BoundingBox `json:"bounding_box"`
	// XMLPath is "" where there is no XML.
	XMLPath string `json:"xml_path"`
}

// BoundingBox is where something stands on a page, in parts of it, from 0 to 1,
// from the top left.
type BoundingBox struct {
	Page   int     `json:"page"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// PutFieldsRequest replaces the field registry of a document.
type PutFieldsRequest struct {
	DocumentID string `json:"document_id"`
	// Version is the one whose fields are answered with; the registry is that of
	// all versions.
	Version documentapi.Version `json:"version,omitzero"`
	Fields  []Definition        `json:"fields"`
}

// Definition is what the registry says of a field. What it leaves out, the file
// says, or nobody.
type Definition struct {
	FieldID string `json:"field_id"`
	// Type is one of the types of libs/formats/fields.
	Type     string   `json:"type"`
	Label    *string  `json:"label,omitzero"`
	Required *bool    `json:"required,omitzero"`
	Options  []string `json:"options,omitzero"`
	Min      *int     `json:"min,omitzero"`
	Max      *int     `json:"max,omitzero"`
	Multiple *bool    `json:"multiple,omitzero"`
}
