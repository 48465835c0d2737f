package cors_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/cors"
)

// settings declares origins as a part does.
type settings struct {
	Origins cors.Origins `env:"PART_CORS_ORIGINS"`
}

func (s settings) Validate() []error {
	var p config.Problems
	s.Origins.Check(&p, "PART_CORS_ORIGINS")
	return p
}

func TestOrigins(t *testing.T) {
	for value, want := range map[string]string{ // part of the problem, or "" for none
		"":                        "",
		"*":                       "",
		"https://app.example.com": "",
		"http://localhost:3000":   "",
		"http://[::1]:3000, https://a.example,https://xn--bcher-kva.example": "",
		"https://app.example.com/":  "origin 1 must be https:// or http://",
		"app.example.com":           "origin 1 must be https:// or http://",
		"https://a.example,null":    "origin 2 must be https:// or http://",
		"ftp://a.example":           "origin 1 must be https:// or http://",
		"https://user:pw@a.example": "origin 1 must be https:// or http://",
		"https://a.example,":        "origin 2 is empty",
		"*,https://a.example":       "origin 1 must be https:// or http://",
		"https://*.example.com":     "origin 1 must be exact",
		"https://App.example.com":   "origin 1 must be written as browsers send it",
		"https://a.example:443":     "origin 1 must be written as browsers send it",
		"http://a.example:80":       "origin 1 must be written as browsers send it",
		"https://a.example:":        "origin 1 must be written as browsers send it",
		"https://bücher.example":    "origin 1 must be written as browsers send it",
	} {
		var s settings
		err := config.Load([]string{"PART_CORS_ORIGINS=" + value}, "PART_", &s)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", value, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "PART_CORS_ORIGINS: "+want)):
			t.Errorf("%q: got %v, want %q", value, err, want)
		case err != nil && strings.Contains(err.Error(), "pw"):
			t.Errorf("%q: the problem repeats the password: %v", value, err)
		}
	}
}

func TestAllow(t *testing.T) {
	list := cors.Origins{"https://a.example", "http://localhost:3000"}
	for name, tc := range map[string]struct {
		origins       cors.Origins
		origin        string
		allowed, vary string
	}{
		"off":                   {nil, "https://a.example", "", ""},
		"listed":                {list, "https://a.example", "https://a.example", "Origin"},
		"listed second":         {list, "http://localhost:3000", "http://localhost:3000", "Origin"},
		"not listed":            {list, "https://b.example", "", "Origin"},
		"another scheme":        {list, "http://a.example", "", "Origin"},
		"a prefix":              {list, "https://a.example.evil.example", "", "Origin"},
		"no page":               {list, "", "", "Origin"},
		"a page without origin": {list, "null", "", "Origin"},
		"a star":                {list, "*", "", "Origin"},
		"every origin":          {cors.Origins{"*"}, "https://b.example", "*", ""},
		"every origin, no page": {cors.Origins{"*"}, "", "", ""},
	} {
		h := http.Header{}
		p := cors.Policy{Origins: tc.origins, Exposed: []string{"ETag", "X-A"}}
		if got := p.Allow(h, tc.origin); got != (tc.allowed != "") {
			t.Errorf("%s: allowed is %v", name, got)
		}
		if got := h.Get("Access-Control-Allow-Origin"); got != tc.allowed || h.Get("Vary") != tc.vary {
			t.Errorf("%s: %v", name, h)
		}
		if exposed := h.Get("Access-Control-Expose-Headers"); (exposed == "ETag, X-A") != (tc.allowed != "") {
			t.Errorf("%s: exposed is %q", name, exposed)
		}
		if h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", name)
		}
	}
}

func TestPreflight(t *testing.T) {
	h := http.Header{}
	cors.Policy{Methods: []string{"GET", "PUT"}, Headers: []string{"x-api-key"}}.Preflight(h)
	if h.Get("Access-Control-Allow-Methods") != "GET, PUT" || h.Get("Access-Control-Allow-Headers") != "x-api-key" || h.Get("Access-Control-Max-Age") != "7200" {
		t.Errorf("%v", h)
	}
	if !cors.IsPreflight("OPTIONS", "PUT") || cors.IsPreflight("OPTIONS", "") || cors.IsPreflight("PUT", "PUT") {
		t.Error("IsPreflight is wrong for some requests")
	}
}
