package docxfields

import (
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestLabelsAround checks the labels of controls that define none.
func TestLabelsAround(t *testing.T) {
	const id = "agreementinput-a"
	c := sdt(id, "", r("x"))
	other := sdt("agreementinput-b", alias("B"), r("y"))
	check := `<w14:checkbox/>`
	row := func(cells ...string) string {
		s := `<w:tbl><w:tr>`
		for _, cell := range cells {
			s += cell
		}
		return s + `</w:tr></w:tbl>`
	}
	cell := func(s string) string { return `<w:tc>` + s + `</w:tc>` }
	for _, c := range []struct{ name, content, want string }{
		{"before", p(r("Name: ") + c), "Name"},
		{"before, without a colon", p(r("Name ") + c), "Name"},
		{"tab", p(r("Name:") + `<w:r><w:tab/></w:r>` + c), "Name"},
		{"after another control", p(r("Name: ") + other + r(" Date: ") + c), "Date"},
		{"in a sentence", p(r("This is the end. It is signed by ") + c + r(" today.")), "It is signed by"},
		{"in parentheses after it", p(c + r(" (name of the tenant)")), "name of the tenant"},
		{"cell", row(cell(p(r("Name"))), cell(p(c))), "Name"},
		{"block in a cell", row(cell(p(r("Name:"))), cell(sdt(id, "", p(r("x"))))), "Name"},
		{"control of a cell", row(cell(p(r("Name:"))), sdt(id, "", cell(p(r("x"))))), "Name"},
		{"in another control", sdt("agreementinput-b", alias("B"), p(r("Name: ")+c)), "Name"},
		{"block after a question", p(r("What is your name?")) + sdt(id, "", p(r("x"))), "What is your name?"},
		{"alias", p(r("Name: ") + sdt(id, alias("Title"), r("x"))), "Title"},
		{"from the tag", p(r("Name: ") + sdt(`{"fieldId":"`+id+`","displayLabel":"Label"}`, alias("Title"), r("x"))), "Label"},
		{"alone", p(r("A heading")) + p(c) + p(r("Signature")), ""},
		{"question of checkboxes", p(r("Do you agree? ") + sdt(id, check, r("☐")) + r(" Yes ") + sdt(id, check, r("☐")) + r(" No")), "Do you agree?"},
		{"question before checkboxes", p(r("Do you agree?")) + p(sdt(id, check, r("☐"))+r(" Yes")) + p(sdt(id, check, r("☐"))+r(" No")), "Do you agree?"},
		{"question in a group", sdt(id, "", p(r("Do you agree?"))+p(sdt(id, check, r("☐"))+r(" Yes"))), "Do you agree?"},
		{"question of drawn boxes", sdt(`{"fieldId":"`+id+`","fieldType":"CHECKBOXINPUT"}`, "", p(r("Do you agree?"))+p(r("☐ Yes"))), "Do you agree?"},
		{"text before a checkbox", p(r("I agree ") + sdt(id, check, r("☐"))), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range open(t, document(t, body(c.content))).Fields() {
				if f.ID == id && f.Label != c.want {
					t.Errorf("the %s has the label %q, want %q", f.Type, f.Label, c.want)
				}
			}
		})
	}
	found := open(t, document(t, body(p(r("Name: {{agreementinput-t}}"))))).Fields()
	if len(found) != 1 || found[0].Source != fields.TextTag {
		t.Errorf("found %+v", found)
	}
}
