package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

const storeID = "{11111111-2222-3333-4444-555555555555}"

// bound returns a data binding to the path, where ns0 is "urn:a".
func bound(id, path string) string {
	return `<w:dataBinding w:prefixMappings="xmlns:ns0='urn:a' xmlns:cp=&quot;http://schemas.openxmlformats.org/package/2006/metadata/core-properties&quot;" w:xpath="` + path + `" w:storeItemID="` + id + `"/>`
}

// custom returns the parts of a custom XML store with the text.
func custom(xml string) []entry {
	return []entry{
		{"customXml/item1.xml", xml}, {"customXml/_rels/item1.xml.rels", relationships(relationship("rId1", office+"customXmlProps", "itemProps1.xml"))},
		{"customXml/itemProps1.xml", `<ds:datastoreItem ds:itemID="` + strings.ToLower(storeID) + `" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"/>`},
		{"docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"><cp:keywords>old</cp:keywords></cp:coreProperties>`},
	}
}

func TestBindings(t *testing.T) {
	const (
		id  = "agreementinput-a"
		xml = `<a xmlns="urn:a" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b>0</b><b at="x">1</b><c xmlns="">2</c><d xsi:nil="true"/><e>true</e><f>&lt;pkg:package/></f><g at="x/y"/></a>`
	)
	date := func(as string) string {
		return `<w:date><w:dateFormat w:val="d.M.yyyy"/><w:storeMappedDataAs w:val="` + as + `"/></w:date>`
	}
	day := fields.Filling{Type: fields.Date, Text: "2026-03-05"}
	tick := fields.Filling{Type: fields.Checkbox, Selected: []string{"Yes"}}
	for _, c := range []struct {
		name, properties, path string
		value                  fields.Filling
		old, want              string
	}{
		{"element", "", "/ns0:a[1]/ns0:b[2]", text("<new>"), `<b at="x">1</b>`, `<b at="x">&lt;new&gt;</b>`},
		{"element without an index", "", "/ns0:a/ns0:b", text("new"), `<b>0</b>`, `<b>new</b>`},
		{"no namespace", "", "/ns0:a[1]/c[1]/text()", text("new"), `>2<`, `>new<`},
		{"attribute", "", "/ns0:a[1]/ns0:b[2]/@at", text("new"), `at="x"`, `at="new"`},
		{"by an attribute", "", "/ns0:a/ns0:b[@at='x']", text("new"), `<b at="x">1</b>`, `<b at="x">new</b>`},
		{"by the path in an attribute", "", "/ns0:a/ns0:g[ @at = &quot;x/y&quot; ]", text("new"), `<g at="x/y"/>`, `<g at="x/y">new</g>`},
		{"by another value", "", "/ns0:a/ns0:b[@at='y']", text("new"), "", ""},
		{"by several attributes", "", "/ns0:a/ns0:b[@at='x' or @at='y']", text("new"), "", ""},
		{"nil", "", "/ns0:a[1]/ns0:d[1]", text("new"), `<d xsi:nil="true"/>`, `<d>new</d>`},
		{"cleared", "", "/ns0:a[1]/ns0:b[1]", text(""), `<b>0</b>`, `<b/>`},
		{"item of a list", `<w:dropDownList><w:listItem w:displayText="One" w:value="1"/></w:dropDownList>`, "/ns0:a[1]/ns0:b[1]", fields.Filling{Type: fields.Dropdown, Text: "One", Value: "1"}, `<b>0</b>`, `<b>1</b>`},
		{"date", date("date"), "/ns0:a[1]/ns0:b[1]", day, `<b>0</b>`, `<b>2026-03-05</b>`},
		{"time", date("dateTime"), "/ns0:a[1]/ns0:b[1]", day, `<b>0</b>`, `<b>2026-03-05T00:00:00</b>`},
		{"text of a date", date("text"), "/ns0:a[1]/ns0:b[1]", day, `<b>0</b>`, `<b>5.3.2026</b>`},
		{"digit", `<w14:checkbox/>`, "/ns0:a[1]/ns0:b[1]", tick, `<b>0</b>`, `<b>1</b>`},
		{"word", `<w14:checkbox/>`, "/ns0:a[1]/ns0:e[1]", fields.Filling{Type: fields.Checkbox}, `<e>true</e>`, `<e>false</e>`},
		{"missing node", "", "/ns0:a[1]/ns0:b[3]", text("new"), "", ""},
		{"not a text", "", "/ns0:a[1]", text("new"), "", ""},
		{"a flat document", "", "/ns0:a[1]/ns0:f[1]", text("new"), "", ""},
		{"unknown prefix", "", "/ns1:a[1]/ns0:b[1]", text("new"), "", ""},
		{"not a path", "", "//ns0:b[position()=1]", text("new"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			shown := "old"
			if strings.Contains(c.properties, "checkbox") {
				shown = "☐"
			}
			file := document(t, body(p(sdt(id, c.properties+bound(storeID, c.path), r(shown)))), custom(xml)...)
			filled := fill(t, file, map[string]fields.Filling{id: c.value})
			if got, want := parts(t, filled)["customXml/item1.xml"], strings.Replace(xml, c.old, c.want, 1); strings.ReplaceAll(got, "&gt;", ">") != strings.ReplaceAll(want, "&gt;", ">") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got, want := strings.Contains(mainPart(t, filled), "dataBinding"), c.old != ""; got != want {
				t.Errorf("bound %v, want %v", got, want)
			}
		})
	}
}

// TestBindingsShow fills one control and checks the others bound to the same node.
func TestBindingsShow(t *testing.T) {
	binding := bound(storeID, "/ns0:a[1]/ns0:b[1]")
	list := `<w:dropDownList><w:listItem w:displayText="The day" w:value="2026-03-05"/></w:dropDownList>`
	header := prolog + `<w:hdr ` + spaces + `>` + p(sdt("x", binding, prompt)) + p(sdt("y", bound(storeID, "/ns0:a[1]/ns0:c[1]"), r("other"))) + `</w:hdr>`
	content := p(sdt("agreementinput-a", binding, r("old"))) + p(sdt("", `<w:date><w:dateFormat w:val="d.M.yyyy"/></w:date>`+binding, r("old"))) + p(sdt("agreementinput-l", list+strings.ReplaceAll(binding, "w:dataBinding", "w15:dataBinding"), r("old")))
	file := document(t, body(content), append(custom(`<a xmlns="urn:a"><b>0</b><c>1</c></a>`), entry{"word/header1.xml", header}, entry{"word/footer1.xml", prolog + `<w:ftr ` + spaces + `/>`})...)
	filled := fill(t, file, map[string]fields.Filling{"agreementinput-a": text("2026-03-05")})
	for _, want := range []string{">5.3.2026<", ">The day<", ">2026-03-05<"} {
		if got := mainPart(t, filled); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	all := parts(t, filled)
	if got := all["word/header1.xml"]; !strings.Contains(got, ">2026-03-05<") || !strings.Contains(got, ">other<") {
		t.Errorf("header %s", got)
	}
	if all["word/footer1.xml"] != parts(t, file)["word/footer1.xml"] {
		t.Error("the footer has changed")
	}
}

// TestBoundProperties fills a control bound to a document property.
func TestBoundProperties(t *testing.T) {
	file := document(t, body(p(sdt("agreementinput-a", bound("{6C3C8BC8-F283-45AE-878A-BAB7291924A1}", "/cp:coreProperties[1]/cp:keywords[1]"), r("old")))), custom("<a/>")...)
	filled := fill(t, file, map[string]fields.Filling{"agreementinput-a": text("new")})
	if got := parts(t, filled)["docProps/core.xml"]; !strings.Contains(got, ">new<") {
		t.Errorf("got %s", got)
	}
}

// TestBoundToBroken fills controls bound to unreadable parts.
func TestBoundToBroken(t *testing.T) {
	for name, xml := range map[string]string{"empty": "", "cut": "<a", "not closed": "<a><b></a>"} {
		t.Run(name, func(t *testing.T) {
			entries := custom("<a/>")
			entries[0] = entry{"customXml/item1.dat", xml}
			file := document(t, body(p(sdt("agreementinput-a", bound(storeID, "/ns0:a[1]"), r("old")))), entries...)
			if got := mainPart(t, fill(t, file, map[string]fields.Filling{"agreementinput-a": text("new")})); strings.Contains(got, "dataBinding") || !strings.Contains(got, ">new<") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestBoundLines fills a bound plain text control with several lines. It stays a plain
// text control, as a data binding requires, and becomes multi-line.
func TestBoundLines(t *testing.T) {
	control := sdt("agreementinput-a", bound(storeID, "/ns0:a[1]/ns0:b[1]")+`<w:text/>`, r("old"))
	file := document(t, body(p(control)), custom(`<a xmlns="urn:a"><b>0</b></a>`)...)
	filled := fill(t, file, map[string]fields.Filling{"agreementinput-a": text("a\nb")})
	if got := mainPart(t, filled); !strings.Contains(got, `<w:text w:multiLine="1"/>`) || !strings.Contains(got, "dataBinding") || !strings.Contains(got, "<w:br/>") {
		t.Errorf("got %s", got)
	}
}
