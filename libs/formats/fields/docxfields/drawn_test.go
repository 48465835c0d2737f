package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
)

// shownText returns the text of the main part.
func shownText(t *testing.T, file []byte) string {
	t.Helper()
	return runs.Read(open(t, file).parts[0].tree.Root(), 10_000)
}

// optionsOf formats the options of a field, and which are selected.
func optionsOf(f fields.Field) string {
	var all []string
	for _, o := range f.Options {
		all = append(all, o.Display)
	}
	return strings.Join(all, "|") + " = " + strings.Join(f.Selected, "|")
}

// TestDrawnBoxes ticks boxes in the text of text controls. The text itself must not
// change.
func TestDrawnBoxes(t *testing.T) {
	const id = "agreementinput-g"
	const typed = `{"fieldId":"` + id + `","fieldType":"CHECKBOXINPUT","displayLabel":"Pick"}`
	const declared = `{"fieldId":"` + id + `","fieldType":"CHECKBOXINPUT","options":["One","Two"]}`
	checkbox := `<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>`
	wingdings := `<w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>`
	for _, c := range []struct{ name, content, options, tick, ticked, cleared string }{
		{"paragraphs", sdt(typed, "", p(r("Question?"))+p(r("☐ yes of course"))+p(r("☒ no"))), "yes of course|no = no", "yes of course", "Question?\n☒ yes of course\n☐ no", "Question?\n☐ yes of course\n☐ no"},
		{"brackets", sdt(typed, "", p(r("Question?"))+p(r("[ ] yes"))+p(r("[x] no"))), "yes|no = no", "yes", "Question?\n[X] yes\n[ ] no", "Question?\n[ ] yes\n[ ] no"},
		{"in a line", p(sdt(typed, "", r("Do you? ☐ yes ")+r("☐ no"))), "yes|no = ", "no", "Do you? ☐ yes ☒ no", "Do you? ☐ yes ☐ no"},
		{"equal texts", p(sdt(typed, "", r("☐ A ☐ A"))), "A|A (2) = ", "A (2)", "☐ A ☒ A", "☐ A ☐ A"},
		{"rows", `<w:tbl>` + sdt(typed, "", `<w:tr><w:tc>`+p(r("☐"))+`</w:tc><w:tc>`+p(r("One"))+`</w:tc></w:tr><w:tr><w:tc>`+p(r("☐"))+`</w:tc><w:tc>`+p(r("Two"))+`</w:tc></w:tr>`) + `</w:tbl><w:p/>`, "One|Two = ", "Two", "☐\tOne\n☒\tTwo", "☐\tOne\n☐\tTwo"},
		{"cell", `<w:tbl><w:tr>` + sdt(typed, "", `<w:tc>`+p(r("☐ One"))+p(r("☐ Two"))+`</w:tc>`) + `</w:tr></w:tbl><w:p/>`, "One|Two = ", "Two", "☐ One\n☒ Two", "☐ One\n☐ Two"},
		{"symbols", p(sdt(typed, "", wingdings+r(" yes"))), "yes = ", "yes", "☒ yes", "☐ yes"},
		{"placeholder", p(sdt(typed, placeholder, prompt) + r(" I agree")), "I agree = ", "I agree", "☒ I agree", "☐ I agree"},
		{"empty", p(sdt(typed, "", "")), "Pick = ", "Pick", "☒", "☐"},
		{"empty, in a block", sdt(`{"fieldId":"`+id+`","fieldType":"checkbox"}`, "", "<w:p/>"), "Yes = ", "Yes", "☒", "☐"},
		{"only one box", p(r("Before ") + sdt(typed, "", r("☐")) + r(" I agree")), "I agree = ", "I agree", "Before ☒ I agree", "Before ☐ I agree"},
		{"only text", p(sdt(typed, "", r("I agree"))), "I agree = ", "I agree", "☒ I agree", "☐ I agree"},
		{"an x", p(sdt(typed, "", r("x")) + r(" I agree")), "I agree = I agree", "I agree", "☒ I agree", "☐ I agree"},
		{"several boxes", p(sdt(id+"-checkbox-1", "", r("☐")) + r(" one ") + sdt(id+"-checkbox-2", "", r("☒")) + r(" two")), "one|two = two", "one", "☒ one ☐ two", "☐ one ☐ two"},
		{"several boxes with texts", p(sdt(id+"-checkbox-1", "", r("☐ one"))) + p(sdt(id+"-checkbox-2", "", r("☐ two"))), "one|two = ", "two", "☐ one\n☒ two", "☐ one\n☐ two"},
		{"contains boxes", sdt(typed, "", p(r("Question?"))+p(sdt(id+"-checkbox-1", "", r("☐"))+r(" one"))), "one = ", "one", "Question?\n☒ one", "Question?\n☐ one"},
		{"contains untagged boxes", sdt(typed, "", p(r("Question?"))+p(sdt("", checkbox, r("☐"))+r(" one"))+p(sdt("", checkbox, r("☐"))+r(" two"))), "one|two = ", "two", "Question?\n☐ one\n☒ two", "Question?\n☐ one\n☐ two"},
		{"contains boxes with its ID, without a type", sdt(id, "", p(r("Question?"))+p(sdt(id, checkbox, r("☐"))+r(" one"))), "one = ", "one", "Question?\n☒ one", "Question?\n☐ one"},
		{"in a checkbox", p(sdt(id, checkbox, r("☐ Inline text"))), "Inline text = ", "Inline text", "☒ Inline text", "☐ Inline text"},
		{"after the text of a checkbox", p(sdt(id, checkbox, r("Inline text ☐"))), "Inline text = ", "Inline text", "Inline text ☒", "Inline text ☐"},
		{"in two runs of a checkbox", p(sdt(id, checkbox, r("☐")+bold)), "old = ", "old", "☒old", "☐old"},
		{"brackets in a checkbox", p(sdt(id, checkbox, r("[ ] Text"))), "Text = ", "Text", "☒ Text", "☐ Text"},
		{"a symbol in a checkbox", p(sdt(id, checkbox, wingdings+r(" Text"))), "Text = ", "Text", "☒ Text", "☐ Text"},
		{"text in a checkbox", p(sdt(id, checkbox, r("Text"))), "Text = ", "Text", "☒ Text", "☐ Text"},
		{"declared", p(sdt(declared, "", r("☐ One ☒ Two"))), "One|Two = Two", "One", "☒ One ☐ Two", "☐ One ☐ Two"},
		{"declared with other texts", p(sdt(declared, "", r("☐ 1 ☒ 2"))), "One|Two = Two", "One", "☒ 1 ☐ 2", "☐ 1 ☐ 2"},
		{"declared twice", p(sdt(declared, "", r("☐ One ☐ Two"))) + p(sdt(declared, "", r("☐ One ☐ Two"))), "One|Two = ", "One", "☒ One ☐ Two\n☒ One ☐ Two", "☐ One ☐ Two\n☐ One ☐ Two"},
		{"declared with fewer boxes", p(sdt(declared, "", r("☐ One"))), "One|Two = ", "Two", "Two", ""},
		{"declared without boxes", p(sdt(declared, "", r("Two"))), "One|Two = Two", "One", "One", ""},
		{"declared checkboxes", p(sdt(declared, checkbox, r("☐")) + r(" One ") + sdt(declared, checkbox, r("☐")) + r(" Two")), "One|Two = ", "Two", "☐ One ☒ Two", "☐ One ☐ Two"},
		{"declared checkboxes without texts", p(sdt(declared, checkbox, r("☐")) + sdt(declared, checkbox, r("☐"))), "One|Two = ", "Two", "☐☒", "☐☐"},
		{"placeholder in a checkbox", p(sdt(id, checkbox+placeholder, prompt) + r(" Text")), "Text = ", "Text", "☒ Text", "☐ Text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			found := open(t, file).Fields()
			if len(found) != 1 || found[0].Type != fields.Checkbox || optionsOf(found[0]) != c.options || found[0].Text != "" {
				t.Fatalf("found %+v, want the options %s", found, c.options)
			}
			filled := fill(t, file, map[string]fields.Filling{id: {Type: fields.Checkbox, Selected: []string{c.tick}}})
			if got := shownText(t, filled); got != c.ticked {
				t.Errorf("shows %q, want %q", got, c.ticked)
			}
			if again := open(t, filled).Fields()[0]; strings.Join(again.Selected, "|") != c.tick {
				t.Errorf("after filling: options %s", optionsOf(again))
			}
			for _, before := range [][]byte{file, filled} {
				cleared := fill(t, before, map[string]fields.Filling{id: {Type: fields.Checkbox}})
				if got := shownText(t, cleared); got != c.cleared {
					t.Errorf("after clearing: shows %q, want %q", got, c.cleared)
				}
			}
		})
	}
}

