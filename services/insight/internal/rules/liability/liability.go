// Package liability finds the sentences that limit or exclude liability, or that state
// exceptions to a limit, with the amount or subject of each.
package liability

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences that limit liability, on one line in lower case.
var (
	liable     = regexp.MustCompile(`\b(?:liab(?:le|ility|ilities)|responsible for|damages)\b`)
	capWords   = regexp.MustCompile(`\b(?:exceed\w*|be limited (?:to|in|at)|(?:is|are) limited (?:to|in|at)|liability is limited|maximum aggregate|limited to (?:the|an|actual|direct|damages)|in excess of|greater of|lesser of|maximum (?:aggregate )?liability|not be more than|be (?:greater|more) than|restricted to|capped)\b`)
	capSubject = regexp.MustCompile(`\b(?:liab(?:le|ility|ilities)|damages)\b[^.]{0,260}\b(?:exceed\w*|limited|restricted to|in excess of|greater of|greater than|more than|capped|maximum aggregate)\b|\b(?:exceed\w*|limited|in excess of|maximum)\b[^.]{0,100}\bliab(?:le|ility|ilities)\b`)
	excluded   = regexp.MustCompile(`\b(?:indirect|consequential|incidental|punitive|special|exemplary|lost (?:profits?|revenues?|savings)|loss of profits?|loss of (?:business|revenue|data|use|goodwill))\b`)
	// moreThan matches a limit stated as the amount above which a party is not liable.
	moreThan = regexp.MustCompile(`\bliable\b[^.;]{0,60}\b(?:more than|any amount (?:exceeding|above))(?::| (?:\$|€|£|[a-z]{3} ?\d|\d|the\b|its\b|an? (?:total|aggregate|amount)\b))|\b(?:maximum|aggregate|total|overall)\s+(?:\w+\s+)?liability\b[^.;]{0,60}(?::\s|\b(?:is|shall be|will be) (?:the|an?|\$|€|£|[a-z]{3} ?\d|\d))`)
	// threshold matches an amount above which a party is liable: the opposite of a limit.
	threshold = regexp.MustCompile(`(?i)\b(?:unless|until)\b[^.;]{0,100}?\b(?:claims?|amounts?|loss(?:es)?|damages|value)\b[^.;]{0,60}?\b(?:exceeds?|exceeded|(?:is|are) (?:more|greater) than)\b\s*(?:[$€£]\s?[\d,.]*\d)?`)
	// unlimited matches liability without a limit.
	unlimited = regexp.MustCompile(`\bliab(?:le|ility)\b[^.;]{0,80}\b(?:be|is|are)\s+unlimited\b|\bno (?:limit|cap)(?:ation)?s?\s+(?:on|to|of|for)\b[^.;]{0,60}\bliab`)
	// allExcluded matches an exclusion of all liability.
	allExcluded = regexp.MustCompile(`\b(?:excludes|disclaims|(?:hereby|to) (?:exclude|disclaim))\s+(?:any and )?(?:all|any|every)\b[^.;]{0,30}\bliab|\baccepts?\s+no\s+(?:\w+\s+){0,2}liab`)
	denied      = regexp.MustCompile(`\b(?:in no event|no event|not be liable|not be responsible|neither party|no liability|no party shall|nor shall|nor will|not liable|shall not (?:have|be)|will not be|excludes?|waives?|under no circumstances|disclaims?|neither|none of|in no way|in any event be liable|no circumstances?|without liability)\b`)
	// onlyRemedy matches a limit on the available remedies.
	onlyRemedy = regexp.MustCompile(`\b(?:sole|exclusive|only)\b[^.;]{0,60}\b(?:remed(?:y|ies)|liability)\b`)
	exception  = regexp.MustCompile(`\b(?:(?:limitations?|exclusions?|limits?|foregoing|section|paragraph)\b[^.]{0,120}\b(?:shall|will|do(?:es)?|is|are) not (?:apply|limit|be applicable)|nothing (?:in|contained|herein)[^.]{0,160}\b(?:limit|exclude|restrict)\w*\b[^.]{0,60}\bliab|not limit[^.]{0,60}\bliab|unlimited liab|without limit(?:ation)? (?:as to|in) (?:amount|liab))`)
	// injunction matches remedies that are not exclusive.
	injunction = regexp.MustCompile(`\b(?:not (?:be )?(?:exclusive|the (?:sole|only|exclusive))|non-?exclusive|injunct\w*|cumulative)\b`)
	notLimit   = regexp.MustCompile(`\b(?:insurance|coverage|liability policy|limits of liability of not less|policy limits|product liability insurance|tax liab\w*|liabilities of|assets and liabilities)\b`)
)

// KindOf returns which kind of limit of liability a sentence in lower case states, with
// the confidence.
func KindOf(text string) (kind string, confidence float64, ok bool) {
	switch {
	case onlyRemedy.MatchString(text) && !injunction.MatchString(text):
		return insightapi.LimitExclusion, 0.6, true
	case !strings.Contains(text, "liab") && !strings.Contains(text, "damages") || !liable.MatchString(text):
		return "", 0, false
	case exception.MatchString(text) && strings.Contains(text, "liab") && !notLimit.MatchString(text):
		return insightapi.LimitUncapped, 0.4, true
	case unlimited.MatchString(text) && !notLimit.MatchString(text):
		return insightapi.LimitUncapped, 0.4, true
	case denied.MatchString(text) && excluded.MatchString(text):
		return insightapi.LimitExclusion, 0.88, true
	case caps(text) && !notLimit.MatchString(text):
		return insightapi.LimitCap, 0.82, true
	case allExcluded.MatchString(text) && !notLimit.MatchString(text):
		return insightapi.LimitExclusion, 0.5, true
	case exception.MatchString(text) && excluded.MatchString(text):
		return insightapi.LimitUncapped, 0.35, true
	}
	return "", 0, false
}

