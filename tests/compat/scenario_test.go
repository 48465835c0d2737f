package compat

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// scenario is what is recorded: every endpoint is called at least once, every event is
// published, and every kind of record is stored.
type scenario struct {
	*world
	p contract.Principal
	// probe is a connection whose requests are not recorded.
	probe *bus.Conn
	form  documentapi.Document // a PDF form
	// What Sign needs.
	filled    annotationapi.Result
	converted conversionapi.Result
	found     insightapi.Result
	again     documentapi.Document // a PDF that is converted last
	text      documentapi.Document // a text, deleted and purged in the end
}

// newScenario returns the scenario in a world.
func newScenario(w *world) *scenario {
	user := contract.User{ID: contract.NewID(contract.UserPrefix), Email: "zoe@acme.example", Name: "Zoë Ünal"}
	return &scenario{world: w, probe: bustest.Connect(w.T, w.NATS, "probe"), p: contract.Principal{
		Organization: contract.NewID(contract.OrganizationPrefix), User: user, Key: contract.NewID(contract.KeyPrefix), Scopes: []contract.Scope{contract.ScopeAll},
	}}
}

// ask calls an endpoint, and fails the test unless it answers.
func ask[Req, Res any](s *scenario, e contract.Endpoint[Req, Res], r Req) Res {
	s.T.Helper()
	res, err := bus.Call(patience.Context(s.T), s.Caller, e, s.p, r)
	if err != nil {
		s.T.Fatalf("%s: %v", e.Subject(), err)
	}
	return res
}

// refuse calls an endpoint, and fails the test unless it refuses the request.
func refuse[Req, Res any](s *scenario, e contract.Endpoint[Req, Res], r Req) {
	s.T.Helper()
	if res, err := bus.Call(patience.Context(s.T), s.Caller, e, s.p, r); err == nil {
		s.T.Fatalf("%s is not refused: %+v", e.Subject(), res)
	}
}

// await waits until a job has ended, without recording it.
func (s *scenario) await(e contract.Endpoint[jobapi.GetRequest, jobapi.Job], id string) {
	s.T.Helper()
	patience.Until(s.T, "the end of job "+id, func() bool {
		j, err := bus.Call(patience.Context(s.T), s.probe, e, s.p, jobapi.GetRequest{ID: id})
		if err != nil || j.State == jobapi.Failed {
			s.T.Fatalf("job %+v: %v", j, err)
		}
		return j.State.Ended()
	})
}

// run runs the scenario.
func (s *scenario) run(t *testing.T) {
	s.documents(t)
	s.annotations(t)
	s.conversions(t)
	s.insights(t)
	s.endings(t)
	s.set(true, false)
	s.reads()
	s.set(false, true)
}

// upload uploads the content of the first file of a document.
func (s *scenario) upload(t *testing.T, d documentapi.Document, content []byte) {
	t.Helper()
	put(t, d.Files[0].UploadURL, content)
	s.uploaded(d.Files[0].ID, content)
}

// put uploads content to a presigned URL.
func put(t *testing.T, url string, content []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s: status %d", url, response.StatusCode)
	}
}

const agreement = "Consulting Agreement\n\nThis agreement is between Acme Ltd and Zenith GmbH. It begins on 1 March 2026.\n" +
	"The fee is EUR 12,500.00, due within 30 days.\n\nGoverning Law. This agreement is governed by the law of Germany.\n"

