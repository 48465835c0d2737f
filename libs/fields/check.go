package fields

import (
	"context"
	"errors"

	"github.com/rectohq/recto/libs/problem"
)

// Value is a value that was sent for a field, before it is known whether the
// field takes it.
type Value struct {
	// Items are the strings of the value: one, unless it is a List.
	Items []Encoded
	// List is set if the value was sent as an array.
	List bool
}

// Encoded is a string of a request as it stands in its JSON text: images are
// too large to be copied, so that they are decoded where they are read.
type Encoded struct {
	// JSON is the text between the quotes, with its escapes.
	JSON []byte
}

// Checker holds values against fields. Several goroutines may use it at once.
type Checker struct{}

// Check returns what v becomes in the field f, or every rule that it breaks. The
// error is that of ctx, while an image waits to be decoded; values are judged
// without one.
func (c *Checker) Check(ctx context.Context, f Field, v Value) (Filling, []problem.Fault, error) {
	return Filling{}, nil, errors.New("not built")
}
