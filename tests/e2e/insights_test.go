package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// agreementText is a contract that has something for every type of insight.
const agreementText = `CONSULTING AGREEMENT

This Consulting Agreement is made as of January 31, 2026 between Lindqvist AB and Zoë Ünal.

1. Fees
The Client shall pay a fee of USD 12,500.00 within 30 days of each invoice. The liability of the Consultant is limited to USD 50,000.

2. Term
This Agreement ends on December 31, 2027 and renews for successive terms of 12 months.

3. Governing Law
This Agreement is governed by the laws of Sweden.

Name: ____________________
Signature: ____________________
`

// insightTypes maps every type to the key of its items in the response.
var insightTypes = map[string]string{
	"document_title": "document_title", "document_type": "document_type", "document_ids": "document_ids", "document_parties": "document_parties", "document_signers": "document_signers",
	"document_fields": "document_fields", "document_fields_pages": "document_fields_pages", "document_clauses": "document_clauses", "custom_prompt": "custom_prompt",
	"contract_values": "contract_values", "document_dates": "document_dates", "limit_of_liability": "limit_of_liability", "renewal_term_length": "renewal_term_length",
	"payments": "payments", "organization_matching_documents": "organization_matching_documents", "contract_expiration_dates": "document_dates",
	"contract_renewal_dates": "document_dates", "contract_limit_of_liability": "limit_of_liability", "contract_renewal_term_length": "renewal_term_length", "payment_due_date": "payments",
}

// insight returns a request for one type.
func insight(name string) object {
	if name == "custom_prompt" {
		return object{"type": name, "message": "Who pays?"}
	}
	return object{"type": name}
}

// about returns a request for all types about a source, except matching documents: its
// response depends on nothing but the source.
func about(source, value string) object {
	var all []object
	for _, name := range slices.Sorted(maps.Keys(insightTypes)) {
		if name != "organization_matching_documents" {
			all = append(all, insight(name))
		}
	}
	return object{source: value, "insights": all}
}

// plus returns a copy of a request with another member.
func plus(o object, name string, value any) object {
	o = maps.Clone(o)
	o[name] = value
	return o
}

// signedURL matches the only part that differs between responses with the same insights.
var signedURL = regexp.MustCompile(`"signed_url":"[^"]+"`)

// unsigned returns a response without its signed_url.
func unsigned(t *testing.T, answer []byte) string {
	t.Helper()
	if len(signedURL.FindAll(answer, -1)) != 1 {
		t.Errorf("the response does not have exactly one signed_url: %s", answer)
	}
	return signedURL.ReplaceAllString(string(answer), `"signed_url":""`)
}

// TestInsightRefusals breaks every validation rule of the request.
func TestInsightRefusals(t *testing.T) {
	c := shared.NewClient(t)
	title := []object{{"type": "document_title"}}
	for _, r := range []struct {
		body    any
		code    int
		entries []string
	}{
		{object{}, 3002, []string{"draft_id source_required", "insights required"}},
		{object{"insights": title}, 3002, []string{"draft_id source_required"}},
		{object{"doc_text": "", "url": nil, "insights": title}, 3002, []string{"draft_id source_required"}},
		{object{"doc_text": "x"}, 3002, []string{"insights required"}},
		{object{"doc_text": "x", "insights": []object{}}, 3001, []string{"insights too_short"}},
		{object{"doc_text": "x", "insights": "all"}, 3003, []string{"insights invalid_type"}},
		{object{"doc_text": 7, "insights": title}, 3003, []string{"doc_text invalid_type"}},
		{object{"doc_text": " \n", "insights": title}, 3001, []string{"doc_text too_short"}},
		{object{"doc_text": "x", "document_id": "y", "insights": title}, 3001, []string{"doc_text source_multiple"}},
		{object{"doc_text": "x", "insights": []object{{"type": "document_titel"}}}, 3001, []string{"insights.0.type insight_type_unknown"}},
		{object{"doc_text": "x", "insights": []object{{"type": "document_title"}, {"type": "custom_prompt"}}}, 3002, []string{"insights.1.message prompt_required"}},
		{object{"doc_text": "x", "insights": []object{{"type": "custom_prompt", "message": " "}}}, 3001, []string{"insights.0.message prompt_required"}},
		{object{"doc_text": "x", "insights": []object{{"type": "document_title", "page": 1}}}, 3001, []string{"insights.0.page unrecognized_key"}},
		{object{"doc_text": "x", "stream": "yes", "insights": title}, 3003, []string{"stream invalid_type"}},
		{object{"doc_text": "x", "insight": title}, 3001, []string{"insights required", "insight unrecognized_key"}},
		{object{"url": "example.com/a.pdf", "insights": title}, 3001, []string{"url url_invalid"}},
		{object{"url": "https://me:secret@example.com/", "insights": title}, 3001, []string{"url url_invalid"}},
	} {
		c.Post("/insights", r.body).FailsWith(r.code, r.entries...)
	}
	c.Post("/insights", "").Fails(400, 3001)
	c.Do(harness.Request{Method: "POST", Path: "/insights", Body: plus(about("doc_text", "x"), "stream", true), Header: map[string]string{"Last-Event-ID": "x"}}).
		FailsWith(3003, "Last-Event-ID invalid_type")
}

