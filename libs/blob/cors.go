package blob

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"

	"github.com/rectohq/recto/libs/cors"
)

// ErrNoCORS means that the object store does not support CORS rules on buckets, or that
// S3_ACCESS_KEY may not write them.
var ErrNoCORS = errors.New("the object store accepts no CORS rules")

var corsRules = subresource{"cors", ErrNoCORS}

// PagePolicy returns what web pages of the origins may do with presigned URLs.
func PagePolicy(origins cors.Origins) cors.Policy {
	return cors.Policy{
		Origins: origins,
		Methods: []string{http.MethodGet, http.MethodHead, http.MethodPut},
		Headers: []string{"*"}, // a presigned URL accepts any Content-Type and any other header that a page sends
		Exposed: []string{"ETag", "Content-Disposition", "Content-Length", "Content-Range", "Accept-Ranges", "Last-Modified"},
	}
}

// corsConfiguration is the CORS configuration of a bucket. Other rules are kept verbatim,
// since they may contain elements that this version does not know.
type corsConfiguration struct {
	XMLName xml.Name   `xml:"CORSConfiguration"`
	Rules   []corsRule `xml:"CORSRule"`
}

// corsRule is a rule of a CORS configuration.
type corsRule struct {
	ID      string   `xml:"ID"`
	Headers []string `xml:"AllowedHeader"`
	Methods []string `xml:"AllowedMethod"`
	Origins []string `xml:"AllowedOrigin"`
	Exposed []string `xml:"ExposeHeader"`
	MaxAge  int      `xml:"MaxAgeSeconds"`
	Source  string   `xml:",innerxml"`
}

// corsID is the ID of Recto's rule.
const corsID = "recto"

// AllowOrigins allows web pages of the origins to put and get objects of the bucket with
// presigned URLs. Without origins, it revokes that. It writes a CORS rule of the bucket,
// only if the rule is missing or differs, and leaves the other rules as they are.
// ErrNoCORS means that retrying is pointless.
func (s *Store) AllowOrigins(ctx context.Context, origins cors.Origins) error {
	current, err := s.getCORS(ctx)
	if err != nil {
		return fmt.Errorf("read the CORS rules of the bucket %s: %w", s.cfg.Bucket, err)
	}
	policy := PagePolicy(origins)
	want := corsRule{
		ID: corsID, Headers: policy.Headers, Methods: policy.Methods, Origins: policy.Origins, Exposed: policy.Exposed,
		MaxAge: int(cors.MaxAge.Seconds()),
	}.content()
	if len(origins) == 0 {
		want = ""
	}
	var others, ours bytes.Buffer
	for _, r := range current.Rules {
		if r.ID == corsID {
			ours.WriteString(r.content())
		} else {
			fmt.Fprintf(&others, "<CORSRule>%s</CORSRule>", r.Source)
		}
	}
	if ours.String() == want {
		return nil
	}
	if err := s.putCORS(ctx, others.String()+want); err != nil {
		return fmt.Errorf("write the CORS rules of the bucket %s: %w", s.cfg.Bucket, err)
	}
	return nil
}

// content returns the rule as XML.
func (r corsRule) content() string {
	var out bytes.Buffer
	element := func(name string, values ...string) {
		for _, value := range values {
			fmt.Fprintf(&out, "<%s>", name)
			_ = xml.EscapeText(&out, []byte(value)) // writing to a buffer does not fail
			fmt.Fprintf(&out, "</%s>", name)
		}
	}
	out.WriteString("<CORSRule>")
	element("ID", r.ID)
	element("AllowedHeader", r.Headers...)
	element("AllowedMethod", r.Methods...)
	element("AllowedOrigin", r.Origins...)
	element("ExposeHeader", r.Exposed...)
	element("MaxAgeSeconds", fmt.Sprint(r.MaxAge))
	out.WriteString("</CORSRule>")
	return out.String()
}

// getCORS returns the CORS configuration of the bucket, or the zero one.
func (s *Store) getCORS(ctx context.Context) (corsConfiguration, error) {
	var current corsConfiguration
	content, _, err := s.exchange(ctx, corsRules, http.MethodGet, http.Header{}, nil)
	if code(err) == "NoSuchCORSConfiguration" {
		return current, nil
	}
	if err == nil {
		err = xml.Unmarshal(content, &current)
	}
	return current, err
}

// putCORS replaces the CORS configuration of the bucket. S3 accepts no configuration
// without rules, so it deletes the configuration instead.
func (s *Store) putCORS(ctx context.Context, rules string) error {
	if rules == "" {
		_, _, err := s.exchange(ctx, corsRules, http.MethodDelete, http.Header{}, nil)
		return err
	}
	content := []byte(`<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` + rules + `</CORSConfiguration>`)
	_, _, err := s.exchange(ctx, corsRules, http.MethodPut, checksummed(content), content)
	return err
}
