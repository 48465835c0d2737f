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
		"Elm grants Oak an irrevocable license to print the maps.":                                   "Irrevocable Or Perpetual License",
		"Oak has the right to use the Maps in perpetuity, and its license is perpetual.":             "Irrevocable Or Perpetual License",
		"The license is personal and non-transferable.":                                              "Non-Transferable License",
		"Oak shall not sublicense or lend the Software under this license.":                          "Non-Transferable License",
		"Inventions that both make shall be jointly owned by Elm and Oak.":                           "Joint IP Ownership",
		"Elm hereby grants to Oak and its Affiliates a license to use the Maps.":                     "Affiliate License-Licensee",
		"Oak may sublicense the Maps to its subsidiaries.":                                           "Affiliate License-Licensee",
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
		"Oak grants Elm an irrevocable proxy for its shares and licenses.":                          "Irrevocable Or Perpetual License",
		"The license ends with this Agreement, and its fees are not refunded.":                      "Non-Transferable License",
		"The parties jointly own the truck.":                                                        "Joint IP Ownership",
		"Affiliates of Oak need a license of their own.":                                            "Affiliate License-Licensee",
	} {
		if kindsOf(text + "\n")[kind] != "" {
			t.Errorf("%q: got a %s clause, want none", text, kind)
		}
	}
}
