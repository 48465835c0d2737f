package amounts

import "github.com/shopspring/decimal"

// Rates maps an ISO 4217 currency code to the value of one unit of that currency in US
// dollars.
type Rates map[string]float64

// USD returns the value of an amount in US dollars, rounded to cents, or nil if the rate
// is not known.
func (r Rates) USD(amount decimal.Decimal, currency string) *float64 {
	rate, ok := r[currency]
	if currency == "USD" {
		rate, ok = 1, true
	}
	if !ok {
		return nil
	}
	usd := amount.Mul(decimal.NewFromFloat(rate)).Round(2).InexactFloat64()
	return &usd
}

// ReferenceRates returns the euro foreign exchange reference rates of the European
// Central Bank of 24 July 2025, converted to US dollars. They are fixed, so that the same
// document always gets the same answer. To use the rates of another day, pass your own
// Rates to Values.
func ReferenceRates() Rates {
	const dollars = 1.1756
	perEuro := map[string]float64{
		"USD": dollars, "JPY": 172.22, "BGN": 1.9558, "CZK": 24.553, "DKK": 7.4643, "GBP": 0.8675, "HUF": 397.95,
		"PLN": 4.2553, "RON": 5.071, "SEK": 11.185, "CHF": 0.9341, "ISK": 142, "NOK": 11.8765, "TRY": 47.5853,
		"AUD": 1.7771, "BRL": 6.4923, "CAD": 1.6009, "CNY": 8.4142, "HKD": 9.2283, "IDR": 19154.8, "ILS": 3.9256,
		"INR": 101.563, "KRW": 1610.08, "MXN": 21.8211, "MYR": 4.9557, "NZD": 1.9427, "PHP": 66.61, "SGD": 1.5011,
		"THB": 37.937, "ZAR": 20.6866,
	}
	rates := Rates{"EUR": dollars}
	for currency, rate := range perEuro {
		rates[currency] = dollars / rate
	}
	rates["USD"] = 1
	return rates
}
