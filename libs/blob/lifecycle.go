package blob

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrNoLifecycle means that the object store does not expire objects, or that
// S3_ACCESS_KEY may not write lifecycle rules.
var ErrNoLifecycle = errors.New("the object store accepts no lifecycle rules")

var lifecycleRules = subresource{"lifecycle", ErrNoLifecycle}

// lifecycle is a lifecycle configuration. Other rules are kept verbatim, since they may
// contain elements that this version does not know.
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

// ExpireAfter has the object store delete objects whose keys begin with prefix, one or
// two days after d has passed since they were stored: rules count in days. It is a safety
// net for the service that deletes them on time. It leaves the bucket's other rules as
// they are, and writes the rule for this prefix only if it is missing or differs.
// ErrNoLifecycle means that retrying is pointless.
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

// marshal returns a lifecycle configuration that consists of others and the rule.
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

// minimumSize is a header that is part of the configuration; writing the rules without it
// would reset it.
const minimumSize = "X-Amz-Transition-Default-Minimum-Object-Size"

// getLifecycle returns the lifecycle configuration of the bucket, or the zero one, and
// the value of minimumSize.
func (s *Store) getLifecycle(ctx context.Context) (lifecycle, string, error) {
	var current lifecycle
	content, header, err := s.exchange(ctx, lifecycleRules, http.MethodGet, http.Header{}, nil)
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
	header := checksummed(content)
	if sizes != "" {
		header.Set(minimumSize, sizes)
	}
	_, _, err := s.exchange(ctx, lifecycleRules, http.MethodPut, header, content)
	return err
}
