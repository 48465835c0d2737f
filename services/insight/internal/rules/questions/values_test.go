package questions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// supply is a contract with values of all kinds.
const supply = `SUPPLY AND SERVICES AGREEMENT

This Agreement is made on 3 February 2025 between Harbour Mills GmbH (the "Supplier") and Quayside Foods Ltd (the "Buyer").

1. Term

1.1 This Agreement starts on 1 March 2025 and ends on 28 February 2028.

1.2 The warranty period is eighteen (18) months from delivery.

2. Prices and payment

2.1 The Buyer shall pay a handling fee of EUR 1,250 for each delivery and a storage fee of EUR 90.

2.2 The Buyer shall pay each invoice within thirty (30) days after receipt of the invoice.

2.3 Late payments bear interest at a rate of 4.5% per year.

2.4 The Supplier shall pay all customs duties.

2.5 Import taxes shall be borne by the Buyer.

3. Delivery

3.1 The Supplier shall deliver the goods at the warehouse in Rotterdam.

3.2 The Supplier shall make three (3) deliveries in each month.

3.3 The Supplier may use subcontractors.

3.4 The Buyer shall not resell the goods in bulk.

3.5 The Supplier shall not change the recipe without the prior written consent of the Buyer.

3.6 The Buyer is not required to accept early deliveries.

3.7 The Buyer is entitled to inspect the warehouse.

3.8 Neither party may publish the recipe.

3.9 The Supplier is responsible for packaging.

4. Notices

4.1 Notices shall be sent to the Supplier at Kaistrasse 4, Hamburg.

4.2 The Supplier shall submit a sales report by 15 January 2026.

4.3 The Buyer must clearly label, weigh or freeze the samples.

4.4 The Supplier owns the moulds.

4.5 The ovens shall be serviced on the first day of each quarter and shall be kept dry.

5. Law

5.1 This Agreement is governed by the laws of Germany. The courts of Hamburg have exclusive jurisdiction over all disputes.

5.2 Section 3 of this Agreement survives termination.

5.3 The Buyer shall not:

(a) open the crates at sea;

(b) paint the containers.

6. Assignment

6.1 The Buyer shall not assign this Agreement.
`

// TestValues shows the value that answers each kind of question, and the text in its quote.
func TestValues(t *testing.T) {
	d := rulestest.Read(supply)
	for _, tt := range []struct{ question, value, quote string }{
		// Laws and places.
		{"Which law governs this agreement?", "Germany", "governed by the laws"},
		{"What is the governing law?", "Germany", "governed by the laws"},
		{"Under which law is the agreement construed?", "Germany", "governed by the laws"},
		{"Where shall the Supplier deliver the goods?", "Rotterdam", "warehouse in Rotterdam"},
		{"Which courts have jurisdiction?", "Hamburg", "courts of Hamburg"},
		{"Where are notices to the Supplier sent?", "Kaistrasse 4, Hamburg", "Notices shall be sent"},
		// Dates and times.
		{"When was the agreement signed?", "3 February 2025", "made on"},
		{"When does the agreement start?", "1 March 2025", "starts on"},
		{"When does this agreement end?", "28 February 2028", "ends on"},
		{"What is the end date of the contract?", "28 February 2028", "ends on"},
		{"By what date must the Supplier submit a sales report?", "15 January 2026", "sales report"},
		{"When must the ovens be serviced?", "the first day of each quarter", "kept dry"},
		{"When must the Buyer pay an invoice?", "within thirty (30) days after receipt of the invoice", "each invoice"},
		// Periods.
		{"How long is the warranty period?", "eighteen (18) months", "from delivery"},
		{"How many months is the warranty period?", "eighteen (18) months", "from delivery"},
		{"How many days does the Buyer have to pay each invoice?", "thirty (30) days", "each invoice"},
		// Amounts and rates.
		{"How much is the handling fee?", "EUR 1,250", "storage fee"},
		{"What is the storage fee?", "EUR 90", "storage fee"},
		{"What is the interest rate on late payments?", "4.5% per year", "bear interest"},
		{"What rate of interest do late payments bear?", "4.5% per year", "bear interest"},
		// Numbers.
		{"How many deliveries shall the Supplier make?", "three (3)", "in each month"},
		// Parties.
		{"Who are the parties?", "Harbour Mills GmbH and Quayside Foods Ltd", "made on"},
		{"Who is the Supplier?", "Harbour Mills GmbH", "made on"},
		{"Who pays the customs duties?", "The Supplier", "customs duties"},
		{"Who shall bear import taxes?", "the Buyer", "Import taxes"},
		{"By whom are import taxes borne?", "the Buyer", "Import taxes"},
		{"Who is responsible for packaging?", "The Supplier", "packaging"},
		{"Who owns the moulds?", "The Supplier", "moulds"},
		{"Which party must label the samples?", "The Buyer", "samples"},
		{"To whom are notices sent?", "the Supplier", "Notices"},
		// Yes or no.
		{"May the Supplier use subcontractors?", "Yes", "subcontractors"},
		{"Is the Supplier allowed to use subcontractors?", "Yes", "subcontractors"},
		{"May the Buyer resell the goods in bulk?", "No", "in bulk"},
		{"Is the Buyer prohibited from reselling the goods?", "Yes", "in bulk"},
		{"Must the Buyer accept early deliveries?", "No", "early deliveries"},
		{"Is the Buyer required to accept early deliveries?", "No", "early deliveries"},
		{"Can the Buyer inspect the warehouse?", "Yes", "entitled"},
		{"Can a party publish the recipe?", "No", "publish"},
		{"Must the Buyer weigh the samples?", "Yes", "samples"},
		{"Does the Supplier pay all customs duties?", "Yes", "customs duties"},
		{"May the Buyer paint the containers?", "No", "The Buyer shall not:"},
		{"Does section 3 survive termination?", "Yes", "survives"},
		{"Does the Supplier own the moulds?", "Yes", "moulds"},
		{"Can the Buyer assign the agreement?", "No", "assign"},
		{"Is this agreement governed by the laws of Germany?", "Yes", "governed by the laws"},
		{"Is this agreement governed by the laws of France?", "No", "governed by the laws"},
		{"May the Supplier change the recipe without the prior written consent of the Buyer?", "No", "recipe"},
	} {
		if got := answer(t, d, tt.question, tt.value, tt.quote); (tt.value == "Yes" || tt.value == "No") && got > 0.5 {
			t.Errorf("%q: the confidence of %q is %v, want at most 0.5", tt.question, tt.value, got)
		}
	}
}