// TestNoDrawnBoxes checks that text with a box somewhere in it is text.
func TestNoDrawnBoxes(t *testing.T) {
	for _, content := range []string{"See the box ☐ below.", "☐ one\nThis is what it means.", "A question\nand more of it ☐"} {
		var blocks strings.Builder
		for line := range strings.SplitSeq(content, "\n") {
			blocks.WriteString(p(r(line)))
		}
		found := open(t, document(t, body(sdt("agreementinput-t", "", blocks.String())))).Fields()
		if len(found) != 1 || found[0].Type != fields.Text || found[0].Text != content {
			t.Errorf("%q: found %+v", content, found)
		}
	}
}

// TestOptionsOfRegistry fills a control with options for which the file has no boxes, and
// checks that it distinguishes them from boxes.
func TestOptionsOfRegistry(t *testing.T) {
	const id = "agreementinput-g"
	for before, boxes := range map[string]bool{"old": false, "": false, "yes": false, "☐ A ☐ C": true, "☐": true} {
		file := document(t, body(p(sdt(`{"fieldId":"`+id+`","fieldType":"CHECKBOXINPUT"}`, "", r(before)))))
		if f := open(t, file).Fields()[0]; f.Boxes != boxes {
			t.Errorf("%q: found %+v", before, f)
		}
		for want, selected := range map[string][]string{"A, B": {"A", "B"}, "": nil} {
			got := shownText(t, fill(t, file, map[string]fields.Filling{id: {Type: fields.Checkbox, Selected: selected, Written: true}}))
			if got != want {
				t.Errorf("%q becomes %q, want %q", before, got, want)
			}
		}
	}
}

