package console_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/gateway/internal/console"
)

// TestRewrite rewrites targets below /console/api, and no others.
func TestRewrite(t *testing.T) {
	for target, want := range map[string]string{
		"/console/api":                         "/v2",
		"/console/api/":                        "/v2/",
		"/console/api?x=1":                     "/v2?x=1",
		"/console/api/me?x=/console/api/":      "/v2/me?x=/console/api/",
		"https://recto.example/console/api/me": "https://recto.example/v2/me",
		"/console/apis":                        "",
		"/console/apis/me":                     "",
		"/console":                             "",
		"/console/session":                     "",
		"/Console/api/me":                      "",
		"//console/api/me":                     "",
		"/x?a=b://c/console/api/me":            "",
		"https://recto.example":                "",
		"https://recto.example/v2/me":          "",
		"*":                                    "",
		"":                                     "",
	} {
		got, ok := console.Rewrite([]byte(target))
		if ok != (want != "") || ok && string(got) != want || !ok && string(got) != target {
			t.Errorf("Rewrite(%q) = %q, %t; want %q", target, got, ok, want)
		}
	}
	for path, want := range map[string]string{"/v2/me": "/console/api/me", "/v2": "/console/api", "/livez": "/livez", "/v2x": "/v2x"} {
		if got := console.Public(path); got != want {
			t.Errorf("Public(%q) = %q, want %q", path, got, want)
		}
	}
}

// FuzzRewrite checks that a rewritten target is never below /console/api itself.
func FuzzRewrite(f *testing.F) {
	f.Add("/console/api/console/api")
	f.Add("http://x/console/api?://")
	f.Fuzz(func(t *testing.T, target string) {
		if got, ok := console.Rewrite([]byte(target)); !ok && string(got) != target || ok && !strings.Contains(string(got), "/v2") {
			t.Errorf("Rewrite(%q) = %q, %t", target, got, ok)
		}
	})
}

// TestAllowed covers the rules for writes and reads of a browser.
func TestAllowed(t *testing.T) {
	const own = "https://recto.example"
	for name, tc := range map[string]struct {
		request console.Request
		want    string
	}{
		"a write":                      {console.Request{Method: "POST", Origins: []string{own}, Host: "recto.example"}, ""},
		"a write to the public URL":    {console.Request{Method: "POST", Origins: []string{own}, Host: "10.0.0.1"}, ""},
		"a write to another port":      {console.Request{Method: "POST", Origins: []string{"https://127.0.0.1:8443"}, Host: "127.0.0.1:8443"}, ""},
		"a write with metadata":        {console.Request{Method: "POST", Origins: []string{own}, Sites: []string{"same-origin"}, Host: "recto.example"}, ""},
		"without an origin":            {console.Request{Method: "POST", Host: "recto.example"}, "Origin header"},
		"two origins":                  {console.Request{Method: "DELETE", Origins: []string{own, own}, Host: "recto.example"}, "Origin header"},
		"another origin":               {console.Request{Method: "PUT", Origins: []string{"https://app.example"}, Host: "recto.example"}, "https://app.example"},
		"another scheme":               {console.Request{Method: "PATCH", Origins: []string{"http://recto.example"}, Host: "recto.example"}, "http://recto.example"},
		"an opaque origin":             {console.Request{Method: "POST", Origins: []string{"null"}, Host: "recto.example"}, "null"},
		"an unknown method":            {console.Request{Method: "BREW", Host: "recto.example"}, "Origin header"},
		"a write from the same site":   {console.Request{Method: "POST", Origins: []string{own}, Sites: []string{"same-site"}, Host: "recto.example"}, "Sec-Fetch-Site"},
		"a read":                       {console.Request{Method: "GET", API: true, Host: "recto.example"}, ""},
		"a read with metadata":         {console.Request{Method: "HEAD", API: true, Sites: []string{"same-origin"}}, ""},
		"a read from another site":     {console.Request{Method: "GET", API: true, Sites: []string{"cross-site"}}, "Sec-Fetch-Site"},
		"a read from the address bar":  {console.Request{Method: "GET", API: true, Sites: []string{"none"}}, "Sec-Fetch-Site"},
		"the page from another site":   {console.Request{Method: "GET", Sites: []string{"cross-site"}}, ""},
		"an asset from the other site": {console.Request{Method: "HEAD", Sites: []string{"cross-site"}}, ""},
	} {
		err := tc.request.Check(own)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
