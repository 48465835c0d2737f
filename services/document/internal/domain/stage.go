package domain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
)

const (
	// partTTL is how long the URL of a staged part is valid. The gateway already holds
	// the part in memory when it requests the URL.
	partTTL = 5 * time.Minute
	// sealedAtOnce is how many files of one document are sealed concurrently.
	sealedAtOnce = 4
)

// Stage returns the URL for uploading one part of a file before its document exists.
func (s *Service) Stage(ctx context.Context, p contract.Principal, r documentapi.StageRequest) (documentapi.StageResponse, error) {
	if err := r.Validate(); err != nil {
		return documentapi.StageResponse{}, err
	}
	if err := s.KeepIncoming(ctx); err != nil {
		return documentapi.StageResponse{}, blob.Unavailable(err)
	}
	u, err := s.objects.PresignInternalPut(ctx, documentapi.StagedKey(p.Organization, r.DocumentID, r.FileID, r.Part), partTTL)
	return documentapi.StageResponse{URL: u.URL, MaxContent: s.cfg.MaxContent}, err
}

// Discard removes what was staged for a document that will not be created. None of it is
// sealed.
func (s *Service) Discard(ctx context.Context, p contract.Principal, r documentapi.DiscardRequest) (documentapi.DiscardResponse, error) {
	if err := (documentapi.StageRequest{DocumentID: r.DocumentID, FileID: r.DocumentID}).Validate(); err != nil {
		return documentapi.DiscardResponse{}, err
	}
	return documentapi.DiscardResponse{}, s.objects.RemoveAll(ctx, documentapi.UploadKey(p.Organization, r.DocumentID, ""))
}

