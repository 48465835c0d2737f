package questions_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// secrecyQuestions ask in several ways how long information must be kept confidential.
var secrecyQuestions = []string{
	"How long do the confidentiality obligations last?", "How long must the information be kept confidential?", "What is the confidentiality period?",
	"How long do the obligations of confidentiality survive?", "What is the duration of the confidentiality obligations?",
}

// TestSecrecy shows which sentences say how long information must be kept confidential. An
// empty value means that the whole sentence is the answer.
func TestSecrecy(t *testing.T) {
	for _, tt := range []struct{ sentence, value string }{
		{"The obligations of confidentiality shall continue for two (2) years from today.", "two (2) years"},
		{"The duties in this part with respect to disclosed recipes shall expire five (5) years after the visit.", "five (5) years"},
		{"The confidentiality obligations survive the termination of this Agreement for a period of three years.", "three years"},
		{"The Baker keeps the recipes confidential and will not for a period of four years show or otherwise divulge them.", "four years"},
		{"During the term and for a period of two years thereafter, neither party shall disclose the recipes of the other.", "two years"},
		{"The Baker shall not, during a period of six years, disclose any recipe.", "six years"},
		{"The Baker holds all recipes in strict confidence until four years after the visit.", "four years"},
		{"The Baker takes care to prevent the disclosure of recipes for [three (3)] years.", "three (3) years"},
		{"The confidentiality period is 18 months from receipt of a recipe.", "18 months"},
		{"The term of confidentiality shall be two years.", "two years"},
		{"The duty of confidentiality shall be for two years.", "two years"},
		{"This Agreement remains in force for one year, and the duty of confidentiality continues for seven years.", "seven years"},
		{"The Baker shall keep the recipes secret in perpetuity.", ""},
		{"Without limitation of time, the Baker shall not disclose the recipes.", ""},
		{"The obligations of confidentiality remain in force until the recipes become public.", ""},
		{"The duty of confidentiality ends on the second anniversary of the visit.", ""},
		{"The confidentiality obligations shall survive the expiration of this Agreement.", ""},
	} {
		want := tt.value
		if want == "" {
			want = tt.sentence
		}
		for _, question := range secrecyQuestions {
			if got := first("MILLING AGREEMENT\n\n1. The Miller grinds wheat for the Baker.\n\n2. "+tt.sentence+"\n", question); got != want {
				t.Errorf("%q: %q: got %q, want %q", tt.sentence, question, got, want)
			}
		}
	}
}

// TestNoSecrecy shows that the length of something else does not answer how long information
// must be kept confidential.
func TestNoSecrecy(t *testing.T) {
	for _, sentence := range []string{
		"The term of this Agreement is two years.",
		"The Baker must keep the recipes secret, which are two years old.",
		"The Baker, who must not disclose the recipes, shall not solicit customers for two years.",
		"The Baker, who must not disclose the recipes, shall not compete for two years.",
		"The Baker, who must not disclose the recipes, shall not hire bakers for two years.",
		"The Baker, who must not disclose the recipes, shall employ guards for two years.",
		"The Baker shall keep confidential records for a period of two years.",
		"The Miller may audit how the Baker keeps the recipes secret for two years.",
		"The Baker shall maintain insurance for the loss of secret recipes for two years.",
		"The visits end two years after the day on which the Baker must not disclose recipes.",
		"The Baker shall not work for two years with people whom it knows through a disclosure of the Miller.",
		"Confidential Information means any recipe that was not disclosed for two years.",
		"The obligations of the Baker to clean the mill continue for two years.",
		"The Baker keeps the recipes secret until two months' notice is given.",
	} {
		for _, question := range secrecyQuestions {
			if got := first("MILLING AGREEMENT\n\n1. The Miller grinds wheat for the Baker.\n\n2. "+sentence+"\n", question); got != "" {
				t.Errorf("%q: %q: got %q, want no answer", sentence, question, got)
			}
		}
	}
}

// TestSecrecyAround shows that the title and the term of a contract, and the title of a section,
// help to say how long information must be kept confidential.
func TestSecrecyAround(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"section":       {"MILLING AGREEMENT\n\n1. Wheat\n\n1.1 The Miller grinds wheat.\n\n2. Confidentiality\n\n2.1 The obligations under this part shall survive for two years.\n", "two years"},
		"other section": {"MILLING AGREEMENT\n\n1. Wheat\n\n1.1 The Miller grinds wheat.\n\n2. Cleaning\n\n2.1 The obligations under this part shall survive for two years.\n", ""},
		"title":         {"CONFIDENTIALITY AGREEMENT\n\n1. The restrictions hereunder end two years after the visit.\n", "two years"},
		"term":          {"CONFIDENTIALITY AGREEMENT\n\n1. The term of this Agreement is two years.\n", "two years"},
	} {
		for _, question := range secrecyQuestions {
			if got := first(tt.text, question); got != tt.want {
				t.Errorf("%s: %q: got %q, want %q", name, question, got, tt.want)
			}
		}
	}
}

// TestHostileTerms shows that endless sentences about terms and duties are read, and that
// answers to them are in the document.
func TestHostileTerms(t *testing.T) {
	for _, piece := range []string{
		"this agreement for two years or ", "the term of this agreement, ", "confidential obligations shall survive ", "not disclose for two years, ", "until the earlier of: ",
		"unless terminated ", "the term [", "(2) years ", "keep secret until ", "survive termination of ", "İthe term of this agreement is two years ",
	} {
		text := "NON-DISCLOSURE AGREEMENT\n\n1. " + strings.Repeat(strings.Repeat(piece, 4000/len(piece)-5)+".\n\n", 20) + strings.Repeat(piece, 3000)
		d := rulestest.Read(text)
		for _, question := range append(termQuestions, secrecyQuestions...) {
			for _, f := range questions.New(d, "").Answers(question) {
				if f.Span.Start < 0 || f.Span.End > len(d.Text) || f.Span.Len() <= 0 || *f.Item.Value == "" || f.Confidence <= 0 || f.Confidence > 1 {
					t.Errorf("%q: %q: got %+v", piece, question, f)
				}
			}
		}
	}
}
