package docxfields

import (
	"strings"
	"testing"
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
