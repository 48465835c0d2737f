package sourcetest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// DOCX describes a Word document to write.
type DOCX struct {
	// Title and GUID are properties of the document.
	Title, GUID string
	// Body is the XML of the body.
	Body string
}

// Paragraph returns the XML of a paragraph in the style, "" for none.
func Paragraph(style, text string) string {
	if style != "" {
		style = fmt.Sprintf(`<w:pPr><w:pStyle w:val="%s"/></w:pPr>`, style)
	}
	return fmt.Sprintf(`<w:p>%s<w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, style, escaped(text))
}

// Control returns the XML of a paragraph with a label followed by a content control, which
// is empty if the text is "".
func Control(label, tag, text string) string {
	return fmt.Sprintf(`<w:p><w:r><w:t xml:space="preserve">%s </w:t></w:r><w:sdt><w:sdtPr><w:alias w:val="%[1]s"/><w:tag w:val="%s"/><w:text/></w:sdtPr><w:sdtContent><w:r><w:t>%s</w:t></w:r></w:sdtContent></w:sdt></w:p>`,
		escaped(label), escaped(tag), escaped(text))
}

func escaped(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(text)) // a bytes.Buffer never fails
	return out.String()
}

const (
	prolog        = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	packages      = "http://schemas.openxmlformats.org/package/2006/"
	relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	wordML        = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordType      = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

// Bytes returns the file. It is the same for the same DOCX.
func (d DOCX) Bytes() []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="` + wordType + `document.main+xml"/><Override PartName="/word/styles.xml" ContentType="` + wordType + `styles+xml"/><Override PartName="/word/settings.xml" ContentType="` + wordType + `settings+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + relationships + `/officeDocument" Target="word/document.xml"/>` +
			`<Relationship Id="rId2" Type="` + packages + `relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`},
		{"docProps/core.xml", `<cp:coreProperties xmlns:cp="` + packages + `metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>` + escaped(d.Title) + `</dc:title><dcterms:created>2024-02-29T12:00:00Z</dcterms:created></cp:coreProperties>`},
		{"word/document.xml", `<w:document xmlns:w="` + wordML + `"><w:body>` + d.Body + `<w:sectPr><w:pgSz w:w="12240" w:h="15840"/></w:sectPr></w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<Relationships xmlns="` + packages + `relationships"><Relationship Id="rId1" Type="` + relationships + `/styles" Target="styles.xml"/><Relationship Id="rId2" Type="` + relationships + `/settings" Target="settings.xml"/></Relationships>`},
		{"word/styles.xml", `<w:styles xmlns:w="` + wordML + `"><w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>`},
		{"word/settings.xml", `<w:settings xmlns:w="` + wordML + `" xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"><w15:docId w15:val="` + d.GUID + `"/></w:settings>`},
	} {
		w, err := z.Create(e[0])
		if err == nil {
			_, err = w.Write([]byte(prolog + e[1]))
		}
		if err != nil {
			panic(err) // a bytes.Buffer never fails
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Lines returns the lines of text as a PDF shows them.
func Lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
