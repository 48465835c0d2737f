// Package annotationapi defines the interface of the annotation service: its
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
	// JSON, "\n", and the unchanged body of the API request, which is too large for
	// every process on the way to hold in memory. NewAnnotate creates the payload,
	// and ReadAnnotate parses it.
	Annotate = contract.Endpoint[contract.Stream, AnnotateResponse]{Service: Service, Name: "annotate"}
	// Submit is Annotate for a caller that does not wait. It returns the accepted job.
	Submit = contract.Endpoint[contract.Stream, jobapi.Job]{Service: Service, Name: "submit"}
	// Job returns a job that Submit accepted.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels a job of Submit unless it has finished, and returns it like Job.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs returns the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign returns a new URL for a result of Annotate. It fails with DocumentNotFound
	// if the result has expired.
	Sign = contract.Endpoint[Result, AnnotateResponse]{Service: Service, Name: "sign", Idempotent: true}
	// Fields returns the fields of a document.
	Fields = contract.Endpoint[FieldsRequest, FieldsResponse]{Service: Service, Name: "fields", Idempotent: true}
	// PutFields replaces the field registry of a document and returns the fields
	// like Fields.
	PutFields = contract.Endpoint[PutFieldsRequest, FieldsResponse]{Service: Service, Name: "put_fields"}
)

// EventCompleted reports that a document was filled. Its Subject is the id of the
// document, and its Data is a Completed.
const EventCompleted = "annotation.completed"

// Completed is the data of EventCompleted.
type Completed struct {
	// Fields is the number of filled fields.
	Fields int `json:"fields"`
}

// AnnotateRequest holds the parameters of a request other than its body.
type AnnotateRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// DryRun checks the values and changes nothing.
	DryRun bool `json:"dry_run,omitzero"`
	// Flatten asks for a PDF that is no longer a form. It has no effect unless the result is
	// a PDF.
	Flatten bool `json:"flatten,omitzero"`
	// PDF asks for the filled document as PDF, whatever its type.
	PDF bool `json:"pdf,omitzero"`
	// Problems are the problems of the query. They are reported together with those of
	// the body, and nothing is filled.
	Problems []problem.Entry `json:"problems,omitzero"`
}

// AnnotateResponse contains the URL of the filled file. For a dry run, it contains only
// Valid.
type AnnotateResponse struct {
	DownloadURL string `json:"download_url,omitzero"`
	// ExpiresAt is when the URL expires, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at,omitzero"`
	// Warnings say what the caller of a successful request should know.
	Warnings []Warning `json:"warnings,omitzero"`
	// Valid is the result of a dry run.
	Valid bool `json:"valid,omitzero"`
	// Result is the input of Sign. The gateway does not show it to clients.
	Result Result `json:"result,omitzero"`
}

// WarningCode identifies the kind of a Warning.
type WarningCode string

// The codes of warnings.
const (
	// WarningCalculation means that the form has scripts that calculate fields from others.
	// Scripts are not run, so the calculated fields have their old values.
	WarningCalculation WarningCode = "calculation_not_run"
	// WarningTextTooSmall means that a text is too long for its place in a PDF. It is written
	// in a size below 4 points, so that no part of it is lost.
	WarningTextTooSmall WarningCode = "text_too_small"
)

// Warning is something that did not keep a document from being filled.
type Warning struct {
	Code WarningCode `json:"code"`
	// Message says what to look at, for the end user.
	Message string `json:"message"`
	// FieldID is the id of the field that the warning is about, or "".
	FieldID string `json:"field_id,omitzero"`
}

// Result names a filled file.
type Result struct {
	// Key is the key of the object.
	Key string `json:"key"`
	// Name and Type are the file name and media type of the download.
	Name string `json:"name"`
	Type string `json:"type"`
	// DocumentID is the id of the document that was filled.
	DocumentID string `json:"document_id"`
	// Warnings are those of the response.
	Warnings []Warning `json:"warnings,omitzero"`
}

// FieldsRequest asks for the fields of a version of a document.
type FieldsRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	// Registry asks for the registry in place of the fields, so no file is read. With the
	// files of the version, the registry determines its fields.
	Registry bool `json:"registry,omitzero"`
}

// FieldsResponse contains the fields of a document.
type FieldsResponse struct {
	Items []Field `json:"items"`
	// Registry is the registry, if it was asked for. Items is then empty.
	Registry []Definition `json:"registry,omitzero"`
}

// Field is a field as the API represents it.
type Field struct {
	FieldID string `json:"field_id"`
	// Type is the type as requests name it ("name"). FieldType is the type as insights
	// name it ("NAMETEXTINPUT").
	Type      string  `json:"type"`
	FieldType string  `json:"field_type"`
	Label     *string `json:"label"`
	Required  bool    `json:"required"`
	// Options are the displayed options, or null if the field has none.
	Options *[]string `json:"options"`
	Min     *int      `json:"min"`
	Max     *int      `json:"max"`
	// Multiple is null unless the field can hold images.
	Multiple *bool  `json:"multiple"`
	Source   string `json:"source"`
	// Value is a string, an array of strings for a checkbox, or null if the field is
	// empty.
	Value any `json:"value"`
	// PageNumber and BoundingBox are null if the file has no pages.
	PageNumber  *int         `json:"page_number"`
	BoundingBox *BoundingBox `json:"bounding_box"`
	// XMLPath is "" if the file has no XML.
	XMLPath string `json:"xml_path"`
	// FormProperties are only in responses about a PDF.
	*FormProperties `json:",inline"`
}

// FormProperties are the properties of a field that only a PDF form has.
type FormProperties struct {
	// ReadOnly reports whether the form keeps people from changing the field. Annotate
	// fills it nonetheless.
	ReadOnly bool `json:"read_only"`
	// MaxLength is the maximum number of characters, or null if there is none.
	MaxLength *int `json:"max_length"`
}

// BoundingBox is the position of an item on a page. Coordinates are fractions of the
// page size, from 0 to 1, measured from the top left.
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
	// Version is the version whose fields are returned. The registry applies to all
	// versions.
	Version documentapi.Version `json:"version,omitzero"`
	Fields  []Definition        `json:"fields"`
}

// Definition is the registry's definition of a field. Members that are left out are
// taken from the file, if it defines them.
type Definition struct {
	FieldID string `json:"field_id"`
	// Type is one of the types in libs/formats/fields.
	Type     string   `json:"type"`
	Label    *string  `json:"label,omitzero"`
	Required *bool    `json:"required,omitzero"`
	Options  []string `json:"options,omitzero"`
	Min      *int     `json:"min,omitzero"`
	Max      *int     `json:"max,omitzero"`
	Multiple *bool    `json:"multiple,omitzero"`
	// PageNumber and BoundingBox place a field on a page of a PDF. Either both are nil or
	// neither is. They do not apply to a field that the file itself has.
	PageNumber  *int         `json:"page_number,omitzero"`
	BoundingBox *BoundingBox `json:"bounding_box,omitzero"`
}
