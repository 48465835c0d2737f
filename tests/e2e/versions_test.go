package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

type versions struct {
	Items []struct {
		VersionNumber int          `json:"version_number"`
		CreatedAt     int64        `json:"created_at"`
		CreatedBy     harness.User `json:"created_by"`
		Files         []struct {
			ID, Name, Type string
			Size           *int64
			SHA256         *string
		}
	}
	Total, Page, Size, Pages int
}

// newVersion returns a body of Create Version.
func newVersion(name string) object {
	return object{"files": []object{{"name": name, "type": docxType}}}
}

// put uploads content.
func put(t *testing.T, c *harness.Client, url string, content []byte) {
	t.Helper()
	if a := c.Raw(http.MethodPut, url, content, nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
}

// lateStatus returns the status of an upload after the file is sealed. An external object
// store accepts it, without effect.
func lateStatus() int {
	if harness.ModeOfRun() == harness.Standalone {
		return http.StatusConflict
	}
	return http.StatusOK
}

// putLate uploads content after the file is sealed.
func putLate(t *testing.T, c *harness.Client, url string, content []byte) {
	t.Helper()
	a := c.Raw(http.MethodPut, url, content, nil)
	if a.Status != lateStatus() || a.Status == http.StatusConflict && !strings.Contains(string(a.Body), "create a new version") {
		t.Errorf("an upload after sealing returns %d %s", a.Status, a.Body)
	}
}

// content downloads the only file of a document.
func content(t *testing.T, c *harness.Client, path string) string {
	t.Helper()
	var d document
	c.Get(path).OK(&d)
	return string(c.Raw(http.MethodGet, d.Files[0].DownloadURL, nil, nil).Body)
}

// TestVersions adds a version to a document, and gets, converts and lists both.
func TestVersions(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.txt", []byte("first"))
	path := "/documents/" + d.ID
	var second document
	c.Post(path+"/versions", object{"files": []object{{"name": "b.txt", "type": "text/plain"}}, "updated_by": "somebody"}).OK(&second)
	if second.VersionNumber != 2 || second.ID != d.ID || second.UpdatedAt < d.UpdatedAt || second.UpdatedBy.ID != "somebody" || second.CreatedBy.ID != d.CreatedBy.ID {
		t.Errorf("the second version is %+v", second)
	}
	if got := content(t, c, path+"?version_number=1"); got != "first" {
		t.Errorf("the content of version 1 is %q", got)
	}
	var latest document
	c.Get(path).OK(&latest)
	if latest.VersionNumber != 2 || latest.Files[0].Name != "b.txt" {
		t.Errorf("the latest version is %+v", latest)
	}
	if a := c.Raw(http.MethodGet, latest.Files[0].DownloadURL, nil, nil); a.Status != 404 {
		t.Errorf("before the upload the download returns %d", a.Status)
	}
	c.Post(path+"/convert", nil).Fails(400, 3001)
	c.Post(path+"/convert?version_number=1", nil).OK(nil)
	put(t, c, second.Files[0].UploadURL, []byte("second"))
	if got := content(t, c, path); got != "second" {
		t.Errorf("the content of the latest version is %q", got)
	}
	var list versions
	c.Get(path + "/versions").OK(&list)
	if list.Total != 2 || list.Pages != 1 || list.Items[0].VersionNumber != 2 || list.Items[1].VersionNumber != 1 || list.Items[0].CreatedBy.ID != "somebody" {
		t.Errorf("the versions are %+v", list)
	}
	if f := list.Items[1].Files[0]; f.Size == nil || *f.Size != 5 || f.SHA256 == nil || *f.SHA256 != "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e" {
		t.Errorf("the first file is %+v", f)
	}
	c.Get(path + "/versions?size=1&page=2").OK(&list)
	if list.Total != 2 || list.Pages != 2 || list.Page != 2 || list.Size != 1 || len(list.Items) != 1 || list.Items[0].VersionNumber != 1 {
		t.Errorf("the second page is %+v", list)
	}
	c.Get(path + "/versions?page=3&size=1").OK(&list)
	if len(list.Items) != 0 || list.Total != 2 {
		t.Errorf("a page past the end is %+v", list)
	}
	c.Get(path+"/versions?size=0").FailsWith(3001, "size out_of_range")
	c.Get(path+"/versions?size=x&page=1&page=2").FailsWith(3003, "size invalid_type", "page invalid_type")
	c.Get(path+"/versions?sise=1").FailsWith(3001, "sise unknown_parameter")
	c.Get(path+"?version_number=3").Fails(404, 4002)
}

// TestCreateVersionRefusals breaks the validation rules of Create Version.
func TestCreateVersionRefusals(t *testing.T) {
	c := shared.NewClient(t)
	path := "/documents/" + create(t, c, valid()).ID + "/versions"
	c.Post(path, object{}).FailsWith(3002, "files required")
	c.Post(path, object{"files": []object{}}).FailsWith(3001, "files too_short")
	c.Post(path, object{"files": []object{{"name": "a/b.docx", "type": "x", "id": "file_1"}}, "name": "no"}).
		FailsWith(3001, "files.0.id forbidden_field", "files.0.name invalid_file_name", "files.0.type invalid_mime_type", "name unrecognized_key")
	c.Post(path, object{"files": 7}).FailsWith(3003, "files invalid_type")
	c.Post("/documents/doc_x/versions", newVersion("a.docx")).Fails(404, 4001)
	c.Get("/documents/doc_x/versions").Fails(404, 4001)
	reader := shared.NewClient(t, "--scopes", "documents:read")
	reader.Post(path, newVersion("a.docx")).Fails(403, 2004)
}

// TestVersionsRace adds versions from many clients at once. Each number is assigned once.
func TestVersionsRace(t *testing.T) {
	c := shared.NewClient(t)
	path := "/documents/" + create(t, c, valid()).ID
	numbers := make([]int, 16)
	var wg sync.WaitGroup
	for i := range numbers {
		wg.Go(func() {
			var d document
			c.Post(path+"/versions", newVersion("a.docx")).OK(&d)
			numbers[i] = d.VersionNumber
		})
	}
	wg.Wait()
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != i+2 {
			t.Fatalf("the numbers are %v", numbers)
		}
	}
}

