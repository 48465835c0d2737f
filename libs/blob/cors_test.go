package blob_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
)

const (
	// foreignCORS are rules of an administrator, with an element that this version does
	// not know.
	foreignCORS = `<CORSRule><ID>of the administrator</ID><AllowedMethod>GET</AllowedMethod><AllowedOrigin>https://a&amp;b.example</AllowedOrigin><Novelty a="b"/></CORSRule>`
	ownCORS     = `<CORSRule><ID>recto</ID><AllowedHeader>*</AllowedHeader><AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod><AllowedMethod>PUT</AllowedMethod>` +
		`<AllowedOrigin>https://app.example.com</AllowedOrigin><AllowedOrigin>http://localhost:3000</AllowedOrigin>` +
		`<ExposeHeader>ETag</ExposeHeader><ExposeHeader>Content-Disposition</ExposeHeader><ExposeHeader>Content-Length</ExposeHeader>` +
		`<ExposeHeader>Content-Range</ExposeHeader><ExposeHeader>Accept-Ranges</ExposeHeader><ExposeHeader>Last-Modified</ExposeHeader><MaxAgeSeconds>7200</MaxAgeSeconds></CORSRule>`
	beginCORS = `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`
	endCORS   = `</CORSConfiguration>`
)

// TestAllowOrigins adds the rule to existing ones, or removes it.
func TestAllowOrigins(t *testing.T) {
	const get, put, remove = "GET /recto/?cors", "PUT /recto/?cors", "DELETE /recto/?cors"
	origins := []string{"https://app.example.com", "http://localhost:3000"}
	for name, tc := range map[string]struct {
		origins []string
		before  string // or "" for none
		asked   []string
		written string
	}{
		"no rules":                 {origins, "", []string{get, put}, ownCORS},
		"other rules":              {origins, foreignCORS, []string{get, put}, foreignCORS + ownCORS},
		"it exists":                {origins, ownCORS + foreignCORS, []string{get}, ""},
		"it exists, with spaces":   {origins, strings.ReplaceAll(ownCORS, "><", ">\n <"), []string{get}, ""},
		"it exists twice":          {origins, ownCORS + ownCORS, []string{get, put}, ownCORS},
		"it allows another origin": {origins, strings.Replace(ownCORS, "localhost", "other", 1) + foreignCORS, []string{get, put}, foreignCORS + ownCORS},
		"no origins, no rules":     {nil, "", []string{get}, ""},
		"no origins, other rules":  {nil, foreignCORS, []string{get}, ""},
		"it is removed":            {nil, ownCORS + foreignCORS, []string{get, put}, foreignCORS},
		"the only rule is removed": {nil, ownCORS, []string{get, remove}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			written := ""
			f := newFake(t, func(r *http.Request, body []byte) (int, string) {
				switch {
				case r.Method == http.MethodPut:
					written = string(body)
					if r.Header.Get("Content-Md5") == "" {
						t.Error("the request has no Content-MD5")
					}
					return http.StatusOK, ""
				case r.Method == http.MethodDelete:
					return http.StatusNoContent, ""
				case tc.before == "":
					return http.StatusNotFound, errorXML("NoSuchCORSConfiguration")
				}
				return http.StatusOK, beginCORS + tc.before + endCORS
			})
			s, err := blob.Open(f.config())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.AllowOrigins(t.Context(), tc.origins); err != nil {
				t.Error(err)
			}
			if want := beginCORS + tc.written + endCORS; tc.written != "" && written != want || tc.written == "" && written != "" {
				t.Errorf("wrote\n%s\nwant\n%s", written, want)
			}
			if got := f.asked(); !slices.Equal(got, tc.asked) {
				t.Errorf("got the requests %q, want %q", got, tc.asked)
			}
		})
	}
}

// TestNoCORS distinguishes permanent refusals from transient ones.
func TestNoCORS(t *testing.T) {
	for code, tc := range map[string]struct {
		status  int
		forEver bool
	}{
		"NotImplemented": {501, true}, "AccessDenied": {403, true}, "MethodNotAllowed": {405, true}, "SlowDown": {503, false},
	} {
		f := newFake(t, func(*http.Request, []byte) (int, string) { return tc.status, errorXML(code) })
		s, err := blob.Open(f.config())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AllowOrigins(t.Context(), []string{"*"}); err == nil || errors.Is(err, blob.ErrNoCORS) != tc.forEver || !strings.Contains(err.Error(), code) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestCORSOfBucket sends requests to a real server as a web page does.
func TestCORSOfBucket(t *testing.T) {
	s := dial(t)
	u, err := s.PresignPut(t.Context(), "incoming/page", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ origins, allowed []string }{
		{[]string{"https://app.example.com"}, []string{"https://app.example.com"}}, {[]string{"*"}, []string{"*"}}, {nil, nil},
	} {
		for range 2 { // the second time the rule exists
			if err := s.AllowOrigins(t.Context(), step.origins); err != nil {
				t.Fatal(err)
			}
		}
		preflight := page(t, http.MethodOptions, u.URL)
		if got := preflight.Header.Values("Access-Control-Allow-Origin"); !slices.Equal(got, step.allowed) {
			t.Errorf("%q: the response to a preflight is %d %v", step.origins, preflight.StatusCode, preflight.Header)
		}
		if answer := page(t, http.MethodPut, u.URL); answer.StatusCode != http.StatusOK || !slices.Equal(answer.Header.Values("Access-Control-Allow-Origin"), step.allowed) {
			t.Errorf("%q: the response to an upload is %d %v", step.origins, answer.StatusCode, answer.Header)
		}
	}
}

// page sends a request as a browser does for a page, and returns the response.
func page(t *testing.T, method, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://app.example.com")
	if method == http.MethodOptions {
		r.Header.Set("Access-Control-Request-Method", http.MethodPut)
		r.Header.Set("Access-Control-Request-Headers", "content-type")
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}
