package amounts_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// constant returns weights by which every sentence requires a payment with a probability.
func constant(t *testing.T, probability float64) *learn.Model {
	t.Helper()
	odds := float32(math.Log(probability / (1 - probability)))
	file, err := learn.Encode(learn.Plain, []learn.Decision{{Kind: "Payment", Votes: amounts.VotesOfPayments, Passage: learn.Calibration{Offset: odds}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The sentences of a text about a payment: one in which the rules find it, and two in which
// they do not.
const (
	paid    = "Alder shall pay a fee of $500 to Birch for the report."
	credit  = "A charge of $70 or €80 is a matter between Alder and the mill."
	invoice = "The word invoice is written on the invoice of the mill."
)

// TestJudged shows that the weights drop an improbable payment that the rules find, and add a
// probable one that they miss. The confidence is the probability.
func TestJudged(t *testing.T) {
	d := rulestest.Read(strings.Join([]string{paid, credit, invoice}, "\n\n") + strings.Repeat("\n\nThe gate of the yard is opened at seven in the morning.", 20) + "\n")
	for _, c := range []struct {
		probability float64
		want        []string
	}{
		{0.2, nil},
		{0.4, []string{"$500"}},
		{0.9, []string{"$500", "$70", "€80", "payment"}},
	} {
		got := amounts.Payments(d, amounts.ReferenceRates(), constant(t, c.probability))
		rulestest.Sane(t, d, got)
		var values []string
		for _, f := range got {
			values = append(values, f.Item.PaymentValue)
			if math.Abs(f.Confidence-c.probability) > 0.001 {
				t.Errorf("got confidence %v, want %v", f.Confidence, c.probability)
			}
		}
		if len(got) == 4 && !strings.HasSuffix(got[2].Reasoning, "2025-07-24.") {
			t.Errorf("got %q, want the day of the exchange rate", got[2].Reasoning)
		}
		if !slices.Equal(values, c.want) {
			t.Errorf("with probability %v: got %q, want %q", c.probability, values, c.want)
		}
	}
	if got := amounts.Payments(rulestest.Read(paid+"\n"), amounts.Rates{}, constant(t, 0.2)); len(got) != 0 {
		t.Errorf("got %+v, want that the weights decide about a short text too", got)
	}
	if got := amounts.Payments(rulestest.Read(paid+"\n"), amounts.Rates{}, nil); len(got) != 1 {
		t.Errorf("without weights: got %+v, want what the rules find", got)
	}
}

// TestUnpayable shows that caps on liability, insurance cover and service levels are not payments,
// however sure the weights are.
func TestUnpayable(t *testing.T) {
	yard := strings.Repeat("\n\nThe gate of the yard is opened at seven in the morning.", 20) + "\n"
	for text, want := range map[string]int{
		"Alder must hold product liability insurance of at least $500.":                                     0,
		"Alder shall hold insurance of at least $500 and bear its costs.":                                   1,
		"The boxes must be available for at least 99.5% of each month.":                                     0,
		"For availability below 99.5%, Alder shall credit the fees of that month.":                          1,
		"An availability of 98 per cent is expected of the boxes.":                                          0,
		"The liability of Alder for the boxes shall not exceed $500.":                                       0,
		"If its liability exceeds $500, Alder shall pay the excess, which shall not exceed $900, to Birch.": 1,
	} {
		if got := amounts.Payments(rulestest.Read(text+yard), amounts.Rates{}, constant(t, 0.9)); len(got) != want {
			t.Errorf("%q: got %d payments, want %d", text, len(got), want)
		}
	}
}

// TestVotes shows which sentences the weights judge.
func TestVotes(t *testing.T) {
	const amount = "Player of the year: $40,000"
	d := rulestest.Read(paid + "\n\n" + invoice + "\n\n" + amount + "\n\nThe gate of the yard is opened at seven in the morning.\n")
	var judged []bool
	for _, v := range amounts.Votes(d) {
		judged = append(judged, amounts.Judged(v))
	}
	if want := []bool{true, true, true, false}; !slices.Equal(judged, want) {
		t.Errorf("got %v, want %v", judged, want)
	}
	if v := amounts.Votes(d); v[0]&amounts.VotesOfPayments == 0 || v[1]&amounts.VotesOfPayments != 0 {
		t.Errorf("got votes %b, want that the rules find the first payment only", v)
	}
}

// TestJudgedAfterMany shows that the rules read a document to its end, because the weights may drop
// payments before it, and that the answer still has at most the maximum number of payments.
func TestJudgedAfterMany(t *testing.T) {
	var text strings.Builder
	for i := range 1100 { // repeated lines would be headers of pages
		fmt.Fprintf(&text, "For report %c%c%c, Alder shall pay a fee of $500 to Birch.\n\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	d := rulestest.Read(text.String())
	votes := amounts.Votes(d)
	if votes[len(votes)-1]&amounts.VotesOfPayments == 0 {
		t.Error("the rules do not read the last payment")
	}
	if got := amounts.Payments(d, amounts.Rates{}, constant(t, 0.9)); len(got) != 1000 {
		t.Errorf("got %d payments, want at most 1000", len(got))
	}
}
