package clauses

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// learned are the kinds of clauses that no rule recognizes: the weights alone decide. words
// are as in moreWords.
var learned = []struct {
	kind, says string
	words      []string
}{
	{"Affiliate License-Licensor", "A license covers rights of affiliates of the licensor.", []string{"affiliate", "subsidiar"}},
	{"Competitive Restriction Exception", "There is an exception to exclusivity or to a restriction on competition.", []string{
		"except", "notwithstanding", "however", "provided", "nothing", "other than", "may ", "permit",
	}},
	{"Price Restrictions", "A party may not set or raise prices freely.", []string{"price", "pricing", "fee", "rate", "cost"}},
	{"Unlimited/All-You-Can-Eat-License", "A license allows unlimited use.", []string{"unlimited", "enterprise", "any number", "without limit"}},
	{"Volume Restriction", "Use or purchases are limited to an amount, or cost more above it.", []string{
		"exceed", "excess", "maximum", "up to", "limit", "more than", "no more", "additional",
	}},
}

// Choice is what was chosen in a document: sentences by weights, and boilerplate.
type Choice struct {
	// Passages are the sentences that the model chooses.
	Passages    []learn.Passage
	boilerplate []finding.Found[insightapi.Clause]
}

// Choose returns what a model chooses in a document, by its weights or by the votes of the
// rules, and its boilerplate. It returns nil if m is nil: the rules alone decide then. words returns
// the words of the document.
func Choose(m *learn.Model, d *structure.Document, words func() *learn.Words) *Choice {
	if m == nil {
		return nil
	}
	b := newBoilerplate(d, "")
	votes := votesAnd(d, b.read)
	ruled, kinds := b.found(), map[string]bool{}
	for _, f := range ruled {
		kinds[f.Item.ClauseType] = true
	}
	return &Choice{learn.Settle(m.Find(words(), votes, finding.MaxItems), kinds), ruled}
}

// Clauses returns the chosen clauses of the document d.
func (c *Choice) Clauses(d *structure.Document) []finding.Found[insightapi.Clause] {
	found := slices.Clone(c.boilerplate)
	ruled := placesOf(found)
	for _, p := range c.Passages {
		s := d.Sentences[p.Sentence]
		if ruled[place{p.Kind, s.Start}] {
			continue
		}
		if p.ByRule {
			found = append(found, clausesIn(d, s, p.Kind)...)
			continue
		}
		says := describe(d, s, p.Kind)
		if says == "" || Refused(p.Kind, s.Lower) || p.Kind != GoverningLaw && fragment(d, s) {
			continue
		}
		found = append(found, clause(s, p.Kind, says, finding.Weighed("this kind of clause", d, p), p.Probability))
	}
	return finding.ByPlace(found)
}

// maxFragment is the maximum number of words of a fragment.
const maxFragment = 12

// fragment reports whether a sentence is the cell of a table, or a few words without a verb, such as
// "Booking deposit" or "38 hours per week plus overtime". It states no clause by itself, but a label and its
// value do: "Governing law: Ohio".
func fragment(d *structure.Document, s structure.Sentence) bool {
	text := strings.TrimSpace(s.Lower)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".;,") || strings.Contains(text, ":") || len(strings.Fields(text)) > maxFragment {
		return false
	}
	kind := d.Paragraphs[s.Paragraph].Kind
	return kind == structure.Cell && !modal.MatchString(text) || kind != structure.Item && !verb.MatchString(text)
}

// verb matches verbs that clauses have.
var verb = regexp.MustCompile(`\b(?:shall|will|must|may|can|cannot|won't|don't|not|agrees?|undertakes?|is|are|has|have|applies|apply|governs?|governed|belongs?|owns?|pays?|lasts?|runs?|ends?|keeps?|grants?|limited|capped|warrants?|assigns?|survives?|remains?|renews?|requires?|permitted|allowed|excluded|exclusive|prohibited|without)\b`)

// describe summarizes a sentence of a kind. It returns "" for a choice of law that names
// no law, because nothing true can be said about it: such sentences are mostly about
// arbitration or courts.
func describe(d *structure.Document, s structure.Sentence, kind string) string {
	switch kind {
	case GoverningLaw:
		if place, _, ok := law.Chosen(d, s); ok {
			return governedBy(place)
		}
		return ""
	case capOnLiability:
		if limit, _, ok := liability.KindOf(s.Lower); ok && limit != insightapi.LimitUncapped {
			return liabilitySays(limit)
		}
		return "Liability, or a remedy, is limited."
	case uncappedLiability:
		return liabilitySays(insightapi.LimitUncapped)
	}
	for _, r := range rules {
		if r.kind == kind {
			return r.describe(s.Lower)
		}
	}
	for _, l := range learned {
		if l.kind == kind {
			return l.says
		}
	}
	for i := range boilerplates {
		if boilerplates[i].kind == kind {
			return boilerplates[i].describe(s.Lower)
		}
	}
	return ""
}
