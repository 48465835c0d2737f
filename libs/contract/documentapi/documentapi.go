// Package documentapi defines the interface of the document service: its
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

	// Uploads returns new upload URLs for the files of a version, in the same format
	// as Create and CreateVersion.
	Uploads = contract.Endpoint[GetRequest, Document]{Service: Service, Name: "uploads", Idempotent: true}
	// Contents seals the files of a version and returns the keys of their objects.
	Contents = contract.Endpoint[GetRequest, ContentsResponse]{Service: Service, Name: "contents", Idempotent: true}
	// Status reports whether a document that the principal may see was deleted. It
	// fails with DocumentNotFound for any other document and for a purged one.
	Status = contract.Endpoint[StatusRequest, StatusResponse]{Service: Service, Name: "status", Idempotent: true}
)

// The events of documents. Their Subject is the id of the document.
const (
	EventCreated   = "document.created"
	EventSealed    = "document.sealed"
	EventVersioned = "document.versioned"
	EventUpdated   = "document.updated"
	// EventDeleted reports that a document was deleted: it is no longer visible, and
	// work on it stops.
	EventDeleted = "document.deleted"
	// EventPurged reports that a document was permanently removed. Services that keep
	// anything derived from it must remove it.
	EventPurged = "document.purged"
)

// State is the state of a document.
type State string

// The states of a document.
const (
	Draft     State = "draft"
	Agreement State = "agreement"
)

// Document is a document as the API represents it. Times are Unix milliseconds.
type Document struct {
	ID             string        `json:"id"`
	Name           string        `json:"name"`
	State          State         `json:"state"`
	OrganizationID string        `json:"organization_id"`
	CreatedAt      int64         `json:"created_at"`
	UpdatedAt      int64         `json:"updated_at"`
	CreatedBy      contract.User `json:"created_by"`
	UpdatedBy      contract.User `json:"updated_by"`
	// VersionNumber is set only in the responses of Get and CreateVersion.
	VersionNumber int `json:"version_number,omitzero"`
	// Files is not set in lists.
	Files []File `json:"files,omitzero"`
}

// File is a file of a document as the API represents it.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// DownloadURL is set only in the response of Get.
	DownloadURL string `json:"download_url,omitzero"`
	// UploadURL is set only in the responses of Create, CreateVersion and Uploads.
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

// StatusResponse reports whether a document was deleted.
type StatusResponse struct {
	Deleted bool `json:"deleted,omitzero"`
}

// NotFound returns the error for a document that does not exist, no longer exists, or is
// not visible to the principal.
func NotFound(id string) error {
	return problem.New(problem.DocumentNotFound,
		"The organization of this key has no document %.64q. Check the id, and that the key belongs to the right organization.", id)
}

// ContentsResponse contains the locations of a version's files. It is internal to
// services, because the keys are those of the object store.
type ContentsResponse struct {
	DocumentID    string    `json:"document_id"`
	VersionNumber int       `json:"version_number"`
	Files         []Content `json:"files"`
}

// NotUploaded is the Fault of a file without an upload. Any other Fault means that the
// upload is unusable.
const NotUploaded = "was not uploaded; PUT its content to its upload_url first"

// Content is the location of a file's bytes.
type Content struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// Key is the key of the object, or "" if Fault is set.
	Key string `json:"key,omitzero"`
	// Size (in bytes) and the hashes (in hex) describe the sealed bytes.
	Size   int64  `json:"size,omitzero"`
	SHA256 string `json:"sha256,omitzero"`
	MD5    string `json:"md5,omitzero"`
	CRC32C string `json:"crc32c,omitzero"`
	// SealedAt is when the bytes were sealed, in Unix milliseconds.
	SealedAt int64 `json:"sealed_at,omitzero"`
	// Fault is the reason why there are no usable bytes, or "" if there are. It
	// completes a sentence for the client that begins with "The file".
	Fault string `json:"fault,omitzero"`
}
