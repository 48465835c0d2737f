package docxfields

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// TestForeignDocuments opens third-party documents. Filling nothing must not change them,
// and filled documents must open again.
func TestForeignDocuments(t *testing.T) {
	dir := corpus.Folder(t)
	var files []string
	for _, pattern := range []string{"office/*.do[ct][xm]", "docx-templates/*.docx"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	opened, filled := 0, 0
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
		if err == nil {
			err = pkg.Check(t.Context())
		}
		if err != nil {
			continue // files that Check refuses never reach this package
		}
		opened++
		if n := tryForeign(t, filepath.Base(name), file); n > 0 {
			filled++
		}
	}
	t.Logf("%d files, %d of them open, %d have fields", len(files), opened, filled)
	if opened < 20 {
		t.Errorf("only %d files could be opened", opened)
	}
}

// tryForeign fills a file with no values, and then all its fields. It returns the number
// of fields.
func tryForeign(t *testing.T, name string, file []byte) int {
	t.Helper()
	same := fill(t, file, nil)
	if before, after := parts(t, file), parts(t, same); !maps.Equal(before, after) {
		t.Errorf("%s: filling nothing changed its parts", name)
	}
	found := open(t, file).Fields()
	if len(found) == 0 {
		return 0
	}
	for _, f := range found[:min(len(found), triedAlone)] {
		tryAlone(t, name, file, f)
	}
	values := map[string]fields.Filling{}
	for _, f := range found {
		values[f.ID] = sample(t, f)
	}
	again := open(t, fill(t, file, values)).Fields()
	for _, f := range again {
		// A date is shown in another format, and a control that contains others shows
		// their text after its own value.
		v := values[f.ID]
		if f.Source == fields.ContentControl && f.Type != fields.Date && f.Type != fields.Image && f.Type != fields.Checkbox && !strings.HasPrefix(f.Text, v.Text) {
			t.Errorf("%s: %s shows %q, want %q", name, f.ID, f.Text, v.Text)
		}
	}
	return len(found)
}

// triedAlone is how many fields of a file are filled individually.
const triedAlone = 3

// tryAlone fills one field. Only the parts of its places may change, apart from what a
// picture or a data binding requires.
func tryAlone(t *testing.T, name string, file []byte, f fields.Field) {
	t.Helper()
	d := open(t, file)
	holds, bound := map[string]bool{}, false
	for _, p := range d.places[f.ID] {
		holds[p.part.part.Name] = true
		bound = bound || p.control != nil && p.control.Binding() != nil
	}
	value := sample(t, f)
	before, after := parts(t, file), parts(t, fillAny(t, file, map[string]fields.Filling{f.ID: value}))
	for part, content := range after {
		picture := len(value.Pictures) > 0 && (strings.HasPrefix(part, "word/media/") || strings.HasSuffix(part, ".rels") || part == "[Content_Types].xml")
		if content != before[part] && !holds[part] && !picture && !bound {
			t.Errorf("%s: filling %s has changed %s", name, f.ID, part)
		}
	}
	for part := range before {
		if _, ok := after[part]; !ok {
			t.Errorf("%s: filling %s has removed %s", name, f.ID, part)
		}
	}
}

// sample returns a value for a field.
func sample(t *testing.T, f fields.Field) fields.Filling {
	filling := fields.Filling{Type: f.Type, Text: "a value"}
	switch {
	case f.Type == fields.Checkbox && len(f.Options) > 0:
		filling = fields.Filling{Type: f.Type, Selected: []string{f.Options[0].Display}}
	case f.Type == fields.Image:
		filling = fields.Filling{Type: f.Type, Pictures: []fields.Picture{picture(t, "image/png", 40, 20, 1, 9)}}
	case f.Type == fields.Date:
		filling.Text = "2026-03-05"
	case len(f.Options) > 0:
		filling.Text, filling.Value = f.Options[0].Display, f.Options[0].Value
	}
	return filling
}

