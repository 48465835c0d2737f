package domain

import "context"

// Fingerprint is what is kept of the text of a stored document, to find documents with
// similar texts.
type Fingerprint struct {
	DocumentID string
	// Version is the version of the document that was read.
	Version int
	// Source identifies the bytes that were read, and what read them.
	Source string
	// Signature is the signature of the text, for comparison. Fingerprints that may be
	// similar share one of the Keys.
	Signature []byte
	Keys      []int64
}

// Fingerprints stores one fingerprint for each document. Every implementation is also a
// Store, whose Forget removes the fingerprint of a document as well. Package storetest is
// its specification.
type Fingerprints interface {
	// KeepFingerprint stores a fingerprint, replacing that of the same or an earlier version
	// of the document. It has no effect if there is one of a later version.
	//
	// The store does not know whether the document still exists. To leave nothing of a
	// purged document, the caller must look for the document again afterwards, and call
	// ForgetFingerprint if it is gone.
	KeepFingerprint(ctx context.Context, organization string, f Fingerprint) error
	// Fingerprint returns the fingerprint of a document without its Keys, or ErrNotFound.
	Fingerprint(ctx context.Context, organization, documentID string) (Fingerprint, error)
	// Candidates returns the fingerprints of an organization that have one of the keys, by
	// document id, without their Keys. If more than limit fingerprints have the same key, it
	// considers only limit of them for this key. limit is at least 1.
	Candidates(ctx context.Context, organization string, keys []int64, limit int) ([]Fingerprint, error)
	// ForgetFingerprint removes the fingerprint of a document, if there is one.
	ForgetFingerprint(ctx context.Context, organization, documentID string) error
}
