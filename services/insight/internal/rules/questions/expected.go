package questions

import (
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// expected is the kind of value that a question asks for.
type expected int

// The kinds of values.
const (
	// anything is answered with a whole sentence.
	anything expected = iota
	length
	share
	amount
	day
	count
	agent
	ruling
	place
	// verdict is answered with yes or no.
	verdict
)

// Patterns for what a question asks for, on one line in lower case.
var (
	asksLength = regexp.MustCompile(`\bhow (?:long|many (?:\w+ )?(?:days|weeks|months|years)|much (?:time|notice))\b|\b(?:notice|cure|payment|trial|warranty) period\b|\b(?:what|which) is the (?:duration|length)\b`)
	asksShare  = regexp.MustCompile(`\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:rate|percentage|interest|discount)\b|\b(?:what|which) (?:\w+ ){0,3}(?:rate|percentage|per cent|percent|share)\b`)
	asksAmount = regexp.MustCompile(`\bhow much\b|\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:price|fees?|costs?|rent|salary|deposit|amount|penalty|bonus)\b`)
	asksDay    = regexp.MustCompile(`^when\b|\b(?:what|which|by what) (?:date|day)\b|\bby when\b|\bdeadline\b|\buntil when\b|\b(?:what|which) is the .{0,30}\b(?:date|day)\b`)
	asksCount  = regexp.MustCompile(`\bhow many\b`)
	// asksMore matches a question for two parties, or for the conditions of a right, which no
	// bare value answers.
	asksMore  = regexp.MustCompile(`^who\b.*\bwhom\b|^when (?:can|could|may)\b.*\bterminate\b`)
	asksAgent = regexp.MustCompile(`^who\b|^(?:to |by )?whom\b|\bwhich (?:party|company|person)\b`)
	asksLaw   = regexp.MustCompile(`^(?:what|which|whose|under (?:what|which)|by (?:what|which))\b.{0,40}\blaws?\b|^(?:the )?(?:governing|applicable) law\b`)
	asksPlace = regexp.MustCompile(`^where\b|^(?:in )?(?:what|which) (?:city|state|country|county|province|place|location|venue|town|courts?|jurisdiction)\b|\b(?:what|which) is the .{0,20}\b(?:venue|seat|place|location|jurisdiction)\b`)
	asksYesNo = regexp.MustCompile(`^(?:is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have)\b`)
)

// asking is a question as the rules read it.
type asking struct {
	// text is the question on one line in lower case.
	text string
	kind expected
	// terms are its significant words in their order. narrow are those that say what the
	// question is about, as opposed to the kind of the answer.
	terms, narrow []string
}

// readQuestion returns what a question asks for.
func readQuestion(message string) asking {
	a := asking{text: passage.Lower(message)}
	for _, t := range Terms(message) {
		if len(a.terms) == maxTerms {
			break
		}
		a.terms = append(a.terms, t)
		if !generic[t] {
			a.narrow = append(a.narrow, t)
		}
	}
	a.kind = kindOf(a.text)
	return a
}

// kindOf returns the kind of value that a question in lower case asks for.
func kindOf(question string) expected {
	for _, k := range []struct {
		asks *regexp.Regexp
		kind expected
	}{
		{asksMore, anything}, {asksLength, length}, {asksShare, share}, {asksAmount, amount}, {asksDay, day}, {asksCount, count}, {asksAgent, agent},
		{asksLaw, ruling}, {asksPlace, place}, {asksYesNo, verdict},
	} {
		if k.asks.MatchString(question) {
			return k.kind
		}
	}
	return anything
}
