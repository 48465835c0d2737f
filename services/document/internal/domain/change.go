package domain

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

const (
	// maxTries bounds how often a change is retried after a concurrent one won. Each
	// conflict means that another change was made, so this is in effect the length of a
	// queue.
	maxTries = 100
	// longestPause bounds the wait before a retry. A database that reads what a majority
	// of its members has stored shows the winning change only a moment later; without a
	// pause all retries could fall into that moment.
	longestPause = 50 * time.Millisecond
)

// pause waits before a retry, longer after more tries.
func pause(ctx context.Context, tries int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(min(time.Duration(tries+1)*2*time.Millisecond, longestPause))):
		return nil
	}
}

// change applies apply to the record of a document and stores it. After a conflict with a
// concurrent change it starts over, so apply may be called several times.
func (s *Service) change(ctx context.Context, p contract.Principal, id string, apply func(*Document) error) (Document, error) {
	for tries := range maxTries {
		d, err := s.find(ctx, p, id, Edit)
		if err != nil {
			return d, err
		}
		if len(d.Outbox) >= MaxOutbox {
			return d, problem.New(problem.Unavailable,
				"Document %s has too many changes that other services have not received. Retry later.", d.ID).After(retryAfter)
		}
		if err := apply(&d); err != nil {
			return d, err
		}
		err = s.store.Replace(ctx, p.Organization, d)
		switch {
		case err == nil:
			s.notify()
			return d, nil
		case !errors.Is(err, ErrConflict):
			return d, err
		}
		if err := pause(ctx, tries); err != nil {
			return d, err
		}
	}
	return Document{}, problem.New(problem.Unavailable, "Too many requests change document %s at the same time. Retry later.", id).After(retryAfter)
}

// Update changes the name or state of a document. Before a document becomes an agreement,
// its uploads are sealed.
func (s *Service) Update(ctx context.Context, p contract.Principal, r documentapi.UpdateRequest) (documentapi.Document, error) {
	if err := r.Validate(); err != nil {
		return documentapi.Document{}, err
	}
	if r.State == documentapi.Agreement {
		contents, err := s.Contents(ctx, p, documentapi.GetRequest{DocumentID: r.DocumentID})
		if err == nil {
			err = checkUploads(contents)
		}
		if err != nil {
			return documentapi.Document{}, err
		}
	}
	d, err := s.change(ctx, p, r.DocumentID, func(d *Document) error {
		if err := documentapi.CheckTransition(d.State, r.State); err != nil {
			return err
		}
		if r.Name != "" {
			d.Name = r.Name
		}
		if r.State != "" {
			d.State = r.State
		}
		d.update(s.now().UnixMilli(), r.UpdatedBy)
		d.record(documentapi.EventUpdated, d.UpdatedAt)
		return nil
	})
	if err != nil {
		return documentapi.Document{}, err
	}
	return d.Summary(), nil
}

// checkUploads returns an error if an upload in the contents is unusable.
func checkUploads(contents documentapi.ContentsResponse) error {
	var faults []string
	for _, f := range contents.Files {
		if f.Fault != "" && f.Fault != documentapi.NotUploaded {
			faults = append(faults, f.Name+" "+f.Fault)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return problem.New(problem.InvalidRequest, "Version %d of the document cannot become an agreement: %s.",
		contents.VersionNumber, strings.Join(faults, "; "))
}

// update records who changed the document, and when. UpdatedAt never decreases, whatever
// the clock says.
func (d *Document) update(at int64, by contract.User) {
	d.UpdatedAt = max(at, d.UpdatedAt)
	d.UpdatedBy = by
}

// Delete deletes a document and returns its last state. It becomes invisible immediately,
// and is purged later.
func (s *Service) Delete(ctx context.Context, p contract.Principal, r documentapi.DeleteRequest) (documentapi.Document, error) {
	d, err := s.change(ctx, p, r.DocumentID, func(d *Document) error {
		d.DeletedAt = s.now().UnixMilli()
		d.record(documentapi.EventDeleted, d.DeletedAt)
		return nil
	})
	if err != nil {
		return documentapi.Document{}, err
	}
	return d.Summary(), nil
}

// CreateVersion adds a version, whose files are yet to be uploaded, to a draft. Version
// numbers are unique even under concurrent requests. A request whose Token was used
// before gets the version created then, even if the document has become an agreement
// since.
func (s *Service) CreateVersion(ctx context.Context, p contract.Principal, r documentapi.CreateVersionRequest) (documentapi.Document, error) {
	if err := r.Validate(); err != nil {
		return documentapi.Document{}, err
	}
	var added Version
	d, err := s.change(ctx, p, r.DocumentID, func(d *Document) error {
		if v, ok := d.versionOf(r.Token); ok {
			added = v
			return nil
		}
		// Checked here, against the revision that is replaced: a concurrent change to an
		// agreement wins.
		if err := documentapi.CheckNewVersion(d.ID, d.State); err != nil {
			return err
		}
		latest := d.Versions[len(d.Versions)-1].Number
		if latest >= MaxVersions {
			return problem.New(problem.InvalidRequest, "Document %s has reached the limit of %d versions. Create a new document.", d.ID, MaxVersions)
		}
		d.update(s.now().UnixMilli(), r.UpdatedBy)
		added = newVersion(latest+1, r.Files, d.UpdatedAt, r.UpdatedBy, r.Token)
		d.Versions = append(d.Versions, added)
		if d.Size() > MaxSize {
			return problem.New(problem.InvalidRequest, "Document %s has reached the limit for its versions and files. Create a new document.", d.ID)
		}
		d.record(documentapi.EventVersioned, d.UpdatedAt)
		return nil
	})
	if err != nil {
		return documentapi.Document{}, err
	}
	answer, err := s.uploads(ctx, d, added)
	answer.VersionNumber = added.Number
	return answer, err
}

// versionOf returns the version created by the request with the token.
func (d Document) versionOf(token string) (Version, bool) {
	for _, v := range d.Versions {
		if token != "" && v.Token == token {
			return v, true
		}
	}
	return Version{}, false
}

// ListVersions returns a page of the versions of a document, latest first.
func (s *Service) ListVersions(ctx context.Context, p contract.Principal, r documentapi.VersionsRequest) (documentapi.VersionsResponse, error) {
	if err := r.Validate(); err != nil {
		return documentapi.VersionsResponse{}, err
	}
	d, err := s.find(ctx, p, r.DocumentID, View)
	if err != nil {
		return documentapi.VersionsResponse{}, err
	}
	total := int64(len(d.Versions))
	answer := documentapi.VersionsResponse{
		Items: []documentapi.VersionSummary{}, Total: total, Page: r.Page, Size: r.Size, Pages: pages(total, r.Size),
	}
	for n := (r.Page - 1) * int64(r.Size); n < min(r.Page*int64(r.Size), total); n++ {
		answer.Items = append(answer.Items, d.Versions[total-1-n].summary())
	}
	return answer, nil
}

// summary returns the version as lists show it.
func (v Version) summary() documentapi.VersionSummary {
	answer := documentapi.VersionSummary{VersionNumber: v.Number, CreatedAt: v.CreatedAt, CreatedBy: v.CreatedBy}
	for _, f := range v.Files {
		file := documentapi.VersionFile{ID: f.ID, Name: f.Name, Type: f.Type}
		if f.SealedAt != 0 {
			file.Size, file.SHA256 = &f.Size, &f.SHA256
		}
		answer.Files = append(answer.Files, file)
	}
	return answer
}
