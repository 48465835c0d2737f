package documentapi

import (
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/query"
)

// CreateVersionRequest adds a version to a document.
type CreateVersionRequest struct {
	DocumentID string    `json:"document_id"`
	Files      []NewFile `json:"files"`
	// ParseCreateVersion sets only the id of UpdatedBy, to "" if it was not sent. The
	// gateway completes it.
	UpdatedBy contract.User `json:"updated_by"`
	// Token marks the version, so that a repeated request finds the version that it
	// created before. It is "" if the request cannot be repeated. Clients cannot set it.
	Token string `json:"token,omitzero"`
}

// VersionsRequest asks for one page of the versions of a document.
type VersionsRequest struct {
	DocumentID string `json:"document_id"`
	// Page counts from 1.
	Page int64 `json:"page"`
	Size int   `json:"size"`
}

// VersionsResponse is one page of versions, the latest first.
type VersionsResponse struct {
	Items []VersionSummary `json:"items"`
	Total int64            `json:"total"`
	Page  int64            `json:"page"`
	Size  int              `json:"size"`
	Pages int64            `json:"pages"`
}

// VersionSummary is a version in a list.
type VersionSummary struct {
	VersionNumber int `json:"version_number"`
	// CreatedAt is in Unix milliseconds.
	CreatedAt int64         `json:"created_at"`
	CreatedBy contract.User `json:"created_by"`
	Files     []VersionFile `json:"files"`
}

// VersionFile is a file of a version in a list.
type VersionFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	// Size (in bytes) and SHA256 (in hex) are null until the content is sealed.
	Size   *int64  `json:"size"`
	SHA256 *string `json:"sha256"`
}

// ParseCreateVersion parses the body of Create Version. The error is a
// *problem.Error that lists every problem of the body.
func ParseCreateVersion(documentID string, body []byte) (CreateVersionRequest, error) {
	r := CreateVersionRequest{DocumentID: documentID}
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		r.Files = readFiles(o)
		r.UpdatedBy.ID = readUserID(o, "updated_by")
	})
	return r, err
}

// Validate checks the rules of the fields again in the service.
func (r CreateVersionRequest) Validate() error {
	var problems problem.List
	checkFiles(r.Files, &problems)
	problems.Check("updated_by", r.UpdatedBy.ID, checkUserID(r.UpdatedBy.ID))
	return problems.Err()
}

// CheckNewVersion returns an error if a document in state s cannot get a new version.
// Only an agreement cannot, because its content is final.
func CheckNewVersion(documentID string, s State) error {
	if s != Agreement {
		return nil
	}
	var problems problem.List
	problems.Check("document_id", documentID, &problem.Fault{
		Code: problem.CodeDocumentAgreement, Message: "is an agreement, which does not accept new versions",
		Resolution: "Create a new document for the changed content.",
	})
	return problems.Err()
}

// ParseVersions parses the raw query of List Versions. It does not set DocumentID. The
// error is a *problem.Error that lists every problem, in the order of the parameters.
func ParseVersions(rawQuery string) (VersionsRequest, error) {
	r := VersionsRequest{Page: 1, Size: DefaultPageSize}
	var problems problem.List
	query.Read(rawQuery, []string{"size", "page"}, &problems, func(p query.Parameter) {
		ReadPaging(p, &r.Page, &r.Size, &problems)
	})
	return r, problems.Err()
}

// Validate checks the limits again in the service.
func (r VersionsRequest) Validate() error {
	var problems problem.List
	CheckPaging(r.Page, r.Size, &problems)
	return problems.Err()
}
