package rules

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// clauseRule says how sentences of a kind of clause read. Sentences are on one
// line and in lower case.
type clauseRule struct {
	// kind is the name that CUAD has for it, in title case.
	kind string
	// any are words of which each sentence of the kind has one; they are looked for
	// before anything else.
	any []string
	// all have to match, and none of not may.
	all []*regexp.Regexp
	not *regexp.Regexp
	// says is what the clause says, in a sentence.
	says       string
	confidence float64
}

// lawClause is the kind of clauses that choose a law.
const lawClause = "Governing Law"

// Clauses returns the clauses of the kinds that are known here, sentence by
// sentence.
func Clauses(d *structure.Document) []finding.Found[insightapi.Clause] { return clausesOfKind(d, "") }

// clausesOfKind returns the clauses of a kind, of all for "".
func clausesOfKind(d *structure.Document, kind string) []finding.Found[insightapi.Clause] {
	var found []finding.Found[insightapi.Clause]
	for _, s := range d.Sentences {
		if len(found) >= finding.MaxItems {
			break
		}
		if d.Paragraphs[s.Paragraph].Kind != structure.Margin {
			found = append(found, clausesIn(d, s, kind)...)
		}
	}
	return finding.ByPlace(found)
}

// clausesIn returns the clauses of a kind that a sentence is, of all for "".
func clausesIn(d *structure.Document, s structure.Sentence, kind string) []finding.Found[insightapi.Clause] {
	var found []finding.Found[insightapi.Clause]
	text := passage.LowerText(d, s.Span)
	if kind == "" || kind == lawClause {
		if f, ok := governingLaw(d, s, text); ok {
			found = append(found, f)
		}
	}
	if kind == lawClause || !passage.IsClause(d, s) {
		return found
	}
	for _, r := range clauseRules {
		if (kind == "" || kind == r.kind) && r.fits(text) {
			found = append(found, clause(s, r.kind, r.says, "The sentence reads as clauses of this kind do.", r.confidence))
		}
	}
	if kind == "" {
		found = append(found, liabilityClauses(s, text)...)
	}
	return found
}

func (r *clauseRule) fits(text string) bool {
	has := false
	for _, w := range r.any {
		if has = strings.Contains(text, w); has {
			break
		}
	}
	if !has {
		return false
	}
	for _, re := range r.all {
		if !re.MatchString(text) {
			return false
		}
	}
	return (r.not == nil || !r.not.MatchString(text)) && !refused(r.kind, text)
}

// clause returns a sentence as a clause.
func clause(s structure.Sentence, kind, says, why string, confidence float64) finding.Found[insightapi.Clause] {
	return finding.Found[insightapi.Clause]{
		Item: insightapi.Clause{ClauseType: kind, ClauseDescription: says, ParagraphIndex: strconv.Itoa(s.Paragraph)},
		Span: s.Span, Reasoning: why, Confidence: confidence,
	}
}

// governingLaw returns a sentence as the clause that chooses a law.
func governingLaw(d *structure.Document, s structure.Sentence, text string) (finding.Found[insightapi.Clause], bool) {
	place, confidence, ok := chosen(d, s, text)
	if !ok {
		return finding.Found[insightapi.Clause]{}, false
	}
	return clause(s, lawClause, "Governed by the laws of "+place+".", "The sentence says which law governs the contract.", confidence), true
}

// liabilityClauses returns a sentence as the clauses on liability that it is.
func liabilityClauses(s structure.Sentence, text string) []finding.Found[insightapi.Clause] {
	kind, confidence, ok := limitOf(text)
	switch {
	case !ok:
		return nil
	case kind == insightapi.LimitUncapped:
		return []finding.Found[insightapi.Clause]{clause(s, "Uncapped Liability", "Some liability is not limited.", "The sentence takes liability out of a limit.", confidence)}
	case kind == insightapi.LimitExclusion:
		return []finding.Found[insightapi.Clause]{clause(s, "Cap On Liability", "Liability for some kinds of damage, or other remedies, are excluded.", "The sentence excludes kinds of damage or remedies.", confidence-0.05)}
	}
	return []finding.Found[insightapi.Clause]{clause(s, "Cap On Liability", "Liability is limited to an amount.", "The sentence limits how much has to be paid.", confidence)}
}
