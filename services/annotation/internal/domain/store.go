package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

// MaxSize is the largest size of a record, in bytes of JSON. Databases limit a record to
// 16 MiB.
const MaxSize = 12 << 20

// Content identifies the content in which fields were found, and the code that found
// them.
type Content struct {
	DocumentID string
	// SHA256 is the hash of the file, in hex.
	SHA256 string
	// Version is the version of the code that found the fields.
	Version string
}

// Found holds the fields found in a Content.
type Found struct {
	Fields []fields.Field `json:"fields"`
	// Pages are the pages of a PDF. Other files have none.
	Pages []registry.Page `json:"pages,omitzero"`
	// UsedAt is when the fields were last used, in Unix milliseconds, accurate to a day.
	UsedAt int64 `json:"-"`
}

// Registry holds what the owner of a document defined about its fields.
type Registry struct {
	Definitions []annotationapi.Definition
	// Revision is the number of times the registry was set.
	Revision int64
}

// Store stores fields. The suite in package storetest is the specification that every
// implementation passes. Accepted changes outlive the process.
type Store interface {
	// Found returns what KeepFound stored, or ErrNotFound.
	Found(ctx context.Context, organization string, c Content) (Found, error)
	// KeepFound stores the fields of c, and replaces those stored before. It
	// returns ErrTooLarge if they exceed MaxSize.
	KeepFound(ctx context.Context, organization string, c Content, f Found) error
	// Registry returns the registry of a document, or the zero value if there is none.
	Registry(ctx context.Context, organization, documentID string) (Registry, error)
	// PutRegistry replaces the registry of a document as a whole, and returns it with its
	// new Revision. Of concurrent calls, the last one wins. It returns ErrTooLarge if the
	// registry exceeds MaxSize.
	PutRegistry(ctx context.Context, organization, documentID string, definitions []annotationapi.Definition) (Registry, error)
	// Forget removes everything stored for a document.
	Forget(ctx context.Context, organization, documentID string) error
	// Expire removes up to limit Found that were last used before the given time, and
	// returns how many it removed.
	Expire(ctx context.Context, before int64, limit int) (int, error)
}

// The errors of a Store, in addition to those of its database.
var (
	ErrNotFound = errors.New("no such record")
	ErrTooLarge = fmt.Errorf("the record has more than %d bytes", MaxSize)
)

// Encode returns v in the form in which every Store stores the parts of a record that are
// not queried. It returns ErrTooLarge if the result exceeds MaxSize.
func Encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode a record: %w", err)
	}
	if len(data) > MaxSize {
		return nil, ErrTooLarge
	}
	return data, nil
}

// Decode is the inverse of Encode; v is a pointer.
func Decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode a record: %w", err)
	}
	return nil
}
