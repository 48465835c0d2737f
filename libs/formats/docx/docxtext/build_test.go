package docxtext_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
)

const (
	prolog   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	office   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	wordType = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	space    = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	spaces   = `xmlns:w="` + space + `" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"` +
		` xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"` +
		` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`
)

// entry is a part with its name and content.
type entry struct{ name, body string }

// root returns a part with the root element.
func root(tag, content string) string {
	return prolog + `<w:` + tag + ` ` + spaces + `>` + content + `</w:` + tag + `>`
}

// body returns a main part.
func body(content string) string {
	return root("document", `<w:body>`+content+`<w:sectPr/></w:body>`)
}

// p returns a paragraph, r a run of text, and styled a paragraph with properties.
func p(content string) string { return `<w:p>` + content + `</w:p>` }
func r(text string) string    { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }
func styled(properties, text string) string {
	return p(`<w:pPr>` + properties + `</w:pPr>` + r(text))
}

// file returns a document with the main part and other parts, whose relationship types
// follow from their names.
func file(t testing.TB, main string, more ...entry) []byte {
	t.Helper()
	types := `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="` + wordType + `document.main+xml"/>`
	ofPackage := relationship("rId1", office+"officeDocument", "word/document.xml")
	ofMain := ""
	for i, e := range more {
		id := "rId" + string(rune('A'+i))
		for _, kind := range []string{"header", "footer", "footnotes", "endnotes", "styles", "numbering", "settings"} {
			if strings.HasPrefix(e.name, "word/"+kind) {
				ofMain += relationship(id, office+kind, strings.TrimPrefix(e.name, "word/"))
			}
		}
		if e.name == "docProps/core.xml" {
			ofPackage += relationship("rId2", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", e.name)
		}
	}
	list := func(s string) string {
		return prolog + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + s + `</Relationships>`
	}
	return pack(t, append([]entry{
		{"[Content_Types].xml", prolog + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` + types + `</Types>`},
		{"_rels/.rels", list(ofPackage)}, {"word/document.xml", main}, {"word/_rels/document.xml.rels", list(ofMain)},
	}, more...))
}

func relationship(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + kind + `" Target="` + target + `"/>`
}

// pack writes a container.
func pack(t testing.TB, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err == nil {
			_, err = w.Write([]byte(e.body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open opens a valid document.
func open(t testing.TB, file []byte) *docx.Package {
	t.Helper()
	pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
