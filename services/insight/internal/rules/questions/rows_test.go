package questions_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// hired is a contract with key terms, headings at the beginning of paragraphs, and parties that
// are called "we" and "you".
const hired = `HIRE OF COFFEE MACHINES

Key terms
Minimum Term: 24 months from installation
Royalty: 4% of Gross Sales
Deliver by: 2024-03-08

Late delivery. If we deliver a machine late, we shall pay you 2% of the monthly rent for each day of delay.

Drawings that our designers make belong to us.

Molds shall be the sole property of the Hirer, and the Maker hereby assigns them.

You may hire out machines in the counties of Kent, Surrey and Essex.

You shall order at least 900 kg of beans in each year, and if you order less, you shall pay $2 for each kilogram of the shortfall.

Either of us may end this agreement at any time, for any reason, by giving the other 60 days' notice in writing.

The deposit of $400 shall be repaid, less any sums due, on or before the tenth day after the machines are returned.

We may extend the hire for two years by notice given not less than three months before its end.

Our total liability in a year shall not exceed twice the rent for that year.
`

// TestRowsAndValues tests answers that are rows, and the values of sentences that have several.
func TestRowsAndValues(t *testing.T) {
	d := rulestest.Read(hired)
	for _, tt := range []struct{ question, value, quote string }{
		{"How long is the minimum term?", "24 months", "Minimum Term"},
		{"What cut of our sales do you get?", "4%", "Royalty"},
		{"How much of the rent do we get back if a machine comes late?", "2%", "late, we shall pay"},
		{"Who owns the drawings that the designers make?", "us", "belong"},
		{"Who owns the molds?", "the Hirer", "property"},
		{"In which counties may we hire out machines?", "Kent, Surrey and Essex", "counties"},
		{"How much coffee in beans must we order each year?", "900 kg", "at least"},
		{"How do we get out of this?", "60 days' notice in writing", "any reason"},
		{"When is the deposit repaid?", "the tenth day after the machines are returned", "deposit"},
		{"How far ahead do you have to say that you extend the hire for two years?", "three months before its end", "extend"},
		{"What is the most we can claim for liability in a year?", "twice the rent for that year", "liability"},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
}

// TestBracketsInValues shows that a value has both brackets or none.
func TestBracketsInValues(t *testing.T) {
	d := rulestest.Read("SERVICES\n\nThe Client pays EUR [0.00] for each hour.\n\nThe Client stores the tools for (at most) thirty (30) days.\n")
	for _, question := range []string{"What does it cost?", "How long do we have to store the tools?", "storage of the tools"} {
		for _, f := range questions.New(d, "").Answers(question) {
			for _, b := range []string{"()", "[]"} {
				if v := *f.Item.Value; strings.Count(v, b[:1]) != strings.Count(v, b[1:]) {
					t.Errorf("%q: got the value %q", question, v)
				}
			}
		}
	}
}

// TestHeadingInParagraph tests that a heading at the beginning of a paragraph answers nothing, and
// that its words help to find the sentences after it.
func TestHeadingInParagraph(t *testing.T) {
	d := rulestest.Read("SERVICE AGREEMENT\n\nSigning bonus. You repay it in full if you resign within one year.\n\nNotices. Letters go to the office.\n")
	got := questions.New(d, "").Answers("Do I have to give the signing bonus back if I quit early?")
	if len(got) == 0 || !strings.Contains(d.Quote(got[0].Span), "resign") {
		t.Errorf("got %v, want the sentence after the heading", got)
	}
}

// order is an order with tables.
const order = `PURCHASE ORDER

PO No.              4500-77
Currency            USD
Payment terms       Net 45 from receipt of invoice
Minimum term        12 months
Guarantor           none
Balance             $8,370
Balance due         9 May 2025

Line      Part no      Description     Qty       Unit price     Ext.
10        LB-62        Roller          2,400     2.15           5,160.00
20        LB-63        Lever           800       6.40           5,120.00
Subtotal                                                        10,280.00
TOTAL USD 10,290.00

The Buyer may reject parts within 30 days after receipt, and pays $15 for each part that comes back late.
`

// TestRowsOfTables tests answers in the cells of tables, which a question names by row and column.
func TestRowsOfTables(t *testing.T) {
	d := rulestest.Read(order)
	for _, tt := range []struct{ question, value, quote string }{
		{"What is the PO number?", "4500-77", "PO No."},
		{"What are the payment terms?", "Net 45 from receipt of invoice", "Payment terms"},
		{"What is the minimum term?", "12 months", "Minimum term"},
		{"Who is the guarantor?", "none", "Guarantor"},
		{"When is the balance due?", "9 May 2025", "Balance due"},
		{"How many LB-63 are ordered?", "800", "LB-63"},
		{"What is the unit price of the roller?", "2.15", "Roller"},
		{"What is the total?", "USD 10,290.00", "TOTAL"},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
	for _, question := range []string{"What is the colour of the roller?", "Who is the carrier?"} {
		for _, f := range questions.New(d, "").Answers(question) {
			if strings.Contains(f.Reasoning, "row") {
				t.Errorf("%q: got %q from a row", question, *f.Item.Value)
			}
		}
	}
}

// invoiced is an invoice with the hours of several works.
const invoiced = `INVOICE

Invoice date: 4 March 2024
Due date: 3 April 2024

Description                      Hours    Rate      Amount
Roof survey, with drone          12       $80.00    $960.00
Gutter repair                    7        $80.00    $560.00

Net amount                                          $1,520.00
Amount due                                          $1,672.00

A discount of 3% applies if you pay by 10 March 2024.
`

// covered is a certificate of insurance with two amounts in each row.
const covered = `CERTIFICATE OF INSURANCE

Cover                    Limit                      Deductible
Public liability         $2,000,000 in all          $1,000
Tools and machines       $40,000 in all             $250
`

// TestBilled tests questions for what is to be paid and by when, for numbers of hours, and for one of several
// amounts in a row.
func TestBilled(t *testing.T) {
	d := rulestest.Read(invoiced)
	for _, tt := range []struct{ question, value, quote string }{
		{"How much do we have to pay?", "$1,672.00", "Amount due"},
		{"What is the total amount due?", "$1,672.00", "Amount due"},
		{"When is the invoice due?", "3 April 2024", "Due date"},
		{"When do we have to pay?", "3 April 2024", "Due date"},
		{"How many hours did the gutter repair take?", "7", "Gutter repair"},
		{"How much was the roof survey?", "$960.00", "Roof survey"},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
	d = rulestest.Read(covered)
	answer(t, d, "How much is the public liability cover?", "$2,000,000", "Public liability")
	answer(t, d, "What is the deductible for tools and machines?", "$250", "Tools and machines")
}

// TestUnpaid shows that "when" inside a question does not ask for a time: the payment terms are no sure
// answer.
func TestUnpaid(t *testing.T) {
	d := rulestest.Read("SERVICES AGREEMENT\n\nThe fee of $900 is due within 14 days of delivery.\n")
	terms := "The fee of $900 is due within 14 days of delivery."
	if confidence := answer(t, d, "What happens when they do not pay?", terms, terms); confidence > 0.5 {
		t.Errorf("the confidence is %v", confidence)
	}
	answer(t, d, "When must the Client pay?", "within 14 days of delivery", terms)
}
