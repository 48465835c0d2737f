package questions_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// termQuestions ask in several ways how long a contract lasts.
var termQuestions = []string{
	"What is the term of the agreement?", "How long does this Agreement last?", "What is the duration of the Agreement?", "Term", "term of the agreement",
}

// first returns the value of the best answer to a question, "" for none.
func first(text, question string) string {
	if got := questions.New(rulestest.Read(text), "").Answers(question); len(got) > 0 {
		return *got[0].Item.Value
	}
	return ""
}

// TestTerm shows which sentences say how long a contract lasts, and how the answer is written.
// An empty value means that the whole sentence is the answer.
func TestTerm(t *testing.T) {
	for _, tt := range []struct{ sentence, value string }{
		{"This Agreement shall run for a period of two (2) years from its start.", "two (2) years"},
		{"The Agreement is valid for four years.", "four years"},
		{"The term of this Agreement is thirty (30) months.", "thirty (30) months"},
		{"The Miller grinds wheat for an initial period of 36 months.", "36 months"},
		{"Unless a party breaches it, this Agreement shall cease to be effective six years after the launch.", "six years"},
		{"The terms of this Agreement shall lapse nine months after the sale of the mill.", "nine months"},
		{"This Agreement will end _______ (if left blank, two years) after the last visit.", "two years"},
		{"This Agreement remains in force for [five (5)] years.", "five (5) years"},
		{"This Agreement remains in force until the earlier of three years from today and the sale of the mill.", "three years"},
		{"This Agreement remains in force until the earliest of:\n\n(a) three years from today; or\n\n(b) the sale of the mill.", "three years"},
		{"This Agreement shall continue for a period of eighteen\n\n(18) months from today.", "eighteen (18) months"},
		{"This Agreement lasts three years and may be renewed for one further year on two months' notice.", "three years"},
		{"This Agreement remains in force until the later of three years from today and the sale of the mill.", ""},
		{"This Agreement is valid for an indefinite time.", ""},
		{"The term of this Agreement shall continue until the harvest is over.", ""},
		{"This Agreement remains in force for so long as the mill grinds wheat.", ""},
		{"This Agreement shall continue for the duration of the lease of the mill.", ""},
		{"This Agreement shall terminate upon the completion of the new mill.", ""},
		{"This Agreement terminates on the third anniversary of the launch.", "third anniversary of the launch"},
		{"This Agreement shall terminate automatically on the first to occur of a flood and a fire.", ""},
		{"This Agreement continues until terminated by a party on two months' notice.", ""},
	} {
		want := tt.value
		if want == "" {
			want = tt.sentence
		}
		for _, question := range termQuestions {
			if got := first("MILLING AGREEMENT\n\n1. The Miller grinds wheat for the Baker.\n\n2. "+tt.sentence+"\n", question); got != want {
				t.Errorf("%q: %q: got %q, want %q", tt.sentence, question, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"Term: two (2) years from today\n\n1. The Miller grinds wheat.":                                                           "two (2) years",
		"Term: the Miller grinds wheat for the Baker, who pays two years later\n\n1. The wheat is clean.":                         "",
		"This Agreement is made on 5 May 2021.\n\n1. It shall be effective on 6 May 2021 and shall have a duration of two years.": "two years",
	} {
		if got := first("MILLING AGREEMENT\n\n"+text+"\n", "Term"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestNoTerm shows that a question about the term is not answered with provisions, defined
// words, or the length of something else.
func TestNoTerm(t *testing.T) {
	for _, sentence := range []string{
		"The Miller grinds wheat, subject to the terms and conditions of this Agreement.",
		"If any term of this Agreement is invalid, the other terms remain in force.",
		`The term "Flour" shall be read to include bran that is at most two years old.`,
		"During the term of this Agreement and for two years thereafter, the Miller keeps its books.",
		"While this Agreement is in force, the Miller cleans the mill for two years.",
		"This Agreement shall be renewed for two years.",
		"The Miller keeps all recipes secret under this Agreement for two years.",
		"The Miller gives a warranty for an initial period of two years.",
		"The payment term is two months.",
		"Obligations under this Agreement shall continue for two years after its termination.",
		"This Agreement has given the Baker a perpetual license to use the recipes.",
		"This Agreement shall not be effective until both parties have signed it.",
		"This Agreement shall have no effect until both parties have signed it.",
		"The parties may continue this Agreement for an additional two years.",
		"This Agreement binds the heirs of the Miller for two years after its termination.",
		"The Miller read this Agreement two years ago.",
		"The Miller must bring a claim under this Agreement within two years.",
	} {
		for _, question := range termQuestions {
			if got := first("MILLING AGREEMENT\n\n1. The Miller grinds wheat for the Baker.\n\n2. "+sentence+"\n", question); got != "" {
				t.Errorf("%q: %q: got %q, want no answer", sentence, question, got)
			}
		}
	}
}

// TestQuoteOfTerm shows that the quote of a term has no text before its sentence.
func TestQuoteOfTerm(t *testing.T) {
	const sentence = "This Agreement runs for two years."
	d := rulestest.Read("MILLING AGREEMENT\n\n1. The Miller grinds wheat for the Baker, who pays for it\n\n2. " + sentence + "\n")
	if got := rulestest.Quotes(d, questions.New(d, "").Answers("Term")); len(got) != 1 || got[0] != sentence {
		t.Errorf("got %q, want %q", got, sentence)
	}
}

// TestSureTerms shows that a sentence from which another rule counts the end of the contract is
// a surer answer than one that only states a term.
func TestSureTerms(t *testing.T) {
	const made = "MILLING AGREEMENT\n\nThis Agreement is made on 5 May 2021.\n\n1. The term of this Agreement is four years"
	dated := questions.New(rulestest.Read(made+" from the date of this Agreement.\n"), "").Answers("Term")
	other := questions.New(rulestest.Read(made+" from the first harvest.\n"), "").Answers("Term")
	if len(dated) != 1 || len(other) != 1 || dated[0].Confidence <= other[0].Confidence {
		t.Errorf("got %+v and %+v, want one answer each, the first with more confidence", dated, other)
	}
}

// TestTermBesidesCountedDays shows that a day that is counted from the length of another duty
// is no answer besides the term.
func TestTermBesidesCountedDays(t *testing.T) {
	const text = `MILLING AGREEMENT

This Agreement is made on 5 May 2021.

1. Until the earlier of the sale of the mill and two years from the date of this Agreement, the Baker will not hire its staff.

2. The term of this Agreement is four years from the date of this Agreement.
`
	for _, question := range termQuestions {
		got := questions.New(rulestest.Read(text), "").Answers(question)
		if len(got) == 0 || *got[0].Item.Value != "four years" || got[0].Confidence < 0.6 {
			t.Errorf("%q: got %+v, want %q first", question, got, "four years")
		}
	}
}

// TestTermOfOtherThings shows that the term of the contract does not answer a question about the
// duration of something else.
func TestTermOfOtherThings(t *testing.T) {
	if got := first("MILLING AGREEMENT\n\n1. The term of this Agreement is thirty months.\n", "How long does the guarantee last?"); got != "" {
		t.Errorf("got %q, want no answer", got)
	}
}

// TestTermOfConfidentiality shows that a contract about confidentiality lasts as long as its
// duty to keep information confidential, unless it states a term of its own.
func TestTermOfConfidentiality(t *testing.T) {
	const title, own = "MUTUAL NON-DISCLOSURE AGREEMENT\n\n", "2. This Agreement is effective for a period of one year.\n\n"
	const duty = "3. The obligations of the Recipient hereunder shall survive and continue for five (5) years after the last visit.\n"
	const about = "The Recipient keeps Confidential Information of the Discloser. Confidential Information has a red label.\n\n"
	for name, tt := range map[string]struct{ text, want string }{
		"duty":                   {title + duty, "five (5) years"},
		"duty by its sentences":  {about + strings.Replace(duty, "hereunder", "of confidentiality", 1), "five (5) years"},
		"own term":               {title + own + duty, "one year"},
		"own term after duty":    {title + duty + own, "one year"},
		"after the contract":     {title + strings.Replace(duty, "the last visit", "the termination of this Agreement", 1), ""},
		"outlives the contract":  {title + "3. The obligations of the Recipient shall survive the expiration of this Agreement for two years.\n", ""},
		"outlives the talks":     {title + "3. The obligations of the Recipient shall survive the termination of talks and last for two years.\n", "two years"},
		"forever":                {title + "3. The Recipient shall keep the Information confidential indefinitely.\n", "The Recipient shall keep the Information confidential indefinitely."},
		"forever after the end":  {title + "3. The Recipient shall keep the Information confidential indefinitely after the termination of this Agreement.\n", ""},
		"another kind":           {"SUPPLY AGREEMENT\n\n1. The Seller sells flour.\n\n" + strings.Replace(duty, "hereunder", "of confidentiality", 1), ""},
		"another kind, one part": {"SUPPLY AGREEMENT\n\n1. The Seller sells flour to the Buyer at list prices.\n\n2. " + about + "3. Flour is sold in bags.\n\n4. Bags are returned.\n\n" + duty, ""},
	} {
		for _, question := range termQuestions {
			if got := first(tt.text, question); got != tt.want {
				t.Errorf("%s: %q: got %q, want %q", name, question, got, tt.want)
			}
		}
	}
	if got := first(title+duty, "When does the agreement expire?"); !strings.Contains(got, "five (5) years") {
		t.Errorf("the end of the agreement: got %q, want the sentence about the duty", got)
	}
}
