package keydates_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestRowsOfDates shows that the label of a row of key terms gives its date a role, whatever the
// rows around it say, and which labels do not.
func TestRowsOfDates(t *testing.T) {
	for text, want := range map[string][]string{
		"Governing terms | Elm Master Terms dated 1 February 2021\nSubscription Start Date | 3 June 2021\nSubscription End Date | 2 June 2024": {"other 2021-02-01", "effective 2021-06-03", "execution 2021-06-03", "expiration 2024-06-02"},
		"Date of order:     17 January 2021\nProject start:     1 February 2021\nProject end:       31 October 2021":                           {"execution 2021-01-17", "effective 2021-02-01", "expiration 2021-10-31"},
		"Date:              3 October 2021\nCommencement:      1 November 2021":                                                                {"execution 2021-10-03", "effective 2021-11-01"},
		"Item 1  Date of deed          12 July 2021\nItem 6  Option Period         From the date of this deed until 5.00pm on 12 July 2023":    {"execution 2021-07-12", "effective 2021-07-12", "expiration 2023-07-12"},
		"Dated   12 July 2021\nFirst day: 1 September 2021\nLast day covered by this agreement: 31 August 2022":                                {"execution 2021-07-12", "effective 2021-09-01", "expiration 2022-08-31"},
		"9.  Licence period           10 years from 1 June 2021":                                                                               {"expiration 2031-06-01", "effective 2021-06-01", "execution 2021-06-01"},
		"P.O. No.: 77 Rev. 1        P.O. Date: 2021-05-19\nYour quote: E-11 dated 2021-05-06":                                                  {"execution 2021-05-19", "other 2021-05-06"},
		"Start of service:   Monday 6 September 2021\nRent review date:   6 September 2022":                                                    {"effective 2021-09-06", "execution 2021-09-06", "other 2022-09-06"},
		"Delivery          3 June 2021\n\nLeeds, 12 May 2021":                                                                                  {"other 2021-06-03", "execution 2021-05-12"},
		"Date: Wednesday, 9 June 2021": {"execution 2021-06-09"},
		"Install date:     3 June 2021\nInitial term:     36 months from the install date":                           {"other 2021-06-03", "effective 2021-06-03", "expiration 2024-06-03"},
		"The Term starts on the Opening Date.\n\nItem 6  Term        5 years\nItem 8  Opening Date      3 June 2021": {"expiration 2026-06-03", "other 2021-06-03", "effective 2021-06-03"},
		"QUOTATION\n\nValid until:      3 June 2021":                                                                 {"other 2021-06-03"},
		"Trial end:        3 June 2021\nWarranty start:   4 June 2021":                                               {"other 2021-06-03", "other 2021-06-04"},
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

// TestDatesInPlainWords shows dates of the contract, and of other things, in the words of
// contracts that are not from the United States.
func TestDatesInPlainWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Norden and Suden sign this lamp agreement on 5 February 2021.":                                            {"execution 2021-02-05"},
		"Norden and Suden agree on 5 February 2021 to these terms.":                                                {"execution 2021-02-05"},
		"This contract covers deliveries from 5 February 2021.":                                                    {"effective 2021-02-05"},
		"Your first day will be Monday, 8 February 2021.":                                                          {"effective 2021-02-08"},
		"The term of the contract is extended to and including 5 February 2024.":                                   {"expiration 2024-02-05"},
		"The contract may be extended until 5 February 2024.":                                                      {"expiration 2024-02-05"},
		"The contract is due to expire on 5 February 2024.":                                                        {"other 2024-02-05"},
		"Clause 4, which would have brought the contract to an end on 5 February 2024, is deleted.":                {"other 2024-02-05"},
		"This engagement covers the two financial years ending 30 June 2025.":                                      {"expiration 2025-06-30"},
		"The rates of the lamps are fixed until 30 June 2025.":                                                     {"other 2025-06-30"},
		"Until 30 June 2025, you will not work for Suden.":                                                         {"other 2025-06-30"},
		"The sum is repaid in ten instalments beginning on 30 June 2025.":                                          {"payment 2025-06-30"},
		"Beginning 30 June 2025, Maker shall pay ten lamps each month.":                                            {"payment 2025-06-30"},
		"The fee then in effect is owed, the first such payment falling due on 30 June 2025.":                      {"payment 2025-06-30"},
		"The ratio was kept for four fiscal quarters ending on or after 30 June 2025.":                             {"other 2025-06-30"},
		"The latest valuation, dated 31 October 2021, is low.":                                                     {"other 2021-10-31"},
		"SECOND AMENDMENT: SUPPLY AGREEMENT DATED 4 MARCH 2021":                                                    {"other 2021-03-04"},
		"Norden will pay the premium until the earlier of 30 June 2025 and the day of the sale.":                   {"other 2025-06-30"},
		"The appointment is treated as having begun on 8 May 2021, when Elm first visited the hall.":               {"effective 2021-05-08"},
		"The agreement took effect on 1 May 2021.":                                                                 {"effective 2021-05-01"},
		"Elm made use of its option, so that the agreement now runs up to and including 30 April 2026.":            {"expiration 2026-04-30"},
		"Signed (parent 1)  Ada Kern         Date 14/05/2021":                                                      {"execution 2021-05-14"},
		"In Zaragoza, on the twelfth of December of the year two thousand and twenty-four.":                        {"execution 2024-12-12"},
		"Made in three copies, in Tondela, on the fifth day of November of 2025.":                                  {"execution 2025-11-05"},
		"Agreed between us on the 12th day of December, 2024":                                                      {"execution 2024-12-12"},
		"Signed at Durban on 27 September 2021.":                                                                   {"execution 2021-09-27"},
		"Elm holds a certificate valid until 30 June 2025.":                                                        {"other 2025-06-30"},
		"Please return a signed copy by 4 p.m. on 30 June 2021.":                                                   {"other 2021-06-30"},
		"The rent is 500 per month, increasing by 5% with effect from 30 June 2025.":                               {"other 2025-06-30"},
		"Either may terminate it by letter, but not earlier than with effect from 30 June 2025.":                   {"other 2025-06-30"},
		"The parties talk for 45 days, starting 30 June 2025, about more lamps.":                                   {"other 2025-06-30"},
		"It changes the first amendment, which extended the term through 30 June 2025.":                            {"other 2025-06-30"},
		"Elm is a party to Contract No. 17-08, dated 30 June 2021.":                                                {"other 2021-06-30"},
		"With reference to your application dated 1 May 2021 and the talk held on 30 June 2021, we appoint you.":   {"other 2021-05-01", "other 2021-06-30"},
		"Agreement made 8 July 2021, but effective for all purposes as of 1 July 2021 (the \"Effective Date\").":   {"execution 2021-07-08", "effective 2021-07-01"},
		"This Agreement shall be deemed to have entered into force on 30 June 2021.":                               {"effective 2021-06-30", "execution 2021-06-30"},
		"Schedule dated: 10 February 2021               Master Lease dated: 19 May 2019":                           {"execution 2021-02-10", "other 2019-05-19"},
		"Subscription Term: 36 months (1 March 2021 to 28 February 2024)":                                          {"effective 2021-03-01", "expiration 2024-02-28"},
		"The loan must be repaid in full, with interest, on 30 June 2025.":                                         {"expiration 2025-06-30"},
		"Accepted and agreed: Bo Lund, 4 March 2021":                                                               {"execution 2021-03-04"},
		"Signed electronically: 17 May 2021 (Norden), 19 May 2021 (Suden)":                                         {"execution 2021-05-19"},
		"Signed: P. Norden-Briggs      Date: 9 March 2021":                                                         {"execution 2021-03-09"},
		"The law is that of Bremen.\n\nBremen / Oslo, 12.11.2021\n\n____________________\nNorden GmbH\nAda Kern\n": {"execution 2021-11-12"},
	} {
		var got []string
		for _, f := range keydates.Find(rulestest.Read("The lamps are red, and they stand in the hall of the house.\n\n" + text + "\n")) {
			if f.Confidence > 0.6 {
				got = append(got, f.Item.DateType+" "+f.Item.DateValue)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestTermsInPlainWords shows how contracts that are no agreements by name, or that say so in plain
// words, state when they begin and how long they last.
func TestTermsInPlainWords(t *testing.T) {
	for text, want := range map[string][]string{
		"This Agreement starts on the date first written above and stays in effect until terminated.":                                                                           {"effective 2023-02-01"},
		"This MoU comes into operation on the date on which the second of the two bodies signs it and will remain in operation for three years.":                                {"effective 2023-02-01", "expiration 2026-02-01"},
		"The Agreement becomes effective on the eighth (8th) day after you sign it without revoking.":                                                                           {"effective 2023-02-09"},
		"The lamps arrive on 3 March 2023 (the \"Go-Live Date\").\n\nThis Agreement begins on the Go-Live Date and runs for an initial period of two years.":                    {"effective 2023-03-03", "expiration 2025-03-03"},
		"The service starts on the day below.\n\nCommencement: 3 March 2023\n\n2. Length. The service runs for an initial twelve months from the start of service shown above.": {"effective 2023-03-03", "expiration 2024-03-03"},
		"Norden takes over on 3 March 2023 (the \"Takeover Date\").\n\nThe initial term begins on the Takeover Date.":                                                           {"effective 2023-03-03"},
		"It applies from 3 March 2023 (the \"Start Date\").\n\n8.1  The Project runs for 30 months from the Start Date.":                                                        {"effective 2023-03-03", "expiration 2025-09-03"},
		"It takes effect on 3 March 2023 (the \"Commencement Date\").\n\n\"Project Period\" means the period of two years from the Commencement Date.":                          {"effective 2023-03-03", "expiration 2025-03-03"},
		"\"Repayment Date\" means the third anniversary of the date of this agreement.":                                                                                         {"expiration 2026-02-01"},
		"This contract shall be deemed to have commenced on 3 March 2023, when the first lamp arrived, and shall continue for 36 months from that day.":                         {"effective 2023-03-03", "expiration 2026-03-03"},
		"\"Effective Date\" means the date on which the office records this Agreement.\n\nThis Agreement continues for ten years from the Effective Date.":                      {},
		"The arrangement begins on 1 April 2023 and lasts for 26 weeks.":                                                                                                        {"effective 2023-04-01", "expiration 2023-09-30"},
		"The lease begins on 1 April 2023 and lasts eighteen months.":                                                                                                           {"effective 2023-04-01", "expiration 2024-10-01"},
		"Term: 1 April 2023 - 31 March 2026":                                          {"effective 2023-04-01", "expiration 2026-03-31"},
		"Tenancy: 1 April 2023 to 31 March 2024":                                      {"effective 2023-04-01", "expiration 2024-03-31"},
		"The agreement lasts from 1 April 2023 until the last day of February 2024.":  {"effective 2023-04-01", "expiration 2024-02-29"},
		"The Expiry Date is changed from 31 May 2023 to 31 May 2026.":                 {"expiration 2026-05-31"},
		"The loan matures on 31 March 2026.":                                          {"expiration 2026-03-31"},
		"Elm must repay it by 31 March 2026 (the Final Repayment Date).":              {"expiration 2026-03-31"},
		"The target date is 12-16 weeks from the date of this Agreement.":             {},
		"The obligations in this letter take effect today and end on 30 June 2025.":   {"effective 2023-02-01", "expiration 2025-06-30"},
		"This letter takes effect on the date it bears.":                              {"effective 2023-02-01"},
		"The Principal Agreement, the initial term of which runs for 4 years, stays.": {},
		"The lamp shines for two years from the date of this letter.":                 {},
	} {
		if got := ends(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestAcceptedOffer shows that a contract by which a quotation is accepted is made when it is.
func TestAcceptedOffer(t *testing.T) {
	signed := "\n\n" + strings.Repeat("The lamps are red, and they stand in the hall.\n\n", 20) + "Signed: D. Kern          for Norden LLP        Date: 28 July 2021\n"
	for text, want := range map[string]string{"QUOTATION AND ACCEPTANCE\n\nDate:               17 July 2021": "2021-07-28", "LETTER\n\nDate:               17 July 2021": "2021-07-17"} {
		if got := bestOf(rulestest.Read(text + signed))[insightapi.DateExecution]; got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// TestCountersignedLetter shows that a letter that says that it becomes a contract when it is signed is made
// on the day of the countersignature, and that another letter is made on its own.
func TestCountersignedLetter(t *testing.T) {
	for text, want := range map[string]string{
		"We then have a contract from the date on which you sign.": "2021-07-28",
		"When it reaches us, we have an agreement.":                "2021-07-28",
		"We like lamps.": "2021-07-17",
	} {
		letter := "ALDER LTD\n\n17 July 2021\n\nDear Ada\n\n" + text + "\n\n" + strings.Repeat("The lamps are red, and they stand in the hall.\n\n", 20) + "Signed: A. Kern          for Norden LLP        Date: 28 July 2021\n"
		if got := bestOf(rulestest.Read(letter))[insightapi.DateExecution]; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestSignedInTurn shows that a contract whose parties sign on different days is made on the last of
// them.
func TestSignedInTurn(t *testing.T) {
	for _, text := range []string{
		"Huskvarna 2021-09-27                         Oslo 2021-09-29\n\n................             ................\nAda Kern                     Bo Lund",
		"Agreed:\n\nNorden GmbH                     Suden AG\nby: Ada Kern                    by: Bo Lund\n27 September 2021               29 September 2021",
		"SIGNED at DURBAN on 27 September 2021.        for Norden: A. Kern\nSIGNED at OSLO on 29 September 2021.      for Suden: B. Lund",
		"Signed electronically: 27 September 2021 (Norden), 29 September 2021 (Suden)",
		"In witness whereof these presents are executed as follows: by Norden at Stirling on 27 September 2021 before Ada Kern, secretary, as witness, and by Suden at Stirling on 29 September 2021 before Bo Lund, as witness.",
	} {
		if got := bestOf(rulestest.Read("The lamps are red, and they stand in the hall of the house.\n\n" + text + "\n"))[insightapi.DateExecution]; got != "2021-09-29" {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