// TestUnclearValues shows that the whole sentence answers a question if it has no clear
// value.
func TestUnclearValues(t *testing.T) {
	d := rulestest.Read(supply)
	for _, question := range []string{
		"May the Supplier change the recipe?",
		"May the Buyer use subcontractors?",
		"Is the Supplier not allowed to use subcontractors?",
		"Must the Supplier use subcontractors?",
		"Must the Supplier or the Buyer pay customs duties?",
		"May the Supplier inspect the Buyer's warehouse?",
		"Who may not publish the recipe?",
		"What about changes of the recipe?",
		"Does this agreement survive termination?",
	} {
		got := questions.New(d, "").Answers(question)
		for _, f := range got {
			if want := strings.Join(strings.Fields(d.Quote(f.Span)), " "); *f.Item.Value != want {
				t.Errorf("%q: got %q, want the sentence %q", question, *f.Item.Value, want)
			}
		}
		if len(got) == 0 {
			t.Errorf("%q: no answer", question)
		}
	}
}

// TestListItems shows that a list item is an answer together with its introduction.
func TestListItems(t *testing.T) {
	const question = "opening crates at sea"
	for name, tt := range map[string]struct {
		text          string
		values, quote []string
	}{
		"colon": {supply, []string{"The Buyer shall not: open the crates at sea;"}, []string{"The Buyer shall not:\n\n(a) open the crates at sea;"}},
		"dash": {strings.Replace(supply, "shall not:", "shall not –", 1),
			[]string{"The Buyer shall not – open the crates at sea;"}, []string{"The Buyer shall not –\n\n(a) open the crates at sea;"}},
		"item of its own": {strings.Replace(supply, "(a) open", "(a) Open", 1),
			[]string{"Open the crates at sea;"}, []string{"The Buyer shall not:\n\n(a) Open the crates at sea;"}},
		"long introduction": {strings.Replace(supply, "shall not:", "shall not"+strings.Repeat(" or must not", 100)+":", 1),
			[]string{"The Buyer shall not" + strings.Repeat(" or must not", 100) + ": open the crates at sea;"}, []string{"open the crates at sea;"}},
		"two items": {strings.Replace(supply, "(a) open the crates at sea;", "(a) open the crates at sea;\n\n(b) open crates at sea;", 1),
			[]string{"The Buyer shall not: open the crates at sea;", "The Buyer shall not: open crates at sea;"},
			[]string{"The Buyer shall not:\n\n(a) open the crates at sea;", "open crates at sea;"}},
	} {
		d := rulestest.Read(tt.text)
		got := questions.New(d, "").Answers(question)
		var values []string
		for _, f := range got {
			values = append(values, *f.Item.Value)
		}
		if quotes := rulestest.Quotes(d, got); !slices.Equal(values, tt.values) || !slices.Equal(quotes, tt.quote) {
			t.Errorf("%s: got %q from %q, want %q from %q", name, values, quotes, tt.values, tt.quote)
		}
	}
}

