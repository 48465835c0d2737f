package money

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"

	"github.com/shopspring/decimal"
)

// numeral is a number in digits: groups of digits with separators between them.
type numeral struct {
	layout.Span
	// groups are the spans of the digits. separators[i] precedes groups[i+1]. All kinds
	// of space count as one separator, and so do all kinds of apostrophe.
	groups     []layout.Span
	separators []rune
}

// maxGroups is the maximum number of groups in an amount.
const maxGroups = 12

// numeralAt returns the number that starts at from, including all of its groups, so that
// a number is never cut in half.
func numeralAt(text string, from int) numeral {
	n := numeral{}
	n.take(text, from)
	for n.End < len(text) {
		separator, size := separatorAt(text[n.End:])
		next := n.End + size
		if separator == 0 || next >= len(text) || !isDigit(text[next]) || separator == ' ' && !n.groupsBySpace(text, next) {
			break
		}
		n.separators = append(n.separators, separator)
		n.take(text, next)
	}
	return n
}

// take appends the group of digits at start.
func (n *numeral) take(text string, start int) {
	end := start
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if len(n.groups) == 0 {
		n.Start = start
	}
	n.groups, n.End = append(n.groups, layout.Span{Start: start, End: end}), end
}

// groupsBySpace reports whether the digits at next, after a space, continue the number:
// exactly three digits, and all earlier groups are separated by spaces, too.
func (n *numeral) groupsBySpace(text string, next int) bool {
	if len(n.separators) >= maxGroups {
		return false
	}
	for i, s := range n.separators {
		if s != ' ' || n.groups[i+1].Len() != 3 {
			return false
		}
	}
	return n.groups[0].Len() <= 3 && text[n.groups[0].Start] != '0' && next+3 <= len(text) && isDigit(text[next+1]) && isDigit(text[next+2]) &&
		(next+3 == len(text) || !isDigit(text[next+3]))
}

// separatorAt returns the group separator at the start of s and its size in bytes, or 0
// if there is none.
func separatorAt(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	switch r {
	case '.', ',':
		return r, size
	case '\'', '’', 'ʼ', '´':
		return '\'', size
	case ' ', '\u00A0', '\u202F', '\u2009':
		return ' ', size
	}
	return 0, 0
}

// value returns the number as a value of the currency. scaled reports that a scale word
// such as "million" follows. It returns false if the groups are not those of a number, as
// in section numbers and dates.
func (n numeral) value(text, currency string, scaled bool) (decimal.Decimal, bool) {
	last := len(n.separators)
	if last >= maxGroups || n.Len() > 30 {
		return decimal.Decimal{}, false
	}
	decimals := last > 0 && n.decimal(text, currency, scaled)
	if decimals {
		last--
	}
	if !n.grouped(last) {
		return decimal.Decimal{}, false
	}
	var b strings.Builder
	for i, g := range n.groups {
		if decimals && i == len(n.groups)-1 {
			b.WriteByte('.')
		}
		b.WriteString(text[g.Start:g.End])
	}
	v, err := decimal.NewFromString(b.String())
	return v, err == nil
}

// decimal reports whether the last separator is a decimal separator.
func (n numeral) decimal(text, currency string, scaled bool) bool {
	last := len(n.separators) - 1
	separator, digits := n.separators[last], n.groups[last+1].Len()
	if separator != '.' && separator != ',' {
		return false
	}
	if last > 0 {
		// A separator that occurs twice separates groups.
		return n.separators[last-1] != separator && (separator == '.' || digits != 3)
	}
	if digits != 3 {
		return separator == '.' || digits < 3
	}
	whole := text[n.groups[0].Start:n.groups[0].End]
	return whole == "0" || len(whole) > 3 || separator == '.' && (scaled || pointed[currency])
}

// grouped reports whether the groups up to the separator with index end are thousands
// with one separator: "1.250.000", or "12,50,000" as in India.
func (n numeral) grouped(end int) bool {
	if end == 0 {
		return true
	}
	if n.groups[0].Len() > 3 || n.groups[end].Len() != 3 {
		return false
	}
	middle := n.groups[min(1, end)].Len()
	for i, s := range n.separators[:end] {
		if s != n.separators[0] || i+1 < end && n.groups[i+1].Len() != middle {
			return false
		}
	}
	return middle == 3 || middle == 2 && n.separators[0] == ',' && n.groups[0].Len() <= 2
}

// plain returns the value of digits in which the only separator is the decimal one.
func plain(s string) decimal.Decimal {
	v, err := decimal.NewFromString(strings.ReplaceAll(s, ",", "."))
	if err != nil {
		return decimal.Decimal{}
	}
	return v
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
