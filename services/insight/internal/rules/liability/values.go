package liability

import (
	"regexp"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// Bounds of what is said of a limit, in bytes.
const (
	maxLimitPhrase   = 200
	maxLimitSentence = 300
)

// How sentences name what liability is limited to.
var (
	// ofTwo limits liability to one of several amounts.
	ofTwo = regexp.MustCompile(`(?i)\b(?:the\s+)?(?:greater|greatest|lesser|least|higher|highest|lower|lowest)\s+of\b`)
	// capPhrase is what stands before the amount of a limit, or before the words for
	// one.
	capPhrase = regexp.MustCompile(`(?i)\b(?:exceed(?:s|ing)?|limited\s+(?:to|at|in\s+\w+\s+to)|capped\s+(?:at|to)|in\s+excess\s+of|more\s+than|greater\s+than|maximum\s+of|up\s+to|(?:amount|sum)s?\s+equal\s+to|` +
		`(?:maximum|aggregate|total|overall)\s+(?:\w+\s+){0,2}liability\b[^.;]{0,80}?(?:\s(?:is|are|shall\s+be|will\s+be)\b|:)|limit\s+of\s+liability\b[^.;]{0,60}?(?:\sis|\sshall\s+be|:))\s+`)
	notLimited = regexp.MustCompile(`(?i)\bnot\s+limited\s+to\s+$`)
	// phraseEnd ends the words for an amount: a stop that is none of a number.
	phraseEnd = regexp.MustCompile(`[;]|\.(?:\s|$)|,?\s+(?:provided|except|unless|regardless|whether|even\s+if|and\s+in\s+no\s+event)\b`)
)

// limitValue returns what liability is limited to, or what is excluded, in the
// words of the text; where these cannot be told apart, the sentence.
func limitValue(kind, text, quote string) string {
	var value string
	switch kind {
	case insightapi.LimitCap:
		value = capOf(quote)
	case insightapi.LimitExclusion:
		if value = strings.Join(distinct(excluded.FindAllString(text, 12)), ", "); value == "" {
			value = onlyRemedy.FindString(text)
		}
	default:
		value = strings.Join(distinct(exceptions.FindAllString(text, 12)), ", ")
	}
	if value == "" {
		return cutWords(quote, maxLimitSentence)
	}
	return value
}

// capOf returns the amount of a limit, or the words for it, "" where there are
// none.
func capOf(quote string) string {
	if m := ofTwo.FindStringIndex(quote); m != nil {
		return phrase(quote[m[0]:])
	}
	if m := threshold.FindStringIndex(quote); m != nil {
		quote = quote[m[1]:]
	}
	amounts := money.Find(quote, 8)
	at := limitPhrase(quote)
	for _, a := range amounts {
		if at == nil || a.Start >= at[0] {
			return passage.OneLine(quote[a.Start:a.End])
		}
	}
	if at != nil {
		return phrase(quote[at[1]:])
	}
	if len(amounts) > 0 {
		return passage.OneLine(quote[amounts[0].Start:amounts[0].End])
	}
	return ""
}

// limitPhrase returns where the words are that stand before the amount of a limit,
// nil for nowhere: "not limited to" are none.
func limitPhrase(quote string) []int {
	for _, m := range capPhrase.FindAllStringIndex(quote, 8) {
		if !notLimited.MatchString(quote[:m[1]]) {
			return m
		}
	}
	return nil
}

// phrase returns the beginning of s up to where its clause ends.
func phrase(s string) string {
	if m := phraseEnd.FindStringIndex(s); m != nil {
		s = s[:m[0]]
	}
	return strings.TrimRight(cutWords(passage.OneLine(s), maxLimitPhrase), " ,(.")
}

// cutWords returns the first words of s that have at most n bytes.
func cutWords(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.LastIndexByte(s[:n], ' ')
	if cut < 0 {
		return strings.ToValidUTF8(s[:n], "")
	}
	return s[:cut]
}
