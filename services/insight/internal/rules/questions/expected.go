package questions

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// expected is the kind of value that a question asks for.
type expected int

// The kinds of values.
const (
	// anything is answered with a whole sentence.
	anything expected = iota
	length
	share
	amount
	day
	count
	agent
	ruling
	place
	// verdict is answered with yes or no.
	verdict
	// rhythmic is how often something happens, and measure how big something is.
	rhythmic
	measure
)

// Patterns for what a question asks for, on one line in lower case.
var (
	asksLength = regexp.MustCompile(`\bhow (?:long|many (?:\w+ )?(?:days|weeks|months|years)|much (?:time|notice))\b|\b(?:notice|cure|payment|trial|warranty) period\b|\b(?:what|which) is the (?:duration|length)\b`)
	asksShare  = regexp.MustCompile(`\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:rate|percentage|interest|discount)\b|\b(?:what|which) (?:\w+ ){0,3}(?:rate|percentage|per cent|percent|share)\b`)
	asksAmount = regexp.MustCompile(`\bhow much\b|\b(?:what|which) (?:is|are|was|were)\b.{0,50}\b(?:price|fees?|costs?|rent|salary|deposit|amount|penalty|bonus)\b`)
	asksDay    = regexp.MustCompile(`^when\b|\b(?:what|which|by what) (?:date|day)\b|\bby when\b|\bdeadline\b|\buntil when\b|\b(?:what|which) is the .{0,30}\b(?:date|day)\b`)
	asksCount  = regexp.MustCompile(`\bhow many\b`)
	// asksMore matches a question for two parties, or for the conditions of a right, which no
	// bare value answers.
	asksMore  = regexp.MustCompile(`^who\b.*\bwhom\b|^when (?:can|could|may)\b.*\bterminate\b`)
	asksAgent = regexp.MustCompile(`^who\b|^(?:to |by )?whom\b|\bwhich (?:party|company|person)\b`)
	asksLaw   = regexp.MustCompile(`^(?:what|which|whose|under (?:what|which)|by (?:what|which))\b.{0,40}\blaws?\b|^(?:the )?(?:governing|applicable) law\b`)
	asksPlace = regexp.MustCompile(`^where\b|^(?:in )?(?:what|which) (?:city|state|country|county|province|place|location|venue|town|courts?|jurisdiction)\b|\b(?:what|which) is the .{0,20}\b(?:venue|seat|place|location|jurisdiction)\b`)
	asksYesNo = regexp.MustCompile(`^(?:is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have|whether)\b`)
)