func (s *scenario) documents(t *testing.T) {
	create := documentapi.CreateRequest{
		Name: "Form", Files: []documentapi.NewFile{{Name: "form.pdf", Type: "application/pdf"}}, State: documentapi.Draft, CreatedBy: s.p.User, UpdatedBy: s.p.User,
		ID: contract.NewID(contract.DocumentPrefix),
	}
	s.form = ask(s, documentapi.Create, create)
	s.upload(t, s.form, pdfforms.Form(2))
	create.Name, create.ID = "Form again", ""
	s.again = ask(s, documentapi.Create, create)
	s.upload(t, s.again, pdfforms.Form(1))
	create.Name, create.ID, create.Files = "Text", "", []documentapi.NewFile{{Name: "text.txt", Type: "text/plain"}}
	s.text = ask(s, documentapi.Create, create)
	s.upload(t, s.text, []byte(agreement))
	create.Name = ""
	refuse(s, documentapi.Create, create)
	ask(s, documentapi.Uploads, documentapi.GetRequest{DocumentID: s.form.ID})
	ask(s, documentapi.CreateVersion, documentapi.CreateVersionRequest{DocumentID: s.text.ID, Files: create.Files, UpdatedBy: s.p.User, Token: "token"})
	ask(s, documentapi.Update, documentapi.UpdateRequest{DocumentID: s.form.ID, Name: "Renamed form", State: documentapi.Agreement, UpdatedBy: s.p.User})
	for _, id := range []string{s.form.ID, s.text.ID} {
		ask(s, documentapi.Contents, documentapi.GetRequest{DocumentID: id, Version: documentapi.Version{Number: 1, Given: true}})
	}
	staged := contract.NewID(contract.DocumentPrefix)
	ask(s, documentapi.Stage, documentapi.StageRequest{DocumentID: staged, FileID: contract.NewID(contract.FilePrefix)})
	ask(s, documentapi.Discard, documentapi.DiscardRequest{DocumentID: staged})
}

