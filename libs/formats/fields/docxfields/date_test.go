package docxfields

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestValueOfDate holds what a date control holds against what it shows.
func TestValueOfDate(t *testing.T) {
	for _, c := range []struct{ name, attributes, format, language, shown, want string }{
		{"of the properties", ` w:fullDate="2024-02-29T00:00:00Z"`, "d MMMM yyyy", "", "29 February 2024", "2024-02-29"},
		{"emptied by hand", ` w:fullDate="2024-02-29T00:00:00Z"`, "d MMMM yyyy", "", " ", ""},
		{"by the format", "", "d MMMM yyyy", "en-GB", "29 february 2024", "2024-02-29"},
		{"with the day of the week", "", "dddd, MMMM d, yyyy", "", "Thursday, February 29, 2024", "2024-02-29"},
		{"in another language", "", "dddd, 'den' d. MMMM yyyy", "de-DE", "Donnerstag, den 29. Februar 2024", "2024-02-29"},
		{"declined", "", "d MMMM yyyy", "ru-RU", "29 февраля 2024", "2024-02-29"},
		{"two digits", "", "M/d/yy", "", "2/29/24", "2024-02-29"},
		{"of the last century", "", "M/d/yy", "", "2/28/75", "1975-02-28"},
		{"with a time", "", "dd.MM.yyyy HH:mm", "de", "29.02.2024 13:45", "2024-02-29"},
		{"of a form without a format", "", "", "", "2024-02-29", "2024-02-29"},
		{"no such day", "", "d MMMM yyyy", "", "30 February 2024", "30 February 2024"},
		{"not by the format", "", "d/M/yyyy", "", "1st of May", "1st of May"},
		{"without a day", "", "MMMM yyyy", "", "May 2024", "May 2024"},
		{"damaged", ` w:fullDate="soon"`, "d/M/yyyy", "", "1/5/2024", "2024-05-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			properties := fmt.Sprintf(`<w:date%s><w:dateFormat w:val="%s"/><w:lid w:val="%s"/></w:date>`, c.attributes, c.format, c.language)
			found := open(t, document(t, body(p(sdt("agreementinput-d", properties, r(c.shown)))))).Fields()
			if found[0].Type != fields.Date || found[0].Text != c.want {
				t.Errorf("got %s %q, want %q", found[0].Type, found[0].Text, c.want)
			}
		})
	}
}

// TestDayNames reads every day of a year as it was written, in every language.
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
				text := formatDay(day, pattern, language)
				if got, ok := parseDay(strings.ToUpper(text), pattern, language); !ok || !got.Equal(day) {
					t.Fatalf("%s: %s is read as %v, %v", language, text, got, ok)
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
		if day, ok := parseDay(text, pattern, language); ok && day.Year() == 0 {
			t.Errorf("%q is read as %v", text, day)
		}
		formatDay(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), pattern, language)
	})
}