// Patterns for the kinds of answers to questions in plain speech, in lower case.
var (
	asksRhythm = regexp.MustCompile(`\bhow often\b|\bhow frequently\b|\bhow many times\b`)
	asksSpeed  = regexp.MustCompile(`\b(?:most|maximum|max|least|fewest|minimum) (?:number of )?(?:minutes|hours|days|weeks|months|years)\b|\bhow (?:fast|quickly|soon|long|far (?:ahead|in advance)|much (?:\w+ )?(?:notice|warning|time|time off|leave|vacation|holiday)\b|many (?:\w+ )?(?:minutes|hours|days|weeks|months|years))\b|\b(?:what|which) (?:\w+ )?(?:notice|period)\b|\b(?:notice|cure|payment|trial|warranty) period\b|\b(?:duration|length) of\b`)
	asksPart   = regexp.MustCompile(`\b(?:what|which|how (?:big|large|high|much)) (?:(?:is|are|was|of) )?(?:\w+ ){0,3}?(?:rate of|interest|percentage|per cent|percent|cut|slice|share|margin|royalty|commission|discount|mark-?up)\b|\bwhat\b.{0,30}\b(?:rate|percentage)\b`)
	// asksRate matches a question for a price per unit, as opposed to a percentage.
	asksRate = regexp.MustCompile(`\b(?:what|which)\b.{0,30}\b(?:hourly|daily|day|weekly|weekend|nightly|labou?r|mileage|room|piece) rates?\b`)
	// asksPortion matches a question for a part of a whole, and asksQuantity one for goods.
	asksPortion  = regexp.MustCompile(`\bhow much of (?:the|our|my|your|their|its|his|her|any|each|every)\b(?: ([\w'-]+))?`)
	asksQuantity = regexp.MustCompile(`\bhow much (?:[\w-]+ ){1,3}(?:do|does|did|must|have|has|can|should|will|would) .*\b(?:buy|order|take|sell|supply|deliver|use|store|ship|purchase|produce|make)\b`)
	asksSum      = regexp.MustCompile(`\bhow much\b|^what (?:do|does|did|will|would|are|is|was|were|can|must|it|extra|additional|bonus)\b.*\b(?:costs?|charged?|charges|pay|paying|paid|owe|prices?|fees?|worth|salary|wage|rent|deposit|bonus|penalty|fine|spend|sum|amount|rate|total|earn|budget|save|lose|deduct|most|take off|payment|sales)\b|^(?:at |for )?what (?:is the |are the |\w+ )?(?:price|fee|cost|amount|sum|salary|rent|deposit|bonus|penalty|rate|budget|payment)\b|\bwhat (?:bonus|fee|penalty|price|surcharge|deposit)\b|\bwhat is the (?:most|least|highest|lowest|maximum|minimum)\b|\bup to how much\b`)
	// asksCharge matches a question whether something has a price, for which that is the
	// best answer.
	asksCharge   = regexp.MustCompile(`^(?:is|are) there (?:an? |any )?(?:\w+ )?(?:ceiling|limit|cap|charges?|fees?|penalty|discount|deposit|surcharge|minimum|maximum)\b|^do(?:es)? \w+ get any (?:\w+ )?(?:severance|bonus|compensation)\b`)
	asksWhen     = regexp.MustCompile(`\bwhen\b|\b(?:what|which) (?:is the )?(?:\w+ )?(?:date|day|deadline|time)\b|\bdeadline\b|\bon what day\b`)
	asksSize     = regexp.MustCompile(`\bhow (?:big|large|tall|high|far|wide|heavy|deep|good|close|near|strong|hot|cold)\b|\b(?:from|above|over) what (?:size|amount|level)\b`)
	asksName     = regexp.MustCompile(`^(?:and )?(?:to |by |from |for |with )?(?:who|whom|whose)\b|\bwhich (?:party|company|person|bank|lawyer|firm|competitor|other)\b|\b(?:who|whom)\b`)
	asksSpot     = regexp.MustCompile(`\bwhere\b|\b(?:which|what) (?:city|cities|state|states|country|countries|county|counties|provinces?|parish|parishes|regions?|areas?|territory|territories|place|location|venue|towns?|courts?|jurisdiction|site|sites|address|office|offices|field)\b|\b(?:what|which) is the .{0,20}\b(?:venue|seat|place|location|jurisdiction|address)\b`)
	asksDecision = regexp.MustCompile(`^(?:(?:if|once|for|after|when)\b[^,]*, )?(?:(?:and|so|then) )?(?:is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have|am|whether)\b`)
)

// Parts of a question in plain speech: a condition before it, and the second of two questions.
var (
	premise = regexp.MustCompile(`^(?:if|once|when|after|for|as soon as)\b[^,?]*, `)
	andHow  = regexp.MustCompile(`,? and (?:with |by |at |for |up to |is there a )?((?:how|when|what|who|deadline)\b.*)$`)
)

// sentenceEnd matches the end of a sentence before another one. People often say first why they ask:
// "The fence is rotten. Who mends it?"
var sentenceEnd = regexp.MustCompile(`[.?!;:]+ +(?:(?:so|and|but|then|now|well|ok),? )?`)

// plainKind returns the kind of value that the last sentence of a question in plain speech asks for. Of
// two questions in it, the second one decides if the first asks for yes or no.
func plainKind(question string) expected {
	if all := sentenceEnd.Split(strings.TrimRight(question, " .?!"), -1); len(all) > 1 {
		question = asIf(all[len(all)-1])
	}
	question = premise.ReplaceAllString(question, "")
	kind := kindIn(question)
	if m := andHow.FindStringSubmatch(question); m != nil && kind == verdict {
		if second := kindIn(m[1]); second != anything {
			return second
		}
	}
	return kind
}

// kindIn returns the kind of value that one question asks for.
func kindIn(question string) expected {
	for _, k := range []struct {
		asks *regexp.Regexp
		kind expected
	}{
		{asksMore, anything}, {asksCharge, amount}, {asksDecision, verdict}, {asksRhythm, rhythmic}, {asksSpeed, length}, {asksCount, count}, {asksRate, amount}, {asksPart, share}, {asksPortion, share}, {asksQuantity, measure}, {asksSum, amount}, {asksSize, measure}, {asksLaw, ruling}, {asksName, agent},
		{asksSpot, place}, {asksWhen, day},
	} {
		if k.asks.MatchString(question) {
			return k.kind
		}
	}
	return kindNamed(question)
}

// aNoun matches the words before the noun of a question: "late shipment" in "late shipment
// penalty", and "what is the" in "what is the cap".
const aNoun = `^(?:(?:what|which) (?:is|are|was|were) |(?:what|which) )?(?:(?:the|our|your|their|my|his|her|its|an?|any) )?(?:[\w'&-]+ ){0,4}?`

