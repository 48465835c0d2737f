package questions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// leased is a lease with misleading passages.
const leased = `LEASE AGREEMENT

This Lease Agreement is made on 4 May 2021 between Willow Estates Ltd (the "Landlord") and Poppy Bakers plc (the "Tenant").

1. Term

1.1 The term of this Lease begins on 1 June 2021 and expires on 31 May 2026.

2. Rent

2.1 The Tenant shall pay a monthly rent of £4,750 on the first day of each month.

2.2 The Tenant shall pay a security deposit of £9,500 before it takes possession.

3. Insurance and laws

3.1 The Tenant shall keep the premises insured against fire with a reputable insurer.

3.2 The Tenant shall comply with all laws on health and safety that apply to the premises.

3.3 This Lease is governed by the laws of England and Wales.

4. Use

4.1 The Tenant shall keep the common stairs clean and free of boxes.

IN WITNESS WHEREOF the parties have executed this Lease Agreement.

WILLOW ESTATES LTD
By: ______________
Name: Greta Holm
Title: Director
`

// answer checks that the first answer to a question has a value and a quote that contains a text, or
// that there is none if the value is "". It returns the confidence of the first answer.
func answer(t *testing.T, d *structure.Document, question, value, quote string) (confidence float64) {
	t.Helper()
	got := questions.New(d, "").Answers(question)
	for _, f := range got[:min(len(got), 1)] {
		if value == "" || *f.Item.Value != value || !strings.Contains(d.Quote(f.Span), quote) {
			t.Errorf("%q: got %q from %q, want %q from %q", question, *f.Item.Value, d.Quote(f.Span), value, quote)
		}
		confidence = f.Confidence
	}
	if value != "" && len(got) == 0 {
		t.Errorf("%q: no answer, want %q from %q", question, value, quote)
	}
	return confidence
}

// TestQuestions shows that the rules' findings answer questions in many wordings.
func TestQuestions(t *testing.T) {
	d := rulestest.Read(leased)
	for question, want := range map[string]string{
		"Which law governs this agreement?":                    "England and Wales",
		"What is the governing law?":                           "England and Wales",
		"governing law":                                        "England and Wales",
		"What law applies to this contract?":                   "England and Wales",
		"When does this lease expire?":                         "31 May 2026",
		"What is the end date of the contract?":                "31 May 2026",
		"How long is the term of the agreement?":               "31 May 2026",
		"When was the agreement signed?":                       "4 May 2021",
		"When does the lease start?":                           "1 June 2021",
		"Who are the parties?":                                 "Poppy Bakers plc",
		"Who is the landlord?":                                 "Willow Estates Ltd",
		"Who is the Tenant under this lease?":                  "Poppy Bakers plc",
		"How much is the monthly rent?":                        "£4,750",
		"What is the amount of the security deposit?":          "£9,500",
		"Is insurance required?":                               "insured against fire",
		"Who signs for Willow Estates?":                        "Greta Holm",
		"Must the tenant keep the stairs clean?":               "Yes",
		"Highlight the parts that are on \"Governing Law\".":   "England and Wales",
		"How much is the parking fee?":                         "",
		"How many elephants may the tenant keep in the house?": "",
		"Is there a non-compete?":                              "",
		"Can the lease be renewed?":                            "",
		"When were the stairs cleaned?":                        "",
	} {
		got := questions.New(d, "").Answers(question)
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%q: got %q, want no answer", question, rulestest.Quotes(d, got))
		case want != "" && (len(got) == 0 || want != "Yes" && !strings.Contains(d.Quote(got[0].Span), want) || !strings.Contains(*got[0].Item.Value, want)):
			t.Errorf("%q: got %q, want %q", question, rulestest.Quotes(d, got), want)
		}
	}
}

// TestQuestionsForClauses shows that a question about a kind of clause returns the
// clauses of that kind, even across line breaks.
func TestQuestionsForClauses(t *testing.T) {
	d := rulestest.Read("LEASE AGREEMENT\n\nIt is agreed that the tenant shall pay the termination\nfee of the lease in full when it leaves.\n")
	got := questions.New(d, "").Answers("Are there liquidated damages?")
	if len(got) != 1 || !strings.Contains(*got[0].Item.Value, "termination fee") {
		t.Errorf("got %+v", got)
	}
}

// TestShortAnswers shows that questions about names, titles and types get short answers.
func TestShortAnswers(t *testing.T) {
	d := rulestest.Read(leased)
	for question, want := range map[string]string{
		"What type of document is this?":    "Lease Agreement",
		"What is the document called?":      "LEASE AGREEMENT",
		"Who is the landlord?":              "Willow Estates Ltd",
		"Who are the signers of the lease?": "Greta Holm, Director, WILLOW ESTATES LTD",
	} {
		if got := questions.New(d, "").Answers(question); len(got) != 1 || *got[0].Item.Value != want {
			t.Errorf("%q: got %+v, want %q", question, got, want)
		}
	}
}

// TestKeywordAnswersHaveLowConfidence shows that an answer found by shared words alone
// has limited confidence.
func TestKeywordAnswersHaveLowConfidence(t *testing.T) {
	d := rulestest.Read(leased)
	for question, most := range map[string]float64{
		"Must the tenant keep the common stairs clean and free of boxes?": 0.6,
		"The Tenant shall keep the premises insured against fire.":        0.6,
		"Are there boxes?": 0.45,
	} {
		got := questions.New(d, "").Answers(question)
		if len(got) == 0 || got[0].Confidence > most {
			t.Errorf("%q: got %+v, want an answer with a confidence of at most %v", question, got, most)
		}
	}
}

// TestStatementsAreNotQuestions shows that a statement is looked up by its words even if
// it contains those of a known question.
func TestStatementsAreNotQuestions(t *testing.T) {
	d := rulestest.Read(leased)
	for _, f := range questions.New(d, "").Answers("The tenant shall comply with laws on health.") {
		if !strings.Contains(*f.Item.Value, "health and safety") {
			t.Errorf("got %q", *f.Item.Value)
		}
	}
}

// TestNoAnswers shows that headings, names and signature blocks answer nothing.
func TestNoAnswers(t *testing.T) {
	d := rulestest.Read(leased)
	for _, question := range []string{"Are insurance and laws a heading?", "Greta Holm director of Willow", "have the parties executed something in witness?"} {
		bad := rulestest.Quotes(d, questions.New(d, "").Answers(question))
		if slices.ContainsFunc(bad, func(s string) bool {
			return strings.Contains(s, "WITNESS") || strings.Contains(s, "Name:") || s == "Insurance and laws"
		}) {
			t.Errorf("%q: got %q", question, bad)
		}
	}
}
