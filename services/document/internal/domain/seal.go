package domain

import (
	"context"
	"crypto/md5" //nolint:gosec // one of the hashes that the API shows
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/documentapi"
)

const (
	// retryAfter is what a caller is told to wait when others were faster.
	retryAfter = time.Second
	// uploadGrace is how much longer than its URL an upload may take.
	uploadGrace = 15 * time.Minute
	// incomingTTL is when an upload that is too large is removed.
	incomingTTL = 24 * time.Hour
)

// mayBeUploaded reports whether there may be an upload of the version to be
// sealed: a file is not, and its URL has not ended long ago.
func (s *Service) mayBeUploaded(v Version) bool {
	end := time.UnixMilli(v.CreatedAt).Add(s.cfg.UploadTTL + uploadGrace)
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
			fault = "is gone"
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

// copyUpload copies what has been uploaded for a file to the object of its
// content, if that is not there yet, and returns what is known of that.
func (s *Service) copyUpload(ctx context.Context, d Document, f File) (Seal, string, error) {
	body, object, err := s.objects.Get(ctx, d.incomingKey(f))
	if errors.Is(err, blob.ErrNotFound) {
		return s.readContent(ctx, d, f)
	}
	if err != nil {
		return Seal{}, "", err
	}
	defer body.Close()
	if object.Size > s.cfg.MaxContent {
		return Seal{}, fmt.Sprintf("has %d bytes, %d are allowed", object.Size, s.cfg.MaxContent), nil
	}
	h := newHashes()
	err = s.objects.PutOnce(ctx, d.contentKey(f), io.TeeReader(body, h), object.Size, f.Type)
	if errors.Is(err, blob.ErrExists) { // another sealer was faster, and what it read counts
		return s.readContent(ctx, d, f)
	}
	if err != nil {
		return Seal{}, "", err
	}
	return h.seal(object.Size, s.now()), "", nil
}

// readContent returns what is known of a content that was put by somebody who
// has not told the record yet.
func (s *Service) readContent(ctx context.Context, d Document, f File) (Seal, string, error) {
	body, object, err := s.objects.Get(ctx, d.contentKey(f))
	if errors.Is(err, blob.ErrNotFound) {
		return Seal{}, "was not uploaded; PUT its content to its upload_url first", nil
	}
	if err != nil {
		return Seal{}, "", err
	}
	defer body.Close()
	h := newHashes()
	if _, err := io.Copy(h, body); err != nil {
		return Seal{}, "", err
	}
	return h.seal(object.Size, s.now()), "", nil
}

// hashes computes all hashes of what is written to it.
type hashes struct{ sha, md, crc hash.Hash }

func newHashes() hashes {
	//nolint:gosec // MD5 is one of the hashes that the API shows; nothing is secured by it
	return hashes{sha256.New(), md5.New(), crc32.New(crc32.MakeTable(crc32.Castagnoli))}
}

// Write implements io.Writer. It never fails.
func (h hashes) Write(p []byte) (int, error) {
	for _, each := range []hash.Hash{h.sha, h.md, h.crc} {
		_, _ = each.Write(p)
	}
	return len(p), nil
}

// seal returns what is known of the content, which has the size.
func (h hashes) seal(size int64, at time.Time) Seal {
	sum := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
	return Seal{Size: size, SHA256: sum(h.sha), MD5: sum(h.md), CRC32C: sum(h.crc), SealedAt: at.UnixMilli()}
}

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
			s.poke()
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
// vain: to a file that is sealed, or to a document that is gone.
func (s *Service) SealUploads(ctx context.Context) error {
	if err := s.KeepIncoming(ctx); err != nil {
		return err
	}
	return s.objects.List(ctx, documentapi.UploadPrefix, func(o blob.Object) error {
		if err := s.sealUpload(ctx, o); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "an upload was not sealed and is tried again", "key", o.Key, "error", err)
		}
		return ctx.Err()
	})
}

// sealUpload deals with one upload.
func (s *Service) sealUpload(ctx context.Context, o blob.Object) error {
	upload, ok := documentapi.ParseUploadKey(o.Key)
	if !ok {
		return nil // it is none of ours
	}
	d, err := s.store.Get(ctx, upload.Organization, upload.Document)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	file := d.file(upload.File)
	switch {
	case file == nil || file.SealedAt != 0 || o.Size > s.cfg.MaxContent && s.now().Sub(o.Modified) > incomingTTL:
		return s.objects.Remove(ctx, o.Key)
	case o.Size > s.cfg.MaxContent:
		return nil // its use will say so
	}
	_, _, err = s.seal(ctx, d, *file)
	return err
}
