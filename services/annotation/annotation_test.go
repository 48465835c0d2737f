package annotation_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
}

// contentsOf answers documentapi.Contents.
func (d *documents) contentsOf(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.contents[p.Organization+" "+r.DocumentID]
	switch {
	case !ok:
		return c, problem.New(problem.DocumentNotFound, "There is no document %s.", r.DocumentID)
	case r.Version.Given && r.Version.Number != c.VersionNumber:
		return c, problem.New(problem.VersionNotFound, "There is no version %d.", r.Version.Number)
	}
	return c, nil
}

// start starts the service with further variables.
func start(t *testing.T, env ...string) *system {
	t.Helper()
	database := filepath.Join(t.TempDir(), "annotation.db")
	var cfg annotation.Config
	env = append([]string{"ANNOTATION_DATABASE=" + database, "ANNOTATION_SCRATCH=" + t.TempDir(), "ANNOTATION_ACK_WAIT=1s"}, env...)
	if err := config.Load(env, "ANNOTATION_", &cfg); err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(t.Context(), "annotation", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	server := bustest.Server(t)
	s := &system{t: t, documents: &documents{contents: map[string]documentapi.ContentsResponse{}}, database: database, tel: tel}
	s.blobs = blobtest.Dial(t, "b"+hex.EncodeToString(hash(t.Name()))[:16])
	answering, err := bustest.Connect(t, server, "document").Serve(documentapi.Service, "1.0.0", 16)
	if err == nil {
		err = bus.Handle(answering, documentapi.Contents, s.documents.contentsOf)
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
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s", what)
		}
	}
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

// TestAnnotate fills a document twice, the second time with what is known of it
// from the first.
func TestAnnotate(t *testing.T) {
	s := start(t)
	events := make(chan contract.Event, 10)
	stop, err := s.caller.Consume(t.Context(), "listener", []string{annotationapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
		events <- e
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	id := s.document(file{name: "first.txt", content: "no document"}, file{name: `a "b".docx`, content: agreement})
	seen := map[string]bool{}
	for range 2 {
		before := time.Now()
		got, err := s.annotate(id, good)
		if err != nil {
			t.Fatal(err)
		}
		if lasts := time.UnixMilli(got.ExpiresAt).Sub(before); lasts < 14*time.Minute || lasts > 16*time.Minute {
			t.Errorf("the URL is valid for %s", lasts)
		}
		content, header := s.download(got.DownloadURL)
		if header.Get("Content-Type") != "application/x-test" || !strings.Contains(header.Get("Content-Disposition"), `a _b_.docx`) {
			t.Errorf("the headers are %v", header)
		}
		if text := xmlOf(t, content); !strings.Contains(text, "Zoë") || !strings.Contains(text, ">60 days</w:t>") {
			t.Errorf("the document is not filled: %s", text)
		}
		e := <-events
		if e.Organization != "org_1" || e.Subject != id || string(e.Data) != `{"fields":2}` || seen[e.ID] {
			t.Errorf("the event is %+v", e)
		}
		seen[e.ID] = true
		if seen[got.Result.Key] {
			t.Errorf("the result %s is there twice", got.Result.Key)
		}
		seen[got.Result.Key] = true
	}
	if n := s.count("annotated/org_1/" + id + "/"); n != 2 {
		t.Errorf("there are %d objects", n)
	}
}

// TestRefusals refuses what is wrong, in the order in which it is looked at, and
// changes nothing.
func TestRefusals(t *testing.T) {
	s := start(t, "ANNOTATION_MEMORY=1048576")
	empty := file{name: "a.docx", fault: "has not been uploaded"}
	whole, missing := s.document(file{name: "a.docx", content: agreement}), s.document(empty)
	pdf := s.document(file{name: "a.docx", content: "%PDF-1.7\n"}, file{name: "b.docx", content: agreement})
	other := s.document(empty, file{name: "b.docx", content: "plain text"}, file{name: "c.pdf", content: ""})
	damaged := s.document(file{name: "a.docx", content: word("</w:p>")})
	cut := s.document(file{name: "a.docx", content: agreement[:len(agreement)/2]})
	for _, tc := range []struct {
		name, id, body string
		code           problem.Code
		detail         string   // is part of the detail
		entries        []string // code and path, without "field_values.agreementinput-" and ".value"
	}{
		{"no document", "doc_none", "{", problem.DocumentNotFound, "doc_none", nil},
		{"no JSON", whole, "{", problem.InvalidRequest, "not valid JSON", nil},
		{"no values", missing, `{}`, problem.MissingFields, "", []string{"required field_values"}},
		{"no content", missing, good, problem.InvalidRequest, "a.docx has not been uploaded", nil},
		{"no content and a wrong key", missing, `{"field_values":{"x":{"value":"y"}}}`, problem.InvalidRequest, "", []string{"field_key_invalid field_values.x.value"}},
		{"no file of use", other, good, problem.InvalidRequest, "a.docx has not been uploaded; b.docx is plain text, not DOCX or PDF; c.pdf is empty", nil},
		{"PDF", pdf, good, problem.InvalidRequest, "a.docx is a PDF", nil},
		{"damaged", damaged, good, problem.InvalidRequest, "The file a.docx ", nil},
		{"cut off", cut, good, problem.InvalidRequest, "a.docx ", nil},
		{"too large", whole, strings.Repeat(" ", 1<<20) + good, problem.TooLarge, "bytes", nil},
		{"unknown field", whole, values("nam", `"x"`), problem.InvalidRequest, "", []string{"field_not_found nam"}},
		{"all at once", whole, values("x y", `"1"`, "term", `"90 days"`, "name", `["a"]`, "none", `"x"`), problem.InvalidRequest, "",
			[]string{"field_key_invalid x y", "dropdown_invalid_option term", "invalid_type name", "field_not_found none"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := s.annotate(tc.id, tc.body)
			var e *problem.Error
			if !errors.As(err, &e) || e.Code != tc.code || !strings.Contains(e.Detail, tc.detail) {
				t.Fatalf("got %v", err)
			}
			var entries []string
			for _, entry := range e.Entries {
				path := strings.TrimSuffix(strings.TrimPrefix(entry.Path, "field_values.agreementinput-"), ".value")
				if strings.HasPrefix(path, "field_values.") {
					path = entry.Path
				}
				entries = append(entries, string(entry.Code)+" "+path)
			}
			if !slices.Equal(entries, tc.entries) {
				t.Errorf("the entries are %q, want %q", entries, tc.entries)
			}
		})
	}
	if n := s.count("annotated/"); n != 0 {
		t.Errorf("there are %d results of nothing", n)
	}
	_, err := bus.Call(t.Context(), s.caller, annotationapi.Annotate, principal,
		s.payload(annotationapi.AnnotateRequest{DocumentID: whole, Version: documentapi.Version{Number: 7, Given: true}}, good))
	if !problem.Is(err, problem.VersionNotFound) {
		t.Errorf("another version: %v", err)
	}
	if _, err := bus.Call(t.Context(), s.caller, annotationapi.Annotate, stranger, s.payload(annotationapi.AnnotateRequest{DocumentID: whole}, good)); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("another organization: %v", err)
	}
	if _, err := bus.Call(t.Context(), s.caller, annotationapi.Annotate, principal, contract.Stream{Body: strings.NewReader("{}")}); !problem.Is(err, problem.Internal) {
		t.Errorf("a payload without a request: %v", err)
	}
}

// TestManyFaults is told of every one of many faults, which are more than a
// message of the bus holds.
func TestManyFaults(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	var pairs []string
	for n := range 200 {
		pairs = append(pairs, fmt.Sprint("field-", n), `"`+strings.Repeat("x", 5000)+`"`)
	}
	_, err := s.annotate(id, values(pairs...))
	var e *problem.Error
	if !errors.As(err, &e) || len(e.Entries) != 200 || len(e.Entries[199].Value) < 5000 {
		t.Errorf("got %.500v", err)
	}
}

// TestSideBySide fills one document with different values at a time: each result
// has its own.
func TestSideBySide(t *testing.T) {
	s := start(t, "ANNOTATION_WORKERS=4")
	id := s.document(file{name: "a.docx", content: agreement})
	var work sync.WaitGroup
	for n := range 16 {
		work.Go(func() {
			own := fmt.Sprintf("Client number %d.", n)
			p, err := annotationapi.NewAnnotate(annotationapi.AnnotateRequest{DocumentID: id}, strings.NewReader(values("name", `"`+own+`"`)), -1)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := bus.Call(t.Context(), s.caller, annotationapi.Annotate, principal, p)
			if err != nil {
				t.Error(err)
				return
			}
			body, _, err := s.blobs.Get(t.Context(), got.Result.Key)
			if err != nil {
				t.Error(err)
				return
			}
			defer body.Close()
			content, err := io.ReadAll(body)
			if err != nil || strings.Count(xmlOf(t, content), "Client number") != 1 || !strings.Contains(xmlOf(t, content), own) {
				t.Errorf("the result of %q is another, %v", own, err)
			}
		})
	}
	work.Wait()
}

// TestNoScratch says that it cannot serve where there is no room to work in.
func TestNoScratch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, "ANNOTATION_SCRATCH="+dir)
	id := s.document(file{name: "a.docx", content: agreement})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.annotate(id, good); !problem.Is(err, problem.Unavailable) {
		t.Errorf("got %v", err)
	}
}

