package annotation_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/annotation"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Main(m)) }

var (
	principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}
	stranger  = contract.Principal{Organization: "org_2", User: contract.User{ID: "user_2"}}
)

// system is a running annotation service, the documents that it asks about, and
// who asks it.
type system struct {
	t         *testing.T
	blobs     *blob.Store
	caller    *bus.Conn
	documents *documents
	database  string
	tel       *telemetry.Telemetry
	stop      func()
}

// documents stands in for the document service.
type documents struct {
	mu       sync.Mutex
	contents map[string]documentapi.ContentsResponse // by organization and id
	deleted  map[string]bool                         // by id
	// onContents is called after each answer to Contents, if it is set.
	onContents func()
}

// contentsOf answers documentapi.Contents.
func (d *documents) contentsOf(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.contents[p.Organization+" "+r.DocumentID]
	if d.onContents != nil {
		defer d.onContents()
	}
	switch {
	case !ok || d.deleted[r.DocumentID]:
		return documentapi.ContentsResponse{}, documentapi.NotFound(r.DocumentID)
	case r.Version.Given && r.Version.Number != c.VersionNumber:
		return c, problem.New(problem.VersionNotFound, "There is no version %d.", r.Version.Number)
	}
	return c, nil
}

// status answers documentapi.Status.
func (d *documents) status(_ context.Context, p contract.Principal, r documentapi.StatusRequest) (documentapi.StatusResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.contents[p.Organization+" "+r.DocumentID]; !ok {
		return documentapi.StatusResponse{}, documentapi.NotFound(r.DocumentID)
	}
	return documentapi.StatusResponse{Deleted: d.deleted[r.DocumentID]}, nil
}

// remove deletes a document.
func (d *documents) remove(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deleted[id] = true
}

// forget makes a document one that is not there.
func (d *documents) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.contents, "org_1 "+id)
}

// start starts the service with further variables.
func start(t *testing.T, env ...string) *system {
	t.Helper()
	database := filepath.Join(t.TempDir(), "annotation.db")
	var cfg annotation.Config
	env = append([]string{"ANNOTATION_DATABASE=" + database, "ANNOTATION_SCRATCH=" + t.TempDir(), "ANNOTATION_ACK_WAIT=" + patience.Scale(10*time.Second).String()}, env...)
	if err := config.Load(env, "ANNOTATION_", &cfg); err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(t.Context(), "annotation", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server := bustest.Server(t)
	s := &system{t: t, documents: &documents{contents: map[string]documentapi.ContentsResponse{}, deleted: map[string]bool{}}, database: database, tel: tel}
	s.blobs = blobtest.Dial(t, "b"+hex.EncodeToString(hash(t.Name()))[:16])
	answering, err := bustest.Connect(t, server, "document").Serve(documentapi.Service, "1.0.0", 16)
	if err == nil {
		err = bus.Handle(answering, documentapi.Contents, s.documents.contentsOf)
	}
	if err == nil {
		err = bus.Handle(answering, documentapi.Status, s.documents.status)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.caller = bustest.Connect(t, server, "gateway")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	conn := bustest.Connect(t, server, "annotation")
	go func() { ended <- annotation.Run(ctx, cfg, annotation.Deps{Telemetry: tel, Bus: conn, Blobs: s.blobs}) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		s.stop()
		_ = answering.Shutdown(context.Background())
	})
	if err := tel.Health.Part(annotationapi.Service).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func hash(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// file is a file of a document: its bytes, or why there are none.
type file struct {
	name, content, fault string
}

// document makes a document of the principal's organization with one version, and
// returns its id.
func (s *system) document(files ...file) string {
	s.t.Helper()
	id := contract.NewID(contract.DocumentPrefix)
	c := documentapi.ContentsResponse{DocumentID: id, VersionNumber: 1}
	for i, f := range files {
		content := documentapi.Content{ID: fmt.Sprintf("file_%d", i), Name: f.name, Type: "application/x-test", Fault: f.fault}
		if f.fault == "" {
			content.SHA256, content.Size = hex.EncodeToString(hash(f.content)), int64(len(f.content))
			content.Key = "content/org_1/" + id + "/" + content.SHA256
			if err := s.blobs.Put(s.t.Context(), content.Key, strings.NewReader(f.content), content.Size, content.Type); err != nil {
				s.t.Fatal(err)
			}
		}
		c.Files = append(c.Files, content)
	}
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	s.documents.contents["org_1 "+id] = c
	return id
}

// payload returns the payload of Annotate and Submit.
func (s *system) payload(r annotationapi.AnnotateRequest, body string) contract.Stream {
	s.t.Helper()
	p, err := annotationapi.NewAnnotate(r, strings.NewReader(body), int64(len(body)))
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// annotate fills a document.
func (s *system) annotate(id, body string) (annotationapi.AnnotateResponse, error) {
	s.t.Helper()
	return bus.Call(s.t.Context(), s.caller, annotationapi.Annotate, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id}, body))
}

// count counts the objects below a prefix.
func (s *system) count(prefix string) (n int) {
	s.t.Helper()
	if err := s.blobs.List(s.t.Context(), prefix, func(blob.Object) error { n++; return nil }); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// eventually waits for something that takes a while.
func (s *system) eventually(what string, is func() bool) {
	s.t.Helper()
	patience.Until(s.t, what, is)
}

// download gets what a URL leads to, and its headers.
func (s *system) download(url string) ([]byte, http.Header) {
	s.t.Helper()
	response, err := http.Get(url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d, %v: %.200s", response.StatusCode, err, content)
	}
	return content, response.Header
}

const (
	contentTypesXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	relationshipsXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	documentXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
)

// control returns a paragraph with a content control of that id and properties.
func control(id, properties, text string) string {
	return fmt.Sprintf(`<w:p><w:sdt><w:sdtPr><w:tag w:val="agreementinput-%s"/>%s</w:sdtPr><w:sdtContent><w:r><w:t>%s</w:t></w:r></w:sdtContent></w:sdt></w:p>`, id, properties, text)
}

// agreement is a Word document with a field of free text and a dropdown.
var agreement = word(
	control("name", "<w:text/>", ""),
	control("term", `<w:dropDownList><w:listItem w:displayText="30 days" w:value="30"/><w:listItem w:displayText="60 days" w:value="60"/></w:dropDownList>`, "30 days"),
)

// word returns a Word document with the paragraphs.
func word(paragraphs ...string) string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range [][2]string{
		{"[Content_Types].xml", contentTypesXML}, {"_rels/.rels", relationshipsXML},
		{"word/document.xml", documentXML + strings.Join(paragraphs, "") + "</w:body></w:document>"},
	} {
		w, err := z.Create(e[0])
		if err == nil {
			_, err = io.WriteString(w, e[1])
		}
		if err != nil {
			panic(err) // a buffer takes all
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// xmlOf returns the main part of a Word document.
func xmlOf(t *testing.T, content []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// values returns the body of a request: keys, without their prefix, and values as
// JSON.
func values(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, fmt.Sprintf(`"agreementinput-%s":{"value":%s}`, pairs[i], pairs[i+1]))
	}
	return `{"field_values":{` + strings.Join(members, ",") + `}}`
}

// good are values that the agreement takes.
var good = values("name", `"Zoë"`, "term", `"60 days"`)
