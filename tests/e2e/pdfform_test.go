package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/tests/harness"
)

// fillable is a kind of document that has the fields of formDOCX.
type fillable struct {
	kind, name string
	content    []byte
	// fields are definitions that make the fields those of formDOCX. They may be nil.
	fields []object
}

// fillables returns a document of each kind that can be filled: a Word document, a PDF with
// text tags, a PDF form, and a PDF on whose page the fields are placed.
func fillables() []fillable {
	return []fillable{
		{"Word document", "form.docx", formDOCX(), nil},
		{"PDF with tags", "form.pdf", tagsPDF(), nil},
		{"PDF form", "form.pdf", formPDF(), definitions(false)},
		{"PDF page", "form.pdf", textPDF("A page without a form."), definitions(true)},
	}
}

// forms runs a test with a document of each kind. Path is that of its annotate endpoint.
func forms(t *testing.T, test func(t *testing.T, c *harness.Client, f fillable, path string)) {
	for _, f := range fillables() {
		t.Run(f.kind, func(t *testing.T) {
			c := shared.NewClient(t)
			test(t, c, f, f.add(t, c))
		})
	}
}

// add adds the document and returns the path of its annotate endpoint.
func (f fillable) add(t *testing.T, c *harness.Client) string {
	t.Helper()
	d := upload(t, c, f.name, f.content)
	if f.fields != nil {
		putFields(c, d.ID, object{"fields": f.fields}).OK(nil)
	}
	return "/documents/" + d.ID + "/annotate"
}

// shows fails t unless the filled file shows the value of a field.
func (f fillable) shows(t *testing.T, filled []byte, name, value string) {
	t.Helper()
	if f.name == "form.docx" {
		shown := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(value)
		says(t, "\n"+docxText(t, filled), "\n"+name+": "+shown+".")
		return
	}
	// pdftotext guesses spaces from distances.
	says(t, spaceless(pdfText(t, filled)), spaceless(value))
}

// filledText returns the text of a Word document or a PDF, without white space.
func filledText(t *testing.T, file []byte) string {
	t.Helper()
	if bytes.HasPrefix(file, []byte("%PDF-")) {
		return spaceless(pdfText(t, file))
	}
	return spaceless(docxText(t, file))
}

// spaceless returns the text without white space.
func spaceless(text string) string { return strings.Join(strings.Fields(text), "") }

// definitions returns the definitions of the fields of formDOCX for a PDF. Placed ones are
// boxes on page 1.
func definitions(placed bool) []object {
	all := []object{
		{"field_id": "text", "type": "text", "max": 5}, {"field_id": "checkbox", "type": "checkbox", "options": []string{"A", "B", "C"}, "min": 1, "max": 2},
		{"field_id": "dropdown", "type": "dropdown", "options": []string{"A", "B"}}, {"field_id": "image", "type": "image"},
		{"field_id": "one-image", "type": "image", "multiple": false},
	}
	for _, kind := range []string{"name", "company", "address", "phone", "email", "url", "number", "ssn", "gender", "date", "signature"} {
		all = append(all, object{"field_id": kind, "type": kind})
	}
	for i, d := range all {
		d["field_id"] = fmt.Sprint("agreementinput-", d["field_id"])
		if placed {
			d["page_number"] = 1
			d["bounding_box"] = object{"left": 0.3, "top": 0.1 + 0.05*float64(i), "width": 0.5, "height": 0.03}
		}
	}
	return all
}

// pdfFile is a PDF file under construction. The object of index i has the number i+1.
type pdfFile struct{ objects []string }

// add adds an object and returns its number.
func (p *pdfFile) add(object string) int {
	p.objects = append(p.objects, object)
	return len(p.objects)
}

// bytes returns the file, whose catalog is object 1.
func (p *pdfFile) bytes() []byte { return pdfforms.Assemble("/Root 1 0 R", p.objects...) }

