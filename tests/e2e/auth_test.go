package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// key is an API key as recto keys list --json prints it.
type key struct {
	ID             string   `json:"id"`
	OrganizationID string   `json:"organization_id"`
	Scopes         []string `json:"scopes"`
	Rate           string   `json:"rate"`
	Revoked        bool     `json:"revoked"`
	LastUsedAt     string   `json:"last_used_at"`
	Pepper         string   `json:"pepper"`
}

func recto(t *testing.T, s *harness.System, args ...string) string {
	t.Helper()
	out, err := s.Recto(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKeys checks that unknown, malformed, revoked and expired keys are refused, all
// with the same text.
func TestKeys(t *testing.T) {
	c := shared.NewClient(t)
	c.Get("/me").OK(nil)
	c.WithKey("").Get("/documents").Fails(401, 2001)
	c.Do(harness.Request{Path: "/documents", Header: map[string]string{"x-api-key": ""}}).Fails(401, 2001)
	bad := c.Key[:len(c.Key)-1] + string('a'+(c.Key[len(c.Key)-1]+1)%26)
	unknown := "rk_live_" + strings.Repeat("0", 43) + "000000"
	var texts []string
	for _, k := range []string{bad, unknown, "x", strings.ToUpper(c.Key), "Bearer " + c.Key, c.Key + c.Key} {
		p := c.WithKey(k).Get("/documents").Fails(403, 2002)
		texts = append(texts, p.Detail)
	}
	// Revoked and expired keys get the same text as malformed and unknown ones.
	revoked := shared.NewClient(t)
	revoked.Get("/me").OK(nil)
	for _, k := range decode[[]key](t, recto(t, shared, "keys", "list", "--json", "--organization", revoked.OrganizationID)) {
		recto(t, shared, "keys", "revoke", k.ID)
	}
	texts = append(texts, eventually(t, func() (string, bool) {
		a := revoked.Get("/me")
		return string(a.Body), a.Status == 403
	}).Detail)
	expiring := shared.NewClient(t, "--expires", "1s")
	texts = append(texts, eventually(t, func() (string, bool) {
		a := expiring.Get("/me")
		return string(a.Body), a.Status == 403
	}).Detail)
	for _, text := range texts {
		if text != texts[0] {
			t.Errorf("the detail for one bad key is %q, for another %q", texts[0], text)
		}
	}
}

// eventually calls ask until it returns true, and decodes the last response.
func eventually(t *testing.T, ask func() (string, bool)) harness.Problem {
	t.Helper()
	var body string
	patience.Until(t, "the expected response arrives", func() (ok bool) {
		body, ok = ask()
		if !ok {
			pause()
		}
		return ok
	})
	return decode[harness.Problem](t, body)
}

// TestKeyComesBeforeEverything checks that the key is checked before routes, methods and
// bodies.
func TestKeyComesBeforeEverything(t *testing.T) {
	c := shared.NewClient(t)
	for _, r := range []harness.Request{
		{Path: "/nothing"}, {Path: "//v2"}, {Path: "//v1/documents"}, {Path: "/documents", Method: "DELETE"},
		{Path: "/documents", Method: "FROBNICATE"}, {Path: "/documents", Method: "POST", Body: "{"}, {Path: "//docsx"}, {Path: "//livezx"},
	} {
		r.Undocumented = true
		c.WithKey("").Do(r).Fails(401, 2001)
		c.WithKey("rk_live_x").Do(r).Fails(403, 2002)
	}
	for _, path := range []string{"//", "//livez", "//readyz", "//docs", "//docs/", "//docs/errors/3001", "//openapi.json", "//v2/openapi.json", "//docs/swagger-ui.css"} {
		if a := c.WithKey("").Do(harness.Request{Path: path, Undocumented: true}); a.Status != 200 || a.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s returns %d without a key", path, a.Status)
		}
	}
}

// TestRoutes checks unknown paths, wrong methods, trailing slashes and HEAD.
func TestRoutes(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	for _, path := range []string{"/nothing", "//v2", "//v1/documents", "/Documents", "/documents//", "//v2//documents", "/documents/" + d.ID + "/versions/x", "/documents/" + d.ID + "/files"} {
		c.Do(harness.Request{Path: path, Undocumented: true}).Fails(404, 1001)
	}
	c.Do(harness.Request{Method: "FROBNICATE", Path: "/nothing", Undocumented: true}).Fails(404, 1001)
	for _, tc := range []struct{ method, path, allow string }{
		{"DELETE", "/documents", "GET, HEAD, POST"}, {"PUT", "/documents/" + d.ID, "GET, HEAD, DELETE, PATCH"}, {"PUT", "/documents/" + d.ID + "/versions", "GET, HEAD, POST"}, {"POST", "/jobs/job_x", "GET, HEAD, DELETE"}, {"GET", "/documents/" + d.ID + "/convert", "POST"},
		{"PATCH", "/insights", "POST"}, {"OPTIONS", "/me", "GET, HEAD"}, {"FROBNICATE", "/me", "GET, HEAD"}, {"TRACE", "/me", "GET, HEAD"}, {"POST", "//livez", "GET, HEAD"},
	} {
		a := c.Do(harness.Request{Method: tc.method, Path: tc.path, Undocumented: true})
		a.Fails(405, 1002)
		if got := a.Header.Get("Allow"); got != tc.allow {
			t.Errorf("%s %s: Allow is %q, want %q", tc.method, tc.path, got, tc.allow)
		}
	}
	for _, path := range []string{"/documents/", "/documents/" + d.ID + "/", "/documents/?size=1"} {
		c.Get(path).OK(nil)
	}
	get := c.Get("/documents/" + d.ID).OK(nil)
	head := c.Do(harness.Request{Method: "HEAD", Path: "/documents/" + d.ID})
	if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") || head.Header.Get("Content-Length") == "0" {
		t.Errorf("HEAD returns %d, %d bytes, %v", head.Status, len(head.Body), head.Header)
	}
	if a := c.Do(harness.Request{Method: "HEAD", Path: "/documents/doc_x"}); a.Status != 404 || len(a.Body) != 0 {
		t.Errorf("HEAD of an unknown document returns %d, %d bytes", a.Status, len(a.Body))
	}
}

