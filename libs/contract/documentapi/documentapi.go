// Package documentapi is what the document service says to the others: its
// endpoints, their payloads and the rules of their fields.
package documentapi

import (
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
)

// Service is the name of the document service.
const Service = "document"

// The endpoints of the document service.
var (
	List   = contract.Endpoint[ListRequest, ListResponse]{Service: Service, Name: "list", Idempotent: true}
	Get    = contract.Endpoint[GetRequest, Document]{Service: Service, Name: "get", Idempotent: true}
	Create = contract.Endpoint[CreateRequest, Document]{Service: Service, Name: "create"}
	Update = contract.Endpoint[UpdateRequest, Document]{Service: Service, Name: "update"}
	Delete = contract.Endpoint[DeleteRequest, Document]{Service: Service, Name: "delete"}

	CreateVersion = contract.Endpoint[CreateVersionRequest, Document]{Service: Service, Name: "create_version"}
	ListVersions  = contract.Endpoint[VersionsRequest, VersionsResponse]{Service: Service, Name: "list_versions", Idempotent: true}

	// Uploads answers with new upload URLs for the files of a version, in the
	// shape that Create and CreateVersion answer with.
	Uploads = contract.Endpoint[GetRequest, Document]{Service: Service, Name: "uploads", Idempotent: true}
	// Contents seals the files of a version and says where their bytes are.
	Contents = contract.Endpoint[GetRequest, ContentsResponse]{Service: Service, Name: "contents", Idempotent: true}
	// Status says whether a document that the principal may see was deleted. Its
	// error is DocumentNotFound for any other document, and for one that was purged.
	Status = contract.Endpoint[StatusRequest, StatusResponse]{Service: Service, Name: "status", Idempotent: true}
)

// The events of documents. Their Subject is the id of the document.
const (
	EventCreated   = "document.created"
	EventSealed    = "document.sealed"
	EventVersioned = "document.versioned"
	EventUpdated   = "document.updated"
	// EventDeleted says that a document was deleted: nobody sees it any more, and
	// work on it stops.
	EventDeleted = "document.deleted"
	// EventPurged says that a document is gone for good: who keeps anything of
	// it removes that.
	EventPurged = "document.purged"
)

// State is the state of a document.
type State string

// The states of a document.
const (
	Draft     State = "draft"
	Agreement State = "agreement"
)

// Document is a document as the API shows one. Times are Unix milliseconds.
type Document struct {
	ID             string        `json:"id"`
	Name           string        `json:"name"`
	State          State         `json:"state"`
	OrganizationID string        `json:"organization_id"`
	CreatedAt      int64         `json:"created_at"`
	UpdatedAt      int64         `json:"updated_at"`
	CreatedBy      contract.User `json:"created_by"`
	UpdatedBy      contract.User `json:"updated_by"`
	// VersionNumber is there only in the answers of Get and CreateVersion.
	VersionNumber int `json:"version_number,omitzero"`
	// Files is not there in lists.
	Files []File `json:"files,omitzero"`
}

// File is a file of a document as the API shows one.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// DownloadURL is there only in the answer of Get.
	DownloadURL string `json:"download_url,omitzero"`
	// UploadURL is there only in the answers of Create and CreateVersion.
	UploadURL string `json:"upload_url,omitzero"`
}

// GetRequest asks for one version of a document.
type GetRequest struct {
	DocumentID string  `json:"document_id"`
	Version    Version `json:"version,omitzero"`
}

// StatusRequest asks whether a document was deleted.
type StatusRequest struct {
	DocumentID string `json:"document_id"`
}

// StatusResponse says whether a document was deleted.
type StatusResponse struct {
	Deleted bool `json:"deleted,omitzero"`
}

// NotFound is the error for a document that is not there, or no longer, or that the
// principal may not see.
func NotFound(id string) error {
	return problem.New(problem.DocumentNotFound,
		"The organization of this key has no document %.64q. Check the id, and that the key belongs to the right organization.", id)
}

// ContentsResponse says where the bytes of a version are. Nobody but services
// may see it: the keys are those of the object store.
type ContentsResponse struct {
	DocumentID    string    `json:"document_id"`
	VersionNumber int       `json:"version_number"`
	Files         []Content `json:"files"`
}

// NotUploaded is the Fault of a file for which nothing has been uploaded. Every
// other one is that of an upload of no use.
const NotUploaded = "was not uploaded; PUT its content to its upload_url first"

// Content is where the bytes of one file are.
type Content struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// Key names the object, "" if Fault is set.
	Key string `json:"key,omitzero"`
	// Size, in bytes, and the hashes, in hex, are those of the sealed bytes.
	Size   int64  `json:"size,omitzero"`
	SHA256 string `json:"sha256,omitzero"`
	MD5    string `json:"md5,omitzero"`
	CRC32C string `json:"crc32c,omitzero"`
	// SealedAt is when they were sealed, in Unix milliseconds.
	SealedAt int64 `json:"sealed_at,omitzero"`
	// Fault is why there are no bytes to use, "" if there are. It completes
	// "The file" to a sentence for the client.
	Fault string `json:"fault,omitzero"`
}
