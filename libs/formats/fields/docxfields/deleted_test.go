package docxfields

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

// TestDeletedControls checks that content controls in tracked deletions and moves are not
// fields, and stay unchanged.
func TestDeletedControls(t *testing.T) {
	const id = "agreementinput-x"
	gone := sdt(id, "", `<w:r><w:delText>old</w:delText></w:r>`)
	here := sdt(id, "", r("old"))
	for _, c := range []struct {
		name, content string
		fields        int
	}{
		{"deleted", p(`<w:del w:id="1">` + gone + `</w:del>`), 0},
		{"moved away", p(`<w:moveFrom w:id="1">` + gone + `</w:moveFrom>`), 0},
		{"deleted paragraphs", `<w:del w:id="1">` + sdt(id, "", p(r("old"))) + `</w:del>`, 0},
		{"deleted row", `<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + p(gone) + p(r("Name: ____")) + `</w:tc></w:tr></w:tbl>`, 0},
		{"inserted", p(`<w:ins w:id="1">` + here + `</w:ins>`), 1},
		{"moved here", p(`<w:moveTo w:id="1">` + here + `</w:moveTo>`), 1},
		{"deleted and inserted", p(`<w:del w:id="1">` + gone + `</w:del><w:ins w:id="2">` + here + `</w:ins>`), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := document(t, body(c.content))
			found := open(t, file).Fields()
			if len(found) != c.fields {
				t.Fatalf("found %+v, want %d", found, c.fields)
			}
			if c.fields == 0 {
				return
			}
			got := mainPart(t, fill(t, file, map[string]fields.Filling{id: text("NEW")}))
			if strings.Count(got, "NEW") != 1 || strings.Count(got, "delText") != strings.Count(c.content, "delText") {
				t.Errorf("got %s", got)
			}
		})
	}
}
