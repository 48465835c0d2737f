package amounts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// sum is an amount of money or, if that is nil, a percentage in a text.
type sum struct {
	layout.Span
	amount *money.Amount
}

// terms are the due date and the type of a sum.
type terms struct {
	// text is the part of the text about the sum, in lower case.
	text string
	due  string
	kind string
	// reach is how many bytes after the sum are about it.
	reach int
}

// maxSums is the maximum number of sums that get terms of their own. A text with more is a table.
const maxSums = 5

// sumsOf returns the sums that a text requires to be paid, in order: its amounts and, unless it is a
// table, its percentages. It leaves out the maximum of another sum, as in "2% a week, up to a
// maximum of $900".
func sumsOf(raw string, amounts []money.Amount, ranges []layout.Span) ([]sum, []terms) {
	var all []sum
	for i := range amounts {
		all = append(all, sum{amounts[i].Span, &amounts[i]})
	}
	if len(all) > maxSums {
		return all, termsInTable(raw, all)
	}
	all = withPercentages(raw, all, ranges)
	parts := partsOf(raw, all)
	var kept []sum
	for i, x := range all {
		lead := passage.Lower(raw[parts[i].Start:x.Start])
		switch {
		case len(kept) > 0 && maximum.MatchString(lead+" ") && !ofMoney.MatchString(lead):
		case x.amount == nil && !paidShare(passage.Lower(raw[parts[i].Start:parts[i].End])):
		default:
			kept = append(kept, x)
		}
	}
	return kept, termsOf(raw, kept)
}

