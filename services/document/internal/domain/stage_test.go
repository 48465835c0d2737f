package domain_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// staging is a system whose bucket may contain objects of other tests.
type staging struct {
	*system
	suffix             string // of its ids
	incoming, contents int    // number of objects at the beginning
}

func newStaging(t *testing.T) *staging {
	t.Helper()
	s := &staging{system: newSystem(t), suffix: rand.Text()}
	s.incoming, s.contents = s.left()
	return s
}

// id returns an id that no other test uses.
func (s *staging) id(name string) string { return name + s.suffix }

// staged stages one file with the text, and returns the request that creates its
// document. document and file are completed to unique ids.
func (s *staging) staged(document, file, text string) documentapi.CreateRequest {
	s.t.Helper()
	document, file = s.id(document), s.id(file)
	s.put(documentapi.StagedKey("org_1", document, file, 0), text)
	return documentapi.CreateRequest{
		ID: document, Name: "x", State: documentapi.Draft, Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}},
		CreatedBy: principal.User, UpdatedBy: principal.User,
		Staged: &documentapi.Staged{DocumentID: document, Files: []documentapi.StagedFile{{ID: file, Size: int64(len(text))}}},
	}
}

// left returns how many uploads and contents were added since the beginning.
func (s *staging) left() (incoming, contents int) {
	return s.count("incoming/") - s.count("incoming/.keep") - s.incoming, s.count("content/") - s.contents
}

func TestCreateStaged(t *testing.T) {
	s := newStaging(t)
	service := s.service()
	d, err := service.Create(t.Context(), principal, s.staged("doc_1", "file_1", "text"))
	if err != nil || d.ID != s.id("doc_1") || d.VersionNumber != 1 || d.Files[0].ID != s.id("file_1") || d.Files[0].DownloadURL == "" {
		t.Fatalf("created %+v, %v", d, err)
	}
	got := s.system.contents(service, s.id("doc_1"))
	if got.Size != 4 || got.SHA256 != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" || s.read(got.Key) != "text" {
		t.Errorf("sealed: %+v", got)
	}
	if incoming, contents := s.left(); incoming != 0 || contents != 1 {
		t.Errorf("%d uploads and %d contents remain, want 0 and 1", incoming, contents)
	}
}

// TestCreateStagedFails checks that a failed request leaves no document and, at the
// latest after a sweep, no objects behind.
func TestCreateStagedFails(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*staging, *domain.Service, *documentapi.CreateRequest)
		code   problem.Code
	}{
		"a part is missing": {func(_ *staging, _ *domain.Service, r *documentapi.CreateRequest) {
			r.Files = append(r.Files, r.Files[0])
			r.Staged.Files = append(r.Staged.Files, documentapi.StagedFile{ID: "file_2", Size: 1})
		}, problem.InvalidRequest},
		"a file is too large": {func(_ *staging, _ *domain.Service, r *documentapi.CreateRequest) {
			r.Staged.Files[0].Size = 1001
		}, problem.TooLarge},
		"it took too long": {func(_ *staging, service *domain.Service, _ *documentapi.CreateRequest) {
			service.SetClock(func() time.Time { return time.Now().Add(61 * time.Minute) })
		}, problem.InvalidRequest},
		"a part is too short": {func(_ *staging, _ *domain.Service, r *documentapi.CreateRequest) {
			r.Staged.Files[0].Size = 5
		}, problem.Unavailable},
		"other files": {func(s *staging, _ *domain.Service, r *documentapi.CreateRequest) {
			r.Files = append(r.Files, r.Files[0])
			s.discard(r)
		}, problem.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStaging(t)
			service := s.service()
			r := s.staged("doc_1", "file_1", "text")
			tc.change(s, service, &r)
			if _, err := service.Create(t.Context(), principal, r); problem.Of(err).Code != tc.code {
				t.Errorf("the error is %v, want code %d", err, tc.code)
			}
			if _, err := service.Get(t.Context(), principal, documentapi.GetRequest{DocumentID: s.id("doc_1")}); !problem.Is(err, problem.DocumentNotFound) {
				t.Errorf("the document exists: %v", err)
			}
			if tc.code == problem.Unavailable { // the outcome in the object store is unknown
				service.SetClock(func() time.Time { return time.Now().Add(121 * time.Minute) })
				if err := service.SealUploads(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if incoming, contents := s.left(); incoming+contents != 0 {
				t.Errorf("%d uploads and %d contents remain, want none", incoming, contents)
			}
		})
	}
}

