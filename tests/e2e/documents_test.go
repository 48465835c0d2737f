package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

type object = map[string]any

// document is a document as the API returns it.
type document struct {
	ID             string       `json:"id"`
	Name           string       `json:"name"`
	State          string       `json:"state"`
	OrganizationID string       `json:"organization_id"`
	CreatedAt      int64        `json:"created_at"`
	UpdatedAt      int64        `json:"updated_at"`
	CreatedBy      harness.User `json:"created_by"`
	UpdatedBy      harness.User `json:"updated_by"`
	VersionNumber  int          `json:"version_number"`
	Files          []file       `json:"files"`
}

type file struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	DownloadURL string `json:"download_url"`
	UploadURL   string `json:"upload_url"`
}

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// valid is the smallest valid body of Create Document.
func valid() object {
	return object{"name": "Agreement", "files": []object{{"name": "a.docx", "type": docxType}}}
}

// with returns a valid body with one member changed.
func with(name string, value any) object {
	o := valid()
	o[name] = value
	return o
}

// withFile returns a valid body with one member of its only file changed.
func withFile(name string, value any) object {
	return with("files", []object{{"name": "a.docx", "type": docxType, name: value}})
}

func create(t *testing.T, c *harness.Client, body any) document {
	t.Helper()
	var d document
	c.Post("/documents", body).OK(&d)
	return d
}

