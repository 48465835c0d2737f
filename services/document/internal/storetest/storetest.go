// Package storetest is the specification of domain.Store as a test suite. Every
// implementation passes it against its real database.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/services/document/internal/domain"
)

// Run runs the suite. open returns an empty store that lives until the end of the test
// passed to it.
func Run(t *testing.T, open func(t *testing.T) domain.Store) {
	for name, test := range map[string]func(*testing.T, domain.Store){
		"CreateAndGet":  testCreateAndGet,
		"DuplicateID":   testDuplicateID,
		"Organizations": testOrganizations,
		"Replace":       testReplace,
		"ReplaceRace":   testReplaceRace,
		"CreateRace":    testCreateRace,
		"AgreementRace": testAgreementRace,
		"Deleted":       testDeleted,
		"Outbox":        testOutbox,
		"OutboxRace":    testOutboxRace,
		"Purge":         testPurge,
		"StateChanges":  testStateChanges,
		"Paging":        testPaging,
		"ListModel":     testListModel,
		"UnknownFields": testUnknownFields,
		"Large":         testLarge,
		"LongTexts":     testLongTexts,
		"StrangeTexts":  testStrangeTexts,
		"BroadLists":    testBroadLists,
		"Cancelled":     testCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

const organization = "org_a"

// document returns a record with every field set.
func document(id string) domain.Document {
	return domain.Document{
		ID: id, Organization: organization, Name: "Vertrag „Zoë“ \x00\n🙂", State: documentapi.Draft,
		CreatedAt: 1_700_000_000_001, UpdatedAt: 1_700_000_000_002,
		CreatedBy: contract.User{ID: "user_1", Email: "a@example.com", Name: "Zoë"},
		UpdatedBy: contract.User{ID: "user_2", Email: "b@example.com", Name: "Ünal"},
		Access:    domain.Access{Organization: domain.View, Users: map[string]domain.Permission{"user_3": domain.Edit}},
		Versions: []domain.Version{
			{Number: 1, CreatedAt: 3, Files: []domain.File{{ID: "file_1", Name: "a.docx", Type: "text/plain"}}},
			{Number: 2, CreatedAt: 4, Files: []domain.File{{
				ID: "file_2", Name: "b.docx", Type: "text/plain",
				Seal: domain.Seal{Size: 5, SHA256: "aa", MD5: "bb", CRC32C: "cc", SealedAt: 6},
			}}, CreatedBy: contract.User{ID: "user_1"}, Token: "t"},
		},
		Outbox: []domain.Event{{ID: "event_1", Type: "document.created", At: 7}},
	}
}

// create stores a document and fails the test on an error.
func create(t *testing.T, s domain.Store, d domain.Document) {
	t.Helper()
	if err := s.Create(t.Context(), d.Organization, d); err != nil {
		t.Fatalf("Create(%s): %v", d.ID, err)
	}
}

// testCreateAndGet reads back all of what was stored.
func testCreateAndGet(t *testing.T, s domain.Store) {
	want := document("doc_1")
	create(t, s, want)
	want.Revision = 1
	got, err := s.Get(t.Context(), organization, "doc_1")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := s.Get(t.Context(), organization, "doc_2"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an unknown id: got %v, want ErrNotFound", err)
	}
}

// testDuplicateID creates an id twice: the second call is refused, even in another
// organization.
func testDuplicateID(t *testing.T, s domain.Store) {
	create(t, s, document("doc_1"))
	if err := s.Create(t.Context(), organization, document("doc_1")); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the same id: got %v, want ErrExists", err)
	}
	other := document("doc_1")
	other.Organization = "org_b"
	if err := s.Create(t.Context(), "org_b", other); !errors.Is(err, domain.ErrExists) {
		t.Errorf("the same id in another organization: got %v, want ErrExists", err)
	}
}

// testOrganizations checks that a document does not exist for another organization.
func testOrganizations(t *testing.T, s domain.Store) {
	create(t, s, document("doc_1"))
	if _, err := s.Get(t.Context(), "org_b", "doc_1"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("Get by another organization: got %v, want ErrNotFound", err)
	}
	d := document("doc_1")
	d.Revision = 1
	if err := s.Replace(t.Context(), "org_b", d); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("Replace by another organization: got %v, want ErrNotFound", err)
	}
	if items, total := list(t, s, "org_b", documentapi.ListRequest{}); len(items) != 0 || total != 0 {
		t.Errorf("List of another organization: got %d items of %d", len(items), total)
	}
}

// testReplace changes a document by compare-and-set: a writer with an older revision gets
// ErrConflict.
func testReplace(t *testing.T, s domain.Store) {
	d := document("doc_1")
	create(t, s, d)
	d.Name, d.State, d.UpdatedAt, d.Revision = "renamed", documentapi.Agreement, 9, 1
	d.UpdatedBy = contract.User{ID: "user_9"}
	d.Versions = append(d.Versions, domain.Version{Number: 3, Files: []domain.File{}})
	d.Outbox = []domain.Event{}
	d.Access = domain.Access{Organization: domain.Edit}
	if err := s.Replace(t.Context(), organization, d); err != nil {
		t.Fatal(err)
	}
	want := d
	want.Revision = 2
	got, err := s.Get(t.Context(), organization, "doc_1")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if err := s.Replace(t.Context(), organization, d); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("over an old revision: got %v, want ErrConflict", err)
	}
	d.ID = "doc_2"
	if err := s.Replace(t.Context(), organization, d); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an unknown id: got %v, want ErrNotFound", err)
	}
}

const writers = 16