// TestInsightTypes requests each type alone. The response has the key of the type and, if
// the type has another name, that name as well.
func TestInsightTypes(t *testing.T) {
	c := shared.NewClient(t)
	for name, key := range insightTypes {
		var answer map[string]json.RawMessage
		c.Post("/insights", object{"doc_text": agreementText, "insights": []object{insight(name)}}).OK(&answer)
		want := map[string]bool{"custom_prompt": true, "document_fields_pages": true, "signed_url": true, name: true, key: true}
		for member, value := range answer {
			null := string(value) == "null"
			if !want[member] || null != (member != name && (member == "custom_prompt" || member == "document_fields_pages")) {
				t.Errorf("the response to %s has %s: %s", name, member, value)
			}
			delete(want, member)
		}
		if len(want) > 0 {
			t.Errorf("the response to %s lacks %v", name, want)
		}
		if string(answer[name]) != string(answer[key]) && key != "document_dates" {
			t.Errorf("%s: %s\n%s: %s", name, answer[name], key, answer[key])
		}
	}
}

// collected checks that a stream is complete and that its items are those of the final
// response, which it returns.
func collected(t *testing.T, a *harness.Answer) []byte {
	t.Helper()
	events := a.Events()
	items := map[string][]json.RawMessage{}
	progress := 0.0
	for i, e := range events {
		if e.ID != i+1 || (e.Name == "done") != (i == len(events)-1) {
			t.Fatalf("event %d of %d is %d, %s %s", i+1, len(events), e.ID, e.Name, e.Data)
		}
		var data struct {
			Progress float64
			Key      string
			Item     json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		switch e.Name {
		case "progress":
			if data.Progress <= progress || data.Progress > 1 {
				t.Errorf("the progress is %g after %g", data.Progress, progress)
			}
			progress = data.Progress
		case "insight":
			items[data.Key] = append(items[data.Key], data.Item)
		}
	}
	done := events[len(events)-1].Data
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(done, &answer); err != nil {
		t.Fatal(err)
	}
	for key, value := range answer {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil && list != nil {
			if got := join(items[key]); got != strings.TrimSuffix(strings.TrimPrefix(string(value), "["), "]") {
				t.Errorf("the streamed items of %s are %s, the final response has %s", key, got, value)
			}
		}
	}
	return done
}

func join(items []json.RawMessage) string {
	var parts [][]byte
	for _, item := range items {
		parts = append(parts, item)
	}
	return string(bytes.Join(parts, []byte(",")))
}

// TestInsightsInEveryForm sends the same request in every possible way. The result is the
// same apart from its signed_url.
func TestInsightsInEveryForm(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	for source, value := range map[string]string{"doc_text": agreementText, "document_id": d.ID} {
		body := about(source, value)
		ask := func(body object, header ...string) *harness.Answer {
			r := harness.Request{Method: "POST", Path: "/insights", Body: body, Header: map[string]string{}}
			for i := 0; i < len(header); i += 2 {
				r.Header[header[i]] = header[i+1]
			}
			return c.Do(r)
		}
		want := unsigned(t, ask(body).OK(nil).Body)
		if again := unsigned(t, ask(body).OK(nil).Body); again != want {
			t.Errorf("%s: the second response is\n%s\nthe first\n%s", source, again, want)
		}
		streamed := ask(plus(body, "stream", true)).OK(nil)
		if got := unsigned(t, collected(t, streamed)); got != want {
			t.Errorf("%s: streamed\n%s\nwant\n%s", source, got, want)
		}
		lines := ask(plus(body, "stream", true), "Accept", "application/x-ndjson").OK(nil)
		if got := unsigned(t, collected(t, lines)); !sameJSON(t, got, want) {
			t.Errorf("%s: as JSON lines\n%s\nwant\n%s", source, got, want)
		}
		events := streamed.Events()
		for last := range events {
			rest := ask(plus(body, "stream", true), "Last-Event-ID", strconv.Itoa(last)).OK(nil).Events()
			if len(rest) != len(events)-last || rest[0].ID != last+1 || rest[0].Name != events[last].Name {
				t.Errorf("%s: %d events follow event %d of %d", source, len(rest), last, len(events))
			}
		}
		var job accepted
		ask(body, "Prefer", "respond-async").Accepted(&job)
		if got := unsigned(t, resultOf(t, c, job.ID)); got != want {
			t.Errorf("%s: the result of the job\n%s\nwant\n%s", source, got, want)
		}
	}
}

// TestStreamOfLongPDF checks that the stream of a PDF of hundreds of pages has the title, the
// type and the ids before the document is read to its end, and that they are those of the
// response without a stream. A client that continues the stream gets the same order.
func TestStreamOfLongPDF(t *testing.T) {
	c := shared.NewClient(t)
	contents := make([]string, 300)
	for i := range contents {
		contents[i] = fmt.Sprintf("BT /F 12 Tf 72 720 Td (EXHIBIT %d TO THE LEASE AGREEMENT) Tj 0 -20 Td (The Tenant shall pay a rent of USD 1,000.00.) Tj ET", i)
	}
	contents[0] = "BT /F 12 Tf 72 720 Td (CONSULTING AGREEMENT) Tj 0 -20 Td (This Consulting Agreement is made as of January 31, 2026.) Tj ET"
	body := about("document_id", upload(t, c, "a.pdf", pdfOf("", contents...)).ID)
	streamed := c.Post("/insights", plus(body, "stream", true)).OK(nil)
	var stages []string
	for _, e := range streamed.Events() {
		var data struct{ Stage string }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if e.Name == "progress" {
			stages = append(stages, data.Stage)
		}
	}
	if want := []string{"fetched", "document_title", "document_type", "document_ids", "read", "structured"}; !slices.Equal(stages[:len(want)], want) {
		t.Errorf("the stages are %v, want %v first", stages, want)
	}
	done := unsigned(t, collected(t, streamed))
	if !strings.Contains(done, `"title":"CONSULTING AGREEMENT"`) || !strings.Contains(done, `"document_type":"Consulting Agreement"`) {
		t.Errorf("got %.300s", done)
	}
	if want := unsigned(t, c.Post("/insights", body).OK(nil).Body); done != want {
		t.Errorf("streamed\n%s\nwant\n%s", done, want)
	}
	rest := c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: plus(body, "stream", true), Header: map[string]string{"Last-Event-ID": "2"}}).OK(nil).Events()
	all := streamed.Events()
	sameEvents(t, append(all[:2:2], rest...), all)
}

