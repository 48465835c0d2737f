package e2e

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// multipartForm returns a multipart form with a file, and its Content-Type, as curl -F and
// browsers send it.
func multipartForm(t *testing.T, content []byte) (contentType string, body []byte) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	part, err := w.CreateFormFile("file", "a.docx")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), out.Bytes()
}

// unusable checks that every use of a document is refused with one of the faults of its
// upload, and that nothing can be downloaded.
func unusable(t *testing.T, c *harness.Client, d document, faults ...string) {
	t.Helper()
	for what, request := range map[string]harness.Request{
		"convert":  {Method: http.MethodPost, Path: "/documents/" + d.ID + "/convert"},
		"annotate": {Method: http.MethodPost, Path: "/documents/" + d.ID + "/annotate", Body: object{"field_values": object{"agreementinput-a": object{"value": "x"}}}},
		"fields":   {Path: "/documents/" + d.ID + "/fields"},
		"insights": {Method: http.MethodPost, Path: "/insights", Body: object{"document_id": d.ID, "insights": []object{{"type": "document_type"}}}},
		"agree":    {Method: http.MethodPatch, Path: "/documents/" + d.ID, Body: object{"state": "agreement"}},
	} {
		if (what == "agree" || what == "fields") && faults[0] == notUploaded {
			continue // a document without an upload has no fields and may become an agreement
		}
		p := c.Do(request).Fails(400, 3001)
		named := false
		for _, fault := range faults {
			named = named || strings.Contains(p.Detail, fault)
		}
		if !named || !strings.Contains(p.Detail, "upload_url") || p.Errors != nil {
			t.Errorf("the detail for %s is %q, want one of %q and upload_url in it", what, p.Detail, faults)
		}
	}
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); a.Status != http.StatusNotFound {
		t.Errorf("the download returns %d with %d bytes", a.Status, len(a.Body))
	}
}

const notUploaded = "was not uploaded"

// sweep waits until the background sweep has checked all earlier uploads.
func sweep(t *testing.T, c *harness.Client) {
	t.Helper()
	d := create(t, c, valid())
	var early document
	c.Get("/documents/" + d.ID).OK(&early)
	put(t, c, d.Files[0].UploadURL, []byte("text"))
	deadline := time.Now().Add(patience.Limit())
	for c.Raw(http.MethodGet, early.Files[0].DownloadURL, nil, nil).Status != http.StatusOK {
		if time.Now().After(deadline) {
			t.Fatal("the upload is not sealed in the background")
		}
		pause()
	}
}

// TestUselessUploads uploads unusable content. The upload is refused, or stored and never
// sealed. Using the document reports the fault, and a new upload fixes it.
func TestUselessUploads(t *testing.T) {
	c := shared.NewClient(t)
	content := harness.DOCX(harness.Paragraph{Text: "the good one {{agreementinput-a}}"})
	formType, formBody := multipartForm(t, content)
	const empty, isForm = "is empty", "was uploaded as a multipart form"
	for name, u := range map[string]struct {
		contentType string
		body        []byte
		status      int // response of the embedded object server
		text        string
		faults      []string // faults after an upload to another object store
	}{
		"nothing":    {"", nil, 200, "", []string{empty}},
		"form":       {formType, formBody, 415, "raw bytes", []string{isForm, empty}}, // some stores parse forms
		"plain form": {"application/pdf", formBody, 415, "curl -T", []string{isForm}},
	} {
		t.Run(name, func(t *testing.T) {
			d := create(t, c, valid())
			unusable(t, c, d, notUploaded)
			for range 2 {
				a := c.Raw(http.MethodPut, d.Files[0].UploadURL, u.body, map[string]string{"Content-Type": u.contentType})
				faults := u.faults
				if harness.ModeOfRun() == harness.Standalone {
					if a.Status != u.status || !strings.Contains(string(a.Body), u.text) {
						t.Errorf("the upload returns %d %s", a.Status, a.Body)
					}
					if u.status != 200 {
						faults = []string{notUploaded}
					}
				}
				unusable(t, c, d, faults...)
				sweep(t, c)
				unusable(t, c, d, faults...)
			}
			put(t, c, d.Files[0].UploadURL, content)
			c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + d.ID, Body: object{"state": "agreement"}}).OK(nil)
			c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
			putLate(t, c, d.Files[0].UploadURL, nil)
			sweep(t, c)
			var got document
			c.Get("/documents/" + d.ID).OK(&got)
			if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); !bytes.Equal(a.Body, content) {
				t.Errorf("the download returns %d with %d bytes", a.Status, len(a.Body))
			}
		})
	}
}

