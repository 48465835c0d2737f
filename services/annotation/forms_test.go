package annotation_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/services/annotation"
)

// everyKind adds a PDF form to the documents. It returns the ids of the document and of two
// fields, without the prefix of the latter: one for any text, and one for at most ten characters.
func (s *system) everyKind() (id, line, limited string) {
	s.T.Helper()
	id = s.document(file{name: "a.pdf", content: string(pdfforms.EveryKind())})
	listed, err := bus.Call(patience.Context(s.T), s.Caller, annotationapi.Fields, principal, annotationapi.FieldsRequest{DocumentID: id})
	if err != nil {
		s.T.Fatal(err)
	}
	for _, f := range listed.Items {
		switch {
		case strings.Contains(f.FieldID, "text_left"):
			line = strings.TrimPrefix(f.FieldID, "agreementinput-")
		case strings.Contains(f.FieldID, "text_limited"):
			limited = strings.TrimPrefix(f.FieldID, "agreementinput-")
		}
	}
	if line == "" || limited == "" {
		s.T.Fatalf("the fields are %+v", listed.Items)
	}
	return id, line, limited
}

// TestForm fills a PDF form with stored fields, and reads the values of the result.
func TestForm(t *testing.T) {
	s := start(t)
	id, line, limited := s.everyKind()
	got, err := s.annotate(id, values(line, `"Zürich"`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Code != annotationapi.WarningCalculation {
		t.Errorf("the warnings are %v", got.Warnings)
	}
	content, _ := s.Download(got.DownloadURL)
	if !bytes.HasPrefix(content, pdfforms.EveryKind()) {
		t.Error("the file is not updated incrementally")
	}
	pdfforms.Check(t, content)
	filled := s.document(file{name: "b.pdf", content: string(content)})
	listed, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Fields, principal, annotationapi.FieldsRequest{DocumentID: filled})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range listed.Items {
		if f.FieldID == "agreementinput-"+line && (f.Value != "Zürich" || !f.ReadOnly || f.PageNumber == nil || *f.PageNumber != 1) {
			t.Errorf("the filled field is %+v", f)
		}
		if f.FieldID == "agreementinput-"+limited && (f.MaxLength == nil || *f.MaxLength != 10) {
			t.Errorf("the field with a limit is %+v", f)
		}
	}
	got, err = s.annotate(id, values(line, `"`+strings.Repeat("Zürich ", 60)+`"`))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Warnings); n != 2 || got.Warnings[1].Code != annotationapi.WarningTextTooSmall || got.Warnings[1].FieldID != "agreementinput-"+line ||
		!strings.Contains(got.Warnings[1].Message, got.Warnings[1].FieldID) {
		t.Errorf("the warnings about a long text are %v", got.Warnings)
	}
	if _, err := s.annotate(id, values(limited, `"12345678901"`)); problem.Of(err).Entries[0].Code != problem.CodeTextTooLong {
		t.Errorf("a text that is too long: %v", err)
	}
	if _, err := s.annotate(id, values(line, `"\uE000"`)); problem.Of(err).Entries[0].Code != problem.CodeUnsupportedCharacter {
		t.Errorf("a character that no font has: %v", err)
	}
}

// TestPlaced fills a field that only the registry has, on a page without text.
func TestPlaced(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "scan.pdf", content: string(pdfforms.Scan())})
	page := 1
	put := func(page int) error {
		box := annotationapi.BoundingBox{Page: page, Left: 0.1, Top: 0.1, Width: 0.5, Height: 0.03}
		_, err := bus.Call(patience.Context(t), s.Caller, annotationapi.PutFields, principal, annotationapi.PutFieldsRequest{DocumentID: id, Fields: []annotationapi.Definition{
			{FieldID: "agreementinput-x", Type: "name", PageNumber: &page, BoundingBox: &box},
		}})
		return err
	}
	if err := put(2); problem.Of(err).Entries[0].Code != problem.CodeInvalidBox {
		t.Errorf("a page that the file does not have: %v", err)
	}
	if _, err := s.annotate(id, values("x", `"Zoë"`)); problem.Of(err).Entries[0].Code != problem.CodeFieldNotFound {
		t.Errorf("before it is placed: %v", err)
	}
	if err := put(page); err != nil {
		t.Fatal(err)
	}
	got, err := s.annotate(id, values("x", `"Zoë"`))
	if err != nil {
		t.Fatal(err)
	}
	content, _ := s.Download(got.DownloadURL)
	pdfforms.Check(t, content)
	if len(content) <= len(pdfforms.Scan()) {
		t.Error("nothing was written")
	}
}

// TestScannedForm fills a form whose pages have no text, like a scan with fields on it.
func TestScannedForm(t *testing.T) {
	s := start(t)
	id := s.document(file{name: "scan.pdf", content: string(pdfforms.ScannedForm())})
	var listed []annotationapi.Field
	for range 2 { // found, then stored
		var err error
		if listed, err = s.fields(principal, id); err != nil || len(listed) != 2 {
			t.Fatalf("the fields are %s, %v", brief(listed), err)
		}
	}
	got, err := s.annotate(id, values(strings.TrimPrefix(listed[1].FieldID, "agreementinput-"), `"Zoë"`))
	if err != nil {
		t.Fatal(err)
	}
	content, _ := s.Download(got.DownloadURL)
	pdfforms.Check(t, content)
	filled, err := s.fields(principal, s.document(file{name: "filled.pdf", content: string(content)}))
	if err != nil || len(filled) != 2 || filled[0].Value != nil || filled[1].Value != "Zoë" || filled[1].FieldID != listed[1].FieldID {
		t.Errorf("the filled fields are %s, %v", brief(filled), err)
	}
}

// TestChecks opens a PDF as the doctor command does, and reports why it cannot.
func TestChecks(t *testing.T) {
	var cfg annotation.Config
	env := []string{"ANNOTATION_DATABASE=unused", "ANNOTATION_PDF_CACHE=" + pdftest.Compiled(), "ANNOTATION_PDF_TIMEOUT=" + patience.Limit().String()}
	if err := config.Load(env, "ANNOTATION_", &cfg); err != nil {
		t.Fatal(err)
	}
	if found, err := annotation.Checks(cfg)[0].Run(t.Context()); err != nil || !strings.Contains(found, "PDFium opens a form") {
		t.Errorf("got %s, %v", found, err)
	}
	cfg.PDF.Memory = 1
	var advice *runner.Advice
	if _, err := annotation.Checks(cfg)[0].Run(t.Context()); !errors.As(err, &advice) || !strings.Contains(advice.Fix, "ANNOTATION_PDF_MEMORY") {
		t.Errorf("without memory: %v", err)
	}
}
