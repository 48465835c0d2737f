package amounts_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestDenomination shows that the document determines what "$" and "¥" mean.
func TestDenomination(t *testing.T) {
	for text, want := range map[string]string{
		"The fee is $10,000 a year.": "USD",
		"The fee is $10,000 a year. All amounts in this Agreement are in Canadian dollars.":                                      "CAD",
		"The fee is $10,000 a year. All references to currency are to the lawful money of Canada.":                               "CAD",
		"The fee is $10,000 a year. References to \"$\" are to Australian dollars.":                                              "AUD",
		"The fee is $10,000 a year. Unless stated otherwise all prices are quoted in NZD.":                                       "NZD",
		"The fee is $10,000 a year. All sums are in the lawful money of the United States of America. The costs are CAD 5.":      "USD",
		"The fee is $10,000 a year. The deposit is HK$20,000.":                                                                   "HKD",
		"The fee is $10,000 a year. The deposit is HK$20,000, the bonus US$5,000.":                                               "USD",
		"The fee is $10,000 a year. The bonus is US$5,000. This Agreement is governed by the laws of Canada.":                    "USD",
		"The fee is $10,000 a year. This Agreement is governed by the laws of the Province of Ontario and those of Canada.":      "CAD",
		"The fee is $10,000 a year. This Agreement is governed by the laws of the State of Ohio. Birch is a company of Ontario.": "USD",
		"The fee is $10,000 a year. The Canadian dollar is not what it was.":                                                     "USD",
		"The fee is US$10,000 a year. All amounts are in Canadian dollars.":                                                      "USD",
		"The fee is $10,000 a year.\n\nGoverning Law\n\nProvince of Ontario":                                                     "CAD",
		"The fee is $10,000 a year.\n\n4. Fees (Australian dollars, without tax)\n\nThe bonus is $5.":                            "AUD",
		"Birch Pty Ltd pays a fee of $10,000 a year.":                                                                            "AUD",
		"The fee is $10,000 a year, with HST.":                                                                                   "CAD",
		"The fee is $10,000 a year. Rights under the Consumer Guarantees Act 1993 remain.":                                       "NZD",
		"Birch Pte. Ltd. pays a fee of $10,000 a year.":                                                                          "SGD",
		"Birch Pty Ltd pays Elm Pte Ltd a fee of $10,000 a year.":                                                                "USD",
		"Birch Pty Ltd pays a fee of $10,000 a year. The laws of Texas govern this Agreement.":                                   "USD",
		"The fee is ¥10,000 a year.":                                                 "JPY",
		"The fee is ¥10,000 a year, which is paid in Renminbi.":                      "CNY",
		"The fee is ¥10,000 a year. It is governed by the laws of the PRC.":          "CNY",
		"The fee is ¥10,000 (Japanese yen) a year. The seat of Birch is in the PRC.": "JPY",
	} {
		d := rulestest.Read(text + "\n")
		got := amounts.Values(d, amounts.Rates{})
		if len(got) == 0 || got[0].Item.Currency != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
}

// TestPounds shows that pounds are no money in a document that weighs in pounds.
func TestPounds(t *testing.T) {
	for text, want := range map[string]int{
		"Oak shall buy 4,000 pounds of feed at $3 per pound.":           1,
		"Oak shall buy boxes for 4,000 pounds.":                         1,
		"Oak shall pay 4,000 pounds sterling, or £3 per pound of feed.": 2,
	} {
		if got := amounts.Values(rulestest.Read(text+"\n"), amounts.Rates{}); len(got) != want {
			t.Errorf("%q: got %+v, want %d amounts", text, got, want)
		}
	}
}
