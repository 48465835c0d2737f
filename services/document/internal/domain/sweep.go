package domain

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// KeepIncoming makes sure that the folder of uploads exists and stays. In object stores
// with real folders, an empty folder is removed with its last object, possibly while a
// client uploads into it. After the first success it does nothing.
func (s *Service) KeepIncoming(ctx context.Context) error {
	if s.incomingKept.Load() {
		return nil
	}
	if err := s.objects.Put(ctx, documentapi.UploadPrefix+".keep", strings.NewReader(""), 0, ""); err != nil {
		return err
	}
	s.incomingKept.Store(true)
	return nil
}

// SealUploads seals all uploads, and removes useless ones: those for files that are
// already sealed, those for documents that no longer exist, and old ones that cannot be
// sealed. It checks an upload that cannot be sealed again when the upload is replaced, and
// otherwise from time to time.
func (s *Service) SealUploads(ctx context.Context) error {
	if err := s.KeepIncoming(ctx); err != nil {
		return err
	}
	seen := map[string]useless{}
	defer func() { s.useless = seen }()
	return s.objects.List(ctx, documentapi.UploadPrefix, func(o blob.Object) error {
		if staged, ok := documentapi.ParseStagedKey(o.Key); ok {
			if err := s.sweepStaged(ctx, o, staged); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "a staged part was not removed; retrying", "key", o.Key, "error", err)
			}
			return ctx.Err()
		}
		known := s.useless[o.Key]
		if known.waits(o, s.now()) {
			seen[o.Key] = known
			return ctx.Err()
		}
		fault, err := s.sealUpload(ctx, o)
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "an upload was not sealed; retrying", "key", o.Key, "error", err)
		}
		if fault != "" && len(seen) < maxUseless {
			seen[o.Key] = known.after(o, s.now())
		}
		return ctx.Err()
	})
}

const (
	// maxUseless bounds how many useless uploads are remembered. The others are checked
	// in every sweep.
	maxUseless = 10_000
	// firstLook and longestLook are the shortest and longest wait before a useless upload
	// is checked again.
	firstLook   = time.Second
	longestLook = 10 * time.Minute
	// uselessTTL is the age at which a useless upload is removed, long after its URL has
	// expired.
	uselessTTL = 24 * time.Hour
)

// useless is an upload that cannot be sealed.
type useless struct {
	etag     string
	modified time.Time
	// wait is the current wait before the next check, which is due at next.
	wait time.Duration
	next time.Time
}

// same reports whether o is still the upload that was checked.
func (u useless) same(o blob.Object) bool { return u.etag == o.ETag && u.modified.Equal(o.Modified) }

// waits reports whether it is too early to check the upload again.
func (u useless) waits(o blob.Object, now time.Time) bool { return u.same(o) && now.Before(u.next) }

// after returns what to remember after another check. Each wait is twice the previous
// one.
func (u useless) after(o blob.Object, now time.Time) useless {
	wait := firstLook
	if u.same(o) {
		wait = min(max(2*u.wait, firstLook), longestLook)
	}
	return useless{o.ETag, o.Modified, wait, now.Add(wait)}
}

// sealUpload handles one upload. The fault says why it is not sealed; it is "" if the
// upload is sealed or needs no further check.
func (s *Service) sealUpload(ctx context.Context, o blob.Object) (string, error) {
	upload, ok := documentapi.ParseUploadKey(o.Key)
	if !ok {
		return "does not belong to a file", nil
	}
	d, err := s.store.Get(ctx, upload.Organization, upload.Document)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return "", err
	}
	file := d.file(upload.File)
	if file == nil || file.SealedAt != 0 {
		return "", s.objects.Remove(ctx, o.Key)
	}
	_, fault, err := s.seal(ctx, d, *file)
	if fault != "" && s.now().Sub(o.Modified) > uselessTTL {
		return "", s.objects.Remove(ctx, o.Key)
	}
	return fault, err
}
