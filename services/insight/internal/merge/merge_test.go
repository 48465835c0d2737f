package merge_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/merge"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/keydates"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// model has read the first thousand bytes.
var model = merge.Model{Name: "ollama/tiny", Read: []layout.Span{{Start: 0, End: 600}, {Start: 500, End: 1000}}}

const (
	agrees   = "By a rule. The language model ollama/tiny agrees."
	silent   = "By a rule. The language model ollama/tiny did not name it."
	modelled = "Found by the language model ollama/tiny; the quote was checked against the document."
	differs  = "By a rule. The language model ollama/tiny found something else."
	other    = modelled + " The rules found something else."
)

func byRule[T any](item T, start, end int, confidence float64) finding.Found[T] {
	return finding.Found[T]{Item: item, Span: layout.Span{Start: start, End: end}, Reasoning: "By a rule.", Confidence: confidence}
}

func byModel[T any](item T, start, end int) finding.Found[T] {
	return finding.Found[T]{Item: item, Span: layout.Span{Start: start, End: end}, Confidence: 0.8}
}

// outcome is what is expected of an item.
type outcome struct {
	start      int
	reasoning  string
	confidence float64
}

func check[T any](t *testing.T, name string, got []finding.Found[T], by insightapi.Engine, wantBy insightapi.Engine, want ...outcome) {
	t.Helper()
	var all []outcome
	for _, f := range got {
		all = append(all, outcome{f.Span.Start, f.Reasoning, math.Round(f.Confidence*1000) / 1000})
	}
	if !slices.Equal(all, want) || by != wantBy {
		t.Errorf("%s: got %+v by %s, want %+v by %s", name, all, by, want, wantBy)
	}
}

// pairs merges one item of the rules with one of the model.
func pairs[T merge.Item](t *testing.T, name string, r, m finding.Found[T], same bool) {
	t.Helper()
	got, by := merge.Items([]finding.Found[T]{r}, []finding.Found[T]{m}, model)
	if same {
		check(t, name, got, by, insightapi.ByBoth, outcome{r.Span.Start, agrees, 0.92})
		return
	}
	if len(got) != 2 || by != insightapi.ByBoth || got[0].Reasoning == agrees || got[1].Reasoning == agrees {
		t.Errorf("%s: got %+v, want both items apart", name, got)
	}
}