// sameJSON reports whether two JSON texts are equal apart from the order of members.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprint(values[0]) == fmt.Sprint(values[1])
}

// resultOf waits until a job succeeds and returns its result.
func resultOf(t *testing.T, c *harness.Client, id string) []byte {
	t.Helper()
	for end := time.Now().Add(patience.Scale(3 * time.Minute)); time.Now().Before(end); {
		var j struct {
			Kind, State string
			Result      json.RawMessage
		}
		if c.Get("/jobs/" + id).OK(&j); j.State == "succeeded" && j.Kind == "analyze" {
			return j.Result
		} else if j.State == "failed" {
			break
		}
		pause()
	}
	t.Fatalf("the job does not succeed: %s", c.Get("/jobs/"+id).Body)
	return nil
}

// TestInsightSources checks which documents each source accepts, and the scopes that it
// needs.
func TestInsightSources(t *testing.T) {
	c := shared.NewClient(t)
	title := func(source, id string) object {
		return object{source: id, "insights": []object{{"type": "document_title"}}}
	}
	draft := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	empty := create(t, c, valid())
	completed := upload(t, c, "b.docx", testdata(t, "agreement.docx"))
	c.Do(harness.Request{Method: "PATCH", Path: "/documents/" + completed.ID, Body: object{"state": "agreement"}}).OK(nil)
	other := shared.NewClient(t)
	for _, stream := range []bool{false, true} {
		ask := func(c *harness.Client, source, id string) *harness.Answer {
			return c.Post("/insights", plus(title(source, id), "stream", stream))
		}
		ask(c, "draft_id", draft.ID).OK(nil)
		ask(c, "document_id", draft.ID).OK(nil)
		ask(c, "completed_id", completed.ID).OK(nil)
		ask(c, "document_id", completed.ID).OK(nil)
		ask(c, "completed_id", draft.ID).FailsWith(3001, "completed_id state_mismatch")
		ask(c, "draft_id", completed.ID).FailsWith(3001, "draft_id state_mismatch")
		for _, source := range []string{"draft_id", "completed_id", "document_id"} {
			ask(c, source, "doc_nobody").Fails(404, 4001)
			ask(other, source, draft.ID).Fails(404, 4001)
		}
		if e := ask(c, "document_id", empty.ID).Fails(400, 3001); len(e.Errors) > 0 {
			t.Errorf("without content: %+v", e)
		}
	}
	limited := shared.NewClient(t, "--scopes", "insights")
	limited.Post("/insights", title("draft_id", draft.ID)).Fails(403, 2004)
	limited.Post("/insights", title("doc_text", agreementText)).OK(nil)
}

