package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// formPart is a part of a multipart/form-data body. A part without a file name is not a
// file.
type formPart struct {
	name, file, mediaType string
	content               []byte
}

// documentPart returns the part with the JSON of a document.
func documentPart(json string) formPart {
	return formPart{name: "document", mediaType: "application/json", content: []byte(json)}
}

// filePart returns the part with a file.
func filePart(name, content string) formPart {
	return formPart{name: "files", file: name, content: []byte(content)}
}

// writeForm writes parts as a form and closes w.
func writeForm(w *multipart.Writer, parts ...formPart) error {
	for _, p := range parts {
		disposition := fmt.Sprintf(`form-data; name="%s"`, p.name)
		if p.file != "" {
			disposition += fmt.Sprintf(`; filename="%s"`, p.file)
		}
		header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
		if p.mediaType != "" {
			header.Set("Content-Type", p.mediaType)
		}
		part, err := w.CreatePart(header)
		if err == nil {
			_, err = part.Write(p.content)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// postForm posts parts as a form with a random boundary.
func postForm(t *testing.T, c *harness.Client, path, key string, parts ...formPart) *harness.Answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if err := writeForm(w, parts...); err != nil {
		t.Fatal(err)
	}
	header := map[string]string{"Content-Type": w.FormDataContentType()}
	if key != "" {
		header["Idempotency-Key"] = key
	}
	return c.Do(harness.Request{Method: http.MethodPost, Path: path, Body: io.Reader(&body), Header: header})
}

// distinct returns random bytes, the same for each seed.
func distinct(seed uint64, size int) []byte {
	source := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // must be reproducible
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(source.Uint32())
	}
	return out
}

// TestUploadInOneCall creates a document with its files in one request. One file is large
// enough for a multipart upload to the object store.
func TestUploadInOneCall(t *testing.T) {
	c := shared.NewClient(t)
	large := distinct(1, 9<<20+1)
	var d document
	postForm(t, c, "/documents", "", filePart("Vertrag Zürich.docx", string(harness.Contract())),
		formPart{"files", "scan.bin", "image/x-scan", large}, documentPart(`{"name": "In one call"}`)).OK(&d)
	if d.VersionNumber != 1 || d.Name != "In one call" || d.State != "draft" || len(d.Files) != 2 || d.CreatedBy.ID != c.User.ID {
		t.Fatalf("created: %+v", d)
	}
	for i, want := range []file{{Name: "Vertrag Zürich.docx", Type: docxType}, {Name: "scan.bin", Type: "image/x-scan"}} {
		if got := d.Files[i]; got.Name != want.Name || got.Type != want.Type || got.DownloadURL == "" || got.UploadURL != "" {
			t.Errorf("file %d is %+v", i, got)
		}
	}
	if got := download(t, c, d.Files[1].DownloadURL); !bytes.Equal(got, large) {
		t.Errorf("the large file has %d bytes, want the %d that were sent", len(got), len(large))
	}
	var again document
	c.Get("/documents/" + d.ID).OK(&again)
	if got := download(t, c, again.Files[0].DownloadURL); !bytes.Equal(got, harness.Contract()) {
		t.Error("the small file differs from the one that was sent")
	}
	c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
	var versions struct {
		Items []struct {
			Files []struct {
				Size   int64
				SHA256 string
			}
		}
	}
	c.Get("/documents/" + d.ID + "/versions").OK(&versions)
	if f := versions.Items[0].Files[1]; f.Size != int64(len(large)) || f.SHA256 != fmt.Sprintf("%x", sha256.Sum256(large)) {
		t.Errorf("the large file is sealed as %+v", f)
	}
}

// TestUploadInOneCallNames checks that names and types in the JSON override those of the
// file parts.
func TestUploadInOneCallNames(t *testing.T) {
	c := shared.NewClient(t)
	var d document
	postForm(t, c, "/documents", "", documentPart(`{"name": "Named", "state": "agreement", "files": [{"name": "b.txt", "type": "text/x-b"}]}`),
		filePart("a.pdf", "text")).OK(&d)
	if d.State != "agreement" || d.Files[0].Name != "b.txt" || d.Files[0].Type != "text/x-b" {
		t.Errorf("created: %+v", d)
	}
}

// TestRefusedForms sends invalid forms and checks that none creates a document.
func TestRefusedForms(t *testing.T) {
	c := shared.NewClient(t)
	text := filePart("a.txt", "text")
	named := documentPart(`{"name": "x"}`)
	many := []formPart{named}
	for range 21 {
		many = append(many, text)
	}
	for name, tc := range map[string]struct {
		parts   []formPart
		code    int
		entries []string
	}{
		"no document":    {[]formPart{text}, 3002, []string{"document required"}},
		"no name":        {[]formPart{documentPart(`{}`), text}, 3002, []string{"name required"}},
		"no file":        {[]formPart{named}, 3001, []string{"files too_short"}},
		"empty file":     {[]formPart{named, text, filePart("b.txt", "")}, 3001, []string{"files.1 too_short"}},
		"empty document": {[]formPart{documentPart(""), text}, 3001, nil},
		"no JSON":        {[]formPart{documentPart("name=x"), text}, 3001, nil},
		"unknown part":   {[]formPart{named, text, {name: "file", file: "b.txt", content: []byte("b")}}, 3001, []string{"file unrecognized_key"}},
		"two documents":  {[]formPart{named, named, text}, 3001, []string{"document duplicate_key"}},
		"too many files": {many, 3001, nil},
		"bad file name":  {[]formPart{named, filePart("noextension", "text")}, 3001, []string{"files.0.name invalid_file_name"}},
		"no file name":   {[]formPart{named, {name: "files", content: []byte("text")}}, 3001, []string{"files.0.name too_short"}},
		"bad type":       {[]formPart{named, {"files", "a.txt", "text", []byte("text")}}, 3001, []string{"files.0.type invalid_mime_type"}},
		"other count":    {[]formPart{documentPart(`{"name": "x", "files": [{"name": "a.txt", "type": "text/plain"}, {"name": "b.txt", "type": "text/plain"}]}`), text}, 3001, []string{"files out_of_range"}},
		"all at once": {
			[]formPart{documentPart(`{"name": "", "colour": "red"}`), filePart("b.txt", ""), {name: "more"}}, 3001,
			[]string{"name too_short", "colour unrecognized_key", "files.0 too_short", "more unrecognized_key"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := postForm(t, c, "/documents", "", tc.parts...).FailsWith(tc.code, tc.entries...)
			if len(p.Errors) == 0 && p.Detail == "" {
				t.Error("the error does not say what is wrong")
			}
		})
	}
	for name, request := range map[string]harness.Request{
		"cut off":      {Body: "--x\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{\"name\":", Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
		"no parts":     {Body: "text", Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
		"no boundary":  {Body: "--x--", Header: map[string]string{"Content-Type": "multipart/form-data"}},
		"no body":      {Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
		"a large head": {Body: "--x\r\nA: " + strings.Repeat("a", 100_000) + "\r\n\r\n", Header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}},
	} {
		t.Run(name, func(t *testing.T) {
			request.Method, request.Path = http.MethodPost, "/documents"
			c.Do(request).FailsWith(3001)
		})
	}
	var list struct{ Total int }
	if c.Get("/documents").OK(&list); list.Total != 0 {
		t.Errorf("%d documents were created", list.Total)
	}
}

// TestLargeForm sends a file one byte larger than the limit.
func TestLargeForm(t *testing.T) {
	c := shared.NewClient(t)
	answer, err := sendForm(t, c, io.LimitReader(zeros{}, 100<<20+1))
	if err != nil {
		t.Fatal(err)
	}
	answer.Fails(http.StatusRequestEntityTooLarge, 3004)
	var list struct{ Total int }
	if c.Get("/documents").OK(&list); list.Total != 0 {
		t.Errorf("%d documents were created", list.Total)
	}
}

// sendForm sends a form with one file and streams its content.
func sendForm(t *testing.T, c *harness.Client, content io.Reader) (*harness.Answer, error) {
	t.Helper()
	body, in := io.Pipe()
	w := multipart.NewWriter(in)
	go func() {
		file, err := w.CreateFormFile("files", "large.bin")
		if err == nil {
			_, err = io.Copy(file, content)
		}
		if err == nil {
			err = w.WriteField("document", `{"name": "Large"}`)
		}
		if err == nil {
			err = w.Close()
		}
		_ = in.CloseWithError(err) // always returns nil
	}()
	defer body.Close()
	return c.Try(harness.Request{
		Method: http.MethodPost, Path: "/documents", Body: body, Header: map[string]string{"Content-Type": w.FormDataContentType()},
	})
}

// TestIdempotentForm repeats an upload with an Idempotency-Key. A different boundary is
// still the same request; a different name, type or content is not.
func TestIdempotentForm(t *testing.T) {
	c := shared.NewClient(t)
	named := documentPart(`{"name": "Once"}`)
	var first, again document
	postForm(t, c, "/documents", "k", named, filePart("a.txt", "text")).OK(&first)
	a := postForm(t, c, "/documents", "k", named, filePart("a.txt", "text")).OK(&again)
	if again.ID != first.ID || !isReplay(a) || string(download(t, c, again.Files[0].DownloadURL)) != "text" {
		t.Errorf("the repeated request gets %+v, replayed %t", again, isReplay(a))
	}
	for what, parts := range map[string][]formPart{
		"another content":  {named, filePart("a.txt", "Text")},
		"another name":     {named, filePart("b.txt", "text")},
		"another type":     {named, {"files", "a.txt", "text/html", []byte("text")}},
		"another document": {documentPart(`{"name": "Twice"}`), filePart("a.txt", "text")},
		"one more file":    {named, filePart("a.txt", "text"), filePart("a.txt", "text")},
	} {
		t.Run(what, func(t *testing.T) { postForm(t, c, "/documents", "k", parts...).Fails(http.StatusConflict, 4009) })
	}
	var list struct{ Total int }
	if c.Get("/documents").OK(&list); list.Total != 1 {
		t.Errorf("there are %d documents, want 1", list.Total)
	}
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + first.ID}).OK(nil)
	postForm(t, c, "/documents", "k", named, filePart("a.txt", "text")).OK(&again)
	if again.ID != first.ID {
		t.Errorf("after the deletion the repeated request returns %s, want the first document %s", again.ID, first.ID)
	}
}

// TestConvertForm converts a file that is sent as a form part instead of base64.
func TestConvertForm(t *testing.T) {
	c := shared.NewClient(t)
	docx := string(harness.DOCX(harness.Paragraph{Text: "Sample text"}))
	options := documentPart(`{"filename": "other.docx", "final_format": "pdf"}`)
	for name, tc := range map[string]struct {
		parts []formPart
		want  string
	}{
		"file alone":    {[]formPart{filePart("a.b.docx", docx)}, "a.b.pdf"},
		"options first": {[]formPart{options, filePart("a.docx", docx)}, "other.pdf"},
		"options last":  {[]formPart{filePart("a.docx", docx), options}, "other.pdf"},
		"large":         {[]formPart{filePart("a.txt", strings.Repeat("Sample text\n", 1<<15))}, "a.pdf"},
	} {
		t.Run(name, func(t *testing.T) {
			var got inline
			postForm(t, c, "/documents/convert", "", tc.parts...).OK(&got)
			pdf, err := base64.StdEncoding.DecodeString(got.FileBase64)
			if err != nil || got.Filename != tc.want || !strings.Contains(pdfText(t, pdf), "Sample text") {
				t.Errorf("got %q with %d bytes: %v", got.Filename, len(pdf), err)
			}
		})
	}
	for name, tc := range map[string]struct {
		parts   []formPart
		code    int
		entries []string
	}{
		"no file":      {[]formPart{options}, 3002, []string{"files required"}},
		"two files":    {[]formPart{filePart("a.docx", docx), filePart("b.docx", docx)}, 3001, nil},
		"empty file":   {[]formPart{filePart("a.docx", "")}, 3001, []string{"files.0 too_short"}},
		"no name":      {[]formPart{{name: "files", content: []byte(docx)}}, 3002, []string{"filename required"}},
		"bad options":  {[]formPart{documentPart("pdf"), filePart("a.docx", docx)}, 3001, nil},
		"two contents": {[]formPart{documentPart(`{"file_base64": "eA=="}`), filePart("a.docx", docx)}, 3001, []string{"file_base64 unrecognized_key"}},
		"format":       {[]formPart{documentPart(`{"final_format": "gif"}`), filePart("a.docx", docx)}, 3001, []string{"final_format format_unsupported"}},
		"unknown":      {[]formPart{filePart("a.docx", docx), {name: "colour", content: []byte("red")}}, 3001, []string{"colour unrecognized_key"}},
		"damaged":      {[]formPart{filePart("a.docx", docx[:len(docx)/2])}, 3001, nil},
	} {
		t.Run(name, func(t *testing.T) {
			postForm(t, c, "/documents/convert", "", tc.parts...).FailsWith(tc.code, tc.entries...)
		})
	}
}

// TestManyForms uploads from many clients at once.
func TestManyForms(t *testing.T) {
	c := shared.NewClient(t)
	var clients sync.WaitGroup
	for i := range 16 {
		clients.Go(func() {
			content := distinct(uint64(i), 10<<20+i)
			answer, err := sendForm(t, c, bytes.NewReader(content))
			if err != nil {
				t.Error(err)
				return
			}
			if answer.Status != http.StatusOK {
				t.Errorf("upload %d: %d %s", i, answer.Status, answer.Body)
				return
			}
			var d document
			answer.OK(&d)
			if got := c.Raw(http.MethodGet, d.Files[0].DownloadURL, nil, nil); !bytes.Equal(got.Body, content) {
				t.Errorf("the content of upload %d differs: %d bytes, want %d", i, len(got.Body), len(content))
			}
		})
	}
	clients.Wait()
}

// TestKilledUpload kills the program in the middle of a file, and after the last byte of
// the file but before the end of the form. No document is created, and nothing is left in
// the object store.
func TestKilledUpload(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := t.TempDir()
	options := harness.Options{Dir: dir, Env: []string{"DOCUMENT_UPLOAD_URL_TTL=1s", "DOCUMENT_UPLOAD_GRACE=1s"}}
	content := distinct(7, 24<<20)
	for _, sent := range []int{9 << 20, len(content)} {
		s := harness.Start(t, harness.Options{Dir: dir})
		killed := make(chan struct{})
		body := io.MultiReader(bytes.NewReader(content[:sent]), &killer{kill: func() {
			defer close(killed)
			if err := s.Kill(); err != nil {
				t.Error(err)
			}
		}})
		if a, err := sendForm(t, s.Client(t), body); err == nil && a.Status == http.StatusOK {
			t.Errorf("the program, killed after %d bytes, returns %s", sent, a.Body)
		}
		<-killed
	}
	s := harness.Start(t, options)
	var list struct{ Total int }
	if s.Client(t).Get("/documents").OK(&list); list.Total != 0 {
		t.Errorf("there are %d documents, want none", list.Total)
	}
	for end := time.Now().Add(patience.Limit()); len(uploaded(t, dir)) > 0; pause() {
		if time.Now().After(end) {
			t.Fatalf("objects are left: %q", uploaded(t, dir))
		}
	}
}

// killer is an empty reader that calls kill when it is read.
type killer struct{ kill func() }

func (k *killer) Read([]byte) (int, error) {
	if k.kill != nil {
		k.kill()
		k.kill = nil
	}
	return 0, io.EOF
}

// uploaded returns the paths of uploaded files in a data folder.
func uploaded(t *testing.T, dir string) []string {
	t.Helper()
	var objects []string
	err := filepath.WalkDir(filepath.Join(dir, "objects"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != ".keep" && (strings.Contains(path, "/incoming/") || strings.Contains(path, "/content/")) {
			objects = append(objects, path)
		}
		return nil // ignore files that are removed meanwhile
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