// withPercentages adds the percentages of a text that are no thresholds to its amounts.
func withPercentages(raw string, all []sum, ranges []layout.Span) []sum {
	for _, at := range percentagesIn(raw) {
		if threshold(raw[:at.Start]) || slices.ContainsFunc(ranges, at.Overlaps) ||
			slices.ContainsFunc(all, func(x sum) bool { return x.Overlaps(at) }) {
			continue
		}
		all = append(all, sum{Span: at})
	}
	slices.SortFunc(all, func(a, b sum) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// maximum matches the text before the highest value of a sum, in lower case. shareOf matches
// words that show that a percentage is paid, and notShare those that show that it measures
// something else.
var (
	maximum  = regexp.MustCompile(`\b(?:maximum|ceiling|cap|limit|up to|not (?:to )?exceed(?:ing)?|(?:no|not) more than|at most)\b(?: (?:an?|the|of|at|amount|sum|total|aggregate|maximum)){0,4}[\s("]*$`)
	shareOf  = regexp.MustCompile(`\b(?:interest|royalt(?:y|ies)|commissions?|fees?|charges?|price|sales|revenues?|income|proceeds|receipts|profits?|excess|balance|remain\w*|rest|shortfall|deposit|salary|overdue|late|invoice|value)\b`)
	notShare = regexp.MustCompile(`\b(?:vat|gst|hst|tax(?:es)?|shares|stock|equity|discount\w*|uptime|availability|votes|increase\w*|rise[sn]?|inflation)\b`)
)

// paidShare reports whether the percentage in a part of a sentence, in lower case, is paid.
func paidShare(text string) bool { return shareOf.MatchString(text) && !notShare.MatchString(text) }

// partBreaks match where the words about one sum end and those about the next begin, the surest
// first.
var partBreaks = []*regexp.Regexp{
	regexp.MustCompile(`[;:]`),
	regexp.MustCompile(`(?i), ?(?:and|or|plus|but)\s`),
	regexp.MustCompile(`(?i)\s(?:and|or|but|plus)\s`),
	regexp.MustCompile(`,\s`),
}

// addedTax matches the text after a "plus" that adds nothing but a tax.
var addedTax = regexp.MustCompile(`(?i)^\W*(?:plus|and)\s+(?:applicable |any )?(?:vat|gst|hst|tax(?:es)?)\b`)

// partsOf returns the part of a text that is about each sum.
func partsOf(raw string, sums []sum) []layout.Span {
	parts := make([]layout.Span, len(sums))
	begin := 0
	for i, x := range sums {
		parts[i] = layout.Span{Start: begin, End: len(raw)}
		if i+1 < len(sums) {
			gap := layout.Span{Start: x.End, End: max(x.End, sums[i+1].Start)}
			if m := breakIn(raw[gap.Start:gap.End]); m != nil {
				parts[i].End, begin = gap.Start+m[0], gap.Start+m[1]
			} else {
				parts[i].End, begin = gap.End, gap.Start
			}
		}
	}
	return parts
}

// breakIn returns where the text between two sums breaks, nil if it does not.
func breakIn(gap string) []int {
	for _, re := range partBreaks {
		all := re.FindAllStringIndex(gap, maxParts)
		for _, m := range slices.Backward(all) {
			if !addedTax.MatchString(gap[m[0]:]) {
				return m
			}
		}
	}
	return nil
}

// termsOf returns the due date and the type of each sum of a text. A due date applies only to the
// sum in its part of the text, unless it stands before all sums or after the last one.
func termsOf(raw string, sums []sum) []terms {
	whole := termsIn(raw)
	all := make([]terms, len(sums))
	parts := partsOf(raw, sums)
	timed, last := 0, 0
	for i := range sums {
		all[i] = termsIn(raw[parts[i].Start:parts[i].End])
		all[i].reach = parts[i].End - sums[i].End
		if after := raw[sums[i].End:parts[i].End]; all[i].due == "" {
			all[i].due = eventAfter(after)
		}
		if all[i].timed() {
			timed, last = timed+1, i
		}
	}
	shared := len(sums) == 1 || timed == 0 || timed == 1 && (last == 0 && leads(raw[:sums[0].Start]) || last == len(sums)-1 && alike(raw, sums))
	for i := range all {
		switch {
		case shared:
			due, reach := cmp.Or(whole.due, all[i].due), all[i].reach
			all[i] = whole
			all[i].due, all[i].reach = due, reach
		case all[i].kind == oneTime && whole.kind != recurring && (!payNoun.MatchString(all[i].text) || whole.kind == milestone || whole.kind == installment):
			all[i].kind = whole.kind
		}
	}
	return all
}

// once matches what is paid once.
var once = regexp.MustCompile(`(?i)\bone[- ](?:time|off)\b|\bonce\b|\bnon-?recurring\b`)

// termsInTable returns the terms of the sums in the rows of a table: those of the whole table, unless
// the row says that a sum is paid once.
func termsInTable(raw string, sums []sum) []terms {
	whole := termsIn(raw)
	all := make([]terms, len(sums))
	for i, x := range sums {
		all[i] = whole
		row := raw[strings.LastIndexByte(raw[:x.Start], '\n')+1 : x.Start]
		if once.MatchString(row) {
			all[i].kind = oneTime
		}
	}
	return all
}

// termsIn returns the terms that a text states for all of its sums.
func termsIn(raw string) terms {
	quote := passage.OneLine(raw)
	text := passage.Lower(quote)
	return terms{text: text, due: dueOf(quote), kind: paymentType(text), reach: valueReach}
}

// timed reports whether the terms say when or how often something is paid.
func (t terms) timed() bool { return t.due != "" || often.MatchString(t.text) }

// obliges matches the word that states the obligation to pay.
var obliges = regexp.MustCompile(`(?i)\b(?:shall|will|must|agrees?|pays?|:)`)

// leads reports whether the time in the text before the first sum stands before the obligation
// itself, so that it holds for all sums: "Within 10 days, Buyer shall pay".
func leads(before string) bool {
	quote := passage.OneLine(before)
	m := obliges.FindStringIndex(quote)
	if strings.HasSuffix(strings.TrimRight(quote, " "), ":") {
		m = []int{len(quote), len(quote)}
	}
	return m != nil && termsIn(quote[:m[0]]).timed()
}

// alike reports whether the sums of a text may have the same terms: they are all amounts or all
// percentages, and no items of a list.
func alike(raw string, sums []sum) bool {
	for i := range len(sums) - 1 {
		if strings.ContainsAny(raw[sums[i].End:max(sums[i].End, sums[i+1].Start)], ";:") || (sums[i].amount == nil) != (sums[i+1].amount == nil) {
			return false
		}
	}
	return true
}

// event matches an event right after a sum, upon which it is due.
var event = regexp.MustCompile(`(?i)^[\s)"”]*(?:of (?:[\w'’-]+\s+){1,6}?)?((?:when|once|as soon as|before|upon|prior to)\s[^.;:,]{4,60})`)

// eventAfter returns the event upon which the sum before a text is due, "" if none follows.
func eventAfter(after string) string {
	m := event.FindStringSubmatch(after)
	if m == nil {
		return ""
	}
	return strings.TrimRight(passage.OneLine(m[1]), ` )"”`)
}

// sharedOf matches the base of a percentage: "of the price". linked matches prepositions and
// conjunctions at its end.
var (
	sharedOf = regexp.MustCompile(`(?i)^[\s)]*of\s+((?:(?:the|its|their|his|her|all|each)\s+)?(?:[\w'’-]+\s+){0,2}[\w'’-]+)`)
	linked   = regexp.MustCompile(`(?i)(?:\s(?:from|on|for|of|in|by|to|at|and|or|upon|within|per|after|before|that|which))+$`)
)

// paymentOfShare returns the percentage at a place in a text with its terms as a payment.
func paymentOfShare(raw string, at layout.Span, t terms) finding.Found[insightapi.Payment] {
	what := paidFor(t.text)
	if m := sharedOf.FindStringSubmatch(raw[at.End:]); m != nil && what == "payment" {
		what = "part of " + linked.ReplaceAllString(passage.OneLine(m[1]), "")
	}
	return finding.Found[insightapi.Payment]{
		Item:      insightapi.Payment{PaymentType: t.kind, PaymentLabel: labelled(what, t.due), PaymentValue: passage.OneLine(raw[at.Start:at.End])},
		Reasoning: "The sentence requires this percentage to be paid.", Confidence: 0.85,
	}
}