// TestUpdate changes the name and state of a document.
func TestUpdate(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.txt", []byte("text"))
	patch := func(body any) *harness.Answer {
		return c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + d.ID, Body: body})
	}
	var got document
	patch(object{"name": "  New name ", "updated_by": "somebody"}).OK(&got)
	if got.Name != "New name" || got.State != "draft" || got.UpdatedBy.ID != "somebody" || got.UpdatedAt < d.UpdatedAt || got.CreatedAt != d.CreatedAt || got.Files != nil {
		t.Errorf("the document is %+v", got)
	}
	patch(object{"state": "agreement", "name": nil}).OK(&got)
	if got.State != "agreement" || got.Name != "New name" || got.UpdatedBy.ID != c.User.ID {
		t.Errorf("the document is %+v", got)
	}
	patch(object{"state": "agreement"}).OK(nil)
	putLate(t, c, d.Files[0].UploadURL, []byte("other"))
	if got := content(t, c, "/documents/"+d.ID); got != "text" {
		t.Errorf("the content of the agreement is %q", got)
	}
	patch(object{"state": "draft"}).FailsWith(3001, "state state_mismatch")
	patch(object{"state": "active", "name": "", "files": []object{}, "id": "x"}).
		FailsWith(3001, "name too_short", "state invalid_enum", "files unrecognized_key", "id unrecognized_key")
	patch(object{"name": 7}).FailsWith(3003, "name invalid_type")
	for _, body := range []string{"{}", `{"name":null}`, "7", "", "{"} {
		if p := patch(body).Fails(400, codeOf(body)); len(p.Errors) > 1 {
			t.Errorf("%q: %+v", body, p)
		}
	}
	c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/doc_x", Body: object{"name": "x"}}).Fails(404, 4001)
	shared.NewClient(t, "--scopes", "documents:read").Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + d.ID, Body: object{"name": "x"}}).Fails(403, 2004)
	var list struct{ Items []document }
	c.Get("/documents?state=agreement").OK(&list)
	if len(list.Items) != 1 || list.Items[0].Name != "New name" {
		t.Errorf("the list is %+v", list)
	}
}

// codeOf returns the error code for a body that is not a valid change.
func codeOf(body string) int {
	if body == "7" {
		return 3003 // JSON of the wrong type
	}
	return 3001
}

