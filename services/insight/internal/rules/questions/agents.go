package questions

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// nounPhrase matches a name or a role: "the Tenant", "each party", "Poppy Bakers plc".
const nounPhrase = `((?:(?:[Tt]he|[Ee]ach|[Ee]ither|[Bb]oth|[Aa]ll)\s+)?(?:\p{Lu}[\pL\pN&.’'-]*(?:\s+(?:and\s+|of\s+|&\s+)?\p{Lu}[\pL\pN&.’'-]*){0,6}(?:\s+(?:plc|party|parties))?|part(?:y|ies)\b)|(?:[Tt]he|[Ee]ach|[Ee]ither)\s+[a-z-]+(?:\s+part(?:y|ies)\b)?)`

// Patterns for a party as the subject, the agent and the recipient of an action.
var (
	subjectPhrase = regexp.MustCompile(`(?:^|[,;:.)]\s*|\d\s+|\b(?:and|that|but|then)\s+)` + nounPhrase + `\s*$`)
	agentPhrase   = regexp.MustCompile(`\bby\s+` + nounPhrase)
	goalPhrase    = regexp.MustCompile(`\bto\s+` + nounPhrase)
	// nobody matches a phrase that stands for something else.
	pronoun = regexp.MustCompile(`(?i)^(?:it|they|he|she|we|you|i|this|that|such|there|nothing|which|who|no|neither|any|each|either|both|all)$|\b(?:agreement|contract|lease|section|clause|article)$`)
)

// agentIn returns the party that does, or to whom is done, what the question asks, as a
// sentence names it. It returns "" if the sentence does not say this of the verb of the
// question, or denies it.
func (a *asking) agentIn(text string) string {
	if len(a.narrow) == 0 {
		return ""
	}
	tokens := tokensOf(text)
	for _, c := range append(claimsIn(tokens), a.plainClaims(tokens)...) {
		affirms := c.force == states || c.force == obliges || c.force == allows
		if !affirms || hasAny(tokens[c.subject:c.verb], reversals) || !a.acts(headsOf(tokens, c.head)) {
			continue
		}
		if name := withoutStop(a.partyOf(text, tokens, c)); name != "" && !pronoun.MatchString(name) {
			return name
		}
	}
	return ""
}

// abbreviated matches a name whose full stop belongs to it.
var abbreviated = regexp.MustCompile(`(?i)(?:\b(?:inc|ltd|co|corp|bros|llc|lp)|\.\pL)\.$`)

// withoutStop returns a name without the full stop of its sentence.
func withoutStop(name string) string {
	if abbreviated.MatchString(name) {
		return name
	}
	return strings.TrimRight(name, ".")
}

// acts reports whether one of the verbs is that of the question: its first word in "who
// pays the taxes", and any in "to whom are notices sent".
func (a *asking) acts(heads []string) bool {
	if strings.Contains(a.text, "whom") {
		return slices.ContainsFunc(heads, func(h string) bool { return slices.Contains(a.narrow, h) })
	}
	return slices.Contains(heads, a.narrow[0])
}

// partyOf returns the party of a claim that the question asks for, "" for none.
func (a *asking) partyOf(text string, tokens []token, c claim) string {
	before, after := text[tokens[c.subject].Start:tokens[c.verb].Start], text[tokens[c.head].End:]
	var m []string
	switch whom := strings.Contains(a.text, "whom"); {
	case whom && strings.Contains(a.text, "by whom"), !whom && c.passive && a.active(tokens[c.head].stem):
		m = agentPhrase.FindStringSubmatch(after)
	case whom:
		m = goalPhrase.FindStringSubmatch(after)
	default:
		m = subjectPhrase.FindStringSubmatch(before)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

// active reports whether the question has the verb with a stem in an active form: "who
// pays", as opposed to "who is responsible".
func (a *asking) active(stem string) bool { return !a.passive(stem) }

// plainClaims returns what a sentence states in the present tense: "the Client owns". The
// verbs are those of the question.
func (a *asking) plainClaims(tokens []token) []claim {
	asked, start := map[string]bool{}, 0
	for _, t := range tokensOf(a.text) {
		asked[t.lower], asked[t.lower+"s"], asked[t.lower+"es"] = true, true, true
	}
	var all []claim
	for i, t := range tokens {
		if t.apart || auxiliaries[t.lower] != none {
			start = i
		}
		if i > start && asked[t.lower] && strings.HasSuffix(t.lower, "s") && slices.Contains(a.terms, t.stem) {
			c := claim{force: states, subject: max(start, i-maxSubject), verb: i, head: i}
			if auxiliaries[tokens[start].lower] == none {
				all = append(all, c)
			}
		}
	}
	return all
}

// hasAny reports whether a token is one of the words.
func hasAny(tokens []token, words map[string]bool) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return words[t.lower] })
}
