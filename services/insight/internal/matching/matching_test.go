package matching_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/matching"
	"github.com/rectohq/recto/services/insight/internal/similar"
	"github.com/rectohq/recto/services/insight/internal/similar/similartest"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// stored is a document of the fake document service. It has one file, whose bytes are its
// text.
type stored struct {
	organization, name, text string
	version                  int
	deleted                  bool
	// only is the user who may see the document, "" for everybody.
	only string
}

// world is an index with a real store, and a fake document service.
type world struct {
	t         testing.TB
	store     *sqlitestore.Store
	index     *matching.Index
	documents map[string]*stored
	reads     int
	// plain is called before a text is read, if it is set. It may fail.
	plain func(context.Context) error
}

func newWorld(t testing.TB) *world {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{t: t, store: store, documents: map[string]*stored{}}
	w.index = matching.New(matching.Deps{
		Store: store, Document: w.document, Contents: w.contents, Status: w.status,
		Prepare: func(context.Context) error { return nil }, Plain: w.read, Log: telemetry.Discard(),
	})
	return w
}

func (w *world) find(p contract.Principal, id string) (*stored, error) {
	d, ok := w.documents[id]
	if !ok || d.organization != p.Organization || d.only != "" && d.only != p.User.ID {
		return nil, documentapi.NotFound(id)
	}
	return d, nil
}

func (w *world) document(_ context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.Document, error) {
	d, err := w.find(p, r.DocumentID)
	if err == nil && d.deleted {
		err = documentapi.NotFound(r.DocumentID)
	}
	if err != nil {
		return documentapi.Document{}, err
	}
	return documentapi.Document{ID: r.DocumentID, Name: d.name, VersionNumber: d.version}, nil
}

func (w *world) contents(ctx context.Context, p contract.Principal, r documentapi.GetRequest) (documentapi.ContentsResponse, error) {
	d, err := w.document(ctx, p, r)
	return documentapi.ContentsResponse{DocumentID: r.DocumentID, VersionNumber: d.VersionNumber, Files: []documentapi.Content{
		{Name: "a.bin", Fault: documentapi.NotUploaded}, w.file(r.DocumentID),
	}}, err
}

// file returns the file of a document.
func (w *world) file(id string) documentapi.Content {
	d := w.documents[id]
	if d == nil {
		return documentapi.Content{}
	}
	return documentapi.Content{Name: "a.txt", Key: id, SHA256: fmt.Sprintf("hash of %q", d.text)}
}

func (w *world) status(_ context.Context, p contract.Principal, id string) (deleted bool, err error) {
	d, err := w.find(p, id)
	return err == nil && d.deleted, err
}

// read is the Plain of the index. A document with the text "picture" is unreadable.
func (w *world) read(ctx context.Context, files []documentapi.Content) (documentapi.Content, string, error) {
	w.reads++
	if w.plain != nil {
		if err := w.plain(ctx); err != nil {
			return documentapi.Content{}, "", err
		}
	}
	file := files[len(files)-1]
	text := w.documents[file.Key].text
	if text == "picture" {
		return documentapi.Content{}, "", problem.New(problem.InvalidRequest, "The file is a picture.")
	}
	return file, text, nil
}

// free lets the index begin at once.
func free(context.Context) error { return nil }

// sealed has the index handle the event that a file of a document was sealed.
func (w *world) sealed(id string) error {
	organization := "org_1"
	if d := w.documents[id]; d != nil {
		organization = d.organization
	}
	return w.index.Sealed(w.t.Context(), free)(w.t.Context(), contract.Event{ID: "event of " + id, Organization: organization, Subject: id})
}

// add stores a document of an organization and has the index record it.
func (w *world) add(organization, id, text string) {
	w.t.Helper()
	w.documents[id] = &stored{organization: organization, name: "name of " + id, text: text, version: 1}
	if err := w.sealed(id); err != nil {
		w.t.Fatal(err)
	}
}

// material returns the material of a request of a user in a job.
func material(organization, user, job, id string) domain.Material {
	return domain.Material{
		Job: domain.Job{ID: job}, Principal: contract.Principal{Organization: organization, User: contract.User{ID: user}},
		DocumentID: id, VersionNumber: 1,
	}
}

