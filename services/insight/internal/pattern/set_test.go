package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// TestSet shows that a set finds what its patterns match one by one.
func TestSet(t *testing.T) {
	set := pattern.NewSet()
	var patterns []*pattern.Regexp
	for _, expr := range expressions {
		patterns = append(patterns, set.MustCompile(expr))
	}
	r := rand.New(rand.NewPCG(7, 8))
	skipped := 0
	for range 3000 {
		text := random(r)
		in := set.In(text)
		if in.String() != text {
			t.Fatalf("got %q, want %q", in.String(), text)
		}
		all, some := true, false
		for i, p := range patterns {
			has := regexp.MustCompile(expressions[i]).MatchString(text)
			all, some = all && has, some || has
			if got := in.Has(p); got != has {
				t.Fatalf("%s in %q: got %t, want %t", expressions[i], text, got, has)
			}
			if got, want := in.FindIndex(p), p.FindStringIndex(text); !slices.Equal(got, want) {
				t.Fatalf("%s in %q: got %v, want %v", expressions[i], text, got, want)
			}
			if !in.MayHave(p) {
				skipped++
			}
		}
		if in.Any(patterns...) != some || in.All(patterns...) != all {
			t.Fatalf("%q: got any %t and all %t, want %t and %t", text, in.Any(patterns...), in.All(patterns...), some, all)
		}
	}
	if skipped == 0 {
		t.Error("every pattern was run on every text")
	}
}

// TestNeeds shows what a text must contain for a pattern of a set.
func TestNeeds(t *testing.T) {
	for expr, texts := range map[string]struct{ has, lacks []string }{
		`\b(?:fees?|rent)\b[^.;]*\b(?:shall|will) be (?:set|listed)\b`: {
			has: []string{"rent will be set", "will be listed: fee"}, lacks: []string{"the fee will be paid", "rent is set", "it shall be set"},
		},
		`[$€]\s?\d`:         {has: []string{"5 $", "€ 0"}, lacks: []string{"$", "5"}},
		`(?:pay|e)\b`:       {has: []string{"xyz"}}, // nearly every text has an "e"
		`(?i)due`:           {has: []string{"xyz"}},
		`(?:one|two|three)`: {has: []string{"two"}, lacks: []string{"four"}},
		`(?:not )?(?:due)+`: {has: []string{"due"}, lacks: []string{"not"}},
		`a{2,3}b`:           {has: []string{"aab"}, lacks: []string{"ab"}},
	} {
		set := pattern.NewSet()
		p := set.MustCompile(expr)
		for want, list := range map[bool][]string{true: texts.has, false: texts.lacks} {
			for _, text := range list {
				if in := set.In(text); in.MayHave(p) != want {
					t.Errorf("%s in %q: got %t, want %t", expr, text, !want, want)
				}
			}
		}
	}
}

// TestRequire shows that a pattern is found only beside a word that it requires.
func TestRequire(t *testing.T) {
	set := pattern.NewSet()
	p, other := set.MustCompile(`rent`), set.MustCompile(`rent`)
	set.Require(p, []string{"shop", "house"})
	for text, want := range map[string]bool{"rent of a house": true, "shop, rent": true, "rent": false, "house": false} {
		in := set.In(text)
		if got := in.Has(p); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
		if got, want := in.Has(other), strings.Contains(text, "rent"); got != want {
			t.Errorf("%q: got %t for the other pattern, want %t", text, got, want)
		}
	}
}

// TestManyNeeds shows that patterns of a set that is too large are found all the same.
func TestManyNeeds(t *testing.T) {
	set := pattern.NewSet()
	var patterns []*pattern.Regexp
	for i := range 300 {
		patterns = append(patterns, set.MustCompile(fmt.Sprintf(`<%d>.*\[%d\].*#%d;`, i, i, i)))
	}
	for i, p := range patterns {
		in := set.In(fmt.Sprintf("<%d> and [%d] and #%d;", i, i, i))
		if !in.Has(p) || in.Has(patterns[(i+1)%len(patterns)]) {
			t.Errorf("pattern %d: got %t, and %t for the next one", i, in.Has(p), in.Has(patterns[(i+1)%len(patterns)]))
		}
	}
}

// TestTooManyRequired shows that requirements are never left out: too many of them panic.
func TestTooManyRequired(t *testing.T) {
	set := pattern.NewSet()
	for i := range 257 {
		set.Require(set.MustCompile(`a`), []string{fmt.Sprint("word", i)})
	}
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	set.In("a")
}

// FuzzSet shows that a set finds the same as package regexp.
func FuzzSet(f *testing.F) {
	f.Add(`\b(?:fees?|rent)\b[^;]*due`, `[$€]\d`, "the fee is due: $5")
	f.Add(`(?:a|bc?)+d`, `x{2}|\x{fffd}y`, "bcd\xffy")
	f.Fuzz(func(t *testing.T, one, two, text string) {
		if len(one)+len(two) > 100 || len(text) > 500 {
			return
		}
		set := pattern.NewSet()
		for _, expr := range []string{one, two} {
			re, err := regexp.Compile(expr)
			if err != nil {
				return
			}
			p := set.MustCompile(expr)
			defer func() {
				in := set.In(text)
				if got, want := in.Has(p), re.MatchString(text); got != want {
					t.Errorf("%q in %q: got %t, want %t", expr, text, got, want)
				}
			}()
		}
	})
}
