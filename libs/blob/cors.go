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

// ErrNoCORS says that the object store takes no CORS rule of a bucket, or that
// S3_ACCESS_KEY may not write it.
var ErrNoCORS = errors.New("the object store takes no CORS rule")

var corsRules = subresource{"cors", ErrNoCORS}

// PagePolicy is what web pages of the origins may do by signed URLs.
func PagePolicy(origins cors.Origins) cors.Policy {
	return cors.Policy{
		Origins: origins,
		Methods: []string{http.MethodGet, http.MethodHead, http.MethodPut},
		Headers: []string{"*"}, // a signed URL takes any Content-Type, and whatever else a page sends
		Exposed: []string{"ETag", "Content-Disposition", "Content-Length", "Content-Range", "Accept-Ranges", "Last-Modified"},
	}
}

// corsConfiguration is the CORS configuration of a bucket. The rules of others are
// kept as they are written: they may say what this version does not know.
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

// corsID is that of our rule.
const corsID = "recto"

// AllowOrigins lets web pages of the origins put and get objects of the bucket by
// signed URLs; of none, it takes that back. It is a CORS rule of the bucket, whose
// other rules stay as they are. It is written only if it is missing or another one.
// ErrNoCORS says that it will do no good to ask again.
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

// content returns the rule as it is written.
func (r corsRule) content() string {
	var out bytes.Buffer
	element := func(name string, values ...string) {
		for _, value := range values {
			fmt.Fprintf(&out, "<%s>", name)
			_ = xml.EscapeText(&out, []byte(value)) // a buffer takes all
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

// getCORS returns the CORS configuration of the bucket, the zero one for none.
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

// putCORS replaces the CORS configuration of the bucket. One without rules cannot
// be written.
func (s *Store) putCORS(ctx context.Context, rules string) error {
	if rules == "" {
		_, _, err := s.exchange(ctx, corsRules, http.MethodDelete, http.Header{}, nil)
		return err
	}
	content := []byte(`<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` + rules + `</CORSConfiguration>`)
	_, _, err := s.exchange(ctx, corsRules, http.MethodPut, checksummed(content), content)
	return err
}
