package annotation_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/annotation"
)

func TestMain(m *testing.M) {
	os.Exit(pdftest.Run(func() int {
		if err := pdftest.Compile(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return blobtest.Main(m)
	}))
}

var (
	principal = contract.Principal{Organization: "org_1", User: contract.User{ID: "user_1"}}
	stranger  = contract.Principal{Organization: "org_2", User: contract.User{ID: "user_2"}}
)

// system is a running annotation service next to a fake document service.
type system struct {
	*servicetest.World
	documents *servicetest.Documents
}

// start starts the service with additional variables.
func start(t *testing.T, env ...string) *system {
	t.Helper()
	var cfg annotation.Config
	env = append([]string{
		"ANNOTATION_DATABASE=" + filepath.Join(t.TempDir(), "annotation.db"), "ANNOTATION_SCRATCH=" + t.TempDir(),
		"ANNOTATION_PDF_CACHE=" + pdftest.Compiled(), "ANNOTATION_PDF_TIMEOUT=" + patience.Limit().String(),
		"ANNOTATION_ACK_WAIT=" + patience.Scale(10*time.Second).String(),
	}, env...)
	if err := config.Load(env, "ANNOTATION_", &cfg); err != nil {
		t.Fatal(err)
	}
	w := servicetest.New(t)
	s := &system{w, w.Documents()}
	w.StartReady(annotationapi.Service, func(ctx context.Context, deps runner.Deps) error { return annotation.Run(ctx, cfg, deps) })
	return s
}

// file is a file of a document: its bytes, or the reason why it has none.
type file struct {
	name, content, fault string
}

// document adds a document of the principal's organization and returns its id.
func (s *system) document(files ...file) string {
	s.T.Helper()
	var added []servicetest.File
	for _, f := range files {
		added = append(added, servicetest.File{Name: f.name, Type: "application/x-test", Content: f.content, Fault: f.fault})
	}
	return s.documents.Add("org_1", documentapi.Draft, added...)
}

// payload returns the payload of Annotate and Submit.
func (s *system) payload(r annotationapi.AnnotateRequest, body string) contract.Stream {
	s.T.Helper()
	p, err := annotationapi.NewAnnotate(r, strings.NewReader(body), int64(len(body)))
	if err != nil {
		s.T.Fatal(err)
	}
	return p
}

// annotate fills a document.
func (s *system) annotate(id, body string) (annotationapi.AnnotateResponse, error) {
	s.T.Helper()
	return bus.Call(patience.Context(s.T), s.Caller, annotationapi.Annotate, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id}, body))
}

const (
	contentTypesXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	relationshipsXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	documentXML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
)

// control returns a paragraph with a content control with that id and those properties.
func control(id, properties, text string) string {
	return fmt.Sprintf(`<w:p><w:sdt><w:sdtPr><w:tag w:val="agreementinput-%s"/>%s</w:sdtPr><w:sdtContent><w:r><w:t>%s</w:t></w:r></w:sdtContent></w:sdt></w:p>`, id, properties, text)
}

// agreement is a Word document with a text field and a dropdown.
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
			panic(err) // writing to a buffer never fails
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

// values returns the body of a request. pairs alternates keys, without their prefix, and
// values in JSON.
func values(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, fmt.Sprintf(`"agreementinput-%s":{"value":%s}`, pairs[i], pairs[i+1]))
	}
	return `{"field_values":{` + strings.Join(members, ",") + `}}`
}

// good is a body with valid values for agreement.
var good = values("name", `"Zoë"`, "term", `"60 days"`)
