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
				if got, ok := Parse(strings.ToUpper(text), pattern, language); !ok || !got.Equal(day) {
					t.Fatalf("%s: %s parsed as %v, %v", language, text, got, ok)
				}
			}
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