// testReplaceRace lets 16 writers each add a version to one record: every writer
// succeeds, and none overwrites another.
func testReplaceRace(t *testing.T, s domain.Store) {
	d := document("doc_1")
	d.Versions = []domain.Version{}
	create(t, s, d)
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			for {
				d, err := s.Get(t.Context(), organization, "doc_1")
				if err != nil {
					t.Error(err)
					return
				}
				d.Versions = append(d.Versions, domain.Version{Number: n, Files: []domain.File{}})
				err = s.Replace(t.Context(), organization, d)
				if errors.Is(err, domain.ErrConflict) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	d, err := s.Get(t.Context(), organization, "doc_1")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, v := range d.Versions {
		seen[v.Number] = true
	}
	if len(d.Versions) != writers || len(seen) != writers || d.Revision != writers+1 {
		t.Errorf("%d versions, %d of them distinct, revision %d", len(d.Versions), len(seen), d.Revision)
	}
}

// testCreateRace lets 16 writers create the same id: exactly one succeeds.
func testCreateRace(t *testing.T, s domain.Store) {
	results := make(chan error, writers)
	for range writers {
		go func() { results <- s.Create(t.Context(), organization, document("doc_1")) }()
	}
	won := 0
	for range writers {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, domain.ErrExists):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers created the same id", won)
	}
}

// testDeleted checks that deleted documents are returned by Get, which the purge needs,
// and left out of lists.
func testDeleted(t *testing.T, s domain.Store) {
	for n := range 3 {
		create(t, s, document(fmt.Sprintf("doc_%d", n)))
	}
	d, err := s.Get(t.Context(), organization, "doc_1")
	if err != nil {
		t.Fatal(err)
	}
	d.DeletedAt = 5
	if err := s.Replace(t.Context(), organization, d); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), organization, "doc_1"); err != nil || got.DeletedAt != 5 {
		t.Errorf("Get of a deleted document: %+v, %v", got, err)
	}
	if items, total := list(t, s, organization, documentapi.ListRequest{}); len(items) != 2 || total != 2 {
		t.Errorf("List shows %d items of %d, want 2", len(items), total)
	}
	d.ID = "doc_9"
	create(t, s, d) // created as deleted
	if items, total := list(t, s, organization, documentapi.ListRequest{}); len(items) != 2 || total != 2 {
		t.Errorf("List shows %d items of %d, want 2", len(items), total)
	}
}

// testStateChanges moves documents between states, deletes and restores them: the totals
// of lists follow.
func testStateChanges(t *testing.T, s domain.Store) {
	totals := func() (out [3]int64) {
		for i, states := range [][]string{{"draft"}, {"agreement"}, {"draft", "agreement"}} {
			_, out[i] = list(t, s, organization, documentapi.ListRequest{
				Where: []documentapi.Condition{{Field: documentapi.FieldState, Op: documentapi.In, Values: states}},
			})
		}
		return out
	}
	for n := range 3 {
		create(t, s, document(fmt.Sprintf("doc_%d", n)))
	}
	for _, step := range []struct {
		state     documentapi.State
		deletedAt int64
		want      [3]int64
	}{
		{documentapi.Draft, 0, [3]int64{3, 0, 3}}, {documentapi.Agreement, 0, [3]int64{2, 1, 3}}, {documentapi.Agreement, 5, [3]int64{2, 0, 2}},
		{documentapi.Draft, 6, [3]int64{2, 0, 2}}, {documentapi.Draft, 0, [3]int64{3, 0, 3}}, {documentapi.Agreement, 9, [3]int64{2, 0, 2}},
	} {
		d, err := s.Get(t.Context(), organization, "doc_1")
		if err != nil {
			t.Fatal(err)
		}
		d.State, d.DeletedAt = step.state, step.deletedAt
		if err := s.Replace(t.Context(), organization, d); err != nil {
			t.Fatal(err)
		}
		if got := totals(); got != step.want {
			t.Errorf("as %s, deleted at %d: totals %v, want %v", step.state, step.deletedAt, got, step.want)
		}
	}
}

// testUnknownFields checks that unknown fields and operators are an error, instead of
// being ignored.
func testUnknownFields(t *testing.T, s domain.Store) {
	for name, r := range map[string]documentapi.ListRequest{
		"filter": {Where: []documentapi.Condition{{Field: "record", Op: documentapi.In, Values: []string{"x"}}}},
		"order":  {Order: []documentapi.Order{{Field: "1; DROP TABLE documents"}}},
		"op":     {Where: []documentapi.Condition{{Field: documentapi.FieldState, Op: "like", Values: []string{"x"}}}},
	} {
		if _, _, err := s.List(t.Context(), organization, defaults(r)); err == nil {
			t.Errorf("an unknown %s is accepted", name)
		}
	}
}

// testCancelled calls every method with a canceled context: nothing changes, and the
// error is the context's.
func testCancelled(t *testing.T, s domain.Store) {
	d := document("doc_1")
	create(t, s, d)
	d.Revision = 1
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Create":      func() error { return s.Create(ctx, organization, document("doc_2")) },
		"Get":         func() error { _, err := s.Get(ctx, organization, d.ID); return err },
		"List":        func() error { _, _, err := s.List(ctx, organization, defaults(documentapi.ListRequest{})); return err },
		"Replace":     func() error { return s.Replace(ctx, organization, d) },
		"Remove":      func() error { return s.Remove(ctx, organization, d) },
		"Unpublished": func() error { _, err := s.Unpublished(ctx, 1); return err },
		"Published":   func() error { return s.Published(ctx, []domain.Document{d}) },
		"Deleted":     func() error { _, err := s.Deleted(ctx, 1, 1); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
	if items, total := list(t, s, organization, documentapi.ListRequest{}); total != 1 || items[0].Revision != 1 {
		t.Errorf("something changed: %+v", items)
	}
}