// TestForeignControls does the same with all content controls of third-party documents.
// Their tags are replaced with field IDs first.
func TestForeignControls(t *testing.T) {
	dir := corpus.Folder(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.do[ct][xm]"))
	if err != nil {
		t.Fatal(err)
	}
	controls := 0
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
		if err == nil {
			err = pkg.Check(t.Context())
		}
		if err != nil {
			continue
		}
		d, err := Open(t.Context(), pkg)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		if n := tagAll(d); n > 0 {
			controls += n
			var out bytes.Buffer
			if err := d.replaceParts(); err != nil {
				t.Fatal(err)
			}
			if _, err := d.WriteTo(&out); err != nil {
				t.Fatal(err)
			}
			tryForeign(t, filepath.Base(name), out.Bytes())
		}
	}
	if t.Logf("%d controls", controls); controls == 0 {
		t.Error("no control was found")
	}
}

// tagAll gives every content control the tag of its own field, and returns the number of
// controls.
func tagAll(d *Document) int {
	n := 0
	for _, p := range d.parts {
		for _, e := range p.tree.FindElements("//sdtPr") {
			p.changed = true
			wml.RemoveChild(e, "tag")
			tag := wml.New(e, "tag")
			e.InsertChildAt(0, tag)
			n++
			wml.SetAttr(tag, "val", "agreementinput-"+strings.Repeat("x", n))
			if n == 150 {
				return n
			}
		}
	}
	return n
}

