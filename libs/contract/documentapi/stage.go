package documentapi

import (
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// A document can be created together with its content. The bytes are staged: while the
// client sends them, the gateway puts them into the object store part by part, through
// presigned URLs from Stage. Create then seals them, and the document appears with all
// its files or not at all. Staged parts that no document claims are removed after a
// while.

// PartSize is the size of a staged part, in bytes. The last part of a file may be
// smaller.
const PartSize = 4 << 20

// The endpoints of staging.
var (
	// Stage returns the URL for uploading one part. The URL works only within the
	// network of the services.
	Stage = contract.Endpoint[StageRequest, StageResponse]{Service: Service, Name: "stage"}
	// Discard removes the staged parts of a document that will not be created.
	Discard = contract.Endpoint[DiscardRequest, DiscardResponse]{Service: Service, Name: "discard", Idempotent: true}
)

// StageRequest names a part. The gateway generates the ids.
type StageRequest struct {
	DocumentID string `json:"document_id"`
	FileID     string `json:"file_id"`
	// Part counts from 0.
	Part int64 `json:"part"`
}

// Validate rejects ids that cannot be in a key, and negative part numbers.
func (r StageRequest) Validate() error {
	if !isKeyPart(r.DocumentID) || !isKeyPart(r.FileID) || r.Part < 0 {
		return fmt.Errorf("stage: document %q, file %q, part %d do not name a part", r.DocumentID, r.FileID, r.Part)
	}
	return nil
}

// isKeyPart reports whether an id can be a component of an upload key.
func isKeyPart(id string) bool { return id != "" && !strings.ContainsAny(id, "./") }

// StageResponse contains the URL for a part.
type StageResponse struct {
	// URL accepts a PUT of the bytes for a few minutes.
	URL string `json:"url"`
	// MaxContent is the largest allowed size of a file, in bytes.
	MaxContent int64 `json:"max_content"`
}

// DiscardRequest names a document that will not be created.
type DiscardRequest struct {
	DocumentID string `json:"document_id"`
}

// DiscardResponse is empty.
type DiscardResponse struct{}

// Staged describes content that is put into the object store before its document is created.
type Staged struct {
	// DocumentID is the id that the parts were staged for. A repeated request may
	// create its document under another id.
	DocumentID string `json:"document_id"`
	// Files are the files of the document, in the same order.
	Files []StagedFile `json:"files"`
}

// StagedFile is the content of one file.
type StagedFile struct {
	ID string `json:"id"`
	// Size is in bytes. All parts except the last have PartSize bytes.
	Size int64 `json:"size"`
}

// validate checks the gateway's description of staged content. An invalid description is
// a bug of the gateway, so the errors are internal.
func (s Staged) validate(files int) error {
	if len(s.Files) != files {
		return fmt.Errorf("%d files are staged for a document with %d files", len(s.Files), files)
	}
	for _, f := range s.Files {
		if err := (StageRequest{DocumentID: s.DocumentID, FileID: f.ID}).Validate(); err != nil {
			return err
		}
		if f.Size <= 0 {
			return fmt.Errorf("staged file %s has %d bytes", f.ID, f.Size)
		}
	}
	return nil
}

// Parts returns the number of parts of the file.
func (f StagedFile) Parts() int64 { return (f.Size + PartSize - 1) / PartSize }

// ParseUpload parses the JSON of a document that is uploaded together with its content.
// Files are the names and types from the content parts. They are used if the JSON has no
// list of files. A list must name every file, in the order of the parts.
func ParseUpload(document []byte, files []NewFile) (CreateRequest, error) {
	return parseCreate(document, func(o *jsonbody.Object) []NewFile {
		v, listed := o.Optional("files")
		if !listed {
			var problems problem.List
			if len(files) == 0 {
				problems.Check("files", "0", &problem.Fault{
					Code: problem.CodeTooShort, Message: "must not be empty", Resolution: fmt.Sprintf("Send 1 to %d parts named files.", MaxFiles),
				})
			} else {
				checkFiles(files, &problems)
			}
			for _, e := range problems.Entries() {
				o.Report(e)
			}
			return files
		}
		named := readFileList(v)
		if len(named) != len(files) {
			v.Check(&problem.Fault{
				Code:       problem.CodeOutOfRange,
				Message:    fmt.Sprintf("lists %d files, but the body contains %d", len(named), len(files)),
				Resolution: "List the files in the order of the parts, or omit the list.",
			})
		}
		return named
	})
}
