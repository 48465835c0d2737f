// Package conversionapi defines the interface of the conversion service: its
// endpoints, their payloads and the rules of their fields.
package conversionapi

import (
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
)

// Service is the name of the conversion service.
const Service = "conversion"

// The endpoints of the conversion service.
var (
	// Stored converts a stored document and waits for the result.
	Stored = contract.Endpoint[StoredRequest, StoredResponse]{Service: Service, Name: "stored"}
	// Submit is Stored for a caller that does not wait. It returns the accepted job,
	// which waits in the bulk lane.
	Submit = contract.Endpoint[StoredRequest, jobapi.Job]{Service: Service, Name: "submit"}
	// Job returns a job that Submit accepted.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels a job of Submit unless it has finished, and returns it like Job.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs returns the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign returns a new URL for a result of Stored. It fails with DocumentNotFound if
	// the result has expired.
	Sign = contract.Endpoint[Result, StoredResponse]{Service: Service, Name: "sign", Idempotent: true}
	// Inline takes the unchanged body of the API request and returns the body of the
	// API response. Both are too large for every process on the way to hold in memory.
	Inline = contract.Endpoint[contract.Stream, contract.Stream]{Service: Service, Name: "inline"}
)

// EventCompleted reports that the conversion of a document has finished. Its Subject is
// the id of the document, and its Data is a jobapi.Completed.
const EventCompleted = "conversion.completed"

// StoredRequest asks for the conversion of the first convertible file of a version.
type StoredRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	Format     string              `json:"format"`
	Profile    Profile             `json:"profile,omitzero"`
}

// StoredResponse contains the URL of the converted file.
type StoredResponse struct {
	DownloadURL string `json:"download_url"`
	// ExpiresAt is when the URL expires, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at"`
	Details
	// File is how long the file is kept. The gateway does not show it to clients.
	File Lifetime `json:"file,omitzero"`
	// Result is the input of Sign, and tells services where the file is. The gateway
	// does not show it to clients.
	Result Result `json:"result,omitzero"`
}

// Lifetime is how long a converted file is kept. Times are Unix milliseconds. The zero
// Lifetime means that the file is kept as long as its document, because it is a PDF that
// needed no conversion.
type Lifetime struct {
	// RenewedAt is the time from which a new request converts the document again.
	RenewedAt int64 `json:"renewed_at,omitzero"`
	// RemovedAt is the earliest time at which the file is removed.
	RemovedAt int64 `json:"removed_at,omitzero"`
}

// Result names a converted file.
type Result struct {
	// Key is the key of the object.
	Key string `json:"key"`
	// Name is the file name of the download.
	Name string `json:"name"`
	// DocumentID and FileID are the ids of the document and the file that were converted.
	DocumentID string `json:"document_id"`
	FileID     string `json:"file_id"`
	// Details describe the file.
	Details Details `json:"details,omitzero"`
}

// DefaultFormat is the format if the request does not specify one.
const DefaultFormat = "pdf"

// CheckFormat checks that documents can be converted to the format.
func CheckFormat(format string) *problem.Fault {
	if strings.EqualFold(format, DefaultFormat) {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeFormatUnsupported, Message: "must be pdf",
		Resolution: `Send "pdf", or omit it.`,
	}
}
