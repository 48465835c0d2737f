package insight_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/checksum"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/domain"
)

// TestCreate shows that each kind of source is read once, and that every request for it
// gets the same bytes.
func TestCreate(t *testing.T) {
	t.Parallel()
	s := start(t)
	draft, agreement := s.document(documentapi.Draft, "The draft"), s.document(documentapi.Agreement, "The agreement")
	for n, tc := range []struct {
		source      insightapi.SourceKind
		value, want string
		document    string
	}{
		{insightapi.DraftID, draft, "The draft", draft},
		{insightapi.CompletedID, agreement, "The agreement", agreement},
		{insightapi.DocumentID, draft, "The draft", draft},
		{insightapi.DocText, "Ein schöner Text 🙂", "Ein schöner Text 🙂", ""},
		{insightapi.URL, "https://example.com/secret?a.txt", "What was fetched", ""},
	} {
		t.Run(string(tc.source), func(t *testing.T) {
			first, err := s.create(ask(tc.source, tc.value))
			if err != nil {
				t.Fatal(err)
			}
			if first.Result.DocumentID != tc.document {
				t.Errorf("the result is %+v", first.Result)
			}
			answer, shown := s.read(first.Answer)
			if shown != tc.want || !strings.Contains(answer, `"title":"`+tc.want+`"`) {
				t.Errorf("the answer is %s, and shows %q", answer, shown)
			}
			again, err := s.create(ask(tc.source, tc.value))
			if err != nil || again.Result != first.Result {
				t.Fatalf("the second time: %+v, %v", again.Result, err)
			}
			signed, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, principal, first.Result)
			if err != nil {
				t.Fatal(err)
			}
			done, err := s.job(first.Result.JobID)
			if err != nil {
				t.Fatal(err)
			}
			for what, other := range map[string][]byte{"again": again.Answer, "signed": signed.Answer, "job": done.Result} {
				if got, shown := s.read(other); got != answer || shown != tc.want {
					t.Errorf("%s: %s; want %s", what, got, answer)
				}
			}
			if got := s.reader.calls(); got != n+1 {
				t.Errorf("the source was read %d times", got-n)
			}
		})
	}
	for n, m := range s.reader.seen {
		if m.Principal.Organization != "org_1" || (m.DocumentID == "") != (n > 2) || (m.Name == "The name" && m.VersionNumber == 1) != (n <= 2) {
			t.Errorf("the material is %+v", m)
		}
	}
	sums := checksum.New()
	_, _ = io.WriteString(sums, "Ein schöner Text 🙂")
	text := s.reader.seen[3].Files[0]
	if (checksum.Sums{SHA256: text.SHA256, MD5: text.MD5, CRC32C: text.CRC32C}) != sums.Sums() || text.Size != 22 || text.SealedAt == 0 {
		t.Errorf("the text is %+v", text)
	}
	if said := s.Log.String(); strings.Contains(said, "schöner") || strings.Contains(said, "secret") {
		t.Errorf("the log has the text or the URL of a request: %s", said)
	}
}

// TestDifferences shows that requests that differ in one thing are read separately.
func TestDifferences(t *testing.T) {
	t.Parallel()
	s := start(t)
	base := ask(insightapi.DocumentID, s.document(documentapi.Draft, "x"))
	requests := []insightapi.CreateRequest{base}
	signers := []insightapi.Request{{Type: insightapi.DocumentSigners}}
	for _, change := range []func(*insightapi.CreateRequest){
		func(r *insightapi.CreateRequest) { r.Source = insightapi.DraftID },
		func(r *insightapi.CreateRequest) { r.Value = s.document(documentapi.Draft, "x") },
		func(r *insightapi.CreateRequest) { r.Context = "c" },
		func(r *insightapi.CreateRequest) { r.Insights = titles[:1] },
		func(r *insightapi.CreateRequest) {
			r.Insights = []insightapi.Request{{Type: insightapi.CustomPrompt, Message: "a"}}
		},
		func(r *insightapi.CreateRequest) {
			r.Insights = []insightapi.Request{{Type: insightapi.CustomPrompt, Message: "b"}}
		},
		func(r *insightapi.CreateRequest) { r.Insights = signers },
		func(r *insightapi.CreateRequest) { r.Insights, r.Organization = signers, "Acme" },
		func(r *insightapi.CreateRequest) { r.Source, r.Value = insightapi.DocText, "x" },
		func(r *insightapi.CreateRequest) { r.Source, r.Value = insightapi.DocText, "y" },
	} {
		r := base
		change(&r)
		requests = append(requests, r)
	}
	seen := map[string]bool{}
	for range 2 {
		for _, r := range requests {
			got, err := s.create(r)
			if err != nil {
				t.Fatal(err)
			}
			seen[got.Result.JobID] = true
		}
	}
	if s.reader.calls() != len(requests) || len(seen) != len(requests) {
		t.Errorf("%d requests were read %d times by %d jobs", len(requests), s.reader.calls(), len(seen))
	}
	base.Stream, base.Organization = true, "Acme" // make no difference: signers are not asked for
	if _, err := s.create(base); err != nil || s.reader.calls() != len(requests) {
		t.Errorf("the document is read again for a stream: %v", err)
	}
}

