package questions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// The values of answers to yes-or-no questions.
const (
	yes = "Yes"
	no  = "No"
	// verdictMost is the maximum confidence of a yes or no. Another sentence may make an
	// exception.
	verdictMost = 0.5
)

// asides matches text that looks like a restriction, but is none.
var asides = regexp.MustCompile(`(?i)\b(?:including )?(?:but not limited to|without limitation|without limiting [^,;.]*|without prejudice[^,;.]*)`)

// restrictions are words that restrict what a sentence says. A sentence answers a question
// clearly only if the question has the same restrictions.
var restrictions = wordList(`without except unless provided only if subject other save until excluding solely notwithstanding however where case extent merely`)

// reversals are words in a subject that turn what is said of it into its opposite.
var reversals = wordList(`no neither none nobody nothing`)

// posed are words of questions that say what is asked about an action, not which.
var posed = wordsOf(`allowed permitted entitled able free required obliged obligated need needed have right prohibited forbidden barred possible there any`)

func wordList(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// verdictOn returns yes or no if a sentence clearly affirms or denies what the question
// asks: it says of the same subject and the same verb, without any other restriction, that
// somebody must, may or must not do it. Otherwise it returns "".
func (a *asking) verdictOn(text string) string {
	asked, ok := a.askedForce()
	if !ok {
		return ""
	}
	tokens := tokensOf(asides.ReplaceAllString(text, ""))
	if !slices.Equal(restrictionsIn(tokens), restrictionsIn(tokensOf(a.text))) {
		return ""
	}
	claims := claimsIn(tokens)
	if asked == states {
		claims = append(claims, a.plainClaims(tokens)...)
	}
	for _, c := range claims {
		if !a.about(tokens, c) {
			continue
		}
		said := c.force
		if hasAny(tokens[c.subject:c.verb], reversals) {
			said = negated[said]
		}
		return verdicts[asked][said]
	}
	return ""
}

// verdicts holds the answers by what is asked and what is said. Whoever must do something
// also may; nothing follows from other pairs.
var verdicts = map[force]map[force]string{
	states:  {states: yes, denies: no, obliges: yes, forbids: no},
	obliges: {obliges: yes, forbids: no, exempts: no},
	allows:  {allows: yes, obliges: yes, forbids: no},
	forbids: {forbids: yes, allows: no, obliges: no},
}

// askedForce returns what a yes-or-no question asks. It returns false for a negative
// question, and for a choice such as "fixed or variable".
func (a *asking) askedForce() (force, bool) {
	tokens := tokensOf(a.text)
	if len(tokens) == 0 {
		return none, false
	}
	asked, ok := auxiliaries[tokens[0].lower]
	for i, t := range tokens {
		if t.lower == "not" || strings.HasSuffix(t.lower, "n't") || t.lower == "or" || t.lower == "never" {
			return none, false
		}
		if turn, is := turns[t.lower]; is && asked == states && (i+1 == len(tokens) || turnsAt(tokens, i, true)) {
			asked = turn
		}
		if t.lower == "have" && asked == states && i+1 < len(tokens) && tokens[i+1].lower == "to" {
			asked = obliges
		}
	}
	return asked, ok && asked != none
}

// about reports whether a claim is about the action of the question. The words of the
// question must be the subject, the main verb and the rest of the claim, in this order.
func (a *asking) about(tokens []token, c claim) bool {
	var words []string
	for _, t := range a.terms {
		if !posed[t] {
			words = append(words, t)
		}
	}
	for _, h := range headsOf(tokens, c.head) {
		i := slices.Index(words, h)
		if i < 0 || a.passive(h) != c.passive {
			continue
		}
		subject := tokens[c.subject:c.verb]
		if (i > 0 || !a.ofContract() || namesContract(subject)) && allIn(words[:i], subject) && allIn(words[i+1:], restOf(tokens, c.head)) {
			return true
		}
	}
	return false
}

// contractWords are the words for the document itself, which are too common to be searched
// for.
var contractWords = wordList(`agreement contract document`)

// ofContract reports whether the question is about the document: "does this agreement".
func (a *asking) ofContract() bool {
	tokens := tokensOf(a.text)
	return hasAny(tokens[:min(len(tokens), 4)], contractWords)
}

// namesContract reports whether a subject is the document, rather than a part of it such as
// "Section 7 of this Agreement".
func namesContract(subject []token) bool {
	for i, t := range subject {
		if contractWords[t.lower] && (i < 2 || subject[i-2].lower != "of") {
			return true
		}
	}
	return false
}

// passive reports whether the question has the verb with a stem in a passive form.
func (a *asking) passive(stem string) bool {
	tokens := tokensOf(a.text)
	be := false
	for i, t := range tokens {
		if t.stem == stem && i > 0 {
			return be && !turnedBefore(tokens[:i])
		}
		switch t.lower {
		case "be", "been", "is", "are", "was", "were":
			be = true
		}
	}
	return false
}

// turnedBefore reports whether the words say what is asked about an action, as in "is the
// tenant required to".
func turnedBefore(tokens []token) bool {
	turned := false
	for _, t := range tokens {
		if _, is := turns[t.lower]; is {
			turned = true
		}
		if turned && t.lower == "be" {
			return false
		}
	}
	return turned
}

// headsOf returns the stem of the main verb at i, and those of the verbs listed with it:
// "assign, sublet or transfer".
func headsOf(tokens []token, i int) []string {
	heads := []string{tokens[i].stem}
	for j := i + 1; j < len(tokens) && !tokens[j].apart; j++ {
		switch joined := tokens[j].lower == "or" || tokens[j].lower == "and" || tokens[j].lower == "otherwise"; {
		case joined && j+1 < len(tokens):
			heads = append(heads, tokens[j+1].stem)
		case joined, tokens[j-1].lower == "or", tokens[j-1].lower == "and":
		case tokens[j].listed:
			heads = append(heads, tokens[j].stem)
		default:
			return heads
		}
	}
	return heads
}

// restOf returns the words after index i, up to the next claim.
func restOf(tokens []token, i int) []token {
	end := i + 1
	for end < len(tokens) && !tokens[end].apart && auxiliaries[tokens[end].lower] == none {
		end++
	}
	return tokens[i:end]
}

// allIn reports whether all words are among the stems of the tokens.
func allIn(words []string, tokens []token) bool {
	for _, w := range words {
		if !slices.ContainsFunc(tokens, func(t token) bool { return t.stem == w }) {
			return false
		}
	}
	return true
}

// restrictionsIn returns the restrictions in a text, sorted and each once.
func restrictionsIn(tokens []token) []string {
	var all []string
	for _, t := range tokens {
		if restrictions[t.lower] {
			all = append(all, t.lower)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// surely is the least probability of yes, or of no, without a rule that says the same.
const surely = 0.8

// conditional matches a condition of a permission or a prohibition.
var conditional = regexp.MustCompile(`(?i)\b(?:unless|except|provided that|subject to|without (?:[\w'’-]+ ){0,4}(?:consent|approval|permission))\b`)

// yesOrNo returns yes or no if a sentence probably answers the question so. It returns "" if a condition
// decides, or if the sentence lacks a party of the question, because it may be about another one. Clear
// wordings decide alone. For others, a rule votes and weights decide, but only in the best answer: they
// could contradict it.
func (n *inquiry) yesOrNo(text string) string {
	if v := n.a.verdictOn(text); v != "" {
		return v
	}
	if n.otherParty(tokensOf(text)) || conditional.MatchString(text) {
		return ""
	}
	vote := n.decided(text)
	if n.further {
		return vote
	}
	switch p := n.model().Yes(n.verdictFeatures(text, vote)); {
	case p >= surely, p > 1-surely && vote == yes:
		return yes
	case p <= 1-surely, p < surely && vote == no:
		return no
	}
	return ""
}

// forceful are words that decide whether a sentence allows, requires or forbids something, and limit
// that.
var forceful = wordList(`may must shall will can cannot not no never neither nor nothing none without unless except only alone solely exclusive free
	entitled any all excluded included either prior written consent provided if`)

// negating are words that deny something.
var negating = wordList(`not no never neither nor nothing none cannot without`)

// mostSaid is the maximum number of words of a sentence from which weights decide.
const mostSaid = 80

// verdictFeatures returns the features from which weights decide whether a sentence answers a yes-or-no
// question with yes: the words of both, how often the sentence denies something, the words of the question beside
// forceful words of the sentence, what is asked and what the strongest claim says, and the vote of the
// rule.
func (n *inquiry) verdictFeatures(text, vote string) []pairs.Feature {
	var all []pairs.Feature
	add := func(parts ...any) { all = append(all, pairs.FeatureOf(fmt.Sprintln(parts...))) }
	tokens := tokensOf(text)
	denied, has, before := 0, []string{}, ""
	for _, t := range tokens[:min(len(tokens), mostSaid)] {
		add("says", t.stem)
		if before != "" {
			add("says", before, t.stem)
		}
		before = t.stem
		if negating[t.lower] {
			denied = min(denied+1, 2)
		}
		if forceful[t.lower] && !slices.Contains(has, t.lower) {
			has = append(has, t.lower)
		}
	}
	words := plainWords(n.a.text)
	before = ""
	for _, w := range words[:min(len(words), maxTerms)] {
		stem := vocabulary.Stem(w)
		add("asks", stem)
		if before != "" {
			add("asks", before, stem)
		}
		before = stem
		add("denied", stem, denied)
		for _, f := range has {
			add("beside", stem, f)
		}
	}
	asked, ok := n.a.plainForce()
	said, most := n.strongest(tokens)
	add("force", int(asked), ok, int(said))
	add("strong", int(asked), int(said), most >= enoughKnown*n.matched)
	add("vote", vote)
	n.claimFeatures(tokens, asked, add)
	slices.Sort(all)
	return slices.Compact(all)
}

// claimFeatures adds what each claim of a sentence says, and how many words it shares with the question.
func (n *inquiry) claimFeatures(tokens []token, asked force, add func(...any)) {
	shared := make([]bool, len(tokens))
	for _, o := range n.occurrences(tokens) {
		shared[o.at] = true
	}
	count := func(from, to, most int) (c int) {
		for _, s := range shared[from:to] {
			if s {
				c++
			}
		}
		return min(c, most)
	}
	for _, c := range claimsIn(tokens) {
		said, subject := count(c.verb, min(len(tokens), c.head+sharedAfter), 2), count(c.subject, c.verb, 1)
		add("claim", int(c.force), said, subject)
		add("claim", int(c.force), said, subject, int(asked))
		add("claim", int(c.force), tokens[c.head].stem)
	}
}

// sharedAfter is how many words from the main verb on belong to a claim.
const sharedAfter = 6

// YesOrNo returns the features from which weights decide whether a sentence answers a question with yes.
// It reports false if the question asks for something else than yes or no.
func (q *Questions) YesOrNo(question string, sentence int) ([]pairs.Feature, bool) {
	a := readQuestion(question)
	if a.kind = plainKind(a.text); a.kind != verdict {
		return nil, false
	}
	n := q.inquire(question, &a)
	text := passage.Text(q.doc, q.doc.Sentences[sentence].Span)
	return n.verdictFeatures(text, cmp.Or(a.verdictOn(text), n.decided(text))), true
}