// Patterns for the kind of value that a noun names, and for what asks for an explanation.
var (
	namesLength = regexp.MustCompile(aNoun + `(?:(?:period|duration|lead time|response time|turnaround|time limit|payment terms|grace period)s?\b|(?:length|notice) (?:of|for|to|required|needed)\b)`)
	namesDay    = regexp.MustCompile(aNoun + `(?:deadline|last day|(?:start|end|expiry|due|delivery|closing|completion|effective|launch|move-in|renewal|expiration) date)\b`)
	namesRhythm = regexp.MustCompile(aNoun + `frequency\b`)
	namesShare  = regexp.MustCompile(aNoun + `(?:interest|percentage|commission|royalty|royalties|discount|mark-?up|margin|(?:interest|penalty|royalty|commission|default|tax) rate)\b`)
	namesSum    = regexp.MustCompile(aNoun + `(?:prices?|fees?|charges?|costs?|rent|salary|wages?|deposit|penalty|penalties|damages|lds|cap|ceiling|limit|minimum|maximum|max|min|premium|bonus|budget|pay-?out|retainer|refund|rates?|bill|excess|deductible|level of (?:insurance|cover)|amount of (?:insurance|cover))\b`)
	namesPlace  = regexp.MustCompile(aNoun + `(?:venue|seat|place|location)\b`)
	explaining  = regexp.MustCompile(`^(?:what (?:happens|if|can|do|does|did|would|will|must|should|has|have|else|kind|type)|why|how|if|when|where|who|whose|whom|list|is|are)\b|\b(?:happens?|means?)\b`)
)

// kindNamed returns the kind of value that the noun of a question or of a few words names.
func kindNamed(question string) expected {
	if explaining.MatchString(question) {
		return anything
	}
	for _, k := range []struct {
		asks *regexp.Regexp
		kind expected
	}{{namesLength, length}, {namesDay, day}, {namesRhythm, rhythmic}, {namesShare, share}, {namesSum, amount}, {namesPlace, place}} {
		if k.asks.MatchString(question) {
			return k.kind
		}
	}
	return anything
}

// asking is a question as the rules read it.
type asking struct {
	// text is the question on one line in lower case.
	text string
	kind expected
	// terms are its significant words in their order. narrow are those that say what the
	// question is about, as opposed to the kind of the answer.
	terms, narrow []string
}

// contracted matches an interrogative with "is".
var contracted = regexp.MustCompile(`\b(what|who|where|when|how|that|there)'s\b`)

// readQuestion returns what a question asks for.
func readQuestion(message string) asking {
	a := asking{text: asIf(contracted.ReplaceAllString(strings.ReplaceAll(passage.Lower(message), "’", "'"), "$1 is"))}
	for _, t := range vocabulary.Terms(message) {
		if len(a.terms) == maxTerms {
			break
		}
		a.terms = append(a.terms, t)
		if !generic[t] {
			a.narrow = append(a.narrow, t)
		}
	}
	a.kind = kindOf(a.text)
	return a
}

// request matches what asks for the answer to the question that follows, such as "please tell me", and
// the interrogative of that.
var request = regexp.MustCompile(`^(?:please,? |kindly |(?:can|could|would) you |i (?:want|need|would like|'d like) to |i'd like to )*(?:tell|let|remind|show|inform|advise|find out|look up|work out|figure out|check|verify|confirm|explain|clarify|know|see|say|ask)(?: (?:to )?(?:me|us)(?: know)?)?(?: please| for (?:me|us)| about)?[,:]? ((?:exactly |roughly )?(?:(?:by|until|till|from|to|at|in|on|for|with|under) )?(?:whether|if|what|which|who|whose|whom|when|where|why|how)\b)`)

// asIf returns the question in a request, as if that had been asked: "whether it can be renewed" of
// "tell me if it can be renewed".
func asIf(text string) string {
	m := request.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	if rest, found := strings.CutPrefix(text[m[2]:], "if "); found {
		return "whether " + rest
	}
	return text[m[2]:]
}

// kindOf returns the kind of value that a question in lower case asks for.
func kindOf(question string) expected {
	for _, k := range []struct {
		asks *regexp.Regexp
		kind expected
	}{
		{asksMore, anything}, {asksLength, length}, {asksShare, share}, {asksAmount, amount}, {asksDay, day}, {asksCount, count}, {asksAgent, agent},
		{asksLaw, ruling}, {asksPlace, place}, {asksYesNo, verdict},
	} {
		if k.asks.MatchString(question) {
			return k.kind
		}
	}
	return anything
}

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
