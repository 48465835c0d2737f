package questions_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/reviewed"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// mutual is a confidentiality agreement.
const mutual = `MUTUAL NON-DISCLOSURE AGREEMENT

This Non-Disclosure Agreement is made on 3 May 2023 between Alder Mills Ltd. and Birch Foods Inc. (each a "Receiving Party" or a "Disclosing Party").

1. Definition. "Confidential Information" means all business and technical information that the Disclosing Party discloses to the Receiving Party, whether orally, in writing or in any other form.

2. Use. The Receiving Party shall use the Confidential Information solely for the purpose of evaluating the transaction between the parties.

3. Employees. The Receiving Party may disclose Confidential Information to its employees who need to know it and are bound by obligations of confidentiality.

4. Compelled disclosure. If the Receiving Party is required by law or court order to disclose Confidential Information, it shall give the Disclosing Party prompt written notice so that the Disclosing Party may seek a protective order.

5. No license. Nothing in this Agreement grants the Receiving Party any license or other right to the Confidential Information, except the right to use it as stated above.

6. Exceptions. Confidential Information does not include information that the Receiving Party independently develops without use of the Confidential Information, or receives from a third party without restriction.

7. Law. This Agreement is governed by the laws of Ireland.
`

// TestReviewed shows that statements and questions about what reviewers of confidentiality
// agreements look for are answered with the passages that the weights find, whatever their words.
func TestReviewed(t *testing.T) {
	for statement, want := range map[string]string{
		"Receiving Party shall not use any Confidential Information for any purpose other than the purposes stated in Agreement.": "solely for the purpose",
		"The recipient may share the information with its staff.":                                                                 "to its employees",
		"Can the recipient show the information to its staff?":                                                                    "to its employees",
		"Must the recipient tell the discloser when a court orders it to hand something over?":                                    "prompt written notice",
		"Does the recipient get a license?":                                                                                       "Nothing in this Agreement grants",
		"Is spoken information covered?":                                                                                          "whether orally",
		"May the recipient independently develop similar products?":                                                               "independently develops",
	} {
		q := questions.New(structure.Read(&layout.Document{Text: mutual}), "")
		q.SetSecrecy(learn.Secrecy())
		found := q.Answers(statement)
		if len(found) == 0 || !strings.Contains(mutual[found[0].Span.Start:found[0].Span.End], want) {
			t.Errorf("%s: got %+v, want the sentence with %q", statement, found, want)
			continue
		}
		f := found[0]
		if f.Item.Message != statement || f.Item.Value == nil || f.Confidence < 0.3 || f.Confidence > 1 || !strings.Contains(f.Reasoning, "What weighed most: \"") {
			t.Errorf("%s: got %+v", statement, f)
		}
	}
}

// TestReviewedExistence shows that a question whether there is a provision is answered with yes by
// a passage that is one, and not by one that denies it.
func TestReviewedExistence(t *testing.T) {
	for question, want := range map[string]bool{
		"Is there a provision about disclosures that are required by law?": true,
		"Is there any license?": false,
	} {
		q := questions.New(structure.Read(&layout.Document{Text: mutual}), "")
		q.SetSecrecy(learn.Secrecy())
		found := q.Answers(question)
		if len(found) == 0 || (*found[0].Item.Value == "Yes") != want || want && found[0].Confidence > 0.5 {
			t.Errorf("%s: got %+v", question, found)
		}
	}
}

// TestNotReviewed shows that statements are answered by the words that they share with sentences
// if they are about something else, in other contracts, and without weights.
func TestNotReviewed(t *testing.T) {
	const statement = "The recipient may share the information with its employees."
	lease := strings.NewReplacer("NON-DISCLOSURE AGREEMENT", "LEASE", "Non-Disclosure Agreement", "Lease", "Confidential Information", "Premises", "disclos", "let", "Disclos", "Lett", "confidentiality", "care").Replace(mutual)
	for name, tt := range map[string]struct {
		text, statement string
		weights         *learn.Model
	}{
		"a lease":        {lease, statement, learn.Secrecy()},
		"no weights":     {mutual, statement, nil},
		"another matter": {mutual, "This Agreement was made between Alder Mills and Birch Foods in spring.", learn.Secrecy()},
	} {
		q := questions.New(structure.Read(&layout.Document{Text: tt.text}), "")
		q.SetSecrecy(tt.weights)
		for _, f := range q.Answers(tt.statement) {
			if strings.Contains(f.Reasoning, "reviewers") {
				t.Errorf("%s: got %+v", name, f)
			}
		}
	}
}

// TestVotes shows that every matter has votes of its own, which rules give to sentences.
func TestVotes(t *testing.T) {
	var all learn.Votes
	for _, m := range reviewed.Matters {
		if v := questions.VotesOf(m.Name); v == 0 || all&v != 0 {
			t.Errorf("%s has the votes %b", m.Name, v)
		}
		all |= questions.VotesOf(m.Name)
	}
	if questions.VotesOf("Insurance") != 0 {
		t.Error("a name of no matter has votes")
	}
	d := structure.Read(&layout.Document{Text: mutual})
	for i, v := range questions.VotesOn(d) {
		if has := v&questions.VotesOf("No licensing") != 0; has != strings.Contains(d.Quote(d.Sentences[i].Span), "license or other right") {
			t.Errorf("%s: got votes %b", d.Quote(d.Sentences[i].Span), v)
		}
	}
}
