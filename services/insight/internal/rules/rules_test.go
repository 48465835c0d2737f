package rules_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// contract is a sample contract with something for most rules to find.
const contract = `Exhibit 10.7

CONSULTING AND SUPPORT AGREEMENT

This Consulting and Support Agreement (the "Agreement") is made and entered into as of May 5, 2019 (the "Effective Date"), by and between Alder Works, Inc. ("Client") and Birch Advisers LLC ("Consultant").

1. Term

1.1 The initial term of this Agreement shall commence on the Effective Date and continue for a period of two (2) years from the Effective Date.

1.2 Thereafter this Agreement shall automatically renew for successive one (1) year terms, unless either party gives notice of non-renewal at least sixty (60) days prior to the end of the term.

2. Fees

2.1 Client shall pay Consultant a monthly retainer fee of $12,500 within thirty (30) days after receipt of an invoice.

2.2 A setup fee of Ten Thousand Dollars ($10,000) is payable upon execution of this Agreement.

3. Liability

3.1 In no event shall either party be liable for any indirect, incidental or consequential damages.

3.2 Except as set out in Section 3.3, the total aggregate liability of either party shall not exceed EUR 250,000.

3.3 Nothing in this Agreement shall limit the liability of a party for fraud or gross negligence.

4. General

4.1 This Agreement shall be governed by and construed in accordance with the laws of the State of Oregon.

4.2 Neither party may assign this Agreement without the prior written consent of the other party.

4.3 Client may terminate this Agreement for convenience upon ten (10) days notice.
`

