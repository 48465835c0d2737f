package amounts

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/shopspring/decimal"
)

// Rates are the exchange rates of one day. The zero value converts US dollars only.
type Rates struct {
	// Day is the day of the rates, as YYYY-MM-DD.
	Day string
	// Dollars maps an ISO 4217 currency code to the value of one unit of that currency in
	// US dollars.
	Dollars map[string]float64
}

// USD returns the value of an amount in US dollars, rounded to cents, or nil if the rate
// is not known.
func (r Rates) USD(amount decimal.Decimal, currency string) *float64 {
	rate, ok := r.Dollars[currency]
	if currency == "USD" {
		rate, ok = 1, true
	}
	if !ok {
		return nil
	}
	usd := amount.Mul(decimal.NewFromFloat(rate)).Round(2).InexactFloat64()
	return &usd
}

// Version changes with every rate. It contains the day.
func (r Rates) Version() string {
	sum := sha256.New()
	for _, currency := range slices.Sorted(maps.Keys(r.Dollars)) {
		_, _ = fmt.Fprintln(sum, currency, r.Dollars[currency])
	}
	return r.Day + "-" + hex.EncodeToString(sum.Sum(nil)[:4])
}

// because returns a reason, and the day of the rate that converted an amount.
func (r Rates) because(reason, currency string, usd *float64) string {
	if usd == nil || currency == "USD" {
		return reason
	}
	return reason + " Its value in US dollars uses the exchange rate of " + r.Day + "."
}

// ReferenceRates returns the euro foreign exchange reference rates of the European Central
// Bank of 24 July 2025, for operators that configure none.
func ReferenceRates() Rates {
	return fromEuro("2025-07-24", map[string]float64{
		"USD": 1.1756, "JPY": 172.22, "BGN": 1.9558, "CZK": 24.553, "DKK": 7.4643, "GBP": 0.8675, "HUF": 397.95,
		"PLN": 4.2553, "RON": 5.071, "SEK": 11.185, "CHF": 0.9341, "ISK": 142, "NOK": 11.8765, "TRY": 47.5853,
		"AUD": 1.7771, "BRL": 6.4923, "CAD": 1.6009, "CNY": 8.4142, "HKD": 9.2283, "IDR": 19154.8, "ILS": 3.9256,
		"INR": 101.563, "KRW": 1610.08, "MXN": 21.8211, "MYR": 4.9557, "NZD": 1.9427, "PHP": 66.61, "SGD": 1.5011,
		"THB": 37.937, "ZAR": 20.6866,
	})
}

// fromEuro returns the rates of a day on which one euro had the given values.
func fromEuro(day string, perEuro map[string]float64) Rates {
	r := Rates{Day: day, Dollars: map[string]float64{"EUR": perEuro["USD"]}}
	for currency, value := range perEuro {
		r.Dollars[currency] = perEuro["USD"] / value
	}
	return r
}

// ReadRates reads the rates of the newest day in a file of euro foreign exchange reference
// rates, as the European Central Bank publishes them: eurofxref.csv and eurofxref-hist.csv.
// Their first line names the currencies, and their second line has the newest day and the
// value of one euro in each of these currencies. USD must be one of them.
func ReadRates(path string) (Rates, error) {
	f, err := os.Open(path)
	if err != nil {
		return Rates{}, err
	}
	r, err := parseRates(io.LimitReader(f, maxRates))
	return r, cmp.Or(err, f.Close())
}

// maxRates is how many bytes of a file of rates are read. Two lines take less than 1 KiB.
const maxRates = 64 << 10

// parseRates reads the first two lines of a file of rates.
func parseRates(file io.Reader) (Rates, error) {
	lines := csv.NewReader(file)
	lines.TrimLeadingSpace, lines.FieldsPerRecord = true, -1
	names, err := lines.Read()
	if err == nil && (len(names) == 0 || !strings.EqualFold(strings.TrimPrefix(names[0], "\ufeff"), "Date")) {
		err = errors.New("the first line must begin with Date, followed by currencies")
	}
	if err != nil {
		return Rates{}, fmt.Errorf("no file of reference rates: %w", err)
	}
	values, err := lines.Read()
	if err != nil {
		return Rates{}, fmt.Errorf("no rates after the first line: %w", err)
	}
	day, err := dayOf(values[0])
	if err != nil {
		return Rates{}, err
	}
	perEuro, err := valuesOf(names[1:], values[1:])
	if err == nil && perEuro["USD"] == 0 {
		err = errors.New("the value of a euro in USD is missing")
	}
	if err != nil {
		return Rates{}, err
	}
	return fromEuro(day, perEuro), nil
}

// dayOf returns the day of rates as YYYY-MM-DD. The European Central Bank writes it like
// this in one file, and as 24 July 2025 in the other.
func dayOf(text string) (string, error) {
	for _, layout := range []string{time.DateOnly, "2 January 2006"} {
		if day, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return day.Format(time.DateOnly), nil
		}
	}
	return "", fmt.Errorf("%q is not a day such as 2025-07-24", text)
}

// currencyCode matches an ISO 4217 code.
var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// valuesOf returns the values of one euro by currency. Currencies without a value, "" or
// "N/A", are left out.
func valuesOf(names, values []string) (map[string]float64, error) {
	perEuro := map[string]float64{}
	for i, name := range names[:min(len(names), len(values))] {
		name, text := strings.TrimSpace(name), strings.TrimSpace(values[i])
		if text == "" || text == "N/A" {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if !currencyCode.MatchString(name) || err != nil || value <= 0 || math.IsInf(value, 0) {
			return nil, fmt.Errorf("%q is not the value of a euro in the currency %q", text, name)
		}
		perEuro[name] = value
	}
	return perEuro, nil
}