// discard discards what was staged for a request that is not sent.
func (s *staging) discard(r *documentapi.CreateRequest) {
	s.t.Helper()
	if _, err := s.service().Discard(s.t.Context(), principal, documentapi.DiscardRequest{DocumentID: r.Staged.DocumentID}); err != nil {
		s.t.Fatal(err)
	}
}

// TestCreateStagedAtOnce sends one request many times concurrently: one document is
// created, all callers get it, and the other attempts leave nothing behind.
func TestCreateStagedAtOnce(t *testing.T) {
	s := newStaging(t)
	var attempts sync.WaitGroup
	var mu sync.Mutex
	files := map[string]bool{}
	for i := range 8 {
		r := s.staged(fmt.Sprintf("doc_%d", i), fmt.Sprintf("file_%d", i), "text")
		r.ID = s.id("doc_once")
		attempts.Go(func() {
			d, err := s.service().Create(t.Context(), principal, r)
			if err != nil || d.ID != s.id("doc_once") {
				t.Errorf("attempt %d: %+v, %v", i, d, err)
				return
			}
			s.discard(&r) // like a caller whose upload was not used
			mu.Lock()
			defer mu.Unlock()
			files[d.Files[0].ID] = true
		})
	}
	attempts.Wait()
	incoming, contents := s.left()
	if len(files) != 1 || incoming != 0 || contents != 1 {
		t.Errorf("the attempts got files %v; %d uploads and %d contents remain, want 0 and 1", files, incoming, contents)
	}
}

// TestCreateStagedHidden creates a document whose content another instance has just stored,
// for the same request, in an object store that shows it late.
func TestCreateStagedHidden(t *testing.T) {
	s := newStaging(t)
	objects := &hidingObjects{Store: s.blobs}
	objects.reads.Store(3)
	service := s.serviceWith(objects)
	r := s.staged("doc_1", "file_1", "text")
	s.put("content/org_1/"+s.id("doc_1")+"/"+s.id("file_1"), "text")
	if _, err := service.Create(t.Context(), principal, r); err != nil {
		t.Fatal(err)
	}
	if got := s.system.contents(service, s.id("doc_1")); got.Fault != "" || got.Size != 4 {
		t.Errorf("sealed: %+v", got)
	}
}

// TestSweepStaged sweeps what three programs left behind: one that died before it sealed
// its contents, one that died after that, and one that died after it created the document.
func TestSweepStaged(t *testing.T) {
	s := newStaging(t)
	service := s.service()
	s.staged("doc_1", "file_1", "text")
	s.staged("doc_2", "file_2", "text")
	s.put(documentapi.ContentKey("org_1", s.id("doc_2"), s.id("file_2")), "text")
	if _, err := service.Create(t.Context(), principal, s.staged("doc_3", "file_3", "text")); err != nil {
		t.Fatal(err)
	}
	s.staged("doc_3", "file_3", "text")
	for _, step := range []struct {
		after              time.Duration
		incoming, contents int
	}{{0, 3, 2}, {119 * time.Minute, 3, 2}, {121 * time.Minute, 0, 1}} {
		service.SetClock(func() time.Time { return time.Now().Add(step.after) })
		if err := service.SealUploads(t.Context()); err != nil {
			t.Fatal(err)
		}
		if incoming, contents := s.left(); incoming != step.incoming || contents != step.contents {
			t.Errorf("after %s there are %d uploads and %d contents, want %d and %d", step.after, incoming, contents, step.incoming, step.contents)
		}
	}
	if got := s.system.contents(service, s.id("doc_3")); s.read(got.Key) != "text" {
		t.Errorf("the content of the document is %+v", got)
	}
}

// TestStage checks that Stage refuses ids that would name other kinds of objects.
func TestStage(t *testing.T) {
	s := newStaging(t)
	service := s.service()
	for _, r := range []documentapi.StageRequest{{}, {DocumentID: "doc.1", FileID: "file_1"}, {DocumentID: "doc_1", FileID: "../x"}, {DocumentID: "doc_1", FileID: "file_1", Part: -1}} {
		if u, err := service.Stage(t.Context(), principal, r); err == nil {
			t.Errorf("%+v gives %+v", r, u)
		}
	}
	u, err := service.Stage(t.Context(), principal, documentapi.StageRequest{DocumentID: "doc_1", FileID: "file_1", Part: 7})
	if err != nil || !strings.Contains(u.URL, "/incoming/org_1.doc_1.file_1.7?") || u.MaxContent != 1000 {
		t.Errorf("got %+v, %v", u, err)
	}
	if _, err := service.Discard(t.Context(), principal, documentapi.DiscardRequest{}); err == nil {
		t.Error("Discard accepts an empty document id")
	}
}
