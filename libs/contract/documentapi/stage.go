package documentapi

import (
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// A document can be created together with its content. The bytes are staged: the
// gateway puts them into the object store part by part, through URLs that Stage
// signs, while the client sends them. Create then seals them, and the document
// appears with all its files or not at all. Staged parts that no document claims
// are removed after a while.

// PartSize is the size of a staged part, in bytes. The last part of a file may be
// smaller.
const PartSize = 4 << 20

// The endpoints of staging.
var (
	// Stage answers with the URL to put one part to, from within the network of the
	// services.
	Stage = contract.Endpoint[StageRequest, StageResponse]{Service: Service, Name: "stage"}
	// Discard removes what was staged for a document that will not be made.
	Discard = contract.Endpoint[DiscardRequest, DiscardResponse]{Service: Service, Name: "discard", Idempotent: true}
)

// StageRequest names a part. The gateway makes up the ids.
type StageRequest struct {
	DocumentID string `json:"document_id"`
	FileID     string `json:"file_id"`
	// Part counts from 0.
	Part int64 `json:"part"`
}

// Validate reports ids that cannot be part of a key, and numbers that no part has.
func (r StageRequest) Validate() error {
	if !isKeyPart(r.DocumentID) || !isKeyPart(r.FileID) || r.Part < 0 {
		return fmt.Errorf("stage: document %q, file %q, part %d name no part", r.DocumentID, r.FileID, r.Part)
	}
	return nil
}

// isKeyPart reports whether an id can stand between the dots of an upload's key.
func isKeyPart(id string) bool { return id != "" && !strings.ContainsAny(id, "./") }

// StageResponse says where a part goes.
type StageResponse struct {
	// URL takes one PUT of the bytes, within a few minutes.
	URL string `json:"url"`
	// MaxContent is the size of the largest file, in bytes.
	MaxContent int64 `json:"max_content"`
}

// DiscardRequest names a document that will not be made.
type DiscardRequest struct {
	DocumentID string `json:"document_id"`
}

// DiscardResponse is empty.
type DiscardResponse struct{}

// Staged is content that is in the object store before its document is made.
type Staged struct {
	// DocumentID is what the parts were staged for. A repeated request may make its
	// document under another id.
	DocumentID string `json:"document_id"`
	// Files are those of the document, in its order.
	Files []StagedFile `json:"files"`
}

// StagedFile is the content of one file.
type StagedFile struct {
	ID string `json:"id"`
	// Size is in bytes. All parts but the last have PartSize.
	Size int64 `json:"size"`
}

// validate checks what the gateway says of staged content. It says nothing wrong,
// so that its errors are internal.
func (s Staged) validate(files int) error {
	if len(s.Files) != files {
		return fmt.Errorf("the content of %d files is staged for %d", len(s.Files), files)
	}
	for _, f := range s.Files {
		if err := (StageRequest{DocumentID: s.DocumentID, FileID: f.ID}).Validate(); err != nil {
			return err
		}
		if f.Size <= 0 {
			return fmt.Errorf("file %s is staged with %d bytes", f.ID, f.Size)
		}
	}
	return nil
}

// Parts returns how many parts the file has.
func (f StagedFile) Parts() int64 { return (f.Size + PartSize - 1) / PartSize }

// ParseUpload reads the JSON of a document that comes with its content. Files are
// the names and types that the content came with. They hold where the JSON lists
// no files; a list must name each file, in the order of the content.
func ParseUpload(document []byte, files []NewFile) (CreateRequest, error) {
	return parseCreate(document, func(o *jsonbody.Object) []NewFile {
		v, listed := o.Optional("files")
		if !listed {
			var problems problem.List
			checkFiles(files, &problems)
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
				Resolution: "List the files in the order of the parts, or leave the list out.",
			})
		}
		return named
	})
}
