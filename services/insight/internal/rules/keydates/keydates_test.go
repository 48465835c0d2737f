package keydates_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// TestOrderOfDates shows that one date with a clear order of day and month settles it for
// the whole document.
func TestOrderOfDates(t *testing.T) {
	for text, want := range map[string]string{
		"The lamp was made on 21/03/2022. It broke on 04/05/2022.":                                                     "2022-05-04",
		"The lamp was made on 03/21/2022. It broke on 04/05/2022.":                                                     "2022-04-05",
		"The lamp was made on 2 March 2022. It broke on 04/05/2022.":                                                   "2022-05-04",
		"The lamp was made on March 2, 2022. It broke on 04/05/2022.":                                                  "2022-04-05",
		"The 2nd day of March, 2022 was wet. It broke on 04/05/2022.":                                                  "2022-04-05",
		"This Agreement shall be governed by the laws of France. It broke on 04/05/2022.":                              "2022-05-04",
		"This Agreement shall be governed by the laws of the State of Ohio. It cost €5. It broke on 04/05/2022.":       "2022-04-05",
		"This Agreement shall be governed by the laws of the Province of Ontario. It cost £5. It broke on 04/05/2022.": "2022-05-04",
		"The lamp costs £12 with VAT. It broke on 04/05/2022.":                                                         "2022-05-04",
		"The lamp costs $12. It broke on 04/05/2022.":                                                                  "2022-04-05",
		"The lamp was made on March 2, 2022. It broke on 04-05-2022.":                                                  "2022-04-05",
		"It broke on 04-05-2022.": "2022-05-04",
		"It broke on 04/05/2022.": "2022-04-05",
	} {
		got := keydates.Find(rulestest.Read(text + "\n"))
		if len(got) == 0 || got[len(got)-1].Item.DateValue != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
			continue
		}
		open := text == "It broke on 04/05/2022."
		if sure := got[len(got)-1].Confidence; open != (sure <= 0.5) {
			t.Errorf("%q: got the confidence %v", text, sure)
		}
	}
}

