package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// usesAPI is the script of a page. It creates a document, uploads and downloads its file
// by presigned URLs, and reads an error. It returns what it has seen.
const usesAPI = `(async () => {
  const api = %q, key = %q, file = {name: "page.txt", type: "text/plain"};
  const call = (path, more) => fetch(api + path, {...more, headers: {"x-api-key": key, "content-type": "application/json", "idempotency-key": crypto.randomUUID()}});
  try {
    const created = await call("/documents", {method: "POST", body: JSON.stringify({name: "Of a page", files: [file]})});
    const document = await created.json();
    const put = await fetch(document.files[0].upload_url, {method: "PUT", body: "written by a page", headers: {"content-type": "text/plain"}});
    const got = await (await call("/documents/" + document.id)).json();
    const download = await fetch(got.files[0].download_url);
    const refused = await fetch(api + "/documents");
    return [created.status, !!created.headers.get("x-request-id"), !!created.headers.get("ratelimit"), put.status, !!put.headers.get("etag"),
      await download.text(), download.headers.get("content-disposition"), refused.status, (await refused.json()).code].join(" ");
  } catch (e) { return String(e); }
})()`

// TestWebPage uses the API in a browser, from a page of an allowed origin and from one of
// another origin.
func TestWebPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>A page</title>"))
	}))
	t.Cleanup(server.Close)
	options := harness.Options{Env: []string{"GATEWAY_CORS_ORIGINS=" + server.URL}}
	if harness.ModeOfRun() != harness.Standalone { // whose object server follows the gateway
		options.Env = append(options.Env, "DOCUMENT_CORS_ORIGINS="+server.URL)
	}
	if harness.ModeOfRun() == harness.Standalone {
		options = harness.Options{Args: []string{"--cors-origins", server.URL}}
	}
	s := harness.Start(t, options)
	c := s.Client(t)
	var d struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", valid()).OK(&d)
	ask := map[string]string{"Origin": server.URL, "Access-Control-Request-Method": http.MethodPut, "Access-Control-Request-Headers": "content-type"}
	patience.Until(t, "the object store allows the origin", func() bool {
		a := c.Raw(http.MethodOptions, d.Files[0].UploadURL, nil, ask)
		return a.Header.Get("Access-Control-Allow-Origin") == server.URL
	})
	b := newBrowser(t, 800)
	b.open(server.URL)
	use := fmt.Sprintf(usesAPI, s.BaseURL, s.APIKey)
	var got string
	if err := b.steadily(func() error { got = evaluate[string](b, use); return nil }); err != nil {
		t.Fatal(err)
	}
	if want := `200 true true 200 true written by a page attachment; filename="page.txt" 401 2001`; got != want {
		t.Errorf("the page has seen %q, want %q", got, want)
	}
	b.open(strings.Replace(server.URL, "127.0.0.1", "localhost", 1)) // another origin
	if got := evaluate[string](b, use); !strings.Contains(got, "Failed to fetch") {
		t.Errorf("a page of another origin has seen %q", got)
	}
}

// TestNoWebPage checks that no CORS headers are sent unless the operator allows an
// origin.
func TestNoWebPage(t *testing.T) {
	c := shared.NewClient(t)
	header := map[string]string{"Origin": "https://app.example.com", "Access-Control-Request-Method": "GET"}
	for _, method := range []string{http.MethodGet, http.MethodOptions} {
		a := c.Do(harness.Request{Method: method, Path: "/me", Header: header, Undocumented: true})
		for name := range a.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s is set", method, name)
			}
		}
	}
}
