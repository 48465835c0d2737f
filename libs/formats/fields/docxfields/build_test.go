package docxfields

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

const (
	officeDocument = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	drawingML      = "http://schemas.openxmlformats.org/drawingml/2006/"
	prolog         = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n"
	office         = officeDocument + "/"
	wordType       = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	spaces         = `xmlns:w="` + wml.Space + `" xmlns:w14="` + wml.Space2010 + `" xmlns:w15="` + wml.Space2012 + `" xmlns:mc="` + wml.SpaceCompatibility +
		`" xmlns:wp="` + drawingML + `wordprocessingDrawing" xmlns:a="` + drawingML + `main" xmlns:pic="` + drawingML + `picture" xmlns:r="` + officeDocument +
		`" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml" mc:Ignorable="w14 w15"`
	section = `<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr>`
)

// entry is an entry of a container.
type entry struct{ name, body string }

// body returns a main part with the content.
func body(content string) string {
	return prolog + `<w:document ` + spaces + `><w:body>` + content + section + `</w:body></w:document>`
}

// document returns a document with the content and more parts. Headers, footers, notes
// and custom XML get relationships according to their names.
func document(t testing.TB, content string, more ...entry) []byte {
	t.Helper()
	types := `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/word/document.xml" ContentType="` + wordType + `document.main+xml"/>`
	var ofMain strings.Builder
	ofPackage := relationship("rId1", office+"officeDocument", "word/document.xml")
	for i, e := range more {
		id := "rId" + string(rune('A'+i))
		for _, kind := range []string{"header", "footer", "footnotes", "endnotes", "styles"} {
			if strings.HasPrefix(e.name, "word/"+kind) {
				types += `<Override PartName="/` + e.name + `" ContentType="` + wordType + kind + `+xml"/>`
				ofMain.WriteString(relationship(id, office+kind, strings.TrimPrefix(e.name, "word/")))
			}
		}
		switch {
		case strings.HasPrefix(e.name, "customXml/item") && !strings.Contains(e.name, "Props"):
			ofMain.WriteString(relationship(id, office+"customXml", "../"+e.name))
		case e.name == "docProps/core.xml":
			types += `<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>`
			ofPackage += relationship("rId2", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", e.name)
		}
	}
	all := append([]entry{
		{"[Content_Types].xml", prolog + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` + types + `</Types>`},
		{"_rels/.rels", relationships(ofPackage)},
		{"word/document.xml", content},
		{"word/_rels/document.xml.rels", relationships(ofMain.String())},
	}, more...)
	return pack(t, all)
}

func relationship(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + kind + `" Target="` + target + `"/>`
}

func relationships(list string) string {
	return prolog + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + list + `</Relationships>`
}

// pack writes a container.
func pack(t testing.TB, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err == nil {
			_, err = io.WriteString(f, e.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open opens a valid document.
func open(t testing.TB, file []byte) *Document {
	t.Helper()
	p, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
	if err == nil {
		err = p.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fill fills a file and returns the result, which must open without errors and break no
// rule of Word's that the file did not break before.
func fill(t testing.TB, file []byte, values map[string]fields.Filling) []byte {
	t.Helper()
	filled := fillAny(t, file, values)
	checkStructure(t, file, filled)
	return filled
}

// fillAny fills a file with any content and returns the result, which must open without
// errors.
func fillAny(t testing.TB, file []byte, values map[string]fields.Filling) []byte {
	t.Helper()
	d := open(t, file)
	if err := d.Fill(values); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := d.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, out.Len(), err)
	}
	open(t, out.Bytes())
	return out.Bytes()
}

// parts returns the content of all parts by their names.
func parts(t testing.TB, file []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(b)
	}
	return all
}

// mainPart returns the content of the body of the main part.
func mainPart(t testing.TB, file []byte) string {
	t.Helper()
	text := parts(t, file)["word/document.xml"]
	_, text, _ = strings.Cut(text, "<w:body>")
	text, _, _ = strings.Cut(text, "<w:sectPr>")
	return text
}

// text returns a text value.
func text(s string) fields.Filling { return fields.Filling{Type: fields.Text, Text: s} }

// picture returns a picture of one color with another one in its first quarter.
func picture(t testing.TB, mediaType string, width, height, orientation int, seed uint8) fields.Picture {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{seed, 100, 200, 255}
			if x < width/2 && y < height/2 {
				c = color.RGBA{250, 30, 30, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	var err error
	if mediaType == "image/png" {
		err = png.Encode(&b, m)
	} else {
		err = jpeg.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fields.Picture{
		MediaType: mediaType, Width: width, Height: height, Orientation: orientation, Size: int64(b.Len()), SHA256: sha256.Sum256(b.Bytes()),
		Open: func() io.Reader { return bytes.NewReader(b.Bytes()) },
	}
}

// sdt returns a content control with the tag, more properties, and the content.
func sdt(tag, properties, content string) string {
	return `<w:sdt><w:sdtPr><w:tag w:val="` + strings.ReplaceAll(tag, `"`, "&quot;") + `"/>` + properties + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
}

func p(content string) string { return `<w:p>` + content + `</w:p>` }

func r(s string) string {
	if strings.TrimSpace(s) != s {
		return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>`
	}
	return `<w:r><w:t>` + s + `</w:t></w:r>`
}

// nothing returns the content of an empty file.
func nothing() io.Reader { return strings.NewReader("") }
