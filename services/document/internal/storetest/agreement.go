package storetest

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// nothingUploaded is an object store without objects.
type nothingUploaded struct{ domain.Objects }

func (nothingUploaded) PresignPut(context.Context, string, time.Duration) (blob.SignedURL, error) {
	return blob.SignedURL{}, nil
}

func (nothingUploaded) Get(context.Context, string) (io.ReadCloser, blob.Object, error) {
	return nil, blob.Object{}, blob.ErrNotFound
}

// testAgreementRace adds versions to a document while it becomes an agreement: afterwards
// every new version is refused, and none was added after the change.
func testAgreementRace(t *testing.T, s domain.Store) {
	d := document("doc_1")
	d.Access, d.Versions, d.Outbox = domain.Access{Organization: domain.Edit}, d.Versions[:1], nil
	create(t, s, d)
	service := domain.NewService(domain.Config{}, s, nothingUploaded{}, nil, telemetry.Discard())
	p := contract.Principal{Organization: organization, User: contract.User{ID: "user_1"}}
	var added atomic.Int64
	var agreed atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				late := agreed.Load()
				_, err := service.CreateVersion(t.Context(), p, documentapi.CreateVersionRequest{
					DocumentID: d.ID, Files: []documentapi.NewFile{{Name: "a.txt", Type: "text/plain"}}, UpdatedBy: p.User,
				})
				switch e := problem.Of(err); {
				case err == nil && late:
					t.Error("an agreement accepts a version")
					return
				case err == nil:
					added.Add(1)
				case e.Code != problem.Unavailable: // Unavailable means too many conflicts
					if len(e.Entries) != 1 || e.Entries[0].Code != problem.CodeDocumentAgreement || e.Code != problem.InvalidRequest {
						t.Errorf("a version is refused with %v", err)
					}
					return
				}
			}
		})
	}
	wg.Go(func() {
		for added.Load() < 8 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		for {
			_, err := service.Update(t.Context(), p, documentapi.UpdateRequest{DocumentID: d.ID, State: documentapi.Agreement, UpdatedBy: p.User})
			if !problem.Is(err, problem.Unavailable) {
				if err != nil {
					t.Error(err)
				}
				agreed.Store(true)
				return
			}
		}
	})
	wg.Wait()
	got, err := s.Get(t.Context(), organization, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := int(added.Load()); len(got.Versions) != n+1 || len(got.Outbox) != n+1 || got.State != documentapi.Agreement {
		t.Fatalf("%d versions were added, %s has %d and %d events", n, got.State, len(got.Versions), len(got.Outbox))
	}
	for i, e := range got.Outbox {
		if last := i == len(got.Outbox)-1; last != (e.Type == documentapi.EventUpdated) {
			t.Errorf("event %d of %d is %s", i+1, len(got.Outbox), e.Type)
		}
	}
}
