package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/problem"
)

const png = "the bytes of the image"

// album is a conversion service with pages, and the object store with their images.
type album struct {
	store  *httptest.Server
	status int // of the store
	reads  atomic.Int32
	asked  conversionapi.PageImageRequest
}

// image implements conversionapi.PageImage. It has page 1 of doc_1.
func (a *album) image(_ context.Context, _ contract.Principal, r conversionapi.PageImageRequest) (conversionapi.PageImageResponse, error) {
	a.asked = r
	if r.PageNumber != 1 {
		return conversionapi.PageImageResponse{}, conversionapi.NoPage()
	}
	image := conversionapi.PageImageResponse{ETag: `"tag"`}
	if !slices.Contains(r.Known, image.ETag) {
		image.URL, image.Size = a.store.URL+"/?signature=secret", int64(len(png))
	}
	return image, nil
}

func serveAlbum(t *testing.T) (*gateway, *album) {
	t.Helper()
	g, a := serve(t), &album{status: http.StatusOK}
	a.store = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a.reads.Add(1)
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, png)
	}))
	t.Cleanup(a.store.Close)
	server := g.begin(t, conversionapi.Service)
	if err := bus.Handle(server, conversionapi.PageImage, a.image); err != nil {
		t.Fatal(err)
	}
	return g, a
}

// send sends a request without a body. Header holds names and values in turn.
func (g *gateway) send(t *testing.T, method, path string, header ...string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"X-Forwarded-Proto": {"https"}, "X-Api-Key": {g.key}}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	return roundTrip(t, request)
}

// TestPageImage checks the headers of the image of a page, and when it is read from the
// object store.
func TestPageImage(t *testing.T) {
	g, a := serveAlbum(t)
	const path = "/v2/documents/doc_1/pages/1.png"
	for _, test := range []struct {
		name, method, path string
		header             []string
		status             int
		cache, length      string
		reads              int32
	}{
		{"the latest", "GET", path, nil, 200, "private, no-cache", fmt.Sprint(len(png)), 1},
		{"a version", "GET", path + "?version_number=3", nil, 200, "private, max-age=86400", fmt.Sprint(len(png)), 1},
		{"another is known", "GET", path, []string{"If-None-Match", `"other"`}, 200, "private, no-cache", fmt.Sprint(len(png)), 1},
		{"known", "GET", path, []string{"If-None-Match", `"other"`, "If-None-Match", `W/"tag"`}, 304, "private, no-cache", "", 0},
		{"any is known", "GET", path + "?version_number=3", []string{"If-None-Match", "*"}, 304, "private, max-age=86400", "", 0},
		{"HEAD", "HEAD", path, nil, 200, "private, no-cache", fmt.Sprint(len(png)), 0},
		{"no page", "GET", "/v2/documents/doc_1/pages/2.png", nil, 404, "no-store", "", 0},
	} {
		before := a.reads.Load()
		got := g.send(t, test.method, test.path, test.header...)
		good := got.status == test.status && got.header.Get("Cache-Control") == test.cache && a.reads.Load()-before == test.reads
		if test.length != "" {
			good = good && got.header.Get("Content-Length") == test.length && got.header.Get("Content-Type") == "image/png"
		}
		if test.status < 400 {
			good = good && got.header.Get("ETag") == `"tag"` && strings.Contains(strings.Join(got.header.Values("Vary"), ","), "X-Api-Key")
			good = good && (got.body == png) == (test.reads > 0)
		}
		if !good {
			t.Errorf("%s: got %d %v %q, %d reads", test.name, got.status, got.header, got.body, a.reads.Load()-before)
		}
	}
	g.send(t, "GET", "/v2/documents/doc%201/pages/1.png?width=77&version_number=3")
	if a.asked.DocumentID != "doc 1" || a.asked.Width != 77 || a.asked.Version.Number != 3 || a.asked.PageNumber != 1 {
		t.Errorf("asked for %+v", a.asked)
	}
	if g.send(t, "GET", path); a.asked.Width != conversionapi.DefaultImageWidth || a.asked.Version.Given {
		t.Errorf("asked for %+v", a.asked)
	}
}

// TestPageImageOutage checks that the response asks the client to retry if the object store
// fails, and that it reveals nothing of the presigned URL.
func TestPageImageOutage(t *testing.T) {
	g, a := serveAlbum(t)
	const path = "/v2/documents/doc_1/pages/1.png"
	check := func(name string) {
		t.Helper()
		got := g.send(t, "GET", path)
		got.is(t, 503, "The object store is unavailable", false)
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag") != "" || strings.Contains(got.body, "secret") {
			t.Errorf("%s: %v %s", name, got.header, got.body)
		}
	}
	a.status = http.StatusForbidden
	check("refused")
	a.store.Close()
	check("gone")
}

// TestPageScope checks that an image needs the scope documents:read.
func TestPageScope(t *testing.T) {
	g, _ := serveAlbum(t)
	_, secret, err := identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: []contract.Scope{contract.ScopeConvert}})
	if err != nil {
		t.Fatal(err)
	}
	g.key = secret
	if got := g.send(t, "GET", "/v2/documents/doc_1/pages/1.png"); got.status != 403 || !strings.Contains(got.body, fmt.Sprint(int(problem.PermissionDenied))) {
		t.Errorf("got %+v", got)
	}
}
