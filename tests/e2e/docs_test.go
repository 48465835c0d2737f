package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to break a database

	"github.com/rectohq/recto/tests/harness"
)

var update = flag.Bool("update", false, "rewrite the examples of the error pages and the picture of the README")

// TestErrorExamples provokes every error code that a request can cause, and compares the
// responses with the examples on the error pages.
func TestErrorExamples(t *testing.T) {
	harness.StandaloneOnly(t)
	c := shared.NewClient(t)
	d := create(t, c, valid())
	const nobody = "doc_01h455vb4pex5vsknk084sn02q"
	oneRequest := shared.NewClient(t, "--rate", "1/min")
	oneRequest.Get("/me")
	key := "rk_live_…"
	type example struct {
		code    int
		client  *harness.Client
		key     string // the key as shown, "" for none
		request harness.Request
		body    string // the request body as shown
	}
	post := func(path, body string) harness.Request {
		return harness.Request{Method: "POST", Path: path, Body: body}
	}
	wrong := `{"name": 7, "files": [{"name": "agreement.docx", "type": "application/pdf"}]}`
	invalid := `{"name": "Agreement", "files": [{"name": "agreement", "type": "pdf"}], "state": "active"}`
	missing := `{"name": "Agreement", "files": [{"name": "agreement.docx"}]}`
	agreement := `{"name": "Agreement", "files": [{"name": "agreement.docx", "type": "application/pdf"}]}`
	conflicting := post("/documents", agreement)
	conflicting.Header = map[string]string{"Idempotency-Key": "order-4711"}
	repeat(c, "order-4711", "/documents", valid()).OK(nil)
	for _, e := range []example{
		{1001, c, key, harness.Request{Path: "/agreements", Undocumented: true}, ""},
		{1002, c, key, harness.Request{Method: "DELETE", Path: "/documents", Undocumented: true}, ""},
		{2001, c.WithKey(""), "", harness.Request{Path: "/documents"}, ""},
		{2002, c.WithKey("rk_live_x"), key, harness.Request{Path: "/documents"}, ""},
		{2003, oneRequest, key, harness.Request{Path: "/documents"}, ""},
		{2004, shared.NewClient(t, "--scopes", "convert"), key, harness.Request{Path: "/documents"}, ""},
		{3001, c, key, post("/documents", invalid), invalid},
		{3002, c, key, post("/documents", missing), missing},
		{3003, c, key, post("/documents", wrong), wrong},
		{4001, c, key, harness.Request{Path: "/documents/" + nobody}, ""},
		{4002, c, key, harness.Request{Path: "/documents/" + d.ID + "?version_number=7"}, ""},
		{4009, c, key, conflicting, agreement},
	} {
		a := e.client.Do(e.request)
		checkExample(t, e.code, e.key, e.request, e.body, a.Status, a.Header, a.Body, d.ID, nobody)
	}
	t.Run("1003", func(t *testing.T) {
		response, err := http.Get("http://" + host(shared) + "/v2/documents")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var body bytes.Buffer
		_, _ = body.ReadFrom(response.Body)
		checkExample(t, 1003, key, harness.Request{Path: "/documents"}, "", response.StatusCode, response.Header, body.Bytes())
	})
	t.Run("3004", func(t *testing.T) {
		s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_MAX_BODY=1000"}})
		r := post("/documents", strings.Repeat(" ", 2000))
		a := s.Client(t).Do(r)
		checkExample(t, 3004, key, r, "…", a.Status, a.Header, bytes.Replace(a.Body, []byte("1000 bytes"), []byte("64 MiB (67108864 bytes)"), 1))
	})
	t.Run("5003", func(t *testing.T) {
		s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_MAX_BODY=1000", "GATEWAY_MAX_ANNOTATE_BODY=1000", "GATEWAY_BODY_MEMORY=1000"}})
		r := post("/documents", agreement)
		r.Body = struct{ io.Reader }{strings.NewReader(agreement)} // no Content-Length
		a := s.Client(t).Do(r)
		checkExample(t, 5003, key, r, agreement, a.Status, a.Header, a.Body)
	})
	t.Run("5000", func(t *testing.T) {
		s := harness.Start(t, harness.Options{})
		breakDatabase(t, filepath.Join(s.Dir, "document.db"))
		r := harness.Request{Path: "/documents/" + nobody}
		a := s.Client(t).Do(r)
		checkExample(t, 5000, key, r, "", a.Status, a.Header, a.Body)
		if bytes.Contains(a.Body, []byte("documents:")) || bytes.Contains(a.Body, []byte("SQL")) {
			t.Errorf("the response reveals internals: %s", a.Body)
		}
		s.Shows(t, a.Header.Get("X-Request-Id"), "no such table")
	})
	t.Run("5004", func(t *testing.T) {
		s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_BUDGET=1ns"}})
		r := harness.Request{Path: "/documents/" + nobody}
		a := s.Client(t).Do(r)
		checkExample(t, 5004, key, r, "", a.Status, a.Header, a.Body)
	})
}

