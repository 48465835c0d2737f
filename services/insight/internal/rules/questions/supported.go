package questions

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// valued reports whether the question asks for an amount, a number or a period.
func (n *inquiry) valued() bool {
	switch n.a.kind {
	case amount, share, length, rhythmic, measure, count:
		return true
	case anything, agent, ruling, verdict, place, day:
	}
	return false
}

// leastMatched is the share of a short question for a value, by weight of its clues, that the
// document usually has if it has the value: a number that belongs to something else misleads.
const leastMatched = 0.35

// absent reports whether the document lacks what a short question asks a value of.
func (n *inquiry) absent() bool {
	return n.strong() <= fewWords && (n.a.kind == count && n.uncounted() || n.valued() && n.matched < leastMatched*n.total)
}

// counting returns the clues for what the question asks "how many" of.
func (n *inquiry) counting() (all []int) {
	for i, c := range n.clues {
		if n.isCounted(c) {
			all = append(all, i)
		}
	}
	return all
}

// tellingWords are matters that a sentence must mention to answer a question about them: only a
// sentence on interest says how much interest is due.
var tellingWords = wordList(`interest insurance insured insure royalty royalties invoice invoices deposit retained retention bond subcontractors subcontractor subcontract
	warranty discount discounts commission commissions bonus salary vat pension surcharge setup severance holiday vacation overtime`)

// telling returns the clues about such matters.
func (n *inquiry) telling() (all []int) {
	for i, c := range n.clues {
		if c.worth == 1 && slices.ContainsFunc(strings.Fields(c.text), func(w string) bool { return tellingWords[w] }) {
			all = append(all, i)
		}
	}
	return all
}

// mentions reports whether a sentence or its surroundings have one of the clues.
func (n *inquiry) mentions(sentence int, clues []int) bool {
	found := n.foundAt(sentence)
	return slices.ContainsFunc(clues, func(i int) bool { return found[i] > 0 })
}

// foundAt returns how much of each clue a sentence and its surroundings have.
func (n *inquiry) foundAt(sentence int) []float64 {
	found := make([]float64, len(n.clues))
	n.has(found, n.words[sentence])
	n.around(found, sentence)
	return found
}

// sums matches names of sums of money. A sentence that names one is about that one.
var sums = regexp.MustCompile(`(?i)\b(?:fees?|rents?|deposits?|royalt(?:y|ies)|commissions?|bonus(?:es)?|premiums?|interest|price)\b`)

// tells reports whether a sentence may be about one of the matters that it must mention. It names the
// matter, or it has a word that means about the same, and a value of the kind asked for, and names no
// other sum.
func (n *inquiry) tells(c *candidate, telling []int) bool {
	found := n.foundAt(c.sentence)
	if slices.ContainsFunc(telling, func(i int) bool { return found[i] >= rootWorth }) {
		return true
	}
	similar := slices.ContainsFunc(telling, func(i int) bool { return found[i] > 0 })
	return similar && c.features[fMisfit] == 0 && !sums.MatchString(passage.Text(n.doc, passage.Cut(n.doc.Text, n.doc.Sentences[c.sentence].Span)))
}

// silentOn reports whether a sentence and its surroundings lack what the question counts, or one of
// the matters that it must mention.
func (n *inquiry) silentOn(sentence int) bool {
	counting, telling := n.counting(), n.telling()
	return n.a.kind == count && !n.uncounted() && !n.mentions(sentence, counting) || len(telling) > 0 && !n.mentions(sentence, telling)
}

// suggested is the least weight, in steps, of a pair of words for which the one in a sentence
// suggests the one in a question.
const suggested = 20

// suggests reports whether a word of a sentence suggests a clue.
func (n *inquiry) suggests(sentence, clue int) bool {
	return slices.Max(append(n.model().Weights(featuresOf(n.clues[clue].text), n.readTraits().features(sentence)), 0)) >= suggested
}

// parted returns the clues for what the question asks a part of.
func (n *inquiry) parted() (all []int) {
	m := asksPortion.FindStringSubmatch(n.a.text)
	for i, c := range n.clues {
		if m != nil && c.text == m[1] {
			all = append(all, i)
		}
	}
	return all
}

