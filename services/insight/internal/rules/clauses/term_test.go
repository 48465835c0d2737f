package clauses_test

import (
	"testing"
)

// TestTermDescriptions shows that the description of a term says its length, but no other
// period.
func TestTermDescriptions(t *testing.T) {
	const uncertain = "The contract runs for a certain time."
	for text, want := range map[string]string{
		"This Agreement shall remain in effect for a period of two (2) years from its date.":                           "The contract runs for 2 years.",
		"The initial term of this Agreement is one year, and it shall be renewed for three years.":                     "The contract runs for 1 year.",
		"Unless renewed for three years, the term of this Agreement shall continue for eighteen months.":               "The contract runs for 18 months.",
		"Your engagement runs for nine months from the date of this letter.":                                           "The contract runs for 9 months.",
		"The term of this Agreement shall be until 3 May 2031.":                                                        uncertain,
		"This Agreement shall be renewed for further terms of three years each.":                                       uncertain,
		"This Agreement remains in force until terminated by a party on not less than two months' notice.":             uncertain,
		"This Agreement remains in force until the earlier of two years from its date and the sale of the mill.":       uncertain,
		"This Agreement remains in effect until the later of two years from its date and the completion of the works.": uncertain,
	} {
		found := stated(t, text+"\n", "Term")
		if len(found) != 1 || found[0].Item.ClauseDescription != want {
			t.Errorf("%q: got %+v, want %q", text, found, want)
		}
	}
}
