package insightapi_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// found returns an answer with an item under each of Keys.
func found() insightapi.Answer {
	page := 1
	at := func(quote string) insightapi.Place {
		return insightapi.Place{PageNumber: &page, Quote: quote, ConfidenceScore: 0.5}
	}
	return insightapi.Answer{
		DocumentTitle:       &[]insightapi.Title{{Title: "A", TitleSource: insightapi.FromHeading, Place: at("A")}},
		DocumentType:        &[]insightapi.TypeName{{DocumentType: "Lease", Place: at("Lease")}},
		DocumentIDs:         &insightapi.IDs{MD5: "5", MIMEType: "text/plain"},
		DocumentParties:     &[]insightapi.Party{{PartyName: "p", Place: at("p")}},
		DocumentSigners:     &[]insightapi.Signer{{SignerID: "s", Place: at("s")}},
		DocumentFields:      &[]insightapi.Field{{FieldID: "f", Place: at("f")}},
		DocumentFieldsPages: &map[string][]string{"2": {"g"}, "10": {"h"}, "1": {"f"}},
		DocumentClauses:     &[]insightapi.Clause{{ClauseType: "c", Place: at("c")}},
		CustomPrompt:        &[]insightapi.PromptAnswer{{Message: "Who?", Value: new("A"), Quote: new("A"), Place: at("A")}},
		ContractValues:      &[]insightapi.ContractValue{{ContractValue: 1.5, Place: at("1.5")}},
		DocumentDates: &[]insightapi.Date{
			{DateType: insightapi.DateEffective, DateLabel: "1", Place: at("1")}, {DateType: insightapi.DateExpiration, DateLabel: "2", Place: at("2")},
			{DateType: insightapi.DateRenewal, DateLabel: "3", Place: at("3")}, {DateType: insightapi.DateExpiration, DateLabel: "4", Place: at("4")},
		},
		LimitOfLiability:  &[]insightapi.Limit{{LimitType: insightapi.LimitCap, Place: at("l")}},
		RenewalTermLength: &[]insightapi.Renewal{{TermType: "r", Place: at("r")}},
		Payments:          &[]insightapi.Payment{{PaymentType: "p", Place: at("p")}},
		MatchingDocuments: &[]insightapi.MatchingDocument{{DocumentID: "doc_1"}},
		SignedURL:         "signed",
	}
}

// ask returns requests for the types.
func ask(types ...insightapi.Type) []insightapi.Request {
	var requests []insightapi.Request
	for _, t := range types {
		requests = append(requests, insightapi.Request{Type: t})
	}
	return requests
}

