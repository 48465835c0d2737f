// Package conversionapi is what the conversion service says to the others: its
// endpoints, their payloads and the rules of their fields.
package conversionapi

import (
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

// Service is the name of the conversion service.
const Service = "conversion"

// The endpoints of the conversion service.
var (
	Stored = contract.Endpoint[StoredRequest, StoredResponse]{Service: Service, Name: "stored"}
	// Inline takes the body of the API's request and answers with the body of
	// the API's answer, both as they are: they are too large to be held by all
	// they pass.
	Inline = contract.Endpoint[contract.Stream, contract.Stream]{Service: Service, Name: "inline"}
)

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
		Resolution: `Send "pdf", or leave it out.`,
	}
}
