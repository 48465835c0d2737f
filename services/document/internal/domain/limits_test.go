package domain_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// TestTooLargeVersions adds versions until the record would be too large: the version is
// refused, and existing ones can still be sealed and changed.
func TestTooLargeVersions(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, key := s.create(service)
	record, err := s.store.Get(t.Context(), "org_1", d.ID)
	if err != nil {
		t.Fatal(err)
	}
	files := make([]domain.File, documentapi.MaxFiles)
	for i := range files {
		files[i] = domain.File{ID: "file_x", Name: strings.Repeat("🙂", documentapi.MaxNameLength)}
	}
	for n := 2; record.Size() < domain.MaxSize-100_000; n++ {
		record.Versions = append(record.Versions, domain.Version{Number: n, Files: files})
	}
	if err := s.store.Replace(t.Context(), "org_1", record); err != nil {
		t.Fatal(err)
	}
	request := documentapi.CreateVersionRequest{DocumentID: d.ID, UpdatedBy: principal.User}
	for range documentapi.MaxFiles {
		request.Files = append(request.Files, documentapi.NewFile{Name: strings.Repeat("🙂", documentapi.MaxNameLength-4) + ".txt", Type: "text/plain"})
	}
	added := 0
	for ; err == nil && added < 10; added++ {
		_, err = service.CreateVersion(t.Context(), principal, request)
	}
	if !problem.Is(err, problem.InvalidRequest) || !strings.Contains(err.Error(), "Create a new document") || added < 2 {
		t.Errorf("after %d versions: %v", added, err)
	}
	s.put(key, "text")
	if err := service.SealUploads(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := service.Update(t.Context(), principal, documentapi.UpdateRequest{DocumentID: d.ID, Name: "y", UpdatedBy: principal.User}); err != nil {
		t.Error(err)
	}
}

// TestFullOutbox changes a document whose events are not published.
func TestFullOutbox(t *testing.T) {
	s := newSystem(t)
	service := s.service()
	d, _ := s.create(service)
	record, err := s.store.Get(t.Context(), "org_1", d.ID)
	if err != nil {
		t.Fatal(err)
	}
	for len(record.Outbox) < domain.MaxOutbox {
		record.Outbox = append(record.Outbox, record.Outbox[0])
	}
	if err := s.store.Replace(t.Context(), "org_1", record); err != nil {
		t.Fatal(err)
	}
	update := documentapi.UpdateRequest{DocumentID: d.ID, Name: "y", UpdatedBy: principal.User}
	if _, err := service.Update(t.Context(), principal, update); !problem.Is(err, problem.Unavailable) {
		t.Errorf("with a full outbox: %v", err)
	}
	if err := service.PublishEvents(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Update(t.Context(), principal, update); err != nil {
		t.Errorf("after the events were published: %v", err)
	}
}
