package amounts_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
)

// write writes a file of rates and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "eurofxref.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadRates shows that the newest day of both files of the European Central Bank is
// read.
func TestReadRates(t *testing.T) {
	for name, text := range map[string]string{
		"one day":        "Date, USD, JPY, ISK, \n02 March 2026, 1.25, 160, N/A, \n",
		"history":        "Date,USD,JPY,ISK,\n2026-03-02,1.25,160,,\n2026-02-27,1.5,170,140,\n",
		"byte order":     "\ufeffDate,USD,JPY\r\n2026-03-02,1.25,160\r\n",
		"one line":       "Date,USD,JPY\n2026-03-02,1.25,160",
		"a long history": "Date,USD,JPY\n2026-03-02,1.25,160\n" + strings.Repeat("2026-02-27,1.5,170\n", 10_000),
	} {
		r, err := amounts.ReadRates(write(t, text))
		if err != nil || r.Day != "2026-03-02" || len(r.Dollars) != 3 || r.Dollars["EUR"] != 1.25 || r.Dollars["USD"] != 1 || math.Abs(r.Dollars["JPY"]-1.25/160) > 1e-12 {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
		if usd := r.USD(decimal.NewFromInt(320), "JPY"); usd == nil || *usd != 2.5 {
			t.Errorf("%s: 320 yen are %v dollars", name, usd)
		}
		if usd := r.USD(decimal.NewFromInt(320), "ISK"); usd != nil {
			t.Errorf("%s: crowns without a rate are %v dollars", name, *usd)
		}
	}
}

// TestReadRatesErrors shows that a wrong file is refused with the reason.
func TestReadRatesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "no file of reference rates",
		"USD,JPY\n1.25,160\n":             "must begin with Date",
		"Date,USD\n":                      "no rates after the first line",
		"Date,USD\nyesterday,1.25\n":      "\"yesterday\" is not a day such as 2025-07-24",
		"Date,JPY\n2026-03-02,160\n":      "USD is missing",
		"Date,USD\n2026-03-02,many\n":     "\"many\" is not the value of a euro in the currency \"USD\"",
		"Date,USD\n2026-03-02,-1\n":       "\"-1\" is not the value",
		"Date,USD\n2026-03-02,Inf\n":      "\"Inf\" is not the value",
		"Date,USD,dollar\n2026-03-02,1,1": "in the currency \"dollar\"",
		"Date,\"USD\n2026-03-02,1\n":      "no file of reference rates",
	} {
		if r, err := amounts.ReadRates(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v, want %s", text, r, err, want)
		}
	}
	if _, err := amounts.ReadRates(filepath.Join(t.TempDir(), "none.csv")); err == nil {
		t.Error("a file that does not exist: got no error")
	}
}