// TestNamesOfDates shows that a name right before a date determines its role.
func TestNamesOfDates(t *testing.T) {
	for text, want := range map[string][2]string{
		"Delivery Date: 3 June 2021":               {insightapi.DateOther, "Delivery date"},
		"Invoice Date: 3 June 2021":                {insightapi.DateOther, "Invoice date"},
		"Last Updated: 3 June 2021":                {insightapi.DateOther, "Last updated"},
		"The Closing Date is 3 June 2021.":         {insightapi.DateOther, "Closing date"},
		"Due Date: 3 June 2021":                    {insightapi.DatePayment, "Due date"},
		"Maturity Date: 3 June 2021":               {insightapi.DateExpiration, "Maturity date"},
		"End Date: 3 June 2021":                    {insightapi.DateExpiration, "End date"},
		"Contract Date: 3 June 2021":               {insightapi.DateExecution, "Contract date"},
		"Order Date: 3 June 2021":                  {insightapi.DateExecution, "Order date"},
		"Date: 3 June 2021":                        {insightapi.DateExecution, "Date of the agreement"},
		"Dated 3 June 2021":                        {insightapi.DateExecution, "Date of the agreement"},
		"Commencement Date: 3 June 2021":           {insightapi.DateEffective, "Start date"},
		"The Effective Date is 3 June 2021.":       {insightapi.DateEffective, "Effective date"},
		"This Agreement is made on 3 June 2021.":   {insightapi.DateExecution, "Date of the agreement"},
		"Lamps of the date 3 June 2021 are green.": {insightapi.DateExecution, "Date of the agreement"},
	} {
		got := keydates.Find(rulestest.Read("The lamps are red, and they stand in the hall of the house.\n\n" + text + "\n"))
		if len(got) == 0 || got[0].Item.DateType != want[0] || got[0].Item.DateLabel != want[1] {
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}

// TestBeginningsAndEnds shows that the start and end of the contract are not confused
// with those of other things.
func TestBeginningsAndEnds(t *testing.T) {
	for text, want := range map[string][]string{
		"This Agreement is valid from 3 June 2021 to 2 June 2024.":                          {"effective 2021-06-03", "expiration 2024-06-02"},
		"The term of this Lease runs from 3 June 2021 until 2 June 2024.":                   {"effective 2021-06-03", "expiration 2024-06-02"},
		"The contract enters into force on 3 June 2021.":                                    {"effective 2021-06-03"},
		"The term of this Agreement is five (5) years commencing on 3 June 2021.":           {"effective 2021-06-03", "expiration 2026-06-03"},
		"This Agreement commences on 3 June 2021 and continues for a period of six months.": {"effective 2021-06-03", "expiration 2021-12-03"},
		"The train runs 40 miles, and on 3 June 2021 to the sea.":                           {},
		"My commission expires on 3 June 2021.":                                             {},
		"The insurance policy of the carrier expires on 3 June 2021.":                       {},
		"The financial year ending 3 June 2021 was wet.":                                    {},
		"The term of this Agreement is one (1) month commencing on 31 January 2023.":        {"effective 2023-01-31", "expiration 2023-02-28"},
		"The term of this Agreement is one (1) year commencing on 29 February 2024.":        {"effective 2024-02-29", "expiration 2025-02-28"},
		"The term of this Agreement is four (4) years commencing on 29 February 2024.":      {"effective 2024-02-29", "expiration 2028-02-29"},
		"A warranty of two years commencing on 3 June 2021 is given for each lamp.":         {"effective 2021-06-03"},
		"Either side may end this by notice given before 3 June 2021.":                      {},
	} {
		var got []string
		for _, f := range keydates.Find(rulestest.Read("The parties have met several times.\n\n" + text + "\n")) {
			if k := f.Item.DateType; k == insightapi.DateEffective || k == insightapi.DateExpiration {
				got = append(got, k+" "+f.Item.DateValue)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestKindsOfDates(t *testing.T) {
	for text, want := range map[string]string{
		"The Contract shall expire on June 30, 2024 unless renewed.":              insightapi.DateExpiration,
		"This Agreement takes effect on June 30, 2024.":                           insightapi.DateEffective,
		"The first instalment shall be paid by Tenant on June 30, 2024.":          insightapi.DatePayment,
		"The option to extend shall be exercised before June 30, 2024.":           insightapi.DateRenewal,
		"The notice that Landlord gave on June 30, 2024 stands.":                  insightapi.DateNotice,
		"The company was incorporated in Ohio on June 30, 2024.":                  insightapi.DateOther,
		"It belongs to that certain Supply Agreement dated June 30, 2024.":        insightapi.DateOther,
		"In witness whereof, the parties have executed this deed, June 30, 2024.": insightapi.DateExecution,
	} {
		got := keydates.Find(rulestest.Read(text + "\n"))
		if len(got) == 0 || got[0].Item.DateType != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
}

func TestPartialDate(t *testing.T) {
	got := keydates.Find(rulestest.Read("This Agreement is made in May 2019 by the parties.\n"))
	if len(got) == 0 || got[0].Item.DateValue != "May 2019" || got[0].Item.DateEpochMS != nil {
		t.Errorf("got %+v, want May 2019 without an epoch", got)
	}
}

func TestLabelsOfDates(t *testing.T) {
	for name, d := range map[string]*structure.Document{
		"cells": rulestest.Pairs("Effective Date", "February 1, 2024", "Expiration Date", "January 31, 2026"),
		"lines": rulestest.Read("ORDER FORM\n\nEffective Date\n\nFebruary 1, 2024\n\nExpiration Date\n\nJanuary 31, 2026\n"),
	} {
		got := map[string]string{}
		for _, f := range keydates.Find(d) {
			got[f.Item.DateType] = f.Item.DateValue
		}
		if got["effective"] != "2024-02-01" || got["expiration"] != "2026-01-31" {
			t.Errorf("%s: got %v", name, got)
		}
	}
	for _, f := range keydates.Find(rulestest.Read("TERMS\n\nThe seller delivers at the expiration date that the order form gives for it.\n\nJanuary 31, 2026\n")) {
		if f.Item.DateType == "expiration" {
			t.Error("the sentence was taken for a label of the date below it")
		}
	}
}
