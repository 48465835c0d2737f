package enginetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Formula is a paragraph with the formula "Fee = revenue/months".
const Formula = `<w:p><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMath><m:r><m:t>Fee=</m:t></m:r><m:f><m:num><m:r><m:t>revenue</m:t></m:r></m:num><m:den><m:r><m:t>months</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></w:p>`

// formulas converts a document with a formula, which is not text but an object.
func formulas(t *testing.T, e domain.Engine) {
	pdf, err := e.Convert(t.Context(), WriteDOCX(t, Paragraph("before")+Formula+Paragraph("after"), "x"), filetype.DOCX, "")
	if err != nil {
		t.Fatal(err)
	}
	text := Text(t, pdf)
	for _, word := range []string{"before", "Fee", "revenue", "months", "after"} {
		if !strings.Contains(text, word) {
			t.Errorf("the PDF lacks %q: %q; run make install-packages", word, text)
		}
	}
}

// remark is what the comments of commented say.
const remark = "our lowest price is 90"

// commented returns documents with comments, by name.
func commented() map[string]any {
	const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	parts := docx(`<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>price</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>`,
		`<Relationship Id="c" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="comments.xml"/>`,
		"word/comments.xml", `<w:comments `+w+`><w:comment w:id="0" w:author="A" w:date="2024-01-01T00:00:00Z">`+Paragraph(remark)+`</w:comment></w:comments>`)
	parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>", `<Override PartName="/word/comments.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"/></Types>`, 1)
	note := `<office:annotation xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>A</dc:creator><dc:date>2024-01-01T00:00:00</dc:date><text:p>` + remark + `</text:p></office:annotation>`
	return map[string]any{
		"text.docx":   parts,
		"sheet.fods":  flat("spreadsheet", strings.Replace(strings.Replace(sheet, Said, "before", 1), "<text:p>", note+"<text:p>", 1)),
		"slides.fodp": flat("presentation", note+strings.Replace(frame, Said, "before", 1)),
	}
}

// comments converts documents with comments. Their PDFs lack them, on the pages and as
// annotations.
func comments(t *testing.T, e domain.Engine) {
	for name, document := range commented() {
		for _, profile := range []conversionapi.Profile{"", conversionapi.PDFA2b, conversionapi.PDFUA} {
			pdf, err := e.Convert(t.Context(), writeHostile(t, name, document), hostileTypes[filepath.Ext(name)], profile)
			if err != nil {
				t.Fatalf("%s, %q: %v", name, profile, err)
			}
			plain := filepath.Join(Folder(t), "plain.pdf")
			output(t, "qpdf", "--qdf", "--object-streams=disable", pdf, plain)
			content, err := os.ReadFile(plain)
			if err != nil {
				t.Fatal(err)
			}
			if text := Text(t, pdf); !strings.Contains(text, "before") || strings.Contains(text, remark) || bytes.Contains(content, []byte("/Subtype /Text")) {
				t.Errorf("%s, %q: the PDF has a comment: %q", name, profile, text)
			}
		}
	}
}

// named returns documents with fields that show the path and name of their file, by name.
func named() map[string]any {
	field := func(instruction string) string {
		return `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + instruction +
			` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>old</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	}
	file := func(display string) string {
		return `<text:p><text:file-name text:display="` + display + `">old</text:file-name></text:p>`
	}
	return map[string]any{
		"fields.docx": docx(field("FILENAME")+field(`FILENAME \p`), ""),
		"fields.rtf":  `{\rtf1\ansi before\par {\field{\*\fldinst FILENAME}{\fldrslt old}}\par {\field{\*\fldinst FILENAME \\p}{\fldrslt old}}\par}`,
		"fields.odt":  odt(file("name-and-extension") + file("full") + file("path")),
		"cell.fods":   flat("spreadsheet", sheetWith(`of:=CELL(&quot;filename&quot;)`)),
	}
}

// fileNames converts documents that show the path and name of their file. They show the name,
// also one with characters that URLs escape, and nothing of the folder in which they are.
func fileNames(t *testing.T, e domain.Engine) {
	for name, document := range named() {
		path := writeHostile(t, name, document)
		const stem = "50% #3; a.b & Zoë's?"
		uploaded := filepath.Join(filepath.Dir(path), stem+filepath.Ext(name))
		if err := os.Rename(path, uploaded); err != nil {
			t.Fatal(err)
		}
		pdf, err := e.Convert(t.Context(), uploaded, hostileTypes[filepath.Ext(name)], "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := Text(t, pdf)
		if filepath.Ext(name) == ".fods" { // a cell shows a URL
			text = strings.NewReplacer("%25", "%", "%23", "#", "%3B", ";", "%3F", "?").Replace(text)
		}
		if !strings.Contains(text, stem+filepath.Ext(name)) || strings.Contains(text, "/dev/shm") || strings.Contains(text, "recto-") || strings.Contains(text, "old") {
			t.Errorf("%s: the PDF contains %q", name, text)
		}
	}
}