// createStaged stores a document whose files are staged. It seals the files before it
// writes the record, so that the document is never visible without them.
//
// If it fails in between, the sweep cleans up: as long as sealed bytes may belong to no
// record, a staged object carries their ids.
func (s *Service) createStaged(ctx context.Context, p contract.Principal, d Document, staged documentapi.Staged) (documentapi.Document, error) {
	answer := documentapi.GetRequest{DocumentID: d.ID, Version: documentapi.Version{Number: 1, Given: true}}
	if _, err := s.store.Get(ctx, d.Organization, d.ID); err == nil {
		return s.Get(ctx, p, answer) // the caller discards what it staged
	} else if !errors.Is(err, ErrNotFound) {
		return documentapi.Document{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.UploadGrace/2)
	defer cancel()
	if err := s.sealStaged(ctx, &d, staged); err != nil {
		// An abandoned put may still complete: then the sweep decides.
		if isRefusal(err) {
			s.dropUnclaimed(ctx, d, staged)
		}
		return documentapi.Document{}, err
	}
	err := s.store.Create(ctx, d.Organization, d)
	if err != nil && !errors.Is(err, ErrExists) {
		return documentapi.Document{}, err // the record may still exist: the sweep decides
	}
	s.notify()
	if err != nil { // a concurrent repeat of the same request was faster
		s.dropUnclaimed(ctx, d, staged)
	} else {
		s.dropStaged(ctx, d, staged)
	}
	return s.Get(ctx, p, answer)
}

// sealStaged seals the files of a new document from their parts. If several files fail,
// it prefers to return an error that is not a refusal.
func (s *Service) sealStaged(ctx context.Context, d *Document, staged documentapi.Staged) error {
	files := d.Versions[0].Files
	for i, f := range staged.Files {
		if f.Size > s.cfg.MaxContent {
			return problem.New(problem.TooLarge, "File %d has %d bytes. A file may have at most %d.", i+1, f.Size, s.cfg.MaxContent)
		}
	}
	var group errgroup.Group // without a context: a canceled put may still complete
	group.SetLimit(sealedAtOnce)
	failures := make([]error, len(files))
	for i := range files {
		files[i].ID = staged.Files[i].ID
		group.Go(func() error {
			files[i].Seal, failures[i] = s.sealParts(ctx, *d, files[i], staged.DocumentID, staged.Files[i])
			return nil
		})
	}
	_ = group.Wait() // errors are in failures
	var failure error
	for _, err := range failures {
		if err != nil && (failure == nil || isRefusal(failure)) {
			failure = err
		}
	}
	if failure != nil {
		return failure
	}
	for _, f := range files {
		d.record(documentapi.EventSealed, f.SealedAt)
	}
	return nil
}

// isRefusal reports whether an error guarantees that nothing was stored, because the
// request is invalid.
func isRefusal(err error) bool {
	return problem.Is(err, problem.InvalidRequest) || problem.Is(err, problem.TooLarge)
}

// sealParts copies the parts of a staged file to its content object.
func (s *Service) sealParts(ctx context.Context, d Document, f File, stagedFor string, staged documentapi.StagedFile) (Seal, error) {
	if stagedFor != d.ID { // the sweep needs an object with the ids of the content
		if err := s.objects.Put(ctx, documentapi.StagedKey(d.Organization, d.ID, f.ID, 0), strings.NewReader(""), 0, ""); err != nil {
			return Seal{}, blob.Unavailable(err)
		}
	}
	h := checksum.New()
	parts := &partReader{parts: staged.Parts(), open: func(part int64) (io.ReadCloser, error) {
		return s.openPart(ctx, documentapi.StagedKey(d.Organization, stagedFor, f.ID, part))
	}}
	defer func() { _ = parts.Close() }() // already read to the end, or failed
	err := s.objects.PutOnce(ctx, d.contentKey(f), io.TeeReader(parts, h), staged.Size, f.Type)
	var told *problem.Error
	switch {
	case errors.As(parts.failed, &told):
		return Seal{}, told
	case errors.Is(err, blob.ErrExists): // this request was sent to two instances
		seal, err := s.awaitContent(ctx, d, f)
		if errors.Is(err, errHidden) {
			err = blob.Unavailable(err)
		}
		return seal, err
	case err != nil:
		return Seal{}, blob.Unavailable(fmt.Errorf("seal staged file %s of document %s: %w", f.ID, d.ID, errors.Join(parts.failed, err)))
	}
	return s.newSeal(h, staged.Size), nil
}

// openPart returns a reader of a staged part. If the sweep has removed the part, or may
// remove it before the file is sealed, the upload took too long.
func (s *Service) openPart(ctx context.Context, key string) (io.ReadCloser, error) {
	late := problem.New(problem.InvalidRequest,
		"The upload took longer than %s, which is the limit. Send the request again, over a faster connection or with fewer files.", s.cfg.UploadTTL)
	body, object, err := s.objects.Get(ctx, key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, late.Because(err)
	case err != nil:
		return nil, err
	case s.now().Sub(object.Modified) > s.cfg.UploadTTL:
		return nil, errors.Join(late, body.Close())
	}
	return body, nil
}

// partReader reads the parts of a staged file one after the other.
type partReader struct {
	open    func(part int64) (io.ReadCloser, error)
	parts   int64
	next    int64
	current io.ReadCloser // nil before and between parts
	failed  error         // the error of the last Read, other than io.EOF
}

// Read implements io.Reader.
func (p *partReader) Read(b []byte) (n int, err error) {
	for n == 0 && err == nil {
		switch {
		case p.current != nil:
			if n, err = p.current.Read(b); errors.Is(err, io.EOF) {
				err = p.Close()
			}
		case p.next == p.parts:
			return 0, io.EOF
		default:
			p.current, err = p.open(p.next)
			p.next++
		}
	}
	p.failed = err
	return n, err
}

// Close implements io.Closer.
func (p *partReader) Close() error {
	if p.current == nil {
		return nil
	}
	err := p.current.Close()
	p.current = nil
	return err
}

// dropUnclaimed removes what was sealed and staged for d, unless a document uses it. On
// failure, the sweep removes it.
func (s *Service) dropUnclaimed(ctx context.Context, d Document, staged documentapi.Staged) {
	ctx = context.WithoutCancel(ctx)
	current, err := s.store.Get(ctx, d.Organization, d.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return
	}
	for _, f := range d.Versions[0].Files {
		if current.file(f.ID) == nil {
			s.dropUpload(ctx, d.contentKey(f))
		}
	}
	s.dropStaged(ctx, d, staged)
}

// dropStaged removes the staged parts of a document. On failure, the sweep removes them.
func (s *Service) dropStaged(ctx context.Context, d Document, staged documentapi.Staged) {
	ctx = context.WithoutCancel(ctx)
	for _, f := range staged.Files {
		for part := range f.Parts() {
			s.dropUpload(ctx, documentapi.StagedKey(d.Organization, staged.DocumentID, f.ID, part))
		}
		if staged.DocumentID != d.ID {
			s.dropUpload(ctx, documentapi.StagedKey(d.Organization, d.ID, f.ID, 0))
		}
	}
}

// sweepStaged removes a staged part once no request can need it, and the content sealed
// from it if no document has it.
func (s *Service) sweepStaged(ctx context.Context, o blob.Object, staged documentapi.Upload) error {
	if s.now().Sub(o.Modified) <= s.cfg.UploadTTL+s.cfg.UploadGrace {
		return nil
	}
	d, err := s.store.Get(ctx, staged.Organization, staged.Document)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if d.file(staged.File) == nil {
		if err := s.objects.Remove(ctx, documentapi.ContentKey(staged.Organization, staged.Document, staged.File)); err != nil {
			return err
		}
	}
	return s.objects.Remove(ctx, o.Key)
}
