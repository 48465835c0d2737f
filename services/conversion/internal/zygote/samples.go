package zygote

import (
	"archive/zip"
	_ "embed"
	"errors"
	"os"
	"path/filepath"

	"github.com/rectohq/recto/libs/formats/filetype"
)

// sample is a document that fills LibreOffice's caches: the filters, the fonts that most
// documents name, tables, lists and the export to PDF.
type sample struct {
	name  string
	kind  filetype.Type
	parts map[string]string // of a package; otherwise the content is text
	text  string
}

// write writes the sample into the folder dir.
func (s sample) write(dir string) (err error) {
	f, err := os.Create(filepath.Join(dir, s.name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if s.parts == nil {
		_, err := f.WriteString(s.text)
		return err
	}
	z := zip.NewWriter(f)
	for name, content := range s.parts {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte(content)); err != nil {
			return err
		}
	}
	return z.Close()
}

//go:embed samples/document.xml
var sampleDocument string

//go:embed samples/styles.xml
var sampleStyles string

//go:embed samples/sheet.xml
var sampleSheet string

//go:embed samples/slide.xml
var sampleSlide string

// samples are converted by each zygote in this order, if LibreOffice has what reads them.
var samples = []sample{
	{name: "sample.txt", kind: filetype.Text, text: "A line of text.\n"},
	{name: "sample.fods", kind: filetype.ODS, text: sampleSheet},
	{name: "sample.fodp", kind: filetype.ODP, text: sampleSlide},
	{name: "sample.docx", kind: filetype.DOCX, parts: map[string]string{
		"[Content_Types].xml":          `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`,
		"_rels/.rels":                  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels": `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
		"word/document.xml":            sampleDocument,
		"word/styles.xml":              sampleStyles,
	}},
}
