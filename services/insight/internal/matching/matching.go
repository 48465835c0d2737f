// Package matching finds the documents of an organization whose texts are similar. It owns
// when the text of a stored document gets a fingerprint, which documents match a text, and
// how the answer describes them. Package similar defines similarity.
package matching

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/similar"
)

// Store stores fingerprints, and the matches of jobs that have not ended.
type Store interface {
	domain.Fingerprints
	domain.Completions
}

// Deps holds the dependencies of an Index.
type Deps struct {
	Store    Store
	Document domain.Document
	Contents domain.Contents
	// Status asks the document service whether a document was deleted.
	Status job.Status
	// Prepare readies what Plain needs, so that no file waits for it.
	Prepare func(context.Context) error
	// Plain returns the text of the first readable one of some files, and that file. A
	// *problem.Error with code InvalidRequest says why there is none.
	Plain func(ctx context.Context, files []documentapi.Content) (documentapi.Content, string, error)
	Log   *slog.Logger
}

// Index knows the texts of stored documents.
type Index struct{ Deps }

// New returns an Index.
func New(deps Deps) *Index { return &Index{deps} }

const (
	// readTime is how long the text of a sealed file may take to be read, and readTries how
	// often that is tried. Files that take longer are left to requests for insights.
	readTime  = 12 * time.Second
	readTries = 3
)

// Sealed returns a handler for the event that a file of a document was sealed: it records
// the text of the document. free waits until this process has time for it. The handler is
// not called concurrently. It fails once life ends.
//
// A document that cannot be read has no fingerprint, or keeps that of an earlier version,
// until a request for insights reads it.
func (x *Index) Sealed(life context.Context, free func(context.Context) error) func(context.Context, contract.Event) error {
	slow := map[string]int{} // how often events were too slow; handlers of events run one at a time
	return func(ctx context.Context, e contract.Event) error {
		reading, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
		// The event names no user. A document that only some users may see is recorded when
		// one of them requests insights about it.
		p := contract.Principal{Organization: e.Organization}
		f, err := x.read(reading, p, e.Subject, free)
		if errors.Is(err, errTooSlow) && slow[e.ID] < readTries-1 {
			slow[e.ID]++
			return err
		}
		delete(slow, e.ID)
		switch {
		case problem.Is(err, problem.DocumentNotFound):
			return x.Store.ForgetFingerprint(ctx, e.Organization, e.Subject)
		case problem.Is(err, problem.InvalidRequest) || errors.Is(err, errTooSlow):
			x.Log.DebugContext(ctx, "a document has no fingerprint", "document", e.Subject, "error", err)
			return nil
		case err != nil || f.Signature == nil:
			return err
		}
		return x.record(ctx, p, f)
	}
}

// errTooSlow is the cause of a reading that takes longer than readTime.
var errTooSlow = errors.New("reading takes too long")

// read returns the fingerprint of the latest version of a document. It has no Signature if
// it is stored already, or if the document has no words.
func (x *Index) read(ctx context.Context, p contract.Principal, documentID string, free func(context.Context) error) (domain.Fingerprint, error) {
	contents, err := x.Contents(ctx, p, documentapi.GetRequest{DocumentID: documentID})
	if err != nil {
		return domain.Fingerprint{}, err
	}
	kept, err := x.Store.Fingerprint(ctx, p.Organization, documentID)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return domain.Fingerprint{}, err
	}
	if err == nil && kept.Version == contents.VersionNumber && isFirst(kept.Source, contents.Files) {
		return domain.Fingerprint{}, nil
	}
	if err := errors.Join(x.Prepare(ctx), free(ctx)); err != nil {
		return domain.Fingerprint{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readTime, errTooSlow)
	defer cancel()
	file, text, err := x.Plain(pdf.WithOwner(ctx, p.Organization), contents.Files)
	if err != nil && errors.Is(context.Cause(ctx), errTooSlow) {
		err = errTooSlow
	}
	if err != nil {
		return domain.Fingerprint{}, err
	}
	return fingerprint(p.Organization, documentID, contents.VersionNumber, file, text), nil
}

// isFirst reports whether a fingerprint is of the first usable file.
func isFirst(kept string, files []documentapi.Content) bool {
	for _, f := range files {
		if f.Fault == "" {
			return kept == sourceOf(f)
		}
	}
	return false
}

// sourceOf returns the Source of the fingerprint of a file.
func sourceOf(f documentapi.Content) string { return similar.Version + " " + f.SHA256 }

// fingerprint returns the fingerprint of a text. It has no Signature if the text has no
// words.
func fingerprint(organization, documentID string, version int, file documentapi.Content, text string) domain.Fingerprint {
	f := domain.Fingerprint{DocumentID: documentID, Version: version, Source: sourceOf(file)}
	if s, ok := similar.Of(text); ok {
		f.Signature, f.Keys = s.Encode(), s.Keys(organization)
	}
	return f
}

// Add records the text that was read from a file of a stored document, unless that has been
// done.
func (x *Index) Add(ctx context.Context, m domain.Material, file documentapi.Content, text string) error {
	if m.DocumentID == "" {
		return nil
	}
	kept, err := x.Store.Fingerprint(ctx, m.Principal.Organization, m.DocumentID)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	if err == nil && (kept.Version > m.VersionNumber || kept.Version == m.VersionNumber && kept.Source == sourceOf(file)) {
		return nil
	}
	f := fingerprint(m.Principal.Organization, m.DocumentID, m.VersionNumber, file, text)
	if f.Signature == nil {
		return nil
	}
	return x.record(ctx, m.Principal, f)
}

// recordTime is how long it may take to store a fingerprint.
const recordTime = 15 * time.Second

// record stores a fingerprint, and removes it if the document was deleted meanwhile. Nothing
// remains of a purged document: either it is deleted before this looks at it, or the purge
// removes the fingerprint.
func (x *Index) record(ctx context.Context, p contract.Principal, f domain.Fingerprint) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	if err := x.Store.KeepFingerprint(ctx, p.Organization, f); err != nil {
		return err
	}
	deleted, err := x.Status(ctx, p, f.DocumentID)
	if deleted || problem.Is(err, problem.DocumentNotFound) {
		return x.Store.ForgetFingerprint(ctx, p.Organization, f.DocumentID)
	}
	return err
}
