package docxfields

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// box returns a checkbox control.
func box(tag, properties string, ticked bool) string {
	checked, glyph := "0", "☐"
	if ticked {
		checked, glyph = "1", "☒"
	}
	return sdt(tag, properties+`<w14:checkbox><w14:checked w14:val="`+checked+`"/></w14:checkbox>`, r(glyph))
}

func alias(s string) string { return `<w:alias w:val="` + s + `"/>` }

func TestCheckboxOptions(t *testing.T) {
	const id = "agreementinput-c"
	cell := func(s string) string { return `<w:tc>` + s + `</w:tc>` }
	for _, c := range []struct{ name, content, options, selected, label string }{
		{"aliases", p(box(id, alias("A"), true) + r(" x ") + box(id, alias("B"), false)), "A|B", "A", ""},
		{"text after the box", p(box(id, "", false) + r(" Yes, ") + box(id, "", true) + r("  No thanks")), "Yes|No thanks", "No thanks", ""},
		{"text before the box", p(r("Do you agree? Yes ") + box(id, "", false) + r(" No ") + box(id, "", true)), "Yes|No", "No", "Do you agree?"},
		{"paragraphs", p(box(id, "", false)+r("One")) + p(box(id, "", false)+r("Two")), "One|Two", "", ""},
		{"repeated", p(box(id, alias("A"), false) + box(id, alias("A"), true)), "A|A (2)", "A (2)", "A"},
		{"one title for all", p(box(id, alias("Q"), false) + r("Yes") + box(id, alias("Q"), true) + r("No")), "Yes|No", "No", "Q"},
		{"suffixes", p(box(id+"-checkbox-one", "", false) + box(id+"-checkbox-two", "", true)), "one|two", "two", ""},
		{"suffixes and text", p(box(id+"-checkbox-1", "", false) + r("One") + box(id+"-checkbox-2", "", true) + r("Two")), "One|Two", "Two", ""},
		{"next cell", `<w:tbl><w:tr>` + cell(p(box(id, "", false))) + cell(p(r("Cash"))) + `</w:tr><w:tr>` + cell(p(box(id, "", true))) + cell(p(r("Card"))) + `</w:tr></w:tbl>`, "Cash|Card", "Card", ""},
		{"control of a cell", `<w:tbl><w:tr>` + sdt(id, `<w14:checkbox/>`, cell(p(r("☐")))) + cell(p(r("Cash"))) + `</w:tr></w:tbl>`, "Cash", "", ""},
		{"control of a paragraph", sdt(id, `<w14:checkbox/>`, p(r("☐"))) + p(r("Agreed")), "Agreed", "", ""},
		{"nothing", p(box(id, "", true)), "Yes", "Yes", ""},
		{"label of the tag", p(box(`{"fieldId":"agreementinput-c","displayLabel":"Pay"}`, "", true)), "Pay", "Pay", "Pay"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := open(t, document(t, body(c.content))).Fields()
			if len(found) != 1 || found[0].ID != id || found[0].Type != fields.Checkbox {
				t.Fatalf("got %+v", found)
			}
			var options []string
			for _, o := range found[0].Options {
				options = append(options, o.Display)
			}
			if got := strings.Join(options, "|"); got != c.options {
				t.Errorf("options %q, want %q", got, c.options)
			}
			if got := strings.Join(found[0].Selected, "|"); got != c.selected || found[0].Label != c.label || found[0].Text != "" {
				t.Errorf("selected %q, want %q; label %q, want %q; text %q", got, c.selected, found[0].Label, c.label, found[0].Text)
			}
		})
	}
}

