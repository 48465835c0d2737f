package docxfields

import (
	"bytes"
	"context"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
)

// FuzzFill fills all fields of a document with any content, and opens the result.
func FuzzFill(f *testing.F) {
	for _, content := range []string{
		p(sdt("agreementinput-a", placeholder, prompt)),
		sdt("agreementinput-a", `<w:text/>`, p(r("x"))+`<w:tbl><w:tr><w:tc/></w:tr></w:tbl>`),
		p(box("agreementinput-c", "", true)+r("Yes")) + sdt("agreementinput-d", `<w:date><w:dateFormat w:val="dddd 'x"/></w:date>`, ""),
		`<w:tbl>` + sdt("agreementinput-r", `<w:dropDownList><w:listItem/><w:listItem w:value="x"/></w:dropDownList>`, `<w:tr>`+sdt("agreementinput-s", "", "")+`</w:tr>`) + `</w:tbl>`,
		p(sdt("agreementinput-p", `<w:picture/>`, placeholderPicture(5, 5))) + p(sdt("agreementinput-b", bound(storeID, "/ns0:a[1]/@b"), "")),
		`<mc:AlternateContent><mc:Choice>` + p(box("agreementinput-c", "", true)) + `</mc:Choice><mc:Fallback>` + p(box("agreementinput-c", "", true)) + `</mc:Fallback></mc:AlternateContent>`,
		p(legacy("a", `<w:textInput><w:type w:val="number"/><w:maxLength w:val="5"/><w:format w:val="$#,##0.00;($#,##0)"/></w:textInput>`, "x")),
		p(r("[US$____] and [___ %], 20__ {{agreementinput-a}}")) + p(r("( ) Yes (X) No {{agreementinput-a;type=dropdown;options=A|B}}")),
	} {
		f.Add(content, "a\nvalue\t")
	}
	f.Fuzz(func(t *testing.T, content, value string) {
		if len(content) > 20_000 || len(value) > 1000 {
			return
		}
		file := document(t, body(content), custom(`<a xmlns="urn:a" b="c"/>`)...)
		pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
		if err != nil || pkg.Check(context.Background()) != nil {
			return
		}
		d, err := Open(context.Background(), pkg)
		if err != nil {
			return
		}
		values := map[string]fields.Filling{}
		for i, found := range d.Fields() {
			if !fields.ValidID(found.ID) {
				t.Errorf("the field has the id %q", found.ID)
			}
			values[found.ID] = fields.Filling{Type: found.Type, Text: value}
			if i%3 == 2 {
				values[found.ID] = fields.Filling{Type: found.Type, Pictures: []fields.Picture{{MediaType: "image/png", Width: len(value), Height: 1, Open: nothing}}}
			}
			for _, o := range found.Options {
				if o.Display == "" && found.Type == fields.Checkbox {
					t.Errorf("the field %q has an option without a name", found.ID)
				}
			}
		}
		fillAny(t, file, values)
	})
}
