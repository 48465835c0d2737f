package clauses

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// The votes of rules that are no patterns. The others have the index of their pattern, and
// the hints follow them.
const (
	voteLaw = 60 + iota
	voteCap
	voteExclusion
	voteUncapped
)

// votesOn returns which rules recognize a sentence that is in no margin.
func votesOn(d *structure.Document, s structure.Sentence) learn.Votes {
	var votes learn.Votes
	if _, _, ok := law.Chosen(d, s); ok {
		votes |= 1 << voteLaw
	}
	if !passage.IsClause(d, s) {
		return votes
	}
	in := ofRules().In(s.Lower)
	for i := range rules {
		if rules[i].fits(&in) {
			votes |= 1 << i
		}
	}
	for i := range hints {
		if hints[i].fits(&in) {
			votes |= 1 << (len(rules) + i)
		}
	}
	switch kind, _, ok := liability.KindOf(s.Lower); {
	case !ok:
	case kind == insightapi.LimitUncapped:
		votes |= 1 << voteUncapped
	case kind == insightapi.LimitExclusion:
		votes |= 1 << voteExclusion
	default:
		votes |= 1 << voteCap
	}
	return votes
}

// Votes returns which rules recognize each sentence of a document.
func Votes(d *structure.Document) []learn.Votes {
	return votesAnd(d, func(structure.Sentence) {})
}

// votesAnd returns the same as Votes. also is called with each sentence that is in no margin.
func votesAnd(d *structure.Document, also func(structure.Sentence)) []learn.Votes {
	votes := make([]learn.Votes, len(d.Sentences))
	for i, s := range d.Sentences {
		if d.Paragraphs[s.Paragraph].Kind == structure.Margin {
			continue
		}
		votes[i] = votesOn(d, s)
		also(s)
	}
	return votes
}

// VotesOf returns the votes for a kind.
func VotesOf(kind string) learn.Votes {
	switch kind {
	case GoverningLaw:
		return 1 << voteLaw
	case capOnLiability:
		return 1<<voteCap | 1<<voteExclusion
	case uncappedLiability:
		return 1 << voteUncapped
	}
	var votes learn.Votes
	for i := range rules {
		if rules[i].kind == kind {
			votes |= 1 << i
		}
	}
	return votes
}
