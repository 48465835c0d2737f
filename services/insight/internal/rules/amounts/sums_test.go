package amounts_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestTermsOfSums shows that each sum of a sentence has its own due date and type, and shares them
// with the others only where they stand before all sums or after the last.
func TestTermsOfSums(t *testing.T) {
	for text, want := range map[string][]string{
		"Birch shall pay Alder $42,000 as follows: (a) $20,000 within 14 days after signing; (b) $11,000 on or before August 1, 2024; and (c) $11,000 at closing.": {
			"$42,000|one_time|Amount", "$20,000|one_time|Amount, within 14 days after signing", "$11,000|one_time|Amount, on or before August 1, 2024", "$11,000|one_time|Amount, at closing",
		},
		"Birch shall pay an initial fee of $18,000 on signing and an annual charge of $3,240 on each anniversary of the Effective Date.": {
			"$18,000|one_time|Initial fee, on signing", "$3,240|recurring|Annual charge, on each anniversary of the Effective Date",
		},
		"Birch shall pay an advance of $7,500 upon signing and $8,000 when Alder delivers the tenth song.": {
			"$7,500|one_time|Amount, upon signing", "$8,000|one_time|Amount, when Alder delivers the tenth song",
		},
		"The Buyer shall pay 30% of the price upon order confirmation and the remaining 70% within 21 days after delivery.": {
			"30%|one_time|Price, upon order confirmation", "70%|one_time|Payment, within 21 days after delivery",
		},
		"The loan of $250,000, maturing on 2 December 2027, shall bear interest at 6% a year.": {
			"$250,000|one_time|Loan, on 2 December 2027", "6%|recurring|Bear interest",
		},
		"Within 10 days after signing, Birch shall pay a deposit of $900 and a setup fee of $50.": {
			"$900|one_time|Deposit, within 10 days after signing", "$50|one_time|Setup fee, within 10 days after signing",
		},
		"Birch shall pay a deposit of $900 and a setup fee of $50 within 10 days after signing.": {
			"$900|one_time|Deposit, within 10 days after signing", "$50|one_time|Setup fee, within 10 days after signing",
		},
		"Birch shall pay a rent of $1,200 plus VAT each month and a late fee of $40 plus interest at 9% per annum.": {
			"$1,200|recurring|Rent", "$40|one_time|Late fee", "9%|recurring|Interest, per annum",
		},
		"Birch shall contribute $10,000 a year to marketing and shall reimburse trade fair costs up to $4,000.": {
			"$10,000|recurring|Amount", "$4,000|reimbursement|Trade fair costs",
		},
	} {
		d := rulestest.Read(text + "\n")
		got := amounts.Payments(d, amounts.Rates{}, nil)
		rulestest.Sane(t, d, got)
		var all []string
		for _, f := range got {
			all = append(all, f.Item.PaymentValue+"|"+f.Item.PaymentType+"|"+f.Item.PaymentLabel)
		}
		if !slices.Equal(all, want) {
			t.Errorf("%q:\ngot  %q\nwant %q", text, all, want)
		}
	}
}

// TestMaximum shows that the highest value of a sum is not paid beside the sum.
func TestMaximum(t *testing.T) {
	for text, want := range map[string][]string{
		"The Contractor shall pay the Employer £750 for each week of delay, up to a maximum of £9,000.":                          {"£750"},
		"Birch shall pay Alder a penalty of Rs. 500 for each breakdown, subject to a ceiling of Rs. 10,000 in a year.":           {"Rs. 500"},
		"The Buyer shall pay the Sellers an amount equal to 20% of the excess within 10 days, subject to a maximum of £500,000.": {"20%"},
		"Birch shall reimburse travel costs up to $4,000.":                                                                       {"$4,000"},
		"Birch shall pay Alder $500 plus VAT at 20% within 14 days.":                                                             {"$500"},
	} {
		var values []string
		for _, f := range amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil) {
			values = append(values, f.Item.PaymentValue)
		}
		if !slices.Equal(values, want) {
			t.Errorf("%q: got %q, want %q", text, values, want)
		}
	}
}

// TestDueUponCondition shows that a time in the condition of a payment is not when it is due.
func TestDueUponCondition(t *testing.T) {
	for text, want := range map[string]string{
		"If the Supplier cannot mend the part within 30 days, it shall refund the price.":                             "Price",
		"If the works are not complete by 30 September 2025, Birch shall pay Alder $750 within 5 days of an invoice.": "Amount, within 5 days of an invoice",
	} {
		got := amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil)
		if len(got) != 1 || got[0].Item.PaymentLabel != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}

// TestPriceLists shows that the rows of a price list are payments in any currency, also where only the
// head of their column or the title gives it, with all of their amounts.
func TestPriceLists(t *testing.T) {
	for text, want := range map[string][]string{
		"Annexure A: Price list\nDoor sensor          Rs. 6,400\nControl relay        Rs. 1,150\n":                        {"Rs. 6,400", "Rs. 1,150"},
		"RATES (S$, before tax)\nBox, small     per week      6.80\nBox, large     per week  1,310.00\n":                  {"6.80", "1,310.00"},
		"Prices\n\nLift (6 units) | per month | PLN 420.00\n\nCall-out | call | PLN 90.00\n":                              {"PLN 420.00", "PLN 90.00"},
		"Pricing\n\nPlatform   40   $480.00   $19,200.00\nSign-on    1   $2,400.00   $2,400.00\nTraining   1   $900.00\n": {"$480.00", "$19,200.00", "$2,400.00", "$2,400.00", "$900.00"},
	} {
		var values []string
		for _, f := range amounts.Payments(rulestest.Read("The parties have met several times.\n\n"+text), amounts.Rates{}, nil) {
			values = append(values, f.Item.PaymentValue)
		}
		if !slices.Equal(values, want) {
			t.Errorf("%q: got %q, want %q", text, values, want)
		}
	}
}

// TestSharesInWords shows that percentages and parts in words are the values of payments.
func TestSharesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"Overdue sums shall bear interest at five per centum per annum above the base rate.":   "five per centum",
		"Late sums shall bear interest at nine percentage points above the base rate.":         "nine percentage points",
		"Birch shall pay Alder twenty-five percent of the shortfall within ten days.":          "twenty-five percent",
		"Birch shall pay Alder ten percent (10%) of the shortfall within ten days.":            "10%",
		"Birch shall repay one half of the premium within 28 days of a receipt.":               "one half",
		"Birch shall pay the fee of the second half of the year within 28 days of an invoice.": "within 28 days of an invoice",
	} {
		got := amounts.Payments(rulestest.Read(text+"\n"), amounts.Rates{}, nil)
		if len(got) != 1 || got[0].Item.PaymentValue != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}

// TestInsured shows that the sum for which something is insured is not paid.
func TestInsured(t *testing.T) {
	if got := amounts.Payments(rulestest.Read("The Borrower shall deliver and keep the ovens insured for at least $400,000.\n"), amounts.Rates{}, nil); len(got) > 0 {
		t.Errorf("got %+v, want none", got)
	}
}
