package clauses_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// kindsOf returns the descriptions of a text's clauses by kind.
func kindsOf(text string) map[string]string {
	kinds := map[string]string{}
	for _, f := range clauses.Find(rulestest.Read(text)) {
		kinds[f.Item.ClauseType] = f.Item.ClauseDescription
	}
	return kinds
}

// TestFormsOfLaw shows that a choice of law is found in sentences of any length and in
// the wording of many countries.
func TestFormsOfLaw(t *testing.T) {
	const lead = "STORAGE AGREEMENT\n\nThis Storage Agreement is made between Elm Ltd and Oak Ltd.\n\n"
	for text, want := range map[string]string{
		"Utah law governs this Lease.":                                             "Utah",
		"Danish law shall govern.":                                                 "Denmark",
		"The laws of Kenya shall apply to this Agreement.":                         "Kenya",
		"The law of Queensland applies.":                                           "Queensland, Australia",
		"Ohio law shall control.":                                                  "Ohio",
		"The applicable law is the law of the Kingdom of Norway.":                  "the Kingdom of Norway",
		"This contract is subject to Austrian law, excluding its conflict rules.":  "Austria",
		"This Agreement shall be subject to the laws of Ghana.":                    "Ghana",
		"The State of Idaho's laws govern this contract.":                          "the State of Idaho",
		"The State of Illinois' laws govern this contract.":                        "the State of Illinois",
		"The parties choose the laws of Chile.":                                    "Chile",
		"Governing Law: Nevada":                                                    "Nevada",
		"GOVERNING LAW: State of Nevada":                                           "the State of Nevada",
		"The Storage Agreement shall be governed by the laws of Peru.":             "Peru",
		"The Guarantee Agreement shall be governed by the laws of Peru.":           "",
		"This Agreement shall not be governed by the laws of Peru.":                "",
		"Seller shall comply with the laws of the State of Ohio governing trucks.": "",
		"The goods are subject to inspection, and the law in Ohio is old.":         "",
		"Taxes apply as the law provides for traders in Ohio.":                     "",
		"The courts of Ohio have jurisdiction.":                                    "",
	} {
		got := strings.TrimSuffix(strings.TrimPrefix(kindsOf(lead + "1. Storage. Elm stores the boxes.\n\n2. " + text + "\n")["Governing Law"], "Governed by the laws of "), ".")
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestHiddenLetters shows that soft hyphens, zero-width spaces and ligatures do not hide
// words.
func TestHiddenLetters(t *testing.T) {
	for text, kind := range map[string]string{
		"This Agree\u00adment is gov\u00aderned by the laws of Peru.":            "Governing Law",
		"The licensor here\u200bby grants a li\u2060cense to use the lamps.":     "License Grant",
		"Oak has a right of ﬁrst refusal for the hall.":                          "ROFR/ROFO/ROFN",
		"In no event is Elm liable for loss of proﬁts or consequential damages.": "Cap On Liability",
	} {
		if kindsOf(text + "\n")[kind] == "" {
			t.Errorf("%q: want a %s clause", text, kind)
		}
	}
}

// TestRefusals shows that a sentence that denies what a kind of clause says is not of
// that kind.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ kind, says, denies string }{
		{"Anti-Assignment", "Elm may not assign this Agreement without the consent of Oak.", "Elm may freely assign this Agreement without the consent of Oak."},
		{"Insurance", "Elm shall maintain insurance for the boxes.", "Elm shall not be required to maintain any insurance for the boxes."},
		{"Audit Rights", "Oak shall have the right to audit the books of Elm.", "Oak shall have no right to audit the books of Elm."},
		{"Liquidated Damages", "Elm shall be liable to pay liquidated damages.", "Elm shall not be obliged to pay liquidated damages."},
		{"Renewal Term", "The term shall be renewed for two years by the parties.", "The term of two years shall not be renewed for further years."},
		{"ROFR/ROFO/ROFN", "Oak has a right of first refusal for the hall.", "No right of first refusal is given to Oak for the hall."},
		{"Termination For Convenience", "Oak may terminate this Agreement for convenience.", "Neither party may terminate this Agreement for convenience."},
		{"Notice Period To Terminate Renewal", "It renews each year unless Oak gives a month's notice not to renew.", "Elm may give a month's notice not later than May to renew the term."},
		{"Minimum Commitment", "Oak shall honour a minimum purchase of ten boxes.", "There shall be no minimum purchase of boxes."},
	} {
		if kindsOf(c.says + "\n")[c.kind] == "" {
			t.Errorf("%q: want a %s clause", c.says, c.kind)
		}
		if kindsOf(c.denies + "\n")[c.kind] != "" {
			t.Errorf("%q: got a %s clause, want none", c.denies, c.kind)
		}
	}
	for _, text := range []string{
		"elm orders by letter at least 21 days before the flight.", "the term shall not be renewed after its end.", "tacit renewal is excluded.", "elm may extend it by notice in may.",
	} {
		if !clauses.Refused(clauses.NoticePeriod, text) {
			t.Errorf("%q: got a notice that prevents a renewal, want none", text)
		}
	}
	for text, kind := range map[string]string{
		"Elm has no right to audit the books, except that it may inspect the accounts once a year.":                      "Audit Rights",
		"Elm may assign this Agreement to a parent without consent, but otherwise may not assign it without consent.":    "Anti-Assignment",
		"Elm shall not be required to keep insurance of its own unless it shall maintain insurance for boxes of others.": "Insurance",
	} {
		if kindsOf(text + "\n")[kind] == "" {
			t.Errorf("%q: want a %s clause", text, kind)
		}
	}
}

