// Package renewals finds how long a contract is renewed for, and whether that happens
// automatically.
package renewals

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// cycle matches words for a renewal again and again.
const cycle = `(?:year|month|quarter|week|season|term)[- ]to[- ](?:\w+ )?(?:year|month|quarter|week|season|term)`

// Patterns for sentences about renewals, on one line in lower case.
var (
	renewing = regexp.MustCompile(`\b(?:automatic\w*|shall|will|may|can|could|option|right|be)\b[^.;]{0,60}\b(?:renew\w*|extend(?:ed|s)?|prolong\w*)\b|\brenewal (?:terms?|periods?|option)\b|\brenewable\b|\brenewed (?:tacitly|automatically)\b|\b(?:automatically continu\w*|continu\w* automatically)\b[^.;]{0,80}\b(?:successive|additional|further)\b|\bautomatic(?:ally)? (?:renew\w*|exten\w*)|\bextension terms?\b|\brenews\b|\badditional (?:[\w()-]+ ){0,4}terms?\b|\b(?:is|are|shall be|will be)\s+(?:\w+\s+)?(?:extended|prolonged)\b|\bauto-?renew\w*|` +
		`\b(?:one|an|any|a single|first|two) (?:\w+ )?extensions? (?:of|by)\b|\brenew (?:each|every)\b|\bextends itself\b`)
	// goingOn matches renewals that are not called so. It is apart from renewing because few
	// sentences have its words.
	goingOn = regexp.MustCompile(`\bmonth[- ]to[- ]month\b|\b(?:continu\w*|runs?|force|effect|then|thereafter|on|extend\w*|hold\w*|remains?|converts?|becomes?|tenancy|stays?)\b[^.;]{0,60}\b` + cycle + `\b|\brolls? (?:over|on|forward)\b|` +
		`\b(?:renews?|continues?|prolongs?) itself\b|\boption (?:of|for) (?:an?|one|two|another)\b[^.;]{0,20}\b(?:further|additional|more|another|second)\b|` +
		`\b(?:carries|carry|goes|go|runs?) on (?:for|from)\b[^.;]{0,40}\b(?:further|another|additional|more|at a time)\b|\bthen\b[^.;]{0,30}\bfor (?:further|successive|additional)\b`)
	renewWhat = regexp.MustCompile(`\b(?:terms?|agreement|contract|lease|licen[sc]e|periods?|automatic\w*|tacit\w*|subscription|engagement|appointment|tenancy|hire|charter(?:ers?)?|mou|memorandum|sow|statement of work|maintenance|project|duration|` + cycle + `)\b`)
	// pronoun matches a renewal of what the sentence before names.
	pronoun    = regexp.MustCompile(`\b(?:it|itself|this)\b|^[^a-z]*(?:(?:\w+ ){1,3}may (?:ask|request)|then|thereafter|after that)\b`)
	notRenewal = regexp.MustCompile(`\b(?:insurance|registration|copyright|warranty period|cure period|patents?|domain|letter of credit|delivery|tail|means?|force majeure|solicit\w*|audit|offers|may not (?:renew|extend)|only if such continu\w*|(?:var(?:y|ies)|increases?) from year|without additional|surviv\w+)\b`)
	// renewalLength matches a word near the length of a renewal.
	renewalLength = regexp.MustCompile(`\b(?:renew\w*|extend\w*|extensions?|prolong\w*|rolls? (?:over|on|forward)|(?:carries|carry|goes|go|runs?) on|option (?:of|for)|successive|additional|further|consecutive)\b`)
	// yearly matches a renewal for one year that is not given as a number.
	yearly = regexp.MustCompile(`\b(?:(?:successive|consecutive|additional|further|renew\w*)\b[^.;]{0,30}\bannual (?:periods?|terms?)|year[- ]to[- ](?:\w+ )?year|(?:renew\w*|roll\w* over|extend\w*|prolong\w*)\b[^.;]{0,30}\b(?:annually|every year|each year|yearly|year by year|from year)|renew\w*\b[^.;]{0,30}\b(?:for|by) (?:a|another)(?: further)? year)\b`)
	// monthly matches a renewal for one month.
	monthly = regexp.MustCompile(`\bmonth[- ]to[- ]month\b|\b(?:renew|extend)\w*\b[^.;]{0,40}\b(?:monthly|(?:every|each) month)\b`)
	// byItself matches an automatic renewal.
	byItself = regexp.MustCompile(`\bautomatic|\bauto-?(?:renew|exten)|\btacit|\b(?:shall|will|is|are)\b[^.;]{0,40}\b(?:renew(?:ed)?|extend(?:ed)?|prolonged)\b[^;]{0,200}\b(?:unless|if (?:it|this) is not)\b|` +
		`\bunless\b[^;]{0,200}\b(?:shall|will|is)\b[^.;]{0,40}\b(?:renew(?:ed)?|extended|prolonged)\b|\brenews\b|\brolls? (?:over|on|forward)\b|\b(?:shall|will) (?:continue|be|become)\b[^.;]{0,40}\bmonth[- ]to[- ]month\b|\b(?:renews?|extends?|continues?|prolongs?) itself\b|` +
		`\b(?:continues?|runs?|carries|carry|goes|go|force|then|thereafter)\b[^.;]{0,60}\b` + cycle + `\b|\brenew (?:each|every)\b[^;]{0,120}\bunless\b|\b(?:carries|carry|goes|go|runs?) on (?:for|from)\b`)
	// decided matches a renewal that a party must decide on.
	decided = regexp.MustCompile(`\b(?:may|can|could|options?|right|asks?|requests?|mutual\w*|by agreement|written agreement)\b[^.;]{0,80}\b(?:renew|exten[ds]|prolong)|\b(?:renewed|extended|prolonged|renewable)\b[^.;]{0,120}\b(?:by|upon|with|at)\s+(?:the\s+)?(?:mutual|agreement|written agreement|request|option|election)\b`)
	// afterEnd matches what follows a period in which a covenant outlives the contract.
	afterEnd = regexp.MustCompile(`^\s*(?:following|after)\b[^.;]{0,40}\b(?:expiration or (?:\w+ )?termination|termination or (?:\w+ )?expiration)\b`)
	// lasting matches a term that extends over a period, which is no renewal.
	lasting = regexp.MustCompile(`\bterms?\s+(?:of\s+[\w ]{3,30}\s)?(?:shall|will)\s+extend\s+(?:for|from|over|until|through|to)\b`)
	// inNotice matches a word that begins a statement about a notice.
	inNotice = regexp.MustCompile(`\b(?:unless|notice|notif\w+)\b`)
)