// TestDelete deletes a document. Every later use of it returns 4001.
func TestDelete(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.txt", []byte("text"))
	kept := create(t, c, valid())
	remove := func(c *harness.Client) *harness.Answer {
		return c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + d.ID})
	}
	remove(shared.NewClient(t)).Fails(404, 4001)
	remove(shared.NewClient(t, "--scopes", "documents:read")).Fails(403, 2004)
	var got document
	remove(c).OK(&got)
	if got.ID != d.ID || got.Name != d.Name || got.UpdatedAt != d.UpdatedAt {
		t.Errorf("the deleted document is %+v", got)
	}
	for _, a := range []*harness.Answer{
		remove(c), c.Get("/documents/" + d.ID), c.Get("/documents/" + d.ID + "/versions"), c.Post("/documents/"+d.ID+"/convert", nil),
		c.Post("/documents/"+d.ID+"/versions", newVersion("a.docx")),
		c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + d.ID, Body: object{"name": "x"}}),
	} {
		a.Fails(404, 4001)
	}
	var list struct {
		Items []document
		Total int
	}
	c.Get("/documents").OK(&list)
	if list.Total != 1 || list.Items[0].ID != kept.ID {
		t.Errorf("the list is %+v", list)
	}
}

// TestSealing uploads a second time after the first content was used. Every reader still
// gets the first content.
func TestSealing(t *testing.T) {
	c := shared.NewClient(t)
	first, second := []byte("the first content"), []byte("another content")
	for name, use := range map[string]func(id string){
		"get":     func(id string) { c.Get("/documents/" + id).OK(nil) },
		"convert": func(id string) { c.Post("/documents/"+id+"/convert", nil).OK(nil) },
		"agree": func(id string) {
			c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + id, Body: object{"state": "agreement"}}).OK(nil)
		},
		"time": func(id string) {
			patience.Until(t, "the upload is sealed in the background", func() bool {
				pause()
				var list versions
				c.Get("/documents/" + id + "/versions").OK(&list)
				return list.Items[0].Files[0].Size != nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := create(t, c, object{"name": "x", "files": []object{{"name": "a.txt", "type": "application/octet-stream"}}})
			var early, before document
			c.Get("/documents/" + d.ID).OK(&early) // a URL from before the upload works too
			put(t, c, d.Files[0].UploadURL, first)
			use(d.ID)
			c.Get("/documents/" + d.ID).OK(&before)
			putLate(t, c, d.Files[0].UploadURL, second)
			for _, url := range []string{early.Files[0].DownloadURL, before.Files[0].DownloadURL, ""} {
				if url == "" {
					var after document
					c.Get("/documents/" + d.ID).OK(&after)
					url = after.Files[0].DownloadURL
				}
				a := c.Raw(http.MethodGet, url, nil, nil)
				if !bytes.Equal(a.Body, first) || !strings.Contains(a.Header.Get("Content-Disposition"), "a.txt") || a.Header.Get("Content-Type") != "application/octet-stream" {
					t.Errorf("%d %q, %v", a.Status, a.Body, a.Header)
				}
			}
			var pdf converted
			c.Post("/documents/"+d.ID+"/convert", nil).OK(&pdf)
			if text := pdfText(t, c.Raw(http.MethodGet, pdf.DownloadURL, nil, nil).Body); !strings.Contains(text, "first content") {
				t.Errorf("the PDF says %q", text)
			}
			var after document
			c.Get("/documents/" + d.ID).OK(&after)
			if name != "agree" && after.UpdatedAt != d.UpdatedAt {
				t.Error("the upload changed updated_at")
			}
		})
	}
}

// TestSealingRace uploads different contents while others read. Every reader gets the same
// content.
func TestSealingRace(t *testing.T) {
	c := shared.NewClient(t)
	for range 5 {
		d := create(t, c, object{"name": "x", "files": []object{{"name": "a.txt", "type": "text/plain"}}})
		put(t, c, d.Files[0].UploadURL, bytes.Repeat([]byte("9"), 100_000)) // from now on download URLs lead to sealed content
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[string]bool{}
		for i := range 4 {
			wg.Go(func() {
				eventually(t, func() (string, bool) { // an object store may refuse concurrent uploads; S3 clients retry
					a := c.Raw(http.MethodPut, d.Files[0].UploadURL, []byte(strings.Repeat(fmt.Sprint(i), 100_000)), nil)
					return "{}", a.Status == http.StatusOK || a.Status == lateStatus()
				})
			})
			wg.Go(func() {
				for range 5 {
					var got document
					c.Get("/documents/" + d.ID).OK(&got)
					a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil)
					mu.Lock()
					if a.Status == 200 {
						seen[string(a.Body[:1])+fmt.Sprint(len(a.Body))] = true
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		seen[content(t, c, "/documents/"+d.ID)[:1]+"100000"] = true
		if len(seen) != 1 {
			t.Errorf("readers got %v, want one content", seen)
		}
	}
}