// TestRefusals shows that invalid requests are refused and nothing is read.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	draft, agreement := s.document(documentapi.Draft, "x"), s.document(documentapi.Agreement, "x")
	for _, tc := range []struct {
		name   string
		source insightapi.SourceKind
		value  string
		code   problem.Code
		detail string
		entry  string // code and path
	}{
		{"no document", insightapi.DocumentID, "doc_none", problem.DocumentNotFound, "doc_none", ""},
		{"no draft", insightapi.DraftID, "doc_none", problem.DocumentNotFound, "doc_none", ""},
		{"not a draft", insightapi.DraftID, agreement, problem.InvalidRequest, "", "state_mismatch draft_id"},
		{"not an agreement", insightapi.CompletedID, draft, problem.InvalidRequest, "", "state_mismatch completed_id"},
		{"no content", insightapi.DocumentID, s.document(documentapi.Draft, ""), problem.InvalidRequest, "Version 1 of the document has no readable file: a.txt was not uploaded", ""},
		{"address", insightapi.URL, "https://10.0.0.1/", problem.InvalidRequest, "forbidden", ""},
		{"no source", "x", "y", problem.Internal, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, createErr := s.create(ask(tc.source, tc.value))
			_, beginErr := bus.Call(patience.Context(t), s.Caller, insightapi.Begin, principal, ask(tc.source, tc.value))
			_, submitErr := bus.Call(patience.Context(t), s.Caller, insightapi.Submit, principal, ask(tc.source, tc.value))
			for _, err := range []error{createErr, beginErr, submitErr} {
				var e *problem.Error
				if !errors.As(err, &e) || e.Code != tc.code || !strings.Contains(e.Detail, tc.detail) {
					t.Fatalf("got %v", err)
				}
				if len(e.Entries) > 0 != (tc.entry != "") || tc.entry != "" && fmt.Sprint(e.Entries[0].Code, " ", e.Entries[0].Path) != tc.entry {
					t.Errorf("the entries are %v", e.Entries)
				}
			}
		})
	}
	if n := s.reader.calls(); n != 0 {
		t.Errorf("documents were read %d times", n)
	}
	if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Create, stranger, ask(insightapi.DocumentID, draft)); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("another organization: %v", err)
	}
}

// TestFaults shows that a fault of the document is remembered, and any other is retried.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := start(t, "INSIGHT_MAX_TRIES=1")
	for _, tc := range []struct {
		name  string
		err   error
		code  problem.Code
		calls int // of two requests
	}{
		{"own", problem.New(problem.InvalidRequest, "It is damaged."), problem.InvalidRequest, 1},
		{"passing", problem.New(problem.InvalidRequest, "It took too long.").After(1), problem.InvalidRequest, 2},
		{"broken", errors.New("broken"), problem.Internal, 2},
	} {
		before := s.reader.calls()
		s.reader.set(func(context.Context, domain.Material) error { return tc.err })
		for range 2 {
			if _, err := s.create(ask(insightapi.DocText, tc.name)); !problem.Is(err, tc.code) {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
		if n := s.reader.calls() - before; n != tc.calls {
			t.Errorf("%s: read %d times, want %d", tc.name, n, tc.calls)
		}
	}
	s.reader.set(nil)
	if _, err := s.create(ask(insightapi.DocText, "broken")); err != nil {
		t.Errorf("after the engine has recovered: %v", err)
	}
}

// TestSideBySide shows that concurrent requests for the same text read it once.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	s := start(t, "INSIGHT_WORKERS=4")
	var work sync.WaitGroup
	var mu sync.Mutex
	var answers []string
	for range 16 {
		work.Go(func() {
			got, err := s.create(ask(insightapi.DocText, "The same"))
			if err != nil {
				t.Error(err)
				return
			}
			answer, _ := s.read(got.Answer)
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, answer)
		})
	}
	work.Wait()
	slices.Sort(answers)
	if n := len(slices.Compact(answers)); n != 1 || s.reader.calls() != 1 {
		t.Errorf("there are %d different answers from %d readings", n, s.reader.calls())
	}
}

// TestOrganizations shows that organizations that send the same text share nothing.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, err := s.create(ask(insightapi.DocText, "x"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := bus.Call(patience.Context(t), s.Caller, insightapi.Create, stranger, ask(insightapi.DocText, "x"))
	if err != nil || theirs.Result.JobID == mine.Result.JobID || s.reader.calls() != 2 {
		t.Errorf("got %+v, %v, from %d readings", theirs.Result, err, s.reader.calls())
	}
	for _, who := range []contract.Principal{stranger, {Organization: "org_3"}} {
		if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, who, mine.Result); !problem.Is(err, problem.DocumentNotFound) {
			t.Errorf("the result of another organization: %v", err)
		}
	}
	stored, err := s.create(ask(insightapi.DocumentID, s.document(documentapi.Draft, "x")))
	if err != nil {
		t.Fatal(err)
	}
	confused := stored.Result
	confused.DocumentID = s.document(documentapi.Draft, "x")
	if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, principal, confused); !problem.Is(err, problem.Internal) {
		t.Errorf("the result of another document: %v", err)
	}
	s.documents.Purge(stored.Result.DocumentID)
	if _, err := bus.Call(patience.Context(t), s.Caller, insightapi.Sign, principal, stored.Result); !problem.Is(err, problem.DocumentNotFound) {
		t.Errorf("the result of a purged document: %v", err)
	}
}
