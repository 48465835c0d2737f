package pattern_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// TestLiterals shows which literals an expression has.
func TestLiterals(t *testing.T) {
	for expr, want := range map[string][]string{
		`\bcontributions?\b[^;.]* (?:shall|will) be\b`: {"contribution"},
		`\b(?:not|never) later than\b`:                 {" later than"},
		`\b(?:pay|pays|paid) (?:rent|interest)\b`:      {"pay rent", "pays rent", "paid rent", "pay interest", "pays interest", "paid interest"},
		`licen[cs]e`:               {"licence", "license"},
		`(?:fees?|fee schedules?)`: {"fee"},
		`(?:rent\b)+.*due`:         {"rent"},
		`x{3,}[^.]*pay`:            {"pay"},
		`x{5}y`:                    {"xxxxxy"},
		`(?:ab)?abc|(d)ef`:         {"abc", "def"},
		`(?i)pay`:                  nil, // in eight spellings
		`(?i)§ 12`:                 {"§ 12"},
		`\x{fffd}abc`:              nil, // matches invalid characters
		`[\x{fffd}q]uay`:           {"uay"},
		`[^a]`:                     nil,
		`ab`:                       nil, // too short
		`(?:one|two|six|ten|nine|four|five) days?`: {" day"},
		`(?:one|two|six|ten|nine|four|five)x`:      nil,
		`(?:abc|.)`:                                nil,
		`abc*`:                                     nil,
		`abc|`:                                     nil,
	} {
		got, err := pattern.Literals(expr)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}
