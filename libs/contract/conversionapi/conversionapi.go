// Package conversionapi is what the conversion service says to the others: its
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
	// Stored converts and waits for the result.
	Stored = contract.Endpoint[StoredRequest, StoredResponse]{Service: Service, Name: "stored"}
	// Submit converts and waits for nothing: the job is accepted, to be done
	// after all that somebody waits for.
	Submit = contract.Endpoint[StoredRequest, jobapi.Job]{Service: Service, Name: "submit"}
	// Job answers with the job that Submit has accepted.
	Job = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "job", Idempotent: true}
	// CancelJob cancels such a job unless it has ended, and answers as Job does.
	CancelJob = contract.Endpoint[jobapi.GetRequest, jobapi.Job]{Service: Service, Name: "cancel", Idempotent: true}
	// ListJobs answers with the latest jobs.
	ListJobs = contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]{Service: Service, Name: "jobs", Idempotent: true}
	// Sign answers with a new URL for the result of Stored. Its error is
	// DocumentNotFound if the result is no longer kept.
	Sign = contract.Endpoint[Result, StoredResponse]{Service: Service, Name: "sign", Idempotent: true}
	// Inline takes the body of the API's request and answers with the body of
	// the API's answer, both as they are: they are too large to be held by all
	// they pass.
	Inline = contract.Endpoint[contract.Stream, contract.Stream]{Service: Service, Name: "inline"}
)

// EventCompleted says that the conversion of a document has ended. Its Subject is
// the id of the document, its Data a jobapi.Completed.
const EventCompleted = "conversion.completed"

// StoredRequest converts the first convertible file of a version.
type StoredRequest struct {
	DocumentID string              `json:"document_id"`
	Version    documentapi.Version `json:"version,omitzero"`
	Format     string              `json:"format"`
}

// StoredResponse says where the converted file is.
type StoredResponse struct {
	DownloadURL string `json:"download_url"`
	// ExpiresAt is when the URL ends, in Unix milliseconds.
	ExpiresAt int64 `json:"expires_at"`
	// File says how long the file is there. The gateway keeps it for itself.
	File Lifetime `json:"file,omitzero"`
	// Result is what Sign makes another URL from, and where services find the
	// file. The gateway keeps it for itself.
	Result Result `json:"result,omitzero"`
}

// Lifetime says how long a converted file is there. Times are Unix milliseconds. The
// zero Lifetime is that of a file which stays as long as its document: a PDF that
// converts to itself.
type Lifetime struct {
	// RenewedAt is when the file is converted again by who asks for it from then on.
	RenewedAt int64 `json:"renewed_at,omitzero"`
	// RemovedAt is when the file is removed at the earliest.
	RemovedAt int64 `json:"removed_at,omitzero"`
}

// Result names a converted file.
type Result struct {
	// Key is the object's.
	Key string `json:"key"`
	// Name is what the file is downloaded as.
	Name string `json:"name"`
	// DocumentID is the document that it was made of, FileID the file.
	DocumentID string `json:"document_id"`
	FileID     string `json:"file_id"`
}

// DefaultFormat is the format of a request that names none.
const DefaultFormat = "pdf"

// CheckFormat accepts the formats that documents are converted to.
func CheckFormat(format string) *problem.Fault {
	if strings.EqualFold(format, DefaultFormat) {
		return nil
	}
	return &problem.Fault{
		Code: problem.CodeFormatUnsupported, Message: "must be pdf",
		Resolution: `Send "pdf", or omit it.`,
	}
}
