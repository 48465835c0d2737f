package amounts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestDue shows that the due date is quoted from the text without the words that follow
// it.
func TestDue(t *testing.T) {
	for text, want := range map[string][]string{
		"The invoice shall be paid within thirty (30) days after receipt of the invoice and shall bear no interest.": {"within thirty (30) days after receipt of the invoice"},
		"All invoices are payable within 14 days of the Invoice Date, unless Client disputes them.":                  {"within 14 days of the Invoice Date"},
		"Net 30 days.":                     {"Net 30 days"},
		"Invoices are due net 45.":         {"net 45"},
		"Payment terms: 2/10 net 30":       {"2/10 net 30"},
		"All invoices are payable Net 60.": {"Net 60"},
		"The second instalment of the fee will be due on or before January 1 and July 1 of each year.":                             {"on or before January 1"},
		"The second half of the fee is due on 1 March and shall be paid without delay.":                                            {"on 1 March"},
		"50% upfront, the rest on delivery of the work product.":                                                                   {"50% upfront"},
		"Client shall pay 40% of the price upon signing of this Agreement.":                                                        {"40% of the price upon signing"},
		"If any invoice is not paid within 30 days, the Supplier may suspend the services.":                                        nil,
		"The Lender promises to loan the sum of $10,000 to the Borrower within 10 days of this note.":                              nil,
		"The royalty is due on the net sales within 30 days of launch, and is not to be paid in advance by the licensee.":          {"royalty"},
		"The fees for the whole year shall not be paid in advance to the Consultant.":                                              nil,
		"The parties shall meet within 30 days after the Effective Date to talk about the work.":                                   nil,
		"Each party's total liability in any contract year is limited to 150% of the charges payable in that year.":                nil,
		"The maximum liability of either party for all claims under this Agreement shall not exceed $750,000.":                     nil,
		"The invoice shall be paid within 10 days; if it is not paid then, interest of 5 per cent is due within 5 days of demand.": {"within 10 days"},
	} {
		d := rulestest.Read(text + "\n")
		got := amounts.Payments(d, amounts.Rates{}, nil)
		rulestest.Sane(t, d, got)
		var values []string
		for _, f := range got {
			values = append(values, f.Item.PaymentValue)
		}
		if !slices.Equal(values, want) {
			t.Errorf("%q: got %q, want %q", text, values, want)
		}
	}
}

// TestAmountsAtTheCut shows that truncating a long sentence never splits an amount.
func TestAmountsAtTheCut(t *testing.T) {
	const lead, amount, end = "Client shall pay ", "$1,250,000.00", " million to the bank account that Birch names."
	for n := 3960; n < 4010; n++ {
		filler := strings.Repeat("x", 10) + " "
		words := strings.Repeat(filler, n/len(filler)) + strings.Repeat("y", n%len(filler)) + " "
		for _, f := range amounts.Payments(rulestest.Read(lead+words+amount+end+"\n"), amounts.Rates{}, nil) {
			if v := f.Item.PaymentValueNumber; v != nil && *v != 1.25e12 {
				t.Fatalf("with %d bytes before the amount: got %v from %q", n, *v, f.Item.PaymentValue)
			}
		}
	}
}

// TestPaymentLabels shows that the label includes the due date as written in the text.
func TestPaymentLabels(t *testing.T) {
	for text, want := range map[string]string{
		"Client shall pay a setup fee of $500 within 10 days of the Effective Date by wire transfer to the bank account of Birch.": "Setup fee, within 10 days of the Effective Date",
		"Tenant shall pay a rent of $700 on the first day of each month, and shall keep the premises clean.":                       "Rent, on the first day of each month",
		"Client shall pay a fee of $900 on or before March 1, 2025 to the bank account that Birch names.":                          "Fee, on or before March 1, 2025",
		"Client shall pay a fee of $900 to the bank account that Birch names.":                                                     "Fee",
	} {
		got := amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil)
		if len(got) != 1 || got[0].Item.PaymentLabel != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}

// TestPaymentCurrency shows that payments use the currency that the document means by
// "$".
func TestPaymentCurrency(t *testing.T) {
	got := amounts.Payments(rulestest.Read("All amounts are in Canadian dollars.\n\nClient shall pay a fee of $900 to the bank account that Birch names.\n"), amounts.Rates{Day: "2026-03-02", Dollars: map[string]float64{"CAD": 0.5}}, nil)
	if len(got) != 1 || *got[0].Item.PaymentCurrency != "CAD" || *got[0].Item.PaymentValueUSD != 450 {
		t.Errorf("got %+v, want 900 Canadian dollars", got)
	}
}
