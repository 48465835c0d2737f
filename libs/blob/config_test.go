package blob_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
)

// TestPublicEndpoint presigns URLs for an endpoint other than the store's own, without
// connecting to either.
func TestPublicEndpoint(t *testing.T) {
	public := faultproxy.New("127.0.0.1:1")
	defer public.Close()
	for name, tc := range map[string]struct {
		endpoint  string
		pathStyle bool
		style     *bool
		want      string
	}{
		"path style":                    {"https://files.example:9000", true, nil, "https://files.example:9000/public/a"},
		"host style":                    {"https://files.example:9000/", false, nil, "https://public.files.example:9000/a"},
		"host style for clients":        {"https://files.example", true, new(bool), "https://public.files.example/a"},
		"path style for clients":        {"https://files.example:443", false, ptr(true), "https://files.example/public/a"},
		"the same endpoint, host style": {"", true, new(bool), "http://public.store.example:7070/a"},
		"a server that would notice":    {"http://" + public.Addr(), true, nil, "http://" + public.Addr() + "/public/a"},
	} {
		cfg := blobtest.Config("public")
		cfg.Endpoint, cfg.PublicEndpoint, cfg.PathStyle, cfg.PublicPathStyle = "http://store.example:7070", tc.endpoint, tc.pathStyle, tc.style
		cfg.Region = "eu-test-1"
		s, err := blob.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		get, err := s.PresignGet(t.Context(), "a", time.Minute, "a.txt", "a/b")
		put, putErr := s.PresignPut(t.Context(), "a", time.Minute)
		if err := errors.Join(err, putErr); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, u := range []string{get.URL, put.URL} {
			signed, _ := url.Parse(u)
			if before, _, _ := strings.Cut(u, "?"); before != tc.want || !strings.Contains(signed.Query().Get("X-Amz-Credential"), "/eu-test-1/s3/") {
				t.Errorf("%s: %s", name, u)
			}
		}
	}
	if n := public.Accepted(); n > 0 {
		t.Errorf("presigning made %d connections", n)
	}
}

func ptr[T any](v T) *T { return &v }

// TestConfig loads the variables as programs do, with every mistake that can be detected
// without contacting the store.
func TestConfig(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := []string{"S3_ENDPOINT=http://minio:9000/", "S3_ACCESS_KEY=a", "S3_SECRET_KEY=b"}
	var cfg blob.Config
	if err := config.Load(good, "", &cfg); err != nil || !cfg.CreateBucket || !cfg.PathStyle || cfg.PublicPathStyle != nil {
		t.Errorf("got %+v, %v", cfg, err)
	}
	for variables, want := range map[string][]string{
		"S3_ENDPOINT=s3.example":                                     {"S3_ENDPOINT must be"},
		"S3_ENDPOINT=https://s3.example/x":                           {"S3_ENDPOINT must be"},
		"S3_ENDPOINT=https://user:hidden@s3.example":                 {"S3_ENDPOINT must be"},
		"S3_PUBLIC_ENDPOINT=ftp://s3.example S3_BUCKET=A":            {"S3_PUBLIC_ENDPOINT must be", "S3_BUCKET must be"},
		"S3_CA_FILE=/nowhere S3_REGION=":                             {"S3_CA_FILE: open /nowhere"},
		"S3_CA_FILE=" + empty:                                        {"S3_CA_FILE: " + empty + " contains no PEM certificate"},
		"S3_PATH_STYLE=perhaps S3_PUBLIC_PATH_STYLE=no-idea":         {"S3_PATH_STYLE is not", "S3_PUBLIC_PATH_STYLE is not"},
		"S3_ACCES_KEY=hidden S3_OTHER=x":                             {"S3_ACCES_KEY is not known; did you mean S3_ACCESS_KEY"},
		"S3_ENDPOINT= S3_ACCESS_KEY= S3_SECRET_KEY= S3_BUCKET=a_b_c": {"S3_BUCKET must be", "S3_ENDPOINT must be set", "S3_ACCESS_KEY must be set", "S3_SECRET_KEY must be set"},
	} {
		var cfg blob.Config
		err := config.Load(append(slices.Clone(good), strings.Fields(variables)...), "", &cfg)
		if err == nil {
			t.Errorf("%s is accepted", variables)
			continue
		}
		for _, line := range want {
			if !strings.Contains(err.Error(), "\n  "+line) {
				t.Errorf("%s: the error lacks %q:\n%v", variables, line, err)
			}
		}
		if strings.Count(err.Error(), "\n") != len(want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the error is\n%v", variables, err)
		}
	}
	cfg.Endpoint = "s3.example"
	if _, err := blob.Open(cfg); err == nil {
		t.Error("Open accepts what Validate rejects")
	}
}

// TestHostStyle puts, gets and lists objects in a store that has the bucket in its host
// name.
func TestHostStyle(t *testing.T) {
	f := newFake(t, func(r *http.Request, _ []byte) (int, string) {
		if r.Host != "recto.s3.example:9000" {
			return http.StatusNotFound, errorXML("NoSuchBucket")
		}
		if r.URL.Query().Get("list-type") == "2" {
			return http.StatusOK, `<ListBucketResult><Contents><Key>a/b</Key><Size>1</Size><LastModified>2026-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`
		}
		return http.StatusOK, "x"
	})
	cfg := f.config()
	cfg.Endpoint, cfg.PathStyle = "http://s3.example:9000", false
	s, err := blob.OpenAt(cfg, f.addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "a/b", strings.NewReader("x"), 1, "text/plain"); err != nil {
		t.Error(err)
	}
	body, _, err := s.Get(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	_ = body.Close()
	var keys []string
	if err := s.List(t.Context(), "a/", func(o blob.Object) error { keys = append(keys, o.Key); return nil }); err != nil || !slices.Equal(keys, []string{"a/b"}) {
		t.Errorf("listed %v, %v", keys, err)
	}
	if got, want := f.asked(), []string{"PUT /a/b", "GET /a/b", "GET /?list-type"}; !slices.Equal(got, want) {
		t.Errorf("got the requests %q, want %q", got, want)
	}
}
