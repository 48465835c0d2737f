package verify

import (
	"regexp"
	"strings"
)

// negative are words that turn what is said into its opposite, in the languages of most
// contracts. "non" is also the prefix in "non-exclusive".
var negative = map[string]bool{
	"not": true, "no": true, "non": true, "never": true, "neither": true, "nor": true, "none": true, "nothing": true, "nobody": true, "cannot": true,
	"prohibit": true, "prohibits": true, "prohibited": true, "forbid": true, "forbids": true, "forbidden": true, "precluded": true, "barred": true,
	"refuse": true, "refuses": true, "void": true, "invalid": true, "unenforceable": true, "exclude": true, "excludes": true, "excluded": true,
	"nicht": true, "nein": true, "kein": true, "keine": true, "keinen": true, "keinem": true, "keiner": true, "keines": true, "nie": true, "niemals": true, "weder": true,
	"ne": true, "pas": true, "aucun": true, "aucune": true, "jamais": true, "ni": true, "nunca": true, "ningún": true, "ninguna": true, "mai": true, "nessun": true, "nessuna": true,
}

var (
	// bounds matches phrases in which a negation only says which way a limit goes, and
	// bounded a word of such a phrase.
	bounds  = regexp.MustCompile(`(?i)\b(?:not|no)\s+(?:(?:be\s+)?(?:less|more|later|earlier|fewer|greater|longer|sooner)\s+than|exceed(?:ing)?)\b`)
	bounded = regexp.MustCompile(`(?i)\b(?:than|exceed\w*)\b`)
)

// negations returns how many negations a text has. Those of limits, as in "not less than
// 30 days", do not count if the answer leaves out the whole limit: "30 days".
func negations(text, answer string) int {
	if !bounded.MatchString(answer) {
		text = bounds.ReplaceAllString(text, " ")
	}
	n := 0
	for _, w := range wordsOf(text) {
		if negative[w.lower] || strings.HasSuffix(w.lower, "n't") || strings.HasPrefix(w.lower, "n'") {
			n++
		}
	}
	return n
}