// TestRequestID checks that a valid X-Request-Id is kept and any other is replaced.
func TestRequestID(t *testing.T) {
	c := shared.NewClient(t)
	for sent, kept := range map[string]bool{"abc-1.2_3:4": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "a b": false, "": false, "é": false} {
		a := c.Do(harness.Request{Path: "/me", Header: map[string]string{"X-Request-Id": sent}})
		if got := a.Header.Get("X-Request-Id"); (got == sent) != kept || got == "" {
			t.Errorf("the response to X-Request-Id %q has %q", sent, got)
		}
	}
	if a, b := c.Get("/me").Header.Get("X-Request-Id"), c.Get("/me").Header.Get("X-Request-Id"); a == b {
		t.Errorf("two requests have the same id %s", a)
	}
}

// TestScopes checks which scopes each endpoint needs.
func TestScopes(t *testing.T) {
	d := create(t, shared.NewClient(t), valid())
	type probe struct {
		method, path string
		needs        []string
	}
	probes := []probe{
		{"GET", "/documents", []string{"documents:read"}},
		{"GET", "/documents/" + d.ID, []string{"documents:read"}},
		{"POST", "/documents", []string{"documents:write"}},
		{"POST", "/documents/convert", []string{"convert"}},
		{"POST", "/documents/" + d.ID + "/convert", []string{"documents:read", "convert"}},
		{"POST", "/documents/" + d.ID + "/annotate", []string{"documents:read", "annotate"}},
		{"GET", "/documents/" + d.ID + "/fields", []string{"documents:read"}},
		{"PUT", "/documents/" + d.ID + "/fields", []string{"documents:write"}},
		{"GET", "/documents/" + d.ID + "/pages", []string{"documents:read"}},
		{"GET", "/documents/" + d.ID + "/pages/1.png", []string{"documents:read"}},
		{"GET", "/documents/" + d.ID + "/pages/1/words", []string{"documents:read"}},
		{"POST", "/insights", []string{"insights"}},
		{"GET", "/me", nil},
	}
	for _, scopes := range []string{"documents:read", "documents:write", "convert", "annotate", "insights", "documents:read,convert", "documents:read,annotate", "*"} {
		c := shared.NewClient(t, "--scopes", scopes)
		for _, p := range probes {
			lacking := ""
			for _, need := range p.needs {
				if scopes != "*" && !strings.Contains(scopes, need) && lacking == "" {
					lacking = need
				}
			}
			a := c.Do(harness.Request{Method: p.method, Path: p.path})
			if lacking == "" {
				if a.Status == 403 {
					t.Errorf("%s %s with %s: %s", p.method, p.path, scopes, a.Body)
				}
				continue
			}
			if e := a.Fails(403, 2004); !strings.Contains(e.Detail, lacking) {
				t.Errorf("%s %s with %s: the detail is %q", p.method, p.path, scopes, e.Detail)
			}
		}
	}
}

