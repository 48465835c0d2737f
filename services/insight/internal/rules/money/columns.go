package money

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

const (
	// maxRows is the maximum number of rows that are read below the heading of a table.
	maxRows = 200
	// maxHeadings is how many words of a heading may be a currency.
	maxHeadings = 12
)

var (
	// heading matches a currency in the heading of a column, which gives no amount itself.
	heading = space.Compile(`(?:^|[\s(|])((?:[A-Z]{1,3})?[$€£₹]|[A-Z]{3})(?:[\s),;|]|$)`)
	// priceNoun matches a word that says that a column has prices.
	priceNoun = space.Compile(`(?i)\b(?:rates?|prices?|fees?|charges?|amounts?|totals?|unit|ext|extended|costs?|rent)\b`)
	// cell matches an amount without a currency in a column: two spaces before it, and two
	// decimals.
	cell = space.Compile(`(?:[ \t]{2,}|\|[ \t]*)(\d{1,3}(?:,\d{3})*\.\d\d|\d+\.\d\d)[ \t]*(?:$|[ \t]{2}|\|)`)
)

// InColumns returns the amounts in the columns of a table whose heading alone gives the
// currency, such as "UNIT PRICE CAD". It finds at most limit.
func InColumns(text string, limit int) []Amount {
	var found []Amount
	currency, shared, rows := "", false, 0
	for at := 0; at < len(text) && len(found) < limit; {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := strings.TrimRight(text[at:end], "\r")
		rows++
		switch {
		case strings.TrimSpace(line) == "" || rows > maxRows:
			currency = ""
		case len(line) > maxWords:
		default:
			if c, s := headed(line); c != "" {
				currency, shared, rows = c, s, 0
			} else if currency != "" {
				found = append(found, cells(text, line, at, currency, shared)...)
			}
		}
		at = end + 1
	}
	return found[:min(len(found), limit)]
}

// headed returns the currency of the prices below a line, "" if it is no heading of prices, and
// whether several currencies share its sign.
func headed(line string) (currency string, shared bool) {
	if !priceNoun.MatchString(line) || cell.MatchString(line) {
		return "", false
	}
	return OfHead(line)
}

// OfHead returns the currency that the head of a column gives, such as "Amount NZD" or "Price (£)", "" for
// none, and whether several currencies share its sign.
func OfHead(head string) (currency string, shared bool) {
	for _, m := range heading.FindAllStringSubmatch(head, maxHeadings) {
		switch {
		case iso[m[1]] && !wordLike[m[1]]:
			return m[1], false
		case symbols[m[1]] != "":
			return symbols[m[1]], isShared(m[1])
		}
	}
	return "", false
}

// InCell returns the amount in a cell that is a number and nothing else, in a currency. span is the place of
// the cell in the text. It returns false for any other cell, and for a negative number.
func InCell(text string, span layout.Span, currency string, shared bool) (Amount, bool) {
	if span.Len() == 0 || !isDigit(text[span.Start]) {
		return Amount{}, false
	}
	n := numeralAt(text[:span.End], span.Start)
	v, ok := n.value(text, currency, false)
	return Amount{Span: n.Span, Value: v, Currency: currency, Shared: shared}, ok && n.End == span.End
}

// cells returns the amounts in a row, which begins at start.
func cells(text, row string, start int, currency string, shared bool) []Amount {
	var found []Amount
	for at := 0; at < len(row); {
		m := cell.FindStringSubmatchIndex(row[at:])
		if m == nil {
			break
		}
		n := numeralAt(text, start+at+m[2])
		at += m[3]
		if v, ok := n.value(text, currency, false); ok && n.End == start+at {
			found = append(found, Amount{Span: n.Span, Value: v, Currency: currency, Shared: shared})
		}
	}
	return found
}