// TestInsightJobsBelongToTheirOrganization checks that other organizations cannot see a job.
func TestInsightJobsBelongToTheirOrganization(t *testing.T) {
	c := shared.NewClient(t)
	var job accepted
	c.Do(harness.Request{Method: http.MethodPost, Path: "/insights", Body: about("doc_text", agreementText), Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
	resultOf(t, c, job.ID)
	shared.NewClient(t).Get("/jobs/"+job.ID).Fails(404, 1001)
}

// TestInsightsSignedURL downloads the text that was read.
func TestInsightsSignedURL(t *testing.T) {
	c := shared.NewClient(t)
	var answer struct {
		SignedURL string `json:"signed_url"`
	}
	c.Post("/insights", about("doc_text", agreementText)).OK(&answer)
	if a := c.Raw(http.MethodGet, answer.SignedURL, nil, nil); a.Status != http.StatusOK || string(a.Body) != agreementText {
		t.Errorf("the signed_url of a text returns %d %s", a.Status, a.Body)
	}
}

// TestInsightsOnce repeats requests with an Idempotency-Key.
func TestInsightsOnce(t *testing.T) {
	c := shared.NewClient(t)
	body := about("doc_text", agreementText)
	first := repeat(c, "order-1", "/insights", body).OK(nil)
	again := repeat(c, "order-1", "/insights", body).OK(nil)
	if again.Header.Get("Idempotency-Replayed") != "true" || unsigned(t, again.Body) != unsigned(t, first.Body) {
		t.Errorf("again %v %s\nfirst %s", again.Header, again.Body, first.Body)
	}
	repeat(c, "order-1", "/insights", about("doc_text", "another text")).Fails(409, 4009)
	streamed := collected(t, repeat(c, "order-2", "/insights", plus(body, "stream", true)).OK(nil))
	once := repeat(c, "order-2", "/insights", plus(body, "stream", true)).OK(nil)
	if once.Header.Get("Idempotency-Replayed") != "true" || unsigned(t, collected(t, once)) != unsigned(t, streamed) {
		t.Errorf("again %v %s", once.Header, once.Body)
	}
}
