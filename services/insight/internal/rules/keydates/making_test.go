package keydates_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// roleTest is a contract, dated 3 March 2020, and the days that it should have.
type roleTest struct{ text, effective, expiration string }

// check shows that a contract with a text has the days that it should have.
func (r roleTest) check(t *testing.T) {
	t.Helper()
	got := bestOf(rulestest.Read("This Agreement is dated 3 March 2020.\n\nThe lamps are red, and they stand in the hall of the house.\n\n" + r.text + "\n\nThe lamps are red.\n"))
	if got[insightapi.DateEffective] != r.effective || got[insightapi.DateExpiration] != r.expiration {
		t.Errorf("%q: got %v", r.text, got)
	}
}

// TestFromMaking shows that a contract, or its term, is counted from the day on which it is made,
// however the text calls that day, and that other papers and promises are not.
func TestFromMaking(t *testing.T) {
	for _, r := range []roleTest{
		{"This deed applies from its date and continues until the lamp is lit.", "2020-03-03", ""},
		{"This deed binds the parties from its date. Works start on 4 February 2021.", "2020-03-03", ""},
		{"This letter governs from the date at its head.", "2020-03-03", ""},
		{"The franchise begins when this Agreement is signed and continues for ten years.", "2020-03-03", "2030-03-03"},
		{"The Agreement is for one year beginning on its date.", "2020-03-03", "2021-03-03"},
		{"The initial term of this Agreement shall be three (3) years from the date first written above.", "2020-03-03", "2023-03-03"},
		{"This Agreement is valid for two years from signature.", "2020-03-03", "2022-03-03"},
		{"This contract is good for two years from the date on which it is signed.", "2020-03-03", "2022-03-03"},
		{"This Agreement shall be binding from the day of its signing and shall last two years.", "2020-03-03", "2022-03-03"},
		{"This arrangement starts when both of us have signed it.", "2020-03-03", ""},
		{"This Agreement commences forthwith and remains in force for two years.", "2020-03-03", "2022-03-03"},
		{"This Agreement starts now and lasts two years.", "2020-03-03", "2022-03-03"},
		{"It starts on the date at the top.", "2020-03-03", ""},
		{"The contract period is two years, counted from the date of this contract.", "2020-03-03", "2022-03-03"},
		{"The Agreement will be effective from the date the Client signs.", "2020-03-03", ""},
		{"The insurance required by this Agreement must be in force from signature.", "", ""},
		{"Any change to this Agreement is effective when it is signed by both parties.", "", ""},
		{"Waivers under this Agreement are binding upon signature.", "", ""},
		{"Termination of this Agreement is effective immediately.", "", ""},
		{"The discount lasts two years from the date below.", "", ""},
		{"The notice takes effect on the day it is signed.", "", ""},
		{"Interest runs from the date of signature.", "", ""},
		{"The warranty starts when the certificate is signed.", "", ""},
	} {
		r.check(t)
	}
}

// TestFirstDays shows that a contract takes effect on the day that the text gives for it, with or
// without a preposition, and on the first day of its term.
func TestFirstDays(t *testing.T) {
	for _, r := range []roleTest{
		{"The Agreement shall have effect as of 1 May 2020.", "2020-05-01", ""},
		{"The lamps enter the hall, to take effect 1 May 2020.", "2020-05-01", ""},
		{"These terms apply from 1 May 2020.", "2020-05-01", ""},
		{"The programme shall commence on 1 May 2020 and shall continue for two years.", "2020-05-01", "2022-05-01"},
		{"This Agreement is operative from 1 May 2020.", "2020-05-01", ""},
		{"This Agreement is to run from 1 May 2020.", "2020-05-01", ""},
		{"Your appointment lasts for three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"The distributor is appointed for an initial period of three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"We appoint you as our distributor for three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"The Owner grants the Licensee a licence for three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"The duration is three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"It lasts for three years from 1 May 2020.", "2020-05-01", "2023-05-01"},
		{"The Owner grants a warranty for three years from 1 May 2020.", "", ""},
		{"This Agreement was signed on 3 March 2020 and is effective the same day.", "2020-03-03", ""},
		{"The contract is entered into for seven years as from 1 May 2020.", "2020-05-01", "2027-05-01"},
		{"Notwithstanding the Signature Date, this Agreement commences on 1 May 2020. It endures for ten years thereafter.", "2020-05-01", "2030-05-01"},
		{"This Agreement commences on 1 May 2020. Its term is ten years.", "2020-05-01", "2030-05-01"},
		{"This Agreement commences on 1 May 2020 and continues until its third anniversary.", "2020-05-01", "2023-05-01"},
		{"This Agreement begins 1 May 2020 and ends three years later.", "2020-05-01", "2023-05-01"},
		{"This Agreement begins 1 May 2020. The lamp ends three years later.", "2020-05-01", ""},
		{"This Agreement commences on 1 May 2020. The guarantee endures for ten years thereafter.", "2020-05-01", ""},
		{"We engage you from 1 May 2020 until 30 June 2022.", "2020-05-01", "2022-06-30"},
		{"The term covers 1 May 2020 to 30 June 2022.", "2020-05-01", "2022-06-30"},
		{"The discount lasts for three years from 1 May 2020.", "", ""},
	} {
		r.check(t)
	}
}

// TestLastDays shows that a contract ends on the day that the text gives for it, whatever term it
// also states.
func TestLastDays(t *testing.T) {
	for _, r := range []roleTest{
		{"This Agreement enters into force on 1 May 2020 and ends on 30 June 2022.", "2020-05-01", "2022-06-30"},
		{"This arrangement takes effect 1 May 2020, and shall run to 30 June 2022.", "2020-05-01", "2022-06-30"},
		{"This Agreement shall come into force with effect from 1 May 2020 and shall be in operation for a period of two years, i.e. up to 30 April 2022.", "2020-05-01", "2022-04-30"},
		{"We will begin on 1 May 2020 and finish by 30 June 2022, at which time the engagement will be over.", "2020-05-01", "2022-06-30"},
		{"The supply starts on 1 May 2020 and stops on 30 April 2022.", "2020-05-01", "2022-04-30"},
		{"This Agreement shall cease on 30 June 2022.", "", "2022-06-30"},
		{"This Agreement shall determine on 30 June 2022.", "", "2022-06-30"},
		{"The appointment runs out on 30 June 2022.", "", "2022-06-30"},
		{"This contract comes to a close on 30 June 2022.", "", "2022-06-30"},
		{"The last day of the engagement is 30 June 2022.", "", "2022-06-30"},
		{"The offer closes on 30 June 2022.", "", ""},
		{"The last day of the sale is 30 June 2022.", "", ""},
		{"We have no lamp there, and until 30 June 2022 we will not take one.", "", ""},
	} {
		r.check(t)
	}
}

// TestDayOfMaking shows that words between the parties and what they agree date a contract, and
// that its version does not.
func TestDayOfMaking(t *testing.T) {
	for text, want := range map[string]string{
		"The Partners have, on 1 May 2020, concluded this Agreement.": "2020-05-01",
		"Version dated 1 May 2020":                                    "",
		"Edition 2.1 of 1 May 2020":                                   "",
		"Dated 1 May 2020":                                            "2020-05-01",
	} {
		if got := bestOf(rulestest.Read("The lamps are red.\n\n" + text + "\n"))[insightapi.DateExecution]; got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
