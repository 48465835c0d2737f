package blob_test

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
)

// TestNoLifecycle calls the real server, which does not support rules: it says so, after
// accepting the signature.
func TestNoLifecycle(t *testing.T) {
	s := dial(t)
	if err := s.ExpireAfter(t.Context(), "derived/", time.Hour); !errors.Is(err, blob.ErrNoLifecycle) || !strings.Contains(err.Error(), "501") {
		t.Errorf("ExpireAfter: %v", err)
	}
}

const (
	// foreign are rules of an administrator, with elements that the client library has no
	// types for.
	foreign = `<Rule><ID>of the administrator</ID><Filter><And><Prefix>logs/</Prefix><Tag><Key>a</Key><Value>b &amp; c</Value></Tag></And></Filter><Status>Disabled</Status>` +
		`<Transition><Days>30</Days><StorageClass>IA</StorageClass></Transition><Transition><Days>90</Days><StorageClass>ICE</StorageClass></Transition></Rule>` +
		`<Rule><Prefix>old/</Prefix><Status>Enabled</Status><Novelty a="b"><!-- x --></Novelty></Rule>`
	own   = `<Rule><ID>recto-derived</ID><Filter><Prefix>derived/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule>`
	begin = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`
	end   = `</LifecycleConfiguration>`
)

// TestLifecycle adds the rule for converted files to existing rules.
func TestLifecycle(t *testing.T) {
	const get, put = "GET /recto/?lifecycle", "PUT /recto/?lifecycle"
	for name, tc := range map[string]struct {
		before string // or "" for none
		want   string // the configuration that is put
	}{
		"no rules":             {"", begin + own + end},
		"other rules":          {`<?xml version="1.0"?>` + begin + foreign + end, begin + foreign + own + end},
		"it exists":            {begin + foreign + own + end, ""},
		"it exists, reordered": {begin + "\n <Rule> <Status>Enabled</Status> <Expiration><Days>3</Days></Expiration> <Filter><Prefix>derived/</Prefix></Filter> <ID>recto-derived</ID></Rule>" + end, ""},
		"it has other days":    {begin + strings.Replace(own, "3", "7", 1) + foreign + end, begin + foreign + own + end},
		"it is disabled":       {begin + strings.Replace(own, "Enabled", "Disabled", 1) + end, begin + own + end},
	} {
		t.Run(name, func(t *testing.T) {
			written := ""
			f := newFake(t, func(r *http.Request, body []byte) (int, string) {
				switch {
				case r.Method == http.MethodPut:
					written = string(body)
					sum := md5.Sum(body)
					if got := r.Header.Get("Content-Md5"); got != base64.StdEncoding.EncodeToString(sum[:]) {
						t.Errorf("Content-MD5 is %q", got)
					}
					return http.StatusOK, ""
				case tc.before == "":
					return http.StatusNotFound, errorXML("NoSuchLifecycleConfiguration")
				}
				return http.StatusOK, tc.before
			})
			s, err := blob.Open(f.config())
			if err != nil {
				t.Fatal(err)
			}
			// 24 h plus 15 min for the last URL rounds up to two days; the rule adds one
			// more.
			if err := s.ExpireAfter(t.Context(), "derived/", 24*time.Hour+15*time.Minute); err != nil {
				t.Error(err)
			}
			if written != tc.want {
				t.Errorf("wrote\n%s\nwant\n%s", written, tc.want)
			}
			asked := []string{get}
			if tc.want != "" {
				asked = append(asked, put)
				if err := xml.Unmarshal([]byte(written), new(struct{ XMLName xml.Name })); err != nil {
					t.Errorf("the body is not XML: %v", err)
				}
			}
			if got := f.asked(); !slices.Equal(got, asked) {
				t.Errorf("got the requests %q, want %q", got, asked)
			}
		})
	}
}

// TestLifecycleRefusals distinguishes permanent refusals from transient ones.
func TestLifecycleRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		get, put int
		code     string
		forEver  bool
	}{
		"it may not read them":     {403, 200, "AccessDenied", true},
		"it may not write them":    {200, 403, "AccessDenied", true},
		"it rejects them":          {200, 400, "MalformedXML", true},
		"it does not support them": {405, 200, "MethodNotAllowed", true},
		"it is unhealthy":          {503, 200, "SlowDown", false},
		"it is throttling":         {200, 429, "TooManyRequests", false},
		"it becomes unhealthy":     {200, 500, "InternalError", false},
	} {
		f := newFake(t, func(r *http.Request, _ []byte) (int, string) {
			status, text := tc.get, begin+foreign+end
			if r.Method == http.MethodPut {
				status = tc.put
			}
			if status != http.StatusOK {
				text = errorXML(tc.code)
			}
			return status, text
		})
		s, err := blob.Open(f.config())
		if err != nil {
			t.Fatal(err)
		}
		err = s.ExpireAfter(t.Context(), "derived/", time.Hour)
		if err == nil || errors.Is(err, blob.ErrNoLifecycle) != tc.forEver || !strings.Contains(err.Error(), tc.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	huge := newFake(t, func(*http.Request, []byte) (int, string) {
		return http.StatusOK, begin + strings.Repeat(" ", 5<<20) + end
	})
	s, err := blob.Open(huge.config())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ExpireAfter(t.Context(), "derived/", time.Hour); !errors.Is(err, blob.ErrNoLifecycle) || len(huge.asked()) != 1 {
		t.Errorf("with too many rules: %v, %v", err, huge.asked())
	}
}

// TestLifecycleKeepsSizes checks that the header that belongs to the rules is written
// back.
func TestLifecycleKeepsSizes(t *testing.T) {
	const header, value = "X-Amz-Transition-Default-Minimum-Object-Size", "varies_by_storage_class"
	got := ""
	f := newFake(t, func(r *http.Request, _ []byte) (int, string) {
		if r.Method == http.MethodPut {
			got = r.Header.Get(header)
			return http.StatusOK, ""
		}
		r.Header.Set("Answer", header+": "+value)
		return http.StatusOK, begin + foreign + end
	})
	s, err := blob.Open(f.config())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ExpireAfter(t.Context(), "derived/", time.Hour); err != nil || got != value {
		t.Errorf("the rules were put with %q, %v", got, err)
	}
}