// members returns the JSON of an answer by its members.
func members(t *testing.T, a insightapi.Answer) map[insightapi.Type]jsontext.Value {
	t.Helper()
	data, err := json.Marshal(a, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	var all map[insightapi.Type]jsontext.Value
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// names lists the members of an answer that are not null.
func names(t *testing.T, a insightapi.Answer) []string {
	t.Helper()
	var all []string
	for name, value := range members(t, a) {
		if value.Kind() != 'n' {
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return all
}

// selections lists types that are requested together, and the members of the answer.
var selections = []struct {
	asked   []insightapi.Type
	answers []string
	dates   string // labels of document_dates
}{
	{[]insightapi.Type{insightapi.DocumentTitle}, []string{"document_title", "signed_url"}, ""},
	{[]insightapi.Type{insightapi.DocumentDates}, []string{"document_dates", "signed_url"}, "1234"},
	{[]insightapi.Type{insightapi.ContractExpirationDates}, []string{"contract_expiration_dates", "document_dates", "signed_url"}, "24"},
	{[]insightapi.Type{insightapi.ContractRenewalDates}, []string{"contract_renewal_dates", "document_dates", "signed_url"}, "3"},
	{
		[]insightapi.Type{insightapi.ContractRenewalDates, insightapi.ContractExpirationDates},
		[]string{"contract_expiration_dates", "contract_renewal_dates", "document_dates", "signed_url"}, "234",
	},
	{
		[]insightapi.Type{insightapi.ContractExpirationDates, insightapi.DocumentDates},
		[]string{"contract_expiration_dates", "document_dates", "signed_url"}, "1234",
	},
	{
		[]insightapi.Type{insightapi.ContractLimitOfLiability, insightapi.ContractRenewalTermLength, insightapi.PaymentDueDate},
		[]string{"contract_limit_of_liability", "contract_renewal_term_length", "limit_of_liability", "payment_due_date", "payments", "renewal_term_length", "signed_url"}, "",
	},
	{
		[]insightapi.Type{insightapi.DocumentFieldsPages, insightapi.CustomPrompt, insightapi.DocumentIDs, insightapi.MatchingDocuments},
		[]string{"custom_prompt", "document_fields_pages", "document_ids", "organization_matching_documents", "signed_url"}, "",
	},
}

func TestSelect(t *testing.T) {
	for _, c := range selections {
		all := found()
		got := all.Select(ask(c.asked...))
		if has := names(t, got); !slices.Equal(has, c.answers) {
			t.Errorf("%v: answered %v, want %v", c.asked, has, c.answers)
		}
		var dates string
		if got.DocumentDates != nil {
			for _, d := range *got.DocumentDates {
				dates += d.DateLabel
			}
		}
		if dates != c.dates {
			t.Errorf("%v: the dates are %s, want %s", c.asked, dates, c.dates)
		}
		if again := got.Select(ask(c.asked...)); !reflect.DeepEqual(again, got) {
			t.Errorf("%v: selecting twice gives %+v", c.asked, again)
		}
		if !reflect.DeepEqual(all, found()) {
			t.Errorf("%v: the answer was changed", c.asked)
		}
		none := (&insightapi.Answer{DocumentIDs: &insightapi.IDs{}, SignedURL: "signed"}).Select(ask(c.asked...))
		if has := names(t, none); !slices.Equal(has, c.answers) {
			t.Errorf("%v: an empty document answered %v, want %v", c.asked, has, c.answers)
		}
	}
	nothing := members(t, (&insightapi.Answer{}).Select(nil))
	if len(nothing) != 2 || string(nothing["custom_prompt"]) != "null" || string(nothing["document_fields_pages"]) != "null" {
		t.Errorf("without requests, the answer contains %s", nothing)
	}
}

// TestAliasesAreParts shows that the lists under alternative names are parts of those under
// Keys.
func TestAliasesAreParts(t *testing.T) {
	all := found()
	got := all.Select(ask(insightapi.Types()...))
	if labels(*got.ContractExpirationDates) != "24" || labels(*got.ContractRenewalDates) != "3" {
		t.Errorf("expiration %v, renewal %v", got.ContractExpirationDates, got.ContractRenewalDates)
	}
	if got.ContractLimitOfLiability != got.LimitOfLiability || got.ContractRenewalTermLength != got.RenewalTermLength || got.PaymentDueDate != got.Payments {
		t.Error("alternative names have different answers")
	}
}

func labels(dates []insightapi.Date) string {
	var text string
	for _, d := range dates {
		text += d.DateLabel
	}
	return text
}

// collect returns the items and stages in events, as a client does.
func collect(t *testing.T, events []insightapi.Event) (items map[insightapi.Type][]string, stages []string) {
	t.Helper()
	items = map[insightapi.Type][]string{}
	last := 0.0
	for i, e := range events {
		if e.Sequence != i+1 {
			t.Errorf("event %d has the sequence number %d", i+1, e.Sequence)
		}
		switch e.Kind {
		case insightapi.EventInsight:
			var item insightapi.Item
			if err := json.Unmarshal(e.Data, &item); err != nil {
				t.Fatal(err)
			}
			items[item.Key] = append(items[item.Key], string(item.Item))
		case insightapi.EventProgress:
			var p insightapi.Progress
			if err := json.Unmarshal(e.Data, &p); err != nil {
				t.Fatal(err)
			}
			if p.Progress <= last {
				t.Errorf("the progress of %s is %g after %g", p.Stage, p.Progress, last)
			}
			last = p.Progress
			stages = append(stages, p.Stage)
		default:
			t.Errorf("unexpected event %s", e.Kind)
		}
	}
	if last != 1 {
		t.Errorf("the final progress is %g, want 1", last)
	}
	return items, stages
}

func TestEventsAreTheAnswer(t *testing.T) {
	all := append(slices.Clone(selections), struct {
		asked   []insightapi.Type
		answers []string
		dates   string
	}{asked: insightapi.Types()})
	for _, c := range all {
		whole := found()
		answer := whole.Select(ask(c.asked...))
		events := insightapi.Events(ask(c.asked...), &answer)
		items, stages := collect(t, events)
		if want := steps(ask(c.asked...), false); !slices.Equal(stages, want) {
			t.Errorf("%v: got the stages %v, want %v", c.asked, stages, want)
		}
		for name, value := range members(t, answer) {
			list := items[name]
			delete(items, name)
			var text string
			switch {
			case value.Kind() == 'n' || name == "signed_url":
				text = string(value)
				if len(list) > 0 {
					t.Errorf("%v: unexpected items of %s: %s", c.asked, name, list)
				}
			case value.Kind() == '[':
				text = fmt.Sprintf("[%s]", join(list))
			default:
				text = join(list)
			}
			if text != string(value) {
				t.Errorf("%v: the items of %s are %s, the answer is %s", c.asked, name, text, value)
			}
		}
		if len(items) > 0 {
			t.Errorf("%v: items that the answer lacks: %v", c.asked, items)
		}
	}
}

func join(list []string) string {
	var text string
	for i, item := range list {
		if i > 0 {
			text += ","
		}
		text += item
	}
	return text
}

// steps lists the stages and the requested keys in the order of insightapi.Steps.
func steps(requests []insightapi.Request, model bool) (names []string) {
	asked := insightapi.Asked(requests)
	for _, step := range insightapi.Steps(model) {
		if step.Stage != "" || slices.Contains(asked, step.Key) {
			names = append(names, step.Stage+string(step.Key))
		}
	}
	return names
}

// TestSteps shows which keys come before the document is read to its end, and that each
// stage and each key is one step, with a language model and without.
func TestSteps(t *testing.T) {
	requests := ask(insightapi.DocumentParties, insightapi.DocumentIDs, insightapi.DocumentType, insightapi.DocumentTitle)
	for model, want := range map[bool][]string{
		false: {"fetched", "document_title", "document_type", "document_ids", "read", "structured", "document_parties"},
		true:  {"fetched", "read", "structured", "document_title", "document_type", "document_ids", "document_parties"},
	} {
		if got := steps(requests, model); !slices.Equal(got, want) {
			t.Errorf("model %t: the steps are %v, want %v", model, got, want)
		}
		all := steps(ask(insightapi.Types()...), model)
		if slices.Sort(all); len(slices.Compact(all)) != len(insightapi.Stages())+len(insightapi.Keys()) {
			t.Errorf("model %t: the steps are %v", model, all)
		}
		whole := found()
		if model {
			whole.Usage = &insightapi.Usage{Engine: insightapi.ByRules}
		}
		answer := whole.Select(requests)
		if _, got := collect(t, insightapi.Events(requests, &answer)); !slices.Equal(got, want) {
			t.Errorf("model %t: the events report %v, want %v", model, got, want)
		}
	}
}

// TestEventsAsTheyAreFound shows that building events from a growing answer, before
// Select, gives the same events as building them from the final answer.
func TestEventsAsTheyAreFound(t *testing.T) {
	requests := ask(insightapi.ContractExpirationDates, insightapi.DocumentTitle, insightapi.CustomPrompt)
	builder := insightapi.NewEventBuilder(requests)
	var events []insightapi.Event
	whole, sofar := found(), insightapi.Answer{}
	for _, step := range insightapi.Steps(false) {
		switch step.Key {
		case insightapi.DocumentTitle:
			sofar.DocumentTitle = whole.DocumentTitle
		case insightapi.DocumentDates:
			sofar.DocumentDates = whole.DocumentDates
		case insightapi.CustomPrompt:
			sofar.CustomPrompt = whole.CustomPrompt
		}
		if step.Stage != "" {
			events = append(events, builder.Stage(step.Stage)...)
		} else {
			events = append(events, builder.Key(step.Key, &sofar)...)
		}
	}
	answer := whole.Select(requests)
	if want := insightapi.Events(requests, &answer); !reflect.DeepEqual(events, want) {
		t.Errorf("got  %v\nwant %v", events, want)
	}
	if len(events) != 3+2+2+5 {
		t.Errorf("got %d events", len(events))
	}
}