// supported reports whether a sentence may state the value that a question asks for. A number that
// belongs to something else misleads, so the sentence must
//   - be about the matters that an answer must mention,
//   - have a day or a number, if the question asks for one,
//   - mention what the question asks a part of, and mention or suggest what it counts,
//   - in answer to a short question, suggest what the document lacks of it. If the question just names
//     the value, the document must have enough of it.
func (n *inquiry) supported(c *candidate) bool {
	counting, telling, parted := n.counting(), n.telling(), n.parted()
	switch {
	case len(telling) > 0 && !n.tells(c, telling), len(parted) > 0 && !n.mentions(c.sentence, parted):
		return false
	case !n.valued() && n.a.kind != day:
		return true
	case c.features[fMisfit] == 1 && (n.a.kind == day || n.a.kind == count),
		n.a.kind == count && len(counting) > 0 && !n.mentions(c.sentence, counting) && !slices.ContainsFunc(counting, func(i int) bool { return n.suggests(c.sentence, i) }):
		return false
	case n.strong() > fewWords:
		return true
	}
	has := n.matched
	for i, x := range n.clues {
		if x.worth == 1 && !x.present && !naming.MatchString(n.a.text) && n.suggests(c.sentence, i) {
			has += x.weight
		}
	}
	return has >= leastMatched*n.total
}

// Patterns for a question who pays for something, for a sentence about the cost of something, and for words of
// such a question that are not the thing.
var (
	asksPayer = regexp.MustCompile(`\bwho(?:'s| is| has to| must| should| will| would)? (?:\w+ )?(?:pays?|paying|covers?|covering|bears?|foots?|reimburses?|picks up|pick up|liable for)\b`)
	costOf    = regexp.MustCompile(`(?i)\b(?:costs?|fees?|expenses?|charges?|prices?|premiums?|tax(?:es)?|duties)(?: [\pL-]+)? (?:of|for)\b`)
	costWord  = regexp.MustCompile(`^(?:who\b.*|costs?|fees?|charges?|expenses?|bills?|prices?|money|pay|pays|paid|paying|covers?|bears?|foots?|reimburses?|duty|duties|tax|taxes)$`)
)

// otherCost reports whether the question asks who pays for something and the sentence is about the cost of
// something else, such as trade fairs instead of freight.
func (n *inquiry) otherCost(c *candidate) bool {
	if n.a.kind != agent || !asksPayer.MatchString(n.a.text) || !costOf.MatchString(passage.Text(n.doc, passage.Cut(n.doc.Text, n.doc.Sentences[c.sentence].Span))) {
		return false
	}
	found, things := n.foundAt(c.sentence), 0
	for i, x := range n.clues {
		if x.worth < 1 || costWord.MatchString(x.text) {
			continue
		}
		if found[i] > 0 || n.suggests(c.sentence, i) {
			return false
		}
		things++
	}
	return things > 0
}

// Patterns for a question what something costs, and for what a sentence says about money or numbers.
var (
	asksCost = regexp.MustCompile(`\b(?:how much|what) (?:does|do|did|will|would|is)\b.*\b(?:costs?|charged?|price|fee)\b`)
	asMoney  = regexp.MustCompile(`(?i)\d|\b(?:pay\w*|paid|unpaid|free|fees?|charg\w+|prices?|pric\w+|rents?|rental|costs?|amounts?|sums?|expens\w+|reimburs\w+|refund\w*|rates?|tax(?:es)?|duties|money|cash|owe\w*|discounts?|invoic\w*|bill(?:s|ed)?|gratis|nothing|half|double|twice|per ?cent)\b`)
)

// moneyless reports whether the question asks what something costs, and the sentence says nothing about money.
func (n *inquiry) moneyless(c *candidate) bool {
	return n.a.kind == amount && c.features[fMisfit] == 1 && asksCost.MatchString(n.a.text) && !asMoney.MatchString(passage.Text(n.doc, passage.Cut(n.doc.Text, n.doc.Sentences[c.sentence].Span)))
}

// misleads reports whether the best sentence shares only words about costs with the question. Then the
// document does not answer the question.
func (n *inquiry) misleads(c *candidate) bool { return n.otherCost(c) || n.moneyless(c) }

// naming matches a question that just names a value, usually as contracts do: "how much is the
// parking fee".
var naming = regexp.MustCompile(`^(?:how much|how long|what|which|when) (?:is|are|was|were) (?:the|our|my|your|their|its|his|her|an?) (?:[\w'-]+ ?){1,3}\W*$`)

// strong returns the number of clues with full worth: words for the subject of the question,
// rather than for parties or plain verbs.
func (n *inquiry) strong() int {
	strong := 0
	for _, c := range n.clues {
		if c.worth == 1 {
			strong++
		}
	}
	return strong
}