// TestMe checks what GET /me returns about a key.
func TestMe(t *testing.T) {
	c := shared.NewClient(t, "--rate", "77/min", "--scopes", "convert,insights")
	var me struct {
		Organization struct{ ID, Name string }
		User         harness.User
		Scopes       []string
		Rate         *struct {
			Requests      int
			PeriodSeconds int `json:"period_seconds"`
		}
	}
	c.Get("/me").OK(&me)
	if me.Organization.ID != c.OrganizationID || me.User != c.User || fmt.Sprint(me.Scopes) != "[convert insights]" || me.Rate == nil || me.Rate.Requests != 77 || me.Rate.PeriodSeconds != 60 {
		t.Errorf("got %+v", me)
	}
	shared.NewClient(t).Get("/me").OK(&me)
	if me.Rate != nil {
		t.Errorf("the rate of an unlimited key is %+v", me.Rate)
	}
}

var rateLimit = regexp.MustCompile(`^"default";r=(\d+);t=(\d+)$`)

// TestRateLimit checks the rate limit of a key and its headers.
func TestRateLimit(t *testing.T) {
	c := shared.NewClient(t, "--rate", "3/min")
	remaining := func(a *harness.Answer) (r, seconds int) {
		m := rateLimit.FindStringSubmatch(a.Header.Get("RateLimit"))
		if m == nil || a.Header.Get("RateLimit-Policy") != `"default";q=3;w=60` {
			t.Fatalf("RateLimit is %q, RateLimit-Policy %q", a.Header.Get("RateLimit"), a.Header.Get("RateLimit-Policy"))
		}
		r, _ = strconv.Atoi(m[1])
		seconds, _ = strconv.Atoi(m[2])
		return r, seconds
	}
	for want := 2; want >= 0; want-- {
		a := c.Get("/me").OK(nil)
		if r, _ := remaining(a); r != want {
			t.Errorf("%d requests remain, want %d", r, want)
		}
	}
	for range 2 {
		a := c.Post("/documents", "whatever {")
		a.Fails(429, 2003)
		r, seconds := remaining(a)
		if wait := a.Header.Get("Retry-After"); r != 0 || wait != strconv.Itoa(seconds) || seconds < 1 || seconds > 20 {
			t.Errorf("Retry-After is %s, RateLimit %s", wait, a.Header.Get("RateLimit"))
		}
	}
	shared.NewClient(t).Get("/me").OK(nil) // each key has its own count
	// Responses to refused requests have the headers too, but only with a key.
	unlimited := shared.NewClient(t)
	if a := unlimited.Do(harness.Request{Path: "/nothing", Undocumented: true}); a.Header.Get("RateLimit") == "" || a.Header.Get("RateLimit-Policy") == "" {
		t.Errorf("an error has the headers %v", a.Header)
	}
	if a := unlimited.WithKey("").Get("/me"); a.Header.Get("RateLimit") != "" {
		t.Error("the response to a request without a key has RateLimit")
	}
}

// TestFailedKeysAreLimited checks that an address may try only so many invalid keys.
func TestFailedKeysAreLimited(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_FAILED_KEYS=5"}})
	c := s.Client(t)
	for range 5 {
		c.WithKey("rk_live_bad").Get("/me").Fails(403, 2002)
	}
	a := c.WithKey("rk_live_bad").Get("/me")
	a.Fails(429, 2003)
	if a.Header.Get("Retry-After") == "" {
		t.Error("the response lacks Retry-After")
	}
	c.Get("/me").OK(nil) // a valid key from the same address still works
}

