// Package domain implements the document service: the records of documents, access to
// them, and operations on them. It depends on no transport and no database.
package domain

import (
	"slices"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// Document is the record of a document. Times are Unix milliseconds.
type Document struct {
	ID           string
	Organization string
	Name         string
	State        documentapi.State
	CreatedAt    int64
	UpdatedAt    int64
	// CreatedBy and UpdatedBy are the users as they were at that time.
	CreatedBy contract.User
	UpdatedBy contract.User
	Access    Access
	// Versions are in ascending order of number and never empty. Lists leave them out.
	Versions []Version
	// Revision counts the changes of the record, from 1. A change is accepted only if it
	// is based on the current revision.
	Revision int64
	// Outbox holds the events that are not published yet.
	Outbox []Event
	// DeletedAt is when the document was deleted, or 0.
	DeletedAt int64
}

// The limits on the record of one document. Every store can hold a record of MaxSize with
// the seals of all files, one event for each file, and MaxOutbox more events.
const (
	MaxVersions = 1000
	MaxSize     = 12 << 20
	MaxOutbox   = 1000
)

// Version is one state of a document's files.
type Version struct {
	Number    int           `json:"number"`
	Files     []File        `json:"files"`
	CreatedAt int64         `json:"created_at"`
	CreatedBy contract.User `json:"created_by"`
	// Token is the token of the request that created the version, or "".
	Token string `json:"token,omitzero"`
}

// File is one file of a version. Its seal is set when its content is sealed.
type File struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Seal
}

// Seal describes content that will never change. The zero Seal means that the file is not
// sealed.
type Seal struct {
	// Size is in bytes; the hashes are in lower-case hex.
	Size     int64  `json:"size,omitzero"`
	SHA256   string `json:"sha256,omitzero"`
	MD5      string `json:"md5,omitzero"`
	CRC32C   string `json:"crc32c,omitzero"`
	SealedAt int64  `json:"sealed_at,omitzero"`
}

// Event records what happened to a document. Its id lets receivers recognize an event
// that is delivered more than once.
type Event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	At   int64  `json:"at"`
}

// Size returns an upper bound on the bytes that the record takes in any store once all
// its files are sealed, without its outbox.
func (d Document) Size() int {
	const ofRecord, ofVersion, ofFile, ofException = 1000, 200, 350, 100 // everything except texts of variable length
	size := ofRecord + len(d.Name) + userSize(d.CreatedBy) + userSize(d.UpdatedBy)
	for id := range d.Access.Users {
		size += ofException + len(id)
	}
	for _, v := range d.Versions {
		size += ofVersion + userSize(v.CreatedBy) + len(v.Token)
		for _, f := range v.Files {
			size += ofFile + len(f.Name) + len(f.Type)
		}
	}
	return size
}

func userSize(u contract.User) int { return len(u.ID) + len(u.Email) + len(u.Name) }

// record adds an event to the outbox, which is stored in the same write as the change.
func (d *Document) record(kind string, at int64) {
	// Clone, so that the record that was read stays unchanged.
	d.Outbox = append(slices.Clone(d.Outbox), Event{ID: contract.NewID(contract.EventPrefix), Type: kind, At: at})
}

// incomingKey is the key of the object that the upload URL of a file points to.
func (d Document) incomingKey(f File) string {
	return documentapi.UploadKey(d.Organization, d.ID, f.ID)
}

// incoming is the common prefix of the keys of all uploads to the document.
func (d Document) incoming() string { return documentapi.UploadKey(d.Organization, d.ID, "") }

// contentKey is the key of the object that holds the bytes of a sealed file.
func (d Document) contentKey(f File) string {
	return documentapi.ContentKey(d.Organization, d.ID, f.ID)
}

// content is the common prefix of the keys of the sealed contents of the document.
func (d Document) content() string { return documentapi.ContentKey(d.Organization, d.ID, "") }

// Version returns the version that v selects.
func (d Document) Version(v documentapi.Version) (Version, bool) {
	if !v.Given {
		return d.Versions[len(d.Versions)-1], true
	}
	for _, version := range d.Versions {
		if version.Number == v.Number {
			return version, true
		}
	}
	return Version{}, false
}

// Summary returns the document as lists show it.
func (d Document) Summary() documentapi.Document {
	return documentapi.Document{
		ID: d.ID, Name: d.Name, State: d.State, OrganizationID: d.Organization,
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, CreatedBy: d.CreatedBy, UpdatedBy: d.UpdatedBy,
	}
}
