package bills_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions/bills"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestTotal reads what is to be paid from lines of invoices and orders.
func TestTotal(t *testing.T) {
	for _, c := range []struct{ text, total string }{
		{"Net amount   £3,600.00\nVAT 20%   £720.00\nAmount due   £4,320.00", "£4,320.00"},
		{"Subtotal: 100.00\nTotal: 120.00 EUR", "120.00 EUR"},
		{"Total $ 500.00\nPaid $ 200.00\nBalance due $ 300.00", "$ 300.00"},
		{"Total (incl. VAT)  CHF 1'210.00", "CHF 1'210.00"},
		{"Total: £10.00\nOther lot\nTotal: £12.00", ""},
		{"The total amount due is £4,320.00.", ""},
		{"Total: see below", ""},
	} {
		if e, _ := bills.Total(rulestest.Read(c.text)); e.Value != c.total {
			t.Errorf("%q: got the total %q, want %q", c.text, e.Value, c.total)
		}
	}
	if e, _ := bills.Total(rulestest.Pairs("Subtotal", "80.00", "Total due", "96.00")); e.Value != "96.00" {
		t.Errorf("table: got the total %q", e.Value)
	}
}

// TestDueDate reads when an invoice is to be paid from its lines.
func TestDueDate(t *testing.T) {
	for _, c := range []struct{ text, due string }{
		{"Invoice date: 30 May 2025\nDue date: 29 June 2025", "29 June 2025"},
		{"Payment due   1 March 2024", "1 March 2024"},
		{"Pay by: 3 May 2025\nDue date: 4 May 2025", ""},
		{"Due date: on receipt", ""},
	} {
		if e, _ := bills.DueDate(rulestest.Read(c.text)); e.Value != c.due {
			t.Errorf("%q: got %q, want %q", c.text, e.Value, c.due)
		}
	}
}
