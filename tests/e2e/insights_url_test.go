package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pkitest"
	"github.com/rectohq/recto/tests/harness"
)

// web is an HTTPS server of documents.
type web struct {
	*httptest.Server
	// connections counts connections to the server.
	connections atomic.Int64
}

// counted counts the connections that it accepts.
type counted struct {
	net.Listener
	accepted *atomic.Int64
}

// Accept implements net.Listener.
func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

// serveDocuments serves files by name. Keys are written as "name|media type". Env holds
// the variables that let a system reach and trust the server.
func serveDocuments(t *testing.T, files map[string][]byte) (w *web, env []string) {
	t.Helper()
	if harness.ModeOfRun() == harness.Containers {
		t.Skip("containers cannot reach servers on this machine")
	}
	authority, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := authority.Issue("documents", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	w = &web{}
	mux := http.NewServeMux()
	for name, content := range files {
		name, mediaType, _ := strings.Cut(name, "|")
		mux.HandleFunc("/"+name, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", mediaType)
			_, _ = rw.Write(content)
		})
	}
	mux.Handle("/moved", http.RedirectHandler("/a.txt", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler("https://192.0.2.1/a.txt", http.StatusFound))
	mux.Handle("/forever", http.RedirectHandler("/forever", http.StatusFound))
	w.Server = httptest.NewUnstartedServer(mux)
	w.Server.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.Server.Listener = counted{w.Server.Listener, &w.connections}
	w.Server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	w.StartTLS()
	t.Cleanup(w.Close)
	return w, []string{"INSIGHT_URL_ALLOW=127.0.0.0/8", "INSIGHT_URL_CA_FILE=" + authority.File}
}

// agreementPage returns agreementText as an HTML page that ends with non-Latin letters.
func agreementPage() []byte {
	return []byte("<!DOCTYPE html><html><head><script>document.write('no')</script></head><body><p>" +
		strings.ReplaceAll(agreementText, "\n", "</p><p>") + "</p><p>Done in 東京.</p></body></html>")
}

// agreementPDF returns agreementText as a PDF.
func agreementPDF(t *testing.T, c *harness.Client) []byte {
	t.Helper()
	var converted struct {
		File []byte `json:"file_base64"`
	}
	c.Post("/documents/convert", inlineBody("a.txt", []byte(agreementText))).OK(&converted)
	return converted.File
}

// TestInsightsOfURL reads documents of every type from URLs. The signed_url of each leads
// to a PDF.
func TestInsightsOfURL(t *testing.T) {
	files := map[string][]byte{
		"a.pdf|application/pdf": agreementPDF(t, shared.NewClient(t)), "a.docx|application/octet-stream": testdata(t, "agreement.docx"),
		"page|text/html; charset=utf-8": agreementPage(), "a.txt|text/plain; charset=utf-8": []byte(agreementText), "picture|image/png": testdata(t, "signature.png"),
	}
	w, env := serveDocuments(t, files)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: env})
	c := s.NewClient(t)
	for name, want := range map[string]struct{ title, mime, path string }{
		"a.pdf": {"CONSULTING AGREEMENT", "application/pdf", ""}, "page": {"CONSULTING AGREEMENT", "text/html", ""}, "a.txt": {"CONSULTING AGREEMENT", "text/plain", ""},
		"a.docx": {"", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "word/document.xml#"}, "moved": {"CONSULTING AGREEMENT", "text/plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			body := about("url", w.URL+"/"+name)
			first := c.Post("/insights", body).OK(nil)
			var answer struct {
				Titles []struct {
					Title       string
					Page        *int           `json:"page_number"`
					BoundingBox map[string]any `json:"bounding_box"`
					XMLPath     string         `json:"xml_path"`
				} `json:"document_title"`
				IDs struct {
					MIME string `json:"mime_type"`
				} `json:"document_ids"`
				SignedURL string `json:"signed_url"`
			}
			if err := json.Unmarshal(first.Body, &answer); err != nil {
				t.Fatal(err)
			}
			if len(answer.Titles) != 1 || answer.IDs.MIME != want.mime {
				t.Fatalf("the response is %s", first.Body)
			}
			title := answer.Titles[0]
			if want.title != "" && title.Title != want.title || title.Page == nil || *title.Page != 1 || title.BoundingBox == nil || !strings.HasPrefix(title.XMLPath, want.path) {
				t.Errorf("the title is %+v", title)
			}
			shown := download(t, c, answer.SignedURL)
			if !bytes.HasPrefix(shown, []byte("%PDF-")) {
				t.Errorf("the content at signed_url is %.20q", shown)
			}
			if name == "page" {
				says(t, pdfText(t, shown), "CONSULTING AGREEMENT", "Zoë Ünal", "東京")
			}
			again := c.Post("/insights", body).OK(nil)
			if unsigned(t, again.Body) != unsigned(t, first.Body) {
				t.Errorf("the second response is\n%s\nthe first\n%s", again.Body, first.Body)
			}
			streamed := c.Post("/insights", plus(body, "stream", true)).OK(nil)
			if unsigned(t, collected(t, streamed)) != unsigned(t, first.Body) {
				t.Errorf("streamed\n%s\nwant\n%s", streamed.Body, first.Body)
			}
		})
	}
	refusedURLs(t, c, w)
}

