package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
	"github.com/rectohq/recto/services/insight/internal/llm/verify"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

func TestHugeAnswers(t *testing.T) {
	var e prompts.Extraction
	for i := range 100_000 {
		quote := fmt.Sprintf("the party number %d shall invent \x00 quotes", i)
		e.Titles = append(e.Titles, prompts.Title{Quote: quote})
		e.Clauses = append(e.Clauses, prompts.Clause{Type: "Insurance", Quote: quote})
		e.Dates = append(e.Dates, prompts.Date{Type: "other", Date: "2024-05-01", Quote: "made as of May 1, 2024"})
		e.Answers = append(e.Answers, prompts.Answer{Question: 1, Answer: strings.Repeat("\x00", 100), Quote: contract[:1000]})
	}
	e.Limits = []prompts.Limit{{Type: "cap", Quote: strings.Repeat("liability ", 1<<20)}}
	f := &counting{Finder: quotes.New(contract)}
	got := verify.Extraction(rulestest.Read(contract), f, layout.Span{End: len(contract)}, []string{"What?"}, amounts.ReferenceRates(), e)
	if f.calls > 100 {
		t.Errorf("looked for %d quotes, want at most 100", f.calls)
	}
	if c := got.Checks; c.Ungrounded+c.Unverified+c.Exact+c.Normalized+c.Fuzzy < 4*100_000 || len(got.Dates) != 1 || len(got.Answers["What?"]) > 1 {
		t.Errorf("got %+v, %d dates and %d answers, want all counted and duplicates removed", got.Checks, len(got.Dates), len(got.Answers["What?"]))
	}
}

// counting counts the quotes that are looked for.
type counting struct {
	*quotes.Finder
	calls int
}

func (c *counting) Find(quote string, within layout.Span) (layout.Span, quotes.How, bool) {
	c.calls++
	return c.Finder.Find(quote, within)
}

func TestItemsPerList(t *testing.T) {
	e := prompts.Extraction{Titles: slices.Repeat([]prompts.Title{{Quote: "CONSULTING AGREEMENT"}}, 300)}
	_, f := read(e)
	if want := (verify.Checks{Exact: 200, Ungrounded: 100}); f.Checks != want || len(f.Titles) != 1 {
		t.Errorf("got %+v, want %+v", f.Checks, want)
	}
}

func TestSameClauseAtTwoPlaces(t *testing.T) {
	const first, second = "The Supplier shall maintain insurance.", "The Client must also maintain insurance."
	_, f := readIn(first+" "+second, prompts.Extraction{Clauses: []prompts.Clause{{Type: "Insurance", Quote: second}, {Type: "Insurance", Quote: first}}})
	if len(f.Clauses) != 2 || f.Clauses[0].Span.Start != 0 {
		t.Errorf("got %+v, want both, in the order of the text", f.Clauses)
	}
}

func TestCombine(t *testing.T) {
	part := func(quotes ...string) verify.Findings {
		var e prompts.Extraction
		for _, q := range quotes {
			e.Dates = append(e.Dates, prompts.Date{Type: "expiration", Date: "2026-05-31", Quote: q}, prompts.Date{Type: "effective", Date: "2024-06-01", Quote: q})
			e.Clauses = append(e.Clauses, prompts.Clause{Type: "Renewal Term", Quote: q})
			e.Answers = append(e.Answers, prompts.Answer{Question: 1, Answer: "May 31, 2026", Quote: q})
		}
		_, f := read(e, "When does it expire?")
		return f
	}
	const exact, fuzzy = "This Agreement begins on June 1, 2024 and shall expire on May 31, 2026. It shall automatically renew", "This Agreemont begins on June 1, 2024 and shall expire on May 31, 2026. It shall automatically renew"
	for _, parts := range [][]verify.Findings{{part(fuzzy), part(exact)}, {part(exact), part(fuzzy), part(exact)}, {part(exact, fuzzy)}} {
		got := verify.Combine(parts)
		if len(got.Dates) != 2 || got.Dates[0].Item.DateType != "effective" || got.Dates[0].Confidence != 0.85 || got.Dates[1].Confidence != 0.85 {
			t.Errorf("got %+v, want both dates once, in the order of the text", got.Dates)
		}
		if len(got.Clauses) != 1 || len(got.Answers["When does it expire?"]) != 1 {
			t.Errorf("got %d clauses and %d answers, want one of each", len(got.Clauses), len(got.Answers["When does it expire?"]))
		}
		if got.Checks.Exact+got.Checks.Fuzzy < 8 && len(parts) > 1 {
			t.Errorf("got the checks %+v, want the sum", got.Checks)
		}
	}
	apart := verify.Combine([]verify.Findings{part(exact), part("prior written notice of non-renewal")})
	if len(apart.Clauses) != 1 || len(apart.Answers["When does it expire?"]) != 2 {
		t.Errorf("got %d clauses and %d answers, want the answers at both places", len(apart.Clauses), len(apart.Answers["When does it expire?"]))
	}
	if got := verify.Combine(nil); got.Answers == nil || got.Checks != (verify.Checks{}) {
		t.Errorf("got %+v, want nothing", got)
	}
}
