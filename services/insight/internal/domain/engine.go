// Package domain implements the insight service: it obtains documents, lets an engine
// read them, reports findings as they are made, and keeps them for a while. It depends on
// no transport, no database and no rules.
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
	// Version names what reads the documents of an organization, and everything its answers
	// depend on except the document and the request.
	Version(organization string) string
	// Analyze reads the first readable file of the material and answers the requests. The
	// same material and requests give the same answer, except for MatchingDocuments, which
	// only the tries of one job agree on.
	//
	// A *problem.Error with code InvalidRequest is the document's fault. Any other error
	// is not; the job is tried again unless the error says otherwise.
	Analyze(ctx context.Context, m Material, q Question, told Listener) (Analysis, error)
}

// Listener receives the progress of an Engine. Its methods are never called concurrently.
type Listener interface {
	// Idle calls wait, which waits for another service. Meanwhile this process may read
	// another document. Idle returns the error of wait, or one of its own if the Engine may
	// not go on.
	Idle(ctx context.Context, wait func() error) error
	// Progressed is called with the share of the next key that is done, from 0 to 1. It
	// may be called in an Idle.
	Progressed(share float64)
	// Reached and Answered are called in the order of insightapi.Steps. Reached is called once
	// for each of insightapi.Stages.
	Reached(stage string)
	// Answered is called once for each requested key, when the key is final in the answer so
	// far.
	Answered(key insightapi.Type, sofar *insightapi.Answer)
}

// Question is what a request asks about a document.
type Question struct {
	// Requests are those of insightapi.CreateRequest.
	Requests []insightapi.Request `json:"requests"`
	Context  string               `json:"context,omitzero"`
	// Organization is the name of the caller's organization, "" if the answer does not
	// depend on it.
	Organization string `json:"organization,omitzero"`
	// User is the id of the caller's user, "" if the answer does not depend on what the user
	// may see.
	User string `json:"user,omitzero"`
}

// Job identifies the job that an Engine works for.
type Job struct {
	ID string
	// Try counts the tries of the job, from 1.
	Try int
}

// Material is what an Engine reads: a stored document, a text, or a fetched file.
type Material struct {
	Job Job `json:"-"`
	// Principal is the caller.
	Principal contract.Principal `json:"-"`
	// Kind is the kind of source that the request names. DocText and URL are not stored
	// documents.
	Kind insightapi.SourceKind `json:"kind"`
	// DocumentID, Name and VersionNumber are those of a stored document.
	DocumentID    string `json:"document_id,omitzero"`
	Name          string `json:"name,omitzero"`
	VersionNumber int    `json:"version_number,omitzero"`
	// Fields is a hash of the field registry of a stored document, "" if the request does not
	// ask for fields.
	Fields string `json:"fields,omitzero"`
	// Files says where the bytes are. A text or a URL has one file, in its own folder in
	// the object store: files derived from it can be put next to it, and are removed
	// with it.
	Files []documentapi.Content `json:"files"`
}

// Analysis is the result of an Engine.
type Analysis struct {
	// Answer has no SignedURL.
	Answer insightapi.Answer `json:"answer"`
	// Shown is the object that SignedURL leads to: the document as PDF, or the text.
	Shown Shown `json:"shown"`
	// Degraded reports that the language model which was to be asked was not available. The
	// analysis answers its request, but not the same request later.
	Degraded bool `json:"degraded,omitzero"`
}

// Shown identifies an object that clients can download.
type Shown struct {
	// Key is the key of the object.
	Key string `json:"key"`
	// Name and Type are the file name and media type of the download.
	Name string `json:"name"`
	Type string `json:"type"`
	// Lifetime is how long the object exists, according to its owner. The zero Lifetime
	// means as long as the insights.
	Lifetime conversionapi.Lifetime `json:"lifetime,omitzero"`
}
