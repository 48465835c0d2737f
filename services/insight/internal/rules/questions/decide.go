package questions

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// decided returns yes or no if the claim in a sentence that has most of the clues allows or
// forbids what the question asks, and says so without conditions.
func (n *inquiry) decided(text string) string {
	tokens := tokensOf(asides.ReplaceAllString(text, ""))
	asked, ok := n.a.plainForce()
	if !ok {
		return ""
	}
	said, most := n.strongest(tokens)
	if n.refused(text, asked, said, most) {
		return no
	}
	if len(restrictionsIn(tokens)) > 0 || n.otherParty(tokens) {
		return ""
	}
	if most < enoughKnown*n.matched {
		return ""
	}
	switch verdict := verdicts[asked][said]; {
	case verdict == no && n.matched > partKnown*n.total, verdict == yes && leftOut.MatchString(text):
		return no
	case verdict == yes && n.matched > wellKnown*n.total && !denying.MatchString(text):
		return verdict
	}
	return ""
}

// refused reports whether a sentence forbids what the question asks to be allowed, and no part of
// it allows anything or makes an exception. One that gives all of something to one party refuses
// it to others.
func (n *inquiry) refused(text string, asked, said force, most float64) bool {
	if asked != allows || exceptions.MatchString(text) {
		return false
	}
	if said == obliges && outsider.MatchString(n.a.text) && exclusively.MatchString(text) {
		return true
	}
	if said != forbids || most < leastRefused*n.matched {
		return false
	}
	tokens := tokensOf(text)
	return !slices.ContainsFunc(claimsIn(tokens), func(c claim) bool { return c.force == allows && !hasAny(tokens[c.subject:c.verb], reversals) })
}

// leastRefused is the share of the clues in the document that a claim must have to refuse what
// the question asks for.
const leastRefused = 0.2

// Patterns for refusals.
var (
	// exceptions matches what limits a prohibition.
	exceptions = regexp.MustCompile(`(?i)\b(?:without|except|unless|provided|if|subject to|save|excluding|where|however|but|more than|other than as)\b`)
	// outsider matches a question about others than the usual one, and exclusively what leaves
	// others out.
	outsider    = regexp.MustCompile(`\b(?:another|else|elsewhere|others?|second|rivals?|competitors?|competing|different)\b`)
	exclusively = regexp.MustCompile(`(?i)\b(?:no|none|neither) (?:\w+ ){0,2}other\b|\bonly\s*[.;]|\b(?:only|solely|exclusively) (?:from|by|through|with|to)\b|\b(?:from|by|through|with|to) (?:the )?\w+ (?:only|alone|exclusively)\b`)
)

// strongest returns what the claim says that has most of the clues, and their weight.
func (n *inquiry) strongest(tokens []token) (force, float64) {
	best, most := none, 0.0
	claims := claimsIn(tokens)
	start := 0
	for i, c := range claims {
		end := len(tokens)
		if i+1 < len(claims) {
			end = claims[i+1].verb
		}
		weight := 0.0
		for _, o := range n.occurrences(tokens[start:end]) {
			weight += o.worth * n.clues[o.clue].weight
		}
		start = c.verb
		if weight > most {
			best, most = c.force, weight
			if hasAny(tokens[c.subject:c.verb], reversals) {
				best = negated[best]
			}
		}
	}
	return best, most
}

// plainForce returns what a question for yes or no asks. What will be is asked as what is.
func (a *asking) plainForce() (force, bool) {
	b := asking{text: premise.ReplaceAllString(a.text, "")}
	asked, ok := b.askedForce()
	if first, _, _ := strings.Cut(b.text, " "); first == "will" || first == "would" {
		asked = states
	}
	return asked, ok
}

// otherParty reports whether a sentence lacks a party that the question names and the document
// has.
func (n *inquiry) otherParty(tokens []token) bool {
	for _, c := range n.clues {
		stem := Stem(c.text)
		_, known := n.ids[stem]
		if known && partyWords[stem] && !slices.ContainsFunc(tokens, func(t token) bool { return t.stem == stem }) {
			return true
		}
	}
	return false
}

// enoughKnown is the share of the clues in the document that a claim must have to answer a
// question. partKnown is the share of all clues that the document must have to deny it, and
// wellKnown to affirm it.
const enoughKnown, partKnown, wellKnown = 0.4, 0.3, 0.95

// leftOut matches a statement that something is not part of the contract, and denying one that
// denies something.
var (
	leftOut = regexp.MustCompile(`(?i)\b(?:excluded|outside the scope|declined|unchanged)\b`)
	denying = regexp.MustCompile(`(?i)\b(?:not|no|never|neither|nor|nothing|nobody|cannot|none)\b`)
)
