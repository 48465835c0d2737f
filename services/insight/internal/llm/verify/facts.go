package verify

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
)

// facts are the dates, amounts, periods and numbers of a text, however they are written.
type facts struct {
	// values maps the kind of a fact to its values.
	values map[string]map[string]bool
	// rest is the text without the facts.
	rest string
}

// The kinds of facts. Figures are numbers without a meaning that is known.
const (
	dates    = "date"
	sums     = "amount"
	periods  = "period"
	percents = "percentage"
	figures  = "number"
)

// maxFacts is the maximum number of facts of a kind that are read of a text. An answer
// has no room for more.
const maxFacts = maxAnswer

// figure matches a number, and the sign of a percentage.
var figure = regexp.MustCompile(`(?i)(\d+(?:[.,]\d+)*)(\s*(?:%|per ?cent\b))?`)

// statedBy returns the facts that a text states. Its figures include the numbers of other
// facts, since an answer may mention them by themselves.
func statedBy(text string) facts {
	f := claimedBy(text)
	f.addFigures(text)
	return f
}

// claimedBy returns the facts that an answer claims.
func claimedBy(text string) facts {
	f := facts{values: map[string]map[string]bool{}, rest: text}
	for _, d := range date.Find(text, maxFacts) {
		f.add(dates, day(d), d.Span)
	}
	for _, a := range money.Find(text, maxFacts) {
		f.add(sums, a.Currency+" "+a.Value.String(), a.Span)
	}
	for _, p := range period.Find(text, maxFacts) {
		length := p.String()
		if n, ok := p.Months(); ok {
			length = strconv.Itoa(n) + " months"
		}
		f.add(periods, length, p.Span)
	}
	f.addFigures(f.rest)
	return f
}

// addFigures adds the numbers of a text, in digits and in words. Those without a meaning
// that is known stay in the rest, where they are compared as words.
func (f *facts) addFigures(text string) {
	for _, m := range figure.FindAllStringSubmatchIndex(text, maxFacts) {
		if m[4] >= 0 {
			f.add(percents, text[m[2]:m[3]], layout.Span{Start: m[0], End: m[1]})
		} else {
			f.note(figures, text[m[2]:m[3]])
		}
	}
	for _, w := range wordsOf(text) {
		if n, ok := number.Parse(w.lower); ok {
			f.note(figures, strconv.Itoa(n))
		}
	}
}

// add adds a fact and removes its text from the rest.
func (f *facts) add(kind, value string, s layout.Span) {
	f.note(kind, value)
	f.rest = f.rest[:s.Start] + strings.Repeat(" ", s.Len()) + f.rest[s.End:]
}

func (f *facts) note(kind, value string) {
	if f.values[kind] == nil {
		f.values[kind] = map[string]bool{}
	}
	f.values[kind][value] = true
}

// within reports whether all facts are among others.
func (f facts) within(others facts) bool {
	for kind, values := range f.values {
		for v := range values {
			if !others.values[kind][v] {
				return false
			}
		}
	}
	return true
}

// decided reports whether f has all the facts of others of each kind that it has at all.
// Figures may be the numbers of sections, and do not count.
func (f facts) decided(others facts) bool {
	for kind, values := range f.values {
		if kind != figures && len(values) < len(others.values[kind]) {
			return false
		}
	}
	return true
}
