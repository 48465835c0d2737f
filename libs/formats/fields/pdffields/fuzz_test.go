package pdffields_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// FuzzFind checks that the fields of any text, drawing and script have IDs of their own and
// places on the page, and that they can be filled.
func FuzzFind(f *testing.F) {
	f.Add("Name: ____\n\nBy:        Date: [date]\n# A  # B\n[Full legal\nname]", uint16(0x1203), `AFDate_FormatEx("mm/dd/yyyy")`)
	f.Add("{{agreementinput-a;type=date}} ☐\n{{agreementinput-b", uint16(0xffff), "AFSpecial_Format(3)")
	f.Add("\n\n\nJane\xff Doe:", uint16(0x0102), "")
	f.Fuzz(func(t *testing.T, text string, place uint16, script string) {
		if len(text) > 4000 {
			return
		}
		m := &maker{}
		m.page(strings.Split(text, "\n")...)
		row, column := int(place>>12), int(place>>6&63)
		m.rule(row, column, int(place&63)+1)
		m.square(row+1, column)
		m.widget(row+2, column, 3, pdf.Field{Name: "a", Type: pdf.Text, Value: text[:min(len(text), 20)], Details: form.Details{Format: script}})
		found := pdffields.Find(m.file())
		values := map[string]fields.Filling{}
		for _, x := range found {
			if _, again := values[x.ID]; again || !fields.ValidID(x.ID) || len(x.Places) == 0 {
				t.Fatalf("got %+v", x)
			}
			values[x.ID] = fields.Filling{Type: x.Type, Text: "2024-02-29"}
		}
		if _, _, err := pdffields.Order(found, values); err != nil {
			t.Fatal(err)
		}
	})
}
