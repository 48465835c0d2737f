package period_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/period"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, written, value string }{
		{"for two (2) years from", "two (2) years", "2 years"},
		{"of 12 months", "12 months", "12 months"},
		{"of 12\u00a0months", "12\u00a0months", "12 months"},
		{"a one-year term", "one-year", "1 year"},
		{"for thirty-six (36) months", "thirty-six (36) months", "36 months"},
		{"at least one hundred twenty (120) days prior", "one hundred twenty (120) days", "120 days"},
		{"for successive one (1) year terms", "one (1) year", "1 year"},
		{"for three additional years", "three additional years", "3 years"},
		{"periods of 6 (six) months each", "6 (six) months", "6 months"},
		{"for 24 (twenty-four) calendar months", "24 (twenty-four) calendar months", "24 months"},
		{"for one financial year at a time", "one financial year", "1 year"},
		{"within ten business days", "ten business days", "10 days"},
		{"additional period of half a year", "half a year", "6 months"},
		{"a half-year term", "half-year", "6 months"},
		{"successive 3~year periods", "3~year", "3 years"},
		{"five (5) consecutive one year", "one year", "1 year"},
	} {
		got := period.Find(c.text, 10)
		if len(got) != 1 || c.text[got[0].Start:got[0].End] != c.written || got[0].String() != c.value {
			t.Errorf("%q: got %+v, want %q as %s", c.text, got, c.written, c.value)
		}
	}
	for _, text := range []string{"", "every day", "the year", "several months", "0 days", "(see) years"} {
		if got := period.Find(text, 10); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestMonths(t *testing.T) {
	if n, ok := (period.Period{Count: 2, Unit: period.Year}).Months(); n != 24 || !ok {
		t.Errorf("two years: got %d, %v", n, ok)
	}
	if _, ok := (period.Period{Count: 90, Unit: period.Day}).Months(); ok {
		t.Error("90 days: got a number of months, want none")
	}
}

func TestOfNotice(t *testing.T) {
	for text, want := range map[string]bool{
		"upon thirty (30) days' prior written notice": true,
		"not less than six months before the end":     true,
		"no later than sixty (60) days from the end":  true,
		"by 60 days ahead of the end":                 true,
		"with a notice period of 60 days":             true,
		"for not more than two months, by letter":     false,
		"for a term of six months from the start":     false,
		"two years, after notice of a party":          false,
	} {
		if got := period.OfNotice(text, period.Find(text, 1)[0]); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("for two (2) years")
	f.Add("one hundred - and (5) days")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range period.Find(text, 1000) {
			if p.Start < 0 || p.End <= p.Start || p.End > len(text) || p.Count <= 0 {
				t.Fatalf("invalid period %+v", p)
			}
		}
	})
}