// matches returns the documents that match a text, for a request of a new job.
func (w *world) matches(organization, user, id, text string) []insightapi.MatchingDocument {
	w.t.Helper()
	found, err := w.index.Matches(w.t.Context(), material(organization, user, contract.NewID(contract.JobPrefix), id), text)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// match checks which documents match a text.
func (w *world) match(organization, user, text string, want ...string) {
	w.t.Helper()
	var got []string
	for _, m := range w.matches(organization, user, "", text) {
		got = append(got, m.DocumentID)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%s of %s: %.40q matches %v, want %v", user, organization, text, got, want)
	}
}

// agreement returns a text with values.
func agreement(buyer, price string) string {
	return fmt.Sprintf(`This agreement is made between %s (the buyer) and Northwind Ltd (the seller). The buyer shall pay the
seller a price of %s for each unit that the seller delivers to the warehouse of the buyer, within thirty days of the receipt
of an invoice. The seller warrants that every unit is free of defects in material and workmanship for a period of one year
after its delivery, and shall replace a defective unit without charge. Notices are sent to the address of %s.`, buyer, price, buyer)
}

// TestMatches shows the description and the order of each kind of match.
func TestMatches(t *testing.T) {
	w := newWorld(t)
	one := agreement("Acme Corp.", "USD 12.50")
	half := "Something else is said here, in words that no other text of this test has, so that it counts as different. " + one
	w.add("org_1", "doc_template", agreement("Zoe & Partners of Springfield", "EUR 3,400.00"))
	w.add("org_1", "doc_self", one)
	w.add("org_1", "doc_other", "An invoice for two hundred boxes of paper, payable by the end of the month to the bank account below.")
	w.add("org_1", "doc_b_copy", strings.ToUpper(one))
	w.add("org_1", "doc_longer", half)
	w.add("org_1", "doc_a_copy", one)
	w.add("org_1", "doc_none", " \n")
	found := w.matches("org_1", "user_1", "doc_self", one)
	for i, want := range []struct{ id, reasoning string }{
		{"doc_a_copy", "The text is the same: the same words in the same order."},
		{"doc_b_copy", "The text is the same: the same words in the same order."},
		{"doc_longer", "Similar text: about "},
		{"doc_template", "Same template with other values: about "},
	} {
		if i >= len(found) {
			t.Fatalf("only %d documents match", len(found))
		}
		got := found[i]
		if got.DocumentID != want.id || got.Name != "name of "+want.id || !strings.HasPrefix(*got.Reasoning, want.reasoning) {
			t.Errorf("match %d is %+v: %s, want %+v", i+1, got, *got.Reasoning, want)
		}
		if got.Similarity < 0.5 || got.Similarity > 1 || got.ConfidenceScore < 0.5 || got.ConfidenceScore > 0.99 || (got.Similarity == 1) != (i < 2) {
			t.Errorf("match %d has the similarity %v, with the confidence %v", i+1, got.Similarity, got.ConfidenceScore)
		}
	}
	if len(found) != 4 {
		t.Errorf("%d documents match", len(found))
	}
	if again := w.matches("org_1", "user_1", "doc_self", one); fmt.Sprint(ids(again)) != fmt.Sprint(ids(found)) {
		t.Errorf("the second time %v match, not %v", ids(again), ids(found))
	}
	w.match("org_1", "user_1", "")
	w.match("org_1", "user_1", "A text unlike all others.")
}

func ids(found []insightapi.MatchingDocument) (all []string) {
	for _, m := range found {
		all = append(all, fmt.Sprintf("%s %v %v", m.DocumentID, m.Similarity, m.ConfidenceScore))
	}
	return all
}

// TestOnlyVisible shows that nobody learns of documents of another organization, of those
// that the user may not see, of deleted ones, or of former versions.
func TestOnlyVisible(t *testing.T) {
	w := newWorld(t)
	text := agreement("Acme Corp.", "USD 12.50")
	for _, id := range []string{"doc_deleted", "doc_hidden", "doc_newer", "doc_purged", "doc_seen"} {
		w.add("org_1", id, text)
	}
	w.add("org_2", "doc_theirs", text)
	w.documents["doc_deleted"].deleted = true
	w.documents["doc_hidden"].only = "user_2"
	w.documents["doc_newer"].version = 2
	delete(w.documents, "doc_purged")
	w.match("org_1", "user_1", text, "doc_seen")
	w.match("org_1", "user_2", text, "doc_hidden", "doc_seen")
	w.match("org_2", "user_1", text, "doc_theirs")
	w.match("org_3", "user_1", text)
}

// TestBounds stores more copies than are returned.
func TestBounds(t *testing.T) {
	w := newWorld(t)
	text := agreement("Acme Corp.", "USD 12.50")
	for n := range 130 {
		w.add("org_1", fmt.Sprintf("doc_%03d", n), text)
	}
	if n := len(w.matches("org_1", "user_1", "", text)); n != 100 {
		t.Errorf("%d documents match, want 100", n)
	}
}

// TestSealed shows when the text of a document is read, and when it is not.
func TestSealed(t *testing.T) {
	w := newWorld(t)
	text, other := agreement("Acme Corp.", "USD 12.50"), strings.Repeat("quite another text of this document ", 10)
	w.add("org_1", "doc_1", text)
	step := func(what string, reads int, want ...string) {
		t.Helper()
		w.reads = 0
		if err := w.sealed("doc_1"); err != nil || w.reads != reads {
			t.Errorf("%s: %v after %d readings, want %d", what, err, w.reads, reads)
		}
		w.match("org_1", "user_1", text, want...)
	}
	step("the same event again", 0, "doc_1")
	w.documents["doc_1"].version, w.documents["doc_1"].text = 2, other
	step("a new version", 1)
	w.match("org_1", "user_1", other, "doc_1")
	w.documents["doc_1"].version, w.documents["doc_1"].text = 3, "picture"
	step("an unreadable version", 1)
	w.match("org_1", "user_1", other)
	w.documents["doc_1"].version, w.documents["doc_1"].text = 4, text
	w.plain = func(context.Context) error { return errors.New("the disk is full") }
	if err := w.sealed("doc_1"); err == nil {
		t.Error("the event is handled although the text could not be read")
	}
	w.plain = nil
	step("once the disk has room", 1, "doc_1")
	w.documents["doc_1"].deleted = true
	step("a deleted document", 0)
	isForgotten(t, w)
}

// isForgotten checks that nothing is stored of doc_1.
func isForgotten(t *testing.T, w *world) {
	t.Helper()
	if f, err := w.store.Fingerprint(t.Context(), "org_1", "doc_1"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the fingerprint is %+v, %v", f, err)
	}
}

// TestDeletedMeanwhile deletes or purges a document while it is read. Nothing remains of it.
func TestDeletedMeanwhile(t *testing.T) {
	for name, end := range map[string]func(*world){
		"deleted": func(w *world) { w.documents["doc_1"].deleted = true },
		"purged":  func(w *world) { w.documents["doc_1"].organization = "gone" },
	} {
		w := newWorld(t)
		w.documents["doc_1"] = &stored{organization: "org_1", text: "A text.", version: 1}
		w.plain = func(context.Context) error { end(w); return nil }
		if err := w.sealed("doc_1"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		isForgotten(t, w)
	}
}

// TestSlow reads a document that takes too long. It is tried three times, and its place in
// the queue is then free.
func TestSlow(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.documents["doc_1"] = &stored{organization: "org_1", text: "A text.", version: 1}
		w.plain = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		handle := w.index.Sealed(t.Context(), free)
		for try := 1; try <= 3; try++ {
			err := handle(t.Context(), contract.Event{ID: "event_1", Organization: "org_1", Subject: "doc_1"})
			if (err == nil) != (try == 3) {
				t.Errorf("try %d: %v", try, err)
			}
		}
	})
}