func (s *scenario) annotations(t *testing.T) {
	label, required, page := "Signature of the client", false, 1
	definitions := []annotationapi.Definition{{
		FieldID: "agreementinput-client", Type: "signature", Label: &label, Required: &required, PageNumber: &page,
		BoundingBox: &annotationapi.BoundingBox{Page: 1, Left: 0.1, Top: 0.8, Width: 0.25, Height: 0.05},
	}}
	ask(s, annotationapi.PutFields, annotationapi.PutFieldsRequest{DocumentID: s.form.ID, Fields: definitions})
	fields := ask(s, annotationapi.Fields, annotationapi.FieldsRequest{DocumentID: s.form.ID})
	body := `{"field_values":{"` + fields.Items[0].FieldID + `":{"value":"Zoë"}}}`
	fill := func(r annotationapi.AnnotateRequest, body string) contract.Stream {
		r.DocumentID = s.form.ID
		stream, err := annotationapi.NewAnnotate(r, strings.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		return stream
	}
	ask(s, annotationapi.Annotate, fill(annotationapi.AnnotateRequest{DryRun: true}, body))
	filled := ask(s, annotationapi.Annotate, fill(annotationapi.AnnotateRequest{}, body))
	ask(s, annotationapi.Annotate, fill(annotationapi.AnnotateRequest{Flatten: true}, body+strings.Repeat(" ", 300<<10))) // a claim check
	s.filled = filled.Result
	accepted := ask(s, annotationapi.Submit, fill(annotationapi.AnnotateRequest{}, body))
	s.await(annotationapi.Job, accepted.ID)
}

func (s *scenario) conversions(t *testing.T) {
	request := conversionapi.StoredRequest{DocumentID: s.form.ID, Format: "pdf"}
	converted := ask(s, conversionapi.Stored, request)
	s.converted = converted.Result
	accepted := ask(s, conversionapi.Submit, request)
	s.await(conversionapi.Job, accepted.ID)
	refuse(s, conversionapi.Submit, conversionapi.StoredRequest{DocumentID: contract.NewID(contract.DocumentPrefix), Format: "pdf"})
	ask(s, conversionapi.Pages, conversionapi.PagesRequest{DocumentID: s.form.ID, Page: 1, Size: 10})
	ask(s, conversionapi.PageImage, conversionapi.PageImageRequest{DocumentID: s.form.ID, PageNumber: 1, Width: 64})
	ask(s, conversionapi.PageWords, conversionapi.PageWordsRequest{DocumentID: s.form.ID, PageNumber: 1})
	inline := conversionapi.NewInline("form.pdf", bytes.NewReader(pdfforms.Form(1)))
	result := ask(s, conversionapi.Inline, inline)
	if _, err := conversionapi.ReadInline(result, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
}

func (s *scenario) insights(t *testing.T) {
	var all []insightapi.Request
	for _, kind := range insightapi.Keys() {
		r := insightapi.Request{Type: kind}
		if kind == insightapi.CustomPrompt {
			r.Message = "Which law governs the agreement?"
		}
		all = append(all, r)
	}
	text := insightapi.CreateRequest{Source: insightapi.DocText, Value: agreement, Organization: "Acme", Context: "We are Acme.", Insights: all}
	found := ask(s, insightapi.Create, text)
	s.found = found.Result
	stored := insightapi.CreateRequest{Source: insightapi.DocumentID, Value: s.form.ID, Insights: []insightapi.Request{{Type: insightapi.DocumentIDs}, {Type: insightapi.DocumentFields}}}
	accepted := ask(s, insightapi.Submit, stored)
	s.await(insightapi.Job, accepted.ID)
	stored.Stream = true
	begun := ask(s, insightapi.Begin, stored)
	s.await(insightapi.Job, begun.ID)
}

// endings cancels jobs, and deletes the text, which is purged.
func (s *scenario) endings(t *testing.T) {
	ask(s, documentapi.Delete, documentapi.DeleteRequest{DocumentID: s.text.ID})
	patience.Until(t, "the document is purged", func() bool { return s.has("events.document.purged.") })
	for _, e := range []contract.Endpoint[jobapi.GetRequest, jobapi.Job]{annotationapi.CancelJob, conversionapi.CancelJob, insightapi.CancelJob} {
		refuse(s, e, jobapi.GetRequest{ID: contract.NewID(contract.JobPrefix)})
	}
}

// reads calls the endpoints that change nothing.
func (s *scenario) reads() {
	form := documentapi.GetRequest{DocumentID: s.form.ID}
	ask(s, documentapi.Get, form)
	ask(s, documentapi.Get, documentapi.GetRequest{DocumentID: s.form.ID, Version: documentapi.Version{Number: 1, Given: true}})
	refuse(s, documentapi.Get, documentapi.GetRequest{DocumentID: s.text.ID})
	ask(s, documentapi.Contents, form)
	ask(s, documentapi.Status, documentapi.StatusRequest{DocumentID: s.form.ID})
	ask(s, documentapi.List, documentapi.ListRequest{
		Page: 1, Size: 10, Order: []documentapi.Order{{Field: documentapi.FieldCreatedAt}},
		Where: []documentapi.Condition{{Field: documentapi.FieldState, Op: documentapi.In, Values: []string{"agreement"}}},
	})
	ask(s, documentapi.ListVersions, documentapi.VersionsRequest{DocumentID: s.form.ID, Page: 1, Size: 10})
	ask(s, annotationapi.Fields, annotationapi.FieldsRequest{DocumentID: s.form.ID, Registry: true})
	ask(s, annotationapi.Sign, s.filled)
	ask(s, conversionapi.Sign, s.converted)
	ask(s, insightapi.Sign, s.found)
	list := jobapi.ListRequest{Limit: 10}
	for _, of := range []struct {
		list contract.Endpoint[jobapi.ListRequest, jobapi.ListResponse]
		get  contract.Endpoint[jobapi.GetRequest, jobapi.Job]
	}{{annotationapi.ListJobs, annotationapi.Job}, {conversionapi.ListJobs, conversionapi.Job}, {insightapi.ListJobs, insightapi.Job}} {
		for _, j := range ask(s, of.list, list).Items {
			ask(s, of.get, jobapi.GetRequest{ID: j.ID})
		}
	}
}

// queue leaves a job of the conversion service in its queue: an instance accepts it that
// runs no jobs.
func (s *scenario) queue(t *testing.T) {
	s.startConversion(jobrun.API)
	ask(s, conversionapi.Submit, conversionapi.StoredRequest{DocumentID: s.again.ID, Format: "pdf"})
	patience.Until(t, "the job is queued", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.ContainsFunc(s.messages, func(m message) bool { return strings.HasPrefix(m.Subject, "jobs.convert.bulk.") })
	})
	s.stop("conversion")
}
