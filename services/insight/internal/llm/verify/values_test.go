package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

func TestDates(t *testing.T) {
	for name, tt := range map[string]struct {
		said               prompts.Date
		value, kind, label string
		confidence         float64
	}{
		"as the rules see it": {prompts.Date{Type: "expiration", Date: "2026-05-31", Quote: "shall expire on May 31, 2026"}, "2026-05-31", "expiration", "Expiration date", 0.85},
		"another role":        {prompts.Date{Type: "notice", Date: "2026-05-31", Quote: "shall expire on May 31, 2026"}, "2026-05-31", "notice", "Notice date", 0.85},
		"part of the date":    {prompts.Date{Type: "effective", Date: "2024-06-01", Quote: "This Agreement begins on June 1"}, "2024-06-01", "effective", "Effective date", 0.85},
		"second of two":       {prompts.Date{Type: "expiration", Date: "2026-05-31", Quote: "begins on June 1, 2024 and shall expire on May 31, 2026"}, "2026-05-31", "expiration", "Expiration date", 0.85},
		"month first":         {prompts.Date{Type: "other", Date: "2024-04-05", Quote: "The inspection of 04/05/2024"}, "2024-04-05", "other", "Date", 0.85},
		"a month":             {prompts.Date{Type: "other", Date: "2024-08-01", Quote: "recorded in August 2024"}, "August 2024", "other", "Date", 0.765},
		"a month without day": {prompts.Date{Type: "other", Date: "2024-08", Quote: "recorded in August 2024"}, "August 2024", "other", "Date", 0.765},
		"fuzzy":               {prompts.Date{Type: "expiration", Date: "2026-05-31", Quote: "This Agreemont begins on June 1, 2024 and shall expire on May 31, 2026"}, "2026-05-31", "expiration", "Expiration date", 0.7},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := read(prompts.Extraction{Dates: []prompts.Date{tt.said}})
			if len(f.Dates) != 1 {
				t.Fatalf("got %+v and %+v, want one date", f.Dates, f.Checks)
			}
			got := f.Dates[0]
			if got.Item.DateValue != tt.value || got.Item.DateType != tt.kind || got.Item.DateLabel != tt.label || got.Reasoning != "" {
				t.Errorf("got %+v, want %+v", got, tt)
			}
			if fmt.Sprintf("%.3f", got.Confidence) != fmt.Sprintf("%.3f", tt.confidence) {
				t.Errorf("got the confidence %v, want %v", got.Confidence, tt.confidence)
			}
			if (got.Item.DateEpochMS == nil) != (tt.value == "August 2024") || !strings.Contains(contract, d.Quote(got.Span)) {
				t.Errorf("got %+v at %q", got.Item, d.Quote(got.Span))
			}
		})
	}
}

func TestDatesThatTheTextDoesNotState(t *testing.T) {
	for name, tt := range map[string]struct {
		said prompts.Date
		want verify.Checks
	}{
		"invented quote":   {prompts.Date{Type: "expiration", Date: "2030-01-01", Quote: "shall terminate on January 1, 2030"}, ungrounded},
		"wrong value":      {prompts.Date{Type: "expiration", Date: "2026-05-30", Quote: "shall expire on May 31, 2026"}, unverified},
		"elsewhere":        {prompts.Date{Type: "effective", Date: "2024-05-01", Quote: "This Agreement begins on June 1, 2024"}, unverified},
		"computed":         {prompts.Date{Type: "expiration", Date: "2027-05-31", Quote: "shall automatically renew for successive one-year terms"}, unverified},
		"unknown role":     {prompts.Date{Type: "birthday", Date: "2026-05-31", Quote: "shall expire on May 31, 2026"}, unverified},
		"day of a month":   {prompts.Date{Type: "other", Date: "2024-08-17", Quote: "recorded in August 2024"}, unverified},
		"no date":          {prompts.Date{Type: "expiration", Quote: "shall expire on May 31, 2026"}, unverified},
		"two dates":        {prompts.Date{Type: "expiration", Date: "2026-05-31 2024-06-01", Quote: "shall expire on May 31, 2026"}, unverified},
		"order is settled": {prompts.Date{Type: "other", Date: "2024-13-05", Quote: "04/05/2024"}, unverified},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := read(prompts.Extraction{Dates: []prompts.Date{tt.said}})
			dropped(t, len(f.Dates), f.Checks, tt.want)
		})
	}
}

func TestDatesThatCanBeReadTwoWays(t *testing.T) {
	for said, want := range map[string]string{"2024-04-05": "2024-04-05", "2024-05-04": "2024-05-04"} {
		_, f := readIn("The lamp broke on 04/05/2024.", prompts.Extraction{Dates: []prompts.Date{{Type: "other", Date: said, Quote: "broke on 04/05/2024"}}})
		if len(f.Dates) != 1 || f.Dates[0].Item.DateValue != want || f.Dates[0].Confidence > 0.5 {
			t.Errorf("%s: got %+v, want that reading with a confidence of at most 0.5", said, f.Dates)
		}
	}
	_, f := readIn("The lamp was made on 21/03/2022. It broke on 04/05/2022.", prompts.Extraction{Dates: []prompts.Date{{Type: "other", Date: "2022-04-05", Quote: "It broke on 04/05/2022."}}})
	dropped(t, len(f.Dates), f.Checks, unverified)
}

