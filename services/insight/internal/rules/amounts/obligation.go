package amounts

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// duty says how certain it is that a sentence requires a payment.
type duty int

const (
	// none means that the sentence requires no payment.
	none duty = iota
	// likely means that it does if it also says how much or when.
	likely
	// certain means that it does in so many words.
	certain
)

// How many words before or after a word are read.
const (
	verbReach   = 24
	nounReach   = 9
	payReach    = 18
	objectReach = 12
	clauseReach = 14
)

// noteWords is how many words a sentence has at least. Fewer are a note, without a verb.
const noteWords = 14

// clause is a sentence in lower case, word by word.
type clause struct {
	words []string
	// ends marks the words before a semicolon.
	ends []bool
}

// inWords returns the words of a sentence on one line in lower case.
func inWords(text string) clause {
	fields := strings.Fields(text)
	c := clause{words: fields, ends: make([]bool, len(fields))}
	for i, w := range fields {
		c.words[i] = strings.Trim(w, `.,;:()[]"'*-`)
		c.ends[i] = strings.HasSuffix(w, ";")
	}
	return c
}

// paymentDuty returns how certain it is that a sentence, on one line in lower case, requires
// a payment.
func paymentDuty(text string) duty {
	c, best := inWords(text), none
	for i, w := range c.words {
		if r := roles[w]; r != 0 {
			best = max(best, c.dutyAt(i, r))
		}
		if best == certain {
			return best
		}
	}
	if best == none && priced.MatchString(text) && !changed.MatchString(text) || credit.MatchString(text) {
		return likely
	}
	return best
}

// priced matches a fee that is stated with its amount, in lower case.
var priced = regexp.MustCompile(`\b(?:fees?|royalt(?:y|ies)|rent|salary|commissions?|compensation|deposit|retainer|payments?|interest)\b[^;,]{0,90}\b(?:(?:shall|will) (?:(?:not )?be|equal)|rate of|at (?:the|a) rate)\b[^;]{0,60}(?:[$€£%]|\bdollars\b|\bper ?cent\b|\b(?:usd|eur|gbp|rmb|chf|cad|aud|jpy|inr|cny)(?:\b|\d))|\d\s?(?:%|per ?cent)\)? (?:royalty|commission)(?: (?:on|of|for|to|will|shall|is)\b|[,.;]|$)|\b(?:finance|late|service)(?: payment)? (?:charges?|fees?) (?:of|at|equal to)\b[^;]{0,40}(?:%|\bper ?cent\b)`)

// changed matches the change of a price, which is stated elsewhere.
var changed = regexp.MustCompile(`\b(?:be|is|are) (?:\w+ ){0,2}(?:reduced|decreased|adjusted)\b`)

// credit matches the duty to open a letter of credit.
var credit = regexp.MustCompile(`\b(?:shall|will|must|agrees to)\b[^.;]{0,40}\bopen\b[^.;]{0,40}\bletter of credit\b`)

// dutyAt returns how certain it is that word i, which has the role r, requires a payment.
func (c clause) dutyAt(i int, r role) duty {
	switch r {
	case pays:
		if c.denied(i + 1) {
			return none
		}
		if !c.follows(i, payReach, costs) && !c.follows(i, objectReach, goods) {
			return min(likely, c.must(i))
		}
		return c.must(i)
	case bears:
		if c.follows(i, nounReach, costs) && (c.words[i] != "bear" || c.follows(i, nounReach, interest)) {
			return min(likely, c.must(i))
		}
	case buys:
		if c.follows(i, objectReach, nil) {
			return min(likely, c.must(i))
		}
	case charges:
		return c.mayCharge(i)
	case makes:
		if c.follows(i, objectReach, transfers) {
			return min(likely, c.must(i))
		}
	case paysNow:
		if c.follows(i, nounReach, costs) && !c.depends(i) {
			return certain
		}
	case receives, answers:
		return c.concerns(i, r)
	case isPaid, isDue, isCharged, made:
		if r == isPaid && !(c.at(i) == "paid" && c.at(i+1) == "for") || r == isDue && !c.dueOtherwise(i) || c.precedes(i) {
			return c.mustBe(i, r)
		}
	}
	return none
}

// mayCharge returns how certain it is that somebody must or may charge a price.
func (c clause) mayCharge(i int) duty {
	before := c.at(i - 1)
	switch {
	case before == "to" && (c.at(i-2) == "right" || c.at(i-2) == "entitled") && c.follows(i, nounReach, costs):
		return likely
	case before == "to", before == "and", before == "also", before == "may", modals[before], strings.HasSuffix(before, "ly"):
		if before == "may" && c.follows(i, nounReach, costs) {
			return likely
		}
		return min(likely, c.must(i))
	}
	return none
}

