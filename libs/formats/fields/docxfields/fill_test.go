package docxfields

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

const (
	placeholder = `<w:showingPlcHdr/>`
	prompt      = `<w:r><w:rPr><w:rStyle w:val="PlaceholderText"/><w:sz w:val="30"/></w:rPr><w:t>Click here</w:t></w:r>`
	bold        = `<w:r><w:rPr><w:b/></w:rPr><w:t>old</w:t></w:r>`
)

// TestFillText compares the filled content with what Word writes.
func TestFillText(t *testing.T) {
	const v = `<w:t xml:space="preserve">`
	for _, c := range []struct{ name, properties, before, value, want, around string }{
		{"inline", "", r("old"), "new", `<w:r>` + v + `new</w:t></w:r>`, "p"},
		{"inline keeps the format of the first run", "", bold + r(" and more"), "new", `<w:r><w:rPr><w:b/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"inline lines and tabs", "", r("old"), "a\tb\nc", `<w:r>` + v + `a</w:t><w:tab/>` + v + `b</w:t><w:br/>` + v + `c</w:t></w:r>`, "p"},
		{"spaces and markup", "", r("old"), " <a> & ]]> ", `<w:r>` + v + ` &lt;a&gt; &amp; ]]&gt; </w:t></w:r>`, "p"},
		{"illegal characters", "", r("old"), "a\x00\x1f\uFFFEb\r\nc\xff", `<w:r>` + v + `ab</w:t><w:br/>` + v + "c\uFFFD</w:t></w:r>", "p"},
		{"placeholder", placeholder, prompt, "new", `<w:r><w:rPr><w:sz w:val="30"/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"placeholder, with its own format", `<w:rPr><w:i/></w:rPr>` + placeholder, prompt, "new", `<w:r><w:rPr><w:i/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"placeholder that stays", placeholder, prompt, "", prompt, "p"},
		{"cleared", "", bold, "", `<w:r><w:rPr><w:b/></w:rPr></w:r>`, "p"},
		{"empty", `<w:rPr><w:i/></w:rPr>`, "", "new", `<w:r><w:rPr><w:i/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"bookmarks and comments stay", "", `<w:bookmarkStart w:id="1" w:name="b"/>` + bold + `<w:bookmarkEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>`, "new", `<w:bookmarkStart w:id="1" w:name="b"/><w:r><w:rPr><w:b/></w:rPr>` + v + `new</w:t></w:r><w:bookmarkEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>`, "p"},
		{"bookmarks in removed content", "", `<w:hyperlink><w:bookmarkStart w:id="1" w:name="b"/>` + r("a") + `</w:hyperlink><w:hyperlink>` + r("b") + `<w:bookmarkEnd w:id="1"/></w:hyperlink>`, "new", `<w:r>` + v + `new</w:t></w:r><w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>`, "p"},
		{"tracked changes are removed", "", `<w:del w:id="1"><w:r><w:delText>x</w:delText></w:r></w:del><w:ins w:id="2">` + bold + `</w:ins>`, "new", `<w:r><w:rPr><w:b/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"a field that ends outside", "", `<w:r><w:fldChar w:fldCharType="end"/></w:r>` + r("old"), "new", `<w:r><w:fldChar w:fldCharType="end"/></w:r><w:r>` + v + `new</w:t></w:r>`, "p"},
		{"placeholder style left behind", "", prompt, "new", `<w:r><w:rPr><w:sz w:val="30"/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"custom placeholder style", `<w:rPr><w:rStyle w:val="Platzhalter"/><w:i/></w:rPr>` + placeholder, strings.Replace(prompt, "PlaceholderText", "Platzhalter", 1), "new", `<w:r><w:rPr><w:i/></w:rPr>` + v + `new</w:t></w:r>`, "p"},
		{"a field", "", `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`, "new", `<w:r>` + v + `new</w:t></w:r>`, "p"},
		{"a field across paragraphs", "", p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`) + p(r("x")) + p(`<w:r><w:fldChar w:fldCharType="end"/></w:r>`), "new", p(`<w:r>` + v + `new</w:t></w:r>`), ""},
		{"a field that continues outside", "", p(r("old")) + p(`<w:r><w:fldChar w:fldCharType="begin"/><w:t>x</w:t></w:r>`+r("x")) + p(r("y")), "new", p(`<w:r>`+v+`new</w:t></w:r>`) + p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`), ""},
		{"block", "", p(`<w:pPr><w:jc w:val="right"/></w:pPr>`+bold) + p(r("second")), "a\nb", `<w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:b/></w:rPr>` + v + `a</w:t></w:r></w:p><w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:b/></w:rPr>` + v + `b</w:t></w:r></w:p>`, ""},
		{"block of plain text", `<w:text w:multiLine="1"/>`, p(r("old")), "a\nb", `<w:p><w:r>` + v + `a</w:t><w:br/>` + v + `b</w:t></w:r></w:p>`, ""},
		{"plain text of one line", `<w:text/>`, r("old"), "new", `<w:r>` + v + `new</w:t></w:r>`, "p"},
		{"plain text of one line, several", `<w:text/>`, r("old"), "a\nb", `<w:r>` + v + `a</w:t><w:br/>` + v + `b</w:t></w:r>`, "p"},
		{"block that ends a section", "", p(r("old")) + p(`<w:pPr><w:sectPr/></w:pPr>`+r("x")), "new", p(`<w:r>`+v+`new</w:t></w:r>`) + p(`<w:pPr><w:sectPr/></w:pPr>`), ""},
		{"block without a paragraph", "", "", "new", p(`<w:r>` + v + `new</w:t></w:r>`), ""},
		{"block with a table", "", `<w:tbl><w:tr><w:tc>` + p(r("x")) + `</w:tc></w:tr></w:tbl>` + p(r("y")), "new", p(`<w:r>` + v + `new</w:t></w:r>`), ""},
		{"cell", "", `<w:tc><w:tcPr/>` + p(r("x")) + p(r("y")) + `</w:tc>`, "new", `<w:tc><w:tcPr/>` + p(`<w:r>`+v+`new</w:t></w:r>`) + `</w:tc>`, "tr"},
		{"cell without a paragraph", "", `<w:tc><w:tcPr/></w:tc>`, "new", `<w:tc><w:tcPr/>` + p(`<w:r>`+v+`new</w:t></w:r>`) + `</w:tc>`, "tr"},
		{"row", "", `<w:tr><w:tc>` + p(r("x")) + `</w:tc><w:tc>` + p(r("y")) + `</w:tc></w:tr>`, "a\nb", `<w:tr><w:tc>` + p(`<w:r>`+v+`a</w:t><w:br/>`+v+`b</w:t></w:r>`) + `</w:tc><w:tc><w:p/></w:tc></w:tr>`, "tbl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after, _ := strings.Cut(map[string]string{
				"p": `<w:p>|</w:p>`, "": "|<w:p/>", "tr": `<w:tbl><w:tr>|</w:tr></w:tbl><w:p/>`, "tbl": `<w:tbl>|</w:tbl><w:p/>`,
			}[c.around], "|")
			file := document(t, body(before+sdt("agreementinput-a", c.properties, c.before)+after))
			got := mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-a": text(c.value)}))
			properties := c.properties
			if c.value != "" {
				properties = strings.ReplaceAll(properties, placeholder, "")
			}
			if strings.Contains(c.value, "\n") && c.around == "p" {
				properties = strings.ReplaceAll(properties, `<w:text/>`, "") // it becomes a rich text control
			}
			if want := before + sdt("agreementinput-a", properties, c.want) + after; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestFieldsOfControls(t *testing.T) {
	list := `<w:listItem w:value="Choose an item."/><w:listItem w:displayText="One" w:value="1"/><w:listItem w:displayText="Two" w:value="Two"/>`
	for _, c := range []struct {
		name, tag, properties, content string
		want                           fields.Field
	}{
		{"id", "agreementinput-a_1-B", `<w:alias w:val="The label"/>`, r("value"), fields.Field{ID: "agreementinput-a_1-B", Type: fields.Text, Label: "The label", Text: "value"}},
		{"placeholder", "agreementinput-a", placeholder, prompt, fields.Field{ID: "agreementinput-a", Type: fields.Text}},
		{"json", `{"fieldId":"agreementinput-j","fieldType":"SSNTEXTINPUT","displayLabel":"SSN","fieldMultipleImage":"true"}`, `<w:alias w:val="x"/>`, "", fields.Field{ID: "agreementinput-j", Type: fields.SSN, Label: "SSN", Multiple: new(true)}},
		{"older format", "agreementinput-o", `<w:fieldType w:val="EMAILTEXTINPUT"/><w:fieldMultipleImage w:val="false"/>`, "", fields.Field{ID: "agreementinput-o", Type: fields.Email, Multiple: new(false)}},
		{"older format, short", "agreementinput-o", `<w:fieldTypeShort w:val="url"/>`, "", fields.Field{ID: "agreementinput-o", Type: fields.URL}},
		{"list", "agreementinput-l", `<w:dropDownList>` + list + `</w:dropDownList>`, r("One"), fields.Field{ID: "agreementinput-l", Type: fields.Dropdown, Text: "One", Options: []fields.Option{{Display: "One", Value: "1"}, {Display: "Two"}}}},
		{"combo", "agreementinput-l", `<w:comboBox>` + list + `</w:comboBox>`, r("other"), fields.Field{ID: "agreementinput-l", Type: fields.Dropdown, Text: "other", Options: []fields.Option{{Display: "One", Value: "1"}, {Display: "Two"}}}},
		{"date", "agreementinput-d", `<w:date/>`, r("1 May"), fields.Field{ID: "agreementinput-d", Type: fields.Date, Text: "1 May"}},
		{"image in a text control", `{"fieldId":"agreementinput-p","fieldType":"IMAGEINPUT"}`, "", r("Put it here"), fields.Field{ID: "agreementinput-p", Type: fields.Image}},
		{"picture", "agreementinput-p", `<w:picture/>`, "", fields.Field{ID: "agreementinput-p", Type: fields.Image}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Source, c.want.XMLPath = fields.ContentControl, "word/document.xml#/w:document[1]/w:body[1]/w:p[2]/w:sdt[1]"
			got := open(t, document(t, body("<w:p/>"+p(sdt(c.tag, c.properties, c.content))))).Fields()
			if len(got) != 1 || !equal(got[0], c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func equal(a, b fields.Field) bool { return reflect.DeepEqual(a, b) }
