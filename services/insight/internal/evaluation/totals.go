package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// ClauseTotals sums the scores of kinds of clauses. It counts the kinds that at least
// minHave documents have, so that it does not depend on a few contracts.
type ClauseTotals struct {
	// Presence is whether documents have clauses of the kinds, and Older the same for the
	// kinds that had rules first. Spans is about the clauses themselves.
	Presence, Older, Spans Score
	Kinds, OlderKinds      int
}

// minHave is the number of documents that must have a kind.
const minHave = 10

// noClauses are the annotated categories that are values, and are scored as such.
var noClauses = []string{"document name", "parties", "agreement date", "effective date", "expiration date"}

// older are the kinds that had rules first. Their total makes versions comparable.
var older = []string{
	"anti-assignment", "audit rights", "cap on liability", "change of control", "covenant not to sue", "exclusivity", "governing law", "insurance",
	"liquidated damages", "minimum commitment", "most favored nation", "no-solicit of customers", "no-solicit of employees", "non-compete",
	"non-disparagement", "notice period to terminate renewal", "renewal term", "revenue/profit sharing", "rofr/rofo/rofn",
	"termination for convenience", "third party beneficiary",
}

// Totals sums scores by kind, in lower case.
func Totals(presence, spans map[string]*Score) ClauseTotals {
	var t ClauseTotals
	for kind, p := range presence {
		if p.Gold < minHave || slices.Contains(noClauses, kind) {
			continue
		}
		t.Kinds++
		t.Presence.add(p)
		if s := spans[kind]; s != nil {
			t.Spans.add(s)
		}
		if slices.Contains(older, kind) {
			t.OlderKinds++
			t.Older.add(p)
		}
	}
	return t
}

func (s *Score) add(o *Score) {
	s.Found += o.Found
	s.RightFound += o.RightFound
	s.Gold += o.Gold
	s.Recalled += o.Recalled
}

// ClauseTotals sums the scores of the kinds of clauses.
func (r *Report) ClauseTotals() ClauseTotals {
	spans := map[string]*Score{}
	for name, s := range r.Scores {
		if kind, ok := strings.CutPrefix(name, prefixClause); ok {
			spans[kind] = s
		}
	}
	return Totals(r.Presence, spans)
}

// String returns the totals on one line, "" if there are none.
func (t ClauseTotals) String() string {
	if t.Kinds == 0 {
		return ""
	}
	return fmt.Sprintf("clauses: presence F1 %.3f over %d kinds, %.3f over the %d oldest; spans F1 %.3f",
		t.Presence.F1(), t.Kinds, t.Older.F1(), t.OlderKinds, t.Spans.F1())
}

// AddClauses counts the clauses of one kind in a document: whether the document has any,
// and which of those found and annotated overlap.
func AddClauses(presence, spans *Score, has bool, found, recalled []bool) {
	presence.Add(len(found) > 0, has, true)
	spans.AddSpans(found, recalled)
}
