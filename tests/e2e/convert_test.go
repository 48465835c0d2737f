package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/filetype/filetypetest"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

type converted struct {
	DownloadURL string `json:"download_url"`
	ExpiresAt   int64  `json:"expires_at"`
}

type inline struct {
	FileBase64 string `json:"file_base64"`
	Filename   string `json:"filename"`
}

func inlineBody(name string, content []byte) object {
	return object{"file_base64": base64.StdEncoding.EncodeToString(content), "filename": name}
}

// pdfText returns the text of a PDF.
func pdfText(t *testing.T, pdf []byte) string {
	t.Helper()
	cmd := exec.Command("pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v; make install-packages installs it", err)
	}
	return string(out)
}

// samples returns small files of every convertible type, by name. The text of each is
// "Sample text …".
func samples(t *testing.T) map[string][]byte {
	rtf := `{\rtf1\ansi\deff0{\fonttbl{\f0 Times New Roman;}}\f0 Sample text in RTF\par}`
	utf16 := []byte{0xFF, 0xFE}
	for _, r := range "Sample text Größe" {
		utf16 = append(utf16, byte(r), byte(r>>8))
	}
	odt := openDocument("text", `<text:p>Sample text in ODT</text:p>`)
	ods := openDocument("spreadsheet", `<table:table table:name="s"><table:table-row><table:table-cell office:value-type="string"><text:p>Sample text in ODS</text:p></table:table-cell></table:table-row></table:table>`)
	odp := openDocument("presentation", `<draw:page><draw:frame svg:x="2cm" svg:y="2cm" svg:width="15cm" svg:height="3cm"><draw:text-box><text:p>Sample text in ODP</text:p></draw:text-box></draw:frame></draw:page>`)
	docx := harness.DOCX(harness.Paragraph{Text: "Sample text in DOCX: Größe, Zoë & Söhne"})
	doc := wordDocument(t)
	return map[string][]byte{
		"docx.pdf": docx, "docx.txt": docx, "odt.docx": odt, "rtf.doc": []byte(rtf), "doc.docm": doc,
		"a.docx": docx, "a.DOCX": docx, "a.dotx": docx, "no-extension": docx, "a.bin": docx, "a.b.docx": docx,
		"a.odt": odt, "a.rtf": []byte(rtf), "a.txt": []byte("Sample text <b>in</b> UTF-8: Größe"),
		"latin.txt": []byte("Sample text in Latin-1: Gr\xf6\xdfe"), "utf16.txt": utf16, "a.md": []byte("# Sample text"),
		"theme.docx": damagedTheme(), "a.doc": doc, "a.ods": ods, "a.odp": odp, "a.xlsx": workbook(), "ods.docx": ods,
		"a.html": []byte("<!DOCTYPE html><html><body><h1>Sample text in HTML</h1></body></html>"),
		"a.csv":  []byte("Sample text in CSV;1,5\n007;x\n"),
		"a.svg":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><text x="10" y="50">Sample text in SVG</text></svg>`),
	}
}

// damagedTheme returns a DOCX whose theme is cut off.
func damagedTheme() []byte {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	return harness.Zip(
		[2]string{"[Content_Types].xml", strings.Replace(wordTypes, "</Types>", `<Override PartName="/word/theme.xml" ContentType="application/vnd.openxmlformats-officedocument.theme+xml"/></Types>`, 1)},
		[2]string{"_rels/.rels", wordRels},
		[2]string{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="t" Type="` + office + `/theme" Target="theme.xml"/></Relationships>`},
		[2]string{"word/theme.xml", `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements><a:`},
		[2]string{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Sample text with a damaged theme</w:t></w:r></w:p></w:body></w:document>`},
	)
}

// openDocument returns an OpenDocument file of a kind with a body.
func openDocument(kind, body string) []byte {
	const namespaces = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"`
	return harness.Zip(
		[2]string{"mimetype", "application/vnd.oasis.opendocument." + kind},
		[2]string{"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.` + kind + `"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`},
		[2]string{"content.xml", `<office:document-content ` + namespaces + `><office:body><office:` + kind + `>` + body + `</office:` + kind + `></office:body></office:document-content>`},
	)
}

// workbook returns an XLSX.
func workbook() []byte {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	relation := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="` + office + "/" + kind + `" Target="` + target + `"/></Relationships>`
	}
	return harness.Zip(
		[2]string{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
		[2]string{"_rels/.rels", relation("officeDocument", "xl/workbook.xml")},
		[2]string{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + office + `"><sheets><sheet name="s" sheetId="1" r:id="r"/></sheets></workbook>`},
		[2]string{"xl/_rels/workbook.xml.rels", relation("worksheet", "sheet.xml")},
		[2]string{"xl/sheet.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Sample text in XLSX</t></is></c></row></sheetData></worksheet>`},
	)
}

// TestConvertPictures converts pictures, which are on the pages of the PDF as they were.
func TestConvertPictures(t *testing.T) {
	c := shared.NewClient(t)
	m := image.NewGray(image.Rect(0, 0, 96, 48))
	var asPNG, asJPEG bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, m), jpeg.Encode(&asJPEG, m, nil)); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.png": asPNG.Bytes(), "a.jpeg": asJPEG.Bytes(), "jpeg.png": asJPEG.Bytes()} {
		d := upload(t, c, name, content)
		var stored converted
		c.Post("/documents/"+d.ID+"/convert", nil).OK(&stored)
		var answer inline
		c.Post("/documents/convert", inlineBody(name, content)).OK(&answer)
		pdf, err := base64.StdEncoding.DecodeString(answer.FileBase64)
		if err != nil || !bytes.Equal(pdf, c.Raw(http.MethodGet, stored.DownloadURL, nil, nil).Body) {
			t.Errorf("%s: the stored and the inline file are converted to different PDFs: %v", name, err)
		}
		var pages pageList
		c.Get("/documents/" + d.ID + "/pages").OK(&pages)
		if len(pages.Items) != 1 || pages.Items[0].Width != 72 || pages.Items[0].Height != 36 {
			t.Errorf("%s: the pages are %+v", name, pages.Items)
		}
	}
}

// wordDocument returns a DOC that LibreOffice has converted from a DOCX.
func wordDocument(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "a.docx")
	if err := os.WriteFile(in, harness.DOCX(harness.Paragraph{Text: "Sample text in DOC"}), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("soffice", "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", "doc", "--outdir", dir, in)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("create a DOC: %v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, "a.doc"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestConvertStored converts a stored document of each type.
func TestConvertStored(t *testing.T) {
	c := shared.NewClient(t)
	for name, content := range samples(t) {
		if !strings.Contains(name, ".") {
			continue // names of stored files need an extension
		}
		t.Run(name, func(t *testing.T) {
			d := upload(t, c, name, content)
			before := time.Now().UnixMilli()
			var got converted
			c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
			if low, high := before+14*60_000, time.Now().UnixMilli()+15*60_000; got.ExpiresAt < low || got.ExpiresAt > high {
				t.Errorf("expires_at is %d, want from %d to %d", got.ExpiresAt, low, high)
			}
			a := c.Raw(http.MethodGet, got.DownloadURL, nil, nil)
			if a.Status != 200 || !strings.Contains(pdfText(t, a.Body), "Sample text") {
				t.Errorf("the download returns %d, %d bytes", a.Status, len(a.Body))
			}
			want := fmt.Sprintf(`attachment; filename="%s.pdf"`, strings.TrimSuffix(name, filepath.Ext(name)))
			if a.Header.Get("Content-Disposition") != want || a.Header.Get("Content-Type") != "application/pdf" {
				t.Errorf("the download is %s as %s", a.Header.Get("Content-Disposition"), a.Header.Get("Content-Type"))
			}
		})
	}
}

// warmAttempts matches the metric of an instance that has converted in a copy of a warm
// LibreOffice.
var warmAttempts = regexp.MustCompile(`(?m)^recto_conversion_attempts_total\{engine="warm"\} [1-9]`)

// TestConvertWarm shows that documents are converted by copies of a warm LibreOffice, not
// only by the engine that stands in for it.
func TestConvertWarm(t *testing.T) {
	c := shared.NewClient(t)
	document := wordDocument(t)
	patience.Until(t, "a copy of a warm LibreOffice converts", func() bool {
		var pdf inline
		c.Post("/documents/convert", inlineBody("warm.docx", document)).OK(&pdf)
		return warmAttempts.MatchString(shared.Metrics(t, "conversion"))
	})
}

// TestConvertStoredParameters checks the query parameters, and that the same content is
// converted only once.
func TestConvertStoredParameters(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	path := "/documents/" + d.ID + "/convert"
	var first converted
	c.Post(path, nil).OK(&first)
	for _, query := range []string{"?format=pdf", "?format=PDF", "?version_number=1", "?format=Pdf&version_number=1"} {
		var again converted
		c.Do(harness.Request{Method: "POST", Path: path + query, Body: "ignored {"}).OK(&again)
		if keyOf(again.DownloadURL) != keyOf(first.DownloadURL) {
			t.Errorf("%s: the same content was converted again", query)
		}
	}
	c.Post(path+"?version_number=2", nil).Fails(404, 4002)
	c.Post(path+"?version_number=0", nil).Fails(404, 4002)
	c.Post(path+"?version_number=x", nil).FailsWith(3003, "version_number version_invalid")
	c.Post(path+"?format=docx", nil).FailsWith(3001, "format format_unsupported")
	c.Post(path+"?format=", nil).FailsWith(3001, "format format_unsupported")
	c.Post(path+"?format=html&version_number=x", nil).FailsWith(3001, "format format_unsupported", "version_number version_invalid")
	c.Post("/documents/doc_01h455vb4pex5vsknk084sn02q/convert", nil).Fails(404, 4001)
}

// TestConvertProfiles converts to PDF/A and PDF/UA. A profile makes another file of the same
// document, and what cannot conform is refused.
func TestConvertProfiles(t *testing.T) {
	c := shared.NewClient(t)
	document := harness.DOCX(harness.Paragraph{Text: "Sample text"})
	d := upload(t, c, "a.docx", document)
	path := "/documents/" + d.ID + "/convert"
	var plain, archived converted
	c.Post(path, nil).OK(&plain)
	c.Post(path+"?profile=PDF/A-2B", nil).OK(&archived)
	pdf := c.Raw(http.MethodGet, archived.DownloadURL, nil, nil).Body
	if keyOf(plain.DownloadURL) == keyOf(archived.DownloadURL) || !bytes.Contains(pdf, []byte("<pdfaid:part>2</pdfaid:part>")) {
		t.Errorf("the PDF of %d bytes at %s is no PDF/A-2", len(pdf), archived.DownloadURL)
	}
	var answer inline
	body := inlineBody("a.docx", document)
	body["profile"] = "pdf/a-2b"
	c.Post("/documents/convert", body).OK(&answer)
	if content, err := base64.StdEncoding.DecodeString(answer.FileBase64); err != nil || !bytes.Equal(content, pdf) {
		t.Errorf("the inline file is another PDF: %v", err)
	}
	if p := c.Post(path+"?profile=pdf/ua", nil).Fails(400, 3001); p.Errors != nil || !strings.Contains(p.Detail, "it has no title; set one") {
		t.Errorf("without a title: %+v", p)
	}
	body["profile"] = "pdf/ua"
	if p := c.Post("/documents/convert", body).Fails(400, 3001); p.Errors != nil || !strings.Contains(p.Detail, "it has no title; set one") {
		t.Errorf("inline, without a title: %+v", p)
	}
	c.Post(path+"?profile=pdf/x", nil).FailsWith(3001, "profile invalid_enum")
	c.Post(path+"?profile=pdf/ua&profile=pdf/ua", nil).FailsWith(3001, "profile invalid_enum")
	body["profile"] = "pdf/x"
	c.Post("/documents/convert", body).FailsWith(3001, "profile invalid_enum")
	original := upload(t, c, "b.pdf", pdf)
	if p := c.Post("/documents/"+original.ID+"/convert?profile=pdf/a-3b", nil).Fails(400, 3001); !strings.Contains(p.Detail, "is PDF, which cannot be converted to pdf/a-3b") {
		t.Errorf("of a PDF: %+v", p)
	}
}

// TestConvertDetails checks the details of a converted file in the response and in the result
// of a job.
func TestConvertDetails(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.txt", []byte("one\ftwo"))
	var got, again convertedDetails
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
	pdf := c.Raw(http.MethodGet, got.DownloadURL, nil, nil).Body
	if got.Size != int64(len(pdf)) || got.PageCount < 1 || len(got.PageSizes) != 1 || got.PageSizes[0].LastPage != got.PageCount ||
		math.Abs(got.PageSizes[0].Width-595.3) > .1 || math.Abs(got.PageSizes[0].Height-841.9) > .1 {
		t.Errorf("got %+v for %d bytes", got, len(pdf))
	}
	var job accepted
	later(c, "/documents/"+d.ID+"/convert").Accepted(&job)
	ended(t, c, job.ID)
	var shown struct{ Result convertedDetails }
	if c.Get("/jobs/" + job.ID).OK(&shown); shown.Result.Size != got.Size || shown.Result.PageCount != got.PageCount || !slices.Equal(shown.Result.PageSizes, got.PageSizes) {
		t.Errorf("the job's result is %+v", shown.Result)
	}
	page := upload(t, c, "a.html", []byte(`<html><body style="font-family: Calibri">Sample text</body></html>`))
	c.Post("/documents/"+page.ID+"/convert", nil).OK(&again)
	if len(again.ReplacedFonts) != 1 || again.ReplacedFonts[0].Font != "Calibri" || again.ReplacedFonts[0].Replacement != "Carlito" {
		t.Errorf("the replaced fonts are %+v", again.ReplacedFonts)
	}
	original := upload(t, c, "b.pdf", pdf)
	if c.Post("/documents/"+original.ID+"/convert", nil).OK(&again); again.Size != got.Size || again.PageCount != got.PageCount {
		t.Errorf("of the PDF: %+v", again)
	}
}

// convertedDetails is a response with details.
type convertedDetails struct {
	converted
	Size      int64 `json:"size"`
	PageCount int   `json:"page_count"`
	PageSizes []struct {
		FirstPage int `json:"first_page"`
		LastPage  int `json:"last_page"`
		Width     float64
		Height    float64
	} `json:"page_sizes"`
	ReplacedFonts []struct{ Font, Replacement string } `json:"replaced_fonts"`
}

// keyOf returns a presigned URL without its query: the URL of the object.
func keyOf(url string) string {
	path, _, _ := strings.Cut(url, "?")
	return path
}

// TestConvertStoredChoosesTheFirstConvertibleFile checks which file of a document is
// converted, and the error if none can be.
func TestConvertStoredChoosesTheFirstConvertibleFile(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, with("files", []object{
		{"name": "missing.docx", "type": "a/b"}, {"name": "photo.png", "type": "a/b"}, {"name": "good.docx", "type": "a/b"}, {"name": "other.docx", "type": "a/b"},
	}))
	png := []byte("\x89PNG\r\n\x1a\n not much of one")
	for i, content := range [][]byte{nil, png, harness.DOCX(harness.Paragraph{Text: "the good one"}), harness.DOCX(harness.Paragraph{Text: "the other one"})} {
		if content != nil {
			c.Raw(http.MethodPut, d.Files[i].UploadURL, content, nil)
		}
	}
	var got converted
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
	if text := pdfText(t, c.Raw(http.MethodGet, got.DownloadURL, nil, nil).Body); !strings.Contains(text, "the good one") {
		t.Errorf("the PDF says %q", text)
	}
	bad := create(t, c, with("files", []object{{"name": "missing.docx", "type": "a/b"}, {"name": "photo.png", "type": "a/b"}}))
	c.Raw(http.MethodPut, bad.Files[1].UploadURL, png, nil)
	p := c.Post("/documents/"+bad.ID+"/convert", nil).Fails(400, 3001)
	if p.Errors != nil || !strings.Contains(p.Detail, "missing.docx was not uploaded") || !strings.Contains(p.Detail, "photo.png is a damaged picture") {
		t.Errorf("the error is %+v", p)
	}
}

// refused returns files that cannot be converted, by name, with a part of the detail of
// their error.
func refused(t *testing.T) map[string]struct {
	content []byte
	detail  string
} {
	docx := harness.DOCX(harness.Paragraph{Text: "x"})
	bomb := harness.Zip([2]string{"[Content_Types].xml", "<Types/>"}, [2]string{"word/document.xml", strings.Repeat(" ", 400<<20)})
	type row = struct {
		content []byte
		detail  string
	}
	return map[string]row{
		"text.docx":  {[]byte("this is plain text"), "plain text, which does not match its name"},
		"image.docx": {[]byte("\x89PNG\r\n\x1a\n"), "is a damaged picture"},
		"pdf.docx":   {[]byte("%PDF-1.4"), "is damaged or not a PDF"},
		"html.docx":  {[]byte("<html><body>x</body></html>"), "is HTML, which does not match its name; change the extension to .html"},
		"mail.eml":   {[]byte("Subject: x\n\ntext"), "an e-mail or a web archive (MIME), which cannot be converted"},
		"sjis.txt":   {[]byte("\x96\x7b\x8c\x5f\x96\xf1\x82\xcd"), "is text that is not UTF-8; save it as UTF-8"},
		"encrypted.odt": {harness.Zip([2]string{"mimetype", "application/vnd.oasis.opendocument.text"},
			[2]string{"META-INF/manifest.xml", `<manifest><file-entry><encryption-data/></file-entry></manifest>`}), "is encrypted; remove its password first"},
		"drawing.svg":       {[]byte("not a drawing"), "plain text, which does not match its name"},
		"zip.docx":          {harness.Zip([2]string{"a.txt", "x"}), "is a container (ZIP) without the document"},
		"archive.zip":       {harness.Zip([2]string{"a.txt", "x"}), "ZIP, which cannot be converted"},
		"photo.jpg":         {[]byte("\xff\xd8\xff\xe0 JFIF"), "is a damaged picture"},
		"scan.tiff":         {[]byte("II*\x00\x08\x00\x00\x00"), "is a damaged picture"},
		"photo.gif":         {[]byte("GIF89a"), "GIF, which cannot be converted"},
		"sheet.xlsx":        {harness.Zip([2]string{"[Content_Types].xml", `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`}), "could not be converted"},
		"binary.bin":        {[]byte{0, 1, 2, 3, 4, 5}, "of an unknown type, which cannot be converted"},
		"truncated.docx":    {docx[:len(docx)-30], "is not a complete ZIP container"},
		"broken.docx":       {harness.Zip([2]string{"[Content_Types].xml", "<Types><Override"}), "list of content types cannot be read"},
		"bad-xml.docx":      {word("<w:document><w:body><w:p></w:body></w:p></w:document>"), "could not be converted"},
		"cut-xml.docx":      {word("<w:document><w:body>"), "word/document.xml"},
		"doctype.docx":      {word(`<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document>&e;</w:document>`), "DOCTYPE"},
		"no-relations.docx": {harness.Zip([2]string{"[Content_Types].xml", wordTypes}, [2]string{"word/document.xml", "<w:document/>"}), "is not a Word document"},
		"encrypted.docx":    {filetypetest.Compound("EncryptedPackage"), "is encrypted"},
		"ole.docx":          {[]byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and nothing else"), "damaged OLE container"},
		"bomb.docx":         {bomb, "unpacks to more than"},
	}
}

const (
	wordTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	wordRels  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
)

// word returns a DOCX with the given main part.
func word(document string) []byte {
	return harness.Zip([2]string{"[Content_Types].xml", wordTypes}, [2]string{"_rels/.rels", wordRels}, [2]string{"word/document.xml", document})
}

// TestConvertRefusals checks that stored and inline files that cannot be converted get
// the same errors.
func TestConvertRefusals(t *testing.T) {
	c := shared.NewClient(t)
	for name, row := range refused(t) {
		t.Run(name, func(t *testing.T) {
			c := c
			d := upload(t, c, name, row.content)
			for where, a := range map[string]*harness.Answer{
				"stored": c.Post("/documents/"+d.ID+"/convert", nil),
				"inline": c.Post("/documents/convert", inlineBody(name, row.content)),
			} {
				p := a.Fails(400, 3001)
				if p.Errors != nil || !strings.Contains(p.Detail, row.detail) {
					t.Errorf("%s: the detail is %q, want %q in it; errors %v", where, p.Detail, row.detail, p.Errors)
				}
			}
		})
	}
	empty := upload(t, c, "empty.docx", nil)
	if p := c.Post("/documents/"+empty.ID+"/convert", nil).Fails(400, 3001); !strings.Contains(p.Detail, "is empty") {
		t.Errorf("empty file: %q", p.Detail)
	}
	missing := create(t, c, valid())
	if p := c.Post("/documents/"+missing.ID+"/convert", nil).Fails(400, 3001); p.Errors != nil || !strings.Contains(p.Detail, "was not uploaded") {
		t.Errorf("nothing uploaded: %+v", p)
	}
}

// TestConvertInline converts an inline file of each type.
func TestConvertInline(t *testing.T) {
	c := shared.NewClient(t)
	for name, content := range samples(t) {
		t.Run(name, func(t *testing.T) {
			var got inline
			c.Post("/documents/convert", inlineBody(name, content)).OK(&got)
			pdf, err := base64.StdEncoding.DecodeString(got.FileBase64)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSuffix(name, filepath.Ext(name)) + ".pdf"; got.Filename != want {
				t.Errorf("filename is %q, want %q", got.Filename, want)
			}
			if text := pdfText(t, pdf); !strings.Contains(text, "Sample text") || strings.Contains(name, "tin.txt") && !strings.Contains(text, "Größe") {
				t.Errorf("the PDF says %q", text)
			}
		})
	}
}

// TestConvertInlineForms checks all accepted ways to write base64.
func TestConvertInlineForms(t *testing.T) {
	c := shared.NewClient(t)
	encoded := base64.StdEncoding.EncodeToString(onePagePDF())
	spaced := strings.Join(strings.Split(encoded, ""), " \r\n\t")
	for name, value := range map[string]string{
		"plain": encoded, "a data header": "data:application/pdf;base64," + encoded,
		"a data header without a type": "data:;base64," + encoded, "white space": spaced,
	} {
		var got inline
		c.Post("/documents/convert", object{"file_base64": value, "filename": "a.pdf", "final_format": "PDF"}).OK(&got)
		if got.FileBase64 != encoded {
			t.Errorf("%s: got %q", name, got.FileBase64)
		}
	}
	escaped := `{"file_base64":"` + strings.ReplaceAll(strings.ReplaceAll(encoded, "/", `\/`), "J", `\u004a`) + `","filename":"Zo\u00eb.tar.PDF","final_format":null}`
	var got inline
	c.Do(harness.Request{Method: "POST", Path: "/documents/convert", Body: escaped, Header: map[string]string{"Content-Type": "text/plain", "Idempotency-Key": "ignored"}}).OK(&got)
	if got.FileBase64 != encoded || got.Filename != "Zoë.tar.pdf" {
		t.Errorf("escapes: %+v", got)
	}
}

// TestConvertInlineRefusals checks every validation rule of the body.
func TestConvertInlineRefusals(t *testing.T) {
	c := shared.NewClient(t)
	good := base64.StdEncoding.EncodeToString([]byte("%PDF-1.4"))
	for _, tc := range []struct {
		name    string
		body    object
		code    int
		entries []string
	}{
		{"nothing", object{}, 3002, []string{"file_base64 required", "filename required"}},
		{"no file", object{"filename": "a.docx"}, 3002, []string{"file_base64 required"}},
		{"a null file", object{"filename": "a.docx", "file_base64": nil}, 3002, []string{"file_base64 required"}},
		{"no name", object{"file_base64": good}, 3002, []string{"filename required"}},
		{"no base64", object{"file_base64": "not base64!", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"no padding", object{"file_base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte("ab")), "="), "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"base64 for URLs", object{"file_base64": "_-__", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"more after the end", object{"file_base64": "QQ==QQ==", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"an empty file", object{"file_base64": "", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"white space", object{"file_base64": " \n", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"an empty data header", object{"file_base64": "data:application/pdf;base64,", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"a data header without base64", object{"file_base64": "data:text/plain," + good, "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"a data header alone", object{"file_base64": "data:text/plain;base64", "filename": "a.docx"}, 3001, []string{"file_base64 custom"}},
		{"a number for a file", object{"file_base64": 1, "filename": "a.docx"}, 3001, []string{"file_base64 invalid_type"}},
		{"a number for a name", object{"file_base64": good, "filename": 1}, 3003, []string{"filename invalid_type"}},
		{"an empty name", object{"file_base64": good, "filename": " "}, 3001, []string{"filename too_short"}},
		{"a long name", object{"file_base64": good, "filename": strings.Repeat("x", 256)}, 3001, []string{"filename too_long"}},
		{"a path", object{"file_base64": good, "filename": "a/b.docx"}, 3001, []string{"filename invalid_file_name"}},
		{"a control character", object{"file_base64": good, "filename": "a\n.docx"}, 3001, []string{"filename invalid_file_name"}},
		{"another format", object{"file_base64": good, "filename": "a.pdf", "final_format": "docx"}, 3001, []string{"final_format format_unsupported"}},
		{"a number for a format", object{"file_base64": good, "filename": "a.pdf", "final_format": 1}, 3003, []string{"final_format invalid_type"}},
		{"an unknown member", object{"file_base64": good, "filename": "a.pdf", "format": "pdf"}, 3001, []string{"format unrecognized_key"}},
		{"all at once", object{"x": 1, "final_format": "", "filename": "/", "file_base64": "%"}, 3001,
			[]string{"file_base64 custom", "filename invalid_file_name", "final_format format_unsupported", "x unrecognized_key"}},
	} {
		t.Run(tc.name, func(t *testing.T) { c.Post("/documents/convert", tc.body).FailsWith(tc.code, tc.entries...) })
	}
	p := c.Post("/documents/convert", object{"file_base64": strings.Repeat("%", 9000), "filename": "a.docx"}).Fails(400, 3001)
	if value, _ := p.Errors[0].Value.(string); len(value) != 8192+len("…") {
		t.Errorf("the echoed value has %d bytes", len(value))
	}
}

// TestConvertInlineLeavesNothing converts inline files and checks that no part of them
// is left in the data folder or in the log.
func TestConvertInlineLeavesNothing(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited"})
	c := s.Client(t)
	const secret = "Geheimnis-4711-Zoë"
	const size = 32 << 20
	content := largeDOCX(t, secret, size)
	var got inline
	a := c.Post("/documents/convert", inlineBody("large.docx", content))
	if a.OK(&got); got.Filename != "large.pdf" {
		t.Errorf("filename is %q", got.Filename)
	}
	pdf, err := base64.StdEncoding.DecodeString(got.FileBase64)
	if err != nil || !strings.Contains(pdfText(t, pdf), secret) {
		t.Fatalf("the PDF has %d bytes, %v", len(pdf), err)
	}
	text := []byte(secret)
	c.Post("/documents/convert", inlineBody("text.txt", text)).OK(nil)
	// Leftovers could be the text, the base64, the file or the PDF: look for a piece of
	// each.
	needles := [][]byte{text, []byte(base64.StdEncoding.EncodeToString(content)[1000:1064]), content[5000:5064], pdf[100:164]}
	files := 0
	err = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() { // such as the control socket
			return ignoreGone(err)
		}
		files++
		stored, err := os.ReadFile(path)
		for _, needle := range needles {
			if bytes.Contains(stored, needle) {
				t.Errorf("%s contains a part of an inline file", path)
			}
		}
		return ignoreGone(err)
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files, %v", files, err)
	}
	if strings.Contains(s.Output(), string(text)) {
		t.Error("the log contains a part of an inline file")
	}
}

// ignoreGone returns nil if err says that a file no longer exists: a running system removes
// temporary files.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// largeDOCX returns a DOCX of at least size bytes that contains text.
func largeDOCX(t *testing.T, text string, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	small, err := zip.NewReader(bytes.NewReader(harness.DOCX(harness.Paragraph{Text: text})), int64(len(harness.DOCX(harness.Paragraph{Text: text}))))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range small.File {
		if err := z.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: "word/media/padding.bin", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	padding := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	if _, err := io.Copy(w, bytes.NewReader(padding)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// outOfTime reports whether a conversion took too long, which depends on the load of the
// machine.
func outOfTime(a *harness.Answer) bool {
	return a.Status == http.StatusBadRequest && strings.Contains(string(a.Body), "could not be converted within")
}

// TestOfficeCorpus converts files that once broke other programs, stored and inline. None
// may cause a 5xx, a hang or a crash.
func TestOfficeCorpus(t *testing.T) {
	folder, ok := corpus.Path("office")
	if !ok {
		t.Skip("SKIPPED: the corpus is missing; set RECTO_TEST_DATA to the folder that contains it")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	c := shared.NewClient(t)
	reasons := map[string]int{}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		d := upload(t, c, name, content)
		stored := c.Post("/documents/"+d.ID+"/convert", nil)
		direct := c.Post("/documents/convert", inlineBody(name, content))
		if stored.Status != direct.Status && !outOfTime(stored) && !outOfTime(direct) {
			t.Errorf("%s: stored returns %d, inline %d", name, stored.Status, direct.Status)
		}
		reason := "converted"
		if direct.Status != http.StatusOK {
			reason = "refused: " + direct.Fails(400, 3001).Detail
		}
		reasons[reason]++
		t.Logf("%-70s %s", name, reason)
	}
	for reason, n := range reasons {
		t.Logf("%3d of %d %s", n, len(files), reason)
	}
	var health struct{ Status string }
	if a := c.Do(harness.Request{Path: "//readyz", Undocumented: true}); json.Unmarshal(a.Body, &health) != nil || health.Status != "ready" {
		t.Errorf("afterwards: %s", a.Body)
	}
}
