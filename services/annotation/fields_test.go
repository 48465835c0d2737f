package annotation_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// fields lists the fields of a document.
func (s *system) fields(p contract.Principal, id string) ([]annotationapi.Field, error) {
	r, err := bus.Call(patience.Context(s.T), s.Caller, annotationapi.Fields, p, annotationapi.FieldsRequest{DocumentID: id})
	return r.Items, err
}

// put replaces the registry of a document.
func (s *system) put(p contract.Principal, id string, definitions ...annotationapi.Definition) ([]annotationapi.Field, error) {
	r, err := bus.Call(patience.Context(s.T), s.Caller, annotationapi.PutFields, p, annotationapi.PutFieldsRequest{DocumentID: id, Fields: definitions})
	return r.Items, err
}

// brief formats what distinguishes fields.
func brief(fields []annotationapi.Field) string {
	var out []string
	for _, f := range fields {
		out = append(out, fmt.Sprintf("%s %s %s %t %v", strings.TrimPrefix(f.FieldID, "agreementinput-"), f.Type, f.Source, f.XMLPath != "", f.Value))
	}
	return strings.Join(out, "; ")
}

// TestFields lists fields of the file, fields that the registry redefines, and fields
// that only the registry has.
func TestFields(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	const found = "name text content_control true <nil>; term dropdown content_control true 30 days"
	for range 2 { // found, then stored
		if got, err := s.fields(principal, id); err != nil || brief(got) != found {
			t.Errorf("the fields are %s, %v", brief(got), err)
		}
	}
	const merged = "name ssn registry true <nil>; term dropdown content_control true 30 days; alone date registry false <nil>"
	got, err := s.put(principal, id, annotationapi.Definition{FieldID: "agreementinput-alone", Type: "date"}, annotationapi.Definition{FieldID: "agreementinput-name", Type: "ssn"})
	if err != nil || brief(got) != merged {
		t.Errorf("the answer is %s, %v", brief(got), err)
	}
	if got, err := s.fields(principal, id); err != nil || brief(got) != merged {
		t.Errorf("the fields are %s, %v", brief(got), err)
	}
	for _, tc := range []struct{ key, value, code string }{
		{"name", "Zoë", "ssn_invalid"}, {"alone", "2026-01-01", "field_not_found"}, // the file has no place for it
	} {
		_, err := s.annotate(id, values(tc.key, `"`+tc.value+`"`))
		if err == nil || !strings.Contains(err.Error(), tc.code) {
			t.Errorf("%s: got %v, want %s", tc.key, err, tc.code)
		}
	}
	if _, err := s.annotate(id, values("name", `"123-45-6789"`)); err != nil {
		t.Error(err)
	}
	if got, err := s.put(principal, id); err != nil || brief(got) != found {
		t.Errorf("without a registry the fields are %s, %v", brief(got), err)
	}
}

// TestFieldsWithoutFile checks that the registry is listed if no file can have fields,
// and that an unreadable file is an error.
func TestFieldsWithoutFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	definition := annotationapi.Definition{FieldID: "agreementinput-x", Type: "text"}
	for name, f := range map[string]file{
		"nothing": {name: "a.docx", fault: documentapi.NotUploaded}, "text": {name: "a.docx", content: "text"},
	} {
		id := s.document(f)
		if got, err := s.fields(principal, id); err != nil || len(got) != 0 {
			t.Errorf("%s: %s, %v", name, brief(got), err)
		}
		if got, err := s.put(principal, id, definition); err != nil || brief(got) != "x text registry false <nil>" {
			t.Errorf("%s: %s, %v", name, brief(got), err)
		}
	}
	for name, f := range map[string]file{
		"damaged": {name: "a.docx", content: word("</w:p>")}, "cut off": {name: "a.docx", content: agreement[:len(agreement)/2]},
		"damaged PDF": {name: "a.pdf", content: "%PDF-1.7\n"}, "of no use": {name: "a.docx", fault: "is empty"},
	} {
		id := s.document(f)
		if _, err := s.fields(principal, id); !problem.Is(err, problem.InvalidRequest) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := s.put(principal, id, definition); !problem.Is(err, problem.InvalidRequest) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestRegistry checks that the registry is returned alone, also of a document that cannot be
// read, and only to those who may see the document.
func TestRegistry(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, damaged := s.document(file{name: "a.docx", content: agreement}), s.document(file{name: "a.docx", content: "PK\x03\x04 and nothing"})
	registry := func(p contract.Principal, id string) (annotationapi.FieldsResponse, error) {
		return bus.Call(patience.Context(t), s.Caller, annotationapi.Fields, p, annotationapi.FieldsRequest{DocumentID: id, Registry: true})
	}
	definition := annotationapi.Definition{FieldID: "agreementinput-alone", Type: "date", Label: new("When")}
	if _, err := s.put(principal, id, definition); err != nil {
		t.Fatal(err)
	}
	if r, err := registry(principal, id); err != nil || len(r.Items) > 0 || !reflect.DeepEqual(r.Registry, []annotationapi.Definition{definition}) {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := registry(principal, damaged); err != nil || len(r.Items)+len(r.Registry) > 0 {
		t.Errorf("a damaged document: got %+v, %v", r, err)
	}
	if _, err := registry(stranger, id); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("another organization: %v", err)
	}
}

// TestFieldsRefused checks that documents of other organizations, missing documents, and
// registries over the limit are refused.
func TestFieldsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	definition := annotationapi.Definition{FieldID: "agreementinput-x", Type: "text"}
	for _, tc := range []struct {
		p  contract.Principal
		id string
	}{{principal, "doc_none"}, {stranger, id}} {
		if _, err := s.fields(tc.p, tc.id); !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("got %v", err)
		}
		if _, err := s.put(tc.p, tc.id, definition); !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("got %v", err)
		}
	}
	version := documentapi.Version{Number: 2, Given: true}
	if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Fields, principal, annotationapi.FieldsRequest{DocumentID: id, Version: version}); !problem.Is(err, problem.VersionNotFound) {
		t.Errorf("another version: %v", err)
	}
	if _, err := s.put(principal, id, annotationapi.Definition{FieldID: "x", Type: "text"}); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("an invalid id: %v", err)
	}
	var large []annotationapi.Definition
	for n := range 100 {
		d := annotationapi.Definition{FieldID: fmt.Sprint("agreementinput-", n), Type: "dropdown"}
		for o := range annotationapi.MaxOptions {
			d.Options = append(d.Options, fmt.Sprint(o, strings.Repeat("x", 300)))
		}
		large = append(large, d)
	}
	if _, err := s.put(principal, id, large...); !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "12 MiB") {
		t.Errorf("a registry over the limit: %.300v", err)
	}
	if got, err := s.fields(principal, id); err != nil || len(got) != 2 {
		t.Errorf("something was changed: %s, %v", brief(got), err)
	}
}
