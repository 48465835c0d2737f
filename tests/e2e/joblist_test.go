package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// jobList is a page of jobs.
type jobList struct {
	Items []struct {
		ID, Kind, State string
		DocumentID      *string `json:"document_id"`
		CreatedAt       int64   `json:"created_at"`
		EndedAt         *int64  `json:"ended_at"`
	}
	Total, Page, Size, Pages int
}

// ids returns the ids of the jobs on the page.
func (l jobList) ids() []string {
	ids := []string{}
	for _, j := range l.Items {
		ids = append(ids, j.ID)
	}
	return ids
}

// TestListJobs lists jobs of every kind, latest first, filtered by kind, state and
// document, and page by page. Other organizations see none of them.
func TestListJobs(t *testing.T) {
	c := shared.NewClient(t)
	list := func(c *harness.Client, query string) (l jobList) {
		t.Helper()
		c.Get("/jobs" + query).OK(&l)
		return l
	}
	if l := list(c, ""); l.Total != 0 || len(l.Items) != 0 || l.Page != 1 || l.Size != 100 || l.Pages != 0 {
		t.Errorf("without jobs the list is %+v", l)
	}
	d := upload(t, c, "form.docx", harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a}}"}))
	damaged := upload(t, c, "b.docx", []byte("no document"))
	submit := func(path string, body any) string {
		var job accepted
		c.Do(harness.Request{Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
		ended(t, c, job.ID)
		return job.ID
	}
	failed := submit("/documents/"+damaged.ID+"/convert", nil)
	converted := submit("/documents/"+d.ID+"/convert", nil)
	filled := submit("/documents/"+d.ID+"/annotate", values("a", "x"))
	var read accepted
	laterInsights(c, about("doc_text", agreementText)).Accepted(&read)
	resultOf(t, c, read.ID)
	for query, want := range map[string][]string{
		"":                                       {read.ID, filled, converted, failed},
		"?kind=convert":                          {converted, failed},
		"?kind=annotate,analyze":                 {read.ID, filled},
		"?state=failed":                          {failed},
		"?state=failed,queued&kind=annotate":     {},
		"?document_id=" + d.ID:                   {filled, converted},
		"?document_id=" + d.ID + "&kind=convert": {converted},
		"?document_id=doc_none":                  {},
		"?document_id=%ff":                       {},
		"?document_id=%00," + d.ID:               {filled, converted},
		"?size=3":                                {read.ID, filled, converted},
		"?size=3&page=2":                         {failed},
		"?size=3&page=3":                         {},
	} {
		if l := list(c, query); !slices.Equal(l.ids(), want) {
			t.Errorf("%s lists %v, want %v", query, l.ids(), want)
		}
	}
	l := list(c, "?size=1")
	if j := l.Items[0]; l.Total != 4 || l.Pages != 4 || j.Kind != "analyze" || j.State != "succeeded" || j.DocumentID != nil || j.EndedAt == nil || *j.EndedAt < j.CreatedAt {
		t.Errorf("the latest of %d on %d pages is %+v", l.Total, l.Pages, j)
	}
	if j := list(c, "?kind=annotate").Items[0]; j.DocumentID == nil || *j.DocumentID != d.ID {
		t.Errorf("the job that filled %s is listed as %+v", d.ID, j)
	}
	if l := list(shared.NewClient(t), ""); l.Total != 0 {
		t.Errorf("another organization sees %+v", l)
	}
	own := shared.NewClient(t, "--organization", c.OrganizationID, "--scopes", "annotate")
	if l := list(own, ""); !slices.Equal(l.ids(), []string{filled}) {
		t.Errorf("with scope annotate the list is %v, want only %s", l.ids(), filled)
	}
	own.Get("/jobs?kind=convert").Fails(403, 2004)
	shared.NewClient(t, "--scopes", "documents:write").Get("/jobs").Fails(403, 2004)
	c.Get("/jobs?state=done&kinds=convert").FailsWith(3001, "state invalid_enum", "kinds unknown_parameter")
	c.Get("/jobs?page=21&size=500").FailsWith(3001, "page out_of_range")
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + d.ID}).OK(nil)
	if l := list(c, "?document_id="+d.ID); !slices.Equal(l.ids(), []string{filled, converted}) {
		t.Errorf("the jobs of a deleted document are %v", l.ids())
	}
}
