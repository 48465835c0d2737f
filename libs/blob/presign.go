package blob

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/rectohq/recto/libs/config"
)

// SignedURL is a presigned URL.
type SignedURL struct {
	URL string
	// Expires is when the URL stops being valid.
	Expires time.Time
}

// MaxTTL is the longest validity of a presigned URL.
const MaxTTL = 7 * 24 * time.Hour

// CheckTTL adds a problem unless d is a possible validity of a presigned URL.
func CheckTTL(p *config.Problems, name string, d time.Duration) {
	p.Require(d >= time.Second && d <= MaxTTL, "%s must be from 1s to 168h, the longest validity of a presigned URL", name)
}

// PresignPut returns a URL that stores an object of any type under key, valid for d. It
// does not dial.
func (s *Store) PresignPut(ctx context.Context, key string, d time.Duration) (SignedURL, error) {
	return s.presignPut(ctx, s.public, key, d)
}

// presignPut presigns a URL for the client's endpoint.
func (s *Store) presignPut(ctx context.Context, client *minio.Client, key string, d time.Duration) (SignedURL, error) {
	expires := expiry(d)
	u, err := client.PresignedPutObject(ctx, s.cfg.Bucket, key, d)
	if err != nil {
		return SignedURL{}, fmt.Errorf("presign the upload of %s: %w", key, err)
	}
	return SignedURL{URL: u.String(), Expires: expires}, nil
}

// PresignInternalPut is PresignPut for a client that reaches the object store at the same
// endpoint as this process.
func (s *Store) PresignInternalPut(ctx context.Context, key string, d time.Duration) (SignedURL, error) {
	return s.presignPut(ctx, s.client, key, d)
}

// PresignGet returns a URL that returns the object at key, valid for d. The response has
// the given file name and type; if there is no object, it is 404. PresignGet does not
// dial.
func (s *Store) PresignGet(ctx context.Context, key string, d time.Duration, name, contentType string) (SignedURL, error) {
	return s.presignGet(ctx, s.public, key, d, url.Values{
		"response-content-type":        {contentType},
		"response-content-disposition": {disposition(name)},
	})
}

// PresignInternalGet returns a URL that returns the object at key, valid for d, for a
// client that reaches the object store at the same endpoint as this process. If there is no
// object, the response is 404. PresignInternalGet does not dial.
func (s *Store) PresignInternalGet(ctx context.Context, key string, d time.Duration) (SignedURL, error) {
	return s.presignGet(ctx, s.client, key, d, nil)
}

// presignGet presigns a URL for the client's endpoint. Override replaces headers of the
// response.
func (s *Store) presignGet(ctx context.Context, client *minio.Client, key string, d time.Duration, override url.Values) (SignedURL, error) {
	expires := expiry(d)
	u, err := client.PresignedGetObject(ctx, s.cfg.Bucket, key, d, override)
	if err != nil {
		return SignedURL{}, fmt.Errorf("presign the download of %s: %w", key, err)
	}
	return SignedURL{URL: u.String(), Expires: expires}, nil
}

// expiry returns when a URL that is presigned now for d expires: the validity counts from
// the last full second.
func expiry(d time.Duration) time.Time {
	return time.Now().Truncate(time.Second).Add(d)
}

// disposition returns a Content-Disposition that saves the response as name, in ASCII for
// old clients and in full for others (RFC 6266).
func disposition(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
	value := fmt.Sprintf(`attachment; filename="%s"`, ascii)
	if ascii != name {
		value += "; filename*=utf-8''" + encodeParameter(name)
	}
	return value
}

// encodeParameter encodes a text as the value of an extended parameter of a
// header (RFC 8187, section 3.2.1).
func encodeParameter(text string) string {
	var out strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