// TestNoticePeriods shows that the description of a clause gives the notice that prevents
// a renewal, and not the length of the renewal.
func TestNoticePeriods(t *testing.T) {
	for text, want := range map[string]string{
		"This Agreement shall renew for successive one (1) year terms unless either party gives sixty (60) days' notice before the end.": "Notice of 60 days prevents a renewal.",
		"The term shall be renewed for two years unless a party elects not to renew it at least six months prior to its end.":            "Notice of 6 months prevents a renewal.",
		"The Term shall automatically be extended by a year unless either party cancels it at least 6 weeks prior to its end.":           "Notice of 6 weeks prevents a renewal.",
		"Unless either party gives ninety days' prior notice, the term of this Agreement will be automatically extended until 2030.":     "Notice of 90 days prevents a renewal.",
		"If Elm fails to notify Oak six months before the end, this Agreement will automatically renew for four years.":                  "Notice of 6 months prevents a renewal.",
		"The contract runs from year to year, until either party cancels it by at least six months' written notice.":                     "Notice of 6 months prevents a renewal.",
		"After that it rolls over for one year at a time unless you tell us, at least 90 days before 30 June, that it is to end.":        "Notice of 90 days prevents a renewal.",
		"After that it carries on from month to month until one of us gives the other one month's written notice.":                       "Notice of 1 month prevents a renewal.",
		"The customer may opt out by letter at least 45 days before the end of the term.":                                                "Notice of 45 days prevents a renewal.",
		"After that year it shall automatically continue until terminated by either party upon thirty (30) days' written notice.":        "Notice of 30 days prevents a renewal.",
		"The insurance shall be renewed unless the insurer gives at least thirty (30) days' notice of non-renewal to the other party.":   "",
		"Elm may extend the warranty by giving notice at least thirty (30) days before its end to Oak.":                                  "",
		"The lease renews each year unless a party gives notice of its intention a year before, in writing.":                             "Timely notice prevents a renewal.",
	} {
		got := ""
		for _, f := range clauses.Find(rulestest.Read(text + "\n")) {
			if f.Item.ClauseType == "Notice Period To Terminate Renewal" {
				got = f.Item.ClauseDescription
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestGoverningLaw(t *testing.T) {
	for text, want := range map[string]string{
		"This Agreement is governed by the laws of England and Wales.":                     "England and Wales",
		"This Agreement shall be construed under California law.":                          "California",
		"This contract shall be governed by Swiss law.":                                    "Switzerland",
		"THIS AGREEMENT SHALL BE GOVERNED BY THE LAWS OF THE STATE OF NEW YORK.":           "the State of New York",
		"Alder is a company organized and existing under the laws of the State of Oregon.": "",
		"Each party shall comply with all laws of the State of Oregon that apply to it.":   "",
		"The board of governors shall meet in the State of Oregon as the law may require.": "",
	} {
		law := ""
		for _, f := range clauses.Find(rulestest.Read(text + "\n")) {
			if f.Item.ClauseType == "Governing Law" {
				law = strings.TrimSuffix(strings.TrimPrefix(f.Item.ClauseDescription, "Governed by the laws of "), ".")
			}
		}
		if law != want {
			t.Errorf("%q: got %q, want %q", text, law, want)
		}
	}
}