// TestSynonyms shows that words of contracts that mean about the same find an answer.
func TestSynonyms(t *testing.T) {
	d := rulestest.Read(supply)
	for question, want := range map[string]string{
		"The Buyer may examine the warehouse.":                      "inspect the warehouse",
		"The Supplier shall not alter the recipe without approval.": "prior written consent",
		"Neither party may disclose the recipe.":                    "publish the recipe",
		"explicit labels":                                           "label, weigh or freeze",
	} {
		got := questions.New(d, "").Answers(question)
		if len(got) == 0 || !strings.Contains(*got[0].Item.Value, want) {
			t.Errorf("%q: got %q, want %q", question, rulestest.Quotes(d, got), want)
		}
	}
}

// TestHostileQuestions shows that endless and odd questions have answers from the document,
// or none.
func TestHostileQuestions(t *testing.T) {
	d := rulestest.Read(supply + strings.Repeat("The Buyer shall pay EUR 5 and EUR 6, shall not pay EUR 7, or pay EUR 8; ", 300) + ".")
	for _, question := range []string{
		"May " + strings.Repeat("the Buyer assign, or ", 500) + "?",
		"How much " + strings.Repeat("is the fee for the fee of ", 400) + "?",
		"Who " + strings.Repeat("pays ", 2000), strings.Repeat("shall not be required to ", 400),
		"Must", "May?", "Who?", "When", "How many", "how many ?", "Does \xff\xfe the \x00 Buyer pay?", "Is the İ required to pay?", "who pays the 関税?",
		strings.Repeat("(", 5000), "what is the price of " + strings.Repeat("a", 9000),
	} {
		for _, f := range questions.New(d, "").Answers(question) {
			if f.Span.Start < 0 || f.Span.End > len(d.Text) || f.Span.Len() <= 0 || *f.Item.Value == "" || f.Confidence <= 0 || f.Confidence > 1 {
				t.Errorf("%.40q: got %+v", question, f)
			}
		}
	}
}

// TestUnansweredQuestions shows that questions about other things have no answer.
func TestUnansweredQuestions(t *testing.T) {
	d := rulestest.Read(supply)
	for _, question := range []string{
		"How much is the salary?", "How much is the parking fee?", "Who trains the pilots?", "May the Buyer keep elephants?", "Is there a non-compete?", "Where is the swimming pool?",
		"How many elephants shall be delivered?", "What is the exchange rate for dollars?", "When is the harvest festival?", "Does the agreement renew automatically?",
		"", "?", "the of",
	} {
		if got := questions.New(d, "").Answers(question); len(got) > 0 {
			t.Errorf("%q: got %q from %q", question, *got[0].Item.Value, rulestest.Quotes(d, got))
		}
	}
}

// engaged is a contract with several values in a sentence and with the names of people who have an office.
const engaged = `AGENCY AGREEMENT

The Agent shall buy at least 1,500 lamps in the first year and 2,000 lamps in each later year.

The Agent receives a retainer of EUR 900 per month, paid on the 25th of each month.

Our data protection officer is Ana Ruiz, who answers all questions about data.

The Agent shall report to Jens Falk (Head of Sales) once in each quarter.
`

// TestValueOfPeriod tests values of one of several periods, with what they count for.
func TestValueOfPeriod(t *testing.T) {
	d := rulestest.Read(engaged)
	for _, tt := range []struct{ question, value, quote string }{
		{"How many lamps must the agent buy in the first year?", "1,500", "lamps"},
		{"How many lamps must the agent buy in each later year?", "2,000", "lamps"},
		{"How much is the retainer?", "EUR 900 per month", "retainer"},
		{"When is the retainer paid?", "the 25th of each month", "retainer"},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
}

// TestHolder tests questions who has an office.
func TestHolder(t *testing.T) {
	d := rulestest.Read(engaged)
	answer(t, d, "Who is the data protection officer?", "Ana Ruiz", "Ruiz")
	answer(t, d, "Who is the head of sales?", "Jens Falk", "Falk")
}