// Find returns the lengths of the contract's renewal terms.
func Find(d *structure.Document) []finding.Found[insightapi.Renewal] {
	var found []finding.Found[insightapi.Renewal]
	for i, s := range d.Sentences {
		if len(found) >= finding.MaxItems {
			break
		}
		if !passage.IsClause(d, s) {
			continue
		}
		text := s.Lower
		words := renewalWords.In(text)
		if (words&called == 0 || !renewing.MatchString(text)) && (words&uncalled == 0 || !goingOn.MatchString(text)) {
			continue
		}
		if !renewWhat.MatchString(text) && !(pronoun.MatchString(text) && i > 0 && renewWhat.MatchString(d.Sentences[i-1].Lower)) {
			continue
		}
		if f, ok := renewal(s.Span, text); ok {
			found = append(found, f)
		}
	}
	return found
}

// renewalWords finds words of which every sentence that renewing matches contains at least one,
// and those for goingOn.
var renewalWords = regexp.NewGroups(
	[]string{"renew", "exten", "prolong", "automatically", "additional term"},
	[]string{"to-month", "to month", "to-year", "to year", "to-quarter", "to quarter", "to-season", "to season", "to-week", "to week", "year to ", "season to ", "term to ",
		"roll over", "rolls over", "roll on", "rolls on", "roll forward", "rolls forward",
		"renew itself", "renews itself", "continue itself", "continues itself", "prolong itself", "prolongs itself",
		"option of", "option for", "carries on", "carry on", "goes on", "go on", "runs on", "run on", "for further", "for successive", "for additional"},
)

// The groups of renewalWords.
const called, uncalled = 1, 2

// renewal returns the renewal in a sentence that states its length.
func renewal(s layout.Span, text string) (finding.Found[insightapi.Renewal], bool) {
	if notRenewal.MatchString(text) || lasting.MatchString(text) && !strings.Contains(text, "renew") || clauses.Refused(clauses.RenewalTerm, text) {
		return finding.Found[insightapi.Renewal]{}, false
	}
	p, ok := renewedFor(text)
	if !ok {
		return finding.Found[insightapi.Renewal]{}, false
	}
	item := term(text, p)
	confidence := 0.62
	switch {
	case item.TermType == automatic:
		confidence = 0.85
	case strings.Contains(text, "mutual"):
		confidence = 0.5
	case strings.Contains(text, "renew"):
		confidence = 0.7
	}
	return finding.Found[insightapi.Renewal]{Item: item, Span: s, Reasoning: "The sentence says how long the contract is renewed for.", Confidence: confidence}, true
}

// automatic is the type of a renewal that nobody must decide on.
const automatic = "automatic"

// term returns the renewal for a period in a sentence in lower case.
func term(text string, p period.Period) insightapi.Renewal {
	item := insightapi.Renewal{TermType: "optional", TermLabel: "Optional renewal", TermValue: p.String()}
	if strings.Contains(text, "automatic") || byItself.MatchString(text) && !decided.MatchString(text) {
		item.TermType, item.TermLabel = automatic, "Automatic renewal"
	}
	if strings.Contains(text, "successive") {
		item.TermLabel += " for successive terms"
	}
	if n, ok := p.Months(); ok {
		months := float64(n)
		item.TermMonths = &months
	}
	return item
}

// renewedFor returns the first period after a renewal word that is not a notice period,
// or else one just before such a word.
func renewedFor(text string) (period.Period, bool) {
	all, words := period.Find(text, 12), renewalLength.FindAllStringIndex(text, 8)
	if p, ok := lengthAfter(text, all, words, false); ok {
		return p, true
	}
	switch {
	case yearly.MatchString(text):
		return period.Period{Count: 1, Unit: period.Year}, true
	case monthly.MatchString(text) && byItself.MatchString(text):
		return period.Period{Count: 1, Unit: period.Month}, true
	}
	return lengthAfter(text, all, words, true)
}

// lengthAfter returns the first of the periods that follows a renewal word. notices
// allows the period to follow a statement about a notice.
func lengthAfter(text string, all []period.Period, words [][]int, notices bool) (period.Period, bool) {
	for _, m := range words {
		for _, p := range all {
			if p.End <= m[0] || p.Start-m[1] >= 140 || period.OfNotice(text, p) || afterEnd.MatchString(text[p.End:]) {
				continue
			}
			if notices && p.Unit != period.Day || p.Start < m[1] || !inNotice.MatchString(text[m[1]:p.Start]) {
				return p, true
			}
		}
	}
	return period.Period{}, false
}