// TestStopped shows that the end of the process interrupts a reading, which is tried again
// elsewhere.
func TestStopped(t *testing.T) {
	w := newWorld(t)
	w.documents["doc_1"] = &stored{organization: "org_1", text: "A text.", version: 1}
	life, end := context.WithCancel(t.Context())
	w.plain = func(ctx context.Context) error { end(); <-ctx.Done(); return ctx.Err() }
	if err := w.index.Sealed(life, free)(t.Context(), contract.Event{Organization: "org_1", Subject: "doc_1"}); err == nil {
		t.Error("the event is handled although the reading was interrupted")
	}
	isForgotten(t, w)
	busy := errors.New("all workers are busy")
	err := w.index.Sealed(t.Context(), func(context.Context) error { return busy })(t.Context(), contract.Event{Organization: "org_1", Subject: "doc_1"})
	if !errors.Is(err, busy) {
		t.Errorf("without a free worker: %v", err)
	}
}

// TestAdd records the documents that requests read, also those that only their users may
// see, but neither a former version nor a text that is not stored.
func TestAdd(t *testing.T) {
	w := newWorld(t)
	text := agreement("Acme Corp.", "USD 12.50")
	w.documents["doc_1"] = &stored{organization: "org_1", text: text, version: 2, only: "user_1"}
	add := func(m domain.Material, text string) {
		t.Helper()
		if err := w.index.Add(t.Context(), m, w.file("doc_1"), text); err != nil {
			t.Fatal(err)
		}
	}
	m := material("org_1", "user_1", "job_1", "doc_1")
	add(material("org_1", "user_1", "job_1", ""), text)
	add(m, "")
	w.match("org_1", "user_1", text)
	m.VersionNumber = 2
	add(m, text)
	w.match("org_1", "user_1", text, "doc_1")
	w.match("org_1", "user_2", text)
	m.VersionNumber = 1
	add(m, "a former version")
	w.match("org_1", "user_1", text, "doc_1")
	w.documents["doc_1"].deleted, w.documents["doc_1"].text, m.VersionNumber = true, "another", 3
	add(m, "another")
	isForgotten(t, w)
}

