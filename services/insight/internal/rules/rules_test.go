package rules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// contract is a contract that has something of each kind.
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
		d := read(text)
		got := rules.Titles(d, "")
		if len(got) != 1 || got[0].Item.Title != want.Title || got[0].Item.TitleSource != want.TitleSource {
			t.Errorf("%.40q: got %+v, want %+v", text, got, want)
			continue
		}
		sane(t, d, got)
		if strings.Join(strings.Fields(d.Quote(got[0].Span)), " ") != got[0].Item.Title {
			t.Errorf("the title %q rests on %q", got[0].Item.Title, d.Quote(got[0].Span))
		}
	}
	for _, text := range []string{"", "The cat sat on the mat.\n"} {
		if got := rules.Titles(read(text), ""); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestTitleOfMetadata(t *testing.T) {
	d := read("Alder and Birch: what we do\n\nWe do a lot of things for each other.\n")
	got := rules.Titles(d, "alder and birch what we do")
	if len(got) != 1 || got[0].Item.Title != "Alder and Birch: what we do" || got[0].Item.TitleSource != insightapi.FromMetadata {
		t.Errorf("got %+v", got)
	}
	if got := rules.Titles(d, "Microsoft Word - draft7.doc"); len(got) > 0 {
		t.Errorf("a title that the text does not have: got %+v", got)
	}
}

func TestTypes(t *testing.T) {
	for title, want := range map[string]string{
		"CONSULTING AGREEMENT":                            "Consulting Agreement",
		"Alder Consulting Agreement":                      "Consulting Agreement",
		"MANUFACTURING AND SUPPLY AGREEMENT":              "Manufacturing and Supply Agreement",
		"Mutual Non-Disclosure Agreement":                 "Mutual Non-Disclosure Agreement",
		"AMENDED AND RESTATED SOFTWARE LICENSE AGREEMENT": "Software License Agreement",
		"Statement of Work":                               "Statement of Work",
		"RESIDENTIAL LEASE":                               "Residential Lease",
	} {
		got := rules.Types(read(title+"\n\nThe parties do as they say in this text.\n"), "")
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", title, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	d := read(contract)
	got := rules.Dates(d)
	sane(t, d, got)
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

func TestKindsOfDates(t *testing.T) {
	for text, want := range map[string]string{
		"The Contract shall expire on June 30, 2024 unless renewed.":              insightapi.DateExpiration,
		"This Agreement takes effect on June 30, 2024.":                           insightapi.DateEffective,
		"The first instalment shall be paid by Tenant on June 30, 2024.":          insightapi.DatePayment,
		"The option to extend shall be exercised before June 30, 2024.":           insightapi.DateRenewal,
		"The notice that Landlord gave on June 30, 2024 stands.":                  insightapi.DateNotice,
		"The company was incorporated in Ohio on June 30, 2024.":                  insightapi.DateOther,
		"It belongs to that certain Supply Agreement dated June 30, 2024.":        insightapi.DateOther,
		"In witness whereof, the parties have executed this deed, June 30, 2024.": insightapi.DateExecution,
	} {
		got := rules.Dates(read(text + "\n"))
		if len(got) == 0 || got[0].Item.DateType != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
}

func TestPartialDate(t *testing.T) {
	got := rules.Dates(read("This Agreement is made in May 2019 by the parties.\n"))
	if len(got) == 0 || got[0].Item.DateValue != "May 2019" || got[0].Item.DateEpochMS != nil {
		t.Errorf("got %+v, want May 2019 without an epoch", got)
	}
}

func TestClauses(t *testing.T) {
	d := read(contract)
	got := rules.Clauses(d)
	sane(t, d, got)
	kinds := map[string]string{}
	for _, f := range got {
		kinds[f.Item.ClauseType] = f.Item.ClauseDescription
	}
	if kinds["Governing Law"] != "Governed by the laws of the State of Oregon." {
		t.Errorf("got the law %q", kinds["Governing Law"])
	}
	for _, kind := range []string{"Anti-Assignment", "Renewal Term", "Notice Period To Terminate Renewal", "Cap On Liability", "Uncapped Liability", "Termination For Convenience"} {
		if kinds[kind] == "" {
			t.Errorf("there is no %s in %v", kind, kinds)
		}
	}
	for _, f := range got {
		if f.Item.ClauseType == "Governing Law" && !strings.Contains(d.Quote(f.Span), "governed by") {
			t.Errorf("the law rests on %q", d.Quote(f.Span))
		}
	}
}

func TestGoverningLaw(t *testing.T) {
	for text, want := range map[string]string{
		"This Agreement is governed by the laws of England and Wales.":                     "England and Wales",
		"This Agreement shall be construed under California law.":                          "California",
		"This contract shall be governed by Swiss law.":                                    "Switzerland",
		"THIS AGREEMENT SHALL BE GOVERNED BY THE LAWS OF THE STATE OF NEW YORK.":           "the State of New York",
		"Alder is a company organized and existing under the laws of the State of Oregon.": "",
		"Each party shall comply with all laws of the State of Oregon that apply to it.":   "",
		"The board of governors shall meet in the State of Oregon as the law may require.": "",
	} {
		law := ""
		for _, f := range rules.Clauses(read(text + "\n")) {
			if f.Item.ClauseType == "Governing Law" {
				law = strings.TrimSuffix(strings.TrimPrefix(f.Item.ClauseDescription, "Governed by the laws of "), ".")
			}
		}
		if law != want {
			t.Errorf("%q: got %q, want %q", text, law, want)
		}
	}
}

func TestValues(t *testing.T) {
	d := read(contract)
	got := rules.Values(d, rules.Rates{"EUR": 1.1})
	sane(t, d, got)
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

func TestUnknownRate(t *testing.T) {
	got := rules.Values(read("The price is TWD 500 for each unit.\n"), rules.ReferenceRates())
	if len(got) != 1 || got[0].Item.Currency != "TWD" || got[0].Item.ContractValueUSD != nil {
		t.Errorf("got %+v, want no value in dollars", got)
	}
}

func TestPayments(t *testing.T) {
	d := read(contract)
	got := rules.Payments(d, rules.ReferenceRates())
	sane(t, d, got)
	if len(got) != 2 || got[0].Item.PaymentType != "recurring" || got[0].Item.PaymentValue != "$12,500" || *got[0].Item.PaymentValueNumber != 12500 ||
		!strings.Contains(got[0].Item.PaymentLabel, "within thirty (30) days after receipt") || got[1].Item.PaymentType != "one_time" {
		t.Errorf("got %+v", got)
	}
}

func TestLimits(t *testing.T) {
	d := read(contract)
	got := rules.Limits(d)
	sane(t, d, got)
	var kinds, values []string
	for _, f := range got {
		kinds, values = append(kinds, f.Item.LimitType), append(values, f.Item.LimitValue)
	}
	if !slices.Equal(kinds, []string{insightapi.LimitExclusion, insightapi.LimitCap, insightapi.LimitUncapped}) ||
		!slices.Equal(values, []string{"indirect, incidental, consequential", "EUR 250,000", "fraud, gross negligence"}) {
		t.Errorf("got %v: %v", kinds, values)
	}
}

func TestRenewals(t *testing.T) {
	d := read(contract)
	got := rules.Renewals(d)
	sane(t, d, got)
	if len(got) != 1 || got[0].Item.TermType != "automatic" || got[0].Item.TermValue != "1 year" || *got[0].Item.TermMonths != 12 {
		t.Errorf("got %+v", got)
	}
	for _, text := range []string{
		"Either party may prevent renewal by notice at least ninety (90) days before the end of the term.",
		"The insurance shall be renewed each time for one (1) year by the tenant of the agreement.",
	} {
		if got := rules.Renewals(read(text + "\n")); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestSigners(t *testing.T) {
	text := "ALDER WORKS, INC.\nBy: ____\nName: Dr. Ludwig van der Berg, Jr.\nTitle: CEO\nEmail: l@example.com\nBIRCH LLC\n"
	at := func(s string) layout.Span {
		i := strings.Index(text, s)
		return layout.Span{Start: i, End: i + len(s)}
	}
	d := &structure.Document{Document: &layout.Document{Text: text}, Signatures: []structure.Signature{
		{Span: layout.Span{Start: 0, End: 90}, Party: at("ALDER WORKS, INC."), Name: at("Dr. Ludwig van der Berg, Jr."), Title: at("CEO"), Email: at("l@example.com")},
		{Span: at("BIRCH LLC"), Party: at("BIRCH LLC"), Name: at("____")},
	}}
	got := rules.Signers(d)
	sane(t, d, got)
	if len(got) != 2 {
		t.Fatalf("got %+v", got)
	}
	first, second := got[0].Item, got[1].Item
	if first.FirstName != "Ludwig" || first.LastName != "van der Berg" || first.SignerRole != "CEO, ALDER WORKS, INC." || *first.Email != "l@example.com" || *first.SignerIndex != 0 || first.SignerID != "signer-1" {
		t.Errorf("got %+v", first)
	}
	if second.SignerFullName != "" || second.SignerRole != "BIRCH LLC" || second.Email != nil || *second.SignerIndex != 1 || d.Quote(got[1].Span) != "BIRCH LLC" {
		t.Errorf("got %+v", second)
	}
}

func TestFields(t *testing.T) {
	d := read("The tenant is ______________ of the first part.\n\n[ ] Yes [x] No\n")
	got := rules.Fields(d)
	sane(t, d, got)
	if len(got) != 2 || strings.Trim(d.Quote(got[0].Span), "_") != "" || !strings.HasPrefix(got[0].Item.FieldID, "agreementinput-") || got[0].Item.FieldValue != "" {
		t.Fatalf("got %+v", got)
	}
	if got[1].Item.FieldType != "CHECKTEXTINPUT" || got[1].Item.FieldValue != "No" {
		t.Errorf("got %+v", got[1].Item)
	}
}

func TestAnswers(t *testing.T) {
	d := read(contract)
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
			t.Errorf("%q: got %q, want no answer", question, quotes(d, got))
		case want != "" && (len(got) == 0 || !strings.Contains(d.Quote(got[0].Span), want)):
			t.Errorf("%q: got %q, want %q", question, quotes(d, got), want)
		case len(got) > 0 && (got[0].Item.Message != question || *got[0].Item.Value == ""):
			t.Errorf("%q: got %+v", question, got[0].Item)
		}
	}
}

// The same document has the same answers, and every list is bounded.
func TestBoundedAndStable(t *testing.T) {
	const line = "Client shall pay a fee of $5 by May 5, 2019 for the term of this Agreement.\n"
	long := &structure.Document{Document: &layout.Document{Text: strings.Repeat(line, 3000)}}
	for i := range 3000 {
		span := layout.Span{Start: i * len(line), End: (i+1)*len(line) - 1}
		long.Paragraphs = append(long.Paragraphs, structure.Paragraph{Span: span, Kind: structure.Body, Section: -1})
		long.Sentences = append(long.Sentences, structure.Sentence{Span: span, Paragraph: i})
	}
	if n := len(rules.Values(long, nil)); n != 1000 {
		t.Errorf("got %d values, want 1000", n)
	}
	if n := len(rules.Dates(long)); n != 1000 {
		t.Errorf("got %d dates, want 1000", n)
	}
	if n := len(rules.Payments(long, nil)); n != 1000 {
		t.Errorf("got %d payments, want 1000", n)
	}
	if !reflect.DeepEqual(rules.NewQuestions(long, "x").Answers("fee of the term"), rules.NewQuestions(long, "x").Answers("fee of the term")) {
		t.Error("the same question has two answers")
	}
}

func FuzzRules(f *testing.F) {
	f.Add(contract)
	f.Add("This Agreement \xff dated 5/5/19 (the \"Effective Date\")\n$5")
	f.Fuzz(func(t *testing.T, text string) {
		d := read(strings.ToValidUTF8(text, "?"))
		sane(t, d, rules.Titles(d, "x"))
		sane(t, d, rules.Types(d, ""))
		sane(t, d, rules.Clauses(d))
		sane(t, d, rules.Dates(d))
		sane(t, d, rules.Values(d, nil))
		sane(t, d, rules.Payments(d, nil))
		sane(t, d, rules.Limits(d))
		sane(t, d, rules.Renewals(d))
		sane(t, d, rules.Signers(d))
		rules.Fields(d)
		rules.NewQuestions(d, "").Answers("What is the fee?")
	})
}
