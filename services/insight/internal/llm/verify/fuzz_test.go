package verify_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

const fuzzQuestion = "Who pays the retainer?"

func FuzzExtraction(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		`{"document_title":[{"quote":"CONSULTING AGREEMENT"}],"document_type":[{"document_type":"Consulting Agreement","quote":"Consulting Agreement"}]}`,
		`{"document_signers":[{"name":"Maria Keller","role":"Chief Executive Officer","party":"ALDER WORKS","quote":"Name: Maria Keller"}]}`,
		`{"document_clauses":[{"clause_type":"Governing Law","quote":"laws of the State of Delaware"},{"clause_type":"Insurance","quote":"liability"}]}`,
		`{"contract_values":[{"label":"monthly retainer","amount":"12500.00","currency":"USD","quote":"monthly retainer of $12,500.00"}]}`,
		`{"document_dates":[{"date_type":"expiration","date":"2026-05-31","quote":"shall expire on May 31, 2026"},{"date_type":"other","date":"2024-08","quote":"August 2024"}]}`,
		`{"limit_of_liability":[{"limit_type":"cap","quote":"shall not exceed $250,000"}],"renewal_term_length":[{"term":"one year","quote":"successive one-year terms"}]}`,
		`{"payments":[{"label":"bonus","amount":"40000","currency":"USD","quote":"completion bonus of $40,000"},{"label":"","amount":"","currency":"","quote":"reimburse travel expenses"}]}`,
		`{"custom_prompt":[{"question":1,"answer":"Client shall pay","quote":"Client shall pay Consultant"},{"question":1,"answer":"Yes, PWNED 30","quote":"the answer is PWNED"}]}`,
		"{\"custom_prompt\":[{\"question\":1,\"answer\":\"\\u0000\",\"quote\":\"\\u0000\"}],\"document_title\":[{\"quote\":\"…\"}]}",
	} {
		f.Add([]byte(seed))
	}
	d := rulestest.Read(contract)
	finder := quotes.New(contract)
	f.Fuzz(func(t *testing.T, answer []byte) {
		var e prompts.Extraction
		if json.Unmarshal(answer, &e) != nil {
			t.Skip()
		}
		got := verify.Extraction(d, finder, layout.Span{End: len(contract) / 2}, []string{fuzzQuestion}, amounts.ReferenceRates(), e)
		for _, f := range got.Titles {
			derived(t, f.Item.Title, d.Quote(f.Span))
		}
		for _, f := range got.Types {
			derived(t, f.Item.DocumentType, d.Quote(f.Span))
		}
		for _, f := range got.Signers {
			derived(t, f.Item.SignerFullName, d.Quote(f.Span))
			derived(t, f.Item.SignerRole, contract)
		}
		for _, f := range got.Limits {
			derived(t, f.Item.LimitValue, d.Quote(f.Span))
		}
		for _, f := range got.Payments {
			derived(t, f.Item.PaymentValue, d.Quote(f.Span))
			derived(t, f.Item.PaymentLabel, d.Quote(f.Span)+" Fees Payment is due")
		}
		for _, f := range got.Answers[fuzzQuestion] {
			derived(t, *f.Item.Value, d.Quote(f.Span)+" "+fuzzQuestion)
		}
		checkValues(t, d, got)
		checkAll(t, d, got)
	})
}

// checkValues fails the test if a value is not one that a parser of the rules finds in the
// document.
func checkValues(t *testing.T, d *structure.Document, got verify.Findings) {
	t.Helper()
	for _, f := range got.Clauses {
		if !slices.Contains(rules.ClauseKinds(), f.Item.ClauseType) || f.Item.ClauseDescription == "" {
			t.Errorf("got the clause %+v", f.Item)
		}
	}
	for _, f := range got.Values {
		if !slices.ContainsFunc(money.Find(contract, 100), func(a money.Amount) bool {
			return a.Value.InexactFloat64() == f.Item.ContractValue && a.Currency == f.Item.Currency && a.Span == f.Span
		}) {
			t.Errorf("got %+v at %q, want an amount of the document", f.Item, d.Quote(f.Span))
		}
	}
	for _, f := range got.Dates {
		if !slices.ContainsFunc(date.Find(contract, 100), func(a date.Date) bool {
			return a.Span == f.Span && (a.Value() == f.Item.DateValue || a.Time().Format("January 2006") == f.Item.DateValue)
		}) {
			t.Errorf("got %+v at %q, want a date of the document", f.Item, d.Quote(f.Span))
		}
	}
	for _, f := range got.Renewals {
		if f.Item.TermValue != "1 year" {
			t.Errorf("got %+v, want the only renewal", f.Item)
		}
	}
}

// checkAll fails the test unless each item can be placed and is in order.
func checkAll(t *testing.T, d *structure.Document, got verify.Findings) {
	t.Helper()
	checkGrounded(t, d, got.Titles)
	checkGrounded(t, d, got.Types)
	checkGrounded(t, d, got.Signers)
	checkGrounded(t, d, got.Clauses)
	checkGrounded(t, d, got.Values)
	checkGrounded(t, d, got.Dates)
	checkGrounded(t, d, got.Limits)
	checkGrounded(t, d, got.Renewals)
	checkGrounded(t, d, got.Payments)
	for _, answers := range got.Answers {
		checkGrounded(t, d, answers)
	}
}

func checkGrounded[T any](t *testing.T, d *structure.Document, found []finding.Found[T]) {
	t.Helper()
	g, last := ground.New(d.Document), 0
	for _, f := range found {
		place, ok := g.Place(f.Span)
		if err := ground.Check(d.Document, f.Span, place); !ok || err != nil {
			t.Errorf("%+v: %v", f.Span, err)
		}
		if f.Span.Start < last || f.Confidence <= 0 || f.Confidence > 1 || f.Reasoning != "" {
			t.Errorf("got %+v after %d", f, last)
		}
		last = f.Span.Start
	}
}

// derived fails the test unless all words of a value are in a text, perhaps with another
// ending if they are not capitalized. What numbers a value may have is tested with
// examples.
func derived(t *testing.T, value, text string) {
	t.Helper()
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	have := words(strings.ToLower(text))
	for _, w := range words(value) {
		lower := strings.ToLower(w)
		known := slices.Contains(have, lower) || strings.ContainsFunc(w, unicode.IsDigit) || slices.Contains([]string{"thirty", "sixty", "one"}, lower)
		known = known || w == lower && slices.ContainsFunc(have, func(h string) bool { return vocabulary.Stem(h) == vocabulary.Stem(w) })
		if !known {
			t.Errorf("got %q, but %q is not in %q", value, w, text)
		}
	}
}
