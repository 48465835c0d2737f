package domain

import (
	"context" //nolint:gosec // one of the hashes that the API shows
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/scratch"
)

const (
	// sentPrefix is where is what was sent and is no stored document, with all that
	// is made of it: insights/<organization>/<job>/<name>.
	sentPrefix = "insights/"
	// sourceName is that of what was sent.
	sourceName = "source"
	// textName and textType are those of a text as it is downloaded.
	textName = "document.txt"
	textType = "text/plain; charset=utf-8"
	// unknownType is that of a file whose server does not say.
	unknownType = "application/octet-stream"
)

// sentOf begins the keys of what was sent for a job.
func sentOf(organization, jobID string) string {
	return sentPrefix + organization + "/" + jobID + "/"
}

// sent is what a request has sent, or led to: its bytes, and what is known of
// them.
type sent struct {
	content documentapi.Content
	body    io.ReadSeeker
	close   func() error
}

// sentText returns a text that was sent.
func (s *Service) sentText(text string) (sent, error) {
	h := checksum.New()
	_, err := io.WriteString(h, text)
	content := documentapi.Content{Name: textName, Type: textType, Size: int64(len(text))}
	setSums(&content, h.Sums())
	return sent{content, strings.NewReader(text), func() error { return nil }}, err
}

// sentURL gets what a URL leads to, when it is the turn of the organization. Its
// address may be a secret, and is not kept.
func (s *Service) sentURL(ctx context.Context, organization, address string) (got sent, err error) {
	release, err := s.fetches.acquire(ctx, organization)
	if err != nil {
		return sent{}, err
	}
	out, err := scratch.File(s.Scratch)
	if err != nil {
		release()
		return sent{}, err
	}
	done := func() error {
		defer release()
		return out.Close()
	}
	defer func() {
		if err != nil {
			_ = done()
		}
	}()
	h := checksum.New()
	fetched, err := s.Fetch(ctx, address, io.MultiWriter(out, h))
	if err != nil {
		return sent{}, scratch.Fault(err, err)
	}
	size, err := out.Seek(0, io.SeekCurrent)
	content := documentapi.Content{Name: fetched.Name, Type: fetched.Type, Size: size}
	if content.Type == "" {
		content.Type = unknownType
	}
	setSums(&content, h.Sums())
	return sent{content, out, done}, err
}

// place stores what was sent where the job of that id finds it.
func (s *Service) place(ctx context.Context, key string, what sent) error {
	if _, err := what.body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := s.Objects.Put(ctx, key, what.body, what.content.Size, what.content.Type); err != nil {
		return blob.Unavailable(err)
	}
	return nil
}

// sentMaterial returns the material that was sent, without the key of its object:
// this belongs to a job.
func sentMaterial(p contract.Principal, kind insightapi.SourceKind, what sent, now time.Time) Material {
	c := what.content
	c.SealedAt = now.UnixMilli()
	return Material{Principal: p, Kind: kind, Files: []documentapi.Content{c}}
}

// setSums sets the checksums of a content.
func setSums(c *documentapi.Content, sums checksum.Sums) {
	c.SHA256, c.MD5, c.CRC32C = sums.SHA256, sums.MD5, sums.CRC32C
}

// sweepSent removes what was sent for jobs that have ended so long ago that the
// last URL to it has ended too. What a job is still to read stays; what belongs to
// one that was given up stays for a while, as its operator may try it again.
func (s *Service) sweepSent(ctx context.Context, now time.Time) error {
	ttl := 2 * s.cfg.DownloadTTL // what was found is kept for one, and signed last at its end
	err := s.Objects.List(ctx, sentPrefix, func(o blob.Object) error {
		if now.Sub(o.Modified) <= ttl {
			return nil
		}
		wanted, err := s.wantsSent(ctx, o.Key, now.Add(-ttl))
		if err != nil || wanted {
			return err
		}
		return s.Objects.Remove(ctx, o.Key)
	})
	if err != nil {
		return fmt.Errorf("sweep %s: %w", sentPrefix, err)
	}
	return nil
}

// wantsSent reports whether the job that an object belongs to may want it: it has
// not ended before the time.
func (s *Service) wantsSent(ctx context.Context, key string, ended time.Time) (bool, error) {
	parts := strings.Split(strings.TrimPrefix(key, sentPrefix), "/") // as sentOf has it
	if len(parts) < 3 {
		return false, nil
	}
	r, err := s.Jobs.Get(ctx, parts[0], parts[1])
	if errors.Is(err, job.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if r.Dead {
		ended = s.now().Add(-s.cfg.Keep)
	}
	return !r.Ended() || r.EndedAt > ended.UnixMilli(), nil
}
