package e2e

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// onePagePDF returns a valid PDF of one page.
func onePagePDF() []byte { return pdfOf("", "BT /F 12 Tf 72 720 Td (One page.) Tj ET") }

// lockedPDF returns a PDF of one empty page, encrypted with 40-bit RC4 by the standard
// security handler of PDF 1.4. It opens without a password if user is "".
func lockedPDF(user string) []byte {
	padding := []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")
	padded := func(password string) []byte { return append([]byte(password), padding...)[:32] }
	crypt := func(key, data []byte) []byte {
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(data))
		c.XORKeyStream(out, data)
		return out
	}
	hash := func(parts ...[]byte) []byte {
		sum := md5.Sum(bytes.Join(parts, nil))
		return sum[:5]
	}
	id := []byte("0123456789abcdef")
	owner := crypt(hash(padded("owner")), padded(user))
	key := hash(padded(user), owner, []byte{0xD4, 0xFF, 0xFF, 0xFF}, id) // P is -44
	return pdfOf(fmt.Sprintf("/ID[<%x><%x>]/Encrypt<</Filter/Standard/V 1/R 2/P -44/O<%x>/U<%x>>>", id, id, owner, crypt(key, padding)), "")
}

// TestConvertPDFIsItself converts PDFs that can be opened. The result is the same file,
// byte for byte, even if PDFium has to repair it to open it.
func TestConvertPDFIsItself(t *testing.T) {
	c := shared.NewClient(t)
	whole := onePagePDF()
	for name, pdf := range map[string][]byte{
		"valid":            whole,
		"trailing garbage": append(bytes.Clone(whole), bytes.Repeat([]byte("garbage\n"), 2000)...),
		"leading junk":     append([]byte("junk\r\n\r\n"), whole...),
		"a broken xref":    bytes.Replace(whole, []byte("xref\n0"), []byte("xfer\n9"), 1),
		"a wrong startxref": bytes.Replace(whole, []byte("startxref\n"),
			[]byte("startxref\n9"), 1),
		"an owner password": lockedPDF(""),
	} {
		t.Run(name, func(t *testing.T) {
			d := upload(t, c, "a.pdf", pdf)
			var got converted
			c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
			if a := c.Raw(http.MethodGet, got.DownloadURL, nil, nil); a.Status != 200 || !bytes.Equal(a.Body, pdf) {
				t.Errorf("the download returns %d with %d bytes, want the file of %d", a.Status, len(a.Body), len(pdf))
			}
			var same inline
			c.Post("/documents/convert", inlineBody("scan.pdf", pdf)).OK(&same)
			if same.Filename != "scan.pdf" || same.FileBase64 != base64.StdEncoding.EncodeToString(pdf) {
				t.Errorf("inline: %+v", same)
			}
		})
	}
}

// TestConvertDamagedPDF converts files that begin like a PDF but cannot be opened. The
// error says what is wrong and what to do, and is the same on every endpoint.
func TestConvertDamagedPDF(t *testing.T) {
	c := shared.NewClient(t)
	whole := pdfOf("", textPage(1), textPage(2))
	pages := []byte("/Count 2/Kids[4 0 R 6 0 R ]")
	garbage := append([]byte("%PDF-1.7\n"), noise(20_000)...)
	for name, row := range map[string]struct {
		pdf         []byte
		wrong, todo string
	}{
		"a header alone":   {[]byte("%PDF-1.7"), "is damaged or not a PDF", "export it again"},
		"a comment":        {[]byte("%PDF-1.7\n% not much of one"), "is damaged or not a PDF", "export it again"},
		"garbage":          {garbage, "is damaged or not a PDF", "export it again"},
		"the first half":   {whole[:len(whole)/2], "is damaged or not a PDF", "export it again"},
		"the first tenth":  {whole[:len(whole)/10], "is damaged or not a PDF", "export it again"},
		"a lost page":      {bytes.Replace(whole, pages, []byte("/Count 2/Kids[4 0 R 99 0 R]"), 1), "some of its pages are missing", "upload the whole file"},
		"no pages":         {pdfOf(""), "has no pages", "export it again"},
		"a user password":  {lockedPDF("secret"), "is encrypted", "remove its password"},
		"an unknown crypt": {pdfOf("/ID[<00><00>]/Encrypt<</Filter/Custom/V 9>>", ""), "is encrypted", "remove its password"},
	} {
		t.Run(name, func(t *testing.T) {
			d := upload(t, c, "a.pdf", row.pdf)
			for where, a := range map[string]*harness.Answer{
				"stored":   c.Post("/documents/"+d.ID+"/convert", nil),
				"again":    c.Post("/documents/"+d.ID+"/convert", nil),
				"inline":   c.Post("/documents/convert", inlineBody("a.pdf", row.pdf)),
				"insights": c.Post("/insights", object{"document_id": d.ID, "insights": []object{{"type": "document_title"}}}),
			} {
				p := a.Fails(400, 3001)
				if p.Errors != nil || !strings.Contains(p.Detail, row.wrong) || !strings.Contains(p.Detail, row.todo) {
					t.Errorf("%s: the detail is %q, want %q and %q in it; errors %v", where, p.Detail, row.wrong, row.todo, p.Errors)
				}
			}
		})
	}
}

// TestConvertNextFile checks that the next file of a version is converted if the first
// is a PDF that cannot be opened.
func TestConvertNextFile(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, with("files", []object{{"name": "bad.pdf", "type": "application/pdf"}, {"name": "good.pdf", "type": "application/pdf"}}))
	put(t, c, d.Files[0].UploadURL, []byte("%PDF-1.7\n"))
	put(t, c, d.Files[1].UploadURL, onePagePDF())
	var got converted
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
	if a := c.Raw(http.MethodGet, got.DownloadURL, nil, nil); !bytes.Equal(a.Body, onePagePDF()) {
		t.Errorf("the download has %d bytes, want those of the second file", len(a.Body))
	}
}
