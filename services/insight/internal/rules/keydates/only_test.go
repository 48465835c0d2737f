package keydates_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestOnlyPeriod shows that the only period between two days in a contract is that of the contract, unless
// it is a period of something else, or the contract says otherwise when it begins or ends.
func TestOnlyPeriod(t *testing.T) {
	for text, want := range map[string][2]string{
		"The Locum will practise at the clinic from 5 August 2025 to 19 December 2025, Monday to Thursday.":               {"2025-08-05", "2025-12-19"},
		"The Home Firm lends Mr. Alder to the Host from 1 September 2025 until 31 May 2026.":                              {"2025-09-01", "2026-05-31"},
		"The stay covers the weeks from Monday 1 September up to and including Friday 28 November 2025.":                  {"2025-09-01", "2025-11-28"},
		"Elm looks after the horses from December 20 to January 6, 2026.":                                                 {"2025-12-20", "2026-01-06"},
		"Booked:   12 June 2025 – 15 June 2025":                                                                           {"2025-06-12", "2025-06-15"},
		"Elm looks after the horses from 1 May 2025 to 9 May 2025.\n\nIt feeds them from 1 May 2025 to 9 May 2025.":       {"2025-05-01", "2025-05-09"},
		"Elm looks after the horses from 1 May 2025 to 9 May 2025.\n\nIt feeds the cows from 1 June 2025 to 9 June 2025.": {"", ""},
		"Elm pays interest of 2% from 1 May 2025 to 9 May 2025.":                                                          {"", ""},
		"The horses were sold from 9 May 2025 to 1 May 2025.":                                                             {"", ""},
		"The horses came on 1 May 2025, and the cows on 9 May 2025.":                                                      {"", ""},
		"Elm looks after the horses from Tuesday 31 to 2 May 2025.":                                                       {"", ""},
	} {
		got := map[string]string{}
		for _, f := range keydates.Find(rulestest.Read("The lamps are red, and they stand in the hall of the house.\n\n" + text + "\n")) {
			got[f.Item.DateType] = f.Item.DateValue
		}
		if got := [2]string{got[insightapi.DateEffective], got[insightapi.DateExpiration]}; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