// TestListWithoutOptions checks that a drop-down list without options becomes a text
// field.
func TestListWithoutOptions(t *testing.T) {
	const id = "agreementinput-l"
	list := `<w:dropDownList><w:listItem w:displayText="One" w:value="1"/></w:dropDownList>`
	for _, c := range []struct {
		name, content string
		want          fields.Type
		options       string
	}{
		{"text", p(sdt(id, `<w:fieldType w:val="SELECT"/>`, r("x"))), fields.Text, " = "},
		{"an empty list", p(sdt(id, `<w:dropDownList/>`, r("x"))), fields.Text, " = "},
		{"an empty combo box", p(sdt(id, `<w:comboBox/>`, r("x"))), fields.Text, " = "},
		{"options in the tag", p(sdt(`{"fieldId":"`+id+`","fieldType":"SELECT","options":["A","B",1,"A"]}`, "", r("x"))), fields.Dropdown, "A|B = "},
		{"options in the tag as one string", p(sdt(`{"fieldId":"`+id+`","fieldType":"SELECT","options":"A| B "}`, "", r("x"))), fields.Dropdown, "A|B = "},
		{"options of another place", p(sdt(id, `<w:fieldType w:val="SELECT"/>`, r("x"))) + p(sdt(id, list, r("x"))), fields.Dropdown, "One = "},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			found := open(t, file).Fields()
			if len(found) != 1 || found[0].Type != c.want || optionsOf(found[0]) != c.options {
				t.Fatalf("found %+v", found)
			}
			got := shownText(t, fill(t, file, map[string]fields.Filling{id: {Type: fields.Dropdown, Text: "A", Value: "A"}}))
			if !strings.HasPrefix(got, "A") {
				t.Errorf("shows %q", got)
			}
		})
	}
}
