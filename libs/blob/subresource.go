package blob

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the header that S3 has for it
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/minio/minio-go/v7"
)

// subresource is a set of rules of a bucket that is read and written as a whole.
type subresource struct {
	// name is its query parameter.
	name string
	// refused is the error for a permanent refusal by the store.
	refused error
}

// maxRules bounds the rules of a bucket, in bytes: a lifecycle may have 1000 rules, with
// prefixes and tags.
const maxRules = 4 << 20

// checksummed returns the header for writing a set of rules.
func checksummed(content []byte) http.Header {
	sum := md5.Sum(content) //nolint:gosec // S3 requires MD5 in this header
	return http.Header{"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}}
}

// exchange sends a request for a set of rules, and returns the body and header of the
// response. The client library supports such requests too, but only for the rules that it
// has types for. An error of the store is a minio.ErrorResponse; a permanent one is also
// rules.refused.
func (s *Store) exchange(ctx context.Context, rules subresource, method string, header http.Header, content []byte) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.answer, errNoAnswer)
	defer cancel()
	u, err := s.client.PresignHeader(ctx, method, s.cfg.Bucket, "", time.Minute, url.Values{rules.name: {""}}, header)
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(content))
	if err != nil {
		return nil, nil, err
	}
	request.Header = header
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRules+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(body) > maxRules:
		return nil, nil, fmt.Errorf("%w: the rules exceed %d bytes", rules.refused, maxRules)
	case response.StatusCode < http.StatusMultipleChoices:
		return body, response.Header, nil
	}
	refusal := minio.ErrorResponse{StatusCode: response.StatusCode}
	if err := xml.Unmarshal(body, &refusal); err != nil {
		refusal.Code = response.Status
	}
	if passes(refusal.StatusCode) {
		return nil, nil, refusal
	}
	return nil, nil, fmt.Errorf("%w (%d %s): %w", rules.refused, refusal.StatusCode, refusal.Code, refusal)
}