func TestSameItems(t *testing.T) {
	year, half := 12.0, 6.0
	five, six, dollar, euro := 5.0, 6.0, "USD", "EUR"
	pairs(t, "title in another case", byRule(insightapi.Title{Title: "LEASE AGREEMENT"}, 10, 20, 0.6), byModel(insightapi.Title{Title: "Lease Agreement"}, 50, 60), true)
	pairs(t, "longer title", byRule(insightapi.Title{Title: "LEASE"}, 10, 20, 0.6), byModel(insightapi.Title{Title: "LEASE No. 1"}, 10, 30), true)
	pairs(t, "title", byRule(insightapi.Title{Title: "LEASE"}, 10, 20, 0.6), byModel(insightapi.Title{Title: "Loan"}, 50, 60), false)
	pairs(t, "type", byRule(insightapi.TypeName{DocumentType: "Lease"}, 10, 20, 0.6), byModel(insightapi.TypeName{DocumentType: "Lease"}, 50, 60), true)
	pairs(t, "another type", byRule(insightapi.TypeName{DocumentType: "Lease"}, 10, 20, 0.6), byModel(insightapi.TypeName{DocumentType: "Loan"}, 10, 20), false)
	pairs(t, "clause", byRule(insightapi.Clause{ClauseType: "Insurance"}, 10, 20, 0.6), byModel(insightapi.Clause{ClauseType: "Insurance"}, 15, 60), true)
	pairs(t, "clause elsewhere", byRule(insightapi.Clause{ClauseType: "Insurance"}, 10, 20, 0.6), byModel(insightapi.Clause{ClauseType: "Insurance"}, 20, 60), false)
	pairs(t, "clause of another kind", byRule(insightapi.Clause{ClauseType: "Insurance"}, 10, 20, 0.6), byModel(insightapi.Clause{ClauseType: "Non-Compete"}, 10, 20), false)
	pairs(t, "date", byRule(insightapi.Date{DateType: "effective", DateValue: "2024-05-01"}, 10, 20, 0.6), byModel(insightapi.Date{DateType: "effective", DateValue: "2024-05-01"}, 50, 60), true)
	pairs(t, "date in another role", byRule(insightapi.Date{DateType: "other", DateValue: "2024-05-01"}, 10, 20, 0.6), byModel(insightapi.Date{DateType: "notice", DateValue: "2024-05-01"}, 10, 20), false)
	pairs(t, "value", byRule(insightapi.ContractValue{ContractValue: 5, Currency: "USD"}, 10, 20, 0.6), byModel(insightapi.ContractValue{ContractValue: 5, Currency: "USD"}, 12, 18), true)
	pairs(t, "value elsewhere", byRule(insightapi.ContractValue{ContractValue: 5, Currency: "USD"}, 10, 20, 0.6), byModel(insightapi.ContractValue{ContractValue: 5, Currency: "USD"}, 30, 40), false)
	pairs(t, "currency", byRule(insightapi.ContractValue{ContractValue: 5, Currency: "USD"}, 10, 20, 0.6), byModel(insightapi.ContractValue{ContractValue: 5, Currency: "EUR"}, 10, 20), false)
	pairs(t, "limit", byRule(insightapi.Limit{LimitType: "cap"}, 10, 20, 0.6), byModel(insightapi.Limit{LimitType: "cap"}, 12, 18), true)
	pairs(t, "limit of another type", byRule(insightapi.Limit{LimitType: "cap"}, 10, 20, 0.6), byModel(insightapi.Limit{LimitType: "uncapped"}, 12, 18), false)
	pairs(t, "renewal", byRule(insightapi.Renewal{TermValue: "1 year", TermMonths: &year}, 10, 20, 0.6), byModel(insightapi.Renewal{TermValue: "12 months", TermMonths: new(12.0)}, 12, 18), true)
	pairs(t, "renewal in days", byRule(insightapi.Renewal{TermValue: "30 days"}, 10, 20, 0.6), byModel(insightapi.Renewal{TermValue: "30 days"}, 12, 18), true)
	pairs(t, "longer renewal", byRule(insightapi.Renewal{TermValue: "1 year", TermMonths: &year}, 10, 20, 0.6), byModel(insightapi.Renewal{TermValue: "6 months", TermMonths: &half}, 12, 18), false)
	pairs(t, "payment", byRule(insightapi.Payment{PaymentValueNumber: &five, PaymentCurrency: &dollar}, 10, 20, 0.6), byModel(insightapi.Payment{PaymentValueNumber: new(5.0), PaymentCurrency: new("USD")}, 12, 18), true)
	pairs(t, "higher payment", byRule(insightapi.Payment{PaymentValueNumber: &five, PaymentCurrency: &dollar}, 10, 20, 0.6), byModel(insightapi.Payment{PaymentValueNumber: &six, PaymentCurrency: &dollar}, 12, 18), false)
	pairs(t, "payment in euros", byRule(insightapi.Payment{PaymentValueNumber: &five, PaymentCurrency: &dollar}, 10, 20, 0.6), byModel(insightapi.Payment{PaymentValueNumber: &five, PaymentCurrency: &euro}, 12, 18), false)
	pairs(t, "payment without an amount", byRule(insightapi.Payment{PaymentValue: "net 30"}, 10, 20, 0.6), byModel(insightapi.Payment{PaymentValue: "Pay net 30."}, 12, 18), true)
	pairs(t, "payment with and without", byRule(insightapi.Payment{PaymentValueNumber: &five, PaymentCurrency: &dollar}, 10, 20, 0.6), byModel(insightapi.Payment{PaymentValue: "Pay."}, 12, 18), false)
}

