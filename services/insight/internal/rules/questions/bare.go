package questions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/spans"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// maxValues is the maximum number of values that are compared in a sentence.
const maxValues = 8

// Patterns for values on one line.
var (
	percents = regexp.MustCompile(`(?i)(?:\b[a-z]+(?:-[a-z]+)? (?:per ?cent )?\()?\d+(?:[.,]\d+)?\s?(?:%|per ?cent(?:age)?\b)\)?|\b(?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -]?)+(?:and (?:a |one[ -])?half )?per ?cent\b`)
	// timing matches a time that is no date: "within thirty (30) days after receipt".
	timing = regexp.MustCompile(`(?i)\b(?:within|no(?:t)? later than|on or before|on the (?:first|last|[a-z]+th|\d{1,2}(?:st|nd|rd|th)) (?:(?:\w+ )?day )?of|at the end of (?:each|every)|at least \S+ (?:\(\d+\) )?(?:days|weeks|months|years) (?:before|prior to|in advance))\b[^,;:.]{3,100}`)
	// goesOn matches where a time ends and the sentence goes on.
	goesOn = regexp.MustCompile(`(?i)\s+(?:and|or|but|unless|provided|except|if|then|the \w+ (?:shall|will|must|may)|shall|will|must|may)\b.*`)
	// referred matches the text before the date of another document.
	referred = regexp.MustCompile(`(?i)\b(?:dated|as of)(?: as of)?(?: the)?\s*$`)
	making   = regexp.MustCompile(`\b(?:dated?|signed|made|entered|executed|effective)\b`)
	locating = regexp.MustCompile(`\b(?:[Ii]n|[Aa]t|[Ww]ithin)\s+(?:the\s+)?((?:(?:City|County|State|Province|Commonwealth)\s+of\s+|\d+\w?\s+)?\p{Lu}[\pL’'-]+(?:(?:,| and)?\s+(?:\p{Lu}[\pL’'-]+|\d{1,6}[a-z]?\b)){0,8})`)
	seated   = regexp.MustCompile(`\b(?i:courts?|venue|seat)\b[^,;.]{0,30}?\b(?:of|in|be|being|is)\s+(?:the\s+)?((?:(?:City|County|State|Province|Commonwealth)\s+of\s+)?\p{Lu}[\pL’'-]+(?:,?\s+(?:\p{Lu}[\pL’'-]+|and)){0,5})`)
	// seatLast matches the place before the word for it, and listed a list of states or counties.
	seatLast = regexp.MustCompile(`\b(?:with |in |at )?(?:the )?(\p{Lu}[\pL’'-]+(?:,? \p{Lu}[\pL’'-]+){0,4}) (?:as|being|shall be|is|will be) (?:the |its )?(?:juridical |legal )?(?:seat|venue|place of arbitration)\b`)
	listed   = regexp.MustCompile(`\b(?:[Cc]ounties|[Ss]tates|[Pp]rovinces|[Pp]arishes|[Rr]egions|[Cc]ities|[Cc]ountries|[Tt]owns) of ((?:(?:St\. )?\p{Lu}[\pL’'-]+(?: \p{Lu}[\pL’'-]+)*)(?:(?:, and |, | and )(?:St\. )?\p{Lu}[\pL’'-]+(?: \p{Lu}[\pL’'-]+)*)*)`)
	// unplaced matches a name in capitals that is no place.
	unplaced = regexp.MustCompile(`(?i)^(?:section|article|clause|schedule|exhibit|annex|appendix|paragraph|agreement|contract|lease|term|effective|party|parties|business|no|witness|writing|chancery|appeals?|justice|arbitration|common|claims|competent|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
	// stateName matches what precedes the name of a state.
	stateName = regexp.MustCompile(`^the (?:State|Commonwealth|Province|Kingdom|(?:Federal )?Republic) of `)
	howMany   = regexp.MustCompile(`\bhow many (?:\w+ly )?([\pL-]+)(?: ([\pL-]+))?`)
	numberEnd = regexp.MustCompile(`(?i)((?:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|no)[ -]?)+(?:\(\d[\d,]*\))?|\b\d[\d,]*)\s*(?:[\pL-]+ ){0,2}$`)
)

// bare returns the value in a sentence that answers the question, as it is written there:
// a date, an amount, a period, a place, a party, or yes or no. within is the part of the
// sentence that supports the answer; values outside it count only if it has none. It
// returns "" if the sentence has no such value or several, so that only the whole sentence
// is a safe answer.
func (a *asking) bare(d *structure.Document, within, sentence layout.Span) string {
	if sentence.Len() > passage.MaxSentence {
		return ""
	}
	text := passage.Text(d, sentence)
	if a.kind == ruling {
		if i := passage.SentenceAt(d, sentence.Start); i >= 0 {
			chosen, _, _ := law.Chosen(d, d.Sentences[i])
			if name := stateName.ReplaceAllString(chosen, ""); name != "China" {
				return name
			}
			return chosen
		}
		return ""
	}
	if within.Len() < sentence.Len() {
		if own := passage.Text(d, within); own != "" {
			if v := a.valueIn(own); v != "" {
				return v
			}
		}
	}
	return a.valueIn(text)
}

// valueIn returns the value in a text on one line, "" for none.
func (a *asking) valueIn(text string) string {
	switch a.kind {
	case agent:
		return cmp.Or(a.holderIn(text), a.agentIn(text))
	case verdict:
		return a.verdictOn(text)
	case anything, ruling:
		return ""
	case length, share, amount, day, count, place:
	}
	s, ok := nearest(text, a.spansIn(text), a.narrow)
	if !ok || !a.near(text, s) {
		return ""
	}
	value := strings.Trim(text[s.Start:s.End], " ,;:")
	if m := perUnit.FindString(text[s.End:]); a.kind == amount && len(value) == s.Len() {
		value += m
	}
	return value
}

// perUnit matches what an amount counts for: "per month".
var perUnit = regexp.MustCompile(`^ (?:per|a|an|each|every) (?:(?:calendar|full|whole|started|additional|extra) )?(?:hour|day|night|week|fortnight|month|quarter|year|annum|unit|share|person|item|piece|copy|visit|session|user|seat)\b`)

// near reports whether a value is near enough to what it must belong to: a notice period to
// the word "notice", and a time that is no date to a word of the question.
func (a *asking) near(text string, s layout.Span) bool {
	terms := a.narrow
	switch {
	case a.kind == length && slices.Contains(a.narrow, noticeTerm):
		terms = []string{noticeTerm}
	case a.kind != day || len(date.Find(text[s.Start:s.End], 1)) > 0:
		return true
	}
	tokens := tokensOf(text)
	return slices.ContainsFunc(terms, func(t string) bool {
		far, ok := away(tokens, s, t)
		return ok && far <= maxAway
	})
}

// noticeTerm is the stem of "notice", and maxAway the maximum distance of a value in words.
const (
	noticeTerm = "notic"
	maxAway    = 8
)

// spansIn returns the values in a text that are of the kind asked for.
func (a *asking) spansIn(text string) []layout.Span {
	switch a.kind {
	case length:
		return a.periods(text)
	case share:
		return orElse(matches(percents, text, 0), amountsIn(text))
	case amount:
		return orElse(amountsIn(text), matches(percents, text, 0))
	case day:
		return orElse(a.days(text), times(text))
	case count:
		return a.counts(text)
	case place:
		return places(text)
	case anything, agent, ruling, verdict:
	}
	return nil
}

// orElse returns the first list that is not empty.
func orElse(lists ...[]layout.Span) []layout.Span {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

// matches returns the spans of a group of a pattern.
func matches(pattern *regexp.Regexp, text string, group int) []layout.Span {
	var all []layout.Span
	for _, m := range pattern.FindAllStringSubmatchIndex(text, maxValues) {
		all = append(all, layout.Span{Start: m[2*group], End: m[2*group+1]})
	}
	return all
}

// periods returns the periods in a text, in the unit that the question names, if any.
func (a *asking) periods(text string) []layout.Span {
	var all []layout.Span
	for _, p := range period.Find(text, maxValues) {
		if m := unitAsked.FindStringSubmatch(a.text); m == nil || string(p.Unit) == m[1] {
			all = append(all, p.Span)
		}
	}
	return all
}

var unitAsked = regexp.MustCompile(`\bhow many (?:\w+ )?(day|week|month|year)s\b`)

// days returns the dates in a text. A date that only names another document answers no
// other question.
func (a *asking) days(text string) []layout.Span {
	var all []layout.Span
	for _, at := range date.Find(text, maxValues) {
		if making.MatchString(a.text) || !referred.MatchString(text[max(0, at.Start-20):at.Start]) {
			all = append(all, at.Span)
		}
	}
	return all
}

// times returns the times in a text that are no dates.
func times(text string) []layout.Span {
	all := matches(timing, text, 0)
	for i, s := range all {
		if m := goesOn.FindStringIndex(text[s.Start:s.End]); m != nil {
			all[i].End = s.Start + m[0]
		}
	}
	return slices.DeleteFunc(all, func(s layout.Span) bool { return !strings.Contains(text[s.Start:s.End], " ") })
}

func amountsIn(text string) []layout.Span {
	var all []layout.Span
	for _, a := range money.Find(text, maxValues) {
		all = append(all, a.Span)
	}
	return all
}

// places returns the names of places in a text.
func places(text string) []layout.Span {
	all := orElse(matches(seated, text, 1), matches(seatLast, text, 1), matches(listed, text, 1), matches(locating, text, 1))
	for i, s := range all {
		all[i].End = s.Start + len(strings.TrimSuffix(text[s.Start:s.End], " and"))
	}
	return slices.DeleteFunc(all, func(s layout.Span) bool { return unplaced.MatchString(text[s.Start:s.End]) })
}

// counts returns the numbers in a text that count what the question asks for.
func (a *asking) counts(text string) []layout.Span {
	m := howMany.FindStringSubmatch(a.text)
	if m == nil {
		return nil
	}
	var all []layout.Span
	for _, t := range tokensOf(text) {
		if t.stem != vocabulary.Stem(m[1]) && (m[2] == "" || t.stem != vocabulary.Stem(m[2])) {
			continue
		}
		if n := numberEnd.FindStringSubmatchIndex(text[:t.Start]); n != nil {
			all = append(all, layout.Span{Start: n[2], End: n[3]})
		}
	}
	return all
}

// pick returns the value in a sentence that answers the question, as it is written there, ""
// if there is none or if it is unclear which. Rules vote, and weights decide, except where the wording is
// clear. chance is the probability of what weights choose, otherwise 0.
func (n *inquiry) pick(text string) (value string, chance float64) {
	switch n.a.kind {
	case verdict:
		return n.yesOrNo(text), 0
	case ruling:
		return "", 0
	case agent:
		if who := cmp.Or(n.a.holderIn(text), n.a.agentIn(text)); who != "" {
			return who, 0
		}
	case anything, length, share, amount, day, count, place, rhythmic, measure:
	}
	if s, ok := n.ofPeriod(text); ok {
		return text[s.Start:s.End] + rated.FindString(text[s.End:]), 0
	}
	x := n.asked(text)
	if x.Vote.Len() > 0 && revised.MatchString(n.a.text) && reviser.MatchString(text[:x.Vote.Start]) {
		return text[x.Vote.Start:x.Vote.End], 0 // "changes from £3 to £4"
	}
	choice := spans.Read(x)
	best, chance, ok := choice.Best(n.model().Value)
	least := likelyValue
	if n.a.kind == anything {
		least = likelyAnything
	}
	if !ok || chance < least || best.First == 0 && best.Last == len(choice.Ends)-1 {
		return "", 0
	}
	return withBrackets(text, best.Span), chance
}

// withBrackets returns a part of a text with the brackets at its ends that belong to those in it: "[0.00] an hour".
func withBrackets(text string, s layout.Span) string {
	for _, b := range []struct{ open, shut string }{{"(", ")"}, {"[", "]"}} {
		part := text[s.Start:s.End]
		switch opened, shut := strings.Count(part, b.open), strings.Count(part, b.shut); {
		case shut > opened && strings.HasSuffix(text[:s.Start], b.open):
			s.Start--
		case opened > shut && strings.HasPrefix(text[s.End:], b.shut):
			s.End++
		}
	}
	return text[s.Start:s.End]
}

// likelyValue is the least probability of a value, and likelyAnything that of one for a question that asks for no
// kind of value, whose answer is more often the whole sentence.
const likelyValue, likelyAnything = 0.55, 0.65

// asked returns the question and a sentence that answers it, as package spans reads them.
func (n *inquiry) asked(text string) spans.Asked {
	x := spans.Asked{Text: text, Kind: kindNames[n.a.kind], Words: plainWords(n.a.text)}
	if vote := n.voted(text); vote != "" && strings.Contains(text, vote) {
		at := strings.Index(text, vote)
		x.Vote = layout.Span{Start: at, End: at + len(vote)}
	}
	for _, list := range []struct {
		name string
		all  []layout.Span
	}{
		{"amount", amountsIn(text)}, {"date", n.a.days(text)}, {"time", times(text)}, {"number", plainNumbers(text)}, {"place", places(text)},
		{"percentage", matches(percents, text, 0)}, {"duration", matches(durations, text, 0)}, {"deadline", matches(deadlines, text, 0)},
		{"measure", matches(measures, text, 0)}, {"rhythm", matches(rhythm, text, 0)}, {"clock", matches(clock, text, 0)}, {"fraction", matches(fractions, text, 0)},
		{"person", matches(person, text, 0)}, {"owner", matches(given, text, 1)}, {"doer", matches(doer, text, 1)},
	} {
		for _, s := range list.all {
			x.Typed = append(x.Typed, spans.Typed{Span: s, Type: list.name})
		}
	}
	return x
}

// kindNames are the names of the kinds of values in features.
var kindNames = [...]string{
	anything: "anything", length: "length", share: "share", amount: "amount", day: "day", count: "count", agent: "agent", ruling: "law", place: "place",
	verdict: "verdict", rhythmic: "rhythm", measure: "measure",
}

// Value returns a question and a sentence that answers it, from which weights choose the value. It reports
// false if they do not choose it: the question asks for yes or no or a law, or the sentence is too long.
func (q *Questions) Value(question string, sentence int) (spans.Asked, bool) {
	a := readQuestion(question)
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	span := n.line(q.doc.Sentences[sentence].Span)
	if a.kind == verdict || a.kind == ruling || span.Len() > passage.MaxSentence {
		return spans.Asked{}, false
	}
	return n.asked(passage.Text(q.doc, span)), true
}
