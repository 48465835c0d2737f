package questions

import (
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// token is a word of a sentence.
type token struct {
	layout.Span
	// lower is the word in lower case, and stem its stem.
	lower, stem string
	// apart reports that a full stop, a semicolon or a colon is before it, and listed that
	// a comma is.
	apart, listed bool
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+(?:['’][\pL]+)?`)

// tokensOf returns the words of a sentence, at most maxTokens.
func tokensOf(text string) []token {
	var all []token
	end := 0
	for _, m := range wordPattern.FindAllStringIndex(text, maxTokens) {
		lower := strings.ToLower(strings.ReplaceAll(text[m[0]:m[1]], "’", "'"))
		between := text[end:m[0]]
		all = append(all, token{
			Span: layout.Span{Start: m[0], End: m[1]}, lower: lower, stem: vocabulary.Stem(strings.TrimSuffix(lower, "'s")),
			apart: strings.ContainsAny(between, ".;:"), listed: strings.Contains(between, ","),
		})
		end = m[1]
	}
	return all
}

// maxTokens is the maximum number of words that are read of a sentence.
const maxTokens = 800

// nearest returns the span that is nearest to the terms in a text, by the mean distance in
// words. It returns false if there is none, or if two are about as near.
func nearest(text string, spans []layout.Span, terms []string) (layout.Span, bool) {
	switch len(spans) {
	case 0:
		return layout.Span{}, false
	case 1:
		return spans[0], true
	}
	tokens := tokensOf(text)
	best, first, second := layout.Span{}, -1.0, -1.0
	for _, s := range spans {
		far := distance(tokens, s, terms)
		switch {
		case first < 0 || far < first:
			best, first, second = s, far, first
		case second < 0 || far < second:
			second = far
		}
	}
	return best, second >= clearly*first+0.5
}

// clearly is how many times farther the second nearest value must be.
const clearly = 1.25

// distance returns the mean distance in words between a span and the terms that the tokens
// contain.
func distance(tokens []token, s layout.Span, terms []string) float64 {
	sum, n := 0, 0
	for _, t := range terms {
		if far, ok := away(tokens, s, t); ok {
			sum, n = sum+far, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// away returns the distance in words between a span and the nearest token with a stem. It
// returns false if there is none.
func away(tokens []token, s layout.Span, stem string) (least int, ok bool) {
	before := sort.Search(len(tokens), func(i int) bool { return tokens[i].End > s.Start })
	after := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= s.End })
	for i, w := range tokens {
		if far := max(before-i, i-after+1, 0); w.stem == stem && (!ok || far < least) {
			least, ok = far, true
		}
	}
	return least, ok
}
