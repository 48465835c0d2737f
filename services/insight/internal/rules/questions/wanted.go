package questions

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
)

// numeral matches a number in words or digits, and both together: "not", "twelve (12)".
const numeral = `(?:(?:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)(?:[ -](?:and )?)?)+(?:\(\d[\d,.]*\))?|\b\d[\d,.]*\d\b|\b\d\b)`

// Patterns for values on one line.
var (
	durations = regexp.MustCompile(`(?i)` + numeral + `[ -]*(?:(?:additional|successive|consecutive|further|calendar|full|business|working|banking|clear|more|operating)[ -]){0,2}(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?)\b|\bnet \d{1,3}\b(?: days)?`)
	rhythm    = regexp.MustCompile(`(?i)\b(?:` + numeral + ` ?(?:days|hours|weeks|visits|shifts) (?:(?:a|an|per|each|every|in each|in every|in any) (?:calendar )?(?:day|week|month|quarter|year)\b)|every (?:other |second |third |` + numeral + ` ?)?(?:\w+ ){0,2}(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b(?: in advance)?|(?:not more than |at least |no more than |up to |at most )?(?:once|twice|` + numeral + ` times)(?: only)?(?: (?:a|an|per|each|every|in (?:any|each|every|a))(?: \w+)? (?:day|week|month|quarter|year|season|term)\b)?|(?:daily|weekly|fortnightly|monthly|quarterly|half-yearly|semi-annually|annually|yearly)\b|(?:each|per) (?:\w+ )?(?:day|week|month|quarter|year)\b|` + numeral + ` times\b)`)
	fractions = regexp.MustCompile(`(?i)\b(?:(?:one|two|three|four)[ -](?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?)|half|double|twice|treble)\b`)
	measures  = regexp.MustCompile(`(?i)` + numeral + `[ -]?(?:(?:square|cubic|metric|bank cubic|sq\.?|nautical|short|long|gross|net) ?)?(?:metres?|meters?|m2|m²|sqm|km|kilomet\w+|miles?|feet|foot|ft|inch(?:es)?|yards?|acres?|hectares?|ha|tonnes?|tons?|kilograms?|kg|pounds?|lbs?|lit(?:re|er)s?|gallons?|units?|pieces?|bars?|degrees?|seconds?|pages|mb|gb|tb|%|°C)(?:\b|$|\s)`)
	// formulas matches a limit that depends on other sums: "twice the fees for that year".
	formulas = regexp.MustCompile(`(?i)\b(?:exceed|limited to|more than|greater than|ends at|stops at|than|up to|maximum of|cap(?:ped)? (?:at|of)) ((?:(?:an amount equal to |the equivalent of )?(?:twice|double|half|(?:\w+ )?times|\d+(?:\.\d+)? ?(?:%|per ?cent) of|(?:one|two|three) hundred (?:and \w+ )?per ?cent of) [^,;.()]{3,70}|the (?:total |aggregate )?(?:amounts?|fees|sums|charges|price|rent)\b[^,;.()]{3,70}))`)
	decimals = regexp.MustCompile(`\b\d{1,3}(?:[,.' ]\d{3})*[.,]\d{2}\b`)
	numerals = regexp.MustCompile(`(?i)` + numeral)
	clock    = regexp.MustCompile(`(?i)\b(?:(?:` + numeral + ` ?o['’]clock(?: in the (?:morning|afternoon|evening)| the following (?:morning|day))?)|\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\.?)`)
	// deadlines matches a time that is no date.
	deadlines = regexp.MustCompile(`(?i)\b(?:within|not later than|no later than|on or before|before|after|by|from|until|on|upon|at|at least)\b (?:the |an? |each |every )?(?:[\w’'-]+(?: \(\d+\))? ){0,5}(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?|date|day|end|start|signing|signature|receipt|delivery|completion|acceptance|termination|expiry|closing)\b(?: (?:after|of|from|following|before|in|prior to)\b[^,;:.()]{2,70})?`)
)

// tiers returns the values in a text that are of the kind asked for, the kinds that suit best
// first.
func (a *asking) tiers(text string) [][]layout.Span {
	switch a.kind {
	case length:
		return [][]layout.Span{a.inUnit(text, matches(durations, text, 0)), a.days(text)}
	case rhythmic:
		return [][]layout.Span{matches(rhythm, text, 0), matches(durations, text, 0)}
	case measure:
		return [][]layout.Span{orElse(matches(measures, text, 0), amountsIn(text)), matches(percents, text, 0)}
	case share:
		if ofHundred.MatchString(a.text) {
			return [][]layout.Span{matches(percents, text, 0), matches(fractions, text, 0)}
		}
		return [][]layout.Span{matches(percents, text, 0), matches(fractions, text, 0), amountsIn(text)}
	case amount:
		if bounds.MatchString(a.text) && len(amountsIn(text)) == 0 {
			if all := matches(formulas, text, 1); len(all) > 0 {
				return [][]layout.Span{all}
			}
		}
		return [][]layout.Span{amountsIn(text), matches(percents, text, 0), matches(fractions, text, 0), orElse(matches(measures, text, 0), matches(decimals, text, 0))}
	case day:
		return [][]layout.Span{a.days(text), orElse(times(text), matches(deadlines, text, 0)), orElse(matches(durations, text, 0), matches(clock, text, 0))}
	case count:
		return [][]layout.Span{plainNumbers(text)}
	case place:
		return [][]layout.Span{places(text)}
	case anything, agent, ruling, verdict:
	}
	return nil
}

// ofHundred matches a question that no amount of money answers.
var ofHundred = regexp.MustCompile(`\b(?:interest|percentage|per ?cent)\b`)

// inUnit returns the periods in the unit that the question names, all if it names none.
func (a *asking) inUnit(text string, all []layout.Span) []layout.Span {
	m := unitAsked.FindStringSubmatch(a.text)
	if m == nil {
		return all
	}
	var own []layout.Span
	for _, s := range all {
		if strings.Contains(strings.ToLower(text[s.Start:s.End]), m[1]) {
			own = append(own, s)
		}
	}
	return own
}

// plainNumbers returns the numbers in a text that are no amounts, dates, percentages, periods
// or numbers of clauses.
func plainNumbers(text string) []layout.Span {
	taken := amountsIn(text)
	for _, at := range date.Find(text, maxValues) {
		taken = append(taken, at.Span)
	}
	taken = append(taken, append(matches(percents, text, 0), matches(durations, text, 0)...)...)
	var all []layout.Span
	for _, s := range matches(numerals, text, 0) {
		s.End = s.Start + len(strings.TrimRight(text[s.Start:s.End], " -"))
		if slices.ContainsFunc(taken, s.Overlaps) || numbered.MatchString(text[:s.Start]) {
			continue
		}
		all = append(all, s)
	}
	return all
}

// numbered matches the text before the number of a clause.
var numbered = regexp.MustCompile(`(?i)(?:\b(?:sections?|clauses?|articles?|schedules?|exhibits?|annex|appendix|paragraphs?|items?|no\.?|act|§)\s*(?:no\.? ?)?|^\s*|[.\d])$`)
