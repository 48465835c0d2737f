package insight

import (
	"fmt"

	"github.com/rectohq/recto/services/insight/internal/rules"
)

// RatesConfig says which exchange rates convert amounts to US dollars.
type RatesConfig struct {
	File string `env:"INSIGHT_EXCHANGE_RATES" desc:"file of euro reference rates as published by the European Central Bank, eurofxref.csv or eurofxref-hist.csv; its latest day is read at startup. If not set, the rates of 24 July 2025"`
}

// read returns the configured rates.
func (c RatesConfig) read() (rules.Rates, error) {
	if c.File == "" {
		return rules.ReferenceRates(), nil
	}
	rates, err := rules.ReadRates(c.File)
	if err != nil {
		return rules.Rates{}, fmt.Errorf("INSIGHT_EXCHANGE_RATES: cannot read rates from %s: %w. Use a file such as https://www.ecb.europa.eu/stats/eurofxref/eurofxref.zip contains", c.File, err)
	}
	return rates, nil
}
