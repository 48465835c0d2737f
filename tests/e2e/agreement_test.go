package e2e

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// agree changes the state of a document to agreement.
func agree(c *harness.Client, id string) *harness.Answer {
	return c.Do(harness.Request{Method: http.MethodPatch, Path: "/documents/" + id, Body: object{"state": "agreement"}})
}

// TestAgreementTakesNoVersion adds versions to a document before and after it becomes an
// agreement. Requests that succeeded before can still be replayed by Idempotency-Key.
func TestAgreementTakesNoVersion(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	path := "/documents/" + d.ID + "/versions"
	var second, again, before, after document
	repeat(c, "second", path, newVersion("b.docx")).OK(&second)
	agree(c, d.ID).OK(nil)
	c.Get("/documents/" + d.ID).OK(&before)
	for range 2 { // a refusal is not stored for replay
		p := repeat(c, "third", path, newVersion("c.docx")).FailsWith(3001, "document_id document_is_agreement")
		if e := p.Errors[0]; e.Value != d.ID || e.Message == "" || e.Resolution == "" {
			t.Errorf("the entry is %+v", e)
		}
	}
	c.Post(path, newVersion("c.docx")).FailsWith(3001, "document_id document_is_agreement")
	c.Post(path, newVersion("c")).FailsWith(3001, "files.0.name invalid_file_name") // the body is checked first
	if a := repeat(c, "second", path, newVersion("b.docx")).OK(&again); !isReplay(a) || again.VersionNumber != 2 || again.Files[0].ID != second.Files[0].ID {
		t.Errorf("the replayed response is %+v", again)
	}
	shared.NewClient(t).Post(path, newVersion("c.docx")).Fails(404, 4001)
	if c.Get("/documents/" + d.ID).OK(&after); after.VersionNumber != 2 || after.UpdatedAt != before.UpdatedAt {
		t.Errorf("the document was %+v and is now %+v", before, after)
	}
	born := create(t, c, with("state", "agreement"))
	c.Post("/documents/"+born.ID+"/versions", newVersion("b.docx")).FailsWith(3001, "document_id document_is_agreement")
}

// TestAgreementRace adds versions from many clients while one of them turns the document
// into an agreement. Afterwards exactly the versions that were accepted exist.
func TestAgreementRace(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	path := "/documents/" + d.ID
	var added atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if i == 0 && added.Load() > 4 {
					agree(c, d.ID).OK(nil)
					c.Post(path+"/versions", newVersion("a.docx")).FailsWith(3001, "document_id document_is_agreement")
					return
				}
				a := c.Post(path+"/versions", newVersion("a.docx"))
				if a.Status != http.StatusOK {
					a.FailsWith(3001, "document_id document_is_agreement")
					return
				}
				added.Add(1)
			}
		})
	}
	wg.Wait()
	var list versions
	if c.Get(path + "/versions").OK(&list); list.Total != int(added.Load())+1 {
		t.Errorf("%d versions were added to the first, but there are %d in total", added.Load(), list.Total)
	}
}