// TestTries shows that the tries of a job get the same matches, whatever is stored meanwhile.
func TestTries(t *testing.T) {
	w := newWorld(t)
	text := agreement("Acme Corp.", "USD 12.50")
	w.add("org_1", "doc_1", text)
	m := material("org_1", "user_1", "job_1", "doc_2")
	first, err := w.index.Matches(t.Context(), m, text)
	if err != nil || len(first) != 1 {
		t.Fatalf("%v, %v", first, err)
	}
	w.add("org_1", "doc_0", text)
	again, err := w.index.Matches(t.Context(), m, text)
	if err != nil || fmt.Sprint(ids(again)) != fmt.Sprint(ids(first)) || *again[0].Reasoning != *first[0].Reasoning {
		t.Errorf("the second try gets %v, %v, not %v", again, err, first)
	}
	if err := w.store.ForgetCompletions(t.Context(), "org_1", "job_1"); err != nil {
		t.Fatal(err)
	}
	if found, err := w.index.Matches(t.Context(), m, text); err != nil || len(found) != 2 {
		t.Errorf("after the job, %v match, %v", found, err)
	}
}

// TestFaults shows that errors of the document service and of the store are returned, and that
// of a damaged fingerprint.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	text := agreement("Acme Corp.", "USD 12.50")
	w.add("org_1", "doc_1", text)
	down := problem.New(problem.Unavailable, "The document service is down.")
	broken := *w.index
	broken.Document = func(context.Context, contract.Principal, documentapi.GetRequest) (documentapi.Document, error) {
		return documentapi.Document{}, down
	}
	if _, err := broken.Matches(t.Context(), material("org_1", "user_1", "job_1", ""), text); !errors.Is(err, down) {
		t.Errorf("Matches = %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.index.Matches(canceled, material("org_1", "user_1", "job_1", ""), text); !errors.Is(err, context.Canceled) {
		t.Errorf("without a store: %v", err)
	}
	if err := w.index.Add(canceled, material("org_1", "user_1", "job_1", "doc_1"), w.file("doc_1"), text); !errors.Is(err, context.Canceled) {
		t.Errorf("without a store, Add = %v", err)
	}
	f, err := w.store.Fingerprint(t.Context(), "org_1", "doc_1")
	if err != nil {
		t.Fatal(err)
	}
	signature, _ := similar.Of(text)
	f.Signature, f.Keys = f.Signature[1:], signature.Keys("org_1")
	if err := w.store.KeepFingerprint(t.Context(), "org_1", f); err != nil {
		t.Fatal(err)
	}
	if _, err := w.index.Matches(t.Context(), material("org_1", "user_1", "job_1", ""), text); err == nil {
		t.Error("a damaged fingerprint is compared")
	}
}

// TestManyDocuments prints the time to record a document and to find its matches in a store
// of 20,000 documents.
func TestManyDocuments(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("a bench; set RECTO_BENCH=1")
	}
	w := newWorld(t)
	texts := similartest.Texts(20_000)
	begin := time.Now()
	for n, text := range texts {
		w.add("org_1", fmt.Sprintf("doc_%06d", n), text.Text)
	}
	added := time.Since(begin) / time.Duration(len(texts))
	begin = time.Now()
	const queries = 1000
	right := 0
	for n, text := range texts[:queries] {
		for _, m := range w.matches("org_1", "user_1", fmt.Sprintf("doc_%06d", n), text.Text) {
			var i int
			if _, err := fmt.Sscanf(m.DocumentID, "doc_%d", &i); err == nil && texts[i].Group == text.Group {
				right++
			}
		}
	}
	t.Logf("%v to record a document, %v to find its matches; %d right", added, time.Since(begin)/queries, right)
}
