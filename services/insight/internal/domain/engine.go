// Package domain is what the insight service does: it gets at documents, lets an
// engine read them, tells what was found as it is found, and keeps it for a while.
// It knows no transport, no database and no rules.
package domain

import (
	"context"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
)

// Engine reads documents.
type Engine interface {
	// Version names the engine and everything that its answers depend on beside the
	// document and the request.
	Version() string
	// Analyze reads the first file of the material that can be read and answers the
	// requests. The same material and requests have the same answer.
	//
	// A *problem.Error of kind InvalidRequest is the document's own fault. Any other
	// error is not.
	Analyze(ctx context.Context, m Material, q Question, told Listener) (Analysis, error)
}

// Listener is told of what an Engine does, one call at a time.
type Listener interface {
	// Reached is called once for each of insightapi.Stages, in their order.
	Reached(stage string)
	// Answered is called once for each key that was asked for, in the order of
	// insightapi.Keys, when it is final in the answer so far.
	Answered(key insightapi.Type, sofar *insightapi.Answer)
}

// Question is what is asked of a document.
type Question struct {
	// Requests are those of insightapi.CreateRequest.
	Requests []insightapi.Request `json:"requests"`
	Context  string               `json:"context,omitzero"`
	// Organization is the name of who asks, "" where the answer does not depend on it.
	Organization string `json:"organization,omitzero"`
}

// Material is what is to be read.
type Material struct {
	// Principal is who asks.
	Principal contract.Principal `json:"-"`
	// Kind is how the request names it: DocText and URL are no stored documents.
	Kind insightapi.SourceKind `json:"kind"`
	// DocumentID, Name and VersionNumber are those of a stored document.
	DocumentID    string `json:"document_id,omitzero"`
	Name          string `json:"name,omitzero"`
	VersionNumber int    `json:"version_number,omitzero"`
	// Fields is a hash of the fields of a stored document, "" where nobody asks for
	// them.
	Fields string `json:"fields,omitzero"`
	// Files are where the bytes are. Of a text or a URL there is one, in a folder of
	// the object store of its own: what is made of it can be put beside it, and
	// goes with it.
	Files []documentapi.Content `json:"files"`
}

// Analysis is what an Engine has found.
type Analysis struct {
	// Answer is without SignedURL.
	Answer insightapi.Answer `json:"answer"`
	// Shown is what the signed URL leads to: the document as PDF, or the text.
	Shown Shown `json:"shown"`
}

// Shown names an object for clients.
type Shown struct {
	// Key is the object's.
	Key string `json:"key"`
	// Name and Type are what it is downloaded as.
	Name string `json:"name"`
	Type string `json:"type"`
	// Lifetime is how long the object is there, as its owner says. The zero Lifetime is
	// that of one that stays as long as what was found.
	Lifetime conversionapi.Lifetime `json:"lifetime,omitzero"`
}
