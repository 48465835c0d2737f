package date

import (
	"strings"
	"testing"
	"time"
)

// TestDayNames formats every day of a year in every language, and parses the result.
func TestDayNames(t *testing.T) {
	for language := range nameLists {
		names, _ := namesOf(language)
		for what, got := range map[string][2]int{
			"days": {len(names.days), 7}, "short days": {len(names.shortDays), 7}, "months": {len(names.months), 12}, "short months": {len(names.shortMonths), 12},
		} {
			if got[0] != got[1] {
				t.Errorf("%s: %d %s", language, got[0], what)
			}
		}
		if names.lone != nil && len(names.lone) != 12 {
			t.Errorf("%s: %d lone months", language, len(names.lone))
		}
		for day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() == 2024; day = day.AddDate(0, 0, 1) {
			for _, pattern := range []string{"dddd d MMMM yyyy", "ddd, d MMM yy", "yyyy MMMM (dd) h:mm AM/PM"} {
				text := Format(day, pattern, language)
				written := strings.ToUpper(text)
				if language == "tr" { // whose capitals of i and ı are not those of other languages
					written = text
				}
				if got, ok := Parse(written, pattern, language); !ok || !got.Equal(day) {
					t.Fatalf("%s: %s parsed as %v, %v", language, text, got, ok)
				}
			}
		}
	}
}

// TestLanguages formats a date as people write it in languages that decline the names of
// months, write them with capitals, or put the year first.
func TestLanguages(t *testing.T) {
	day := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ pattern, language, want string }{
		{"d MMMM yyyy dddd", "tr-TR", "5 Mart 2026 Perşembe"},
		{"yyyy. MMMM d.", "hu-HU", "2026. március 5."},
		{"d MMMM yyyy", "uk-UA", "5 березня 2026"},
		{"MMMM yyyy", "uk-UA", "березень 2026"},
		{"dddd, d MMMM yyyy", "ro-RO", "joi, 5 martie 2026"},
		{"d MMMM yyyy", "bg-BG", "5 март 2026"},
		{"d. MMMM yyyy", "sk-SK", "5. marca 2026"},
		{"d. MMMM yyyy.", "hr-HR", "5. ožujka 2026."},
		{"dddd, d. MMMM yyyy", "sl-SI", "četrtek, 5. marec 2026"},
		{"d. MMMM yyyy", "et-EE", "5. märts 2026"},
		{"d MMMM yyyy", "lt-LT", "2026-03-05"},
	} {
		if got := Format(day, c.pattern, c.language); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.pattern, c.language, got, c.want)
		}
	}
}

func FuzzParseDay(f *testing.F) {
	f.Add("29. Februar 2024", "d. MMMM yyyy", "de-DE")
	f.Add("2/29/24 1:05 PM", "M/d/yy h:mm am/pm", "")
	f.Add("年\x80", "'年\x80年mAMttt", "ja")
	f.Fuzz(func(t *testing.T, text, pattern, language string) {
		if day, ok := Parse(text, pattern, language); ok && day.Year() == 0 {
			t.Errorf("%q parsed as %v", text, day)
		}
		Format(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), pattern, language)
	})
}
