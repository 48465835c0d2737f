package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// show requests images and the words of a page of a document. The requests may be
// interrupted; the page must be shown later nonetheless.
func (l *loader) show(documentID string) {
	pages := "/documents/" + documentID + "/pages"
	for _, path := range []string{"/1.png?width=600", "/1/words", "", "/1.png"} {
		if strings.HasPrefix(path, "/1.png") {
			l.p.mu.Lock()
			l.p.pages = append(l.p.pages, pages+path)
			l.p.mu.Unlock()
		}
		l.send(http.MethodGet, l.s.BaseURL+pages+path, nil, map[string]string{"x-api-key": l.s.APIKey}, nil)
	}
}

// checkPages checks that every image that was requested, answered or not, is shown.
func (p *promises) checkPages(t *testing.T, c *harness.Client) {
	t.Helper()
	for _, path := range p.pages {
		picture(t, c.Get(path))
	}
	t.Logf("%d images of pages", len(p.pages))
}
