// Package clauses finds the clauses of a contract and their kinds. Each kind has patterns
// for sentences that state it and for sentences that deny it.
package clauses

import (
	"strconv"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// rule describes the sentences of one kind of clause. Its patterns match text on one line
// in lower case.
type rule struct {
	// kind is CUAD's name for it, in title case.
	kind string
	// any lists words. Every sentence of the kind contains at least one of them, which is
	// cheap to check first.
	any []string
	// All patterns of all must match, and not must not.
	all []*regexp.Regexp
	not *regexp.Regexp
	// says summarizes the clause in a sentence. API clients see it.
	says       string
	confidence float64
}

// Kinds of clauses that other rules use.
const (
	// GoverningLaw is the kind of clauses that choose a law.
	GoverningLaw = "Governing Law"
	// RenewalTerm is the kind of clauses that renew the contract.
	RenewalTerm = "Renewal Term"
	// NoticePeriod is the kind of clauses that say when notice prevents a renewal.
	NoticePeriod = "Notice Period To Terminate Renewal"

	// termKind is the kind of clauses that say how long the contract lasts.
	termKind = "Term"

	capOnLiability    = liability.CapOnLiability
	uncappedLiability = liability.UncappedLiability
)

// Find returns the clauses whose kind is known, sentence by sentence.
func Find(d *structure.Document) []finding.Found[insightapi.Clause] { return OfKind(d, "") }

// OfKind returns the clauses of a kind, or of all kinds for "".
func OfKind(d *structure.Document, kind string) []finding.Found[insightapi.Clause] {
	var found []finding.Found[insightapi.Clause]
	b := newBoilerplate(d, kind)
	for _, s := range d.Sentences {
		if d.Paragraphs[s.Paragraph].Kind == structure.Margin {
			continue
		}
		if len(found) < finding.MaxItems {
			found = append(found, clausesIn(d, s, kind)...)
		}
		b.read(s)
	}
	return finding.ByPlace(append(found, b.found()...))
}

// clausesIn returns the clauses of a kind, or of all kinds for "", that a sentence states,
// without boilerplate.
func clausesIn(d *structure.Document, s structure.Sentence, kind string) []finding.Found[insightapi.Clause] {
	var found []finding.Found[insightapi.Clause]
	if kind == "" || kind == GoverningLaw {
		if f, ok := governingLaw(d, s); ok {
			found = append(found, f)
		}
	}
	if kind == GoverningLaw || !passage.IsClause(d, s) {
		return found
	}
	in := ofRules().In(s.Lower)
	for _, r := range rules {
		if (kind == "" || kind == r.kind) && r.fits(&in) {
			found = append(found, clause(s, r.kind, r.describe(s.Lower), "The wording is typical of this kind of clause.", r.confidence))
		}
	}
	for _, f := range liabilityClauses(s) {
		if kind == "" || kind == f.Item.ClauseType {
			found = append(found, f)
		}
	}
	return found
}

// ofRules returns wordings, in which each rule and hint also requires one of its words.
var ofRules = sync.OnceValue(func() *regexp.Set {
	for i := range rules {
		wordings.Require(rules[i].all[0], rules[i].any)
	}
	for i := range hints {
		wordings.Require(hints[i].all[0], hints[i].any)
	}
	return wordings
})

// fits reports whether a sentence is of the kind.
func (r *rule) fits(in *regexp.Text) bool {
	return in.All(r.all...) && (r.not == nil || !r.not.MatchString(in.String())) && !Refused(r.kind, in.String())
}

// describe summarizes a sentence of the kind.
func (r *rule) describe(text string) string {
	if p, ok := noticeIn(text); ok && r.kind == NoticePeriod {
		return "Notice of " + p.String() + " prevents a renewal."
	}
	return r.says
}

// noticeIn returns the first period of a notice in a text in lower case.
func noticeIn(text string) (period.Period, bool) {
	for _, p := range period.Find(text, maxPeriods) {
		if period.OfNotice(text, p) {
			return p, true
		}
	}
	return period.Period{}, false
}

// maxPeriods is the maximum number of periods read of a sentence.
const maxPeriods = 12

// clause returns a sentence as a clause.
func clause(s structure.Sentence, kind, says, why string, confidence float64) finding.Found[insightapi.Clause] {
	return finding.Found[insightapi.Clause]{
		Item: insightapi.Clause{ClauseType: kind, ClauseDescription: says, ParagraphIndex: strconv.Itoa(s.Paragraph)},
		Span: s.Span, Reasoning: why, Confidence: confidence,
	}
}

// governingLaw returns a sentence as a governing law clause, if it is one.
func governingLaw(d *structure.Document, s structure.Sentence) (finding.Found[insightapi.Clause], bool) {
	place, confidence, ok := law.Chosen(d, s)
	if !ok {
		return finding.Found[insightapi.Clause]{}, false
	}
	return clause(s, GoverningLaw, governedBy(place), "The sentence says which law governs the contract.", confidence), true
}

func governedBy(place string) string {
	return "Governed by the laws of " + law.WithCountry(place) + "."
}

// liabilityClauses returns a sentence as the liability clause that it states, if any.
func liabilityClauses(s structure.Sentence) []finding.Found[insightapi.Clause] {
	kind, confidence, ok := liability.KindOf(s.Lower)
	switch {
	case !ok:
		return nil
	case kind == insightapi.LimitUncapped:
		return []finding.Found[insightapi.Clause]{clause(s, uncappedLiability, liabilitySays(kind), "The sentence says which liability is not limited.", confidence)}
	case kind == insightapi.LimitExclusion:
		return []finding.Found[insightapi.Clause]{clause(s, capOnLiability, liabilitySays(kind), "The sentence excludes liability or some remedies.", confidence-0.05)}
	}
	return []finding.Found[insightapi.Clause]{clause(s, capOnLiability, liabilitySays(kind), "The sentence states a maximum for liability.", confidence)}
}

// place is a kind of clause, and where the sentence begins that states it.
type place struct {
	kind  string
	start int
}

// placesOf returns the places of clauses.
func placesOf(found []finding.Found[insightapi.Clause]) map[place]bool {
	has := make(map[place]bool, len(found))
	for _, f := range found {
		has[place{f.Item.ClauseType, f.Span.Start}] = true
	}
	return has
}

// AddLimits adds to the clauses of a document those limits of liability that are not among them.
func AddLimits(d *structure.Document, found []finding.Found[insightapi.Clause], limits []finding.Found[insightapi.Limit]) []finding.Found[insightapi.Clause] {
	has := placesOf(found)
	for _, l := range limits {
		kind := capOnLiability
		if l.Item.LimitType == insightapi.LimitUncapped {
			kind = uncappedLiability
		}
		at := passage.SentenceAt(d, l.Span.Start)
		if key := (place{kind, l.Span.Start}); at >= 0 && !has[key] {
			has[key] = true
			found = append(found, clause(d.Sentences[at], kind, liabilitySays(l.Item.LimitType), l.Reasoning, l.Confidence))
		}
	}
	return finding.ByPlace(found)
}

// liabilitySays summarizes a clause about liability from its type of limit.
func liabilitySays(kind string) string {
	switch kind {
	case insightapi.LimitUncapped:
		return "Some liability is not limited."
	case insightapi.LimitExclusion:
		return "Some kinds of damages, or some remedies, are excluded."
	}
	return "Liability is limited to an amount."
}
