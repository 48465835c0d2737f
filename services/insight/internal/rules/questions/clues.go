package questions

import (
	"slices"
	"strings"
	"unicode"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// How much words of a question count that say little about the passage that answers it.
const (
	// partyWorth is for words for a party, such as "the vendor": nearly every sentence of a
	// contract is about the parties.
	partyWorth = 0.3
	// lightWorth is for verbs and adverbs of plain speech, such as "get" and "really".
	lightWorth = 0.25
)

// partyWords are words for the parties to contracts of all kinds. They are no stems: "customs" and "to sell" have
// those of "customers" and "sellers".
var partyWords = wordList(`vendor supplier provider seller customer client buyer purchaser company firm business landlord owner lessor tenant lessee renter
	employer employee worker executive contractor subcontractor consultant freelancer agent principal dealer distributor manufacturer maker reseller
	licensor licensee franchisor franchisee lender borrower bank guarantor author writer publisher artist artists sponsor recipient grantor grantee
	shareholder founder partner side sides member everyone everybody anybody anyone somebody someone`)

// lightWords are words of plain speech that say little.
var lightWords = wordsOf(`get gets getting got go goes going come comes want wants need needs needed have having keep keeps take takes make makes made put let
	know say says ask asks want able really actually ever still just only even too already yet now again anyway whatever always once first next new right
	thing things something anything kind sort way case side due work works deal done use used using our ours their theirs ourselves themselves her his
	because while during against without within through off away back down ahead along around like per else own altogether roughly exactly
	possible allowed expect expected supposed meant mean count happen happens involve apply applies number lot bit little simply many much long far fast quickly quick soon often big early`)

// isParty reports whether a word, in lower case, is one for a party.
func isParty(word string) bool {
	return partyWords[word] || partyWords[strings.TrimSuffix(word, "s")] || partyWords[strings.TrimSuffix(word, "ies")+"y"]
}

// clue is a word or a phrase of a question.
type clue struct {
	// text is the word, or the phrase, as the question has it.
	text string
	// worth is how much it counts besides how rare it is.
	worth float64
	// alike maps stems to how much they count as an occurrence.
	alike map[string]float64
	// weight is worth by how rare it is in the document.
	weight float64
	// present reports that the document has it.
	present bool
}

// plainWords returns the words of a question in lower case, without the ends of "don't" and
// "client's".
func plainWords(question string) []string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(question, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	})
	for i, w := range words {
		words[i] = strings.TrimSuffix(strings.Trim(w, "'-"), "'s")
	}
	return words
}

// cluesOf returns the clues of a question, at most maxTerms.
func cluesOf(question string) []clue {
	words := plainWords(question)
	seen := map[string]bool{}
	var all []clue
	for len(words) > 0 && len(all) < maxTerms {
		c, n, between := clueAt(words)
		words = words[n:]
		if len(between) > 0 {
			words = slices.Concat(between, words)
		}
		if c.worth > 0 && !seen[c.text] {
			seen[c.text] = true
			all = append(all, c)
		}
	}
	return all
}

// clueAt returns the clue with which the words begin, how many of them it takes, and those
// between its words that are no part of it. Its worth is 0 if the first word is no clue.
func clueAt(words []string) (c clue, n int, between []string) {
	var stand []string
	for _, p := range vocabulary.Phrases(words[0]) {
		taken, gap := p.At(words)
		if taken > n {
			stand, n, between = nil, taken, gap
		}
		if taken == n {
			stand = append(stand, p.Stand...)
		}
	}
	c = clue{text: strings.Join(words[:max(n, 1)], " "), worth: 1, alike: map[string]float64{}}
	if n <= 1 {
		c.word(words[0])
	}
	if n > 0 && c.worth == 0 && !vocabulary.Stops(words[0]) {
		c.worth = lightWorth
	}
	if n > 1 {
		c.phrase(words[:n])
	}
	for _, s := range stand {
		c.alike[s] = max(c.alike[s], synonymWorth)
	}
	return c, max(n, 1), between
}

// shortened matches a pronoun or an auxiliary with the short form of the next word, such as "don't"
// and "they're".
var shortened = regexp.MustCompile(`^[a-z]+(?:n't|'(?:re|ve|ll|d|m))$`)

// word adds the meanings of a single word.
func (c *clue) word(w string) {
	terms := vocabulary.Terms(w)
	if len(terms) == 0 || shortened.MatchString(w) {
		c.worth = 0
		return
	}
	c.worth = 0
	for _, t := range terms {
		c.worth = max(c.worth, worthOf(w, t)) // "sub-dealers" are more than dealers
		c.alike[t] = 1
		for _, s := range vocabulary.Synonyms(t) {
			c.alike[s] = max(c.alike[s], synonymWorth)
		}
	}
}

// worthOf returns how much a word with a stem counts.
func worthOf(word, stem string) float64 {
	switch {
	case isParty(word):
		return partyWorth
	case lightWords[stem]:
		return lightWorth
	case generic[stem]:
		return genericWeight
	}
	return 1
}

// phrase adds the words of a phrase that say something alone.
func (c *clue) phrase(words []string) {
	for _, w := range words {
		for _, t := range vocabulary.Terms(w) {
			if !isParty(w) && !lightWords[t] && !generic[t] {
				c.alike[t] = 1
			}
		}
	}
}
