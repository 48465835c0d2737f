package annotation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestAnnotate fills a document twice. The second time uses the fields stored by the
// first.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	s := start(t)
	events := make(chan contract.Event, 10)
	stop, err := s.Caller.Consume(t.Context(), "listener", []string{annotationapi.EventCompleted}, func(_ context.Context, e contract.Event) error {
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
		content, header := s.Download(got.DownloadURL)
		if header.Get("Content-Type") != "application/x-test" || !strings.Contains(header.Get("Content-Disposition"), `a _b_.docx`) {
			t.Errorf("the headers are %v", header)
		}
		if text := xmlOf(t, content); !strings.Contains(text, "Zoë") || !strings.Contains(text, ">60 days</w:t>") {
			t.Errorf("the document is not filled: %s", text)
		}
		e := patience.Receive(t, "an event", events)
		if e.Organization != "org_1" || e.Subject != id || string(e.Data) != `{"fields":2}` || seen[e.ID] {
			t.Errorf("the event is %+v", e)
		}
		seen[e.ID] = true
		if seen[got.Result.Key] {
			t.Errorf("the result %s exists twice", got.Result.Key)
		}
		seen[got.Result.Key] = true
	}
	if n := s.Count("annotated/org_1/" + id + "/"); n != 2 {
		t.Errorf("there are %d objects", n)
	}
}

// TestRefusals checks that invalid requests are refused, that the order of the checks is
// fixed, and that nothing changes.
func TestRefusals(t *testing.T) {
	t.Parallel()
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
		detail         string   // a substring of the detail
		entries        []string // code and path, without "field_values.agreementinput-" and ".value"
	}{
		{"no document", "doc_none", "{", problem.DocumentNotFound, "doc_none", nil},
		{"no JSON", whole, "{", problem.InvalidRequest, "not valid JSON", nil},
		{"no values", missing, `{}`, problem.MissingFields, "", []string{"required field_values"}},
		{"no content", missing, good, problem.InvalidRequest, "a.docx has not been uploaded", nil},
		{"no content and a wrong key", missing, `{"field_values":{"x":{"value":"y"}}}`, problem.InvalidRequest, "", []string{"field_key_invalid field_values.x.value"}},
		{"no file of use", other, good, problem.InvalidRequest, "a.docx has not been uploaded; b.docx is plain text, not DOCX or PDF; c.pdf is empty", nil},
		{"damaged PDF", pdf, good, problem.InvalidRequest, "The file a.docx ", nil},
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
	if n := s.Count("annotated/"); n != 0 {
		t.Errorf("refused requests left %d results", n)
	}
	_, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Annotate, principal,
		s.payload(annotationapi.AnnotateRequest{DocumentID: whole, Version: documentapi.Version{Number: 7, Given: true}}, good))
	if !problem.Is(err, problem.VersionNotFound) {
		t.Errorf("another version: %v", err)
	}
	if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Annotate, stranger, s.payload(annotationapi.AnnotateRequest{DocumentID: whole}, good)); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("another organization: %v", err)
	}
	if _, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Annotate, principal, contract.Stream{Body: strings.NewReader("{}")}); !problem.Is(err, problem.Internal) {
		t.Errorf("a payload without a request: %v", err)
	}
}

// TestManyFaults checks that all of many faults are reported, although they exceed the
// size of a bus message.
func TestManyFaults(t *testing.T) {
	t.Parallel()
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

// TestSideBySide fills one document with different values concurrently: each result has
// its own values.
func TestSideBySide(t *testing.T) {
	t.Parallel()
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
			got, err := bus.Call(patience.Context(t), s.Caller, annotationapi.Annotate, principal, p)
			if err != nil {
				t.Error(err)
				return
			}
			body, _, err := s.Blobs.Get(t.Context(), got.Result.Key)
			if err != nil {
				t.Error(err)
				return
			}
			defer body.Close()
			content, err := io.ReadAll(body)
			if err != nil || strings.Count(xmlOf(t, content), "Client number") != 1 || !strings.Contains(xmlOf(t, content), own) {
				t.Errorf("the result of %q has other values, %v", own, err)
			}
		})
	}
	work.Wait()
}

// TestNoScratch checks that the service answers that it is unavailable if it has no
// scratch folder.
func TestNoScratch(t *testing.T) {
	t.Parallel()
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

// TestDryRun checks that a dry run validates and changes nothing.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	dry := func(body string) (annotationapi.AnnotateResponse, error) {
		return bus.Call(patience.Context(t), s.Caller, annotationapi.Annotate, principal, s.payload(annotationapi.AnnotateRequest{DocumentID: id, DryRun: true}, body))
	}
	if got, err := dry(good); err != nil || !reflect.DeepEqual(got, annotationapi.AnnotateResponse{Valid: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := dry(values("term", `"never"`)); !problem.Is(err, problem.InvalidRequest) {
		t.Errorf("a wrong value: %v", err)
	}
	if n := s.Count("annotated/"); n != 0 {
		t.Errorf("there are %d objects", n)
	}
}

// TestSign checks that results are signed again, but only for the same document and
// organization.
func TestSign(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.document(file{name: "a.docx", content: agreement})
	made, err := s.annotate(id, good)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(p contract.Principal, r annotationapi.Result) (annotationapi.AnnotateResponse, error) {
		return bus.Call(patience.Context(t), s.Caller, annotationapi.Sign, p, r)
	}
	again, err := sign(principal, made.Result)
	if err != nil || !reflect.DeepEqual(again.Result, made.Result) {
		t.Errorf("got %+v, %v", again, err)
	}
	if content, _ := s.Download(again.DownloadURL); !strings.Contains(xmlOf(t, content), "Zoë") {
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
	if err := s.Blobs.Remove(t.Context(), made.Result.Key); err != nil {
		t.Fatal(err)
	}
	if _, err := sign(principal, made.Result); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("a result whose file no longer exists: %v", err)
	}
}
