package questions

import (
	"math"
	"slices"
	"sort"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// features describe how a sentence suits a question. Each is about between 0 and 1.
type features [Features]float64

// The features.
const (
	// fCovered is the share of the clues in the document that the sentence has, fRelative that
	// of the clues that the best sentence and its surroundings have, and fExact that of words
	// that are the same.
	fCovered = iota
	fRelative
	fExact
	// fTitle, fLead and fNear are the shares that only its title, its introduction and the
	// sentence before it have.
	fTitle
	fLead
	fNear
	// fLong is the length of the sentence, and fDense the share of its words that are clues.
	fLong
	fDense
	// fFits says whether the sentence has a value of the kind asked for, and fClose how near
	// that is to the clues. fMisfit is 1 if it has none although there is such a kind.
	fFits
	fClose
	fMisfit
	// fNoun is 1 if the sentence counts what the question does.
	fNoun
	// fModal is 1 if the sentence allows or forbids, for a question for yes or no; fWho if it
	// says that somebody acts, for a question who does; fIf if it has a condition, for one what
	// happens if; and fBound if it has a limit, for one about the most or the least.
	fModal
	fWho
	fIf
	fBound
	// fLikely is the confidence with which another rule gives the sentence as the answer, and
	// ByPairs how well it suits the question by pairs of their words.
	fLikely
	ByPairs
	// fNoLength is 1 if a question for a period or for how often something happens has no such
	// value in the sentence, fNoSum for an amount, a share or a measure, fNoPlace for a place, and
	// fNoDay for a day or a number.
	fNoLength
	fNoSum
	fNoPlace
	fNoDay
	// fSilent is 1 if neither the sentence nor its surroundings mention what the question counts,
	// although the document does, or one of the matters of tellingWords that it asks about.
	fSilent
	// fRow is 1 for a row of key terms or of a table, and fLabel the share of the clues in its
	// label.
	fRow
	fLabel
	// fWindow is the greatest share of the clues that is within a few words, fStrong that of the
	// words for the subject of the question, and fRare half the number of rare ones.
	fWindow
	fStrong
	fRare
	// fPlace is how far down in the document the sentence is.
	fPlace
	// fDefines is 1 if it defines a term, and fIfOnly if it begins with a condition that the
	// question does not ask about.
	fDefines
	fIfOnly
	// fPays is 1 if the question asks for an amount, and the sentence is about money. fMay is 1 if
	// the question is about a permission, and the sentence grants or denies one. fMust is 1 if the
	// question is about a duty, and the sentence imposes one.
	fPays
	fMay
	fMust
	// fShort is 1 for a sentence of very few words.
	fShort
	// Features is the number of these features.
	Features
)

// nothing holds the features of the case in which no sentence answers.
type nothing [FeaturesOfNothing]float64

// The features of that case. gAlways is 1.
const (
	gAlways = iota
	// Unknown is the share of the question that the document lacks, gLacking that which the
	// best sentence lacks, and gExact the greatest fExact.
	Unknown
	gLacking
	gExact
	// gFew is 1 for a question of few words, and gVerdict for one for yes or no.
	gFew
	gVerdict
	// gMisfit is 1 if no sentence has a value of the kind asked for. NothingByPairs and gWindow are
	// the greatest ByPairs and fWindow, and gStrong a quarter of the number of words for the
	// subject.
	gMisfit
	NothingByPairs
	gWindow
	gStrong
	// gAbsent is 1 if the document lacks what a short question asks a value of.
	gAbsent
	// FeaturesOfNothing is the number of these features.
	FeaturesOfNothing
)

// weightsOf returns the coefficients of a conditional logit: one sentence or none answers.
func weightsOf(m *pairs.Model) (w features, v nothing) {
	for i := range w {
		w[i] = float64(m.Sentence[i])
	}
	for i := range v {
		v[i] = float64(m.Nothing[i])
	}
	return w, v
}

// Patterns for what a question asks besides a value, and for what a sentence says, in lower case.
var (
	bounds    = regexp.MustCompile(`\b(?:at most|at least|the most|the least|maximum|minimum|highest|lowest|ceiling|limit|cap|capped|up to|largest|ever)\b`)
	bounded   = regexp.MustCompile(`\b(?:not|nor|never|no|without) (?:\w+ ){0,4}(?:exceed\w*|more|less|fewer|above|below|later)\b|\b(?:at least|at most|up to|maximum|minimum|capped|exceed\w*|in all|limited to|ceiling)\b`)
	supposing = regexp.MustCompile(`\bwhat (?:happens|if|can|do|would|does)\b.*\b(?:if|when|once)\b|^what (?:if|happens)\b|^if\b`)
	condition = regexp.MustCompile(`\b(?:if|should|in the event|upon|where|unless|in case|on (?:termination|exercise|expiry|death)|after|when|once|whenever|failing|following|fails?)\b`)
	modal     = regexp.MustCompile(`\b(?:may|shall|must|will|can|cannot|not|no|neither|never|nothing|only|free to|entitled|permitted|prohibited|excluded|included|without)\b`)
	acting    = regexp.MustCompile(`\b(?:shall|will|must|may|is|are|by|bears?|pays?|owns?|belongs?)\b`)
)

// describe sets the features of the candidates.
func (n *inquiry) describe(all []candidate) {
	most := 1e-9
	for i := range all {
		n.cover(&all[i])
		n.suit(&all[i])
		most = max(most, all[i].rough)
	}
	for i := range all {
		all[i].features[fRelative] = all[i].rough / most
	}
}

// cover sets the features that say which clues a sentence and its surroundings have.
func (n *inquiry) cover(c *candidate) {
	f, s, total := &c.features, c.sentence, max(n.matched, 1e-9)
	found, sum := make([]float64, len(n.clues)), 0.0
	add := func(words []word) float64 {
		n.has(found, words)
		before := sum
		sum = n.sum(found)
		return (sum - before) / total
	}
	f[fCovered] = add(n.words[s])
	for i, x := range found {
		if x == 1 {
			f[fExact] += n.clues[i].weight / total
		}
	}
	f[fTitle] = add(n.titles[s])
	if lead := n.leads[s]; lead >= 0 {
		f[fLead] = add(n.words[lead])
	}
	if s > 0 && n.doc.Sentences[s-1].Paragraph == n.doc.Sentences[s].Paragraph {
		f[fNear] = add(n.words[s-1])
	}
	f[fLong] = math.Log(1+float64(len(n.words[s]))) / 4
	f[fDense] = n.density(n.words[s])
	f[fLikely] = n.likely[s]
	if n.affinity != nil {
		f[ByPairs] = n.affinity[s]
	}
}

// density returns the share of words that are clues.
func (n *inquiry) density(words []word) float64 {
	has := 0
	for _, w := range words {
		if len(n.at[w]) > 0 {
			has++
		}
	}
	return float64(has) / float64(max(len(words), 1))
}

// suit sets the features that depend on the kind of answer.
func (n *inquiry) suit(c *candidate) {
	d, f, a := n.doc, &c.features, n.a
	text := passage.Text(d, passage.Cut(d.Text, d.Sentences[c.sentence].Span))
	lower := passage.Lower(text)
	n.value(c, text)
	n.lack(f)
	if n.silentOn(c.sentence) {
		f[fSilent] = 1
	}
	n.gather(c, text)
	f[fPlace] = float64(c.sentence) / float64(len(d.Sentences))
	for i, is := range map[int]bool{
		fNoun:    a.kind == count && n.counted(text),
		fModal:   a.kind == verdict && modal.MatchString(lower),
		fWho:     a.kind == agent && acting.MatchString(lower) && somebody.MatchString(text),
		fIf:      supposing.MatchString(a.text) && condition.MatchString(lower),
		fBound:   bounds.MatchString(a.text) && bounded.MatchString(lower),
		fPays:    a.sums() && payable.MatchString(lower),
		fMay:     asksMay.MatchString(a.text) && saysMay.MatchString(lower),
		fMust:    asksMust.MatchString(a.text) && saysMust.MatchString(lower),
		fDefines: defining.MatchString(lower),
		fIfOnly:  !supposing.MatchString(a.text) && opening.MatchString(lower),
		fShort:   len(n.words[c.sentence]) < 4,
	} {
		if is {
			f[i] = 1
		}
	}
}

// value sets the features that say whether a text has a value of the kind asked for.
func (n *inquiry) value(c *candidate, text string) {
	f := &c.features
	tiers := n.a.tiers(text)
	if tiers == nil {
		return
	}
	f[fMisfit] = 1
	for i, t := range tiers {
		if len(t) == 0 {
			continue
		}
		f[fFits], f[fMisfit] = 1/float64(1+i), 0
		tokens := n.tokensAt(c.sentence, text)
		clues := n.occurrences(tokens)
		for _, s := range t {
			f[fClose] = max(f[fClose], n.closeness(tokens, clues, s))
		}
		return
	}
}

// counted reports whether a text has a number of what the question asks "how many" of.
func (n *inquiry) counted(text string) bool {
	tokens := tokensOf(text)
	for _, s := range plainNumbers(text) {
		if n.nounAfter(tokens, s) {
			return true
		}
	}
	return false
}

// uncounted reports whether the document lacks what the question asks "how many" of.
func (n *inquiry) uncounted() bool {
	return !slices.ContainsFunc(n.clues, func(c clue) bool { return c.present && c.worth == 1 && n.isCounted(c) })
}

// isCounted reports whether a clue is what the question asks "how many" of.
func (n *inquiry) isCounted(c clue) bool {
	m := howMany.FindStringSubmatch(n.a.text)
	return m != nil && (c.text == m[1] || c.text == m[2])
}

// nounAfter reports whether what the question asks "how many" of follows a number.
func (n *inquiry) nounAfter(tokens []token, s layout.Span) bool {
	m := howMany.FindStringSubmatch(n.a.text)
	if m == nil {
		return false
	}
	first := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= s.End })
	for _, t := range tokens[first:min(len(tokens), first+4)] {
		if t.stem == vocabulary.Stem(m[1]) || t.stem == vocabulary.Stem(m[2]) {
			return true
		}
		for _, o := range n.cluesAt(t) {
			if c := n.clues[o.term].text; c == m[1] || c == m[2] {
				return true
			}
		}
	}
	return false
}

// cluesAt returns the clues that a token is an occurrence of.
func (n *inquiry) cluesAt(t token) []match {
	id, known := n.ids[t.stem]
	if !known {
		return nil
	}
	return n.at[id]
}

// none returns the features of the case in which no sentence answers.
func (n *inquiry) none(all []candidate) nothing {
	g, total := nothing{}, max(n.total, 1e-9)
	g[gAlways], g[gLacking] = 1, 1
	g[Unknown] = 1 - n.matched/total
	for _, c := range all {
		g[gLacking] = min(g[gLacking], 1-c.features[fCovered]*n.matched/total)
		g[gExact] = max(g[gExact], c.features[fExact])
	}
	if n.strong() < fewWords {
		g[gFew] = 1
	}
	if n.a.kind == verdict {
		g[gVerdict] = 1
	}
	g[gMisfit] = 1
	for _, c := range all {
		g[gMisfit] = min(g[gMisfit], c.features[fMisfit])
		g[NothingByPairs] = max(g[NothingByPairs], c.features[ByPairs])
		g[gWindow] = max(g[gWindow], c.features[fWindow])
	}
	g[gStrong] = float64(n.strong()) / 4
	if n.absent() {
		g[gAbsent] = 1
	}
	return g
}
