package keydates_test

import (
	"slices"
	"strings"
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
		"The lamp was made on March 2, 2022. It cost £12. It broke on 04/05/2022.":                                     "2022-05-04",
		"The 2nd day of March 2022 was wet. It cost Rs. 500. It broke on 04-05-2022.":                                  "2022-05-04",
		"Elm lives at 12 Oak Grove, Leeds LS1 4AB. It broke on 04/05/2022.":                                            "2022-05-04",
		"Elm lives at 12 Oak Grove, Dayton, OH 45402. It broke on 04-05-2022.":                                         "2022-04-05",
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
		"This Agreement is valid from 3 June 2021 to 2 June 2024.":                                                   {"effective 2021-06-03", "expiration 2024-06-02"},
		"The term of this Lease runs from 3 June 2021 until 2 June 2024.":                                            {"effective 2021-06-03", "expiration 2024-06-02"},
		"The contract enters into force on 3 June 2021.":                                                             {"effective 2021-06-03"},
		"The term of this Agreement is five (5) years commencing on 3 June 2021.":                                    {"effective 2021-06-03", "expiration 2026-06-03"},
		"This Agreement commences on 3 June 2021 and continues for a period of six months.":                          {"effective 2021-06-03", "expiration 2021-12-03"},
		"The train runs 40 miles, and on 3 June 2021 to the sea.":                                                    {},
		"My commission expires on 3 June 2021.":                                                                      {},
		"The insurance policy of the carrier expires on 3 June 2021.":                                                {},
		"The financial year ending 3 June 2021 was wet.":                                                             {},
		"The term of this Agreement is one (1) month commencing on 31 January 2023.":                                 {"effective 2023-01-31", "expiration 2023-02-28"},
		"The term of this Agreement is one (1) year commencing on 29 February 2024.":                                 {"effective 2024-02-29", "expiration 2025-02-28"},
		"The term of this Agreement is four (4) years commencing on 29 February 2024.":                               {"effective 2024-02-29", "expiration 2028-02-29"},
		"A warranty of two years commencing on 3 June 2021 is given for each lamp.":                                  {"effective 2021-06-03"},
		"Either side may end this by notice given before 3 June 2021.":                                               {},
		"This Agreement may be terminated at any time after 3 June 2021.":                                            {},
		"TERM: 3 June 2021 to 2 June 2024":                                                                           {"effective 2021-06-03", "expiration 2024-06-02"},
		"The Agreement shall continue for a term of three (3) years expiring 3 June 2021.":                           {"expiration 2021-06-03"},
		"It shall be effective on 3 June 2021 and shall have a duration of two years.":                               {"effective 2021-06-03", "expiration 2023-06-03"},
		"This Agreement takes effect on 3 June 2021 and continues for two years thereafter from the effective date.": {"effective 2021-06-03", "expiration 2023-06-03"},
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

// TestEndOfTerm shows which sentences give the end of a contract whose beginning is known.
func TestEndOfTerm(t *testing.T) {
	for text, want := range map[string]string{
		"This Agreement shall continue for two years from the Effective Date.":                        "2025-01-31",
		"The term of this Agreement is one (1) month from the date hereof.":                           "2023-02-28",
		"The term will begin on the Effective Date and end on the second (2nd) anniversary thereof.":  "",
		"The term shall end on the second (2nd) anniversary of the Effective Date.":                   "2025-01-31",
		"This Agreement continues until the five-year anniversary of the date of this Agreement.":     "2028-01-31",
		"This Agreement continues until the 10th anniversary of the Commencement Date.":               "2033-01-31",
		"This Agreement continues until the fifth anniversary of the first sale.":                     "",
		"This Agreement continues until the 0th anniversary of the Effective Date.":                   "",
		"This Agreement continues until the several anniversary of the Effective Date.":               "",
		"Elm may sell lamps until the fifth anniversary of the Effective Date.":                       "",
		"The initial term is ten years following the first sale of a lamp.":                           "",
		"The initial term of this Agreement is the later of ten years and the end of the last order":  "",
		"This Agreement shall continue for 101 years from the Effective Date.":                        "",
		"During this Agreement and for a period of two years from the Effective Date, Elm stays.":     "",
		"So long as this Agreement is in effect and for one year from the date hereof, Elm stays.":    "",
		"The effective term is 12 months beginning 1 March 2023 and ending 28 February 2024.":         "2024-02-28",
		"\"Contract Period\" means the period that ends concluding 28 February 2024.":                 "2024-02-28",
		"The term of the Agreement will be for 12 months unless terminated sooner.":                   "2024-01-31",
		"This Agreement shall commence on the Commencement Date and continue for a year or one year.": "2024-01-31",
		"This Agreement shall be firm in its price for two years from the Effective Date.":            "",
		"The previous agreement of the parties expired on 3 June 2021.":                               "",
		"After the initial term it shall be automatically renewed for successive two-year periods.":   "",
		"The initial term shall be two years after the end of this Agreement.":                        "",
	} {
		got := bestOf(rulestest.Read("AGREEMENT\n\nThis Agreement is made and effective as of 31 January 2023 by Elm and Oak.\n\n" + text + "\n"))
		if got[insightapi.DateExpiration] != want {
			t.Errorf("%q: got %q, want %q", text, got[insightapi.DateExpiration], want)
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
		"By: /s/ Jane Roe Title: Vice President Date: June 30, 2024":              insightapi.DateExecution,
		"Party B: Elm Co., Ltd. Jane Roe (signature) June 30, 2024":               insightapi.DateExecution,
		"It was sold on June 30, 2024 (the \"Execution Date\") by Elm.":           insightapi.DateExecution,
		"This Amendment of the Supply Agreement is made June 30, 2024 by Elm.":    insightapi.DateExecution,
		"It rests on the certificate of trust dated June 30, 2024.":               insightapi.DateOther,
		"The lamp broke on June 30, 2024 (six months after the Effective Date).":  insightapi.DateOther,
		"The present agreement is effective as from the 30th day of June, 2024.":  insightapi.DateEffective,
	} {
		got := keydates.Find(rulestest.Read(text + "\n"))
		if len(got) == 0 || got[0].Item.DateType != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
}

// bestOf returns the value of the most probable date of each kind.
func bestOf(d *structure.Document) map[string]string {
	best, sure := map[string]string{}, map[string]float64{}
	for _, f := range keydates.Find(d) {
		if k := f.Item.DateType; f.Confidence > sure[k] {
			best[k], sure[k] = f.Item.DateValue, f.Confidence
		}
	}
	return best
}

// TestSigning shows that a contract without a date of its own is made when the last party
// signs it, and when it takes effect if that depends on when it is made.
func TestSigning(t *testing.T) {
	const signed = "\n\nELM INC.\n\nBy: /s/ Jane Roe\nTitle: Director\nDate: June 5, 2024\n\nOAK INC.\n\nBy: /s/ John Doe\nTitle: Director\nDate: June 3, 2024\n"
	for text, want := range map[string][2]string{
		"The parties agree on all of this." + signed:                                           {"2024-06-05", ""},
		"This Agreement takes effect on the date of the last signature." + signed:              {"2024-06-05", "2024-06-05"},
		"This Agreement shall become effective upon execution." + signed:                       {"2024-06-05", "2024-06-05"},
		"This Agreement is dated as of May 2, 2024 between Elm and Oak." + signed:              {"2024-05-02", ""},
		"This Agreement dated as of May 2, 2024 is effective as of the date hereof." + signed:  {"2024-05-02", "2024-05-02"},
		"This Agreement shall be effective on the signing date." + signed:                      {"2024-06-05", "2024-06-05"},
		"Its Effective Date is the later of the two dates below." + signed:                     {"2024-06-05", "2024-06-05"},
		"It has deposits as of May 2, 2024 in a bank.":                                         {"", ""},
		"In witness whereof, they execute this Agreement as of May 2, 2024.":                   {"2024-05-02", ""},
		"This Agreement is entered into on April. 1st 2024 (\"Effective Date\") by them.":      {"2024-04-01", "2024-04-01"},
		"This Agreement is made as of May 2, 2024 between Elm and Oak." + signed:               {"2024-05-02", "2024-05-02"},
		"This Agreement is made on May 2, 2024. Its term commences on June 1, 2024." + signed:  {"2024-05-02", "2024-06-01"},
		"This is made a part of the Agreement (Effective Date: May 2, 2024) by them." + signed: {"2024-06-05", "2024-05-02"},
	} {
		got := bestOf(rulestest.Read("AGREEMENT\n\n" + text))
		if got[insightapi.DateExecution] != want[0] || got[insightapi.DateEffective] != want[1] {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestExhibitDates shows that a date in an attachment is less probable than the same date
// in the contract, and that a contract names its date even behind a long beginning.
func TestExhibitDates(t *testing.T) {
	long := strings.Repeat("The parties have met several times to talk about it.\n\n", 200)
	got := bestOf(rulestest.Read("AGREEMENT\n\nThis Agreement is made as of May 2, 2024.\n\n" + long + "EXHIBIT A\n\nFORM OF ORDER\n\nEffective Date: May 9, 2024\n"))
	if got[insightapi.DateEffective] != "2024-05-02" {
		t.Errorf("got %v, want the date of the contract and not of its exhibit", got)
	}
	got = bestOf(rulestest.Read("AGREEMENT\n\n" + long + "This Agreement, effective as of May 2, 2024, is made by Elm and Oak.\n"))
	if got[insightapi.DateExecution] != "2024-05-02" {
		t.Errorf("got %v, want the effective date as that of the agreement", got)
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

// ends returns the effective and expiration dates of a document whose agreement is made on 1
// February 2023.
func ends(text string) []string {
	var got []string
	for _, f := range keydates.Find(rulestest.Read("This Agreement is made on 1 February 2023 between Norden Pumps Ltd and Suden Farms Inc.\n\n" + text + "\n")) {
		if k := f.Item.DateType; k == insightapi.DateEffective || k == insightapi.DateExpiration {
			got = append(got, k+" "+f.Item.DateValue)
		}
	}
	slices.Sort(got)
	return got
}

// TestEndsOfOtherWords shows the words by which contracts other than agreements state their
// term, and what is no term.
func TestEndsOfOtherWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Supply period: 1 May 2025 to 30 April 2027":                                                                                                                                        {"effective 2025-05-01", "expiration 2027-04-30"},
		"Notice period: 1 May 2025 to 30 April 2027":                                                                                                                                        nil,
		"This letter shall terminate eighteen months after the date hereof.":                                                                                                                {"expiration 2024-08-01"},
		"This Agreement shall terminate on the second anniversary of the date of this Agreement.":                                                                                           {"expiration 2025-02-01"},
		"This Agreement is effective upon signing and shall continue for one (1) year thereafter.":                                                                                          {"effective 2023-02-01", "expiration 2024-02-01"},
		"The parties' obligations run for eighteen (18) months from the date hereof.":                                                                                                       {"expiration 2024-08-01"},
		"The Agreement covers a period of two (2) years measured from the date of this Agreement.":                                                                                          {"expiration 2025-02-01"},
		"This Agreement takes effect today and, unless sooner terminated by thirty (30) days' notice, shall expire two years after the date hereof.":                                        {"effective 2023-02-01", "expiration 2025-02-01"},
		"This deed commences on 7 March 2023 and ends on the date which is 2 years after that commencement.":                                                                                {"effective 2023-03-07", "expiration 2025-03-07"},
		"This agreement has a term of one month and renews automatically for further terms of one month each.":                                                                              {"expiration 2023-03-01"},
		"\"Launch Date\" means 1 March 2023.\n\nThis Agreement shall have an initial term that ends three (3) years after the Launch Date.":                                                 {"expiration 2026-03-01"},
		"\"Launch Date\" means 1 March 2023.\n\nThis Agreement terminates on the third anniversary of the Launch Date.":                                                                     {"expiration 2026-03-01"},
		"The parties close on 15 March 2023 (the \"Closing Date\").\n\nThis Agreement becomes effective on the Closing Date and shall continue for nine months following the Closing Date.": {"effective 2023-03-15", "expiration 2023-12-15"},
		"This Agreement shall remain in effect through hour ending 2400 on 31 May 2031.":                                                                                                    {"expiration 2031-05-31"},
		"The term expires at 11:59 p.m. Central time on 30 September 2026.":                                                                                                                 {"expiration 2026-09-30"},
		"This Agreement expires on the earlier of the day on which the sixth restaurant opens for business or 31 December 2024.":                                                            {"expiration 2024-12-31"},
		"This deed shall continue in force for three years from its date.":                                                                                                                  {"effective 2023-02-01", "expiration 2026-02-01"},
		"This agreement takes effect when signed and lasts for two years from the date below.":                                                                                              {"effective 2023-02-01", "expiration 2025-02-01"},
		"The obligations in this letter will cease to have effect on the date falling two years after the date of this letter.":                                                             {"expiration 2025-02-01"},
		"This Agreement shall take effect on 1 March 2023 and, unless extended in writing, shall lapse automatically on 31 October 2024.":                                                   {"effective 2023-03-01", "expiration 2024-10-31"},
		"This Agreement shall remain in effect for a period of [ ] 1 year  [X] 3 years  [ ] 5 years from the date stated above.":                                                            {"effective 2023-02-01", "expiration 2026-02-01"},
		"Your engagement begins on 10 May 2023 and runs for nine months, finishing on 9 February 2024.":                                                                                     {"effective 2023-05-10", "expiration 2024-02-09"},
		"This Agreement shall terminate, and all interest shall be due and payable, on 30 June 2026.":                                                                                       {"expiration 2026-06-30"},
		"The Agreement enters into force on 1 December 2023 for a fixed duration of three years.":                                                                                           {"effective 2023-12-01", "expiration 2026-12-01"},
		"This Agreement shall come into force on the date of signature and shall expire on 31 December 2026.":                                                                               {"effective 2023-02-01", "expiration 2026-12-31"},
		"Your obligations shall cease on the earlier of completion of the sale and 15 May 2024.":                                                                                            {"expiration 2024-05-15"},
		"Period of Performance: 1 March 2023 through 31 July 2024":                                                                                                                          {"effective 2023-03-01", "expiration 2024-07-31"},
		"| Initial Term | 24 months |": {"expiration 2025-02-01"},
		"You will not for a period of 12 months from the date of this letter solicit any employee.":                                           {},
		"This Agreement commences on 1 March 2023 and remains in force for two years and neither party may end it sooner.":                    {"effective 2023-03-01", "expiration 2025-03-01"},
		"For a period of twelve (12) months from the date of this Deed neither the Recipient nor the Principal may apply for a licence.":      {},
		"Until two years from the date of this Agreement, the Buyer will not acquire any shares.":                                             {},
		"This MSA commences on 1 March 2023 and remains in force for two (2) years.":                                                          {"effective 2023-03-01", "expiration 2025-03-01"},
		"Your engagement will begin on Monday 10 April 2023 and will continue for six months.":                                                {"effective 2023-04-10", "expiration 2023-10-10"},
		"The term of this Agreement begins on the date stated above and expires ten (10) years later.":                                        {"effective 2023-02-01", "expiration 2033-02-01"},
		"This Agreement takes effect on 15 October 2023 and shall expire on the day preceding the third anniversary of that date.":            {"effective 2023-10-15", "expiration 2026-10-14"},
		"This Agreement enters into force upon its conclusion and has a fixed term of four years.":                                            {"effective 2023-02-01", "expiration 2027-02-01"},
		"All principal shall be due and payable on 15 November 2026 (the \"Maturity Date\").":                                                 {"expiration 2026-11-15"},
		"The Venture shall commence on the date hereof.":                                                                                      {"effective 2023-02-01"},
		"This Agreement works with retroactive effect as from 1 July 2022.":                                                                   {"effective 2022-07-01"},
		"This Agreement shall continue until terminated by either party giving to the other one month's written notice from the date hereof.": {},
		"The resignation under this Agreement shall be effective on the Separation Date, which is 30 April 2024 (the \"Separation Date\").":   {},
		"1 May 2024 is the last day (the \"Last Date\").\n\nAny termination of this Agreement shall take effect on the Last Date.":            {},
		"If a party gives notice of termination of this Agreement, the termination becomes effective on that date.":                           {},
		"The policies that this Agreement incorporates are those in effect today.":                                                            {},
		"Tenant shall pay all rent accrued under this Agreement up to and including 31 March 2024.":                                           {},
		"The Venture shall be perpetual, until a party withdraws, no sooner than two years after the date of this Agreement.":                 {},
		"This Agreement shall renew for successive terms of two (2) years from the date hereof.":                                              {},
	} {
		if got := ends(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestEffectiveOnce shows that a day that is effective for two reasons is listed once.
func TestEffectiveOnce(t *testing.T) {
	var got []string
	for _, f := range keydates.Find(rulestest.Read("This Agreement is made and entered into as of March 1, 2018 by Elm and Oak.\n\nThis Agreement shall become effective on the date first above written.\n")) {
		got = append(got, f.Item.DateType+" "+f.Item.DateValue)
	}
	slices.Sort(got)
	if want := []string{"effective 2018-03-01", "execution 2018-03-01"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLastSignature shows that a contract that takes effect with the last signature takes effect
// on the later of the days on which it was signed.
func TestLastSignature(t *testing.T) {
	signed := "\n\nNORDEN PUMPS LTD                    SUDEN FARMS INC.\n\nBy: /s/ Ada Kern                    By: /s/ Bo Lund\nDate: 9 March 2023                  Date: 2 March 2023\n"
	for _, text := range []string{
		"This Agreement is effective on the date of the last signature below (the \"Effective Date\"). This Agreement shall continue for two years from the Effective Date. It begins with the lamp that is sold on 21 August 2023.",
		"This Agreement shall become effective on the later of the two dates of signature below and shall expire two years after such effective date.",
	} {
		var got []string
		for _, f := range keydates.Find(rulestest.Read("Norden Pumps Ltd and Suden Farms Inc. agree as follows.\n\n" + text + signed)) {
			if f.Confidence > 0.71 || f.Item.DateLabel == keydates.EndOfTerm || f.Reasoning == "The contract takes effect when it is made." {
				got = append(got, f.Item.DateType+" "+f.Item.DateValue)
			}
		}
		slices.Sort(got)
		if want := []string{"effective 2023-03-09", "expiration 2025-03-09"}; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestDateOfAgreement shows which of several dates near the beginning of a document is that of the
// agreement.
func TestDateOfAgreement(t *testing.T) {
	for text, want := range map[string]string{
		"24 February 2021\n\nWith reference to your application dated 13 January 2021, we are pleased to appoint you.":                                                                                                          "2021-02-24",
		"Services start on a day that both of them choose, and which is not before\n4 April 2021\n\nSigned 2 May 2021":                                                                                                          "2021-05-02",
		"Order No. 7\n\nWhen       What              Fee\nFri 4 June 2021    Delivery    $90\nFri 2 July 2021    Inspection  $90\nMon 5 July 2021    Return      $10\n":                                                         "",
		"You remove the reviews dated 4 and 9 September 2021 of our work.":                                                                                                                                                      "",
		"The deposit was paid by cheque dated 9 September 2021.":                                                                                                                                                                "",
		"4 April 2021\n\nThe loan ranks behind the bank facility dated 1 November 2020.":                                                                                                                                        "2021-04-04",
		"Norden Pumps Ltd and Suden Farms Inc. agree.\n\nNORDEN PUMPS LTD                    SUDEN FARMS INC.\n\nBy: /s/ Ada Kern                    By: /s/ Bo Lund\nDate: 2 March 2021                  Date: 9 March 2021\n": "2021-03-09",
		"This Agreement is made on 1 February 2021.\n\nNORDEN PUMPS LTD\n\nBy: /s/ Ada Kern\nDate: 2 March 2021\n":                                                                                                              "2021-02-01",
	} {
		if got := bestOf(rulestest.Read(text + "\n"))[insightapi.DateExecution]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestDatesOfForms shows dates on the lines of a form, the date of a lease and of signing at a
// place, and dates in a list that are not that of the document.
func TestDatesOfForms(t *testing.T) {
	for text, want := range map[string][]string{
		"This Agreement is entered into this _5th_ day of _July_, 2021 by Norden Pumps Ltd.": {"execution 2021-07-05"},
		"Date of Lease: August 23, 2021":                                        {"execution 2021-08-23"},
		"This Agreement is agreed and drawn up in Antwerp on 3 November 2021.":  {"execution 2021-11-03"},
		"Norden Ltd and Suden Inc. have on 14 March 2021 agreed as follows:":    {"execution 2021-03-14"},
		"Lease Date: May 2, 2021":                                               {"execution 2021-05-02"},
		"Norden and Suden HAVE AGREED ON 13 March 2021 as follows:":             {"execution 2021-03-13"},
		"Effective July 1, 2021\n":                                              {"effective 2021-07-01", "execution 2021-07-01"},
		"It is said that a Framework Agreement was concluded on March 3, 2021.": {"other 2021-03-03"},
		"It is signed on July __, 2021.":                                        {},
		"Place and date: Galway, 9 March 2021":                                  {"execution 2021-03-09"},
		"Given on the 30th day of June 2021 by Norden Ltd.":                     {"execution 2021-06-30"},
		"This Agreement was concluded on 1 September 2021.":                     {"execution 2021-09-01"},
		"Service Contract\n\nconcluded in Bremen on 1 September 2021 between:":  {"execution 2021-09-01"},
		"Subscribed for and on behalf of the said Norden Ltd at Oban on 9 August 2021 by Ada Kern, Director, before this witness: Bo Lund":                                                                                                   {"execution 2021-08-09"},
		"The law is that of Bremen.\n\nBremen, 21 May 2021                      Porto, 24 May 2021\n\nAda Kern                                Bo Lund\n\nAnnex 1\n\n" + strings.Repeat("The lamps are listed here with their colours. ", 12): {"execution 2021-05-21", "execution 2021-05-24"},
		"Each restaurant must open in time.\n   1              June 30, 2022\n":                                                                                                                                                              {"other 2022-06-30"},
		"The law is that of Bremen.\n\nBremen, 12.11.2021\n\n____________________\nNorden GmbH\nAda Kern\n":                                                                                                                                  {"execution 2021-11-12"},
	} {
		var got []string
		for _, f := range keydates.Find(rulestest.Read("The lamps are red, and they stand in the hall of the house.\n\n" + text + "\n")) {
			got = append(got, f.Item.DateType+" "+f.Item.DateValue)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