func TestTitles(t *testing.T) {
	for text, want := range map[string]insightapi.Title{
		contract: {Title: "CONSULTING AND SUPPORT AGREEMENT", TitleSource: insightapi.FromHeading},
		"Services Agreement\n\nThis Services Agreement is made by A and B.\n":                                     {Title: "Services Agreement", TitleSource: insightapi.FromFirstLine},
		"ALDER WORKS, INC.\n\nLICENSE, DEVELOPMENT AND\nSUPPLY AGREEMENT\n\nThis agreement is made today.\n":      {Title: "LICENSE, DEVELOPMENT AND SUPPLY AGREEMENT", TitleSource: insightapi.FromHeading},
		"Exhibit 4.2 RESELLER AGREEMENT This Reseller Agreement (the \"Agreement\") is made as of May 5, 2019.\n": {Title: "RESELLER AGREEMENT", TitleSource: insightapi.FromHeading},
		"Dear Sirs,\n\nin this Letter Agreement we set out the terms on which we shall work for you.\n":           {Title: "Letter Agreement", TitleSource: insightapi.FromFirstLine},
		"LEASE AGREEMENT ------------------\n\nThe landlord lets the premises to the tenant for twelve months.\n": {Title: "LEASE AGREEMENT", TitleSource: insightapi.FromHeading},
	} {
		d := rulestest.Read(text)
		got := rules.Titles(d, "")
		if len(got) != 1 || got[0].Item.Title != want.Title || got[0].Item.TitleSource != want.TitleSource {
			t.Errorf("%.40q: got %+v, want %+v", text, got, want)
			continue
		}
		rulestest.Sane(t, d, got)
		if strings.Join(strings.Fields(d.Quote(got[0].Span)), " ") != got[0].Item.Title {
			t.Errorf("title %q: got the quote %q", got[0].Item.Title, d.Quote(got[0].Span))
		}
	}
	for _, text := range []string{"", "The cat sat on the mat.\n"} {
		if got := rules.Titles(rulestest.Read(text), ""); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestDates(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.Dates(d)
	rulestest.Sane(t, d, got)
	byType := map[string]string{}
	for _, f := range got {
		byType[f.Item.DateType] = f.Item.DateValue
	}
	want := map[string]string{insightapi.DateExecution: "2019-05-05", insightapi.DateEffective: "2019-05-05", insightapi.DateExpiration: "2021-05-05"}
	if !reflect.DeepEqual(byType, want) {
		t.Errorf("got %v, want %v", byType, want)
	}
	if ms := got[0].Item.DateEpochMS; ms == nil || *ms != 1557014400000 {
		t.Errorf("got the epoch %v, want 1557014400000", ms)
	}
}

func TestClauses(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.Clauses(d, nil, rules.Limits(d, nil))
	rulestest.Sane(t, d, got)
	kinds := map[string]string{}
	for _, f := range got {
		kinds[f.Item.ClauseType] = f.Item.ClauseDescription
	}
	if kinds["Governing Law"] != "Governed by the laws of the State of Oregon." {
		t.Errorf("governing law: got %q", kinds["Governing Law"])
	}
	for _, kind := range []string{"Anti-Assignment", "Renewal Term", "Notice Period To Terminate Renewal", "Cap On Liability", "Uncapped Liability", "Termination For Convenience"} {
		if kinds[kind] == "" {
			t.Errorf("no %s in %v", kind, kinds)
		}
	}
	for _, f := range got {
		if f.Item.ClauseType == "Governing Law" && !strings.Contains(d.Quote(f.Span), "governed by") {
			t.Errorf("governing law: got the quote %q", d.Quote(f.Span))
		}
	}
}

func TestValues(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.NewAmounts(d, rules.Rates{Day: "2026-03-02", Dollars: map[string]float64{"EUR": 1.1}}).Values()
	rulestest.Sane(t, d, got)
	type value struct {
		kind, currency string
		amount, usd    float64
	}
	var values []value
	for _, f := range got {
		values = append(values, value{f.Item.ContractValueType, f.Item.Currency, f.Item.ContractValue, *f.Item.ContractValueUSD})
	}
	want := []value{{"fee", "USD", 12500, 12500}, {"fee", "USD", 10000, 10000}, {"cap", "EUR", 250000, 275000}}
	if !slices.Equal(values, want) {
		t.Errorf("got %+v, want %+v", values, want)
	}
	if got[0].Item.ContractValueLabel != "Monthly retainer fee" {
		t.Errorf("got the label %q", got[0].Item.ContractValueLabel)
	}
}

func TestPayments(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.NewAmounts(d, rules.ReferenceRates()).Payments(nil, learn.WordsOf(d))
	rulestest.Sane(t, d, got)
	if len(got) != 2 || got[0].Item.PaymentType != "recurring" || got[0].Item.PaymentValue != "$12,500" || *got[0].Item.PaymentValueNumber != 12500 ||
		!strings.Contains(got[0].Item.PaymentLabel, "within thirty (30) days after receipt") || got[1].Item.PaymentType != "one_time" {
		t.Errorf("got %+v", got)
	}
}

func TestLimits(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.Limits(d, nil)
	rulestest.Sane(t, d, got)
	var kinds, values []string
	for _, f := range got {
		kinds, values = append(kinds, f.Item.LimitType), append(values, f.Item.LimitValue)
	}
	if !slices.Equal(kinds, []string{insightapi.LimitExclusion, insightapi.LimitCap, insightapi.LimitUncapped}) ||
		!slices.Equal(values, []string{"indirect, incidental, consequential", "EUR 250,000", "fraud, gross negligence"}) {
		t.Errorf("got %v: %v", kinds, values)
	}
}

// TestLimitsAreClauses shows that each limit of liability is a clause too, once, with weights and
// without.
func TestLimitsAreClauses(t *testing.T) {
	const plain = "The most we will ever have to pay you in any contract year is 125% of what you paid us in that year.\n\nNothing limits liability for fraud.\n\n"
	for name, d := range map[string]*structure.Document{
		"short": rulestest.Read(plain), "long": rulestest.Read(plain + strings.Repeat("The boxes are stored in the hall beside the river.\n\n", 30)),
	} {
		chosen := rules.Choose(d, learn.Clauses(), learn.WordsOf(d))
		limits, stated := rules.Limits(d, chosen), map[string]int{}
		found := rules.Clauses(d, chosen, limits)
		rulestest.Sane(t, d, found)
		for _, f := range found {
			stated[fmt.Sprint(f.Item.ClauseType, f.Span.Start)]++
		}
		for _, l := range limits {
			kind := "Cap On Liability"
			if l.Item.LimitType == insightapi.LimitUncapped {
				kind = "Uncapped Liability"
			}
			if n := stated[fmt.Sprint(kind, l.Span.Start)]; n != 1 {
				t.Errorf("%s: %d clauses of kind %s for %q, want 1", name, n, kind, d.Quote(l.Span))
			}
		}
		if len(limits) != 2 {
			t.Errorf("%s: got the limits %q, want 2", name, rulestest.Quotes(d, limits))
		}
	}
}

func TestRenewals(t *testing.T) {
	d := rulestest.Read(contract)
	got := rules.Renewals(d)
	rulestest.Sane(t, d, got)
	if len(got) != 1 || got[0].Item.TermType != "automatic" || got[0].Item.TermValue != "1 year" || *got[0].Item.TermMonths != 12 {
		t.Errorf("got %+v", got)
	}
	for _, text := range []string{
		"Either party may prevent renewal by notice at least ninety (90) days before the end of the term.",
		"The insurance shall be renewed each time for one (1) year by the tenant of the agreement.",
	} {
		if got := rules.Renewals(rulestest.Read(text + "\n")); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestAnswers(t *testing.T) {
	d := rulestest.Read(contract)
	for question, want := range map[string]string{
		"Which state's law governs?":          "laws of the State of Oregon",
		"How much is the monthly retainer?":   "$12,500",
		"Can the contract be assigned?":       "may assign",
		"Is liability for fraud limited?":     "fraud or gross negligence",
		"What is the colour of the elephant?": "",
		"":                                    "",
		"the of and":                          "",
	} {
		got := rules.NewQuestions(d, "").Answers(question)
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%q: got %q, want no answer", question, rulestest.Quotes(d, got))
		case want != "" && (len(got) == 0 || !strings.Contains(d.Quote(got[0].Span), want)):
			t.Errorf("%q: got %q, want %q", question, rulestest.Quotes(d, got), want)
		case len(got) > 0 && (got[0].Item.Message != question || *got[0].Item.Value == ""):
			t.Errorf("%q: got %+v", question, got[0].Item)
		}
	}
}

// TestBoundedAndStable shows that every list has a limit and that the same question
// always gets the same answer.
func TestBoundedAndStable(t *testing.T) {
	const line = "Client shall pay a fee of $5 by May 5, 2019 for the term of this Agreement.\n"
	long := &structure.Document{Document: &layout.Document{Text: strings.Repeat(line, 3000)}}
	for i := range 3000 {
		span := layout.Span{Start: i * len(line), End: (i+1)*len(line) - 1}
		long.Paragraphs = append(long.Paragraphs, structure.Paragraph{Span: span, Kind: structure.Body, Section: -1})
		long.Sentences = append(long.Sentences, structure.Sentence{Span: span, Paragraph: i, Lower: strings.ToLower(line[:len(line)-1])})
	}
	if n := len(rules.NewAmounts(long, rules.Rates{}).Values()); n != 1000 {
		t.Errorf("got %d values, want 1000", n)
	}
	if n := len(rules.Dates(long)); n != 1000 {
		t.Errorf("got %d dates, want 1000", n)
	}
	for _, weights := range []*learn.Model{nil, learn.Payments()} {
		if n := len(rules.NewAmounts(long, rules.Rates{}).Payments(weights, learn.WordsOf(long))); n != 1000 {
			t.Errorf("got %d payments, want 1000", n)
		}
	}
	if !reflect.DeepEqual(rules.NewQuestions(long, "x").Answers("fee of the term"), rules.NewQuestions(long, "x").Answers("fee of the term")) {
		t.Error("the same question got two different answers")
	}
}

func FuzzRules(f *testing.F) {
	f.Add(contract)
	f.Add("This Agreement \xff dated 5/5/19 (the \"Effective Date\")\n$5")
	f.Fuzz(func(t *testing.T, text string) {
		d := rulestest.Read(strings.ToValidUTF8(text, "?"))
		rulestest.Sane(t, d, rules.Titles(d, "x"))
		rulestest.Sane(t, d, rules.Types(d, rules.Titles(d, "")))
		rulestest.Sane(t, d, rules.Clauses(d, nil, rules.Limits(d, nil)))
		rulestest.Sane(t, d, rules.Dates(d))
		rulestest.Sane(t, d, rules.NewAmounts(d, rules.Rates{}).Values())
		rulestest.Sane(t, d, rules.NewAmounts(d, rules.Rates{}).Payments(nil, learn.WordsOf(d)))
		rulestest.Sane(t, d, rules.NewAmounts(d, rules.Rates{}).Payments(learn.Payments(), learn.WordsOf(d)))
		rulestest.Sane(t, d, rules.Limits(d, nil))
		rulestest.Sane(t, d, rules.Renewals(d))
		rulestest.Sane(t, d, rules.Signers(d))
		rules.Fields(d)
		rules.NewQuestions(d, "").Answers("What is the fee?")
	})
}
