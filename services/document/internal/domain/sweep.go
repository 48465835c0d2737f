package domain

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

// KeepIncoming makes sure that the folder of uploads is there and stays, also
// where folders are as real as objects: one that came and went with them could
// go while somebody puts something into it. Once it has, it does nothing.
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

// SealUploads seals all that has been uploaded, and removes what was uploaded in
// vain: to a file that is sealed, to a document that is gone, or long ago and of
// no use. An upload of no use is looked at again when it was replaced, and else
// from time to time.
func (s *Service) SealUploads(ctx context.Context) error {
	if err := s.KeepIncoming(ctx); err != nil {
		return err
	}
	seen := map[string]useless{}
	defer func() { s.useless = seen }()
	return s.objects.List(ctx, documentapi.UploadPrefix, func(o blob.Object) error {
		if staged, ok := documentapi.ParseStagedKey(o.Key); ok {
			if err := s.sweepStaged(ctx, o, staged); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "a staged part was not removed and is tried again", "key", o.Key, "error", err)
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
			s.log.WarnContext(ctx, "an upload was not sealed and is tried again", "key", o.Key, "error", err)
		}
		if fault != "" && len(seen) < maxUseless {
			seen[o.Key] = known.after(o, s.now())
		}
		return ctx.Err()
	})
}

const (
	// maxUseless bounds how many uploads of no use are remembered; more are looked
	// at in every sweep.
	maxUseless = 10_000
	// firstLook and longestLook are how long an upload of no use is left alone.
	firstLook   = time.Second
	longestLook = 10 * time.Minute
	// uselessTTL is when an upload of no use is removed, long after its URL ended.
	uselessTTL = 24 * time.Hour
)

// useless is an upload that cannot be sealed.
type useless struct {
	etag     string
	modified time.Time
	// wait is how long it is left alone, until next.
	wait time.Duration
	next time.Time
}

// same reports whether it is the upload that was looked at.
func (u useless) same(o blob.Object) bool { return u.etag == o.ETag && u.modified.Equal(o.Modified) }

// waits reports whether it is too early to look at the upload again.
func (u useless) waits(o blob.Object, now time.Time) bool { return u.same(o) && now.Before(u.next) }

// after is what is remembered after one more look: each wait is twice the one
// before.
func (u useless) after(o blob.Object, now time.Time) useless {
	wait := firstLook
	if u.same(o) {
		wait = min(max(2*u.wait, firstLook), longestLook)
	}
	return useless{o.ETag, o.Modified, wait, now.Add(wait)}
}

// sealUpload deals with one upload. The fault says why it is not sealed, "" if it
// is, or needs no other look.
func (s *Service) sealUpload(ctx context.Context, o blob.Object) (string, error) {
	upload, ok := documentapi.ParseUploadKey(o.Key)
	if !ok {
		return "is none of ours", nil
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