func TestItems(t *testing.T) {
	clause := func(kind string) insightapi.Clause { return insightapi.Clause{ClauseType: kind} }
	got, by := merge.Items(
		[]finding.Found[insightapi.Clause]{byRule(clause("Insurance"), 100, 200, 0.6), byRule(clause("Audit Rights"), 550, 590, 0.5), byRule(clause("Exclusivity"), 900, 1100, 0.5)},
		[]finding.Found[insightapi.Clause]{byModel(clause("Non-Compete"), 20, 40), byModel(clause("Insurance"), 150, 180)}, model)
	check(t, "clauses", got, by, insightapi.ByBoth,
		outcome{20, modelled, 0.8}, outcome{100, agrees, 0.92}, outcome{550, silent, 0.333}, outcome{900, "By a rule.", 0.5})
	if got[1].Span.End != 200 {
		t.Errorf("got the span %+v, want that of the rules", got[1].Span)
	}
	weak := byModel(clause("Insurance"), 190, 210)
	weak.Confidence = 0.7
	got, by = merge.Items([]finding.Found[insightapi.Clause]{byRule(clause("Insurance"), 100, 200, 0.6)}, []finding.Found[insightapi.Clause]{byModel(clause("Insurance"), 100, 150), weak}, model)
	check(t, "found twice by the model", got, by, insightapi.ByBoth, outcome{100, agrees, 0.92})
	got, by = merge.Items([]finding.Found[insightapi.Clause]{byRule(clause("Insurance"), 100, 200, 0.6)}, nil, merge.Model{Name: "tiny"})
	check(t, "nothing read", got, by, insightapi.ByRules, outcome{100, "By a rule.", 0.6})
	got, by = merge.Items(nil, []finding.Found[insightapi.Clause]{byModel(clause("Insurance"), 100, 200)}, model)
	check(t, "model alone", got, by, insightapi.ByModel, outcome{100, modelled, 0.8})
	got, by = merge.Items[insightapi.Clause](nil, nil, model)
	check(t, "nothing found", got, by, insightapi.ByBoth)
	got, by = merge.Items[insightapi.Clause](nil, nil, merge.Model{})
	check(t, "nobody looked", got, by, insightapi.ByRules)
}

func TestDifferentValues(t *testing.T) {
	title := func(text string) insightapi.Title { return insightapi.Title{Title: text} }
	got, by := merge.Items([]finding.Found[insightapi.Title]{byRule(title("Lease"), 10, 20, 0.5)}, []finding.Found[insightapi.Title]{byModel(title("Loan"), 50, 60)}, model)
	check(t, "titles", got, by, insightapi.ByBoth, outcome{50, other, 0.667}, outcome{10, differs, 0.167})

	date := func(kind, value, label string) insightapi.Date {
		return insightapi.Date{DateType: kind, DateValue: value, DateLabel: label}
	}
	dates, by := merge.Items([]finding.Found[insightapi.Date]{
		byRule(date("expiration", "2026-01-01", ""), 10, 20, 0.5), byRule(date("effective", "2024-01-01", ""), 30, 40, 0.5), byRule(date("payment", "2025-01-01", ""), 50, 60, 0.5),
	}, []finding.Found[insightapi.Date]{byModel(date("expiration", "2027-01-01", ""), 70, 80), byModel(date("payment", "2025-02-01", ""), 90, 95)}, model)
	check(t, "dates", dates, by, insightapi.ByBoth,
		outcome{70, other, 0.667}, outcome{30, silent, 0.333}, outcome{50, silent, 0.333}, outcome{10, differs, 0.167}, outcome{90, modelled, 0.8})

	dates, by = merge.Items([]finding.Found[insightapi.Date]{byRule(date("execution", "2024-01-01", ""), 10, 20, 0.6), byRule(date("execution", "2024-01-02", ""), 30, 40, 0.5)},
		[]finding.Found[insightapi.Date]{byModel(date("execution", "2024-01-01", ""), 10, 20)}, model)
	check(t, "a further value", dates, by, insightapi.ByBoth, outcome{10, agrees, 0.92}, outcome{30, silent, 0.333})

	dates, by = merge.Items([]finding.Found[insightapi.Date]{byRule(date("expiration", "2026-01-01", keydates.EndOfTerm), 10, 20, 0.6)}, nil, model)
	check(t, "a computed date", dates, by, insightapi.ByRules, outcome{10, "By a rule.", 0.6})
}