func TestValues(t *testing.T) {
	byRules := rules.NewAmounts(rulestest.Read(contract), rules.ReferenceRates()).Values()[0].Item.ContractValueLabel
	const retainer = "monthly retainer of $12,500.00"
	for name, tt := range map[string]struct {
		said  prompts.Amount
		label string
	}{
		"with a label of the text":      {prompts.Amount{Label: "monthly retainer", Amount: "12500.00", Currency: "USD", Quote: retainer}, "Monthly retainer"},
		"with the title of the section": {prompts.Amount{Label: "FEES", Amount: "12500", Currency: "usd", Quote: retainer}, "Fees"},
		"with a label of its own":       {prompts.Amount{Label: "kickback", Amount: "12,500", Currency: "USD", Quote: retainer}, ""},
		"with a huge label":             {prompts.Amount{Label: strings.Repeat("fees ", 1<<16), Amount: "12,500", Currency: "USD", Quote: retainer}, ""},
		"with a padded label":           {prompts.Amount{Label: padded("monthly retainer"), Amount: "12,500", Currency: "USD", Quote: retainer}, ""},
		"without a currency":            {prompts.Amount{Amount: "12500", Quote: retainer}, ""},
		"with digits alone":             {prompts.Amount{Label: "monthly retainer", Amount: "12500.00", Currency: "USD", Quote: "12,500.00"}, "Monthly retainer"},
	} {
		t.Run(name, func(t *testing.T) {
			d, f := read(prompts.Extraction{Values: []prompts.Amount{tt.said}})
			if len(f.Values) != 1 {
				t.Fatalf("got %+v and %+v, want one value", f.Values, f.Checks)
			}
			got := f.Values[0].Item
			if got.ContractValue != 12500 || got.Currency != "USD" || *got.ContractValueUSD != 12500 || d.Quote(f.Values[0].Span) != "$12,500.00" {
				t.Errorf("got %+v at %q, want 12500 USD", got, d.Quote(f.Values[0].Span))
			}
			if tt.label == "" {
				tt.label = byRules
			}
			if got.ContractValueLabel != tt.label {
				t.Errorf("got the label %q, want %q", got.ContractValueLabel, tt.label)
			}
		})
	}
	for name, said := range map[string]prompts.Amount{
		"wrong amount":    {Amount: "1250.00", Currency: "USD", Quote: retainer},
		"wrong currency":  {Amount: "12500.00", Currency: "EUR", Quote: retainer},
		"no amount":       {Currency: "USD", Quote: retainer},
		"two amounts":     {Amount: "12500 USD 40000", Currency: "USD", Quote: retainer},
		"part of it":      {Amount: "12.50", Currency: "USD", Quote: "retainer of $12,500.00"},
		"padded":          {Amount: padded("12500.00"), Currency: "USD", Quote: retainer},
		"padded currency": {Amount: "12500.00", Currency: padded("USD"), Quote: retainer},
		"exponent":        {Amount: "1e999999999", Currency: "USD", Quote: retainer},
		"huge":            {Amount: strings.Repeat("9", 1<<20), Currency: "USD", Quote: retainer},
		"unknown":         {Amount: "12500", Currency: strings.Repeat("USD", 1<<20), Quote: retainer},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := read(prompts.Extraction{Values: []prompts.Amount{said}})
			dropped(t, len(f.Values), f.Checks, unverified)
		})
	}
}

func TestPayments(t *testing.T) {
	_, f := read(prompts.Extraction{Payments: []prompts.Amount{
		{Label: "monthly retainer", Amount: "12500.00", Currency: "USD", Quote: "Client shall pay Consultant a monthly retainer of $12,500.00"},
		{Label: "travel", Quote: "Client shall reimburse travel expenses."},
	}})
	if len(f.Payments) != 2 {
		t.Fatalf("got %+v and %+v, want two payments", f.Payments, f.Checks)
	}
	p := f.Payments[0].Item
	if p.PaymentValue != "$12,500.00" || *p.PaymentValueNumber != 12500 || *p.PaymentCurrency != "USD" || *p.PaymentValueUSD != 12500 ||
		p.PaymentType != "recurring" || p.PaymentLabel != "Monthly retainer, within thirty (30) days after receipt of an invoice" {
		t.Errorf("got %+v, want the retainer with its due date", p)
	}
	if p = f.Payments[1].Item; p.PaymentValue != "Client shall reimburse travel expenses." || p.PaymentValueNumber != nil || p.PaymentCurrency != nil || p.PaymentType != "reimbursement" {
		t.Errorf("got %+v, want the text as the value", p)
	}
	for name, tt := range map[string]struct{ text, quote, amount string }{
		"wrong amount":    {contract, "completion bonus of $40,000", "4000"},
		"no payment":      {contract, "In no event shall either party be liable", ""},
		"denied":          {"The Client shall not pay a fee of $500.", "pay a fee of $500", "500"},
		"denied unpriced": {"The Client shall not be required to pay any fees.", "to pay any fees", ""},
		"not a payment":   {"The plant has a value of $500.", "a value of $500", "500"},
		"function words":  {contract, "of an", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := readIn(tt.text, prompts.Extraction{Payments: []prompts.Amount{{Amount: tt.amount, Currency: "USD", Quote: tt.quote}}})
			dropped(t, len(f.Payments), f.Checks, unverified)
		})
	}
}

func TestCurrencyOfTheDocument(t *testing.T) {
	const text = "All amounts are in Canadian dollars. The price is $500."
	for currency, want := range map[string]int{"CAD": 1, "": 1, "USD": 0} {
		_, f := readIn(text, prompts.Extraction{Values: []prompts.Amount{{Amount: "500", Currency: currency, Quote: "The price is $500."}}})
		if len(f.Values) != want || want == 1 && f.Values[0].Item.Currency != "CAD" {
			t.Errorf("%q: got %+v, want %d values in CAD", currency, f.Values, want)
		}
	}
}
