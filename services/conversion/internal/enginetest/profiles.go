package enginetest

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/conversionapi"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/plain"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// properties gives a document a title.
const properties = `<?xml version="1.0"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A title</dc:title></cp:coreProperties>`

// titled writes a DOCX with a title, a picture and a table.
func titled(t *testing.T) string {
	t.Helper()
	const table = `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>`
	path := filepath.Join(Folder(t), "input.docx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := docx(Paragraph("Grüße, 你好, שלום")+table+strings.Replace(Picture, "r:link", "r:embed", 1), fmt.Sprintf(imageRelation, Embedded, "Internal"))
	parts["word/"+Embedded] = string(pngFile(t, image.NewNRGBA(image.Rect(0, 0, 40, 40)))) // transparent
	parts["docProps/core.xml"] = properties
	parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>", `<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`, 1)
	parts["_rels/.rels"] = strings.Replace(packageRels, "</Relationships>", `<Relationship Id="c" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`, 1)
	writeParts(t, f, parts)
	return path
}

// profiles converts a document to each profile. The result conforms, has the same bytes when
// it is made again, and is another file without a profile.
func profiles(t *testing.T, e domain.Engine) {
	document := titled(t)
	for _, profile := range []conversionapi.Profile{conversionapi.PDFA2b, conversionapi.PDFA3b, conversionapi.PDFUA} {
		var first []byte
		for range 2 {
			path, err := e.Convert(t.Context(), Copy(t, document), filetype.DOCX, profile)
			if err != nil {
				t.Fatalf("%s: %v", profile, err)
			}
			output(t, "qpdf", "--check", path)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = content
			}
			if !bytes.Equal(content, first) {
				t.Errorf("%s: the same document gives different bytes", profile)
			}
		}
		if flaws, err := form.Flaws(first, string(profile)); err != nil || len(flaws) > 0 {
			t.Errorf("%s: %q, %v", profile, flaws, err)
		}
		if bytes.Contains(first, []byte("<xmp:CreateDate>")) {
			t.Errorf("%s: the metadata has the time of the conversion", profile)
		}
	}
	bare, err := e.Convert(t.Context(), Copy(t, document), filetype.DOCX, "")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(bare)
	if err != nil {
		t.Fatal(err)
	}
	for _, profile := range []string{form.PDFA2b, form.PDFUA} {
		if flaws, err := form.Flaws(content, profile); err != nil || len(flaws) < 2 {
			t.Errorf("without a profile: %s has the flaws %q, %v", profile, flaws, err)
		}
	}
}

// expectPages fails the test unless the PDF's pages can be listed without a process, and their
// number is what pdfinfo says.
func expectPages(t *testing.T, kind filetype.Type, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := plain.Pages(f, info.Size())
	said := regexp.MustCompile(`(?m)^Pages: +(\d+)$`).FindStringSubmatch(output(t, "pdfinfo", path))
	if err != nil || said == nil || said[1] != strconv.Itoa(len(pages)) {
		t.Errorf("%s: %d pages are listed, %v", kind, len(pages), err)
	}
}
