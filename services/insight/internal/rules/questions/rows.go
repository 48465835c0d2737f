package questions

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Limits for answers from rows.
const (
	// leastCovered is the share of the words of a question that the document has, by weight, that the row
	// and the head of the column must have, and leastOfAll the share of all its words.
	leastCovered, leastOfAll = 0.75, 0.4
	// leastCounted is the first of these for a row that has what the question asks the number of, or a number
	// of the question.
	leastCounted = 0.3
	// leastLabel is the share of the words of a label that the question must have.
	leastLabel = 0.5
	// sureOfRow is the confidence in a value that a row names with all words of the question.
	sureOfRow = 0.8
	// maxLabels is the maximum number of cells that are read as the label of a value.
	maxLabels = 8
)

// entry is a cell of a row that may answer a question.
type entry struct {
	row, column  int
	label, value layout.Span
	// covered is how much of the question the row and the head of the column have, named how much of the
	// label the question has, and headed how much of the question the head has.
	covered, named, headed float64
	// fits reports that the value is of the kind that the question asks for.
	fits bool
}

// suits compares how well entries suit a question: it is positive if e suits it better.
func (e *entry) suits(than *entry) int {
	if e.fits != than.fits {
		if e.fits {
			return 1
		}
		return -1
	}
	for _, d := range []float64{e.covered - than.covered, e.named - than.named, e.headed - than.headed} {
		if math.Abs(d) > 0.01 {
			return int(math.Copysign(1, d))
		}
	}
	return 0
}

// inRow returns the cell of a table, or the part of a line, that answers a question, because the question
// names its row and its column. It returns false if there is none, or if several rows suit as well.
func (q *Questions) inRow(question string, a asking) (f finding.Found[insightapi.PromptAnswer], ok bool) {
	if a.kind = plainKind(a.text); a.kind == verdict || a.kind == ruling || !plain(a.text) {
		return f, false
	}
	if q.rows == nil {
		q.rows, q.labels = append([]structure.Row{}, q.doc.Rows()...), map[layout.Span][]string{}
	}
	if len(q.rows) == 0 {
		return f, false
	}
	n := q.inquire(question, &a)
	var best entry
	single := false
	for i := range q.rows {
		if q.namesColumns(i) {
			continue
		}
		for _, e := range n.entries(i) {
			switch d := e.suits(&best); {
			case d > 0:
				best, single = e, true
			case d == 0 && e.row == best.row:
				if a.kind == amount && q.totals(&e) { // the last amount of a row is its total
					best = e
				}
			case d == 0 && q.doc.Quote(e.value) != q.doc.Quote(best.value):
				single = false
			}
		}
	}
	if !single {
		return f, false
	}
	return n.entered(question, &best), true
}

// namesColumns reports whether the row with an index is the first of a table of at least three columns,
// and names them.
func (q *Questions) namesColumns(i int) bool {
	r := &q.rows[i]
	return r.Head == nil && len(r.Cells) > 2 && i+1 < len(q.rows) && len(q.rows[i+1].Head) > 0 && q.rows[i+1].Head[0] == r.Cells[0]
}

// sumHead matches the name of a column of sums.
var sumHead = regexp.MustCompile(`(?i)\b(?:totals?|sub-?totals?|amounts?|sums?|prices?|values?|costs?|fees?|charges?|net|gross|due|payable|balance|extended|ext)\b`)

// totals reports whether an amount at the end of a row may be its total: the name of its column, if there
// is one, does not call it something else, such as a deductible.
func (q *Questions) totals(e *entry) bool {
	head := q.rows[e.row].HeadOf(e.column)
	return head.Len() == 0 || sumHead.MatchString(q.doc.Quote(head))
}

// entries returns the cells of a row that may answer the question.
func (n *inquiry) entries(row int) (all []entry) {
	r := &n.rows[row]
	found, named, label := make([]float64, len(n.clues)), 0.0, layout.Span{}
	strong := false
	for c := 1; c < len(r.Cells); c++ {
		if left := r.Cells[c-1]; c <= maxLabels {
			share, strongly := n.cluesIn(found, left)
			strong = strong || strongly
			if share > named {
				named, label = share, left
			}
		}
		if strong && (named >= leastLabel || n.countsIn(found)) && r.Cells[c].Len() > 0 {
			e := entry{row: row, column: c, label: label, value: r.Cells[c], named: named}
			if n.covers(&e, r, found) {
				all = append(all, e)
			}
		}
	}
	return all
}

// covers sets how much of the question an entry covers, given the clues in the cells to its left. It
// reports whether that is enough for an answer: all of it, or most of it if the value is of the kind that
// the question asks for.
func (n *inquiry) covers(e *entry, r *structure.Row, left []float64) bool {
	found, head := slices.Clone(left), make([]float64, len(n.clues))
	for c := range min(e.column, maxLabels) {
		n.cluesIn(found, r.HeadOf(c))
	}
	n.cluesIn(head, r.HeadOf(e.column))
	for i := range found {
		found[i] = max(found[i], head[i])
	}
	sum := n.sum(found)
	e.headed, e.covered = n.sum(head)/n.total, sum/max(n.matched, sum, 1e-9)
	e.fits = n.fits(n.doc.Quote(e.value)) || n.inUnits(r.HeadOf(e.column), e.value)
	least := leastCovered
	switch {
	case n.countsIn(left), n.identified(left):
		least = leastCounted
	case !e.fits && strings.HasPrefix(n.a.text, "what ") && e.named == 1:
		return e.covered > 0.99 && sum >= leastOfAll*n.total && e.value.Len() <= passage.MaxSentence
	}
	return e.fits && e.covered >= least && sum >= min(least, leastOfAll)*n.total
}

