package clauses

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Kinds returns the kinds of clauses that Chosen can return, in alphabetical order. Find
// returns those that have a rule.
func Kinds() []string {
	kinds := Learned()
	for _, b := range boilerplates {
		kinds = append(kinds, b.kind)
	}
	slices.Sort(kinds)
	return kinds
}

// Learned returns the kinds of clauses that are labeled in the CUAD data set, so that
// weights can be learned for them and figures measured, in alphabetical order.
func Learned() []string {
	kinds := []string{GoverningLaw, capOnLiability, uncappedLiability}
	for _, r := range rules {
		kinds = append(kinds, r.kind)
	}
	for _, l := range learned {
		kinds = append(kinds, l.kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// moreWords lists, by kind, words of clauses that the patterns are too narrow to find.
var moreWords = map[string][]string{
	"Affiliate License-Licensee":       {"sublicens"},
	"Irrevocable Or Perpetual License": {"forever", "unlimited in time"},
	"Joint IP Ownership":               {"own"},
	"Non-Transferable License":         {"transfer", "assign"},
	"Anti-Assignment":                  {"transfer", "subcontract", "delegat"},
	"Audit Rights":                     {"examin", "access to"},
	"Change Of Control":                {"control", "merge", "substantially all", "acqui", "ownership"},
	"Covenant Not To Sue":              {"claim", " suit", " action"},
	"Exclusivity":                      {" only"},
	"IP Ownership Assignment":          {"title", " own"},
	"Insurance":                        {"coverage"},
	"Liquidated Damages":               {"penalt"},
	"Minimum Commitment":               {"not less than", "shortfall"},
	"Most Favored Nation":              {"lowest", "better terms"},
	"No-Solicit Of Customers":          {"contact", "approach", "induce"},
	"No-Solicit Of Employees":          {"induce", "entice"},
	"Non-Compete":                      {"other business", "similar business", "other trade", "directly or indirectly"},
	"Non-Disparagement":                {"injurious", "goodwill", "reputation", "derogatory", "negative"},
	NoticePeriod:                       {"exten"},
	"Post-Termination Services":        {"end of", "after the term", "transition"},
	"ROFR/ROFO/ROFN":                   {"first right", "first consideration", "negotiat", "bona fide", "to purchase"},
	"Revenue/Profit Sharing":           {"royalt", "profit", "revenue", "commission"},
	"Termination For Convenience":      {"withdraw"},
	"Third Party Beneficiary":          {"third part"},
	"Warranty Duration":                {"guarant", "defect"},
}

// granting are the kinds whose rules name, by what must not match, the sentences that
// deny the clause.
var granting = []string{"License Grant", "Third Party Beneficiary"}

// Named returns the text of a span as a clause of a kind that something other than the
// rules recognized. It returns false if neither the text nor what is around it has any of
// the words of the kind, or if the text denies what such a clause says: its description
// would then be untrue. around reports that only its paragraph or the title of its section
// has the words: a clause often goes on for sentences that do not repeat what it is about.
func Named(d *structure.Document, kind string, s layout.Span) (item insightapi.Clause, around, ok bool) {
	item = insightapi.Clause{ClauseType: kind}
	first := passage.SentenceAt(d, s.Start)
	if first < 0 {
		return item, false, false
	}
	item.ParagraphIndex = strconv.Itoa(d.Sentences[first].Paragraph)
	text := passage.LowerText(d, s)
	switch kind {
	case GoverningLaw:
		item.ClauseDescription = chosenIn(d, s, first)
	case capOnLiability, uncappedLiability:
		item.ClauseDescription = limitIn(d, kind, s)
	default:
		if item.ClauseDescription = says(kind, text, text); item.ClauseDescription == "" {
			around = true
			item.ClauseDescription = says(kind, text, contextOf(d, d.Sentences[first].Paragraph))
		}
	}
	return item, around, item.ClauseDescription != "" && !Refused(kind, text)
}

// contextOf returns a paragraph and the title of its section, in lower case.
func contextOf(d *structure.Document, paragraph int) string {
	return passage.Lower(passage.SectionTitle(d, paragraph)) + "\n" + passage.LowerText(d, d.Paragraphs[paragraph].Span)
}

// chosenIn says which law the sentences of a span choose, "" if they choose none. first
// is the index of the first of them.
func chosenIn(d *structure.Document, s layout.Span, first int) string {
	chooses := false
	for _, sentence := range d.Sentences[first:] {
		if sentence.Start >= s.End {
			break
		}
		if place, _, ok := law.Chosen(d, sentence); ok {
			return governedBy(place)
		}
		chooses = chooses || law.Chooses(sentence.Lower)
	}
	if chooses {
		return "The law that governs the contract is named."
	}
	return ""
}

// limitIn summarizes a clause about liability, "" if the span states no limit of that
// kind.
func limitIn(d *structure.Document, kind string, s layout.Span) string {
	types := []string{insightapi.LimitCap, insightapi.LimitExclusion}
	if kind == uncappedLiability {
		types = []string{insightapi.LimitUncapped}
	}
	for _, t := range types {
		if _, ok := liability.Named(d, t, s); ok {
			return liabilitySays(t)
		}
	}
	return ""
}

// says returns the summary of a kind, "" if the text denies it, or if the context has none
// of its words. Both are in lower case.
func says(kind, text, context string) string {
	for _, r := range rules {
		if r.kind != kind || slices.Contains(granting, kind) && r.not.MatchString(text) {
			continue
		}
		for _, w := range append(slices.Clone(r.any), moreWords[kind]...) {
			if strings.Contains(context, w) {
				return r.describe(text)
			}
		}
	}
	for _, l := range learned {
		if l.kind == kind && slices.ContainsFunc(l.words, func(w string) bool { return strings.Contains(context, w) }) {
			return l.says
		}
	}
	for i := range boilerplates {
		if boilerplates[i].kind == kind && boilerplateWords().In(context)>>i&1 == 1 {
			return boilerplates[i].says
		}
	}
	return ""
}