// caps reports whether a sentence states a maximum for liability.
func caps(text string) bool {
	if m := threshold.FindStringIndex(text); m != nil {
		text = text[:m[0]] + text[m[1]:]
	}
	return capSubject.MatchString(text) && capWords.MatchString(text) || moreThan.MatchString(text)
}

// Limits reports whether a text in lower case, such as the text before an amount, is
// about a limit of liability.
func Limits(text string) bool {
	if From(text) {
		return false
	}
	return capWords.MatchString(text) && liable.MatchString(text) || mostOwed.MatchString(text)
}

// Reach is how many bytes before an amount LimitsOr reads.
const Reach = 300

// LimitsOr reports whether a text in lower case, which ends before an amount, makes it the second of
// two limits of liability.
func LimitsOr(text string) bool { return other.MatchString(text) }

// From reports whether a text in lower case, which ends before an amount, is about the amount from
// which on a party is liable.
func From(text string) bool { return passed.MatchString(text) }

// Patterns for the end of the text before an amount. mostOwed matches the most that a party owes,
// and other a limit that is one of two amounts.
var (
	passed   = regexp.MustCompile(`\bliab(?:le|ility)\b[^.;]{0,120}\b(?:unless|until)\b[^.;]{0,120}\b(?:exceeds?|exceeded|(?:is|are) (?:more|greater) than)\W*$`)
	mostOwed = regexp.MustCompile(`\bthe most (?:that )?[^.;]{0,60}\bliable\b[^.;]{0,80}\b(?:is|be)\W*$`)
	other    = regexp.MustCompile(`\bliability\b[^.;]{0,120}\b(?:limited|restricted|capped) to\b[^.;]{0,140}\bor\W*$`)
)

// Find returns the sentences that limit liability, exclude some of it, or state
// exceptions to a limit.
func Find(d *structure.Document) []finding.Found[insightapi.Limit] {
	var found []finding.Found[insightapi.Limit]
	stated := Stated(d)
	for i, s := range d.Sentences {
		if len(found) >= finding.MaxItems {
			break
		}
		if !passage.IsClause(d, s) {
			continue
		}
		kind, confidence, ok := KindOf(s.Lower)
		if !ok || len(stated[i]) > 0 && kind == insightapi.LimitUncapped && !slices.Contains(stated[i], kind) {
			continue
		}
		found = append(found, limit(d, s, kind, limitReason(kind), confidence))
	}
	return addStated(d, found, stated)
}

// limit returns a sentence as a limit of a kind.
func limit(d *structure.Document, s structure.Sentence, kind, why string, confidence float64) finding.Found[insightapi.Limit] {
	return finding.Found[insightapi.Limit]{
		Item: insightapi.Limit{LimitType: kind, LimitLabel: limitLabel(kind, s.Lower), LimitValue: limitValue(kind, s.Lower, passage.Text(d, s.Span))},
		Span: s.Span, Reasoning: why, Confidence: confidence,
	}
}

func limitReason(kind string) string {
	switch kind {
	case insightapi.LimitCap:
		return "The sentence states a maximum for liability."
	case insightapi.LimitExclusion:
		return "The sentence excludes liability or some remedies."
	}
	return "The sentence says which liability is not limited."
}

// limitLabel describes a limit in a few words.
func limitLabel(kind, text string) string {
	switch {
	case kind == insightapi.LimitCap && !strings.Contains(text, "liab"):
		return capLabel(text)
	case kind == insightapi.LimitCap && strings.Contains(text, "aggregate"):
		return "Aggregate liability cap"
	case kind == insightapi.LimitCap:
		return "Liability cap"
	case kind == insightapi.LimitExclusion && strings.Contains(text, "consequential"):
		return "Exclusion of consequential damages"
	case kind == insightapi.LimitExclusion && onlyRemedy.MatchString(text):
		return "Exclusive remedy"
	case kind == insightapi.LimitExclusion:
		return "Exclusion of damages"
	}
	return "Exceptions to the limits of liability"
}

// deducted matches what a party deducts for a delay or a defect.
var deducted = regexp.MustCompile(`\b(?:deduct\w*|reduced)\b`)

// capLabel describes a maximum for what a party owes for a delay or a defect.
func capLabel(text string) string {
	switch {
	case strings.Contains(text, "liquidated damages"):
		return "Cap on liquidated damages"
	case strings.Contains(text, "penalt"):
		return "Cap on penalties"
	case strings.Contains(text, "credit"):
		return "Cap on service credits"
	case deducted.MatchString(text):
		return "Cap on deductions"
	case strings.Contains(text, "delay"):
		return "Cap on delay damages"
	}
	return "Liability cap"
}

// exceptions are common exceptions to limits of liability.
var exceptions = regexp.MustCompile(`\b(?:gross negligence|negligence|wil+ful misconduct|fraud|death|personal injury|indemnif\w+|confidentiality|breach|infringement|intentional misconduct|property damage)\b`)

// distinct returns the words without duplicates.
func distinct(words []string) []string {
	seen := make(map[string]bool, len(words))
	var kept []string
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			kept = append(kept, w)
		}
	}
	return kept
}
