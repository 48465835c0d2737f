// Package clauses owns which kind of clause a sentence is, by how clauses of the kind
// read and by how sentences read that deny them.
package clauses

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// rule says how sentences of a kind of clause read. Sentences are on one
// line and in lower case.
type rule struct {
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

// The kinds of clauses that other rules ask for by their names.
const (
	// GoverningLaw is the kind of clauses that choose a law.
	GoverningLaw = "Governing Law"
	// RenewalTerm is the kind of clauses that renew the contract.
	RenewalTerm = "Renewal Term"
)

// Find returns the clauses of the kinds that are known here, sentence by
// sentence.
func Find(d *structure.Document) []finding.Found[insightapi.Clause] { return OfKind(d, "") }

// OfKind returns the clauses of a kind, of all for "".
func OfKind(d *structure.Document, kind string) []finding.Found[insightapi.Clause] {
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
	if kind == "" || kind == GoverningLaw {
		if f, ok := governingLaw(d, s, text); ok {
			found = append(found, f)
		}
	}
	if kind == GoverningLaw || !passage.IsClause(d, s) {
		return found
	}
	for _, r := range rules {
		if (kind == "" || kind == r.kind) && r.fits(text) {
			found = append(found, clause(s, r.kind, r.says, "The sentence reads as clauses of this kind do.", r.confidence))
		}
	}
	if kind == "" {
		found = append(found, liabilityClauses(s, text)...)
	}
	return found
}

func (r *rule) fits(text string) bool {
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
	return (r.not == nil || !r.not.MatchString(text)) && !Refused(r.kind, text)
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
	place, confidence, ok := law.Chosen(d, s, text)
	if !ok {
		return finding.Found[insightapi.Clause]{}, false
	}
	return clause(s, GoverningLaw, "Governed by the laws of "+place+".", "The sentence says which law governs the contract.", confidence), true
}

// liabilityClauses returns a sentence as the clauses on liability that it is.
func liabilityClauses(s structure.Sentence, text string) []finding.Found[insightapi.Clause] {
	kind, confidence, ok := liability.KindOf(text)
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
