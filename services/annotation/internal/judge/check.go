// Package judge parses the values of a request to fill a document, and validates each
// against its field: its grammar, its options, its bounds and its images. It depends on
// no file format.
package judge

import (
	"context"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/picture"
	"github.com/rectohq/recto/libs/problem"
)

// maxText is the limit on the value of any field, in characters.
const maxText = 100_000

// Value is a value sent for a field, before it was validated.
type Value struct {
	// Items are the strings of the value: exactly one unless List is set.
	Items []Encoded
	// List is set if the value was sent as an array.
	List bool
}

// cleared reports whether v is an empty string or an empty list.
func (v Value) cleared() bool {
	return len(v.Items) == 0 || !v.List && len(v.Items[0].JSON) == 0
}

// Checker validates values against fields. It is safe for concurrent use. A process must
// share one Checker, because it bounds the memory used for images. The zero Checker is
// ready to use.
type Checker struct {
	pictures picture.Checker
}

// Check returns what v becomes in the field f, or every rule that it breaks, in a stable
// order. It fails only if ctx ends before an image is decoded, with the error of ctx.
func (c *Checker) Check(ctx context.Context, f fields.Field, v Value) (fields.Filling, []problem.Fault, error) {
	switch {
	case f.Type == fields.Checkbox:
		filling, faults := checkSelection(f, v)
		return filling, faults, nil
	case f.Type == fields.Image || f.Type == fields.Signature && v.holdsImages():
		return c.checkImages(ctx, f, v)
	case v.List || len(v.Items) != 1:
		return fields.Filling{}, []problem.Fault{notOne(f.Type)}, nil
	}
	filling, faults := checkOne(f, v.Items[0])
	return filling, faults, nil
}

// notOne returns the fault for an array in place of a single string.
func notOne(t fields.Type) problem.Fault {
	f := problem.Fault{
		Code: problem.CodeInvalidType, Message: "must be a string, not an array",
		Resolution: "Send one string.",
	}
	if t == fields.Signature {
		f.Message = "must be a string, or an array of images"
		f.Resolution = `Send the text of the signature as one string, or images of the form "data:image/png;base64,…".`
	}
	return f
}

// checkOne validates the single string of a field.
func checkOne(f fields.Field, e Encoded) (fields.Filling, []problem.Fault) {
	text, ok := e.Text(maxText)
	if !ok {
		return fields.Filling{}, []problem.Fault{tooLong(maxText)}
	}
	if f.Type == fields.Dropdown || f.Type == fields.Gender {
		return checkChoice(f, text)
	}
	if fault := checkCharacters(text); fault != nil {
		return fields.Filling{}, []problem.Fault{*fault}
	}
	if f.Type.IsText() {
		text = lines.Replace(text)
	}
	faults := checkGrammar(f.Type, text)
	if f.Type.HasLength() {
		faults = append(faults, checkLength(f, text)...)
	}
	if len(faults) > 0 {
		return fields.Filling{}, faults
	}
	return fields.Filling{Type: f.Type, Text: text}, nil
}
