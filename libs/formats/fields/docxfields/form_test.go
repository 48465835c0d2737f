package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
)

// legacy returns a legacy form field. It has a result unless result is empty.
func legacy(name, data, result string) string {
	mark := func(kind, inside string) string {
		return `<w:r><w:fldChar w:fldCharType="` + kind + `">` + inside + `</w:fldChar></w:r>`
	}
	s := mark("begin", `<w:ffData><w:name w:val="`+name+`"/>`+data+`</w:ffData>`) + `<w:r><w:instrText>FORM</w:instrText></w:r>`
	if result != "" {
		s += mark("separate", "") + `<w:r><w:t>` + result + `</w:t></w:r>`
	}
	return s + mark("end", "")
}

func TestFormFieldLabels(t *testing.T) {
	empty := strings.Repeat("\u2002", 5)
	cell := func(s string) string { return `<w:tc>` + p(s) + `</w:tc>` }
	for _, c := range []struct{ name, content, want string }{
		{"name assigned by Word", p(r("Name: ") + legacy("Text1", `<w:textInput/>`, empty)), "name Name "},
		{"own name", p(r("Name: ") + legacy("customer", `<w:textInput/>`, empty)), "text customer "},
		{"status text", p(r("Name: ") + legacy("Text1", `<w:statusText w:val="Your e-mail"/><w:textInput/>`, empty)), "email Your e-mail "},
		{"no text around", p(legacy("Text1", `<w:textInput/>`, empty)), "text Text1 "},
		{"labels in a block", p(r("Name:")+legacy("Text1", `<w:textInput/>`, empty)) + p(r("Date:")+legacy("Text2", `<w:textInput/>`, empty)), "name Name ; date Date "},
		{"adjacent cell", `<w:tbl><w:tr>` + cell(r("Date:")) + cell(legacy("Text1", `<w:textInput/>`, empty)) + `</w:tr></w:tbl>`, "date Date "},
		{"boxes in a line", p(legacy("Check1", `<w:checkBox/>`, "") + r(" Yes, please ") + legacy("Check2", `<w:checkBox/>`, "") + r(" No")), "checkbox Yes, please Yes, please; checkbox No No"},
		{"within a sentence", p(r("the sum of ") + legacy("Text1", `<w:textInput/>`, empty) + r(" € durch ") + legacy("Text2", `<w:textInput/>`, empty) + r(" and so on")), "text the sum of ; text € durch "},
		{"symbol after a box", p(legacy("Check1", `<w:checkBox/>`, "") + r(" -> ")), "checkbox Check1 Check1"},
		{"box alone", p(legacy("Check1", `<w:checkBox/>`, "")), "checkbox Check1 Check1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range open(t, document(t, body(c.content))).Fields() {
				option := ""
				for _, o := range f.Options {
					option += o.Display
				}
				got = append(got, string(f.Type)+" "+f.Label+" "+option)
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestFormFieldLimits checks that the length limit of a form field bounds its values. A
// type whose values are longer is text.
func TestFormFieldLimits(t *testing.T) {
	limited := func(name, limit, more string) string {
		return p(legacy(name, `<w:textInput>`+more+`<w:maxLength w:val="`+limit+`"/></w:textInput>`, "x"))
	}
	for _, c := range []struct {
		name, content string
		kind          fields.Type
		limit         int
	}{
		{"limit", limited("customer", "5", ""), fields.Text, 5},
		{"unlimited", limited("customer", "0", ""), fields.Text, 0},
		{"damaged", limited("customer", "-3", ""), fields.Text, 0},
		{"none", p(legacy("customer", `<w:textInput/>`, "x")), fields.Text, 0},
		{"room for the type", limited("E_mail", "30", ""), fields.Email, 30},
		{"too short for the type", limited("E_mail", "4", ""), fields.Text, 4},
		{"type of its own", limited("customer", "8", `<w:type w:val="date"/>`), fields.Date, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, document(t, body(c.content))).Fields()[0]
			limit := 0
			if f.Max != nil {
				limit = *f.Max
			}
			if f.Type != c.kind || limit != c.limit || f.Min != nil {
				t.Errorf("got %s with the limit %d, want %s with %d", f.Type, limit, c.kind, c.limit)
			}
		})
	}
}

// TestFormFieldFormats fills form fields that format their values, as Word does when a
// person leaves the field, and reads the values again.
func TestFormFieldFormats(t *testing.T) {
	german := `<w:styles ` + spaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`
	for _, c := range []struct{ kind, format, value, shown, again string }{
		{"date", "dd.MM.yyyy", "2026-03-09", "09.03.2026", "2026-03-09"},
		{"date", "d. MMMM yyyy", "2026-03-09", "9. März 2026", "2026-03-09"},
		{"date", "", "2026-03-09", "2026-03-09", "2026-03-09"},
		{"date", "MMMM yyyy", "2026-03-09", "März 2026", "März 2026"},
		{"date", "dd.MM.yyyy", "soon", "soon", "soon"},
		{"date", "dd.MM.yyyy", "", "", ""},
		{"", "dd.MM.yyyy", "2026-03-09", "2026-03-09", "2026-03-09"},
		{"number", "0", "1234", "1234", "1234"},
		{"number", "0.00", "5", "5.00", "5.00"},
		{"number", "0.00", ".5", "0.50", "0.50"},
		{"number", "0.00", "2.125", "2.125", "2.125"},
		{"number", "#,##0", "1234567", "1,234,567", "1,234,567"},
		{"number", "#,##0.00", "-1234.5", "-1,234.50", "-1,234.50"},
		{"number", "#.##0,00", "1234.5", "1.234,50", "1.234,50"},
		{"number", "0,00", "1234.5", "1234,50", "1234,50"},
		{"number", "$#,##0.00;($#,##0.00)", "1234.5", "$1,234.50", "$1,234.50"},
		{"number", "$#,##0.00;($#,##0.00)", "-1234.5", "($1,234.50)", "($1,234.50)"},
		{"number", "#.##0,00 €", "999", "999,00 €", "999,00 €"},
		{"number", "0.00%", "12.5", "12.50%", "12.50%"},
		{"number", "0%", "12", "12%", "12%"},
		{"number", "", "12", "12", "12"},
		{"number", "000-00", "12", "12", "12"},
		{"number", "0.00", "n/a", "n/a", "n/a"},
	} {
		t.Run(c.kind+" "+c.format+" "+c.value, func(t *testing.T) {
			data := `<w:textInput><w:type w:val="` + c.kind + `"/><w:format w:val="` + c.format + `"/></w:textInput>`
			file := document(t, body(p(legacy("customer", data, "old"))), entry{"word/styles.xml", prolog + german})
			id := open(t, file).Fields()[0].ID
			d := open(t, fill(t, file, map[string]fields.Filling{id: {Type: fields.Text, Text: c.value}}))
			if got := strings.TrimSpace(runs.Read(d.parts[0].tree.Root(), 10_000)); got != c.shown {
				t.Errorf("shows %q, want %q", got, c.shown)
			}
			if got := d.Fields()[0].Text; got != c.again {
				t.Errorf("holds %q, want %q", got, c.again)
			}
		})
	}
}

// TestFormFieldLanguage fills a date into a form field whose text has its own language.
func TestFormFieldLanguage(t *testing.T) {
	data := `<w:textInput><w:type w:val="date"/><w:format w:val="d MMMM yyyy"/></w:textInput>`
	field := strings.Replace(legacy("customer", data, "old"), "<w:r><w:t>", `<w:r><w:rPr><w:lang w:val="fr-FR"/></w:rPr><w:t>`, 1)
	file := document(t, body(p(field)))
	id := open(t, file).Fields()[0].ID
	d := open(t, fill(t, file, map[string]fields.Filling{id: {Type: fields.Date, Text: "2026-03-09"}}))
	if got := runs.Read(d.parts[0].tree.Root(), 10_000); got != "9 mars 2026" {
		t.Errorf("shows %q", got)
	}
}
