package amounts

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// inRows returns the amounts in rows of tables whose head alone gives the currency, in text order.
func inRows(d *structure.Document) []money.Amount {
	var found []money.Amount
	for _, r := range d.Rows() {
		for c, cell := range r.Cells {
			head := r.HeadOf(c)
			if c == 0 || head.Len() == 0 || len(found) == finding.MaxItems {
				continue
			}
			if currency, shared := money.OfHead(d.Quote(head)); currency != "" {
				if a, ok := money.InCell(d.Text, cell, currency, shared); ok {
					found = append(found, a)
				}
			}
		}
	}
	sortByPlace(found)
	return found
}

// withinCells returns amounts without those that begin in one cell of a row and end in another, such as "80"
// and "EUR" in "Size 80 | EUR 119.00", but with those in the cells that they cross.
func withinCells(d *structure.Document, found []money.Amount) []money.Amount {
	if len(d.Tables) == 0 {
		return found
	}
	var whole, cut []money.Amount
	for _, a := range found {
		row := d.Row(a.Span)
		if row == nil || slices.ContainsFunc(row, func(c layout.Span) bool { return c.Contains(a.Span) }) {
			whole = append(whole, a)
			continue
		}
		for _, c := range row {
			if !c.Overlaps(a.Span) || len(cut) >= finding.MaxItems {
				continue
			}
			for _, own := range money.Find(d.Quote(c), maxWithin) {
				own.Start, own.End = own.Start+c.Start, own.End+c.Start
				cut = append(cut, own)
			}
		}
	}
	sortByPlace(cut)
	cut = slices.CompactFunc(cut, func(a, b money.Amount) bool { return a.Span == b.Span })
	return withColumns(whole, cut)
}

func sortByPlace(all []money.Amount) {
	slices.SortStableFunc(all, func(a, b money.Amount) int { return cmp.Compare(a.Start, b.Start) })
}

// maxRowLabel is the maximum length of the cell that names the row of an amount, in bytes.
const maxRowLabel = 80

// rowLabel returns the first cell with words in the row of an amount, "" if there is none before the amount.
func rowLabel(d *structure.Document, s layout.Span) string {
	for _, c := range d.Row(s) {
		switch {
		case c.End > s.Start:
			return ""
		case c.Len() <= maxRowLabel && strings.ContainsFunc(d.Quote(c), unicode.IsLetter):
			return passage.OneLine(d.Quote(c))
		}
	}
	return ""
}