// breakDatabase drops the table of documents.
func breakDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DROP TABLE documents"); err != nil {
		t.Fatal(err)
	}
}

var (
	address = regexp.MustCompile(`https://127\.0\.0\.1:\d+`)
	// wait matches the time until the next request of one per minute is allowed. On a slow
	// machine part of the minute has already passed.
	wait = regexp.MustCompile(`(Retry-After: |Retry after )[1-6]\d\b`)
)

// checkExample compares a response with the example of its code, after replacing
// everything that differs from run to run.
func checkExample(t *testing.T, code int, key string, r harness.Request, body string, status int, header http.Header, answer []byte, ids ...string) {
	t.Helper()
	var out strings.Builder
	method := r.Method
	if method == "" {
		method = "GET"
	}
	fmt.Fprintf(&out, "%s /v2%s\n", method, r.Path)
	if key != "" {
		fmt.Fprintf(&out, "x-api-key: %s\n", key)
	}
	if v := r.Header["Idempotency-Key"]; v != "" {
		fmt.Fprintf(&out, "Idempotency-Key: %s\n", v)
	}
	if body != "" {
		fmt.Fprintf(&out, "\n%s\n", body)
	}
	fmt.Fprintf(&out, "\n%d %s\n", status, http.StatusText(status))
	for _, name := range []string{"Allow", "Retry-After"} {
		if v := header.Get(name); v != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, v)
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		t.Fatalf("%d: %s: %v", code, answer, err)
	}
	if !bytes.Contains(answer, fmt.Appendf(nil, `"code":%d,`, code)) {
		t.Fatalf("%d is not provoked: %s", code, answer)
	}
	fmt.Fprintf(&out, "\n%s\n", &pretty)
	text := address.ReplaceAllString(out.String(), "https://recto.example")
	text = wait.ReplaceAllString(text, "${1}60")
	if len(ids) > 0 {
		text = strings.ReplaceAll(text, ids[0], "doc_01h455vb4pex5vsknk084sn02q")
	}
	path := filepath.Join(harness.Root(), "gateway", "internal", "apidoc", "examples", fmt.Sprintf("%d.txt", code))
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != text {
		t.Errorf("the example of %d differs from the response (%v): run go test ./e2e -run TestErrorExamples -update\n%s", code, err, text)
	}
}

// TestErrorPages checks that the docs URL of an error leads to a page about its code.
func TestErrorPages(t *testing.T) {
	c := shared.NewClient(t).WithKey("")
	p := c.Get("/documents").Fails(401, 2001)
	a := c.Raw(http.MethodGet, p.Docs, nil, nil)
	if a.Status != 200 || !strings.Contains(string(a.Body), "Missing API key") || !strings.Contains(a.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s returns %d %s", p.Docs, a.Status, a.Body)
	}
	if policy := a.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") {
		t.Errorf("the policy is %q", policy)
	}
	for _, path := range []string{"//docs/errors/9999", "//docs/nothing.css", "//docs/errors/3001/x"} {
		c.Do(harness.Request{Path: path, Undocumented: true}).Fails(404, 1001)
	}
}

// TestPagesAreSelfContained checks that pages load nothing from other hosts.
func TestPagesAreSelfContained(t *testing.T) {
	c := shared.NewClient(t)
	for _, path := range []string{"//docs", "//docs/errors", "//docs/errors/3001"} {
		page := string(c.Do(harness.Request{Path: path, Undocumented: true}).Body)
		for _, loaded := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			target := loaded[1]
			if strings.HasPrefix(target, "data:") || strings.HasPrefix(target, "#") {
				continue
			}
			if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
				t.Errorf("%s refers to %s", path, target)
			} else if a := c.WithKey("").Do(harness.Request{Path: "/" + target, Undocumented: true}); a.Status != 200 {
				t.Errorf("%s refers to %s, which returns %d", path, target, a.Status)
			}
		}
	}
}

// TestRoutesAreDescribed checks that every route is in the OpenAPI description and every
// described path has a route.
func TestRoutesAreDescribed(t *testing.T) {
	c := shared.NewClient(t)
	var description struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	c.Do(harness.Request{Path: "/openapi.json"}).OK(&description)
	if len(description.Paths) == 0 {
		t.Fatal("no path is described")
	}
	for path, methods := range description.Paths {
		filled := strings.NewReplacer("{document_id}", "doc_x", "{job_id}", "job_x").Replace(path)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			_, described := methods[strings.ToLower(method)]
			a := c.Do(harness.Request{Method: method, Path: filled, Undocumented: true})
			var p harness.Problem
			_ = json.Unmarshal(a.Body, &p)
			// A path with a fixed last part may also match a path with an id.
			noRoute := p.Code == 1001 && !strings.Contains(p.Detail, "has no job")
			if exists := !noRoute && p.Code != 1002; exists != described && path != "/documents/convert" {
				t.Errorf("%s %s: described is %v, but it returns %d", method, path, described, p.Code)
			}
		}
	}
}