// inUnits reports whether a cell is a number of the unit of time that the question asks "how many" of,
// which the column names.
func (n *inquiry) inUnits(head, cell layout.Span) bool {
	m := howMany.FindStringSubmatch(n.a.text)
	return n.a.kind == length && m != nil && head.Len() > 0 && plainCount.MatchString(strings.TrimSpace(n.doc.Quote(cell))) &&
		slices.Contains(n.labelTerms(head), vocabulary.Stem(m[1])) && !strings.ContainsAny(n.doc.Quote(head), "/")
}

// countsIn reports whether clues that are found include one for what the question asks the number of.
func (n *inquiry) countsIn(found []float64) bool {
	return n.a.kind == count && slices.ContainsFunc(n.counting(), func(i int) bool { return found[i] > 0 })
}

// identified reports whether clues that are found include one with a digit, such as the number of a part.
func (n *inquiry) identified(found []float64) bool {
	for i, f := range found {
		if f > 0 && strings.ContainsAny(n.clues[i].text, "0123456789") {
			return true
		}
	}
	return false
}

// Abbreviations in labels, in lower case, and what they stand for.
var (
	labelNumber = regexp.MustCompile(`(?i)\b(?:no|nr|num)\b\.?|#|№`)
	shortLabels = strings.NewReplacer("Qty", "Quantity", "qty", "quantity", "QTY", "quantity", "Amt", "Amount", "amt", "amount", "TCV", "total contract value")
)

// labelTerms returns the terms of a label. A document has few different ones.
func (q *Questions) labelTerms(label layout.Span) []string {
	if label.Len() == 0 || label.Len() > maxRow {
		return nil
	}
	terms, known := q.labels[label]
	if !known {
		terms = vocabulary.TermsBesideRoles(labelNumber.ReplaceAllString(shortLabels.Replace(q.doc.Quote(label)), " number "))
		q.labels[label] = terms
	}
	return terms
}

// cluesIn adds to found how much of each clue a label has. It returns the share of its words that are clues.
// In a label such as "Hose, rubber, 20 m", the words before the first comma or bracket name the thing, so
// their share counts if it is larger. It also returns whether one of the clues identifies the subject of the
// question.
func (n *inquiry) cluesIn(found []float64, label layout.Span) (share float64, strong bool) {
	if i := strings.IndexAny(n.doc.Quote(label), ",;(["); i > 0 {
		main := layout.Span{Start: label.Start, End: label.Start + i}
		share, _ = n.cluesOf(make([]float64, len(n.clues)), main)
	}
	all, strong := n.cluesOf(found, label)
	return max(share, all), strong
}

// cluesOf is cluesIn for the words of a label or of a part of it.
func (n *inquiry) cluesOf(found []float64, label layout.Span) (share float64, strong bool) {
	terms, hits := n.labelTerms(label), 0
	for _, t := range terms {
		matches := n.cluesOn(t)
		for _, m := range matches {
			worth := n.clues[m.term].worth
			found[m.term] = max(found[m.term], m.worth)
			strong = strong || worth >= genericWeight || worth == partyWorth && n.a.kind == agent
		}
		if len(matches) > 0 {
			hits++
		}
	}
	return float64(hits) / float64(max(len(terms), 1)), strong
}

// Patterns for cells.
var (
	plainAmount = regexp.MustCompile(`^\W*\d{1,3}(?:[,.' ]?\d{3})*(?:[.,]\d{2})?\W*$|\b\d{1,3}(?:[,.' ]\d{3})*[.,]\d{2}\b`)
	plainCount  = regexp.MustCompile(`^\W*\d{1,3}(?:[,.' ]?\d{3})*(?: [\pL ]+)?\W*$`)
)

// fits reports whether a cell is of the kind that the question asks for.
func (n *inquiry) fits(cell string) bool {
	if strings.TrimSpace(cell) == "" || len(cell) > passage.MaxSentence {
		return false
	}
	dated := len(date.Find(cell, 1)) > 0
	switch n.a.kind {
	case amount, share:
		return !dated && (len(money.Find(cell, 1)) > 0 || percentage.MatchString(cell) || n.a.kind == amount && plainAmount.MatchString(cell))
	case count:
		return !dated && plainCount.MatchString(strings.TrimSpace(cell))
	case length, rhythmic, measure:
		return len(n.a.tiers(cell)[0]) > 0
	case day:
		return dated || event.MatchString(cell) || durations.MatchString(cell)
	case agent:
		return strings.ContainsFunc(cell, unicode.IsLetter) && !dated
	case anything, place, ruling, verdict:
	}
	return true
}

// entered returns an entry as an answer. Its quote is the row from the label to the value.
func (n *inquiry) entered(question string, e *entry) finding.Found[insightapi.PromptAnswer] {
	value := passage.Text(n.doc, e.value)
	if n.a.kind != anything && n.a.kind != agent {
		if v := n.voted(value); v != "" {
			value = v
		}
	}
	span := layout.Span{Start: min(e.label.Start, e.value.Start), End: max(e.label.End, e.value.End)}
	if span.Len() > maxJoined {
		span = e.value
	}
	return finding.Found[insightapi.PromptAnswer]{
		Item: insightapi.PromptAnswer{Message: question, Value: &value}, Span: span,
		Reasoning:  fmt.Sprintf("This is the value in the row %q.", passage.Text(n.doc, e.label)),
		Confidence: math.Round(100*sureOfRow*e.covered*(1+e.named)/2) / 100,
	}
}
