package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// retryAfter is what a caller is told to wait when others were faster.
const retryAfter = time.Second

// mayBeUploaded reports whether there may be an upload of the version to be
// sealed: a file is not, and its URL has not ended long ago.
func (s *Service) mayBeUploaded(v Version) bool {
	end := time.UnixMilli(v.CreatedAt).Add(s.cfg.UploadTTL + s.cfg.UploadGrace)
	return s.now().Before(end) && slices.ContainsFunc(v.Files, func(f File) bool { return f.SealedAt == 0 })
}

// sealVersion seals what has been uploaded of a version, and returns the version
// with its seals, and for each file why it has none, "" if it has one.
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

// seal makes the bytes that have been uploaded for a file those that it has for
// ever: they are copied, once, to where nobody can put anything, and the record
// is told by compare-and-set. Several sealers, and those that come after one that
// died, do the same thing. The fault says why there is nothing to seal.
func (s *Service) seal(ctx context.Context, d Document, f File) (Seal, string, error) {
	type result struct {
		seal  Seal
		fault string
	}
	// Whoever comes while the bytes are being copied waits for that copy, for as
	// long as they have time.
	copying := s.sealing.DoChan(f.ID, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sealTimeout)
		defer cancel()
		seal, fault, err := s.copyUpload(ctx, d, f)
		for tries := 0; errors.Is(err, errReplaced) && tries < maxTries; tries++ {
			seal, fault, err = s.copyUpload(ctx, d, f)
		}
		if err != nil {
			return nil, err
		}
		if fault != "" { // somebody else may have sealed and removed it
			seal, err = s.sealOf(ctx, d, f)
		} else {
			seal, err = s.applySeal(ctx, d, f, seal)
		}
		switch {
		case seal.SealedAt != 0:
			fault = ""
		case fault == "":
			fault = "no longer exists"
		}
		return result{seal, fault}, err
	})
	select {
	case <-ctx.Done():
		return Seal{}, "", ctx.Err()
	case got := <-copying:
		if got.Err != nil {
			return Seal{}, "", fmt.Errorf("seal file %s of document %s: %w", f.ID, d.ID, got.Err)
		}
		r, _ := got.Val.(result)
		return r.seal, r.fault, nil
	}
}

// sealTimeout bounds the copying of one file.
const sealTimeout = time.Minute

// applySeal writes the seal into the record, unless there is one, and removes the
// upload. It returns the seal of the record, the zero one if that is gone.
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

// fileSeal returns the seal of a file, the zero one of none.
func fileSeal(f *File) Seal {
	if f == nil {
		return Seal{}
	}
	return f.Seal
}

// sealOf returns the seal that the record has, the zero Seal for none.
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

// file returns a file of any version, or nil. It may be changed: the versions
// were copied with the record.
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

// dropUpload removes an upload that nobody reads any more. The sweep removes
// what is left behind.
func (s *Service) dropUpload(ctx context.Context, key string) {
	if err := s.objects.Remove(ctx, key); err != nil {
		s.log.DebugContext(ctx, "an upload was not removed and is left to the sweep", "key", key, "error", err)
	}
}