// upload creates a document with one file of the given name and content.
func upload(t *testing.T, c *harness.Client, name string, content []byte) document {
	t.Helper()
	d := create(t, c, object{"name": name, "files": []object{{"name": name, "type": "application/octet-stream"}}})
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	return d
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestCreate checks all members of a created document.
func TestCreate(t *testing.T) {
	c := shared.NewClient(t)
	before := time.Now().UnixMilli()
	d := create(t, c, object{
		"name": "  Vertrag „Zoë“ 🙂  ", "state": "agreement",
		"files": []object{{"name": "a.docx", "type": docxType}, {"name": " b.PDF ", "type": "application/pdf; version=1"}},
	})
	after := time.Now().UnixMilli()
	if d.Name != "Vertrag „Zoë“ 🙂" || d.State != "agreement" || d.OrganizationID != c.OrganizationID {
		t.Errorf("got %+v", d)
	}
	if d.CreatedBy != c.User || d.UpdatedBy != c.User {
		t.Errorf("created by %+v, updated by %+v, the key's user is %+v", d.CreatedBy, d.UpdatedBy, c.User)
	}
	if d.CreatedAt < before || d.CreatedAt > after || d.UpdatedAt != d.CreatedAt {
		t.Errorf("created at %d, updated at %d, want both from %d to %d", d.CreatedAt, d.UpdatedAt, before, after)
	}
	if !strings.HasPrefix(d.ID, "doc_") || len(d.Files) != 2 || d.VersionNumber != 0 {
		t.Fatalf("got %+v", d)
	}
	scheme := "https"
	if harness.ModeOfRun() != harness.Standalone {
		scheme = "http" // the object store of tests has no TLS
	}
	for i, want := range []file{{Name: "a.docx", Type: docxType}, {Name: "b.PDF", Type: "application/pdf; version=1"}} {
		f := d.Files[i]
		if f.Name != want.Name || f.Type != want.Type || !strings.HasPrefix(f.ID, "file_") || f.DownloadURL != "" {
			t.Errorf("file %d is %+v", i, f)
		}
		if u, err := url.Parse(f.UploadURL); err != nil || u.Scheme != scheme || u.Query().Get("X-Amz-Expires") != "3600" {
			t.Errorf("upload_url is %s", f.UploadURL)
		}
	}
	if defaults := create(t, c, valid()); defaults.State != "draft" {
		t.Errorf("the default state is %s", defaults.State)
	}
	if nulls := create(t, c, object{"name": "x", "files": valid()["files"], "state": nil, "created_by": nil, "updated_by": nil}); nulls.State != "draft" || nulls.CreatedBy != c.User {
		t.Errorf("null members are not ignored: %+v", nulls)
	}
}

// TestCreateBounds creates documents at the limits of lengths and counts.
func TestCreateBounds(t *testing.T) {
	c := shared.NewClient(t)
	name := strings.Repeat("é", 255)
	if d := create(t, c, with("name", name)); d.Name != name {
		t.Errorf("a name of 255 characters is returned with %d bytes", len(d.Name))
	}
	files := make([]object, 20)
	for i := range files {
		files[i] = object{"name": fmt.Sprintf("%s%03d.x", strings.Repeat("é", 250), i), "type": "a/b"}
	}
	if d := create(t, c, with("files", files)); len(d.Files) != 20 {
		t.Errorf("the document has %d files, want 20", len(d.Files))
	}
	id := strings.Repeat("ü", 128)
	if d := create(t, c, with("created_by", id)); d.CreatedBy.ID != id {
		t.Errorf("a user id of 128 characters becomes %q", d.CreatedBy.ID)
	}
}

// TestCreateRefusals breaks every validation rule of Create Document, alone and combined.
// All entries are returned at once, in the order of the fields.
func TestCreateRefusals(t *testing.T) {
	c := shared.NewClient(t)
	long := strings.Repeat("x", 256)
	many := make([]object, 21)
	for i := range many {
		many[i] = object{"name": "a.docx", "type": "a/b"}
	}
	for _, tc := range []struct {
		name    string
		body    any
		code    int
		entries []string
	}{
		{"nothing", object{}, 3002, []string{"name required", "files required"}},
		{"nulls", object{"name": nil, "files": nil}, 3002, []string{"name required", "files required"}},
		{"no name", object{"files": valid()["files"]}, 3002, []string{"name required"}},
		{"no file name and type", with("files", []object{{}, {"name": nil, "type": "a/b"}}), 3002, []string{"files.0.name required", "files.0.type required", "files.1.name required"}},
		{"wrong types", object{"name": 7, "files": object{}, "created_by": true, "updated_by": []int{1}, "state": 1.5}, 3003,
			[]string{"name invalid_type", "files invalid_type", "created_by invalid_type", "updated_by invalid_type", "state invalid_type"}},
		{"a file that is not an object", with("files", []any{"a.docx", nil, 1}), 3003, []string{"files.0 invalid_type", "files.1 invalid_type", "files.2 invalid_type"}},
		{"wrong types in a file", with("files", []object{{"name": 1, "type": false}}), 3003, []string{"files.0.name invalid_type", "files.0.type invalid_type"}},
		{"an empty name", with("name", ""), 3001, []string{"name too_short"}},
		{"a blank name", with("name", " \t\n"), 3001, []string{"name too_short"}},
		{"a long name", with("name", long), 3001, []string{"name too_long"}},
		{"no files", with("files", []any{}), 3001, []string{"files too_short"}},
		{"21 files", with("files", many), 3001, []string{"files too_long"}},
		{"an unknown state", with("state", "active"), 3001, []string{"state invalid_enum"}},
		{"a state in capitals", with("state", "Draft"), 3001, []string{"state invalid_enum"}},
		{"an empty user id", with("created_by", ""), 3001, []string{"created_by too_short"}},
		{"a long user id", with("updated_by", long), 3001, []string{"updated_by too_long"}},
		{"a file id", withFile("id", "file_1"), 3001, []string{"files.0.id forbidden_field"}},
		{"a null file id", withFile("id", nil), 3001, []string{"files.0.id forbidden_field"}},
		{"an upload url", withFile("upload_url", "https://x"), 3001, []string{"files.0.upload_url forbidden_field"}},
		{"a download url", withFile("download_url", ""), 3001, []string{"files.0.download_url forbidden_field"}},
		{"a MIME type without a slash", withFile("type", "pdf"), 3001, []string{"files.0.type invalid_mime_type"}},
		{"an empty MIME type", withFile("type", ""), 3001, []string{"files.0.type invalid_mime_type"}},
		{"a MIME range", withFile("type", "text/*"), 3001, []string{"files.0.type invalid_mime_type"}},
		{"a MIME type with a broken parameter", withFile("type", "text/plain; charset"), 3001, []string{"files.0.type invalid_mime_type"}},
		{"a file name without an extension", withFile("name", "contract"), 3001, []string{"files.0.name invalid_file_name"}},
		{"a file name that is an extension", withFile("name", ".docx"), 3001, []string{"files.0.name invalid_file_name"}},
		{"a file name that ends in a dot", withFile("name", "contract."), 3001, []string{"files.0.name invalid_file_name"}},
		{"a path", withFile("name", "../a.docx"), 3001, []string{"files.0.name invalid_file_name"}},
		{"a Windows path", withFile("name", `c:\a.docx`), 3001, []string{"files.0.name invalid_file_name"}},
		{"a control character", withFile("name", "a\x00.docx"), 3001, []string{"files.0.name invalid_file_name"}},
		{"a change of text direction", withFile("name", "a\u202excod.docx"), 3001, []string{"files.0.name invalid_file_name"}},
		{"an empty file name", withFile("name", ""), 3001, []string{"files.0.name too_short"}},
		{"a long file name", withFile("name", long+".docx"), 3001, []string{"files.0.name too_long"}},
		{"an unknown member", with("nme", "x"), 3001, []string{"nme unrecognized_key"}},
		{"an unknown member of a file", withFile("size", 1), 3001, []string{"files.0.size unrecognized_key"}},
		{"a member of the response", with("organization_id", "org_1"), 3001, []string{"organization_id unrecognized_key"}},
		{"missing and wrong", object{"name": 1}, 3001, []string{"name invalid_type", "files required"}},
		{"all at once", object{
			"zebra": 1, "state": "x", "updated_by": "", "created_by": 1, "name": "",
			"files": []any{object{"upload_url": "x", "type": "x", "name": "x", "id": "x"}, 7},
		}, 3001, []string{
			"name too_short", "files.0.id forbidden_field", "files.0.name invalid_file_name", "files.0.type invalid_mime_type",
			"files.0.upload_url forbidden_field", "files.1 invalid_type", "created_by invalid_type", "updated_by too_short",
			"state invalid_enum", "zebra unrecognized_key",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := c.Post("/documents", tc.body).FailsWith(tc.code, tc.entries...)
			for _, e := range p.Errors {
				if e.Message == "" || e.InternalMessage == "" || e.Resolution == "" {
					t.Errorf("an entry lacks a text: %+v", e)
				}
			}
			if p.Message == "" || p.Detail == "" || !strings.HasSuffix(p.Docs, fmt.Sprintf("/docs/errors/%d", p.Code)) {
				t.Errorf("the error lacks a member: %+v", p)
			}
		})
	}
	var l list
	if c.Get("/documents").OK(&l); l.Total != 0 {
		t.Errorf("%d refused documents were created", l.Total)
	}
}

// TestErrorEntriesEchoTheValue checks that entries echo values, truncated if necessary.
func TestErrorEntriesEchoTheValue(t *testing.T) {
	c := shared.NewClient(t)
	p := c.Post("/documents", object{"name": "", "state": "active", "files": []any{}, "created_by": strings.Repeat("é", 9000)}).Fails(400, 3001)
	for i, want := range []any{"", []any{}, strings.Repeat("é", 4096) + "…", "active"} {
		if got := p.Errors[i].Value; !reflect.DeepEqual(got, want) {
			t.Errorf("the value of %s is %.40v…, want %.40v…", p.Errors[i].Path, got, want)
		}
	}
	p = c.Post("/documents", object{"files": 1, "name": []any{1, strings.Repeat("x", 9000), nil}}).Fails(400, 3003)
	if got, want := p.Errors[0].Value, []any{1.0, strings.Repeat("x", 8192) + "…", nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("the value of an array is %.60v…", got)
	}
	if p := c.Post("/documents", object{}).Fails(400, 3002); p.Errors[0].Value != nil {
		t.Errorf("the value of a missing member is %v", p.Errors[0].Value)
	}
	p = c.Post("/documents", with("nam", 1)).Fails(400, 3001)
	if !strings.Contains(p.Errors[0].Resolution, "name") {
		t.Errorf("the resolution of a misspelt member is %q", p.Errors[0].Resolution)
	}
}

// TestUsers checks how created_by and updated_by are resolved to users.
func TestUsers(t *testing.T) {
	c := shared.NewClient(t)
	other := shared.NewClient(t)
	out, err := shared.Recto(t.Context(), "users", "create", "--json", "--organization", c.OrganizationID, "--email", "bob@example.com", "--name", "Bob Bön")
	if err != nil {
		t.Fatal(err)
	}
	bob := decode[harness.User](t, out)
	for _, tc := range []struct {
		name             string
		body             object
		created, updated harness.User
	}{
		{"neither", valid(), c.User, c.User},
		{"a known creator", with("created_by", bob.ID), bob, c.User},
		{"a known updater", with("updated_by", bob.ID), c.User, bob},
		{"an unknown creator", with("created_by", "u-7"), harness.User{ID: "u-7"}, c.User},
		{"a user of another organization", with("updated_by", other.User.ID), c.User, harness.User{ID: other.User.ID}},
		{"an e-mail address is not an id", with("created_by", bob.Email), harness.User{ID: bob.Email}, c.User},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := create(t, c, tc.body)
			var got document
			c.Get("/documents/" + d.ID).OK(&got)
			for _, d := range []document{d, got} {
				if d.CreatedBy != tc.created || d.UpdatedBy != tc.updated {
					t.Errorf("created by %+v, updated by %+v", d.CreatedBy, d.UpdatedBy)
				}
			}
		})
	}
}

