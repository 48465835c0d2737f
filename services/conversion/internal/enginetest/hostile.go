package enginetest

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// sink is a server that records a connection.
type sink struct {
	url     string
	visited chan string
}

func newSink(t *testing.T) *sink {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	s := &sink{url: "http://" + ln.Addr().String(), visited: make(chan string, 1)}
	go func() {
		if conn, err := ln.Accept(); err == nil {
			s.visited <- conn.RemoteAddr().String()
			_ = conn.Close()
		}
	}()
	return s
}

func (s *sink) expectSilence(t *testing.T) {
	t.Helper()
	select {
	case who := <-s.visited:
		t.Errorf("the engine connected to the server from %s", who)
	default:
	}
}

// Words that must not be in a PDF: those of a file outside, and those that a macro writes.
const (
	secret    = "the-content-of-a-file-outside"
	macroSaid = "the-macro-ran"
)

// nothingIsRead converts documents that refer to a file outside and to a server in every
// way that word processors follow, and one with a macro that runs when it is opened. Each
// is converted, without the file's text.
func nothingIsRead(t *testing.T, e domain.Engine) {
	outside := filepath.Join(Folder(t), "secret.txt")
	if err := os.WriteFile(outside, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	server := newSink(t)
	for _, where := range []string{"file://" + outside, outside, server.url + "/secret.txt"} {
		documents := hostile(where)
		for name, content := range linked(where) {
			documents[name] = content
		}
		for name, document := range documents {
			t.Run(name, func(t *testing.T) {
				pdf, err := e.Convert(t.Context(), writeHostile(t, name, document), hostileTypes[filepath.Ext(name)], "")
				if err != nil {
					t.Fatal(err)
				}
				text := Text(t, pdf)
				if !strings.Contains(text, "before") || strings.Contains(text, secret) || strings.Contains(text, macroSaid) {
					t.Errorf("the PDF contains %q", text)
				}
			})
		}
	}
	server.expectSilence(t)
}

// hostileTypes are the types of hostile documents by extension. Flat OpenDocument is read by
// the same filters as the packages.
var hostileTypes = map[string]filetype.Type{
	".docx": filetype.DOCX, ".rtf": filetype.RTF, ".odt": filetype.ODT, ".html": filetype.HTML, ".svg": filetype.SVG,
	".csv": filetype.CSV, ".fods": filetype.ODS, ".fodp": filetype.ODP,
}

// writeHostile writes a document, which is text or the parts of a package.
func writeHostile(t *testing.T, name string, document any) string {
	t.Helper()
	path := filepath.Join(Folder(t), "input"+filepath.Ext(name))
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	switch document := document.(type) {
	case string:
		if _, err := f.WriteString(document); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	case map[string]string:
		writeParts(t, f, document)
	}
	return path
}

// hostile returns documents that refer to where, by name: text, or the parts of a package.
func hostile(where string) map[string]any {
	field := func(instruction string) string {
		return `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText xml:space="preserve"> ` + instruction +
			` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>old</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	}
	relation := func(kind string) string {
		return `<Relationship Id="x" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + where + `" TargetMode="External"/>`
	}
	return map[string]any{
		"INCLUDETEXT.docx":    docx(field(`INCLUDETEXT "`+where+`"`), ""),
		"INCLUDEPICTURE.docx": docx(field(`INCLUDEPICTURE "`+where+`" \d`), ""),
		"DDEAUTO.docx":        docx(field(`DDEAUTO soffice "`+where+`" "all"`), ""),
		"LINK.docx":           docx(field(`LINK Word.Document.8 "`+where+`" "" \a \t`), ""),
		"RD.docx":             docx(field(`RD "`+where+`"`), ""),
		"altChunk.docx":       docx(`<w:altChunk r:id="x"/>`, relation("aFChunk")),
		"subDoc.docx":         docx(`<w:subDoc r:id="x"/>`, relation("subDocument")),
		"attached template.docx": docx("", `<Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/settings" Target="settings.xml"/>`,
			"word/settings.xml", `<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:attachedTemplate r:id="x"/><w:linkStyles/></w:settings>`,
			"word/_rels/settings.xml.rels", relations(relation("attachedTemplate"))),
		"linked object.docx": docx(`<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Link" ProgID="Word.Document.12" DrawAspect="Content" ObjectID="_1" UpdateMode="Always" r:id="x"/></w:object></w:r></w:p>`, relation("oleObject")),
		"field.rtf":          `{\rtf1\ansi before\par {\field\flddirty{\*\fldinst INCLUDETEXT "` + where + `"}{\fldrslt old}}{\field{\*\fldinst INCLUDEPICTURE "` + where + `"}{\fldrslt old}}}`,
		"template.rtf":       `{\rtf1\ansi{\*\template ` + where + `} before\par}`,
		"section.odt": odt(`<text:section text:name="s"><text:section-source xlink:type="simple" xlink:href="` + where + `" xlink:show="embed"/></text:section>` +
			`<text:p><draw:frame draw:name="f" svg:width="3cm" svg:height="3cm" text:anchor-type="as-char"><draw:image xlink:href="` + where + `" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`),
		"object.odt": odt(`<text:p><draw:frame draw:name="f" svg:width="3cm" svg:height="3cm" text:anchor-type="as-char"><draw:object xlink:href="` + where + `" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`),
		"dde.odt":    odt(`<text:dde-connection-decls><text:dde-connection-decl office:name="d" office:dde-application="soffice" office:dde-topic="` + where + `" office:dde-item="all" office:automatic-update="true"/></text:dde-connection-decls><text:p><text:dde-connection text:connection-name="d">old</text:dde-connection></text:p>`),
		"macro.odt":  odt(``),
	}
}

// relations returns a part with relationships.
func relations(list string) string {
	return `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + list + `</Relationships>`
}

// docx returns the parts of a DOCX with a body and relationships. More parts follow, name
// and content in turn.
func docx(body, relationships string, more ...string) map[string]string {
	types := strings.Replace(contentTypes, "</Types>", `<Override PartName="/word/settings.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml"/></Types>`, 1)
	parts := map[string]string{
		"[Content_Types].xml": types, "_rels/.rels": packageRels,
		"word/document.xml":            `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>` + Paragraph("before") + body + `</w:body></w:document>`,
		"word/_rels/document.xml.rels": relations(relationships),
	}
	for i := 0; i+1 < len(more); i += 2 {
		parts[more[i]] = more[i+1]
	}
	return parts
}

// odt returns the parts of an OpenDocument text with a body, and a macro that runs when the
// document is opened.
func odt(body string) map[string]string {
	const namespaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" office:version="1.3"`
	const library = `<?xml version="1.0"?><!DOCTYPE library:%s PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd">`
	return map[string]string{
		"mimetype": "application/vnd.oasis.opendocument.text",
		"META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/>` +
			`<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="Basic/script-lc.xml" manifest:media-type="text/xml"/>` +
			`<manifest:file-entry manifest:full-path="Basic/Standard/script-lb.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="Basic/Standard/Module1.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
		"content.xml": `<office:document-content ` + namespaces + `><office:scripts><office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>` +
			`<office:body><office:text><text:p>before</text:p>` + body + `</office:text></office:body></office:document-content>`,
		"Basic/script-lc.xml":          strings.Replace(library, "%s", "libraries", 1) + `<library:libraries xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard" library:link="false"/></library:libraries>`,
		"Basic/Standard/script-lb.xml": strings.Replace(library, "%s", "library", 1) + `<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Module1"/></library:library>`,
		"Basic/Standard/Module1.xml":   `<?xml version="1.0"?><!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd"><script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">Sub Main&#10;ThisComponent.Text.String = &quot;` + macroSaid + `&quot;&#10;End Sub&#10;</script:module>`,
	}
}
