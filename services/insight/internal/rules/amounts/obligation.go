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
	rewardReach = 6
	givenReach  = 4
)

// noteWords is how many words a sentence has at least. Fewer are a note, without a verb.
const noteWords = 18

// clause is a sentence in lower case, word by word.
type clause struct {
	words []string
	// ends marks the words before a semicolon.
	ends []bool
}

// missing is the word for text that is left out.
const missing = "***"

// leftOut matches a word that stands for text that is left out, such as "[***]".
var leftOut = regexp.MustCompile(`^\W*(?:\[\*+\]|\*\*\*+)\W*$`)

// inWords returns the words of a sentence on one line in lower case.
func inWords(text string) clause {
	fields := strings.Fields(text)
	c := clause{words: fields, ends: make([]bool, len(fields))}
	for i, w := range fields {
		c.words[i] = strings.Trim(w, `.,;:()[]"'*-`)
		if c.words[i] == "" && leftOut.MatchString(w) {
			c.words[i] = missing
		}
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
	return wordedDuty(text, best)
}

// dutyAt returns how certain it is that word i, which has the role r, requires a payment.
func (c clause) dutyAt(i int, r role) duty {
	switch r {
	case pays:
		if c.denied(i + 1) {
			return none
		}
		if c.words[i] == "refund" && c.at(i-1) == "and" && c.follows(i, objectReach, costs) && !c.depends(i) {
			return certain // "may terminate the licence and refund the fees"
		}
		if c.words[i] == "pay" && c.at(i+1) == "for" {
			return c.must(i)
		}
		if !c.follows(i, payReach, costs) && !c.follows(i, objectReach, goods) && (c.words[i] != "pay" || !c.follows(i, objectReach, wages)) {
			return min(likely, c.must(i))
		}
		return c.must(i)
	case bears:
		if c.follows(i, nounReach, costs) {
			if c.words[i] == "bear" && c.at(i+1) != "to" {
				return c.must(i)
			}
			return min(likely, c.must(i))
		}
	case gives:
		if before := c.at(i - 1); (modals[before] || before == "to" || before == "or" || before == "and" || strings.HasSuffix(before, "ly")) &&
			c.follows(i, givenReach, given) {
			return c.must(i)
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
		if r == isCharged && c.fallsTo(i) {
			return c.mustBe(i, isDue)
		}
		if r == isPaid && !(c.at(i) == "paid" && c.at(i+1) == "for") || r == isDue && !c.dueOtherwise(i) || c.precedes(i) {
			return c.mustBe(i, r)
		}
	}
	return none
}

// mayCharge returns how certain it is that somebody must or may charge a price.
func (c clause) mayCharge(i int) duty {
	if c.denied(i+1) || c.denied(i+2) {
		return none // "may charge no fee", "shall charge the customer no fee"
	}
	before := c.at(i - 1)
	prices := c.follows(i, nounReach, costs) || c.follows(i, nounReach, omitted)
	switch {
	case prices && c.free(i):
		return certain
	case before == "to", before == "and", before == "also", before == "may", modals[before], strings.HasSuffix(before, "ly"):
		if c.words[i] != "invoice" && (prices || c.at(i+1) == "for") {
			return c.must(i)
		}
		return min(likely, c.must(i))
	}
	return none
}

// freeReach is the number of words before a verb in which free looks for a permission.
// nobodyReach and withheldReach are the numbers of words before a permission in which it looks
// for a denial.
const (
	freeReach     = 5
	nobodyReach   = 4
	withheldReach = 3
)

// free reports whether the clause permits what the verb i says, or grants a right to it.
func (c clause) free(i int) bool {
	for k := i - 1; k >= max(0, i-freeReach) && !c.ends[k]; k-- {
		switch w := c.words[k]; {
		case c.denied(k):
			return false
		case w == "may":
			return !c.denied(k+1) && !c.preceded(k, nobodyReach, nobody)
		case c.at(i-1) == "to" && (w == "right" || w == "entitled"):
			return !c.denied(k+1) && !c.preceded(k, withheldReach, denials)
		}
	}
	return false
}

// preceded reports whether one of the n words before word i is in a set.
func (c clause) preceded(i, n int, set map[string]bool) bool {
	return slices.ContainsFunc(c.words[max(0, i-n):i], func(w string) bool { return set[w] })
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
	if r == receives && c.follows(i, rewardReach, rewards) || r == answers && c.forPayment(i) {
		return certain
	}
	return likely
}

// forPayment reports whether the adjective at word i makes a party pay expenses: "responsible
// for the payment of all reasonable travel expenses". A party that is solely responsible pays
// its own.
func (c clause) forPayment(i int) bool {
	payment := c.at(i+2) == "payment" || c.at(i+2) == "the" && c.at(i+3) == "payment"
	return payment && c.at(i-1) != "solely" && (c.follows(i, objectReach, expenses) || c.follows(i, objectReach, owed))
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
		case w == "should" && k > 0 && !c.ends[k-1] && c.near(k, i):
			return certain // "the buyer should pay", and not "should the buyer pay"
		case infinitive && (w == "has" || w == "have") && c.at(k+1) == "to" && !permits[c.at(k-1)]:
			return certain // "has to pay"
		case infinitive && k == i-1 && c.first(k):
			return likely // an item of a list: "3.1 To pay the price"
		case permits[w] || infinitive && options[w] || c.denied(k):
			return none
		}
	}
	return none
}

// near reports whether only adverbs and forms of "be" are between the words k and i.
func (c clause) near(k, i int) bool {
	for _, w := range c.words[k+1 : i] {
		if w != "be" && !strings.HasSuffix(w, "ly") {
			return false
		}
	}
	return true
}

// first reports whether word k is the first of an item, after its number.
func (c clause) first(k int) bool {
	return k == 0 || k == 1 && (len(c.words[0]) == 1 || strings.Trim(c.words[0], "0123456789.") == "")
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
var between = wordSet(`and or also then first hereby deemed so then as otherwise`)

// mustBe returns how certain it is that the participle i says that something is due.
func (c clause) mustBe(i int, r role) duty {
	k := c.copula(i)
	switch {
	case k < 0 && c.words[i] == "payable" && (moments[c.at(i+1)] || c.at(i+1) == "to" && len(c.words) < noteWords):
		return likely
	case k < 0 && r == made && c.words[i] != "made" && c.interestBefore(i):
		return c.must(i)
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

// fallsTo reports whether participle i makes someone liable for a cost.
func (c clause) fallsTo(i int) bool {
	switch c.words[i] {
	case "billed":
		return true
	case "borne":
		return c.preceded(i, verbReach, costs)
	case "credited":
		return c.precedes(i)
	case "charged":
		return c.precedes(i) || c.billedHow(i)
	}
	return false
}

// billedHow reports whether what is charged at word i, or by what measure, follows.
func (c clause) billedHow(i int) bool {
	return measures[c.at(i+1)] || c.follows(i, rewardReach, costs)
}

// interestBefore reports whether interest accrues at word i. Its rate may be that of the law.
func (c clause) interestBefore(i int) bool {
	return slices.Contains(c.words[max(0, i-payReach):i], "interest")
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
func (c clause) dueOtherwise(i int) bool {
	return c.words[i] == "due" && (notDueOf[c.at(i+1)] || c.paperBefore(i))
}

// paperBefore reports whether a document is due at word i, such as a report, and no payment.
func (c clause) paperBefore(i int) bool {
	return c.preceded(i, nounReach, papers) && !c.precedes(i) && !c.preceded(i, nounReach, bills)
}
