// Package bills finds the total and the due date of invoices, orders and bills, which state them in labelled
// lines rather than in sentences.
package bills

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Entry is a line, or a row of a table, with the value that its label names.
type Entry struct {
	layout.Span
	// Value is the value as it is written.
	Value string
}

// maxLine is the maximum length in bytes of a line with a label.
const maxLine = 200

// Patterns for lines. A label is followed by a colon, a wide gap or the border of a table, or by an amount.
var (
	labelled = regexp.MustCompile(`^[ \t|*]*([\pL][\pL \t/.'’()%\d-]*?)[ \t]*(?::|\||\t| {2,})[ \t|:]*(\S.*?)[ \t|]*$`)
	summed   = regexp.MustCompile(`^[ \t|*]*(\pL[\pL ()%\d-]*?) +(` + sum + `)[ \t|]*$`)
	onlySum  = regexp.MustCompile(`^` + sum + `$`)
)

// sum matches an amount with or without a currency.
const sum = `(?:[A-Z]{3} ?|[$€£¥₹] ?|(?:Rs|kr|R)\.? ?)?\d[\d,.'’ ]*\d(?: ?(?:[A-Z]{3}|[$€£¥₹]|kr))?(?:,-)?`

// Patterns for labels, in lower case.
var (
	// owed matches the label of the amount that is still due, full that of a total, and due that of
	// a due date.
	owed = regexp.MustCompile(`^(?:(?:total |net |final |new )?(?:amount|balance|sum|payment) (?:now )?(?:due|payable|owed|owing|outstanding|to pay)|total (?:now )?(?:due|payable|owed|owing|to pay)|to pay|please pay|balance)` + addition)
	full = regexp.MustCompile(`^(?:(?:grand |invoice |order )?total(?: (?:amount|price|cost|invoice|order))?(?: (?:amount|value))?)` + addition)
	due  = regexp.MustCompile(`^(?:(?:payment |invoice )?due(?: date| on| by)?|date due|pay(?:able|ment)? (?:by|before|due|due date|due by|due on)|payment (?:date|deadline)|please pay by)$`)
)

// addition matches the end of a label that says whether taxes are included, or names the currency.
const addition = `(?: \(?(?:incl|inc|including|with|gross|in )[\pL .%\d]*\)?| \(?[a-z]{3}\)?)?$`

// Total returns the amount that is still due or, if no line states one, the total. It reports false if the
// document has no such line, or several that differ.
func Total(d *structure.Document) (Entry, bool) {
	all := entries(d)
	for _, label := range []*regexp.Regexp{owed, full} {
		if e, ok := single(all, func(e labelledEntry) bool { return label.MatchString(e.label) && onlySum.MatchString(e.Value) }); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// DueDate returns the due date of the whole amount. It reports false if no line states one, or several
// differ.
func DueDate(d *structure.Document) (Entry, bool) {
	return single(entries(d), func(e labelledEntry) bool { return due.MatchString(e.label) && len(date.Find(e.Value, 1)) > 0 })
}

// labelledEntry is an entry with its label in lower case.
type labelledEntry struct {
	Entry
	label string
}

// single returns the entry that suits. It reports false if there is none, or if several have different values.
func single(all []labelledEntry, suits func(labelledEntry) bool) (found Entry, ok bool) {
	for _, e := range all {
		switch {
		case !suits(e):
		case ok && e.Value != found.Value:
			return Entry{}, false
		default:
			found, ok = e.Entry, true
		}
	}
	return found, ok
}

// entries returns the lines with a label, and the rows of tables with one.
func entries(d *structure.Document) (all []labelledEntry) {
	at := 0
	for line := range strings.Lines(d.Text) {
		span := layout.Span{Start: at, End: at + len(strings.TrimRight(line, " \t\r\n"))}
		at += len(line)
		if span.Len() > maxLine {
			continue
		}
		for _, p := range []*regexp.Regexp{labelled, summed} {
			if m := p.FindStringSubmatch(d.Quote(span)); m != nil {
				all = append(all, labelledEntry{Entry{span, m[2]}, passage.Lower(m[1])})
				break
			}
		}
	}
	if len(d.Blocks) == 0 {
		return all
	}
	for _, r := range d.Rows() {
		label, value := sides(r.Cells)
		if label.Len() > 0 && value.Len() > 0 && value.End-label.Start <= maxLine {
			all = append(all, labelledEntry{Entry{layout.Span{Start: label.Start, End: value.End}, passage.Text(d, value)}, strings.TrimSuffix(passage.Lower(d.Quote(label)), ":")})
		}
	}
	return all
}

// sides returns the first and the last cell of a row that are not empty.
func sides(cells []layout.Span) (first, last layout.Span) {
	for _, c := range cells {
		switch {
		case c.Len() == 0:
		case first.Len() == 0:
			first = c
		default:
			last = c
		}
	}
	return first, last
}