func TestSigners(t *testing.T) {
	d := rulestest.Read("ALDER WORKS, INC.\n\nBy: ______________\nName: Maria Keller\nTitle: CEO\n\nBIRCH LLC\n\nBy: ______________\nName: ______________\nTitle: ______________\n")
	rules := parties.Signers(d)
	if len(rules) != 2 {
		t.Fatalf("got %d signers, want 2", len(rules))
	}
	got, by := merge.Items(rules, []finding.Found[insightapi.Signer]{
		byModel(insightapi.Signer{SignerFullName: "Jonas Berg"}, 0, 5), byModel(insightapi.Signer{SignerFullName: "MARIA KELLER"}, 6, 10), byModel(insightapi.Signer{SignerFullName: "Ada Lund"}, 3, 5),
	}, model)
	var ids []string
	for i, f := range got {
		ids = append(ids, f.Item.SignerID+" "+f.Item.SignerFullName)
		if *f.Item.SignerIndex != i {
			t.Errorf("signer %d has the index %d", i, *f.Item.SignerIndex)
		}
	}
	want := []string{"signer-1 Maria Keller", "signer-2 ", "signer-3 Jonas Berg", "signer-4 Ada Lund"}
	if !slices.Equal(ids, want) || by != insightapi.ByBoth || !strings.HasSuffix(got[0].Reasoning, "agrees.") {
		t.Errorf("got %q, want %q", ids, want)
	}
	if got[1].Confidence != rules[1].Confidence || got[1].Reasoning != rules[1].Reasoning {
		t.Errorf("got %+v, want the unnamed signer as the rules found it", got[1])
	}
}

func TestIDsOfTheRulesStay(t *testing.T) {
	signer := byRule(insightapi.Signer{SignerIndex: new(4), SignerID: "signer-5", SignerFullName: "Maria Keller"}, 10, 20, 0.5)
	got, _ := merge.Items([]finding.Found[insightapi.Signer]{signer}, nil, model)
	if *got[0].Item.SignerIndex != 4 || got[0].Item.SignerID != "signer-5" {
		t.Errorf("got %+v, want the same id", got[0].Item)
	}
}

func TestAnswers(t *testing.T) {
	answer := func(value string) insightapi.PromptAnswer {
		return insightapi.PromptAnswer{Message: "What?", Value: &value}
	}
	type answers = []finding.Found[insightapi.PromptAnswer]
	for name, tt := range map[string]struct {
		rules, model answers
		by           insightapi.Engine
		want         []outcome
	}{
		"both": {answers{byRule(answer("The rent is $5."), 10, 40, 0.5), byRule(answer("The fee is $6."), 50, 70, 0.6)}, answers{byModel(answer("$7"), 80, 90), byModel(answer("$5"), 10, 40)}, insightapi.ByBoth,
			[]outcome{{10, agrees, 0.9}, {80, modelled, 0.8}, {50, silent, 0.429}}},
		"rules alone": {answers{byRule(answer("The rent is $5."), 10, 40, 0.5)}, nil, insightapi.ByRules, []outcome{{10, silent, 0.333}}},
		"model alone": {nil, answers{byModel(answer("$5"), 10, 40)}, insightapi.ByModel, []outcome{{10, modelled, 0.8}}},
		"nobody":      {nil, nil, insightapi.ByBoth, nil},
		"too many": {answers{byRule(answer("1"), 10, 20, 0.9)}, answers{byModel(answer("2"), 30, 40), byModel(answer("3"), 50, 60), byModel(answer("4"), 70, 80), byModel(answer("5"), 90, 95)}, insightapi.ByModel,
			[]outcome{{30, modelled, 0.8}, {50, modelled, 0.8}, {70, modelled, 0.8}}},
		"overlapping": {nil, answers{byModel(answer("a long answer"), 10, 40), byModel(answer("short"), 30, 60)}, insightapi.ByModel, []outcome{{30, modelled, 0.8}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, by := merge.Answers(tt.rules, tt.model, model)
			check(t, name, got, by, tt.by, tt.want...)
			if name == "both" && *got[0].Item.Value != "$5" {
				t.Errorf("got %q, want the answer of the model", *got[0].Item.Value)
			}
		})
	}
}

func TestDegraded(t *testing.T) {
	rules := []finding.Found[insightapi.Title]{byRule(insightapi.Title{Title: "Lease"}, 10, 20, 0.5)}
	got := merge.Degraded(rules, "The language model could not be reached, so the rules answered.")
	if want := "By a rule. The language model could not be reached, so the rules answered."; got[0].Reasoning != want || rules[0].Reasoning != "By a rule." {
		t.Errorf("got %q, want %q, and the argument unchanged", got[0].Reasoning, want)
	}
	if got := merge.Outage("It is away.").After(""); got != "It is away." {
		t.Errorf("got %q, want the reason alone", got)
	}
}

