package e2e

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// repeat sends a POST with an Idempotency-Key.
func repeat(c *harness.Client, key, path string, body any, header ...string) *harness.Answer {
	r := harness.Request{Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Idempotency-Key": key}}
	for i := 0; i < len(header); i += 2 {
		r.Header[header[i]] = header[i+1]
	}
	return c.Do(r)
}

// isReplay reports whether a response is marked as the replay of an earlier one.
func isReplay(a *harness.Answer) bool { return a.Header.Get("Idempotency-Replayed") == "true" }

// TestIdempotentCreate repeats the creation of a document with an Idempotency-Key.
func TestIdempotentCreate(t *testing.T) {
	c := shared.NewClient(t)
	var first, again document
	if isReplay(repeat(c, "one", "/documents", valid()).OK(&first)) {
		t.Error("the first response is marked as a replay")
	}
	c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + first.ID, Body: object{"name": "changed"}}).OK(nil)
	if !isReplay(repeat(c, "one", "/documents", valid()).OK(&again)) {
		t.Error("the second response is not marked as a replay")
	}
	put(t, c, again.Files[0].UploadURL, []byte("text"))
	first.Files[0].UploadURL, again.Files[0].UploadURL = "", ""
	if !reflect.DeepEqual(first, again) {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if got := content(t, c, "/documents/"+first.ID); got != "text" {
		t.Errorf("the content uploaded by the URL of the replay is %q", got)
	}
	p := repeat(c, "one", "/documents", with("name", "other")).Fails(409, 4009)
	if !strings.Contains(p.Detail, "a different request") {
		t.Errorf("the detail is %q", p.Detail)
	}
	var other document
	repeat(c, "two", "/documents", valid()).OK(&other)
	repeat(shared.NewClient(t), "one", "/documents", valid()).OK(&again)
	if other.ID == first.ID || again.ID == first.ID {
		t.Error("another key or another organization got the same document")
	}
	var list struct{ Total int }
	if c.Get("/documents").OK(&list); list.Total != 2 {
		t.Errorf("there are %d documents, want 2", list.Total)
	}
}

// TestIdempotencyRules checks which keys are valid, and which responses are replayed.
func TestIdempotencyRules(t *testing.T) {
	c := shared.NewClient(t)
	for _, key := range []string{strings.Repeat("x", 256), "\u00e9", "a\tb"} {
		repeat(c, key, "/documents", valid()).Fails(400, 3001)
	}
	repeat(c, strings.Repeat("x", 255), "/documents", valid()).OK(nil)
	// A failed request may be repeated with the same key, even with another body.
	repeat(c, "failed", "/documents", object{}).Fails(400, 3002)
	repeat(c, "failed", "/documents", valid()).OK(nil)
	// Inline conversion ignores the key.
	for range 2 {
		if isReplay(repeat(c, "inline", "/documents/convert", inlineBody("a.pdf", onePagePDF())).OK(nil)) {
			t.Error("an inline conversion was replayed")
		}
	}
	d := create(t, c, valid())
	repeat(c, "not kept", "/documents/"+d.ID+"/convert", nil).Fails(400, 3001)
	put(t, c, d.Files[0].UploadURL, testdata(t, "agreement.docx"))
	repeat(c, "not kept", "/documents/"+d.ID+"/convert", nil).OK(nil)
	// Another path is another request.
	repeat(c, "not kept", "/documents/"+create(t, c, valid()).ID+"/convert", nil).Fails(409, 4009)
}

// TestIdempotentVersions repeats the creation of a version with an Idempotency-Key.
func TestIdempotentVersions(t *testing.T) {
	c := shared.NewClient(t)
	path := "/documents/" + create(t, c, valid()).ID + "/versions"
	var first, again document
	repeat(c, "one", path, newVersion("a.docx")).OK(&first)
	c.Post(path, newVersion("b.docx")).OK(nil)
	if a := repeat(c, "one", path, newVersion("a.docx")).OK(&again); !isReplay(a) || again.VersionNumber != 2 || again.Files[0].ID != first.Files[0].ID {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	var list versions
	if c.Get(path).OK(&list); list.Total != 3 {
		t.Errorf("there are %d versions, want 3", list.Total)
	}
	c.Do(harness.Request{Method: http.MethodDelete, Path: strings.TrimSuffix(path, "/versions")}).OK(nil)
	if !isReplay(repeat(c, "one", path, newVersion("a.docx")).OK(&again)) {
		t.Error("the response is no longer replayed after the document was deleted")
	}
}

// TestIdempotentConvert repeats conversions, synchronous and asynchronous, with an
// Idempotency-Key.
func TestIdempotentConvert(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	path := "/documents/" + d.ID + "/convert"
	var first, again converted
	repeat(c, "one", path, nil).OK(&first)
	c.Post("/documents/"+d.ID+"/versions", newVersion("b.docx")).OK(nil) // never uploaded
	if !isReplay(repeat(c, "one", path, nil).OK(&again)) || again.ExpiresAt < first.ExpiresAt {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if text := pdfText(t, c.Raw(http.MethodGet, again.DownloadURL, nil, nil).Body); !strings.Contains(text, "Consulting Agreement") {
		t.Errorf("the PDF says %q", text)
	}
	c.Post(path, nil).Fails(400, 3001)
	repeat(c, "one", path, nil, "Prefer", "respond-async").Fails(409, 4009)
	var job, same accepted
	repeat(c, "job", path+"?version_number=1", nil, "Prefer", "respond-async").Accepted(&job)
	a := repeat(c, "job", path+"?version_number=1", nil, "Prefer", "respond-async").Accepted(&same)
	if !isReplay(a) || job.ID != same.ID || a.Header.Get("Location") != "/v2/jobs/"+job.ID {
		t.Errorf("first %+v\nagain %+v, %v", job, same, a.Header)
	}
}

// TestIdempotencyRace sends the same request from many clients at once. It creates one
// document, and every client gets that document or is asked to retry.
func TestIdempotencyRace(t *testing.T) {
	c := shared.NewClient(t)
	ids := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a := repeat(c, "one", "/documents", valid())
			for ; a.Status == http.StatusConflict; a = repeat(c, "one", "/documents", valid()) {
				if a.Header.Get("Retry-After") != "1" {
					t.Errorf("the response while the request is running has the headers %v", a.Header)
				}
				pause()
			}
			var d document
			a.OK(&d)
			mu.Lock()
			defer mu.Unlock()
			ids[d.ID]++
		})
	}
	wg.Wait()
	var list struct{ Total int }
	if c.Get("/documents").OK(&list); list.Total != 1 || len(ids) != 1 {
		t.Errorf("there are %d documents, want 1; clients got %v", list.Total, ids)
	}
}