// page returns a file of one page with lines of text, 40 points apart. Catalog and
// annotations are entries of the catalog and of the page. Further objects begin at number 6.
func page(lines []string, catalog, annotations string, objects ...string) []byte {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "BT /F 10 Tf 40 %d Td (%s) Tj ET\n", top(i), strings.NewReplacer("(", `\(`, ")", `\)`).Replace(line))
	}
	var p pdfFile
	p.add("<</Type/Catalog/Pages 2 0 R" + catalog + ">>")
	p.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	p.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + annotations + ">>")
	p.add(fmt.Sprintf("<</Length %d>>\nstream\n%sendstream", text.Len(), text.String()))
	p.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for _, object := range objects {
		p.add(object)
	}
	return p.bytes()
}

// top returns the baseline of a line.
func top(i int) int { return 800 - 40*i }

// textPDF returns a page with lines of text and no form.
func textPDF(lines ...string) []byte { return page(lines, "", "") }

// tagsPDF returns a page with the text tags of formDOCX.
func tagsPDF() []byte {
	var lines []string
	for _, tag := range formTags {
		name, _, _ := strings.Cut(tag, ";")
		lines = append(lines, name+": {{agreementinput-"+tag+"}}")
	}
	return textPDF(lines...)
}

// formPDF returns an AcroForm with a field for each tag of formDOCX: checkboxes, a dropdown,
// buttons for images, a box for a signature, and text fields for all others.
func formPDF() []byte {
	a := acroForm{objects: []string{"<</Type/XObject/Subtype/Form/BBox[0 0 20 22]/Length 0>>\nstream\n\nendstream"}} // object 6: an empty appearance
	var lines []string
	for i, tag := range formTags {
		name, _, _ := strings.Cut(tag, ";")
		lines = append(lines, name+":")
		title := "/T(agreementinput-" + name + ")"
		switch name {
		case "checkbox":
			a.boxes(i, title, "A", "B", "C")
		case "dropdown":
			a.field(i, "/FT/Ch/Ff 131072/Opt[(A)(B)]"+title)
		case "image", "one-image":
			a.field(i, `/FT/Btn/Ff 65536/MK<</TP 1>>/A<</S/JavaScript/JS(event.target.buttonImportIcon\(\);)>>`+title)
		case "signature":
			a.field(i, "/FT/Sig"+title)
		default:
			a.field(i, "/FT/Tx/DA(/Helv 10 Tf 0 g)"+title)
		}
	}
	return page(lines, "/AcroForm<</Fields["+refs(a.fields)+"]/DA(/Helv 0 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>", "/Annots["+refs(a.widgets)+"]", a.objects...)
}

// acroForm collects the objects of a form, from number 6.
type acroForm struct {
	objects         []string
	fields, widgets []int
}

// add adds an object and returns its number.
func (a *acroForm) add(object string) int {
	a.objects = append(a.objects, object)
	return len(a.objects) + 5
}

// widget adds a widget on a line.
func (a *acroForm) widget(line, left, width int, entries string) int {
	n := a.add(fmt.Sprintf("<</Type/Annot/Subtype/Widget/F 4/P 3 0 R/Rect[%d %d %d %d]%s>>", left, top(line)-6, left+width, top(line)+16, entries))
	a.widgets = append(a.widgets, n)
	return n
}

// field adds a field of one widget.
func (a *acroForm) field(line int, entries string) {
	a.fields = append(a.fields, a.widget(line, 150, 200, entries))
}

// boxes adds a field of a checkbox for each state.
func (a *acroForm) boxes(line int, title string, states ...string) {
	field := a.add("")
	var kids []int
	for i, state := range states {
		kids = append(kids, a.widget(line, 150+60*i, 20, fmt.Sprintf("/Parent %d 0 R/AS/Off/AP<</N<</%s 6 0 R/Off 6 0 R>>>>", field, state)))
	}
	a.objects[field-6] = "<</FT/Btn/V/Off" + title + "/Kids[" + refs(kids) + "]>>"
	a.fields = append(a.fields, field)
}

// refs returns references to objects.
func refs(numbers []int) string {
	var out strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&out, "%d 0 R ", n)
	}
	return out.String()
}
