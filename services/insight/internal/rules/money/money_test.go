package money_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/rules/money"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text, written string
		value         float64
		currency      string
	}{
		{"pay $1,000,000.", "$1,000,000", 1e6, "USD"},
		{"pay $ 1,250.50 now", "$ 1,250.50", 1250.5, "USD"},
		{"US$5 million fee", "US$5 million", 5e6, "USD"},
		{"(US $300)", "US $300", 300, "USD"},
		{"EUR 300", "EUR 300", 300, "EUR"},
		{"300 EUR", "300 EUR", 300, "EUR"},
		{"€ 2,5", "€ 2,5", 2.5, "EUR"},
		{"£20k", "£20k", 20000, "GBP"},
		{"¥1,000", "¥1,000", 1000, "JPY"},
		{"C$75", "C$75", 75, "CAD"},
		{"CAD 75", "CAD 75", 75, "CAD"},
		{"NTD 1.2 million", "NTD 1.2 million", 1.2e6, "TWD"},
		{"500 NTD", "500 NTD", 500, "TWD"},
		{"500 NIS", "500 NIS", 500, "ILS"},
		{"= $.305/per policy", "$.305", 0.305, "USD"},
		{"US$.05 a page", "US$.05", 0.05, "USD"},
		{"Section 2.05", "", 0, ""},
		{"at 85 Sterling Crescent, Burlington", "", 0, ""},
		{"pay 85 Sterling on demand", "85 Sterling", 85, "GBP"},
		{"a rate per 100 pounds of cargo", "", 0, ""},
		{"a fee of 100 pounds", "100 pounds", 100, "GBP"},
		{"$75 CAD", "$75 CAD", 75, "CAD"},
		{"5,000 dollars", "5,000 dollars", 5000, "USD"},
		{"5,000 Canadian dollars", "5,000 Canadian dollars", 5000, "CAD"},
		{"2 million U.S. Dollars", "2 million U.S. Dollars", 2e6, "USD"},
		{"of One Million Dollars ($1,000,000) to", "One Million Dollars ($1,000,000", 1e6, "USD"},
		{"of Ten Thousand Dollars to", "Ten Thousand Dollars", 10000, "USD"},
		{"two hundred and fifty thousand US dollars (US$250,000)", "two hundred and fifty thousand US dollars (US$250,000", 250000, "USD"},
	} {
		got := money.Find(c.text, 10)
		switch {
		case c.written == "" && len(got) == 0:
		case len(got) != 1 || c.text[got[0].Start:got[0].End] != c.written || got[0].Value.InexactFloat64() != c.value || got[0].Currency != c.currency:
			t.Errorf("%q: got %+v, want %q: %v %s", c.text, got, c.written, c.value, c.currency)
		}
	}
	for _, text := range []string{"", "$", "section 5", "1.2.3 dollars", "5 million", "USD", "many dollars", "the 300 men", "5 m"} {
		if got := money.Find(text, 10); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

// TestFindForeign covers notations from around the world.
func TestFindForeign(t *testing.T) {
	for _, c := range []struct {
		text, written string
		value         float64
		currency      string
	}{
		{"a fee of € 350.000 a year", "€ 350.000", 350000, "EUR"},
		{"pay EUR 10.000,- now", "EUR 10.000,-", 10000, "EUR"},
		{"CZK 500.000.", "CZK 500.000", 500000, "CZK"},
		{"CHF 45'000.-- net", "CHF 45'000.--", 45000, "CHF"},
		{"CHF 45’000.50", "CHF 45’000.50", 45000.5, "CHF"},
		{"Fr. 1'200", "Fr. 1'200", 1200, "CHF"},
		{"SEK 250 000 and", "SEK 250 000", 250000, "SEK"},
		{"ZAR 15 000", "ZAR 15 000", 15000, "ZAR"},
		{"PLN 12 345,67", "PLN 12 345,67", 12345.67, "PLN"},
		{"1\u202f250\u00a0000,50 €", "1\u202f250\u00a0000,50 €", 1250000.5, "EUR"},
		{"EUR 78.000,00", "EUR 78.000,00", 78000, "EUR"},
		{"1.250.000,50 €", "1.250.000,50 €", 1250000.5, "EUR"},
		{"€ 1,250,000.50", "€ 1,250,000.50", 1250000.5, "EUR"},
		{"Rs. 12,50,000/- only", "Rs. 12,50,000/-", 1250000, "INR"},
		{"INR 1,87,500", "INR 1,87,500", 187500, "INR"},
		{"₹ 5 lakh", "₹ 5 lakh", 500000, "INR"},
		{"Rs 2.5 crore to", "Rs 2.5 crore", 2.5e7, "INR"},
		{"€1.5 Mio. are", "€1.5 Mio.", 1.5e6, "EUR"},
		{"EUR 2,5 Mrd.", "EUR 2,5 Mrd.", 2.5e9, "EUR"},
		{"€1.125 million", "€1.125 million", 1.125e6, "EUR"},
		{"MXN $18,000", "MXN $18,000", 18000, "MXN"},
		{"COP$ 2.500.000", "COP$ 2.500.000", 2.5e6, "COP"},
		{"R$ 35,50", "R$ 35,50", 35.5, "BRL"},
		{"R2,500,000 for", "R2,500,000", 2.5e6, "ZAR"},
		{"NOK 1.000.000", "NOK 1.000.000", 1e6, "NOK"},
		{"AED 75,000", "AED 75,000", 75000, "AED"},
		{"SAR 1,000", "SAR 1,000", 1000, "SAR"},
		{"KES 10,000", "KES 10,000", 10000, "KES"},
		{"GHS 300", "GHS 300", 300, "GHS"},
		{"NIS 4,000", "NIS 4,000", 4000, "ILS"},
		{"RM 5,000", "RM 5,000", 5000, "MYR"},
		{"Rp 500.000.000", "Rp 500.000.000", 5e8, "IDR"},
		{"₱1,500 ₦x", "₱1,500", 1500, "PHP"},
		{"₦2,000", "₦2,000", 2000, "NGN"},
		{"500 ₽", "500 ₽", 500, "RUB"},
		{"KWD 1.250", "KWD 1.250", 1.25, "KWD"},
		{"US Dollars 92.50 each", "US Dollars 92.50", 92.5, "USD"},
		{"USD Fifty Thousand only", "USD Fifty Thousand", 50000, "USD"},
		{"10,000 (ten thousand) Euro to", "10,000 (ten thousand) Euro", 10000, "EUR"},
		{"Fifty Thousand and 00/100 Dollars", "Fifty Thousand and 00/100 Dollars", 50000, "USD"},
		{"Fifty and 25/100 Dollars", "Fifty and 25/100 Dollars", 50.25, "USD"},
		{"Ten Thousand and No/100 Dollars ($10,000.00)", "Ten Thousand and No/100 Dollars ($10,000.00", 10000, "USD"},
		{"Forty Thousand Canadian Dollars", "Forty Thousand Canadian Dollars", 40000, "CAD"},
		{"$1.125 per share", "$1.125", 1.125, "USD"},
		{"$250 000 in all", "$250 000", 250000, "USD"},
		{"the $5,000 fee", "$5,000", 5000, "USD"},
		{"ALL $5,000", "$5,000", 5000, "USD"},
		{"$12,500 (the fee)", "$12,500", 12500, "USD"},
		{"A $220,000 loan", "$220,000", 220000, "USD"},
		{"R9 million a year", "R9 million", 9e6, "ZAR"},
		{"R2 500,00 per month", "R2 500,00", 2500, "ZAR"},
		{"at 16.2 pence per unit", "16.2 pence", 0.162, "GBP"},
		{"at 45p per mile", "45p", 0.45, "GBP"},
		{"88 cents per kilometre", "88 cents", 0.88, "USD"},
		{"S/ 1.500,00", "S/ 1.500,00", 1500, "PEN"},
		{"1.2 300 USD", "300 USD", 300, "USD"},
		{"pay USD\u00a0500 now", "USD\u00a0500", 500, "USD"},
		{"pay $\u00a0500 now", "$\u00a0500", 500, "USD"},
		{"pay €\u202f1.250,50 now", "€\u202f1.250,50", 1250.5, "EUR"},
		{"pay 500\u00a0EUR now", "500\u00a0EUR", 500, "EUR"},
		{"pay 5\u00a0000\u00a0EUR now", "5\u00a0000\u00a0EUR", 5000, "EUR"},
		{"pay US$\u00a05\u00a0million now", "US$\u00a05\u00a0million", 5e6, "USD"},
		{"pay Ten\u00a0Thousand\u00a0Dollars now", "Ten\u00a0Thousand\u00a0Dollars", 10000, "USD"},
		{"pay USD\u00a0Fifty\u00a0Thousand now", "USD\u00a0Fifty\u00a0Thousand", 50000, "USD"},
	} {
		got := money.Find(c.text, 10)
		if len(got) == 0 || c.text[got[0].Start:got[0].End] != c.written || got[0].Value.InexactFloat64() != c.value || got[0].Currency != c.currency {
			t.Errorf("%q: got %+v, want %q: %v %s", c.text, got, c.written, c.value, c.currency)
		}
	}
	for _, text := range []string{
		"EUR 1.2.3", "€ 12,34,5", "Article 4.250", "on 05/06/2024 USD", "1/2 dollars", "see 45p and 46p", "in 720p, for all", "ALL 500 SHARES", "TOP 10", "I TRY 5 TIMES", "Exhibit R 5",
		"payable in US Dollars\n5. Term", "5 ALL", "No/100", "FORM 10", "and 50/100 of it", "port S/2 of it", "Libor for US Dollars one month", "EXT. CAD\n01 BOX", "5 per cent",
	} {
		if got := money.Find(text, 10); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

// TestRanges shows that a range is two amounts, and that a scale after it can apply to
// both.
func TestRanges(t *testing.T) {
	for text, want := range map[string][2]float64{
		"$10-15 million":            {1e7, 1.5e7},
		"EUR 2 to 3 million":        {2e6, 3e6},
		"$500 to $1 million":        {500, 1e6},
		"$0.5 million – $1 million": {5e5, 1e6},
	} {
		got := money.Find(text, 10)
		if len(got) != 2 || got[0].Value.InexactFloat64() != want[0] || got[1].Value.InexactFloat64() != want[1] {
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}

// TestScalesAreExact shows that a scale multiplies the decimal number. In floating point,
// 2.01 million would be 2009999.9999999998.
func TestScalesAreExact(t *testing.T) {
	for text, want := range map[string][]float64{
		"$2.01 million": {2010000}, "EUR 2.03 million": {2030000}, "$1.07 billion": {1070000000}, "Rs. 0.14 crore": {1400000}, "Rs. 0.07 lakh": {7000},
		"$2.01 thousand": {2010}, "$0.27 trillion": {270000000000}, "$1.01-2.01 million": {1010000, 2010000}, "$0.00125 per unit": {0.00125},
	} {
		var got []float64
		for _, a := range money.Find(text, 10) {
			got = append(got, a.Value.InexactFloat64())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestRepeated shows that an amount repeated in words is found once.
func TestRepeated(t *testing.T) {
	if got := money.Find("a fee of RMB500 (RMB FIVE HUNDRED), and RMB 500 (five hundred yuan)", 10); len(got) != 2 {
		t.Errorf("got %+v, want 2", got)
	}
}

// TestShared shows which signs and names are recognized as shared by several currencies.
func TestShared(t *testing.T) {
	for text, want := range map[string]bool{
		"$5": true, "5 dollars": true, "¥5": true, "five dollars": true, "US$5": false, "$5 CAD": false, "5 US dollars": false, "€5": false, "CN¥5": false,
	} {
		if got := money.Find(text, 1); len(got) != 1 || got[0].Shared != want {
			t.Errorf("%q: got %+v, want shared %v", text, got, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"One Million Dollars ($1,000,000)", "€5 million", "300 EUR", "\xff$1", "PLN 12 345,67", "Rs. 12,50,000/-", "$10-15 million", "Fifty and 25/100 Dollars", "USD Fifty Thousand", "1\u202f250 €"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, a := range money.Find(text, 1000) {
			if a.Start < end || a.End <= a.Start || a.End > len(text) || a.Value.IsNegative() {
				t.Fatalf("%+v is negative, empty, out of range or overlaps the amount that ends at %d", a, end)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[a.Start:a.End]) {
				t.Fatalf("%+v splits a character", a)
			}
			end = a.End
		}
	})
}
