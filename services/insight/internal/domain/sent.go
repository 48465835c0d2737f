package domain

import (
	"context"
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
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/scratch"
)

const (
	// sentPrefix begins the keys of sent material, which is not a stored document, and of
	// all files derived from it: insights/<organization>/<job>/<name>.
	sentPrefix = "insights/"
	// sourceName is the name of the sent material itself.
	sourceName = "source"
	// textName and textType are the file name and media type of a downloaded text.
	textName = "document.txt"
	textType = "text/plain; charset=utf-8"
	// unknownType is the media type of a file whose server does not name one.
	unknownType = "application/octet-stream"
)

// sentOf returns the key prefix for the sent material of a job.
func sentOf(organization, jobID string) string {
	return sentPrefix + organization + "/" + jobID + "/"
}

// sent is the text that a request has sent, or the file that its URL leads to.
type sent struct {
	content documentapi.Content
	body    io.ReadSeeker
	close   func() error
}

// sentText returns the material of a text.
func (s *Service) sentText(text string) (sent, error) {
	h := checksum.New()
	_, err := io.WriteString(h, text)
	content := documentapi.Content{Name: textName, Type: textType, Size: int64(len(text))}
	setSums(&content, h.Sums())
	return sent{content, strings.NewReader(text), func() error { return nil }}, err
}

const (
	// maxFetches is how many URLs are fetched concurrently for one organization; each
	// fetch uses a file in the scratch folder. maxFetchesWaiting is how many more may
	// wait. The limits keep deliberately slow servers from starving other organizations.
	maxFetches        = 8
	maxFetchesWaiting = 24
	// fetchRetry is how long clients over the limit should wait.
	fetchRetry = 2 * time.Second
)

// acquireFetch waits until the organization may fetch another URL. Its error is for clients.
func (s *Service) acquireFetch(ctx context.Context, organization string) (release func(), err error) {
	_, release, err = s.fetches.Acquire(ctx, organization)
	switch {
	case errors.Is(err, job.ErrShareFull):
		err = problem.New(problem.Unavailable, "Your organization has too many requests that fetch a URL (limit %d). Retry later.",
			maxFetches+maxFetchesWaiting).After(fetchRetry)
	case err != nil:
		err = problem.New(problem.Unavailable, "Your organization is already fetching %d URLs. Retry later.", maxFetches).
			After(fetchRetry).Because(err)
	}
	return release, err
}

// sentURL fetches a URL when the share of the organization has room. The URL may be a secret
// and is not kept.
func (s *Service) sentURL(ctx context.Context, organization, address string) (got sent, err error) {
	release, err := s.acquireFetch(ctx, organization)
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

// place stores sent material under the key where its job finds it.
func (s *Service) place(ctx context.Context, key string, what sent) error {
	if _, err := what.body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := s.Objects.Put(ctx, key, what.body, what.content.Size, what.content.Type); err != nil {
		return blob.Unavailable(err)
	}
	return nil
}

// sentMaterial returns a Material without the time and the key of its object, which depend on
// the job.
func sentMaterial(p contract.Principal, kind insightapi.SourceKind, what sent) Material {
	return Material{Principal: p, Kind: kind, Files: []documentapi.Content{what.content}}
}

// setSums sets the checksums of c.
func setSums(c *documentapi.Content, sums checksum.Sums) {
	c.SHA256, c.MD5, c.CRC32C = sums.SHA256, sums.MD5, sums.CRC32C
}

// sweepSent removes the sent material of jobs that finished so long ago that the last URL
// to it has expired. Material that a job has yet to read stays. Material of a dead-lettered
// job stays for a while, since an operator may retry the job.
func (s *Service) sweepSent(ctx context.Context, now time.Time) error {
	ttl := 2 * s.cfg.DownloadTTL // insights are kept for one TTL, and the last URL may be presigned at its end
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

// wantsSent reports whether the job that an object belongs to may still need it, because
// the job did not end before the given time.
func (s *Service) wantsSent(ctx context.Context, key string, ended time.Time) (bool, error) {
	parts := strings.Split(strings.TrimPrefix(key, sentPrefix), "/") // see sentOf
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
