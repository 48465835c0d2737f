// Package money finds amounts of money in a text: "$1,000,000", "US$ 5 million", "EUR
// 300", "1.250.000,50 €", "Rs. 12,50,000/-", "Ten Thousand Dollars". It knows how amounts
// are written and which currency each notation means.
package money

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Amount is an amount of money.
type Amount struct {
	// Span is where the amount is written, including words and digits if it has both.
	layout.Span
	// Value is exact. Binary fractions cannot represent most decimal amounts.
	Value decimal.Decimal
	// Currency is an ISO 4217 code.
	Currency string
	// Shared reports that the text has only a sign or word that several currencies share,
	// such as "$", "dollars" or "¥". Currency is then the one that uses it most.
	Shared bool
}

// How many bytes around a number are read.
const (
	lookBehind = 32
	lookAhead  = 60
	// maxWords is the maximum length of an amount in words.
	maxWords = 120
)

var (
	// tail matches the end of an amount without cents: "10.000,-", "45'000.--", "500/-".
	tail = space.Compile(`^(?:[.,]\s?(?:--?|–|—)|/[-=]-?)`)
	// inParentheses matches the amount in words after its digits: "10,000 (ten thousand)
	// Euro".
	inParentheses = space.Compile(`^\s{0,2}\([\pL -]{3,80}\)`)
	// rangeTo matches the end of a range with its scale: "$10-15 million".
	rangeTo = space.Compile(`(?i)^\s?(?:-|–|—|to)\s?[$€£¥₹]?\s?(\d{1,4}(?:[.,]\d{1,3})?)[\s-]?(?:thousand|million|billion|mm|mn|m|k|bn|lakhs?|lacs?|crores?|mio|mrd)\b`)
	// minor matches the unit of small prices.
	minor = space.Compile(`(?i)^[ \x{a0}](pence|cents?)\b`)
	// pennies matches the abbreviation of pence after a number, in a unit price: "45p per mile".
	pennies = space.Compile(`^p(?: (?:per|an?|each|for)\b|/)`)
	// pounds matches a unit of weight, or money.
	pounds = space.Compile(`(?i)^\s?pounds\b`)
	// fraction matches the cents in "and 50/100" and "No/100", up to the slash.
	fraction = space.Compile(`(?i)(?:\band\s+|&\s*)?(\d\d|\bno|\bzero|\bxx)\s?/\s?$`)
)

// Find returns the first amounts of text, in order and at most limit. An amount that is
// written both in words and in digits is one amount.
func Find(text string, limit int) []Amount {
	found := inDigits(text, limit)
	for i := range found {
		found[i].Start = withWords(text, found[i].Start)
	}
	found = append(found, inWords(text, limit)...)
	slices.SortStableFunc(found, func(a, b Amount) int {
		// Prefer the longer match: the digits after an amount in words have the cents.
		return cmp.Or(a.Start-b.Start, b.End-a.End)
	})
	kept, end := found[:0], 0
	for _, a := range found {
		if a.Start >= end && len(kept) < limit && !repeated(text, kept, a) {
			kept, end = append(kept, a), a.End
		}
	}
	return kept
}

// repeated reports whether a repeats the last amount in words: "RMB500 (RMB FIVE
// HUNDRED)".
func repeated(text string, before []Amount, a Amount) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	return last.Value.Equal(a.Value) && a.Start-last.End < 5 && strings.TrimSpace(text[last.End:a.Start]) == "("
}

// inDigits returns the amounts written in digits.
func inDigits(text string, limit int) []Amount {
	var found []Amount
	for at := 0; at < len(text) && len(found) < limit; {
		i := strings.IndexAny(text[at:], "0123456789")
		if i < 0 {
			break
		}
		n := numeralAt(text, at+i)
		at = n.End
		if a, ok := hundredths(text, n); ok {
			found, at = append(found, a), a.End
			continue
		}
		a, ok := amount(text, n)
		if !ok {
			continue
		}
		found = append(found, a)
		at = max(at, a.End)
		if b, ok := secondOfRange(text, a); ok {
			found, at = append(found, b), b.End
		}
	}
	return found
}

// amount returns the amount with the digits of n.
func amount(text string, n numeral) (Amount, bool) {
	if fractional(text, n) {
		return Amount{}, false
	}
	a, before := Amount{Span: n.Span}, n
	below := belowOne(text, n)
	if below {
		before.Start--
	}
	if c, start, shared := currencyBefore(text, before); c != "" {
		a.Currency, a.Start, a.Shared = c, start, shared
	}
	a.End += len(tail.FindString(text[a.End:min(len(text), a.End+8)]))
	rest := text[a.End:min(len(text), a.End+lookAhead)]
	times, long, english := int32(0), 0, true
	if m := scale.FindStringSubmatchIndex(rest); m != nil && (a.Currency != "" || m[3]-m[2] > 2) {
		times, english = scaleOf(rest[m[2]:m[3]])
		a.End, long = a.End+m[3], m[3]
	} else if a.Currency != "" {
		times = rangeScale(text[n.Start:n.End], rest)
	}
	a = a.after(text)
	if a.Currency == "" {
		return inMinor(text, n)
	}
	value, ok := n.value(text, a.Currency, long > 0 && english)
	if below {
		value, ok = value.Shift(int32(n.Start-n.End)), ok && a.Start < n.Start
	}
	a.Value = value.Shift(times)
	return a, ok && !ordinal(text, n) && a.Value.LessThanOrEqual(largest)
}

