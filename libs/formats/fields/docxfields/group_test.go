package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
)

// TestGroupOfCheckboxes fills checkboxes within a control of their own field. The text
// next to them must not change.
func TestGroupOfCheckboxes(t *testing.T) {
	const id = "agreementinput-g"
	around := `{"fieldId":"` + id + `","fieldType":"CHECKBOXINPUT","displayLabel":"Pick"}`
	for _, suffixes := range [][2]string{{"-checkbox-1", "-checkbox-2"}, {"", ""}} {
		one, two := p(box(id+suffixes[0], "", true)+r(" yes of course")), p(box(id+suffixes[1], "", false)+r(" no"))
		file := document(t, body(sdt(around, "", p(r("Question?"))+one+two)))
		found := open(t, file).Fields()
		if len(found) != 1 || len(found[0].Options) != 2 || found[0].Label != "Pick" || found[0].Text != "" {
			t.Fatalf("found %+v", found)
		}
		got := fill(t, file, map[string]fields.Filling{id: {Type: fields.Checkbox, Selected: []string{"no"}}})
		text := runs.Read(open(t, got).parts[0].tree.Root(), 10_000)
		if want := "Question?\n☐ yes of course\n☒ no"; text != want {
			t.Errorf("shows %q, want %q", text, want)
		}
		got = fill(t, file, map[string]fields.Filling{id: {Type: fields.Checkbox}})
		text = runs.Read(open(t, got).parts[0].tree.Root(), 10_000)
		if want := "Question?\n☐ yes of course\n☐ no"; text != want {
			t.Errorf("after clearing: shows %q, want %q", text, want)
		}
	}
}

// TestCellEndsWithParagraph fills a control in a cell that contains a table with another
// field. Word does not open a file with a cell that ends with a table.
func TestCellEndsWithParagraph(t *testing.T) {
	table := func(s string) string { return `<w:tbl><w:tr><w:tc>` + s + `</w:tc></w:tr></w:tbl>` }
	inner := table(p(sdt("agreementinput-in", "", r("in"))))
	for name, content := range map[string]string{
		"control in a cell":        table(sdt("agreementinput-out", "", p(r("a"))+inner+p(r("b")))),
		"control of a cell":        `<w:tbl><w:tr>` + sdt("agreementinput-out", "", `<w:tc>`+p(r("a"))+inner+p(r("b"))+`</w:tc>`) + `</w:tr></w:tbl>`,
		"table and paragraph":      table(sdt("agreementinput-out", "", inner+p(r("b")))),
		"another control after it": table(sdt("agreementinput-out", "", p(r("a"))+inner+sdt("x", "", p(r("b"))))),
		"another field between":    table(sdt("agreementinput-out", "", p(r("a"))+sdt("agreementinput-mid", "", p(r("m"))+inner+p(r("x")))+p(r("b")))),
	} {
		t.Run(name, func(t *testing.T) {
			file := document(t, body(content))
			got := mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-out": text("NEW"), "agreementinput-in": text("IN")}))
			for _, end := range []string{`</w:tbl></w:tc>`, `</w:tbl></w:sdtContent></w:sdt></w:tc>`} {
				if strings.Contains(got, end) {
					t.Errorf("got %s", got)
				}
			}
			if strings.Count(got, "NEW") != 1 || strings.Count(got, ">IN<") != 1 || strings.Contains(got, ">b<") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestTablesStayApart fills a control that contains two tables with other fields. Without
// a paragraph between them, Word would merge them into one.
func TestTablesStayApart(t *testing.T) {
	table := func(id string) string {
		return `<w:tbl><w:tr><w:tc>` + p(sdt("agreementinput-"+id, "", r(id))) + `</w:tc></w:tr></w:tbl>`
	}
	file := document(t, body(sdt("agreementinput-out", "", p(r("a"))+table("one")+p(r("b"))+p(r("c"))+table("two")+p(r("d"))+p(r("e")))))
	want := sdt("agreementinput-out", "", p(`<w:r><w:t xml:space="preserve">NEW</w:t></w:r>`)+table("one")+"<w:p/>"+table("two")+"<w:p/>")
	if got := mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-out": text("NEW")})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestForeignBoxes ticks boxes in the text of a control, and checkbox controls without a
// tag.
func TestForeignBoxes(t *testing.T) {
	const id = "agreementinput-g"
	tag := `{"fieldId":"` + id + `","fieldType":"CHECKBOXINPUT"}`
	bare := `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="0"/><w14:checkedState w14:val="2611" w14:font="Segoe UI Symbol"/></w14:checkbox></w:sdtPr><w:sdtContent>` + r("☐") + `</w:sdtContent></w:sdt>`
	for _, c := range []struct{ name, content, options, pick, want string }{
		{"in a line", p(sdt(tag, "", r("☐ Accept terms"))), "Accept terms", "Accept terms", "☒ Accept terms"},
		{"several", p(sdt(tag, "", r("☐ One ☒ Two"))), "One|Two", "One", "☒ One ☐ Two"},
		{"paragraphs", sdt(tag, "", p(r("Which?"))+p(r("☐ One"))+p(r("☐ One"))), "One|One (2)", "One (2)", "Which?\n☐ One\n☒ One"},
		{"checkbox control in it", p(sdt(tag, "", bare+r(" One"))), "One", "One", "☑ One"},
		{"checkbox without a tag", p(bare + r(" One")), "One", "One", "☑ One"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			f := open(t, file).Fields()[0]
			var options []string
			for _, o := range f.Options {
				options = append(options, o.Display)
			}
			if got := strings.Join(options, "|"); got != c.options || f.Type != fields.Checkbox || f.Text != "" {
				t.Fatalf("options %q, want %q; %+v", got, c.options, f)
			}
			filled := fill(t, file, map[string]fields.Filling{f.ID: {Type: fields.Checkbox, Selected: []string{c.pick}}})
			d := open(t, filled)
			if got := runs.Read(d.parts[0].tree.Root(), 10_000); got != c.want {
				t.Errorf("shows %q, want %q", got, c.want)
			}
			if got := d.Fields()[0].Selected; len(got) != 1 || got[0] != c.pick {
				t.Errorf("selected %q", got)
			}
			if got := mainPart(t, filled); strings.Contains(got, `w14:checked w14:val="0"`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestBlanksInGroup finds the blanks next to the checkboxes of a group.
func TestBlanksInGroup(t *testing.T) {
	const id = "agreementinput-g"
	group := sdt(id, "<w:group/>", p(r("Question?"))+p(box(id+"-checkbox-1", "", false)+r(" yes"))+p(r("Name: ______ {{agreementinput-t}}")))
	file := document(t, body(group))
	values := map[string]fields.Filling{id: {Type: fields.Checkbox, Selected: []string{"yes"}}}
	for _, f := range open(t, file).Fields()[1:] {
		values[f.ID] = text("NEW")
	}
	if got, want := shownText(t, fill(t, file, values)), "Question?\n☒ yes\nName: NEW NEW"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
}
