package reviewed_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions/reviewed"
)

// TestMatters shows which matter statements and questions are about.
func TestMatters(t *testing.T) {
	for _, m := range reviewed.Matters {
		if got := nameOf(strings.ToLower(m.Statement)); got != m.Name {
			t.Errorf("%s: it is about %q, want %q", m.Statement, got, m.Name)
		}
	}
	for text, want := range map[string]string{
		"receiving party shall not disclose the fact that agreement was agreed or negotiated.":                                       "Confidentiality of Agreement",
		"must the parties keep the existence of the agreement secret?":                                                               "Confidentiality of Agreement",
		"receiving party may acquire information similar to confidential information from a third party.":                            "Permissible acquirement of similar information",
		"receiving party shall destroy or return some confidential information upon the termination of agreement.":                   "Return of confidential information",
		"receiving party may retain some confidential information even after the return or destruction of confidential information.": "Permissible post-agreement possession",
		"can the recipient keep a copy after returning the rest?":                                                                    "Permissible post-agreement possession",
		"may the receiving party make copies?":                                                                                       "Permissible copy",
		"can the information be used for any other purpose?":                                                                         "Limited use",
		"can the information be used for purposes other than the evaluation?":                                                        "Limited use",
		"may the recipient decompile the software?":                                                                                  "No reverse engineering",
		"will the recipient hire our people?":                                                                                        "No solicitation",
		"the duties of confidentiality continue after termination.":                                                                  "Survival of obligations",
		"does a subpoena override the agreement?":                                                                                    "Notice on compelled disclosure",
		"must documents be marked?":                                                                                                  "Explicit identification",
		"may we share it with anyone else?":                                                                                          "Sharing with third-parties",
		"is the recipient required to pay the costs of the court?":                                                                   "",
		"may it be disclosed if required under a statute or by a court?":                                                             "Notice on compelled disclosure",
		"what is the governing law?":                                                                                                 "",
		"how many days does the recipient have to pay?":                                                                              "",
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%s: it is about %q, want %q", text, got, want)
		}
	}
}

// nameOf returns the name of the matter that a text is about, "" for none.
func nameOf(text string) string {
	m, _ := reviewed.Of(text)
	return m.Name
}