// TestLargeUpload uploads a file one byte larger than the limit, with and without
// Content-Length.
func TestLargeUpload(t *testing.T) {
	c := shared.NewClient(t)
	const limit = 100 << 20
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprintf("chunked %v", chunked), func(t *testing.T) {
			d := create(t, c, object{"name": "x", "files": []object{{"name": "a.txt", "type": "text/plain"}}})
			status, body := putZeros(t, d.Files[0].UploadURL, limit+1, chunked)
			detail := fmt.Sprintf("has %d bytes (the limit is %d)", limit+1, limit)
			switch {
			case harness.ModeOfRun() == harness.Standalone:
				detail = notUploaded
				if status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "the limit is 104857600") {
					t.Errorf("the upload returns %d %s", status, body)
				}
			case status != http.StatusOK: // some object stores refuse uploads of unknown length
				detail = notUploaded
			}
			if p := c.Post("/documents/"+d.ID+"/convert", nil).Fails(400, 3001); !strings.Contains(p.Detail, detail) {
				t.Errorf("the detail is %q", p.Detail)
			}
			c.Get("/documents/" + d.ID).OK(nil)
			put(t, c, d.Files[0].UploadURL, []byte("smaller"))
			c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
		})
	}
}

// putZeros uploads a file of the given size. The status is 0 if an object store other than
// Recto's own closes the connection, as some do to refuse a body.
func putZeros(t *testing.T, target string, size int64, chunked bool) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, io.LimitReader(zeros{}, size))
	if err != nil {
		t.Fatal(err)
	}
	if !chunked {
		r.ContentLength = size
	}
	transport := shared.Transport()
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(r)
	if err != nil && harness.ModeOfRun() != harness.Standalone {
		return 0, err.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestUploadFraming uploads raw bytes chunked and with a multipart Content-Type. They are
// stored unchanged.
func TestUploadFraming(t *testing.T) {
	c := shared.NewClient(t)
	formType, _ := multipartForm(t, nil)
	content := []byte("%PDF-1.7 is not the first line of a form")
	for name, header := range map[string]map[string]string{
		"chunked": {}, "a multipart type": {"Content-Type": formType},
	} {
		t.Run(name, func(t *testing.T) {
			d := create(t, c, valid())
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, d.Files[0].UploadURL, bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if r.Header.Set("Content-Type", header["Content-Type"]); name == "chunked" {
				r.ContentLength = -1
			}
			transport := shared.Transport()
			defer transport.CloseIdleConnections()
			answer, err := transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if harness.ModeOfRun() == harness.Standalone && answer.StatusCode != http.StatusOK {
				t.Errorf("the upload returns %d", answer.StatusCode)
			}
			var got document
			c.Get("/documents/" + d.ID).OK(&got)
			a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil)
			stored := a.Status == http.StatusOK && bytes.Equal(a.Body, content)
			// Object stores that parse multipart bodies store nothing, and that is never sealed.
			if !stored && (harness.ModeOfRun() == harness.Standalone || a.Status != http.StatusNotFound) {
				t.Errorf("the download returns %d %q", a.Status, a.Body)
			}
		})
	}
}

// objectsSocket opens a TLS connection to the object server of a URL. It returns the
// connection, and the path and host for a request to that URL.
func objectsSocket(t *testing.T, target string) (conn *tls.Conn, path, host string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	if conn, err = tls.Dial("tcp", u.Host, shared.TLS()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience.Limit()))
	return conn, u.RequestURI(), u.Host
}

