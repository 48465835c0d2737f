package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// tabbed returns a paragraph with the tab stops, each given as "pos align leader".
func tabbed(content string, stops ...string) string {
	list := ""
	for _, s := range stops {
		f := strings.Fields(s)
		list += `<w:tab w:val="` + f[1] + `" w:leader="` + f[2] + `" w:pos="` + f[0] + `"/>`
	}
	return `<w:p><w:pPr><w:tabs>` + list + `</w:tabs></w:pPr>` + content + `</w:p>`
}

const tab = `<w:r><w:tab/></w:r>`

// sheet returns a styles part.
func sheet(content string) entry {
	return entry{"word/styles.xml", prolog + `<w:styles ` + spaces + `>` + content + `</w:styles>`}
}

func TestLeaderTabs(t *testing.T) {
	lined := `<w:pPr><w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="4320"/></w:tabs></w:pPr>`
	style := func(id, base, content string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:basedOn w:val="` + base + `"/>` + content + `</w:style>`
	}
	styled := func(id, content string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + id + `"/></w:pPr>` + content + `</w:p>`
	}
	styles := sheet(style("Line", "Base", "") + style("Base", "Line", lined) + style("Plain", "Base", `<w:pPr><w:tabs><w:tab w:val="clear" w:pos="4320"/></w:tabs></w:pPr>`) + style("TOC1", "Base", ""))
	for _, c := range []struct {
		name, content string
		more          []entry
		want          string
	}{
		{"underscores", tabbed(r("Name:")+tab, "4320 left underscore"), nil, "name Name"},
		{"label after it", tabbed(tab+r("Signature of the tenant"), "4320 left underscore"), nil, "signature Signature of the tenant"},
		{"second stop", tabbed(r("By:")+tab+tab, "720 left none", "4320 left underscore"), nil, "signature By"},
		{"the tab before the line", tabbed(tab+r("Ref 5")+tab, "720 left none", "4320 left underscore"), nil, "text Ref 5"},
		{"two in a line", tabbed(r("Name:")+tab+r(" Date:")+tab, "4320 right underscore", "9000 right underscore"), nil, "name Name; date Date"},
		{"two tabs on one line", tabbed(r("Name:")+tab+tab, "4320 left underscore", "9000 left underscore"), nil, "name Name"},
		{"from the style", styled("Line", r("Date:")+tab), []entry{styles}, "date Date"},
		{"cleared by the style", styled("Plain", r("Date:")+tab), []entry{styles}, ""},
		{"from the document defaults", p(r("Date:") + tab), []entry{sheet(`<w:docDefaults><w:pPrDefault>` + lined + `</w:pPrDefault></w:docDefaults>`)}, "date Date"},
		{"from the default style", p(r("Date:") + tab), []entry{sheet(`<w:style w:type="paragraph" w:default="1" w:styleId="Normal">` + lined + `</w:style>`)}, "date Date"},
		{"hanging indent", `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="5000"/></w:tabs><w:ind w:left="720" w:hanging="720"/></w:pPr>` + r("1.") + tab + r("Name:") + tab + `</w:p>`, nil, "name Name"},
		{"after all stops", tabbed(r("The parties agree on what stands here, and sign it:")+tab, "1000 left underscore"), nil, ""},
		{"second line", tabbed(r("Name:")+tab+`<w:r><w:br/></w:r>`+r("Title:")+tab, "4320 left underscore"), nil, "name Name; text Title"},
		{"absolute", p(r("Name:") + `<w:r><w:ptab w:relativeTo="margin" w:alignment="right" w:leader="underscore"/></w:r>`), nil, "name Name"},
		{"dots", tabbed(r("Name:")+tab, "4320 left dot"), nil, "name Name"},
		{"dots in a form", tabbed(r("Name")+tab+r("Date")+tab, "4320 left dot", "9000 right dot"), nil, "name Name; date Date"},
		{"contents", tabbed(r("Definitions")+tab+r("4"), "9000 right dot"), nil, ""},
		{"contents with a line", styled("TOC1", r("Name:")+tab), []entry{styles}, ""},
		{"prices", tabbed(r("Coffee")+tab+r("$3.00"), "9000 right dot"), nil, ""},
		{"line to a value", tabbed(r("Total")+tab+r("$3.00"), "9000 right underscore"), nil, ""},
		{"line to a year", tabbed(r("Dated")+tab+r(", 2027"), "4320 left underscore"), nil, "text Dated"},
		{"ornament", p(r("End.")) + tabbed(tab, "9000 left underscore") + p(r("The next part begins with a sentence.")), nil, ""},
		{"caption below", tabbed(tab, "4320 left underscore") + p(r("Signature")), nil, "signature Signature"},
		{"no leader", tabbed(r("Date:")+tab, "4320 left none"), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range open(t, document(t, body(c.content), c.more...)).Fields() {
				got = append(got, string(f.Type)+" "+f.Label)
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFillLeaderTabs(t *testing.T) {
	bold := `<w:r><w:rPr><w:b/></w:rPr><w:tab/></w:r>`
	stops := func(list string) string { return `<w:pPr><w:tabs>` + list + `</w:tabs></w:pPr>` }
	lined := `<w:tab w:val="left" w:leader="underscore" w:pos="4320"/>`
	value := `<w:t xml:space="preserve">V</w:t>`
	label := `<w:r><w:t xml:space="preserve">Name: </w:t></w:r>`
	for _, c := range []struct{ name, content, want string }{
		{"at the end", tabbed(r("Name:")+bold, "4320 left underscore"), `<w:p>` + stops(lined) + label + `<w:r><w:rPr><w:b/></w:rPr>` + value + `</w:r></w:p>`},
		{"several", tabbed(r("Name:")+tab+bold, "4320 left underscore", "8000 left underscore"),
			`<w:p>` + stops(lined+`<w:tab w:val="left" w:leader="underscore" w:pos="8000"/>`) + label + `<w:r>` + value + `</w:r><w:r><w:rPr><w:b/></w:rPr></w:r></w:p>`},
		{"text after it", tabbed(r("Name:")+tab+r("(print)"), "4320 left underscore"),
			`<w:p>` + stops(`<w:tab w:val="left" w:pos="4320"/>`) + label + `<w:r>` + value + `<w:tab/></w:r>` + r("(print)") + `</w:p>`},
		{"before its label", tabbed(tab+r("Name of the tenant"), "4320 left underscore"),
			`<w:p>` + stops(`<w:tab w:val="left" w:pos="4320"/>`) + `<w:r>` + value + `<w:tab/></w:r>` + r("Name of the tenant") + `</w:p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			got := mainPart(t, fill(t, file, map[string]fields.Filling{open(t, file).Fields()[0].ID: text("V")}))
			if got = strings.ReplaceAll(got, ` xml:space="preserve">(`, `>(`); got != c.want {
				t.Errorf("got\n %s\nwant\n %s", got, c.want)
			}
		})
	}
}

// TestFillLeaderOfStyle fills a line whose tab stop comes from a style. Only this
// paragraph must lose the line.
func TestFillLeaderOfStyle(t *testing.T) {
	styles := sheet(`<w:style w:type="paragraph" w:styleId="L"><w:pPr><w:tabs><w:tab w:val="left" w:leader="underscore" w:pos="4320"/><w:tab w:val="left" w:leader="underscore" w:pos="9000"/></w:tabs></w:pPr></w:style>`)
	file := document(t, body(`<w:p><w:pPr><w:pStyle w:val="L"/><w:ind w:left="0"/></w:pPr>`+r("Name:")+tab+r("Date:")+tab+`</w:p>`), styles)
	d := open(t, file)
	filled := fill(t, file, map[string]fields.Filling{d.Fields()[0].ID: text("V")})
	if got := mainPart(t, filled); !strings.Contains(got, `<w:pStyle w:val="L"/><w:tabs><w:tab w:val="left" w:pos="4320"/></w:tabs><w:ind w:left="0"/>`) {
		t.Errorf("got %s", got)
	}
	if left := open(t, filled).Fields(); len(left) != 1 || left[0].Label != "Date" {
		t.Errorf("remaining blanks: %+v", left)
	}
}
