package liability

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// Limits for the value of a limit, in bytes.
const (
	maxLimitPhrase   = 200
	maxLimitSentence = 300
)

// Patterns for the amount that liability is limited to.
var (
	// ofTwo matches a limit that is one of several amounts.
	ofTwo = regexp.MustCompile(`(?i)\b(?:the\s+)?(?:greater|greatest|larger|largest|lesser|least|smaller|smallest|higher|highest|lower|lowest)\s+of\b`)
	// capPhrase matches the text before the amount of a limit, or before its description
	// in words.
	capPhrase = regexp.MustCompile(`(?i)\b(?:exceed(?:s|ing)?|(?:go|extend)\s+beyond|tops?\s+out\s+at|(?:limited|restricted|confined)(?:,[^,;]{0,60},)?\s+(?:to|at|in\s+\w+\s+to)|capped\s+(?:at|to)|in\s+excess\s+of|(?:more|greater|higher|larger)\s+than|at\s+most|maximum\s+of|limit\s+of|up\s+to|` +
		`the\s+most\b[^.;]{0,120}?\s(?:is|will\s+be)|(?:cap|ceiling|limit)\b[^;]{0,60}?\s(?:increased|raised|reduced|lowered|changed)\s+to|(?:amount|sum)s?\s+equal\s+to|` +
		`(?:maximum|aggregate|total|overall)\s+(?:\w+\s+){0,2}liability\b[^.;]{0,80}?(?:\s(?:is|are|shall\s+be|will\s+be)\b|:)|limit\s+of\s+liability\b[^.;]{0,60}?(?:\sis|\sshall\s+be|:))\s+`)
	notLimited = regexp.MustCompile(`(?i)\bnot\s+limited\s+to\s+$`)
	// phraseEnd matches the end of a description in words. A period within a number does
	// not match.
	phraseEnd = regexp.MustCompile(`[;]|\.(?:\s|$)|,?\s+(?:provided|except|unless|regardless|whether|even\s+if|and\s+in\s+no\s+event)\b`)
)

// limitValue returns what liability is limited to, or what is excluded, in the words of
// the text. If neither is found, it returns the sentence.
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

// capOf returns the amount of a limit or its description in words, "" if there is none.
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

// limitPhrase returns the position of the words before the amount of a limit, nil if
// there are none. "not limited to" does not count.
func limitPhrase(quote string) []int {
	for _, m := range capPhrase.FindAllStringIndex(quote, 8) {
		if !notLimited.MatchString(quote[:m[1]]) {
			return m
		}
	}
	return nil
}

// phrase returns s up to the end of its first clause.
func phrase(s string) string {
	if m := phraseEnd.FindStringIndex(s); m != nil {
		s = s[:m[0]]
	}
	return strings.TrimRight(cutWords(passage.OneLine(s), maxLimitPhrase), " ,(.")
}

// cutWords truncates s to at most n bytes, at a word boundary.
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
