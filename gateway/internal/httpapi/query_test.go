package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// entriesOf returns the entries of an error as "path code", in order.
func entriesOf(t *testing.T, body string) string {
	t.Helper()
	var failure struct {
		Errors []struct {
			Path string `json:"path"`
			Code string `json:"code"`
		} `json:"errors"`
	}
	if err := json.Unmarshal([]byte(body), &failure); err != nil {
		t.Errorf("%s: %v", body, err)
	}
	var entries []string
	for _, e := range failure.Errors {
		entries = append(entries, e.Path+" "+e.Code)
	}
	return strings.Join(entries, ", ")
}

func TestUnknownParameters(t *testing.T) {
	g, s := serveAll(t)
	for _, tc := range []struct{ method, path, want string }{
		{"POST", "/v2/documents/doc_x/annotate?dryrun=true", "dryrun unknown_parameter"},
		{"POST", "/v2/documents/doc_x/annotate?flatten=1&x&version_number=x", "flatten invalid_type, x unknown_parameter, version_number version_invalid"},
		{"POST", "/v2/documents/doc_x/convert?version=99", "version unknown_parameter"},
		{"POST", "/v2/documents/doc_x/convert?format=docx&x=1", "format format_unsupported, x unknown_parameter"},
		{"GET", "/v2/documents?size=0&STATE=draft", "size out_of_range, STATE unknown_parameter"},
		{"GET", "/v2/documents/doc_x/versions?state=draft&page=x", "state unknown_parameter, page invalid_type"},
		{"GET", "/v2/documents/doc_x?dry_run=true", "dry_run unknown_parameter"},
		{"PUT", "/v2/documents/doc_x/fields?x=1", "x unknown_parameter"},
		{"POST", "/v2/documents?x=1", "x unknown_parameter"},
		{"POST", "/v2/documents/convert?format=pdf", "format unknown_parameter"},
		{"POST", "/v2/insights?stream=true", "stream unknown_parameter"},
		{"GET", "/v2/jobs/job_done?x=1", "x unknown_parameter"},
		{"DELETE", "/v2/jobs/job_queued/?x=1", "x unknown_parameter"},
		{"GET", "/v2/me?x=1", "x unknown_parameter"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), tc.method, g.url+tc.path, strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		status, body := g.do(t, request, "Idempotency-Key", tc.path)
		if got := entriesOf(t, body); status != 400 || !strings.Contains(body, `"code":3001`) || got != tc.want {
			t.Errorf("%s %s: got %d %s, want %s", tc.method, tc.path, status, body, tc.want)
		}
	}
	if s.conversions != 0 || len(s.annotations) != 0 {
		t.Errorf("the services got %d conversions and %+v", s.conversions, s.annotations)
	}
}

// TestUnknownParametersOfPublicPages checks that public pages accept any parameter, since
// browsers and probes add their own.
func TestUnknownParametersOfPublicPages(t *testing.T) {
	g, _ := serveAll(t)
	for _, path := range []string{"/livez", "/readyz", "/openapi.json", "/v2/openapi.json", "/docs", "/docs/errors", "/docs/errors/3001", "/docs/docs.css"} {
		if status, body := g.get(t, path+"?utm_source=x"); status != 200 {
			t.Errorf("%s: got %d %.200s", path, status, body)
		}
	}
}

// TestUnknownParametersBeforeTheBody declares a longer body than it sends: the error does
// not wait for the rest.
func TestUnknownParametersBeforeTheBody(t *testing.T) {
	g, _ := serveAll(t)
	for _, path := range []string{"/v2/documents", "/v2/documents/convert", "/v2/documents/doc_x/annotate", "/v2/insights"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "POST %s?x=1 HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\nx-api-key: %s\r\nContent-Length: 1000000\r\n\r\n%s",
			path, g.key, strings.Repeat(" ", 16<<10)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if got := entriesOf(t, string(body)); err != nil || response.StatusCode != 400 || got != "x unknown_parameter" {
			t.Errorf("%s: got %d %s, %v", path, response.StatusCode, body, err)
		}
	}
}

func TestParametersGivenTwice(t *testing.T) {
	g, s := serveAll(t)
	for query, want := range map[string]string{
		"format=pdf&format=pdf":               "format format_unsupported",
		"version_number=1&version_number=1":   "version_number version_invalid",
		"version_number=%zz":                  "version_number version_invalid",
		"format=%zz":                          "format format_unsupported",
		"version_number=1;format=pdf":         "version_number version_invalid",
		"version_number=1&version%5Fnumber=1": "version_number version_invalid",
	} {
		r := g.post(t, "/v2/documents/doc_x/convert?"+query, "")
		if got := entriesOf(t, r.body); r.status != 400 || got != want {
			t.Errorf("%s: got %d %s, want %s", query, r.status, r.body, want)
		}
	}
	if s.conversions != 0 {
		t.Errorf("the service got %d conversions, want 0", s.conversions)
	}
}