// TestDryRun judges and changes nothing.
func TestDryRun(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	dry := func(body string) (annotationapi.AnnotateResponse, error) {
		return bus.Call(t.Context(), s.caller, annotationapi.Annotate, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id, DryRun: true}, body))
	}
	if got, err := dry(good); err != nil || got != (annotationapi.AnnotateResponse{Valid: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := dry(values("term", `"never"`)); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("a wrong value: %v", err)
	}
	if n := s.count("annotated/"); n != 0 {
		t.Errorf("there are %d objects", n)
	}
}

// TestSign signs results again, of the same document and organization alone.
func TestSign(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	made, err := s.annotate(id, good)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(p contract.Principal, r annotationapi.Result) (annotationapi.AnnotateResponse, error) {
		return bus.Call(t.Context(), s.caller, annotationapi.Sign, p, r)
	}
	again, err := sign(principal, made.Result)
	if err != nil || again.Result != made.Result {
		t.Errorf("got %+v, %v", again, err)
	}
	if content, _ := s.download(again.DownloadURL); !strings.Contains(xmlOf(t, content), "Zoë") {
		t.Error("the URL leads to something else")
	}
	foreign := made.Result
	foreign.DocumentID = s.document(file{name: "a.docx", content: agreement})
	if _, err := sign(principal, foreign); !problem.Is(err, problem.Internal) {
		t.Errorf("the result of another document: %v", err)
	}
	if _, err := sign(stranger, made.Result); !problem.Is(err, problem.Internal) {
		t.Errorf("the result of another organization: %v", err)
	}
	if err := s.blobs.Remove(t.Context(), made.Result.Key); err != nil {
		t.Fatal(err)
	}
	if _, err := sign(principal, made.Result); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("a result that is gone: %v", err)
	}
}
