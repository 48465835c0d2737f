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

// ErrNoLifecycle says that the object store removes nothing by itself, or that
// S3_ACCESS_KEY may not tell it what.
var ErrNoLifecycle = errors.New("the object store takes no lifecycle rule")

var lifecycleRules = subresource{"lifecycle", ErrNoLifecycle}

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