// TestObjectsDesync sends uploads that the embedded object server refuses and whose bodies
// contain another upload. That upload must never be executed.
func TestObjectsDesync(t *testing.T) {
	harness.StandaloneOnly(t)
	c := shared.NewClient(t)
	victim := create(t, c, valid())
	sealed := upload(t, c, "a.txt", []byte("sealed"))
	c.Get("/documents/" + sealed.ID).OK(nil)
	other := create(t, c, valid())
	_, victimPath, objects := objectsSocket(t, victim.Files[0].UploadURL)
	inner := "PUT " + victimPath + " HTTP/1.1\r\nHost: " + objects + "\r\nContent-Length: 8\r\n\r\nsmuggled"
	formed := "--B\r\nContent-Disposition: form-data; name=f\r\n\r\n" + inner + "\r\n--B--\r\n"
	for name, c := range map[string]struct {
		url, body, status string
	}{
		"sealed": {sealed.Files[0].UploadURL, inner, "409"}, "form": {other.Files[0].UploadURL, formed, "415"},
		"forged": {strings.Replace(other.Files[0].UploadURL, "X-Amz-Signature=", "X-Amz-Signature=0", 1), inner, "403"},
	} {
		for framing, framed := range map[string]string{
			"counted": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(c.body), c.body),
			"chunked": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(c.body), c.body),
		} {
			t.Run(name+" "+framing, func(t *testing.T) {
				conn, path, host := objectsSocket(t, c.url)
				fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\n%sGET /next HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host, framed, host)
				answers, _ := io.ReadAll(conn)
				text := string(answers)
				if name == "forged" && framing == "chunked" && strings.HasPrefix(text, "HTTP/1.1 411") {
					return // the missing length is checked before the signature
				}
				if !strings.HasPrefix(text, "HTTP/1.1 "+c.status) || strings.Contains(text, "HTTP/1.1 2") || strings.Count(text, "HTTP/1.1 ") > 2 {
					t.Errorf("the responses are %.2000s", text)
				}
			})
		}
	}
	unusable(t, c, victim, notUploaded)
}

// TestAbortedUpload closes the connection in the middle of an upload. The part that was
// sent is not stored.
func TestAbortedUpload(t *testing.T) {
	harness.StandaloneOnly(t)
	c := shared.NewClient(t)
	for range 5 {
		d := create(t, c, valid())
		conn, path, host := objectsSocket(t, d.Files[0].UploadURL)
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 200000\r\n\r\n%s", path, host, strings.Repeat("x", 199_999))
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if answer, _ := io.ReadAll(conn); strings.HasPrefix(string(answer), "HTTP/1.1 2") {
			t.Errorf("the response is %s", answer)
		}
		unusable(t, c, d, notUploaded)
		put(t, c, d.Files[0].UploadURL, []byte("text"))
		if got := content(t, c, "/documents/"+d.ID); got != "text" {
			t.Errorf("the next upload is stored as %q", got)
		}
	}
}

// TestHeadOfDownload checks that HEAD of a download_url matches GET.
func TestHeadOfDownload(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "Zoë.txt", bytes.Repeat([]byte("text\n"), 500_000))
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	missing := create(t, c, valid())
	c.Get("/documents/" + missing.ID).OK(&missing)
	for _, target := range []string{got.Files[0].DownloadURL, missing.Files[0].DownloadURL} {
		get, head := c.Raw(http.MethodGet, target, nil, nil), c.Raw(http.MethodHead, target, nil, nil)
		if harness.ModeOfRun() != harness.Standalone && head.Status == http.StatusForbidden {
			continue // other object stores accept a presigned URL only for its own method
		}
		if head.Status != get.Status || len(head.Body) != 0 {
			t.Errorf("HEAD returns %d with %d bytes, GET %d", head.Status, len(head.Body), get.Status)
		}
		for _, name := range []string{"Content-Length", "Content-Type", "Content-Disposition", "ETag", "Last-Modified", "Accept-Ranges"} {
			if name == "Content-Length" && get.Status == http.StatusNotFound {
				continue // errors contain the id of their request
			}
			if head.Header.Get(name) != get.Header.Get(name) {
				t.Errorf("%s of HEAD is %q, of GET %q", name, head.Header.Get(name), get.Header.Get(name))
			}
		}
		if get.Status == http.StatusOK && head.Header.Get("Content-Length") != "2500000" {
			t.Errorf("the headers of HEAD are %v", head.Header)
		}
	}
}