// TestBodies checks everything that can be wrong with a body before its fields are
// validated.
func TestBodies(t *testing.T) {
	c := shared.NewClient(t)
	post := func(body string, header map[string]string) *harness.Answer {
		return c.Do(harness.Request{Method: "POST", Path: "/documents", Body: body, Header: header})
	}
	good := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	for _, header := range []map[string]string{nil, {"Content-Type": "text/plain"}, {"Content-Type": "multipart/form-data; boundary=x"}, {"Content-Type": "application/x-www-form-urlencoded"}, {"Content-Encoding": "identity"}} {
		post(good, header).OK(nil)
	}
	post(" \n"+good+"\t ", nil).OK(nil)
	post(strings.Repeat(" ", 400)+good, map[string]string{"Content-Type": "multipart/form-data; boundary=x"}).OK(nil)
	for name, body := range map[string]string{
		"empty": "", "blank": " \n", "not JSON": "name=x", "truncated": good[:20], "two values": good + good, "text after it": good + "x",
		"a byte order mark": "\ufeff" + good, "not UTF-8": strings.Replace(good, "x", "\xff", 1), "a lone surrogate": strings.Replace(good, "x", `\ud800`, 1),
		"single quotes": strings.ReplaceAll(good, `"`, "'"), "a trailing comma": `{"name":"x",}`, "a comment": "/* */" + good,
		"nested too deep": `{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "nested very deep": strings.Repeat("[", 100_000),
		"NaN": `{"name":NaN}`, "a control character": "{\"name\":\"\x01\"}",
	} {
		if p := post(body, nil).Fails(400, 3001); p.Errors != nil || p.Detail == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	post(`{"x":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`, nil).FailsWith(3001, "name required", "files required", "x unrecognized_key")
	for _, body := range []string{"null", "[]", `"x"`, "7", "true"} {
		post(body, nil).FailsWith(3003, " invalid_type")
	}
	post(`{"name":"x","name":"y","files":[{"name":"a.docx","type":"a/b","type":"a/b"}]}`, nil).
		FailsWith(3001, "name duplicate_key", "files.0.type duplicate_key")
	post(`{"name":"x","n\u0061me":"y","files":[{"name":"a.docx","type":"a/b"}]}`, nil).FailsWith(3001, "name duplicate_key")
	post(good, map[string]string{"Content-Encoding": "gzip"}).Fails(400, 3001)
	var members []string
	for i := range 10_001 {
		members = append(members, fmt.Sprintf(`"m%d":1`, i))
	}
	post("{"+strings.Join(members, ",")+"}", nil).Fails(400, 3001)
	if p := post("{"+strings.Join(members[:10_000], ",")+"}", nil).Fails(400, 3001); len(p.Errors) != 102 {
		t.Errorf("10000 unknown members cause %d entries, want 102", len(p.Errors))
	}
}

// TestBodySize checks the limits on bodies and URLs.
func TestBodySize(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"GATEWAY_MAX_BODY=100000", "GATEWAY_BODY_MEMORY=134217728"}})
	c := s.Client(t)
	fits := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	fits += strings.Repeat(" ", 100_000-len(fits))
	c.Do(harness.Request{Method: "POST", Path: "/documents", Body: fits}).OK(nil)
	for _, path := range []string{"/documents", "/documents/convert", "/insights"} {
		c.Do(harness.Request{Method: "POST", Path: path, Body: fits + " "}).Fails(413, 3004)
		chunked := struct{ *strings.Reader }{strings.NewReader(fits + strings.Repeat(" ", 1<<20))} // no Content-Length
		c.Do(harness.Request{Method: "POST", Path: path, Body: chunked}).Fails(413, 3004)
	}
	c.Do(harness.Request{Method: "POST", Path: "/documents", Body: struct{ *strings.Reader }{strings.NewReader(fits)}}).OK(nil)
	c.Get("/documents?x="+strings.Repeat("y", 40_000)).Fails(413, 3004)
}

// TestHealth checks /livez and /readyz.
func TestHealth(t *testing.T) {
	c := shared.NewClient(t)
	var body struct {
		Status string
		Parts  map[string]string
	}
	for path, want := range map[string]string{"//livez": "live", "//readyz": "ready"} {
		a := c.Do(harness.Request{Path: path, Undocumented: true})
		if err := json.Unmarshal(a.Body, &body); err != nil || a.Status != http.StatusOK || body.Status != want {
			t.Errorf("%s returns %d %s", path, a.Status, a.Body)
		}
	}
	if len(body.Parts) == 0 {
		c.Do(harness.Request{Path: "//readyz", Undocumented: true}).OK(&body)
	}
	parts := []string{"gateway"}
	if harness.ModeOfRun() == harness.Standalone { // otherwise each service reports its own health
		parts = append(parts, "document", "conversion", "annotation", "insight")
	}
	for _, part := range parts {
		if body.Parts[part] != "ready" {
			t.Errorf("%s is %q", part, body.Parts[part])
		}
	}
}

// TestFormInPlaceOfJSON sends a multipart form to endpoints that expect JSON.
func TestFormInPlaceOfJSON(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", harness.Contract())
	form := "--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{}\r\n--x--\r\n"
	for _, route := range []struct{ method, path string }{
		{"POST", "/insights"}, {"POST", "/documents/" + d.ID + "/annotate"}, {"PUT", "/documents/" + d.ID + "/fields"},
		{"PATCH", "/documents/" + d.ID}, {"POST", "/documents/" + d.ID + "/versions"},
	} {
		p := c.Do(harness.Request{Method: route.method, Path: route.path, Body: form, Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}}).Fails(400, 3001)
		if p.Detail != "The body is a multipart form. Send JSON." {
			t.Errorf("%s %s: %s", route.method, route.path, p.Detail)
		}
	}
}