// ordinal reports whether a number is that of a row or a form: "01". No amount begins with a
// zero that counts nothing.
func ordinal(text string, n numeral) bool {
	return len(n.separators) == 0 && n.Len() > 1 && text[n.Start] == '0' && (n.Start == 0 || text[n.Start-1] != '.')
}

// inMinor returns the price with the digits of n if it is in cents or pence.
func inMinor(text string, n numeral) (a Amount, ok bool) {
	rest := text[n.End:min(len(text), n.End+lookAhead)]
	m := minor.FindStringSubmatchIndex(rest)
	switch {
	case m != nil && !strings.EqualFold(rest[m[2]:m[3]], "pence"):
		a = Amount{Span: layout.Span{Start: n.Start, End: n.End + m[1]}, Currency: "USD", Shared: true}
	case m != nil:
		a = Amount{Span: layout.Span{Start: n.Start, End: n.End + m[1]}, Currency: "GBP"}
	case pennies.MatchString(rest):
		a = Amount{Span: layout.Span{Start: n.Start, End: n.End + len("p")}, Currency: "GBP"}
	default:
		return a, false
	}
	value, ok := n.value(text, a.Currency, false)
	a.Value = value.Shift(-2)
	return a, ok
}

// belowOne reports whether a number is the decimals of one below 1, such as "$.05".
func belowOne(text string, n numeral) bool {
	return len(n.groups) == 1 && n.Start > 1 && text[n.Start-1] == '.' && text[n.Start-2] == '$'
}

// largest is the largest value that is accepted as an amount.
var largest = decimal.NewFromInt(math.MaxInt64)

// after returns a with the currency that follows it, if it has none yet or only one whose
// sign is shared.
func (a Amount) after(text string) Amount {
	if a.Currency != "" && !a.Shared {
		return a
	}
	end := a.End
	if a.Currency == "" {
		rest := text[end:min(len(text), end+lookAhead+maxWords)]
		end += len(inParentheses.FindString(rest))
	}
	rest := text[end:min(len(text), end+lookAhead)]
	if a.Currency == "" && strings.HasPrefix(rest, ")") {
		return a
	}
	if c, length, shared := currencyAfter(rest); c != "" && (a.Currency == "" || !shared) && !weighed(text[:a.Start], rest) {
		a.Currency, a.End, a.Shared = c, end+length, shared
	}
	return a
}

// weighed reports whether a number is a weight: "per 100 pounds".
func weighed(before, after string) bool {
	const per = "per "
	return len(before) > len(per) && strings.EqualFold(before[len(before)-len(per):], per) && pounds.MatchString(after)
}

// rangeScale returns the power of ten by which to multiply the start of a range. The
// start shares the scale of the end if it is the smaller number: "$10-15 million" starts
// at 10 million, but "$500 to $1 million" starts at 500.
func rangeScale(from, rest string) int32 {
	m := rangeTo.FindStringSubmatchIndex(rest)
	if m == nil || plain(from).GreaterThanOrEqual(plain(rest[m[2]:m[3]])) {
		return 0
	}
	s := scale.FindStringSubmatchIndex(rest[m[3]:])
	if s == nil {
		return 0
	}
	times, _ := scaleOf(rest[m[3]+s[2] : m[3]+s[3]])
	return times
}

// secondOfRange returns the end of a range that starts with a and takes its currency from
// it.
func secondOfRange(text string, a Amount) (Amount, bool) {
	rest := text[a.End:min(len(text), a.End+lookAhead)]
	m := rangeTo.FindStringSubmatchIndex(rest)
	if m == nil || strings.ContainsAny(rest[:m[2]], "$€£¥₹") {
		return Amount{}, false
	}
	n := numeralAt(text, a.End+m[2])
	s := scale.FindStringSubmatchIndex(text[n.End:min(len(text), n.End+lookAhead)])
	if s == nil {
		return Amount{}, false
	}
	times, english := scaleOf(text[n.End+s[2] : n.End+s[3]])
	value, ok := n.value(text, a.Currency, english)
	b := Amount{layout.Span{Start: n.Start, End: n.End + s[3]}, value.Shift(times), a.Currency, a.Shared}
	return b, ok && b.Value.LessThanOrEqual(largest)
}

// fractional reports whether a number is part of a fraction or a date, such as "1/2".
func fractional(text string, n numeral) bool {
	slashed := n.Start > 1 && text[n.Start-1] == '/' && isDigit(text[n.Start-2])
	return slashed || n.End+1 < len(text) && text[n.End] == '/' && isDigit(text[n.End+1])
}