// TestLibreOfficeShows fills a document with values of every type in every kind of place,
// and checks that the PDF made by LibreOffice shows them.
func TestLibreOfficeShows(t *testing.T) {
	soffice, toText := corpus.Program(t, "soffice"), corpus.Program(t, "pdftotext")
	file, want := everything(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "filled.docx")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	convert := exec.CommandContext(t.Context(), soffice, "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", "pdf", "--outdir", dir, name)
	if out, err := convert.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	shown, err := exec.CommandContext(t.Context(), toText, "-layout", filepath.Join(dir, "filled.pdf"), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("RECTO_KEEP"); keep != "" {
		for _, ext := range []string{".docx", ".pdf"} {
			b, err := os.ReadFile(filepath.Join(dir, "filled"+ext))
			if err == nil {
				err = os.WriteFile(filepath.Join(keep, "filled"+ext), b, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	for _, s := range want {
		if !strings.Contains(string(shown), s) {
			t.Errorf("%q is not shown in\n%s", s, shown)
		}
	}
}

// inTextBox returns a paragraph with a text box in Word's form, with a fallback for older
// programs.
func inTextBox(content string) string {
	const extent = `<wp:extent cx="2743200" cy="685800"/>`
	return p(`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline>` + extent + `<wp:docPr id="99" name="Text box"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2743200" cy="685800"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>` + content +
		`</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape style="width:216pt;height:54pt"><v:textbox><w:txbxContent>` + content +
		`</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`)
}

// everything returns a filled document with every type in every kind of place, and the
// texts that it shows.
func everything(t *testing.T) (file []byte, want []string) {
	t.Helper()
	c := func(id, properties, content string) string { return sdt("agreementinput-"+id, properties, content) }
	cell := func(s string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>` + s + `</w:tc>`
	}
	content := p(r("Inline: ")+c("inline", placeholder, prompt)) + c("block", "", p(bold)) +
		`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid>` +
		`<w:tr>` + cell(p(r("Cell"))) + c("cell", "", cell(p(r("old")))) + `</w:tr>` + c("row", "", `<w:tr>`+cell(p(r("old")))+cell(p(r("old")))+`</w:tr>`) + `</w:tbl>` +
		p(r("Lines: ")+c("lines", `<w:text w:multiLine="1"/>`, r("old"))) + p(r("Pay: ")+box("agreementinput-pay", "", true)+r(" Cash ")+box("agreementinput-pay", "", false)+r(" Card")) +
		p(r("List: ")+c("list", `<w:dropDownList><w:listItem w:displayText="Second item" w:value="2"/></w:dropDownList>`, prompt)) +
		p(r("Date: ")+c("date", `<w:date><w:dateFormat w:val="d. MMMM yyyy"/><w:lid w:val="de-DE"/></w:date>`, prompt)) +
		p(c("picture", `<w:picture/>`, placeholderPicture(1800000, 900000))) + p(r("Signed: ")+c("signature", "", r("old"))) + p(r("Turned: ")+c("turned", "", r("old"))) +
		p(r("Anchor")+`<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r>`) + inTextBox(p(c("box", "", r("old")))) +
		c("outer", "", p(r("old"))+p(r("Inner: ")+c("nested", "", r("old")))) + p(r("Tag: {{agreementinput-")+r("tag;type=name}}")) + p(r("Company: ____________")) + p(r("Bound: ")+c("bound", bound(storeID, "/ns0:a[1]/ns0:b[1]"), r("old"))+r(" and ")+sdt("", bound(storeID, "/ns0:a[1]/ns0:b[1]"), r("old")))
	story := func(root, s string) string {
		return prolog + `<w:` + root + ` ` + spaces + `>` + s + `</w:` + root + `>`
	}
	more := append(custom(`<a xmlns="urn:a"><b>0</b></a>`), entry{"word/header1.xml", story("hdr", p(c("header", "", r("old"))))}, entry{"word/footer1.xml", story("ftr", p(c("footer", "", r("old"))))},
		entry{"word/endnotes.xml", story("endnotes", `<w:endnote w:type="separator" w:id="0"><w:p/></w:endnote><w:endnote w:type="continuationSeparator" w:id="1"><w:p/></w:endnote><w:endnote w:id="2">`+p(c("endnote", "", r("old")))+`</w:endnote>`)},
		entry{"word/footnotes.xml", story("footnotes", `<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:type="continuationSeparator" w:id="1"><w:p/></w:footnote><w:footnote w:id="2">`+p(c("footnote", "", r("old")))+`</w:footnote>`)})
	id := func(name string) string {
		return "rId" + string(rune('A'+slices.IndexFunc(more, func(e entry) bool { return e.name == name })))
	}
	main := strings.Replace(body(content), "<w:sectPr>",
		`<w:sectPr><w:headerReference w:type="default" r:id="`+id("word/header1.xml")+`"/><w:footerReference w:type="default" r:id="`+id("word/footer1.xml")+`"/>`, 1)
	values := map[string]fields.Filling{
		"pay": {Type: fields.Checkbox, Selected: []string{"Card"}}, "list": {Type: fields.Dropdown, Text: "Second item", Value: "2"},
		"date": {Type: fields.Date, Text: "2026-03-05"}, "lines": text("first line\nsecond line"), "block": text("block one\nblock two"),
		"picture":   {Type: fields.Image, Pictures: []fields.Picture{picture(t, "image/png", 60, 40, 1, 1), picture(t, "image/jpeg", 40, 60, 1, 90)}},
		"signature": {Type: fields.Signature, Pictures: []fields.Picture{picture(t, "image/png", 400, 100, 1, 150)}},
		"turned":    {Type: fields.Image, Pictures: []fields.Picture{picture(t, "image/png", 100, 50, 6, 20), picture(t, "image/png", 100, 50, 5, 20), picture(t, "image/png", 100, 50, 3, 20)}},
	}
	want = []string{"block one", "block two", "Lines: first line\nsecond line", "☐ Cash", "☒ Card", "Second item", "5. März 2026", "value of bound and value of bound"}
	for _, id := range []string{"inline", "cell", "row", "header", "footer", "footnote", "endnote", "bound", "box", "outer", "nested", "tag"} {
		values[id] = text("value of " + id)
		want = append(want, "value of "+id)
	}
	all := map[string]fields.Filling{}
	for _, f := range open(t, document(t, main, more...)).Fields() {
		if f.Source == fields.Detected {
			all[f.ID] = text("value of the blank")
		}
	}
	want = append(want, "Company: value of the blank")
	for id, v := range values {
		all["agreementinput-"+id] = v
	}
	return fill(t, document(t, main, more...), all), want
}
