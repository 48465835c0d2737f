package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
)

// MaxSize is how large a record may be, in bytes of JSON: a database holds no
// larger one than 16 MiB.
const MaxSize = 12 << 20

// Content names what fields were found in, and by what.
type Content struct {
	DocumentID string
	// SHA256 is that of the file, in hex.
	SHA256 string
	// Version is that of the code that found them.
	Version string
}

// Found are the fields that were found in a content.
type Found struct {
	Fields []fields.Field
	// UsedAt is when they were used last, in Unix milliseconds, to the day.
	UsedAt int64
}

// Registry is what the owner of a document has said of its fields.
type Registry struct {
	Definitions []annotationapi.Definition
	// Revision counts how often it was replaced; it is 0 where nothing was ever
	// said.
	Revision int64
}

// Store keeps fields. The suite in package storetest is the specification that
// every implementation passes. What a method has accepted outlives the process.
type Store interface {
	// Found returns what KeepFound has kept, or ErrNotFound.
	Found(ctx context.Context, organization string, c Content) (Found, error)
	// KeepFound keeps the fields of a content in place of those that were kept
	// before. ErrTooLarge if they are over MaxSize.
	KeepFound(ctx context.Context, organization string, c Content, f Found) error
	// Registry returns that of a document, the zero one if there is none.
	Registry(ctx context.Context, organization, documentID string) (Registry, error)
	// PutRegistry replaces the registry of a document as a whole, and returns it
	// with its new Revision: of several at a time, the last one stays. ErrTooLarge
	// if it is over MaxSize.
	PutRegistry(ctx context.Context, organization, documentID string, definitions []annotationapi.Definition) (Registry, error)
	// Forget removes all that is kept of a document.
	Forget(ctx context.Context, organization, documentID string) error
	// Expire removes up to limit Found that were used last before the time, and
	// returns how many.
	Expire(ctx context.Context, before int64, limit int) (int, error)
}

// The errors of a Store, beside those of its database.
var (
	ErrNotFound = errors.New("no such record")
	ErrTooLarge = fmt.Errorf("the record has more than %d bytes", MaxSize)
)

// Encode returns v, which is what of a record nothing is found by, as every Store
// keeps it. ErrTooLarge if that is over MaxSize.
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

// Decode is the reverse of Encode; v is a pointer.
func Decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode a record: %w", err)
	}
	return nil
}
