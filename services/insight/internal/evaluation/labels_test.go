package evaluation

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// contractText has a letter of two bytes before everything else, so that characters and
// bytes differ.
const contractText = "§ The fee of $500 is due in May. The rent is due in June. Notices must be in writing. They go to the address above. " +
	"This is the entire agreement. By: Dr. Ann B. Lee"

// rangeOf returns where a passage is in contractText.
func rangeOf(t *testing.T, passage string) Range {
	t.Helper()
	before, _, ok := strings.Cut(contractText, passage)
	if !ok {
		t.Fatalf("the text does not contain %q", passage)
	}
	start := len([]rune(before))
	return Range{start, start + len([]rune(passage))}
}

// placeOf returns the place of a passage on the only page.
func placeOf(passage string) insightapi.Place {
	one := 1
	return insightapi.Place{PageNumber: &one, Quote: passage, ConfidenceScore: 0.9}
}

func clauseAt(t *testing.T, kind, passage string) insightapi.Clause {
	r := rangeOf(t, passage)
	return insightapi.Clause{ClauseType: kind, InsertionPositions: &[]insightapi.Position{{Start: r[0], End: r[1]}}, Place: placeOf(passage)}
}

func TestAddLabels(t *testing.T) {
	l := Labels{
		Signers: []SignerLabel{
			{Name: "Ann Lee"}, {Name: "Ann Lee", Party: new("Elm Inc."), Title: new("CEO")}, {Name: "Ann Lee", Party: new("Oak Ltd")}, {Name: "Bo Chan", Party: new("Bo Chan"), Title: new("Director")},
		},
		Parties:  []PartyLabel{{Name: "Elm, Inc."}, {Name: "Oak Ltd"}},
		Values:   []ValueLabel{{Amount: 500, Currency: "USD"}, {Amount: 500, Currency: "USD"}},
		Payments: []PaymentLabel{{Span: rangeOf(t, "The fee of $500 is due in May.")}, {Span: rangeOf(t, "The rent is due in June.")}},
		Clauses: []ClauseLabel{
			{Kind: "Notices", Span: rangeOf(t, "Notices must be in writing.")},
			{Kind: "Entire Agreement", Span: rangeOf(t, "This is the entire agreement.")},
		},
	}
	a := &insightapi.Answer{
		DocumentSigners: &[]insightapi.Signer{
			{SignerFullName: "Dr. Ann B. Lee", SignerRole: "CFO, The ELM INC", Place: placeOf("Dr. Ann B. Lee")},
			{SignerFullName: "Ann Lee", Place: placeOf("Dr. Ann B. Lee")},
			{SignerFullName: "Bo Chan", SignerRole: "Director", Place: placeOf("Dr. Ann B. Lee")},
			{SignerFullName: "", Place: placeOf("By:")},
		},
		DocumentParties: &[]insightapi.Party{
			{PartyName: "ELM INC", InsertionPositions: []insightapi.Position{{Start: 2, End: 9}}, Place: placeOf("The fee")},
			{PartyName: "Ash LLC", InsertionPositions: []insightapi.Position{{Start: 2, End: 9}}, Place: placeOf("The fee")},
		},
		ContractValues: &[]insightapi.ContractValue{
			{ContractValue: 500, Currency: "USD", InsertionPositions: []insightapi.Position{{Start: 13, End: 17}}, Place: placeOf("$500")},
			{ContractValue: 500, Currency: "EUR", InsertionPositions: []insightapi.Position{{Start: 13, End: 17}}, Place: placeOf("$500")},
		},
		Payments: &[]insightapi.Payment{{Place: placeOf("$500 is due")}, {Place: placeOf("writing")}},
		DocumentClauses: &[]insightapi.Clause{
			clauseAt(t, "Notices", "Notices must be in writing. They go to the address above."),
			clauseAt(t, "Notices", "They go to the address above."),
			clauseAt(t, "Waiver", "This is the entire agreement."),
			clauseAt(t, "Insurance", "The rent is due in June."),
		},
	}
	r := NewReport()
	r.AddLabels(&layout.Document{Text: contractText}, a, l)
	if len(r.Ungrounded) > 0 {
		t.Fatalf("the places are wrong: %v", r.Ungrounded)
	}
	for name, want := range map[string]Score{
		"signers":                    {Found: 2, RightFound: 2, Gold: 2, Recalled: 2},
		"signers with their parties": {Found: 3, RightFound: 3, Gold: 4, Recalled: 3},
		"signers with their titles":  {Found: 3, RightFound: 3, Gold: 4, Recalled: 3},
		"parties":                    {Found: 2, RightFound: 1, Gold: 2, Recalled: 1},
		"contract values":            {Found: 2, RightFound: 1, Gold: 1, Recalled: 1},
		"payments":                   {Found: 2, RightFound: 1, Gold: 2, Recalled: 1},
		"clause Notices":             {Found: 2, RightFound: 1, Gold: 1, Recalled: 1},
		"clause Entire Agreement":    {Gold: 1},
		"clause Waiver":              {Found: 1},
		"clauses":                    {Found: 3, RightFound: 1, Gold: 2, Recalled: 1},
	} {
		if got := r.Scores[name]; got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	partly := NewReport()
	partly.AddLabels(&layout.Document{Text: contractText}, a, Labels{Payments: l.Payments})
	if len(partly.Scores) != 1 || *partly.Scores["payments"] != *r.Scores["payments"] {
		t.Errorf("got the scores %v, want only what is labelled", partly.Scores)
	}
	if r.Scores["clause Insurance"] != nil {
		t.Error("a kind that is not labelled is scored")
	}
}

// TestRepeatedPayments shows that a sentence that occurs twice is compared where it occurs:
// each of its payments has a place of its own, and so has each label.
func TestRepeatedPayments(t *testing.T) {
	const sentence = "The fee is due in May."
	text := sentence + " " + sentence + " The rest is silence."
	first, second := PaymentLabel{Span: Range{0, len(sentence)}}, PaymentLabel{Span: Range{len(sentence) + 1, 2*len(sentence) + 1}}
	for name, test := range map[string]struct {
		labels []PaymentLabel
		items  int
		want   Score
	}{
		"both labelled":            {[]PaymentLabel{first, second}, 2, Score{Found: 2, RightFound: 2, Gold: 2, Recalled: 2}},
		"both labelled, one found": {[]PaymentLabel{first, second}, 1, Score{Found: 1, RightFound: 1, Gold: 2, Recalled: 1}},
		"the second labelled":      {[]PaymentLabel{second}, 2, Score{Found: 2, RightFound: 1, Gold: 1, Recalled: 1}},
		"two amounts each":         {[]PaymentLabel{first, second}, 4, Score{Found: 4, RightFound: 4, Gold: 2, Recalled: 2}},
	} {
		payments := []insightapi.Payment{}
		for range test.items {
			payments = append(payments, insightapi.Payment{Place: placeOf(sentence)})
		}
		r := NewReport()
		r.AddLabels(&layout.Document{Text: text}, &insightapi.Answer{Payments: &payments}, Labels{Payments: test.labels})
		if got := r.Scores["payments"]; got == nil || *got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// TestPaymentAmounts shows that a payment that is found is compared with the amount or the
// percentage of its label.
func TestPaymentAmounts(t *testing.T) {
	const sentence = "The fee is due in May."
	fee, rate, other := 500.0, 1.5, 40.0
	for name, test := range map[string]struct {
		label PaymentLabel
		items []insightapi.Payment
		want  *Score
	}{
		"amount":         {PaymentLabel{Amount: &fee}, []insightapi.Payment{{PaymentValueNumber: &other}, {PaymentValueNumber: &fee}}, &Score{Found: 1, RightFound: 1, Gold: 1, Recalled: 1}},
		"another amount": {PaymentLabel{Amount: &fee}, []insightapi.Payment{{PaymentValueNumber: &other}}, &Score{Found: 1, Gold: 1}},
		"percentage":     {PaymentLabel{Percentage: &rate}, []insightapi.Payment{{PaymentValue: "one and a half percent (1 1/2%)"}}, &Score{Found: 1, RightFound: 1, Gold: 1, Recalled: 1}},
		"in words":       {PaymentLabel{Percentage: &other}, []insightapi.Payment{{PaymentValue: "forty (40) per cent"}}, &Score{Found: 1, RightFound: 1, Gold: 1, Recalled: 1}},
		"no number":      {PaymentLabel{Percentage: &rate}, []insightapi.Payment{{PaymentValue: "the fee"}}, &Score{Found: 1, Gold: 1}},
		"not labelled":   {PaymentLabel{}, []insightapi.Payment{{PaymentValue: "5%"}}, nil},
		"not found":      {PaymentLabel{Amount: &fee}, nil, nil},
	} {
		test.label.Span = Range{0, len(sentence)}
		for i := range test.items {
			test.items[i].Place = placeOf(sentence)
		}
		r := NewReport()
		r.AddLabels(&layout.Document{Text: sentence}, &insightapi.Answer{Payments: &test.items}, Labels{Payments: []PaymentLabel{test.label}})
		got := r.Scores["payments with their amounts"]
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func TestPersonName(t *testing.T) {
	for name, want := range map[string]string{
		"Thomas A. Cellucci": "thomas cellucci", "Amit Kumar, Ph.D.": "amit kumar", "DIXON DOLL JR": "dixon doll", "Giovanni Meliadò": "giovanni meliadò", "X.": "",
	} {
		if got := personName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestSharesHalf(t *testing.T) {
	s := layout.Span{Start: 10, End: 20}
	for o, want := range map[layout.Span]bool{
		{Start: 0, End: 100}: true, {Start: 15, End: 25}: true, {Start: 16, End: 26}: false, {Start: 18, End: 20}: true, {Start: 20, End: 22}: false,
	} {
		if sharesHalf(s)(o) != want || sharesHalf(o)(s) != want {
			t.Errorf("%v and %v: want %v", s, o, want)
		}
	}
}
