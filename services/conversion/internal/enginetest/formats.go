package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Said is the text of all documents of Documents.
const Said = "Zoë before"

// namespaces are those of the flat documents.
const namespaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3"`

// flat returns a flat OpenDocument file of a kind, such as "text", with a body.
func flat(kind, body string) string {
	page := ""
	if kind == "presentation" || kind == "drawing" {
		page = `<office:automatic-styles><style:page-layout style:name="l"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="m" style:page-layout-name="l"/></office:master-styles>`
		body = `<draw:page draw:master-page-name="m">` + body + `</draw:page>`
	}
	mime := strings.Replace(kind, "drawing", "graphics", 1)
	return `<?xml version="1.0"?><office:document ` + namespaces + ` office:mimetype="application/vnd.oasis.opendocument.` + mime + `">` + page +
		`<office:body><office:` + kind + `>` + body + `</office:` + kind + `></office:body></office:document>`
}

// Bodies of the kinds of OpenDocument.
const (
	paragraph = `<text:p>` + Said + `</text:p>`
	sheet     = `<table:table table:name="s"><table:table-row><table:table-cell office:value-type="string">` + paragraph + `</table:table-cell></table:table-row></table:table>`
	frame     = `<draw:frame svg:x="2cm" svg:y="2cm" svg:width="9cm" svg:height="3cm"><draw:text-box>` + paragraph + `</draw:text-box></draw:frame>`
)

// made lists documents that LibreOffice makes of a flat one.
var made = []struct {
	name, content string
	into          map[string]filetype.Type // extensions
}{
	{"text.fodt", flat("text", paragraph), map[string]filetype.Type{"odt": filetype.ODT, "doc": filetype.DOC, "rtf": filetype.RTF}},
	{"sheet.fods", flat("spreadsheet", sheet), map[string]filetype.Type{"ods": filetype.ODS, "xlsx": filetype.XLSX, "xls": filetype.XLS}},
	{"slides.fodp", flat("presentation", frame), map[string]filetype.Type{"odp": filetype.ODP, "pptx": filetype.PPTX, "ppt": filetype.PPT}},
	{"drawing.fodg", flat("drawing", frame), map[string]filetype.Type{"odg": filetype.ODG}},
}

// written lists documents that are text.
var written = map[filetype.Type]string{
	filetype.Text: Said,
	filetype.HTML: `<html><head><title>x</title></head><body><h1>` + Said + `</h1><p>A paragraph</p></body></html>`,
	filetype.CSV:  "name;amount\n" + Said + ";007\n\"a;b\";1,50\n",
	filetype.SVG:  `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><text x="10" y="50">` + Said + `</text></svg>`,
}