// concerns returns how certain it is that somebody receives a payment, or is responsible for
// one.
func (c clause) concerns(i int, r role) duty {
	if r == answers && c.at(i+1) != "for" || denials[c.at(i+1)] || !c.follows(i, nounReach, costs) {
		return none
	}
	if c.must(i) == none && (c.copula(i) < 0 || c.depends(i)) {
		return none
	}
	if r == receives && c.follows(i, 4, rewards) {
		return certain
	}
	return likely
}

// at returns word i, or "" if there is none.
func (c clause) at(i int) string {
	if i < 0 || i >= len(c.words) {
		return ""
	}
	return c.words[i]
}

// follows reports whether one of the n words after word i is in a set or is an amount.
func (c clause) follows(i, n int, set map[string]bool) bool {
	for k := i + 1; k <= i+n && k < len(c.words) && !c.ends[k-1]; k++ {
		if set[c.words[k]] || strings.ContainsAny(c.words[k], "$€£") {
			return true
		}
	}
	return false
}

// precedes reports whether something that is paid is named shortly before word i.
func (c clause) precedes(i int) bool {
	for k := i - 1; k >= max(0, i-nounReach) && !c.ends[k]; k-- {
		if costs[c.words[k]] {
			return true
		}
	}
	return false
}

// must returns certain if somebody must do what the verb i says, by the modal or the verb
// that governs it.
func (c clause) must(i int) duty {
	infinitive := c.at(i-1) == "to" || c.at(i-2) == "to" && strings.HasSuffix(c.at(i-1), "ly")
	for k := i - 1; k >= max(0, i-verbReach) && !c.ends[k]; k-- {
		switch w := c.words[k]; {
		case modals[w] && c.at(k+1) != "that":
			if c.denied(k+1) || c.denied(k-1) && w != "shall" && w != "will" {
				return none
			}
			return certain
		case permits[w] || infinitive && options[w] || c.denied(k):
			return none
		}
	}
	return none
}

// denied reports whether word k denies what follows. "No later than" denies nothing.
func (c clause) denied(k int) bool {
	return denials[c.at(k)] && !limits[c.at(k+1)]
}

var copulas = []string{"be", "is", "are", "becomes", "become"}

// copula returns the index of the form of "be" before word i, or -1. Adverbs and another
// participle may be between both.
func (c clause) copula(i int) int {
	for k := i - 1; k >= max(0, i-5) && !c.ends[k]; k-- {
		w := c.words[k]
		if slices.Contains(copulas, w) {
			return k
		}
		if !between[w] && !strings.HasSuffix(w, "ly") && roles[w] == 0 {
			return -1
		}
	}
	return -1
}

// between are words that may be between a form of "be" and a participle, beside adverbs and
// other participles.
var between = wordSet(`and or also then first hereby deemed so then as`)

// mustBe returns how certain it is that the participle i says that something is due.
func (c clause) mustBe(i int, r role) duty {
	k := c.copula(i)
	switch {
	case k < 0 && c.words[i] == "payable" && (moments[c.at(i+1)] || c.at(i+1) == "to" && len(c.words) < noteWords):
		return likely
	case k < 0 && r == made && c.words[i] != "made":
		return min(likely, c.must(i))
	case k < 0:
		return none
	case c.words[k] == "be" && c.at(k-1) == "to" && !modals[c.at(k-2)]:
		if !slices.Contains(copulas, c.at(k-2)) && r != isCharged {
			return none
		}
		return likely
	case c.words[k] == "be" || c.words[k] == "become":
		if r == made || r == isCharged || r == isPaid && c.saysHow(k) {
			return min(likely, c.must(k))
		}
		return c.must(k)
	case r == isDue && !c.depends(i):
		return certain
	case c.depends(i) && !(r == isDue && !c.conditional(i)), r == made:
		return none
	}
	return likely
}

// saysHow reports whether the subject of the verb "be" at k is generic, so that the sentence
// says how something is paid and not what: "all amounts shall be paid in dollars".
func (c clause) saysHow(k int) bool {
	return generic[c.at(k-2)] || generic[c.at(k-3)]
}

// conditional reports whether word i is shortly after the beginning of a condition.
func (c clause) conditional(i int) bool {
	for k := i - 1; k >= max(0, i-nounReach) && !c.ends[k]; k-- {
		if conditions[c.words[k]] || c.denied(k) {
			return true
		}
	}
	return false
}

// depends reports whether word i is in a condition or in a relative clause.
func (c clause) depends(i int) bool {
	for k := i - 1; k >= max(0, i-clauseReach) && !c.ends[k]; k-- {
		if dependOn[c.words[k]] || c.denied(k) {
			return true
		}
	}
	return false
}

// dueOtherwise reports whether "due" at word i means something else than payable.
func (c clause) dueOtherwise(i int) bool { return c.words[i] == "due" && notDueOf[c.at(i+1)] }