// TestGet gets a document and downloads its file before and after the upload.
func TestGet(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, with("files", []object{{"name": "Vertrag “Zoë”.docx", "type": docxType}, {"name": "b.txt", "type": "text/plain; charset=utf-8"}}))
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	if got.VersionNumber != 1 || len(got.Files) != 2 {
		t.Fatalf("got %+v", got)
	}
	want := d
	want.VersionNumber = 1
	want.Files = got.Files
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for i, f := range got.Files {
		if f.ID != d.Files[i].ID || f.UploadURL != "" {
			t.Errorf("file %d is %+v", i, f)
		}
		if a := c.Raw(http.MethodGet, f.DownloadURL, nil, nil); a.Status != http.StatusNotFound {
			t.Errorf("before the upload the download returns %d", a.Status)
		}
	}
	c.Raw(http.MethodPut, d.Files[0].UploadURL, []byte("content"), nil)
	// A URL from before the upload works as soon as the content is sealed.
	var a *harness.Answer
	patience.Until(t, "the download answers", func() bool {
		pause()
		a = c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil)
		return a.Status == http.StatusOK
	})
	if a.Status != 200 || string(a.Body) != "content" || a.Header.Get("Content-Type") != docxType {
		t.Errorf("the download returns %d %q as %s", a.Status, a.Body, a.Header.Get("Content-Type"))
	}
	wantDisposition := `attachment; filename="Vertrag _Zo__.docx"; filename*=utf-8''Vertrag%20%E2%80%9CZo%C3%AB%E2%80%9D.docx`
	if disposition := a.Header.Get("Content-Disposition"); disposition != wantDisposition {
		t.Errorf("Content-Disposition is %s, want %s", disposition, wantDisposition)
	}
	if u, err := url.Parse(got.Files[0].DownloadURL); err != nil || u.Query().Get("X-Amz-Expires") != "900" {
		t.Errorf("download_url is %s", got.Files[0].DownloadURL)
	}
	var again document
	c.Get("/documents/" + d.ID).OK(&again)
	if again.UpdatedAt != d.UpdatedAt {
		t.Error("the upload changed updated_at")
	}
}

