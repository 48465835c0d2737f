package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// retryAfter is the retry delay for callers after too many conflicts.
const retryAfter = time.Second

// mayBeUploaded reports whether there may be uploads of the version to seal: some file is
// not sealed, and less than UploadGrace has passed since its upload URL expired.
func (s *Service) mayBeUploaded(v Version) bool {
	end := time.UnixMilli(v.CreatedAt).Add(s.cfg.UploadTTL + s.cfg.UploadGrace)
	return s.now().Before(end) && slices.ContainsFunc(v.Files, func(f File) bool { return f.SealedAt == 0 })
}

// sealVersion seals the uploads of a version. It returns the version with its seals, and
// for each file why it is not sealed, or "".
func (s *Service) sealVersion(ctx context.Context, d Document, v Version) (Version, []string, error) {
	sealed := v
	sealed.Files = slices.Clone(v.Files)
	faults := make([]string, len(v.Files))
	for i, f := range v.Files {
		if f.SealedAt != 0 {
			continue
		}
		var err error
		if sealed.Files[i].Seal, faults[i], err = s.seal(ctx, d, f); err != nil {
			return v, nil, err
		}
	}
	return sealed, faults, nil
}

// seal fixes the uploaded bytes of a file permanently: it copies them, once, to where
// clients cannot write, and adds the seal to the record by compare-and-set. Concurrent
// sealers, and sealers that take over from one that died, arrive at the same result. The
// fault says why there is nothing to seal.
func (s *Service) seal(ctx context.Context, d Document, f File) (Seal, string, error) {
	r, joined, err := s.sealShared(ctx, d, f)
	if err == nil && joined && r.fault != "" {
		// The sealing that this call joined may have begun before the upload ended. The next
		// one begins after it.
		r, _, err = s.sealShared(ctx, d, f)
	}
	if err != nil {
		return Seal{}, "", err
	}
	return r.seal, r.fault, nil
}

// sealing is what came of an attempt to seal a file.
type sealing struct {
	seal  Seal
	fault string
}

// sealShared is like seal. Concurrent callers share one attempt, and wait for it as long as
// their contexts allow. joined means that another caller had begun it.
func (s *Service) sealShared(ctx context.Context, d Document, f File) (r sealing, joined bool, err error) {
	began := false // by this call; read only when the attempt has ended
	attempt := s.sealing.DoChan(f.ID, func() (any, error) {
		began = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sealTimeout)
		defer cancel()
		return s.sealNow(ctx, d, f)
	})
	select {
	case <-ctx.Done():
		return sealing{}, false, ctx.Err()
	case got := <-attempt:
		if got.Err != nil {
			return sealing{}, !began, fmt.Errorf("seal file %s of document %s: %w", f.ID, d.ID, got.Err)
		}
		r, _ = got.Val.(sealing)
		return r, !began, nil
	}
}

// sealNow attempts to seal a file.
func (s *Service) sealNow(ctx context.Context, d Document, f File) (r sealing, err error) {
	r.seal, r.fault, err = s.copyUpload(ctx, d, f)
	for tries := 0; errors.Is(err, errReplaced) && tries < maxTries; tries++ {
		r.seal, r.fault, err = s.copyUpload(ctx, d, f)
	}
	if err != nil {
		return sealing{}, err
	}
	if r.fault != "" { // another sealer may have sealed and removed it
		r.seal, err = s.sealOf(ctx, d, f)
	} else {
		r.seal, err = s.applySeal(ctx, d, f, r.seal)
	}
	switch {
	case r.seal.SealedAt != 0:
		r.fault = ""
	case r.fault == "":
		r.fault = "no longer exists"
	}
	return r, err
}

// sealTimeout bounds the copying of one file.
const sealTimeout = time.Minute

// applySeal writes the seal into the record, unless it has one, and removes the upload.
// It returns the seal of the record, or the zero Seal if the record is gone.
func (s *Service) applySeal(ctx context.Context, d Document, f File, seal Seal) (Seal, error) {
	for tries := range maxTries {
		current, err := s.store.Get(ctx, d.Organization, d.ID)
		if errors.Is(err, ErrNotFound) {
			return Seal{}, s.objects.Remove(ctx, d.contentKey(f))
		}
		if err != nil {
			return Seal{}, err
		}
		file := current.file(f.ID)
		if file == nil || file.SealedAt != 0 {
			return fileSeal(file), nil
		}
		file.Seal = seal
		current.record(documentapi.EventSealed, seal.SealedAt)
		err = s.store.Replace(ctx, d.Organization, current)
		if err == nil {
			s.notify()
			s.dropUpload(ctx, d.incomingKey(f))
			return seal, nil
		}
		if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrNotFound) {
			return Seal{}, err
		}
		if err := pause(ctx, tries); err != nil {
			return Seal{}, err
		}
	}
	return Seal{}, ErrConflict
}

// fileSeal returns the seal of a file, or the zero Seal for nil.
func fileSeal(f *File) Seal {
	if f == nil {
		return Seal{}
	}
	return f.Seal
}

// sealOf returns the seal in the current record, or the zero Seal.
func (s *Service) sealOf(ctx context.Context, d Document, f File) (Seal, error) {
	current, err := s.store.Get(ctx, d.Organization, d.ID)
	if errors.Is(err, ErrNotFound) {
		return Seal{}, nil
	}
	if err != nil {
		return Seal{}, err
	}
	return fileSeal(current.file(f.ID)), nil
}

// file returns the file with the id from any version, or nil. The caller may modify it:
// versions are copied with the record.
func (d Document) file(id string) *File {
	for _, v := range d.Versions {
		for i := range v.Files {
			if v.Files[i].ID == id {
				return &v.Files[i]
			}
		}
	}
	return nil
}

// dropUpload removes an upload that is no longer needed. On failure, the sweep removes
// it.
func (s *Service) dropUpload(ctx context.Context, key string) {
	if err := s.objects.Remove(ctx, key); err != nil {
		s.log.DebugContext(ctx, "an upload was not removed; the sweep will remove it", "key", key, "error", err)
	}
}
