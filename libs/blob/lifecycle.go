package blob

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the header that S3 has for it
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// ErrNoLifecycle says that the object store removes nothing by itself, or that
// S3_ACCESS_KEY may not tell it what.
var ErrNoLifecycle = errors.New("the object store takes no lifecycle rule")

// lifecycle is a lifecycle configuration. The rules of others are kept as they
// are written: they may say what this version does not know.
type lifecycle struct {
	XMLName xml.Name `xml:"LifecycleConfiguration"`
	Rules   []rule   `xml:"Rule"`
}

// rule is a rule of a lifecycle configuration.
type rule struct {
	ID     string `xml:"ID"`
	Status string `xml:"Status"`
	Prefix string `xml:"Filter>Prefix"`
	Days   int    `xml:"Expiration>Days"`
	Source string `xml:",innerxml"`
}

// ExpireAfter lets the object store itself remove the objects whose keys begin
// with prefix, a day or two after d has passed since they were put: rules count
// in days. It is a second net below whoever removes them in time. The bucket's
// other rules stay as they are, and the rule of this prefix is written only if it
// is missing or another one. ErrNoLifecycle says that it will do no good to ask
// again.
func (s *Store) ExpireAfter(ctx context.Context, prefix string, d time.Duration) error {
	const day = 24 * time.Hour
	want := rule{ID: "recto-" + strings.Trim(prefix, "/"), Status: "Enabled", Prefix: prefix, Days: int((d+day-1)/day) + 1}
	current, sizes, err := s.getLifecycle(ctx)
	if err != nil {
		return fmt.Errorf("read the lifecycle rules of the bucket %s: %w", s.cfg.Bucket, err)
	}
	others := new(bytes.Buffer)
	for _, r := range current.Rules {
		if r.ID != want.ID {
			fmt.Fprintf(others, "<Rule>%s</Rule>", r.Source)
			continue
		}
		if r.Source = ""; r == want {
			return nil
		}
	}
	content, err := want.marshal(others)
	if err == nil {
		err = s.putLifecycle(ctx, content, sizes)
	}
	if err != nil {
		return fmt.Errorf("write the lifecycle rules of the bucket %s: %w", s.cfg.Bucket, err)
	}
	return nil
}

// marshal returns a lifecycle configuration of the rule and others.
func (r rule) marshal(others *bytes.Buffer) ([]byte, error) {
	var text [2]bytes.Buffer
	for i, value := range []string{r.ID, r.Prefix} {
		if err := xml.EscapeText(&text[i], []byte(value)); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s`+
		`<Rule><ID>%s</ID><Filter><Prefix>%s</Prefix></Filter><Status>%s</Status><Expiration><Days>%d</Days></Expiration></Rule>`+
		`</LifecycleConfiguration>`, others, &text[0], &text[1], r.Status, r.Days), nil
}

// minimumSize is a header beside the rules, which a configuration without it
// would reset.
const minimumSize = "X-Amz-Transition-Default-Minimum-Object-Size"

// getLifecycle returns the lifecycle configuration of the bucket, the zero one
// for none, and the value of minimumSize.
func (s *Store) getLifecycle(ctx context.Context) (lifecycle, string, error) {
	var current lifecycle
	content, header, err := s.exchange(ctx, http.MethodGet, http.Header{}, nil)
	if code(err) == "NoSuchLifecycleConfiguration" {
		return current, "", nil
	}
	if err != nil {
		return current, "", err
	}
	err = xml.Unmarshal(content, &current)
	return current, header.Get(minimumSize), err
}

// putLifecycle replaces the lifecycle configuration of the bucket.
func (s *Store) putLifecycle(ctx context.Context, content []byte, sizes string) error {
	sum := md5.Sum(content) //nolint:gosec // the header that S3 has for it
	header := http.Header{"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}}
	if sizes != "" {
		header.Set(minimumSize, sizes)
	}
	_, _, err := s.exchange(ctx, http.MethodPut, header, content)
	return err
}

// maxLifecycle bounds a lifecycle configuration, in bytes: 1000 rules are allowed
// to have prefixes and tags.
const maxLifecycle = 4 << 20

// exchange sends a request for the lifecycle configuration, and returns the body
// and header of the answer. The client library knows such requests too, but only
// with the rules that it has types for. An error of the store is a
// minio.ErrorResponse, and an ErrNoLifecycle if it is for ever.
func (s *Store) exchange(ctx context.Context, method string, header http.Header, content []byte) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.answer, errNoAnswer)
	defer cancel()
	u, err := s.client.PresignHeader(ctx, method, s.cfg.Bucket, "", time.Minute, url.Values{"lifecycle": {""}}, header)
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
	body, err := io.ReadAll(io.LimitReader(response.Body, maxLifecycle+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(body) > maxLifecycle:
		return nil, nil, fmt.Errorf("%w: there are more than %d bytes of rules", ErrNoLifecycle, maxLifecycle)
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
	return nil, nil, fmt.Errorf("%w (%d %s): %w", ErrNoLifecycle, refusal.StatusCode, refusal.Code, refusal)
}