func TestFillCheckbox(t *testing.T) {
	const states = `<w14:checkedState w14:val="2714" w14:font="Segoe UI Symbol"/><w14:uncheckedState w14:val="2610" w14:font="MS Gothic"/>`
	fonts := func(name string) string {
		return `<w:rFonts w:ascii="` + name + `" w:eastAsia="` + name + `" w:hAnsi="` + name + `" w:hint="eastAsia"/>`
	}
	glyph := func(font, c string) string {
		return `<w:r><w:rPr>` + fonts(font) + `<w:sz w:val="40"/></w:rPr><w:t xml:space="preserve">` + c + `</w:t></w:r>`
	}
	old := `<w:r><w:rPr><w:rFonts w:ascii="MS Gothic" w:hint="eastAsia"/><w:sz w:val="40"/></w:rPr><w:t>☐</w:t></w:r>`
	for _, c := range []struct{ name, checkbox, tick, want, content string }{
		{"ticked", `<w14:checkbox><w14:checked w14:val="0"/>` + states + `</w14:checkbox>`, "A", `<w14:checkbox><w14:checked w14:val="1"/>` + states + `</w14:checkbox>`, glyph("Segoe UI Symbol", "✔")},
		{"cleared", `<w14:checkbox><w14:checked w14:val="1"/>` + states + `</w14:checkbox>`, "", `<w14:checkbox><w14:checked w14:val="0"/>` + states + `</w14:checkbox>`, glyph("MS Gothic", "☐")},
		{"without properties", `<w14:checkbox/>`, "A", `<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>`, glyph("MS Gothic", "☒")},
		{"symbol font", `<w14:checkbox><w14:checkedState w14:val="00FE" w14:font="Wingdings"/></w14:checkbox>`, "A", `<w14:checkbox><w14:checked w14:val="1"/><w14:checkedState w14:val="00FE" w14:font="Wingdings"/></w14:checkbox>`,
			`<w:r><w:rPr><w:rFonts w:ascii="MS Gothic" w:hint="eastAsia"/><w:sz w:val="40"/></w:rPr><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fields.Filling{Type: fields.Checkbox}
			if c.tick != "" {
				f.Selected = []string{c.tick}
			}
			got := mainPart(t, fill(t, document(t, body(p(sdt("agreementinput-c", alias("A")+c.checkbox, old)))), map[string]fields.Filling{"agreementinput-c": f}))
			if want := p(sdt("agreementinput-c", alias("A")+c.want, c.content)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestFillCheckboxes fills one field of several checkboxes by the names of its options.
func TestFillCheckboxes(t *testing.T) {
	file := document(t, body(p(box("agreementinput-c", "", true)+r("A")+box("agreementinput-c", "", false)+r("B")+box("agreementinput-c", "", false)+r("C"))))
	file = fill(t, file, map[string]fields.Filling{"agreementinput-c": {Type: fields.Checkbox, Selected: []string{"C", "B"}}})
	if got := open(t, file).Fields()[0].Selected; !slices.Equal(got, []string{"B", "C"}) {
		t.Errorf("selected %q", got)
	}
}

func TestFillLists(t *testing.T) {
	const items = `<w:listItem w:displayText="One" w:value="1"/><w:listItem w:displayText="Two" w:value="2"/>`
	for _, c := range []struct{ name, before, after, shown, value, want string }{
		{"item", `<w:dropDownList>` + items + `</w:dropDownList>`, `<w:dropDownList w:lastValue="2">` + items + `</w:dropDownList>`, "Two", "2", "Two"},
		{"value", `<w:dropDownList w:lastValue="1">` + items + `</w:dropDownList>`, `<w:dropDownList w:lastValue="2">` + items + `</w:dropDownList>`, "2", "2", "Two"},
		{"cleared", `<w:dropDownList w:lastValue="1">` + items + `</w:dropDownList>`, `<w:dropDownList>` + items + `</w:dropDownList>`, "", "", ""},
		{"text of its own", `<w:comboBox w:lastValue="1">` + items + `</w:comboBox>`, `<w:comboBox>` + items + `</w:comboBox>`, "Three", "", "Three"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(p(sdt("agreementinput-l", c.before, r("One")))))
			file = fill(t, file, map[string]fields.Filling{"agreementinput-l": {Type: fields.Dropdown, Text: c.shown, Value: c.value}})
			if got := mainPart(t, file); !strings.Contains(got, c.after) {
				t.Errorf("got %s", got)
			}
			if got := open(t, file).Fields()[0].Text; got != c.want {
				t.Errorf("shows %q, want %q", got, c.want)
			}
		})
	}
}

func TestFillDate(t *testing.T) {
	for _, c := range []struct{ format, language, calendar, want string }{
		{"d/M/yy", "", "", "5/3/26"}, {"dd.MM.yyyy", "de-DE", "", "05.03.2026"}, {"dddd, MMMM d, yyyy", "en-US", "", "Thursday, March 5, 2026"},
		{"ddd d MMM", "en-GB", "gregorian", "Thu 5 Mar"}, {"d. MMMM yyyy", "de-AT", "", "5. März 2026"}, {"d 'de' MMMM 'de' yyyy", "es-ES", "", "5 de marzo de 2026"},
		{"dddd d MMMM yyyy", "fr-FR", "", "jeudi 5 mars 2026"}, {"MMMM d", "ja-JP", "", "2026-03-05"}, {"yyyy/MM/dd", "ja-JP", "", "2026/03/05"},
		{"", "", "", "2026-03-05"}, {"d MMMM yyyy", "", "hijri", "2026-03-05"}, {"d MMMM", "pl-PL", "", "5 marca"}, {"MMMM yyyy", "pl-PL", "", "marzec 2026"}, {"ddd d MMM", "fr-FR", "", "jeu. 5 mars"}, {"dddd d. MMMM yyyy", "nb-NO", "", "torsdag 5. mars 2026"},
		{"d MMMM yyyy 'г.'", "ru-RU", "", "5 марта 2026 г."}, {"d. MMMM yyyy", "cs-CZ", "", "5. března 2026"}, {"d. MMMM yyyy", "fi-FI", "", "5. maaliskuuta 2026"}, {"ddd d MMM", "sv-SE", "", "tors 5 mars"}, {"ddd d. MMM", "da-DK", "", "tors. 5. mar."},
		{"M/d/yyyy h:mm am/pm", "", "", "3/5/2026 12:00 AM"}, {"yyyy-MM-dd HH:mm:ss", "ja-JP", "", "2026-03-05 00:00:00"}, {"yyyy年M月d日", "ja-JP", "", "2026年3月5日"}, {"dd/mm/yyyy", "", "", "2026-03-05"}, {"MMM d", "nl-NL", "", "mrt 5"}, {"h:mm", "", "", "12:00"}, {"d 'unfinished", "", "", "5 unfinished"}, {"dddd d", "nl-NL", "", "donderdag 5"}, {"MMM", "de", "", "Mär"},
		{"d MMMM", "pt-BR", "", "5 março"}, {"d MMMM", "it-IT", "", "5 marzo"},
	} {
		t.Run(c.format+c.language, func(t *testing.T) {
			properties := fmt.Sprintf(`<w:date w:fullDate="2020-01-01T00:00:00Z"><w:dateFormat w:val="%s"/><w:lid w:val="%s"/><w:calendar w:val="%s"/></w:date>`, c.format, c.language, c.calendar)
			file := document(t, body(p(sdt("agreementinput-d", properties, r("old")))))
			filled := fill(t, file, map[string]fields.Filling{"agreementinput-d": {Type: fields.Date, Text: "2026-03-05"}})
			d := open(t, filled)
			if got := d.Fields()[0].Text; got != "2026-03-05" {
				t.Errorf("holds %q", got)
			}
			if got := runs.Read(d.parts[0].tree.Root(), 10_000); got != c.want {
				t.Errorf("shows %q, want %q", got, c.want)
			}
			if got := mainPart(t, filled); !strings.Contains(got, `<w:date w:fullDate="2026-03-05T00:00:00Z">`) {
				t.Errorf("got %s", got)
			}
			cleared := fill(t, file, map[string]fields.Filling{"agreementinput-d": {Type: fields.Date}})
			if got := mainPart(t, cleared); !strings.Contains(got, `<w:date><w:dateFormat`) {
				t.Errorf("cleared to %s", got)
			}
		})
	}
	file := document(t, body(p(sdt("agreementinput-d", "", r("old")))))
	file = fill(t, file, map[string]fields.Filling{"agreementinput-d": {Type: fields.Date, Text: "2026-03-05"}})
	if got := open(t, file).Fields()[0].Text; got != "2026-03-05" {
		t.Errorf("a text control shows %q", got)
	}
}

// TestPlaces fills content controls in every kind of part and place.
func TestPlaces(t *testing.T) {
	field := func(id string) string { return p(sdt("agreementinput-"+id, "", r("old"))) }
	story := func(root, content string) string {
		return prolog + `<w:` + root + ` ` + spaces + `>` + content + `</w:` + root + `>`
	}
	content := body(field("body") + `<w:tbl><w:tr><w:tc>` + field("cell") + `</w:tc></w:tr></w:tbl>` + inTextBox(field("box")+p(box("agreementinput-tick", "", false)+r("Tick"))) +
		p(`<w:hyperlink>`+sdt("agreementinput-link", "", r("old"))+`</w:hyperlink><w:ins w:id="1">`+sdt("agreementinput-ins", "", r("old"))+`</w:ins>`) + field("body"))
	file := document(t, content,
		entry{"word/footer1.xml", story("ftr", field("footer"))}, entry{"word/header1.xml", story("hdr", field("header"))},
		entry{"word/footnotes.xml", story("footnotes", `<w:footnote w:id="1">`+field("footnote")+`</w:footnote>`)},
		entry{"word/endnotes.xml", story("endnotes", `<w:endnote w:id="1">`+field("endnote")+`</w:endnote>`)},
		entry{"word/styles.xml", story("styles", "")})
	values := map[string]fields.Filling{}
	var ids []string
	for _, f := range open(t, file).Fields() {
		ids = append(ids, strings.TrimPrefix(f.ID, "agreementinput-"))
		values[f.ID] = text("<" + f.ID + ">")
	}
	if want := []string{"body", "cell", "box", "tick", "link", "ins", "header", "footer", "footnote", "endnote"}; !slices.Equal(ids, want) {
		t.Fatalf("fields %q, want %q", ids, want)
	}
	values["agreementinput-tick"] = fields.Filling{Type: fields.Checkbox, Selected: []string{"Tick"}}
	filled := fill(t, file, values)
	all := parts(t, filled)
	for _, c := range []struct {
		part, id string
		count    int
	}{{"document", "body", 2}, {"document", "cell", 1}, {"document", "box", 2}, {"document", "link", 1}, {"document", "ins", 1}, {"header1", "header", 1}, {"footer1", "footer", 1}, {"footnotes", "footnote", 1}, {"endnotes", "endnote", 1}} {
		if got := strings.Count(all["word/"+c.part+".xml"], "&lt;agreementinput-"+c.id+"&gt;"); got != c.count {
			t.Errorf("%s shows the value of %s %d times, want %d", c.part, c.id, got, c.count)
		}
	}
	if got := strings.Count(all["word/document.xml"], "☒"); got != 2 {
		t.Errorf("%d boxes are ticked, want 2", got)
	}
	if options := open(t, filled).Fields()[3].Options; len(options) != 1 {
		t.Errorf("the twins have the options %v", options)
	}
}

// TestNested fills a control that contains others, which stay as they are.
func TestNested(t *testing.T) {
	inner := sdt("agreementinput-in", "", r("inner"))
	for _, c := range []struct{ name, content, want string }{
		{"inline", p(sdt("agreementinput-out", "", r("a")+inner+r("b"))), p(sdt("agreementinput-out", "", r("NEW")+inner))},
		{"block", sdt("agreementinput-out", "", p(r("a"))+p(inner+r("c"))+p(r("b"))), sdt("agreementinput-out", "", p(r("NEW"))+p(inner))},
		{"block in block", sdt("agreementinput-out", "", p(r("a"))+sdt("agreementinput-in", "", p(r("inner")))), sdt("agreementinput-out", "", p(r("NEW"))+sdt("agreementinput-in", "", p(r("inner"))))},
		{"controls without a field are removed", p(sdt("agreementinput-out", "", sdt("x", "", r("x"))) + inner), p(sdt("agreementinput-out", "", r("NEW")) + inner)},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			preserve := func(s string) string { return strings.ReplaceAll(s, `<w:t>NEW`, `<w:t xml:space="preserve">NEW`) }
			got := mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-out": text("NEW")}))
			if want := preserve(c.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			got = mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-out": text("NEW"), "agreementinput-in": text("NEW inner")}))
			if want := strings.ReplaceAll(preserve(c.want), `<w:t>inner`, `<w:t xml:space="preserve">NEW inner`); got != want {
				t.Errorf("both: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestNamespaces fills documents with other namespace prefixes.
func TestNamespaces(t *testing.T) {
	for name, content := range map[string]string{
		"another prefix":        strings.NewReplacer("<w:", "<x:", "</w:", "</x:", " w:", " x:", "xmlns:w=", "xmlns:x=").Replace(body(p(sdt("agreementinput-a", placeholder, prompt)))),
		"strict":                strings.ReplaceAll(body(p(sdt("agreementinput-a", placeholder, prompt))), wml.Space, wml.SpaceStrict),
		"the default namespace": strings.NewReplacer("<w:", "<", "</w:", "</", "xmlns:w=", `xmlns="`+wml.Space+`" xmlns:w=`).Replace(body(p(sdt("agreementinput-a", placeholder, prompt)))),
	} {
		t.Run(name, func(t *testing.T) {
			file := document(t, content)
			if got := open(t, file).Fields()[0].XMLPath; got != "word/document.xml#/w:document[1]/w:body[1]/w:p[1]/w:sdt[1]" {
				t.Errorf("path %s", got)
			}
			file = fill(t, file, map[string]fields.Filling{"agreementinput-a": text("new")})
			if got := open(t, file).Fields()[0].Text; got != "new" {
				t.Errorf("shows %q", got)
			}
		})
	}
	// An sdt element in another namespace is not a content control.
	other := `<w:document xmlns:w="urn:other"><w:body>` + sdt("agreementinput-a", "", "") + `</w:body></w:document>`
	if got := open(t, document(t, other)).Fields(); len(got) != 0 {
		t.Errorf("fields %v", got)
	}
}
