package law_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// chosen returns the place whose law a text of one sentence chooses, and the confidence.
func chosen(t *testing.T, text string) (string, float64) {
	t.Helper()
	d := rulestest.Read(text + "\n")
	if len(d.Sentences) != 1 {
		t.Fatalf("%q has %d sentences", text, len(d.Sentences))
	}
	place, confidence, _ := law.Chosen(d, d.Sentences[0])
	return place, confidence
}

// TestWordings shows that a law is found by what it does to the contract or to a dispute,
// whatever the verb.
func TestWordings(t *testing.T) {
	for text, want := range map[string]string{
		"This Agreement is made under and subject to the provisions of the laws of the State of Maine.":          "the State of Maine",
		"This Lease shall be deemed to be a contract made under the laws of the State of Utah.":                  "the State of Utah",
		"This Contract will be constructed in accordance with the laws of Malta.":                                "Malta",
		"This Deed shall be subject to, and construed in accordance with, the laws of Jersey.":                   "Jersey",
		"This Agreement shall be enforced in accordance with the laws of Fiji.":                                  "Fiji",
		"Any controversy about this Lease shall be determined in accordance with the laws of the State of Iowa.": "the State of Iowa",
		"Claims between Elm and Oak shall be settled by arbitration under the laws of Chile.":                    "Chile",
		"Disputes go to arbitration at the Arbitration Association of Lima, which shall apply Peruvian law.":     "Peru",
		"The merits of a dispute shall be resolved under the laws of the State of Ohio.":                         "the State of Ohio",
		"All disputes shall be settled by arbitration in Delhi in accordance with Indian laws.":                  "India",
		"North Carolina law applies, excluding the U.N. Convention on the International Sale of Goods.":          "North Carolina",
		"The validity and performance of this Agreement shall be controlled by Illinois law.":                    "Illinois",
		"The arbitrators shall apply Swiss substantive law.":                                                     "Switzerland",
		"The tribunal shall decide every dispute according to the law of Norway.":                                "Norway",
		"Disputes shall be heard by the courts of Leeds applying English law.":                                   "England",
		"Other matters shall be subject to Thai laws.":                                                           "Thailand",
		"The Franchise Agreement requires the application of the laws of Nevada.":                                "Nevada",
		"In the event of a conflict, the laws of Kansas shall prevail, without regard to other rules.":           "Kansas",
		"The law applicable to this Agreement shall be the law of Portugal.":                                     "Portugal",
		"The governing law shall be Pennsylvania.":                                                               "Pennsylvania",
		"This Agreement shall be governed by the State of Vermont.":                                              "the State of Vermont",
		"This Agreement falls under the laws of the Netherlands.":                                                "Netherlands",
		"This Agreement shall be interpreted in terms of the laws of South Africa.":                              "South Africa",
		"The substantive law of this contract shall be Swiss law.":                                               "Switzerland",
		"The law of this Agreement is the law of Belgium.":                                                       "Belgium",
		"The laws of Tasmania apply, and each of us submits to the jurisdiction of its courts.":                  "Tasmania",
		"Swedish law, excluding its conflict of law rules.":                                                      "Sweden",
		"10. The law is that of Ireland and the courts at Ennis have jurisdiction.":                              "Ireland",
		"After that the Tribunal is the place for both of us, and it's New Zealand law.":                         "New Zealand",
		"This is all to be read according to Scots law.":                                                         "Scotland",
		"9.1 Danish law.": "Denmark",
		"Laws of Kenya; mediation first, then the courts at Milimani.":                          "Kenya",
		"12. The laws of Mexico apply, in particular the Federal Copyright Law.":                "Mexico",
		"Item 13  Law                Victoria":                                                  "Victoria",
		"Governing law      Ontario, Canada":                                                    "Ontario",
		"English law applies and the English courts have jurisdiction.":                         "England",
		"Danish law applies, except its rules on the conflict of laws.":                         "Denmark",
		"Austrian law applies; the place of jurisdiction is Graz.":                              "Austria",
		"LAW: English law, arbitration in Leeds.":                                               "England",
		"The parties consent to the application of the laws of Nevada.":                         "Nevada",
		"Utah law controls, and suit lies only in Weber County.":                                "Utah",
		"The laws of Kenya apply to it and the courts of Nairobi hear disputes.":                "Kenya",
		"Oregon law, excluding its rules on conflicts, controls.":                               "Oregon",
		"Oregon’s laws apply, other than those that lead elsewhere.":                            "Oregon",
		"Norwegian law is applicable, with the sales convention excluded.":                      "Norway",
		"Nevada law applies as though we both lived there.":                                     "Nevada",
		"We agree that Manx law governs.":                                                       "Isle of Man",
		"The law of Fiji is the law of this Contract.":                                          "Fiji",
		"The law that applies to our deal is that of Samoa.":                                    "Samoa",
		"The Lease is made under the laws of Iowa.":                                             "Iowa",
		"This Deed shall be construed as per the laws of Nepal.":                                "Nepal",
		"To the extent federal law does not control, the law of Maine does.":                    "Maine",
		"Each party submits to the courts of Tasmania, the law of which governs this deed.":     "Tasmania",
		"Each party submits to the courts sitting in Queensland, whose law governs this lease.": "Queensland",
		"Everything here is subject to Welsh law.":                                              "Wales",
		"Law and disputes: Irish law, with arbitration in Cork.":                                "Ireland",
		"The lease is to be read under Victorian law.":                                          "Victoria",
		"Any suit is brought in Salem, and Oregon law shall rule.":                              "Oregon",
		"Oregon law covers everything.":                                                         "Oregon",
		"This Note and what follows from it take their law from Malta.":                         "Malta",
		"We use the law of Ontario.":                                                            "Ontario",
		"These terms and any dispute about them are under Scots law.":                           "Scotland",
		"Questions are dealt with under Irish law.":                                             "Ireland",
		"If we fall out, English law decides who is right.":                                     "England",
		"English law it is.":                                                 "England",
		"Nevada law is what counts.":                                         "Nevada",
		"The law of Quebec is applicable hereto.":                            "Quebec",
		"This lease follows the law of Alberta.":                             "Alberta",
		"This agreement is to be understood according to the laws of India.": "India",
		"The parties agree that Texas law will be used.":                     "Texas",
		"Law of the contract: Swiss law.":                                    "Switzerland",
		"Governing law is English.":                                          "England",
		"Law and Jurisdiction: England":                                      "England",
		"LAW GOVERNING: Illinois":                                            "Illinois",
		"Choice of Law: Nevada":                                              "Nevada",
		"This Agreement, signed in the State of Idaho, shall be construed in accordance with the laws of such state.": "the State of Idaho",
	} {
		if got, _ := chosen(t, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestOtherLaws shows that laws in other roles are not chosen: those of companies,
// fields and void provisions, and phrases about no law in particular.
func TestOtherLaws(t *testing.T) {
	for _, text := range []string{
		"United States Law.",
		"This Agreement is made by and between Elm AB, a company under the laws of Sweden, and Oak Ltd.",
		"Disputes about the interpretation of this Lease, whether by operation of law or otherwise, shall be heard in Ohio.",
		"The license is not to be construed as consent to use the lamps under Kenyan law.",
		"This Agreement is subject to the export control laws of Canada.",
		"Inventorship of all inventions shall be determined in accordance with the patent laws of Japan.",
		"If a provision of this Agreement is determined to be void under the laws of Peru, the others remain.",
		"Any law that would require the interpretation of this Agreement against its author does not count in China.",
		"If there is no published law in Chile governing a matter of this Contract, custom decides.",
		"The Shop shall be run so that it complies with the applicable laws of Spain that are known to Oak.",
		"Nothing in this Agreement shall be construed to make Elm a partner of Oak for purposes that the laws of Kenya define.",
		"A judgment may be enforced in other places in a manner specified by law, such as that of Ohio.",
		"If German law applies, and the parties have not agreed otherwise, Elm bears the risk.",
		"Elm pays the tax where Danish law applies, and each party keeps the receipts.",
		"German law applies the same rule.",
		"The tenant must follow the law of Alberta.",
		"Workers in Spain keep rights that Spanish law gives them.",
		"A holiday is a day on which banks close under French law.",
		"To the extent that Ohio law allows, the fees are final.",
		"Except where Ohio law says otherwise, deposits are returned in 30 days.",
		"If Utah law controls, the notice is longer.",
		"Elm keeps the tools safe, and Ohio law applies penalties to those who do not.",
		"The seller knows the law of Peru and applies it.",
		"The boxes on the list are governed by the State of Texas.",
	} {
		if got, _ := chosen(t, text); got != "" {
			t.Errorf("%q: got %q, want none", text, got)
		}
	}
}

// TestPlaces shows that places are known by their adjectives, abbreviations and old or
// damaged spellings, and that the state counts of a federal country and its state.
func TestPlaces(t *testing.T) {
	for place, want := range map[string]string{
		"Texas and federal law": "Texas", "Dutch and European law": "the Netherlands", "U.S. law": "United States of America", "Ohio statutes and law": "Ohio",
		"Ontario law and the laws of Canada":                                  "Ontario",
		"South African law":                                                   "South Africa",
		"British law":                                                         "United Kingdom",
		"Dutch civil law":                                                     "the Netherlands",
		"New York state law":                                                  "New York",
		"P.R.C. laws":                                                         "the People's Republic of China",
		"the laws of P.R. China":                                              "the People's Republic of China",
		"the laws of the People’s Republic of China":                          "People's Republic of China",
		"the laws of the Republic of China":                                   "Taiwan",
		"the laws of the U.K., as they stand":                                 "United Kingdom",
		"the laws of the State of NewYork":                                    "the State of New York",
		"the laws of the Federal Republic of Germany":                         "the Federal Republic of Germany",
		"the laws of Canada and of the Province of Ontario":                   "the Province of Ontario",
		"the federal laws of Canada applicable in British Columbia":           "British Columbia",
		"the laws of the United States and the State of Utah":                 "the State of Utah",
		"the laws of Australia and Mexico":                                    "Australia",
		"the laws of Canada, and the parties submit to the courts of Ontario": "Canada",
		"the laws of Trinidad and Tobago":                                     "Trinidad and Tobago",
		"the laws of the state where the goods arrive":                        "",
	} {
		if got, _ := chosen(t, "This Agreement shall be governed by "+place+"."); got != want {
			t.Errorf("%q: got %q, want %q", place, got, want)
		}
	}
}

// TestSeveralLaws shows which of several laws in one sentence is the chosen one.
func TestSeveralLaws(t *testing.T) {
	for text, want := range map[string]string{
		"Whatever the laws of Ohio say, this Lease shall be governed by the laws of Utah.":                                                "Utah",
		"This Agreement is governed by the federal law of the United States and, where that is silent, by the law of the State of Maine.": "the State of Maine",
		"This Agreement is governed by the laws of Kenya in Africa, and by the laws of Ohio in America.":                                  "Kenya",
		"The laws of Iowa govern this Agreement and how it is to be construed.":                                                           "Iowa",
	} {
		if got, _ := chosen(t, text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestPlaceAfterHeading shows that a place alone is the law if a heading before it says so.
func TestPlaceAfterHeading(t *testing.T) {
	for text, want := range map[string]string{
		"Governing Law. State of Utah.": "the State of Utah", "Governing Law\n\nUtah": "Utah", "What law applies?\n\nScots law.": "Scotland", "Which law applies? Scots law.": "Scotland", "Law & Courts\n\nUtah": "Utah", "Delivery. State of Utah.": "",
	} {
		d := rulestest.Read(text + "\n")
		last := d.Sentences[len(d.Sentences)-1]
		if got, _, _ := law.Chosen(d, last); len(d.Sentences) != 2 || got != want {
			t.Errorf("%q: got %q in the last of %d sentences, want %q", text, got, len(d.Sentences), want)
		}
	}
}

// TestSite shows that the law of the place where something is has the name of that place,
// if the document has it.
func TestSite(t *testing.T) {
	const chosen = "The law of the place where the Project is located governs."
	for text, want := range map[string]string{
		"Project: Ice Rink, Dover, Delaware\n\n" + chosen: "Delaware",
		"The premises are situated at 1 Elm Road, Perth, Western Australia.\n\n" + "This lease is governed by the law of the state in which the premises are situated.": "Western Australia",
		"Elm lives in Ohio.\n\n" + chosen: "",
	} {
		d := rulestest.Read(text + "\n")
		last := d.Sentences[len(d.Sentences)-1]
		if got, _, _ := law.Chosen(d, last); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestSurest shows that a sentence about this contract counts more than one about an
// opinion or another paper.
func TestSurest(t *testing.T) {
	_, own := chosen(t, "This Agreement shall be construed in accordance with the laws of the State of Maine.")
	for _, text := range []string{
		"Such opinion shall be limited to matters governed by the laws of the State of Ohio.",
		"The arbitrators shall apply the laws of the State of Ohio.",
	} {
		if _, other := chosen(t, text); other == 0 || other >= own {
			t.Errorf("%q: got %v, want less than %v", text, other, own)
		}
	}
}

func TestWithCountry(t *testing.T) {
	for place, want := range map[string]string{
		"the Province of Ontario": "the Province of Ontario, Canada", "Queensland": "Queensland, Australia", "the State of Ohio": "the State of Ohio", "Canada": "Canada",
	} {
		if got := law.WithCountry(place); got != want {
			t.Errorf("%q: got %q, want %q", place, got, want)
		}
	}
}
