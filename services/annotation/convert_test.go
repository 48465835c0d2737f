package annotation_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// marked returns the PDF that a fake conversion service makes of a file.
func marked(file []byte) []byte { return append([]byte("%PDF"), file...) }

// converter starts a fake conversion service, which converts with the function or fails. It
// returns the files that were sent.
func (s *system) converter(convert func(file []byte) []byte, failure error) (sent chan []byte) {
	s.T.Helper()
	sent = make(chan []byte, 16)
	server, err := bustest.Connect(s.T, s.NATS, conversionapi.Service).Serve(conversionapi.Service, "1.0.0", 4)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = server.Shutdown(context.Background()) })
	err = bus.Handle(server, conversionapi.Inline, func(_ context.Context, p contract.Principal, body contract.Stream) (contract.Stream, error) {
		var file struct {
			Name string `json:"filename"`
			File []byte `json:"file_base64"`
		}
		if err := json.UnmarshalRead(body.Body, &file); err != nil || p.Organization != "org_1" || file.Name != "document.docx" {
			return contract.Stream{}, fmt.Errorf("%v sends %s: %w", p, file.Name, err)
		}
		sent <- file.File
		pdf := base64.StdEncoding.EncodeToString(convert(file.File))
		return contract.Stream{Size: -1, Body: strings.NewReader(`{"file_base64":"` + pdf + `","filename":"document.pdf"}`)}, failure
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return sent
}

// asPDF fills a document and asks for the result as PDF.
func (s *system) asPDF(id, body string, dry bool) (annotationapi.AnnotateResponse, error) {
	return s.ask(annotationapi.AnnotateRequest{DocumentID: id, PDF: true, DryRun: dry}, body)
}

// ask fills a document as the request says.
func (s *system) ask(r annotationapi.AnnotateRequest, body string) (annotationapi.AnnotateResponse, error) {
	return bus.Call(patience.Context(s.T), s.Caller, annotationapi.Annotate, principal, s.payload(r, body))
}

// TestAsPDF fills a Word document and gets it as PDF, in a request and in a job. Only the
// PDF is stored.
func TestAsPDF(t *testing.T) {
	s := start(t, "ANNOTATION_WORKERS=1")
	sent := s.converter(marked, nil)
	id := s.document(file{name: "a.b.DOCX", content: agreement})
	if got, err := s.asPDF(id, good, true); err != nil || !got.Valid || len(sent) > 0 {
		t.Fatalf("a dry run: %+v, %v, and %d conversions", got, err, len(sent))
	}
	got, err := s.asPDF(id, good, false)
	if err != nil {
		t.Fatal(err)
	}
	check := func(url string) {
		t.Helper()
		content, header := s.Download(url)
		if !bytes.Equal(content, marked(<-sent)) {
			t.Errorf("the file has %d bytes", len(content))
		}
		if header.Get("Content-Type") != "application/pdf" || !strings.Contains(header.Get("Content-Disposition"), `"a.b.pdf"`) {
			t.Errorf("the headers are %v", header)
		}
		if text := xmlOf(t, content[4:]); !strings.Contains(text, "Zoë") {
			t.Error("the document is not filled")
		}
	}
	check(got.DownloadURL)
	j, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Submit, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id, PDF: true}, good))
	if err != nil {
		t.Fatal(err)
	}
	var result annotationapi.AnnotateResponse
	if err := json.Unmarshal(s.ended(j.ID).Result, &result); err != nil {
		t.Fatal(err)
	}
	check(result.DownloadURL)
	if n := s.Count("annotated/"); n != 2 {
		t.Errorf("there are %d objects, want 2", n)
	}
}

// TestPDFStays fills a PDF form and asks for a PDF: nothing is converted.
func TestPDFStays(t *testing.T) {
	s := start(t)
	id, line, _ := s.everyKind()
	got, err := s.asPDF(id, values(line, `"Bern"`), false)
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := s.Download(got.DownloadURL); !bytes.HasPrefix(content, pdfforms.EveryKind()) {
		t.Error("the result is another file")
	}
}

// TestFlattened fills a Word document whose PDF is a form, as some versions of the converter
// make of content controls. Flatten applies to the PDF, and to nothing else.
func TestFlattened(t *testing.T) {
	s := start(t)
	sent := s.converter(func([]byte) []byte { return pdfforms.EveryKind() }, nil)
	id := s.document(file{name: "a.docx", content: agreement})
	for _, flatten := range []bool{false, true} {
		got, err := s.ask(annotationapi.AnnotateRequest{DocumentID: id, PDF: true, Flatten: flatten}, good)
		if err != nil {
			t.Fatal(err)
		}
		content, header := s.Download(got.DownloadURL)
		if !strings.Contains(header.Get("Content-Disposition"), `"a.pdf"`) || flatten == bytes.Equal(content, pdfforms.EveryKind()) {
			t.Errorf("flatten %t: %d bytes with the headers %v", flatten, len(content), header)
		}
		pdfforms.Check(t, content)
		listed, err := s.fields(principal, s.document(file{name: "a.pdf", content: string(content)}))
		forms := strings.Count(brief(listed), " acroform ")
		if err != nil || flatten != (forms == 0) {
			t.Errorf("flatten %t: the fields are %s, %v", flatten, brief(listed), err)
		}
	}
	got, err := s.ask(annotationapi.AnnotateRequest{DocumentID: id, Flatten: true}, good)
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := s.Download(got.DownloadURL); !strings.Contains(xmlOf(t, content), "Zoë") || len(sent) != 2 {
		t.Errorf("without a PDF, there are %d bytes and %d conversions", len(content), len(sent))
	}
	if got, err := s.ask(annotationapi.AnnotateRequest{DocumentID: id, PDF: true, Flatten: true, DryRun: true}, good); err != nil || !got.Valid || len(sent) != 2 {
		t.Errorf("a dry run: %+v, %v, and %d conversions", got, err, len(sent))
	}
}

// TestNotFlattened checks the error if the PDF of a filled document cannot be flattened.
func TestNotFlattened(t *testing.T) {
	s := start(t)
	s.converter(marked, nil)
	id := s.document(file{name: "a.docx", content: agreement})
	_, err := s.ask(annotationapi.AnnotateRequest{DocumentID: id, PDF: true, Flatten: true}, good)
	var refused *problem.Error
	if !errors.As(err, &refused) || refused.Code != problem.InvalidRequest || !strings.HasPrefix(refused.Detail, "The filled file a.docx cannot be flattened: it is damaged") {
		t.Errorf("got %v", err)
	}
	if n := s.Count("annotated/"); n != 0 {
		t.Errorf("there are %d objects", n)
	}
}

// TestNotConverted checks the errors if the filled document cannot be converted.
func TestNotConverted(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	if _, err := s.asPDF(id, good, false); !problem.Is(err, problem.Unavailable) {
		t.Errorf("without a conversion service: %v", err)
	}
	s.converter(marked, problem.New(problem.InvalidRequest, "The file could not be converted."))
	var refused *problem.Error
	if _, err := s.asPDF(id, good, false); !errors.As(err, &refused) || refused.Detail != "The filled file a.docx could not be converted." {
		t.Errorf("a refused file: %v", err)
	}
	j, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Submit, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id, PDF: true}, good))
	if err != nil {
		t.Fatal(err)
	}
	if done := s.ended(j.ID); done.State != jobapi.Failed || done.Error.Code != problem.InvalidRequest {
		t.Errorf("the job ended as %+v", done)
	}
	if n := s.Count("annotated/"); n != 0 {
		t.Errorf("there are %d objects", n)
	}
}
