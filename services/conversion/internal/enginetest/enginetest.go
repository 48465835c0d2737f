// Package enginetest is the test suite that every engine of the conversion service passes.
package enginetest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/services/conversion/internal/domain"
)

// Folder returns a new folder for one conversion. Its path is short, because the path of
// a socket in it must be.
func Folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "recto-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

const (
	contentTypes = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	packageRels  = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	// imageRelation is a relationship to an image, whose target and mode are to be filled in.
	imageRelation = `<Relationship Id="i" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="%s" TargetMode="%s"/>`
)

// Picture is a paragraph with the image that the document refers to.
const Picture = `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="1905000" cy="1905000"/><wp:docPr id="1" name="p"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="i"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1905000" cy="1905000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`

// Embedded is the link to the image that every DOCX from WriteDOCX contains.
const Embedded = "media/x.png"

// WriteDOCX writes a DOCX with the body into a new folder. An image in the body refers to
// link, which is either embedded or an external link.
func WriteDOCX(t *testing.T, body, link string) string {
	t.Helper()
	return writeDOCX(t, body, link, pngFile(t, image.NewGray(image.Rect(0, 0, 40, 40))))
}

// WritePhoto writes a DOCX with a picture that is exported with a lower quality and, since
// it has about 600 pixels per inch, with a lower resolution.
func WritePhoto(t *testing.T) string {
	t.Helper()
	const side = 1200
	photo := image.NewRGBA(image.Rect(0, 0, side, side))
	noise := rand.NewChaCha8([32]byte{})
	for i := range photo.Pix {
		photo.Pix[i] = byte(i*i/side/side) + byte(noise.Uint64()&15)
		if i%4 == 3 {
			photo.Pix[i] = 0xFF // opaque
		}
	}
	return writeDOCX(t, strings.Replace(Picture, "r:link", "r:embed", 1), Embedded, pngFile(t, photo))
}

func writeDOCX(t *testing.T, body, link string, picture []byte) string {
	t.Helper()
	path := filepath.Join(Folder(t), "input.docx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	mode := "External"
	if link == Embedded {
		mode = "Internal"
	}
	writeParts(t, f, map[string]string{
		"[Content_Types].xml": contentTypes, "_rels/.rels": packageRels,
		"word/document.xml":            `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>` + body + `</w:body></w:document>`,
		"word/_rels/document.xml.rels": relations(fmt.Sprintf(imageRelation, link, mode)),
		"word/" + Embedded:             string(picture),
	})
	return path
}

// writeParts writes a package and closes its file.
func writeParts(t *testing.T, f *os.File, parts map[string]string) {
	t.Helper()
	z := zip.NewWriter(f)
	for name, content := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// pngFile returns a picture as PNG.
func pngFile(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Paragraph returns a paragraph of a document.
func Paragraph(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

// Text returns the text of the PDF at path.
func Text(t *testing.T, path string) string {
	t.Helper()
	return output(t, "pdftotext", "-layout", path, "-")
}

// output returns what a program prints.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v; run make install-packages", program, err)
	}
	return string(out)
}

// Run runs the suite. The function returns the engine, ready to convert, which the tests
// share.
func Run(t *testing.T, open func(t *testing.T) domain.Engine) {
	e := open(t)
	for name, test := range map[string]func(*testing.T, domain.Engine){
		"Convert": convert, "Formats": formats, "Profiles": profiles, "Formulas": formulas, "Comments": comments, "FileNames": fileNames, "DamagedDocumentIsItsOwnFault": damagedDocumentIsItsOwnFault,
		"SameBytes": sameBytes, "NothingIsFetched": nothingIsFetched, "NothingIsRead": nothingIsRead, "ConvertEndsWithItsContext": convertEndsWithItsContext,
	} {
		t.Run(name, func(t *testing.T) { test(t, e) })
	}
}

func convert(t *testing.T, e domain.Engine) {
	pdf, err := e.Convert(t.Context(), WriteDOCX(t, Paragraph("Grüße, 你好, Zoë &amp; Söhne"), "x"), filetype.DOCX, "")
	if err != nil {
		t.Fatal(err)
	}
	if text := Text(t, pdf); !strings.Contains(text, "Grüße") || !strings.Contains(text, "Zoë & Söhne") {
		t.Errorf("the PDF contains %q", text)
	}
	path := filepath.Join(Folder(t), "input.txt")
	if err := os.WriteFile(path, []byte("Straße <b>no markup</b>\nLine two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if pdf, err = e.Convert(t.Context(), path, filetype.Text, ""); err != nil {
		t.Fatal(err)
	}
	if text := Text(t, pdf); !strings.Contains(text, "Straße <b>no markup</b>") || !strings.Contains(text, "Line two") {
		t.Errorf("the PDF of the text file contains %q", text)
	}
}

// sameBytes converts the same document twice.
func sameBytes(t *testing.T, e domain.Engine) {
	var first []byte
	for i := range 2 {
		pdf, err := e.Convert(t.Context(), WriteDOCX(t, Paragraph("A paragraph")+strings.Replace(Picture, "r:link", "r:embed", 1), Embedded), filetype.DOCX, "")
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(pdf)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = content
		}
		if !bytes.Equal(content, first) {
			t.Error("the same document gives different bytes")
		}
	}
	if bytes.Contains(first, []byte("/CreationDate(D:")) {
		t.Error("the PDF has the time of its conversion")
	}
}

func damagedDocumentIsItsOwnFault(t *testing.T, e domain.Engine) {
	path := filepath.Join(Folder(t), "input.docx")
	if err := os.WriteFile(path, []byte("PK\x03\x04 this is no package"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Convert(t.Context(), path, filetype.DOCX, ""); !errors.Is(err, domain.ErrUnconvertible) {
		t.Errorf("got %v, want ErrUnconvertible", err)
	}
}

// pictures returns the number of pictures in a PDF.
func pictures(t *testing.T, path string) int {
	t.Helper()
	return strings.Count(output(t, "pdfimages", "-list", path), "\n") - 2 // the header of the table has two lines
}

// nothingIsFetched converts documents that link to an image on a server, and to one
// in another folder. The PDF contains only images that are embedded in the document.
func nothingIsFetched(t *testing.T, e domain.Engine) {
	there := filepath.Join(Folder(t), "x.png")
	if err := os.WriteFile(there, pngFile(t, image.NewGray(image.Rect(0, 0, 40, 40))), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]int{Embedded: 1, "file://" + there: 0, there: 0, "../" + filepath.Base(filepath.Dir(there)) + "/x.png": 0} {
		body := Picture
		if link == Embedded {
			body = strings.Replace(Picture, "r:link", "r:embed", 1)
		}
		pdf, err := e.Convert(t.Context(), WriteDOCX(t, Paragraph("before")+body, link), filetype.DOCX, "")
		if err != nil {
			t.Fatal(err)
		}
		if n := pictures(t, pdf); n != want {
			t.Errorf("%s: the PDF contains %d pictures, want %d", link, n, want)
		}
	}
	sink := newSink(t)
	if _, err := e.Convert(t.Context(), WriteDOCX(t, Paragraph("before")+Picture, sink.url+"/x.png"), filetype.DOCX, ""); err != nil {
		t.Fatal(err)
	}
	sink.expectSilence(t)
}

func convertEndsWithItsContext(t *testing.T, e domain.Engine) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := e.Convert(ctx, WriteDOCX(t, Paragraph("x"), "x"), filetype.DOCX, "")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, domain.ErrUnconvertible) {
		t.Errorf("got %v, want the context's error", err)
	}
}
