package clauses_test

import "testing"

// TestFormsOfClauses shows that clauses are also found in the plain wording of short
// contracts.
func TestFormsOfClauses(t *testing.T) {
	for text, want := range map[string]string{
		"Either party can end this agreement by giving 14 days' notice in writing.":                  "Termination For Convenience",
		"This engagement may be terminated by either party on ten days' written notice.":             "Termination For Convenience",
		"The Writer assigns to the Publisher all copyrights in the story.":                           "IP Ownership Assignment",
		"All inventions of the Worker belong exclusively to the Works.":                              "IP Ownership Assignment",
		"The Tenant shall not assign, underlet or share the Premises without prior written consent.": "Anti-Assignment",
		"The Shop shall purchase lamps for at least $9,000 in each year.":                            "Minimum Commitment",
		"Elm appoints Oak as its sole distributor of lamps in Japan.":                                "Exclusivity",
		"A contractual penalty of CHF 900 is due as soon as this is broken.":                         "Liquidated Damages",
	} {
		if kindsOf(text + "\n")[want] == "" {
			t.Errorf("%q: want a %s clause", text, want)
		}
	}
	for text, kind := range map[string]string{
		"Either party may terminate this agreement on ten days' notice if the other is in default.": "Termination For Convenience",
		"The lamp may be cancelled from the list of goods that the shop sells.":                     "Termination For Convenience",
		"The Writer retains all copyrights, which vest in the Writer alone.":                        "IP Ownership Assignment",
		"The Shop shall be open at least ten hours a day.":                                          "Minimum Commitment",
		"Elm is the sole owner of the house.":                                                       "Exclusivity",
	} {
		if kindsOf(text + "\n")[kind] != "" {
			t.Errorf("%q: got a %s clause, want none", text, kind)
		}
	}
}