func TestConfidences(t *testing.T) {
	unit := func(n uint16) float64 { return float64(n) / math.MaxUint16 }
	within := func(c float64) bool { return c >= 0 && c <= 1 }
	// The least differences are those of the arithmetic.
	most := func(a, b float64) bool { return a <= b+1e-12 }
	property := func(x, y, z uint16) bool {
		low, high, c := unit(min(x, y)), unit(max(x, y)), unit(z)
		return within(merge.Agreed(low, c)) && within(merge.Disputed(low, c)) && within(merge.Unconfirmed(low)) &&
			most(merge.Agreed(low, c), merge.Agreed(high, c)) && most(merge.Agreed(c, low), merge.Agreed(c, high)) && most(min(max(low, c), 0.99), merge.Agreed(low, c)) &&
			most(merge.Unconfirmed(low), merge.Unconfirmed(high)) && most(merge.Unconfirmed(low), low) &&
			most(merge.Disputed(low, c), merge.Disputed(high, c)) && most(merge.Disputed(c, high), merge.Disputed(c, low)) && most(merge.Disputed(c, low), c) &&
			most(merge.Disputed(low, c)+merge.Disputed(c, low), 1)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 20_000}); err != nil {
		t.Error(err)
	}
	for _, c := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1, 2} {
		for _, o := range []float64{math.NaN(), math.Inf(1), -1, 0, 1, 2} {
			if !within(merge.Agreed(c, o)) || !within(merge.Disputed(c, o)) || !within(merge.Unconfirmed(c)) {
				t.Errorf("%v and %v: got a confidence outside of 0 to 1", c, o)
			}
		}
	}
	if merge.Agreed(0.85, 0.95) != 0.99 || merge.Unconfirmed(0.5) != 1.0/3 {
		t.Error("the cap or the odds are wrong")
	}
}

func TestMergingIsMonotoneAndDeterministic(t *testing.T) {
	kinds := []string{insightapi.DateEffective, insightapi.DateExpiration, insightapi.DatePayment}
	property := func(seeds []uint16, raised uint8) bool {
		var rules, found []finding.Found[insightapi.Date]
		for i, s := range seeds[:min(len(seeds), 40)] {
			start := int(s % 997)
			f := finding.Found[insightapi.Date]{
				Item: insightapi.Date{DateType: kinds[s%3], DateValue: string('a' + rune(s/3%4))}, Span: layout.Span{Start: start, End: start + 9},
				Reasoning: "By a rule.", Confidence: float64(s%91) / 100,
			}
			if i%2 == 0 {
				rules = append(rules, f)
			} else {
				found = append(found, f)
			}
		}
		once, by := merge.Items(slices.Clone(rules), slices.Clone(found), model)
		again, byAgain := merge.Items(slices.Clone(rules), slices.Clone(found), model)
		if !slices.EqualFunc(once, again, identical) || by != byAgain || len(once) < len(rules) {
			return false
		}
		if len(rules) == 0 {
			return true
		}
		// A higher confidence of one item of the rules lowers none of its own.
		i := int(raised) % len(rules)
		higher := slices.Clone(rules)
		higher[i].Confidence += 0.05
		more, _ := merge.Items(higher, found, model)
		return total(more, rules[i]) >= total(once, rules[i])-1e-12
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

// identical compares what the test sets.
func identical(a, b finding.Found[insightapi.Date]) bool {
	return a.Item.DateType == b.Item.DateType && a.Item.DateValue == b.Item.DateValue && a.Span == b.Span && a.Reasoning == b.Reasoning && a.Confidence == b.Confidence
}

// total returns the confidences of the items with the value and the place of one, together.
func total(found []finding.Found[insightapi.Date], of finding.Found[insightapi.Date]) (sum float64) {
	for _, f := range found {
		if f.Item.DateType == of.Item.DateType && f.Item.DateValue == of.Item.DateValue && f.Span == of.Span && strings.HasPrefix(f.Reasoning, "By a rule.") {
			sum += f.Confidence
		}
	}
	return sum
}
