package keydates

import (
	"slices"
	"strconv"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// statesTerm holds the patterns of aboutTerm.
var statesTerm = regexp.NewSet()

// Patterns for sentences that state the term of the contract, in lower case.
var (
	termSubject = statesTerm.MustCompile(`\b(?:term|this (?:[\w-]+ ){0,3}agreement|agreement|joint venture|contract|(?:this|the) (?:deed|letter|undertaking|lease|licen[sc]e|appointment|engagement|employment|nda|cda|msa|dpa|order)|parties' obligations|period (?:commencing|beginning)|this (?:mou|memorandum|sow|arrangement))\b|` +
		`^[^a-z]*(?:[\w, ]{0,40}[.:] )?the (?:project|services?|subscription|programme|program|hire|placement|charter|licen[sc]e period) (?:runs?|lasts?|continues?|is for|(?:will|shall) (?:run|last|continue))\b`)
	// namedTerm matches the definition of the period for which a contract is made.
	namedTerm = statesTerm.MustCompile(`["“'](?:initial |contract |agreement )?(?:term|(?:contract|licen[sc]e|project|service|subscription|grant|funding|hire|rental|lease|initial|fixed|option|research) period)[,]?["”'] (?:means|is|shall mean) (?:the|a) period of [^.;]{1,30}\b(?:from|commencing|beginning|starting)\b`)
	// namedEnd matches the definition of the last day of a contract.
	namedEnd = statesTerm.MustCompile(`["“']?(?:(?:final |loan )?repayment|maturity|expiry|expiration|termination|end|final) date[,]?["”']? (?:means|is|shall mean|shall be|falls on)\b`)
	// eventful matches a contract that takes effect on a day that the text does not give.
	eventful = regexp.MustCompile(`["“'](?:the )?(?:effective|commencement|start) date[,]?["”'] (?:means|is|shall mean|shall be) (?:the )?(?:date|day) (?:on which|when|upon which|that|of)\b`)
	termVerb = statesTerm.MustCompile(`\b(?:continu\w+|endures?|subsists?|valid|good for|(?:made|concluded|entered into|appointed|engaged|retained) for|remain|(?:shall|will) (?:\w+ )?terminate|terminates|runs?|lasts?|covers?|ceases?|lapses?|in (?:full )?(?:force|effect)|commenc\w+|begin\w*|shall be for|will be for|is for|(?:term|period|duration) (?:of [\w ]{3,30} )?is|shall be|expir\w+|for a (?:period|term|initial)|duration|until|through|ends?|(?:has|have) an? (?:\w+ )?term)\b|\bterm\b[^.;:]{0,30}:`)
	termFrom = regexp.MustCompile(`\b(?:from|after|following|of|on|upon|with|commenc\w+|begin\w*|as of)\b[^.;]{0,40}\b(?:effective date|commencement date|date (?:hereof|of this|first|above|of (?:execution|signing|(?:last )?signature))|date first|execution|signature|signing|(?:last|final) (?:date of )?signature)\b|\binitial term\b|\bfirst (?:above )?written\b|\b(?:from|after|following|(?:commenc|beginn|start|runn)ing(?: on| from| with)?) (?:(?:that|such) (?:date|commencement)|its date|the date (?:below|stated))\b|\bmeasured from\b|\bfrom that day\b|\bfrom the (?:start|commencement|beginning) of\b|\b(?:years?|months?) later\b|\bconclusion\b`)
	notTerm  = regexp.MustCompile(`\b(?:no (?:sooner|earlier) than|shall renew|renews?|(?:will|shall|may) not|indefinite\w*|perpetu\w+|surviv\w+|confidential\w*|warrant\w+|non-?compet\w+|renew\w* term|notice|days|royalt\w+|invoice\w*|insurance|audit\w*|records|means?|if|fails?|may terminate|warranty|` +
		`in the event|during|so long as|may extend|agrees that|of which|(?:be|automatically) (?:renew|exten)\w*|later (?:of|to occur)|latest of|closing of|options?|prices?|(?:product|contract|lease|fiscal) year)\b`)
	// wholeTerm matches the text before the length of the whole term, which needs no first
	// day.
	wholeTerm = regexp.MustCompile(`\b(?:term of (?:this|the) (?:[\w-]+ ){0,3}(?:agreement|contract)|this (?:[\w-]+ ){0,3}(?:agreement|contract)) (?:shall|will) (?:be|continue|remain|last)\b[^.;]{0,60}$|\bthis (?:[\w-]+ ){0,3}(?:agreement|contract|lease|deed) (?:has|shall have) an? (?:\w+ ){0,2}term of\b[^.;]{0,30}$|^[|\s]*(?:item \d{1,2} )?(?:(?:(?:initial|first|contract|subscription|minimum) )?term|(?:initial|first|contract|subscription|minimum) period)[\s|:]*$`)
	// notEnd matches the text after a period that does not begin with the contract.
	notEnd = regexp.MustCompile(`^\s*(?:after|following)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:expiration|termination|end)\b|^['’]?s?['’]?\s+(?:prior\s+|advance\s+)?(?:written\s+)?(?:notice|base\s+salary|salary)\b`)
	// covenant matches the text after the period of a covenant, in which a party must not do
	// something: "until one year from the date of this agreement, you will not".
	covenant = regexp.MustCompile(`^[^.;,]{0,80}, (?:\w+ ){0,2}\w+ (?:shall|will|may) (?:not|neither)\b|^[^.;,]{0,80}\w{4},? neither\b[^.;]{0,80}\b(?:shall|will|may)\b`)
	// countedFrom matches what begins a period after it, and gives the words after that.
	countedFrom = regexp.MustCompile(`^\s*(?:\([^)]{0,60}\)\s*)?,?\s*(?:that\s+)?(?:from|after|following|of|(?:measured|counted|calculated|running)\s+from|(?:commenc|beginn|start)(?:ing|es|s)(?:\s+(?:on|from|as of|upon|with))?)\s+(?:and\s+including\s+)?((?:[\w'-]+\s*){1,10})`)
	// startNamed matches the names of the day on which a contract begins.
	startNamed = regexp.MustCompile(`\b(?:effective|commencement|start|starting|contract)\s+date\b|^(?:the\s+)?(?:commencement|start\s+of\s+(?:the\s+)?(?:services?|term|contract|project))\b|\bdate\s+(?:hereof|first|above|of\s+(?:this|the\s+(?:agreement|contract|deed)|its|(?:the\s+)?(?:last\s+)?(?:execution|signing|signature)))|\bexecution\b|\bsign(?:ing|ature)\b|^(?:this|the)\s+(?:agreement|contract|term)\b|\bhereof\b|\bhereto\b|\b(?:such|that) (?:date|day|commencement)\b|^its date\b|\bdate (?:below|stated)\b|^(?:operation|service)\b`)
)

// expirations returns the end date that follows from a sentence that states the term, if
// the start date is known. If that sentence also gives the last day, this one is made more
// probable instead.
func expirations(d *structure.Document, dates []finding.Found[insightapi.Date], named days) []finding.Found[insightapi.Date] {
	for _, f := range dates {
		if f.Item.DateType == insightapi.DateExpiration && f.Confidence >= 0.8 {
			return nil
		}
	}
	from := beginningsOf(d, dates, named)
	previous := ""
	for _, s := range d.Sentences {
		text := s.Lower
		text, previous = aboutIt(previous, text), text
		if i := endIn(s.Span, dates); i >= 0 && termIsFor.MatchString(text) && len(period.Find(text, 1)) > 0 {
			dates[i].Confidence = max(dates[i].Confidence, 0.7)
			return nil
		}
		if f, ok := termFromDay(d, s, text, dates); ok {
			return []finding.Found[insightapi.Date]{f}
		}
		text, ok := aboutTerm(text)
		if !ok {
			continue
		}
		text = withoutSooner(text)
		if f, ok := anniversary(from, s.Span, text); ok {
			return []finding.Found[insightapi.Date]{f}
		}
		if at, p, ok := fromNamedDay(from.named, text); ok {
			end := endOfTerm(at.date(), p, s.Span)
			if endsAfter.MatchString(text[:p.Start]) {
				return []finding.Found[insightapi.Date]{end} // the term may begin on another day
			}
			return append(firstDay(dates, at), end)
		}
		if f, ok := expiration(from, s.Span, text); ok {
			return []finding.Found[insightapi.Date]{f}
		}
	}
	return nil
}

// firstDay returns the day from which the term is counted as the effective date, unless dates have one.
func firstDay(dates []finding.Found[insightapi.Date], at day) []finding.Found[insightapi.Date] {
	if slices.ContainsFunc(dates, func(f finding.Found[insightapi.Date]) bool { return f.Item.DateType == insightapi.DateEffective }) {
		return nil
	}
	return []finding.Found[insightapi.Date]{at.as(insightapi.DateEffective, "The term is counted from the day that the document gives this name.")}
}

// itLasts matches a sentence that says how long something lasts that the sentence before names.
var itLasts = regexp.MustCompile(`^([^a-z]*)(?:it ((?:(?:shall|will) )?(?:endures?|lasts?|runs?|continues?|remains?|subsists?|is) (?:in (?:force|effect) )?for\b)|(its (?:\w+ )?(?:term|duration) (?:is|shall be|will be)\b))`)

// aboutIt returns a sentence with the contract as its subject, if the subject is a word for the
// contract that the previous sentence says begins.
func aboutIt(previous, text string) string {
	if !itLasts.MatchString(text) || !ownEffect.MatchString(previous) || endsEffect.MatchString(previous) {
		return text
	}
	return itLasts.ReplaceAllString(text, "${1}this agreement from its effective date ${2}${3}")
}

// aboutTerm returns the part of a sentence that states the term of the contract. It returns false
// if there is none.
func aboutTerm(text string) (string, bool) {
	in := statesTerm.In(text)
	if row := in.FindIndex(termRow); row != nil {
		return text[row[0]:], true
	}
	for _, definition := range []*regexp.Regexp{namedTerm, namedEnd} {
		if m := in.FindIndex(definition); m != nil {
			return meaning.ReplaceAllString(text[m[0]:], "runs until"), true
		}
	}
	return text, in.All(termSubject, termVerb)
}

// meaning matches the verb of a definition.
var meaning = regexp.MustCompile(`\b(?:means|shall mean)\b`)

// endIn returns the index of the first end date in a sentence, or -1 if there is none.
func endIn(s layout.Span, dates []finding.Found[insightapi.Date]) int {
	return slices.IndexFunc(dates, func(f finding.Found[insightapi.Date]) bool {
		return f.Item.DateType == insightapi.DateExpiration && f.Item.DateEpochMS != nil && s.Overlaps(f.Span)
	})
}

// EndOfTerm is the label of a date that the document does not state, but that follows from
// the beginning and the length of the term.
const EndOfTerm = "End of the term"

// maxTerm is the maximum length of a term in months, or in weeks.
const maxTerm = 12 * 100

// lengthOf returns the length of the term that text states.
func lengthOf(text string) (period.Period, bool) {
	for _, p := range period.Find(text, 4) {
		if unticked.MatchString(text[:p.Start]) {
			continue
		}
		if months, ok := p.Months(); (ok && months <= maxTerm || p.Unit == period.Week && p.Count <= maxTerm) && !notTerm.MatchString(text[:p.End]) && !notEnd.MatchString(text[p.End:]) && !covenant.MatchString(text[p.End:]) {
			return p, true
		}
	}
	return period.Period{}, false
}

// unticked matches the box of a choice that a form leaves open.
var unticked = regexp.MustCompile(`(?:\[\s*\]|☐)\s*$`)

// fromNamedDay returns the day with a name from which a sentence counts the term, and the length of
// the term.
func fromNamedDay(named days, text string) (at day, p period.Period, ok bool) {
	if p, ok = termLength(text); !ok {
		return at, p, false
	}
	words := countedFromIn(text[p.End:])
	if m := dayNamed.FindStringSubmatch(text[:p.Start]); m != nil && words == "" {
		words = m[1]
	}
	at, ok = named.named(words)
	return at, p, ok
}

// countedFromIn returns the words that name the day from which a period is counted, "" for none. after
// is the text after the period.
func countedFromIn(after string) string {
	if m := countedFrom.FindStringSubmatch(after); m != nil {
		return m[1]
	}
	return ""
}

// termLength returns the length of the term that text states. Only a text that says that it is the
// term counts it in weeks.
func termLength(text string) (period.Period, bool) {
	p, ok := lengthOf(text)
	return p, ok && (p.Unit != period.Week || termOf.MatchString(text[:p.Start]))
}

// expiration returns the end of the term that text states, unless the text says that it
// begins on another day than start. A text that does not say when the term begins must be
// about the whole term.
func expiration(from beginnings, s layout.Span, text string) (finding.Found[insightapi.Date], bool) {
	p, ok := termLength(text)
	if !ok {
		return finding.Found[insightapi.Date]{}, false
	}
	words := countedFromIn(text[p.End:])
	if from.open && startDate.MatchString(words) {
		return finding.Found[insightapi.Date]{}, false
	}
	if !from.known || !beginsThen(text, text[:p.Start], words) {
		return finding.Found[insightapi.Date]{}, false
	}
	return endOfTerm(from.start, p, s), true
}

// beginsThen reports whether a text about a term says that it begins with the contract. before is
// the text before its length, and words name the day from which it is counted, "" for none.
func beginsThen(text, before, words string) bool {
	if ofMaking.MatchString(words) {
		return true
	}
	return (termFrom.MatchString(text) || wholeTerm.MatchString(before) || ownEffect.MatchString(before) && fromMaking(before) != "") &&
		(words == "" || startNamed.MatchString(words))
}

// beginnings are the days from which a term may be counted: the beginning of the contract, if
// it is known, and the days with a name.
type beginnings struct {
	start date.Date
	known bool
	named days
	// open reports that the contract takes effect with an event whose day the text does not give.
	open bool
}

// startDate matches the names of the day on which a contract takes effect.
var startDate = regexp.MustCompile(`\b(?:effective|commencement|start) date\b`)

// beginningsOf returns the beginnings of a contract with these dates.
func beginningsOf(d *structure.Document, dates []finding.Found[insightapi.Date], named days) beginnings {
	from := beginnings{named: named}
	from.start, from.known = beginning(dates)
	if slices.ContainsFunc(dates, func(f finding.Found[insightapi.Date]) bool { return f.Item.DateType == insightapi.DateEffective }) {
		return from
	}
	from.open = slices.ContainsFunc(d.Sentences, func(s structure.Sentence) bool { return eventful.MatchString(s.Lower) })
	return from
}

// sooner matches the words that a contract may end before its term, which say nothing about
// the term.
var sooner = regexp.MustCompile(`\b(?:unless|until) (?:it is |otherwise )?(?:sooner|earlier|previously|otherwise|terminated|extended)\b[^.;]{0,120}?(?:, | and (?:shall|will) )|\bsubject to [^.;,]{0,80}, `)

// termRow matches the row of a table that states the term: "Initial term 24 months".
var termRow = statesTerm.MustCompile(`(?:^|[|] ?|\bitem \d{1,2} )(?:(?:(?:initial|first|contract|subscription|minimum) )?term|(?:initial|first|contract|subscription|minimum) period)[\s|:]+(?:\w+ )?(?:\(?\d+\)? )?(?:years?|months?)\b`)

// lastOf matches the later of two days of signing.
var lastOf = regexp.MustCompile(`\b(?:later|latest) of (?:the )?(?:\w+ )?dates? (?:of signature|on which [^.,;]{0,40}sign\w*)\b(?: below)?`)

// itsAnniversary matches an anniversary of the day on which the contract begins.
var itsAnniversary = regexp.MustCompile(`\bits ([a-z]+|\d{1,2}[a-z]{2}) anniversary\b`)

// withoutSooner returns a text without the words matched by sooner, and with other names of the
// last day of signing and of an anniversary.
func withoutSooner(text string) string {
	text = itsAnniversary.ReplaceAllString(text, "the $1 anniversary of its date")
	return lastOf.ReplaceAllString(sooner.ReplaceAllString(text, ""), "last signature")
}

// endOfTerm returns the end of a term of whole months or weeks.
func endOfTerm(start date.Date, p period.Period, s layout.Span) finding.Found[insightapi.Date] {
	end := start.Time().AddDate(0, 0, 7*p.Count)
	if months, ok := p.Months(); ok {
		end = monthsAfter(start.Time(), months)
	}
	ms := end.UnixMilli()
	return finding.Found[insightapi.Date]{
		Item: insightapi.Date{DateType: insightapi.DateExpiration, DateLabel: EndOfTerm, DateValue: end.Format("2006-01-02"), DateEpochMS: &ms},
		Span: s, Confidence: 0.75,
		Reasoning: "The term is " + p.String() + " and begins on " + start.Value() + ".",
	}
}

// Patterns for a term that ends on an anniversary.
var (
	anniversaryOf = regexp.MustCompile(`\b(\d{1,2}|[a-z]+(?:-[a-z]+)?)\s?(?:s\s?t|n\s?d|r\s?d|t\s?h)?(?:\s*\([^)]{1,8}\))?[\s-]*(?:years?[\s-]*)?anniversary\s+of\s+((?:[\w'-]+\s*){1,10})`)
	// dayBefore matches the words before an anniversary if the term ends on the day before it.
	dayBefore = regexp.MustCompile(`\b(?:day|date) (?:immediately )?(?:preceding|before|prior to) (?:the )?$`)
	endsOn    = regexp.MustCompile(`\b(?:until|through|to|ends?|ending|expir\w*|terminat\w*|continu\w*)\b[^;]{0,120}$`)
)

// anniversary returns the end of a term that lasts until an anniversary of its beginning.
func anniversary(from beginnings, s layout.Span, text string) (finding.Found[insightapi.Date], bool) {
	m := anniversaryOf.FindStringSubmatchIndex(text)
	if m == nil || !endsOn.MatchString(text[:m[0]]) || notTerm.MatchString(text[:m[0]]) {
		return finding.Found[insightapi.Date]{}, false
	}
	start := from.start
	if at, ok := from.named.named(text[m[4]:m[5]]); ok {
		start = at.date()
	} else if !from.known || !startNamed.MatchString(text[m[4]:m[5]]) {
		return finding.Found[insightapi.Date]{}, false
	}
	years, ok := count(text[m[2]:m[3]])
	if !ok || 12*years > maxTerm {
		return finding.Found[insightapi.Date]{}, false
	}
	f := endOfTerm(start, period.Period{Count: years, Unit: period.Year}, s)
	if dayBefore.MatchString(text[:m[0]]) {
		end := time.UnixMilli(*f.Item.DateEpochMS).UTC().AddDate(0, 0, -1)
		ms := end.UnixMilli()
		f.Item.DateValue, f.Item.DateEpochMS = end.Format("2006-01-02"), &ms
	}
	return f, true
}

// count returns a number in digits, or in words such as "fifth" or "five".
func count(s string) (int, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, n > 0
	}
	if n, ok := number.Ordinal(s); ok {
		return n, true
	}
	n, ok := number.Parse(s)
	return n, ok && n > 0
}

// monthsAfter returns the same day some months later, or the last day of a month without
// that day: one month from 31 January ends in February.
func monthsAfter(day time.Time, months int) time.Time {
	end := day.AddDate(0, months, 0)
	if end.Day() != day.Day() {
		end = end.AddDate(0, 0, -end.Day())
	}
	return end
}

// beginning returns the day on which the contract takes effect, or else on which it was
// made.
func beginning(dates []finding.Found[insightapi.Date]) (date.Date, bool) {
	var best finding.Found[insightapi.Date]
	for _, kind := range []string{insightapi.DateEffective, insightapi.DateExecution} {
		for _, f := range dates {
			if f.Item.DateType == kind && f.Item.DateEpochMS != nil && f.Confidence > best.Confidence {
				best = f
			}
		}
		if best.Confidence > 0 {
			found := date.Find(best.Item.DateValue, 1)
			return found[0], true
		}
	}
	return date.Date{}, false
}