// Documents writes a document of each type into dir, and returns their paths. The stock
// command of LibreOffice makes the binary ones. All contain the text Said.
func Documents(t *testing.T, dir string) map[filetype.Type]string {
	t.Helper()
	paths := map[filetype.Type]string{}
	for kind, content := range written {
		paths[kind] = filepath.Join(dir, "input."+strings.ToLower(string(kind)))
		if kind == filetype.Text {
			paths[kind] = filepath.Join(dir, "input.txt")
		}
		if err := os.WriteFile(paths[kind], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range made {
		source := filepath.Join(dir, m.name)
		if err := os.WriteFile(source, []byte(m.content), 0o600); err != nil {
			t.Fatal(err)
		}
		for extension, kind := range m.into {
			out, err := exec.Command("soffice", "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", extension, "--outdir", dir, source).CombinedOutput()
			paths[kind] = strings.TrimSuffix(source, filepath.Ext(source)) + "." + extension
			if _, missing := os.Stat(paths[kind]); err != nil || missing != nil {
				t.Fatalf("soffice made no %s: %v: %s; run make install-packages", extension, err, out)
			}
		}
	}
	return paths
}

// formats converts a document of each type.
func formats(t *testing.T, e domain.Engine) {
	for kind, path := range Documents(t, Folder(t)) {
		if missing := e.Missing(kind); missing != "" {
			t.Errorf("%s cannot be converted without %s; run make install-packages", kind, missing)
			continue
		}
		pdf, err := e.Convert(t.Context(), Copy(t, path), kind, "")
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		expectPages(t, kind, pdf)
		text := Text(t, pdf)
		if !strings.Contains(text, Said) {
			t.Errorf("%s: the PDF contains %q", kind, text)
		}
		if pageless[kind] && !strings.Contains(output(t, "pdfinfo", pdf), "(A4)") {
			t.Errorf("%s: the pages are not A4", kind)
		}
		if kind == filetype.CSV && (!strings.Contains(text, "007") || !strings.Contains(text, "a;b") || !strings.Contains(text, "1,50")) {
			t.Errorf("the values of the CSV have changed: %q", text)
		}
	}
	if e.Missing(filetype.Unknown) == "" {
		t.Error("nothing is missing to convert a file of unknown type")
	}
}

// pageless holds the types whose documents here do not give the size of their pages.
var pageless = map[filetype.Type]bool{filetype.Text: true, filetype.HTML: true, filetype.CSV: true, filetype.ODS: true}

// Copy copies a document into a new folder and returns its path there.
func Copy(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	to := filepath.Join(Folder(t), "input"+filepath.Ext(path))
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// linked returns documents that are not for word processors and refer to where, by name.
func linked(where string) map[string]string {
	css := fmt.Sprintf(`<style>@import url("%s"); body { background: url("%s") }</style>`, where, where)
	return map[string]string{
		"page.html": `<html><head><base href="` + where + `"><link rel="stylesheet" href="` + where + `"><meta http-equiv="refresh" content="0;url=` + where + `">` + css +
			`</head><body>before<img src="` + where + `"><iframe src="` + where + `"></iframe><object data="` + where + `"></object><embed src="` + where + `"><script src="` + where + `"></script></body></html>`,
		"picture.svg": `<?xml version="1.0"?><?xml-stylesheet href="` + where + `"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="300" height="100"><text x="10" y="50">before</text>` +
			`<image xlink:href="` + where + `" width="90" height="90"/><use xlink:href="` + where + `#x"/><foreignObject width="90" height="90"><iframe xmlns="http://www.w3.org/1999/xhtml" src="` + where + `"/></foreignObject></svg>`,
		"entity.svg": `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "` + where + `">]><svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><text x="10" y="50">before</text><text x="10" y="80">&e;</text></svg>`,
		"cells.csv":  "before,=WEBSERVICE(\"" + where + "\"),\"=DDE(\"\"soffice\"\";\"\"" + where + "\"\";\"\"all\"\")\"\n",
		"cells.fods": flat("spreadsheet", sheetWith(`of:='`+where+`'#$s.A1`, `of:=WEBSERVICE(&quot;`+where+`&quot;)`, `of:=DDE(&quot;soffice&quot;;&quot;`+where+`&quot;;&quot;all&quot;)`)),
		"sheet.fods": flat("spreadsheet", `<table:table table:name="s"><table:table-source xlink:href="`+where+`" table:mode="copy-all"/><table:table-row><table:table-cell office:value-type="string"><text:p>before</text:p></table:table-cell></table:table-row></table:table>`),
		"slide.fodp": flat("presentation", strings.Replace(frame, Said, "before", 1)+`<draw:frame svg:x="2cm" svg:y="9cm" svg:width="3cm" svg:height="3cm"><draw:image xlink:href="`+where+`" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`+
			`<draw:frame svg:x="9cm" svg:y="9cm" svg:width="3cm" svg:height="3cm"><draw:plugin xlink:href="`+where+`" xlink:type="simple"/></draw:frame><draw:frame svg:x="14cm" svg:y="9cm" svg:width="3cm" svg:height="3cm"><draw:object xlink:href="`+where+`" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`),
	}
}

// sheetWith returns a table with formulas.
func sheetWith(formulas ...string) string {
	cells := `<table:table-cell office:value-type="string"><text:p>before</text:p></table:table-cell>`
	for _, f := range formulas {
		cells += `<table:table-cell table:formula="` + f + `" office:value-type="string" office:string-value="old"><text:p>old</text:p></table:table-cell>`
	}
	return `<table:table table:name="s"><table:table-row>` + cells + `</table:table-row></table:table>`
}