// TestGetVersions checks valid, unknown and invalid values of version_number.
func TestGetVersions(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	path := "/documents/" + d.ID + "?version_number="
	for _, ok := range []string{"1", "01"} {
		var got document
		c.Get(path + ok).OK(&got)
		if got.VersionNumber != 1 {
			t.Errorf("version_number=%s returns version %d", ok, got.VersionNumber)
		}
	}
	for _, none := range []string{"0", "2", "-1", "99999999999999999999999999"} {
		c.Get(path+none).Fails(404, 4002)
	}
	for _, bad := range []string{"", "abc", "1.0", "+1", "1e3", "1&version_number=1", "%31x", "٣"} {
		c.Get(path+bad).FailsWith(3003, "version_number version_invalid")
	}
	c.Get("/documents/"+d.ID+"?unknown=1").FailsWith(3001, "unknown unknown_parameter")
}

// TestGetUnknown checks ids of documents that do not exist.
func TestGetUnknown(t *testing.T) {
	c := shared.NewClient(t)
	for _, id := range []string{"doc_01h455vb4pex5vsknk084sn02q", "x", "doc_", "..%2f..", "%00", strings.Repeat("x", 2000)} {
		c.Get("/documents/"+id).Fails(404, 4001)
	}
	c.Do(harness.Request{Path: "/documents/convert", Undocumented: true}).Fails(404, 4001)
}

// TestUploads uploads files and checks that changed upload URLs are refused.
func TestUploads(t *testing.T) {
	c := shared.NewClient(t)
	content := testdata(t, "agreement.docx")
	for name, header := range map[string]map[string]string{
		"no type": nil, "another type": {"Content-Type": "text/plain"}, "expect": {"Expect": "100-continue"},
	} {
		d := create(t, c, valid())
		if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, header); a.Status != 200 {
			t.Errorf("%s: the upload returns %d %s", name, a.Status, a.Body)
		}
		var got document
		c.Get("/documents/" + d.ID).OK(&got)
		if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); a.Status != 200 || string(a.Body) != string(content) {
			t.Errorf("%s: the download returns %d with %d bytes", name, a.Status, len(a.Body))
		}
	}
	d := create(t, c, valid())
	forged := strings.Replace(d.Files[0].UploadURL, d.Files[0].ID, create(t, c, valid()).Files[0].ID, 1)
	if a := c.Raw(http.MethodPut, forged, content, nil); a.Status != 403 {
		t.Errorf("an upload with the file id changed returns %d", a.Status)
	}
	bare, _, _ := strings.Cut(d.Files[0].UploadURL, "?")
	if a := c.Raw(http.MethodPut, bare, content, nil); a.Status != 403 {
		t.Errorf("an unsigned upload returns %d", a.Status)
	}
	if a := c.Raw(http.MethodGet, d.Files[0].UploadURL, nil, nil); a.Status != 403 {
		t.Errorf("a download with an upload URL returns %d", a.Status)
	}
}

// TestLongNames checks that presigned URLs work for the longest file names.
func TestLongNames(t *testing.T) {
	c := shared.NewClient(t)
	name := strings.Repeat("🙂", 250) + ".docx"
	d := create(t, c, withFile("name", name))
	c.Raw(http.MethodPut, d.Files[0].UploadURL, []byte("x"), nil)
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); a.Status != 200 {
		t.Errorf("the download returns %d %s", a.Status, a.Body)
	}
}
