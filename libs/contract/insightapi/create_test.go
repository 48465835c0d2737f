package insightapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
)

// entries formats the code of an error and its entries for comparison, and checks that
// all members of each entry are set.
func entries(t *testing.T, err error) string {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	text := fmt.Sprint(int(e.Code))
	for _, entry := range e.Entries {
		if entry.Message == "" || entry.InternalMessage == "" || entry.Resolution == "" || !json.Valid(entry.Value) {
			t.Errorf("an incomplete entry: %+v", entry)
		}
		if !strings.HasPrefix(entry.Message, entry.Path) && entry.Path != "" {
			t.Errorf("the message does not name its field: %s", entry.Message)
		}
		text += fmt.Sprintf(" %s:%s", entry.Path, entry.Code)
	}
	return text
}

// title is the end of a body, which asks for one insight.
const title = `,"insights":[{"type":"document_title"}]}`

func TestParseCreateRefuses(t *testing.T) {
	for body, want := range map[string]string{
		``:   "3001",
		`[]`: "3003 :invalid_type",
		`{}`: "3002 draft_id:source_required insights:required",
		`{"draft_id":null,"url":"","doc_text":""` + title:                                                "3002 draft_id:source_required",
		`{"draft_id":"d","insights":null}`:                                                               "3002 insights:required",
		`{"draft_id":"d","insights":[]}`:                                                                 "3001 insights:too_short",
		`{"draft_id":"d","insights":{}}`:                                                                 "3003 insights:invalid_type",
		`{"draft_id":"d","insights":["document_title"]}`:                                                 "3003 insights.0:invalid_type",
		`{"draft_id":"d","insights":[{}]}`:                                                               "3002 insights.0.type:required",
		`{"draft_id":"d","insights":[{"type":7}]}`:                                                       "3003 insights.0.type:invalid_type",
		`{"draft_id":"d","insights":[{"type":"document_titel"}]}`:                                        "3001 insights.0.type:insight_type_unknown",
		`{"draft_id":"d","insights":[{"type":""}]}`:                                                      "3001 insights.0.type:insight_type_unknown",
		`{"draft_id":"d","insights":[{"type":"payments"},{"type":"custom_prompt"}]}`:                     "3002 insights.1.message:prompt_required",
		`{"draft_id":"d","insights":[{"type":"custom_prompt","message":null}]}`:                          "3002 insights.0.message:prompt_required",
		`{"draft_id":"d","insights":[{"type":"custom_prompt","message":" \n"}]}`:                         "3001 insights.0.message:prompt_required",
		`{"draft_id":"d","insights":[{"type":"custom_prompt","message":1}]}`:                             "3003 insights.0.message:invalid_type",
		`{"draft_id":"d","insights":[{"type":"document_title","colour":1}]}`:                             "3001 insights.0.colour:unrecognized_key",
		`{"draft_id":"d","completed_id":"c","document_id":"x","doc_text":"t","url":"u:"` + title:         "3001 completed_id:source_multiple document_id:source_multiple doc_text:source_multiple url:source_multiple url:url_invalid",
		`{"url":"https://a.example/","doc_text":"t"` + title:                                             "3001 url:source_multiple",
		`{"draft_id":7` + title:                                                                          "3003 draft_id:invalid_type",
		`{"draft_id":7,"doc_text":"t"` + title:                                                           "3001 draft_id:invalid_type doc_text:source_multiple",
		`{"doc_text":" \n\t"` + title:                                                                    "3001 doc_text:too_short",
		`{"document_id":"` + strings.Repeat("é", insightapi.MaxIDLength+1) + `"` + title:                 "3001 document_id:too_long",
		`{"doc_text":"` + strings.Repeat("x", insightapi.MaxTextLength+1) + `"` + title:                  "3001 doc_text:too_long",
		`{"url":"https://a.example/` + strings.Repeat("x", insightapi.MaxURLLength) + `"` + title:        "3001 url:too_long",
		`{"draft_id":"d","context":7` + title:                                                            "3003 context:invalid_type",
		`{"draft_id":"d","context":"` + strings.Repeat("x", insightapi.MaxContextLength+1) + `"` + title: "3001 context:too_long",
		`{"draft_id":"d","stream":"true"` + title:                                                        "3003 stream:invalid_type",
		`{"draft_id":"d","streams":true` + title:                                                         "3001 streams:unrecognized_key",
		`{"draft_id":"d","insights":[{"type":"custom_prompt","message":"` + strings.Repeat("x", insightapi.MaxMessageLength+1) + `"}]}`: "3001 insights.0.message:too_long",
		`{"draft_id":"d","insights":[` + strings.Repeat(`{"type":"payments"},`, insightapi.MaxInsights) + `{"type":"payments"}]}`:       "3001 insights:too_long",
		`{"z":1,"stream":2,"insights":[{"type":"x"},{"type":"custom_prompt"}],"context":3,"url":"ftp://a","draft_id":4}`: "3001 draft_id:invalid_type url:source_multiple url:url_invalid " +
			"context:invalid_type insights.0.type:insight_type_unknown insights.1.message:prompt_required stream:invalid_type z:unrecognized_key",
	} {
		_, err := insightapi.ParseCreate([]byte(body))
		if got := entries(t, err); got != want {
			t.Errorf("%.200s: got %s, want %s", body, got, want)
		}
	}
}

