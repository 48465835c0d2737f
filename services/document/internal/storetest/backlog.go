package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/rectohq/recto/services/document/internal/domain"
)

// testOutbox publishes events: published events are removed from their record, newer
// events stay, and a writer that read the record before must read it again.
func testOutbox(t *testing.T, s domain.Store) {
	for n := range 3 {
		create(t, s, document(fmt.Sprintf("doc_%d", n)))
	}
	quiet := document("doc_quiet")
	quiet.Outbox = nil
	create(t, s, quiet)
	found, err := s.Unpublished(t.Context(), 2)
	if err != nil || len(found) != 2 {
		t.Fatalf("Unpublished = %+v, %v; want 2", found, err)
	}
	sent, err := s.Unpublished(t.Context(), 10)
	if err != nil || len(sent) != 3 || sent[0].ID != "doc_0" || sent[0].Organization != organization || len(sent[0].Outbox) != 1 {
		t.Fatalf("Unpublished = %+v, %v; want 3", sent, err)
	}
	stale, err := s.Get(t.Context(), organization, "doc_0")
	if err != nil {
		t.Fatal(err)
	}
	d := stale
	d.Outbox = append([]domain.Event{{ID: "event_2", Type: "document.updated", At: 8}}, d.Outbox...)
	if err := s.Replace(t.Context(), organization, d); err != nil {
		t.Fatal(err)
	}
	if err := s.Published(t.Context(), append(sent, domain.Document{ID: "doc_gone", Organization: organization, Outbox: sent[0].Outbox})); err != nil {
		t.Fatal(err)
	}
	left, err := s.Unpublished(t.Context(), 10)
	if err != nil || len(left) != 1 || len(left[0].Outbox) != 1 || left[0].Outbox[0].ID != "event_2" {
		t.Errorf("after Published: %+v, %v", left, err)
	}
	if err := s.Replace(t.Context(), organization, stale); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("Replace over the revision before Published: got %v, want ErrConflict", err)
	}
}

// testOutboxRace publishes while writers add events: no event is lost, and no published
// event comes back.
func testOutboxRace(t *testing.T, s domain.Store) {
	d := document("doc_1")
	d.Outbox = nil
	create(t, s, d)
	const writers, each = 4, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { addEvents(t, s, w, each) })
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	seen := map[string]int{}
	for ended := false; ; {
		found, err := s.Unpublished(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			for _, e := range d.Outbox {
				seen[e.ID]++
			}
		}
		if err := s.Published(t.Context(), found); err != nil {
			t.Fatal(err)
		}
		if ended && len(found) == 0 {
			break
		}
		select {
		case <-done:
			ended = true
		default:
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("event %s was seen %d times", id, n)
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d events were seen, want %d", len(seen), writers*each)
	}
}

// addEvents adds n events to one record, each to its latest revision.
func addEvents(t *testing.T, s domain.Store, writer, n int) {
	for i := range n {
		for {
			d, err := s.Get(t.Context(), organization, "doc_1")
			if err != nil {
				t.Error(err)
				return
			}
			d.Outbox = append(d.Outbox, domain.Event{ID: fmt.Sprintf("event_%d_%d", writer, i), Type: "document.updated"})
			err = s.Replace(t.Context(), organization, d)
			if err == nil {
				break
			}
			if !errors.Is(err, domain.ErrConflict) {
				t.Error(err)
				return
			}
		}
	}
}

// testPurge finds documents deleted before a time and removes them permanently, unless
// they have changed since.
func testPurge(t *testing.T, s domain.Store) {
	for n, at := range []int64{0, 30, 10, 20} {
		d := document(fmt.Sprintf("doc_%d", n))
		d.DeletedAt = at
		create(t, s, d)
	}
	found, err := s.Deleted(t.Context(), 30, 10)
	if err != nil || len(found) != 2 || found[0].ID != "doc_2" || found[1].ID != "doc_3" || found[0].DeletedAt != 10 || found[0].Revision != 1 || found[0].Versions != nil {
		t.Fatalf("Deleted = %+v, %v", found, err)
	}
	if found, err := s.Deleted(t.Context(), 100, 1); err != nil || len(found) != 1 {
		t.Errorf("Deleted with a limit = %+v, %v", found, err)
	}
	d := found[0]
	d.Revision++
	if err := s.Remove(t.Context(), organization, d); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("Remove of another revision: got %v, want ErrConflict", err)
	}
	if err := s.Remove(t.Context(), "org_b", found[0]); err != nil {
		t.Errorf("Remove in another organization: %v", err)
	}
	for range 2 {
		if err := s.Remove(t.Context(), organization, found[0]); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Get(t.Context(), organization, "doc_2"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("Get after Remove: got %v, want ErrNotFound", err)
	}
	if left, err := s.Deleted(t.Context(), 100, 10); err != nil || len(left) != 2 {
		t.Errorf("Deleted after Remove = %+v, %v", left, err)
	}
}
