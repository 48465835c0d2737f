package spans_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/spans"
)

// texts returns the candidates of a sentence as text.
func texts(sentence string) (all []string) {
	for _, c := range spans.Read(spans.Asked{Text: sentence}).Candidates {
		all = append(all, sentence[c.Start:c.End])
	}
	return all
}

// TestCandidates shows which parts of a sentence may be the value.
func TestCandidates(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		want     []string
	}{
		{"", nil},
		{" — . ", nil},
		{"Pay £40.", []string{"Pay", "Pay £40", "£40"}},
		{"It is “Juniper”, (or 7%).", []string{
			"It", "It is", "It is “Juniper", "It is “Juniper”, (or", "It is “Juniper”, (or 7%", "is", "is “Juniper", "is “Juniper”, (or",
			"is “Juniper”, (or 7%", "Juniper", "Juniper”, (or", "Juniper”, (or 7%", "or", "or 7%", "7%",
		}},
		{"Pay Rs. 500; leave.", []string{"Pay", "Pay Rs", "Pay Rs. 500", "Rs", "Rs. 500", "500", "leave"}},
		{"Hall, which is red.", []string{"Hall", "which", "which is", "which is red", "is", "is red", "red"}},
		{"Never; leave.", []string{"Never", "leave"}},
	} {
		if got := texts(tt.sentence); !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.sentence, got, tt.want)
		}
	}
	repeated := spans.Read(spans.Asked{Text: "Open the crates at sea.", Words: []string{"opening", "crates", "at", "night"}})
	for _, c := range repeated.Candidates {
		if c.First == 0 && c.Last < 4 || c.First == 2 && c.Last < 4 {
			t.Errorf("the candidate from word %d to %d only repeats the question", c.First, c.Last)
		}
	}
	long := texts(strings.Repeat("word ", 1000))
	if len(long) != 90*12-11*12/2 || strings.Count(slices.MaxFunc(long, func(a, b string) int { return len(a) - len(b) }), "word") != 12 {
		t.Errorf("got %d candidates of a long sentence", len(long))
	}
}

// rewarding returns weights that reward what all candidates with a text have and no other has.
func rewarding(c spans.Choice, sentence string, texts ...string) func(hashed.Key) float64 {
	weights := map[hashed.Key]float64{}
	for _, x := range c.Candidates {
		sign := -1.0
		if slices.Contains(texts, sentence[x.Start:x.End]) {
			sign = 20
		}
		for _, keys := range [][]hashed.Key{c.Begins[x.First], c.Ends[x.Last], x.Whole} {
			for _, k := range keys {
				weights[k] += sign
			}
		}
	}
	return func(k hashed.Key) float64 { return weights[k] }
}

// TestBest shows that weights choose a candidate, and how probable it is that the value is there.
func TestBest(t *testing.T) {
	const sentence = "The deposit is returned within ten days of your going."
	c := spans.Read(spans.Asked{
		Text: sentence, Kind: "day", Words: []string{"when", "is", "the", "deposit", "returned"},
		Typed: []spans.Typed{{Span: layout.Span{Start: 31, End: 39}, Type: "duration"}, {Span: layout.Span{Start: len(sentence) - 1, End: len(sentence)}, Type: "nowhere"}},
	})
	if best, chance, ok := c.Best(rewarding(c, sentence, "ten days")); !ok || sentence[best.Start:best.End] != "ten days" || chance < 0.99 {
		t.Errorf("got %+v with probability %v", best, chance)
	}
	each, none := c.Chances(func(hashed.Key) float64 { return 0 })
	if len(each) != len(c.Candidates) || math.Abs(each[0]-none) > 1e-9 || math.Abs(float64(len(each)+1)*none-1) > 1e-9 {
		t.Errorf("got the probabilities %v and %v without weights, want equal ones", each, none)
	}
	nothing := func(k hashed.Key) float64 {
		if slices.Contains(c.Nothing, k) {
			return 9
		}
		return 0
	}
	if _, chance, ok := c.Best(nothing); !ok || chance > 0.01 {
		t.Errorf("got the probability %v although weights are for no candidate", chance)
	}
	if _, none := c.Chances(nothing); none < 0.99 {
		t.Errorf("got the probability %v of no candidate", none)
	}
	empty := spans.Read(spans.Asked{})
	if _, _, ok := empty.Best(nothing); ok {
		t.Error("got a candidate of an empty sentence")
	}
}

// TestBestTogether shows that candidates that share words count together.
func TestBestTogether(t *testing.T) {
	const sentence = "Leave within ten days."
	c := spans.Read(spans.Asked{Text: sentence})
	_, one, _ := c.Best(rewarding(c, sentence, "ten days"))
	_, both, _ := c.Best(rewarding(c, sentence, "ten days", "within ten days"))
	if one < 0.9 || both < 0.9 {
		t.Errorf("got the probabilities %v of one candidate and %v of two that share words", one, both)
	}
}

// TestFeatures shows what candidates have in common, and what sets them apart.
func TestFeatures(t *testing.T) {
	begin := func(a spans.Asked, word int) []hashed.Key { return spans.Read(a).Begins[word] }
	shared := func(a, b []hashed.Key) (n int) {
		for _, k := range a {
			if slices.Contains(b, k) {
				n++
			}
		}
		return n
	}
	sentence := spans.Asked{Text: "Rent is £40 a week.", Kind: "amount", Words: []string{"what", "is", "the", "rent"}}
	other := sentence
	other.Text = "Rent is £90 a month."
	kind := sentence
	kind.Kind = "day"
	all := len(begin(sentence, 2))
	if n := shared(begin(sentence, 2), begin(sentence, 2)); n != all {
		t.Errorf("reading twice shares %d of %d features", n, all)
	}
	if n := shared(begin(sentence, 2), begin(other, 2)); n < all/2 || n == all {
		t.Errorf("another amount shares %d of %d features", n, all)
	}
	if n := shared(begin(sentence, 2), begin(kind, 2)); n < all/3 || n == all {
		t.Errorf("another kind of question shares %d of %d features", n, all)
	}
	if n := shared(begin(sentence, 2), begin(sentence, 0)); n > all/2 {
		t.Errorf("another word shares %d of %d features", n, all)
	}
}

// FuzzRead looks for sentences whose candidates are not parts of them.
func FuzzRead(f *testing.F) {
	f.Add("The deposit (£40) is returned within “ten” days.", "when is it returned", 3, 9)
	f.Add("\xff—\u00a0)", "", 0, 2)
	f.Fuzz(func(t *testing.T, sentence, question string, start, end int) {
		a := spans.Asked{Text: sentence, Kind: "day", Words: strings.Fields(question)}
		if 0 <= start && start <= end && end <= len(sentence) {
			a.Typed = []spans.Typed{{Span: layout.Span{Start: start, End: end}, Type: "date"}}
		}
		c := spans.Read(a)
		for _, x := range c.Candidates {
			if x.Start >= x.End || x.End > len(sentence) || x.First > x.Last || x.Last >= len(c.Ends) || len(c.Begins) != len(c.Ends) {
				t.Fatalf("got %+v", x)
			}
		}
	})
}
