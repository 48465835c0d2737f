package docxfields

import (
	"fmt"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestValueOfDate checks the value of a date control against its properties and its text.
func TestValueOfDate(t *testing.T) {
	for _, c := range []struct{ name, attributes, format, language, shown, want string }{
		{"from the properties", ` w:fullDate="2024-02-29T00:00:00Z"`, "d MMMM yyyy", "", "29 February 2024", "2024-02-29"},
		{"emptied by hand", ` w:fullDate="2024-02-29T00:00:00Z"`, "d MMMM yyyy", "", " ", ""},
		{"parsed with the format", "", "d MMMM yyyy", "en-GB", "29 february 2024", "2024-02-29"},
		{"with the day of the week", "", "dddd, MMMM d, yyyy", "", "Thursday, February 29, 2024", "2024-02-29"},
		{"in another language", "", "dddd, 'den' d. MMMM yyyy", "de-DE", "Donnerstag, den 29. Februar 2024", "2024-02-29"},
		{"declined", "", "d MMMM yyyy", "ru-RU", "29 февраля 2024", "2024-02-29"},
		{"two digits", "", "M/d/yy", "", "2/29/24", "2024-02-29"},
		{"of the last century", "", "M/d/yy", "", "2/28/75", "1975-02-28"},
		{"with a time", "", "dd.MM.yyyy HH:mm", "de", "29.02.2024 13:45", "2024-02-29"},
		{"no format", "", "", "", "2024-02-29", "2024-02-29"},
		{"no such day", "", "d MMMM yyyy", "", "30 February 2024", "30 February 2024"},
		{"another format", "", "d/M/yyyy", "", "1st of May", "1st of May"},
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