func TestParseCreateAdvises(t *testing.T) {
	for body, want := range map[string]string{
		`{"draft_id":"d","insights":[{"type":"document_titel"}]}`:  "Did you mean document_title?",
		`{"draft_id":"d","insights":[{"type":"payment_du_date"}]}`: "Did you mean payment_due_date?",
		`{"insights":[{"type":"payments"}]}`:                       "Send exactly one of draft_id, completed_id, document_id, doc_text or url.",
		`{"draft_id":"d","url":"https://a.example"` + title:        "remove draft_id or url",
	} {
		_, err := insightapi.ParseCreate([]byte(body))
		if e := problem.Of(err); len(e.Entries) != 1 || !strings.Contains(e.Entries[0].Resolution, want) {
			t.Errorf("%s: got %+v, want the advice %q", body, e.Entries, want)
		}
	}
}

func TestParseCreateAddresses(t *testing.T) {
	for address, right := range map[string]bool{
		"https://example.com": true, "http://example.com/a%20b?c=d#e": true, "https://example.com:8443/x": true, "https://[2001:db8::1]/": true,
		"https://127.0.0.1/": true, "HTTPS://example.com/é": true, // well-formed; whether it may be fetched is checked later
		"example.com/a.pdf": false, "ftp://example.com/": false, "file:///etc/passwd": false, "https://": false, "https:///a": false, "https:example.com": false,
		"https://user:password@example.com/": false, "https://user@example.com/": false, "https://example.com:port/": false, "https://exa mple.com/": false,
		"https://example.com/a b": false, "https://example.com/\\u0000": false, "https://:443/": false, "//example.com/": false, "https://example.com/%zz": false, " ": false,
	} {
		_, err := insightapi.ParseCreate([]byte(`{"url":"` + address + `"` + title))
		want := "<nil>"
		if !right {
			want = "3001 url:url_invalid"
		}
		if got := entries(t, err); got != want {
			t.Errorf("%q: got %s, want %s", address, got, want)
		}
	}
}

func TestParseCreateReads(t *testing.T) {
	for body, want := range map[string]insightapi.CreateRequest{
		`{"draft_id":"d","insights":[{"type":"payments"}]}`: {Source: insightapi.DraftID, Value: "d", Insights: []insightapi.Request{{Type: "payments"}}},
		`{"completed_id":"c","draft_id":"","url":null,"doc_text":"","context":"of \u00e9","stream":true,"insights":[{"type":"document_ids","message":7,"name":"n","format":{}}]}`: {
			Source: insightapi.CompletedID, Value: "c", Context: "of é", Stream: true, Insights: []insightapi.Request{{Type: "document_ids"}},
		},
		`{"doc_text":" a ","stream":false,"context":null,"insights":[{"type":"custom_prompt","message":"Who?"},{"type":"payments"},{"type":"payment_due_date"},{"type":"payments"},{"type":"custom_prompt","message":"When?"},{"type":"custom_prompt","message":"Who?"}]}`: {
			Source: insightapi.DocText, Value: " a ",
			Insights: []insightapi.Request{{Type: "custom_prompt", Message: "Who?"}, {Type: "payments"}, {Type: "payment_due_date"}, {Type: "custom_prompt", Message: "When?"}},
		},
	} {
		got, err := insightapi.ParseCreate([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", body, got, err)
		}
	}
	for _, name := range insightapi.Types() {
		body := fmt.Sprintf(`{"document_id":"d","insights":[{"type":%q,"message":"Who?"}]}`, name)
		if got, err := insightapi.ParseCreate([]byte(body)); err != nil || len(got.Insights) != 1 || got.Insights[0].Type != name {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func FuzzParseCreate(f *testing.F) {
	for _, seed := range []string{
		`{"draft_id":"d","insights":[{"type":"custom_prompt","message":"Who?"}]}`, `{"url":"https://a.example/","insights":[{"type":"x"}],"stream":1}`,
		`{"doc_text":"t","context":"\ud83d\ude00","insights":[{"type":"payments","format":[]}]}`, `{"draft_id":"","insights":[]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r, err := insightapi.ParseCreate([]byte(body))
		if err != nil {
			if problem.Of(err).Code == problem.Internal {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		if r.Value == "" || len(r.Insights) == 0 || len(r.Insights) > insightapi.MaxInsights {
			t.Errorf("%q is parsed as %+v", body, r)
		}
	})
}