// refusedURLs checks the errors for URLs that cannot be fetched or read.
func refusedURLs(t *testing.T, c *harness.Client, w *web) {
	t.Helper()
	ask := func(address string, stream bool) *harness.Answer {
		return c.Post("/insights", object{"url": address, "stream": stream, "insights": []object{{"type": "document_title"}}})
	}
	for _, stream := range []bool{false, true} {
		ask(w.URL+"/none", stream).FailsWith(3001, "url url_unreachable")
		ask(w.URL+"/forever", stream).FailsWith(3001, "url url_unreachable")
		ask(strings.Replace(w.URL, "https:", "http:", 1)+"/a.txt", stream).FailsWith(3001, "url url_forbidden")
		ask(w.URL+"/away", stream).FailsWith(3001, "url url_forbidden")
		ask("https://169.254.169.254/latest/meta-data", stream).FailsWith(3001, "url url_forbidden")
		ask("https://10.0.0.1/a.pdf", stream).FailsWith(3001, "url url_forbidden")
	}
	if p := ask(w.URL+"/picture", false).Fails(http.StatusBadRequest, 3001); len(p.Errors) > 0 || !strings.Contains(p.Detail, "picture is PNG") {
		t.Errorf("the error for a picture is %+v", p)
	}
}

// TestInsightsOfForbiddenURL checks that Recto does not even connect to a forbidden server
// on this machine, although its port is allowed. Nor does it connect to URLs that texts
// and documents contain or link to.
func TestInsightsOfForbiddenURL(t *testing.T) {
	w, _ := serveDocuments(t, map[string][]byte{"a.txt|text/plain": []byte(agreementText)})
	port := strconv.Itoa(w.Listener.Addr().(*net.TCPAddr).Port)
	c := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"INSIGHT_URL_PORTS=" + port}}).NewClient(t)
	for _, address := range []string{w.URL + "/a.txt", strings.Replace(w.URL, "127.0.0.1", "localhost", 1) + "/a.txt", strings.Replace(w.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1) + "/a.txt"} {
		c.Post("/insights", about("url", address)).FailsWith(3001, "url url_forbidden")
	}
	c.Post("/insights", about("doc_text", agreementText+"See "+w.URL+"/a.txt\n")).OK(nil)
	d := upload(t, c, "a.docx", harness.DOCX(harness.Paragraph{Style: "Title", Text: "CONSULTING AGREEMENT"}, harness.Paragraph{Text: "See " + w.URL + "/a.txt"}))
	c.Post("/insights", about("document_id", d.ID)).OK(nil)
	linked := upload(t, c, "b.docx", linkedPicture(w.URL+"/a.txt"))
	c.Post("/insights", about("document_id", linked.ID)).OK(nil)
	if n := w.connections.Load(); n > 0 {
		t.Errorf("%d connections were made, want none", n)
	}
}

// linkedPicture returns a document with a picture linked from a URL.
func linkedPicture(address string) []byte {
	const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	return harness.Zip(
		[2]string{"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		[2]string{"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relationships + `/officeDocument" Target="word/document.xml"/></Relationships>`},
		[2]string{"word/_rels/document.xml.rels", `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relationships + `/image" Target="` + address + `" TargetMode="External"/></Relationships>`},
		[2]string{"word/document.xml", `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="` + relationships + `" xmlns:v="urn:schemas-microsoft-com:vml"><w:body><w:p><w:r><w:t>LEASE AGREEMENT</w:t></w:r></w:p><w:p><w:r><w:pict><v:shape style="width:50pt;height:50pt"><v:imagedata r:id="rId1"/></v:shape></w:pict></w:r></w:p></w:body></w:document>`},
	)
}
