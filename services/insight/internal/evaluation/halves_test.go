package evaluation_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
)

// halves is how many parts of the companies are measured separately. What is tuned on one
// must hold on the other.
const halves = 2

// halfOf returns the half that the company of a contract belongs to.
func halfOf(c evaluation.Contract) int {
	sum := 0
	for _, r := range c.Company() {
		sum += int(r)
	}
	return sum % halves
}

// finishHalves prints the reports of contenders on each half.
func finishHalves(t *testing.T, all []*contender) {
	t.Helper()
	for half := range halves {
		var columns []evaluation.Column
		for _, c := range all {
			columns = append(columns, evaluation.Column{Name: c.name, Report: c.halves[half]})
		}
		t.Logf("dates and terms on half %d of the companies: %d contracts\n%s", half+1, all[0].halves[half].Documents, evaluation.Table(columns))
	}
}
