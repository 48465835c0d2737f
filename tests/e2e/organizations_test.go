package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// operation is a method and path of the OpenAPI description.
type operation struct{ method, path string }

// operationsWithID returns every described operation whose path contains an id.
func operationsWithID(t *testing.T) []operation {
	t.Helper()
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	a := shared.Client(t).Get("/openapi.json")
	if err := json.Unmarshal(a.Body, &description); err != nil {
		t.Fatal(err)
	}
	var found []operation
	for path, members := range description.Paths {
		for member := range members {
			method := strings.ToUpper(member)
			switch method {
			case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
				if strings.Contains(path, "{") {
					found = append(found, operation{method, path})
				}
			}
		}
	}
	if len(found) < 8 {
		t.Fatalf("the description has only the operations %v", found)
	}
	return found
}

// bodies holds valid bodies for operations: with the caller's own ids they would succeed.
var bodies = map[operation]any{
	{http.MethodPatch, "/documents/{document_id}"}:         object{"name": "taken over"},
	{http.MethodPost, "/documents/{document_id}/versions"}: object{"files": []object{{"name": "a.txt", "type": "text/plain"}}},
	{http.MethodPost, "/documents/{document_id}/annotate"}: object{"field_values": object{"agreementinput-fee": object{"value": "1"}}},
	{http.MethodPut, "/documents/{document_id}/fields"}:    object{"fields": []object{{"field_id": "agreementinput-fee", "type": "ssn"}}},
}

// takesVersion reports whether an operation has the parameter version_number.
func takesVersion(o operation) bool {
	switch strings.TrimPrefix(o.path, "/documents/{document_id}") {
	case "/convert", "/annotate", "/fields":
		return true
	case "":
		return o.method == http.MethodGet
	}
	return false
}

// TestTwoOrganizations calls every operation that takes an id with the ids of another
// organization. The responses are the same as for unknown ids, and nothing changes.
func TestTwoOrganizations(t *testing.T) {
	mine, other := shared.NewClient(t), shared.NewClient(t)
	d := upload(t, other, "a.docx", testdata(t, "contract.docx"))
	var job accepted
	later(other, "/documents/"+d.ID+"/convert").Accepted(&job)
	fields := other.Get("/documents/" + d.ID + "/fields").OK(nil).Body
	before := other.Get("/documents/" + d.ID).Body
	foreign := map[string]string{"{document_id}": d.ID, "{job_id}": job.ID}
	nothing := map[string]string{"{document_id}": "doc_01h455vb4pex5vsknk084sn02q", "{job_id}": "job_01h455vb4pex5vsknk084sn02q"}
	for _, o := range operationsWithID(t) {
		for _, query := range []string{"", "?version_number=1", "?version_number=9"} {
			if query != "" && !takesVersion(o) {
				continue
			}
			ask := func(ids map[string]string) (*harness.Answer, string) {
				path := strings.ReplaceAll(o.path, "{page_number}", "1")
				for parameter, id := range ids {
					path = strings.ReplaceAll(path, parameter, id)
				}
				return mine.Do(harness.Request{Method: o.method, Path: path + query, Body: bodies[o]}), path
			}
			a, path := ask(foreign)
			q, _ := ask(nothing)
			if strings.Contains(path, "{") {
				t.Fatalf("%s has an id that this test does not know: add it", path)
			}
			shown := string(a.Body)
			for parameter, id := range foreign {
				shown = strings.ReplaceAll(shown, id, nothing[parameter])
			}
			if a.Status != http.StatusNotFound || q.Status != a.Status || shown != string(q.Body) {
				t.Errorf("%s %s%s: got %d %s for the id of another organization, but %d %s for an unknown id", o.method, path, query, a.Status, a.Body, q.Status, q.Body)
			}
		}
	}
	if ended(t, other, job.ID).State != "succeeded" {
		t.Error("the job of the other organization does not succeed")
	}
	if after := other.Get("/documents/" + d.ID).Body; withoutURLs(t, before) != withoutURLs(t, after) {
		t.Errorf("the document was\n%s\nand is now\n%s", before, after)
	}
	if after := other.Get("/documents/" + d.ID + "/fields").Body; !bytes.Equal(fields, after) {
		t.Errorf("the fields were\n%s\nand are now\n%s", fields, after)
	}
	for _, query := range []string{"", "?organization_id=" + other.OrganizationID, "?created_by=" + other.User.ID, "?state=draft,agreement"} {
		var l list
		if mine.Get("/documents" + query).OK(&l); l.Total != 0 {
			t.Errorf("%s lists %d documents of another organization", query, l.Total)
		}
	}
	noInsights(t, mine, other, d.ID)
	other.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
	var again converted
	same := upload(t, mine, "a.docx", testdata(t, "contract.docx"))
	mine.Post("/documents/"+same.ID+"/convert", nil).OK(&again)
	if !strings.Contains(again.DownloadURL, mine.OrganizationID) {
		t.Error("one organization gets the converted file of another")
	}
}

// noInsights requests insights about a document of another organization, which is
// indistinguishable from an unknown document, and about the same text as the other
// organization, which gets a separate result.
func noInsights(t *testing.T, mine, other *harness.Client, id string) {
	t.Helper()
	text := "Of two organizations.\n" + agreementText
	var job, own accepted
	later := func(c *harness.Client) *harness.Answer {
		return c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: about("doc_text", text), Header: map[string]string{"Prefer": "respond-async"}})
	}
	later(other).Accepted(&job)
	theirs := resultOf(t, other, job.ID)
	other.Post("/insights", about("document_id", id)).OK(nil)
	for _, source := range []string{"draft_id", "completed_id", "document_id"} {
		for _, stream := range []bool{false, true} {
			ask := func(value string) string {
				a := mine.Post("/insights", plus(about(source, value), "stream", stream))
				a.Fails(http.StatusNotFound, 4001)
				return strings.ReplaceAll(string(a.Body), value, "")
			}
			if foreign, nothing := ask(id), ask("doc_01h455vb4pex5vsknk084sn02q"); foreign != nothing {
				t.Errorf("%s: got %s for a document of another organization, but %s for an unknown one", source, foreign, nothing)
			}
		}
	}
	shown, nothing := mine.Get("/jobs/"+job.ID), mine.Get("/jobs/job_01h455vb4pex5vsknk084sn02q")
	if shown.Status != http.StatusNotFound || strings.ReplaceAll(string(shown.Body), job.ID, "") != strings.ReplaceAll(string(nothing.Body), "job_01h455vb4pex5vsknk084sn02q", "") {
		t.Errorf("got %s for a job of another organization, but %s for an unknown one", shown.Body, nothing.Body)
	}
	later(mine).Accepted(&own)
	if own.ID == job.ID {
		t.Error("two organizations share a job about the same text")
	}
	for c, result := range map[*harness.Client][]byte{mine: resultOf(t, mine, own.ID), other: theirs} {
		var answer struct {
			SignedURL string `json:"signed_url"`
		}
		if err := json.Unmarshal(result, &answer); err != nil || !strings.Contains(answer.SignedURL, c.OrganizationID) {
			t.Errorf("%s gets signed_url %s, %v", c.OrganizationID, answer.SignedURL, err)
		}
	}
}

// withoutURLs returns a document response without its presigned URLs, which differ each
// time.
func withoutURLs(t *testing.T, body []byte) string {
	t.Helper()
	var d document
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	for i := range d.Files {
		d.Files[i].DownloadURL = ""
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
