package source_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/filetype/filetypetest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

func TestFetchedPDF(t *testing.T) {
	s := sourcetest.New(t, "fetched-pdf")
	sent := letter()
	sent.HBREF = "letter-7"
	m := s.Fetched("a.pdf", "application/pdf", sent.Bytes())
	r := read(t, s, m)
	if r.Text.Text != "A letter.\nName:\n" || r.Title != "Its title" || len(r.Text.Pages) != 1 {
		t.Errorf("read %q, %q, %d pages", r.Text.Text, r.Title, len(r.Text.Pages))
	}
	if r.Shown.Key != m.Files[0].Key || r.Shown.Name != "a.pdf" || r.Shown.Type != "application/pdf" {
		t.Errorf("shown is %+v", r.Shown)
	}
	if r.IDs.MD5 != m.Files[0].MD5 || r.IDs.CRC32C != m.Files[0].CRC32C || r.IDs.MIMEType != "application/pdf" || r.IDs.CreateDatetime != 1709208000 || *r.IDs.PDFHBREF != "letter-7" {
		t.Errorf("the ids are %+v", r.IDs)
	}
	if s.Sent != nil {
		t.Error("the PDF was converted")
	}
	if n := open(t, s.Scratch); n != 1 {
		t.Errorf("%d files are open", n)
	}
	r.Close()
	if n := open(t, s.Scratch); n != 0 {
		t.Errorf("%d files remain open", n)
	}
}

func TestFetchedWord(t *testing.T) {
	s := sourcetest.New(t, "fetched-word")
	s.Converted = sourcetest.PDF{Pages: [][]string{{"A letter."}}}.Bytes()
	word := sourcetest.DOCX{Title: "Word's title", GUID: "{12345678-0000-0000-0000-000000000000}", Body: sourcetest.Paragraph("", "A letter.")}.Bytes()
	m := s.Fetched("letter.aspx", "application/octet-stream", word)
	r := read(t, s, m)
	if s.SentName != "document.docx" || !bytes.Equal(s.Sent, word) {
		t.Errorf("%s was sent, %d bytes of %d", s.SentName, len(s.Sent), len(word))
	}
	if r.Text.Text != "A letter.\n" || r.Title != "Word's title" || len(r.Text.Runs) != 1 || len(r.Text.Words) != 2 {
		t.Errorf("read %+v, %q", r.Text, r.Title)
	}
	if *r.IDs.DOCXGUID != "{12345678-0000-0000-0000-000000000000}" || r.IDs.CreateDatetime != 1709208000 || !strings.HasSuffix(r.IDs.MIMEType, "wordprocessingml.document") {
		t.Errorf("the ids are %+v", r.IDs)
	}
	if r.Shown.Name != "letter.aspx.pdf" || !bytes.Equal(s.Object(r.Shown.Key), s.Converted) || !strings.HasPrefix(r.Shown.Key, m.Files[0].Key) {
		t.Errorf("shown is %+v", r.Shown)
	}
}

// TestFetchedTypes shows that files are converted by their detected type, whatever their
// name and server say.
func TestFetchedTypes(t *testing.T) {
	s := sourcetest.New(t, "fetched-types")
	s.Converted = letter().Bytes()
	for name, tc := range map[string]struct {
		file, sent, content    string
		want, mime, shown, has string
	}{
		"RTF":                          {"a.txt", "text/plain", `{\rtf1 x}`, "document.rtf", "application/rtf", "a.pdf", "x"},
		"DOC":                          {"a.doc", "application/msword", string(filetypetest.Compound("WordDocument")), "document.doc", "application/msword", "a.pdf", ""},
		"text":                         {"terms.v2.3", "text/plain", "Zo\xc3\xab {1}\r\n\tpays", "page.rtf", "text/plain", "terms.v2.3.pdf", "Zo\\u235  \\{1\\}\\par\n\\tab pays"},
		"text in Latin-1":              {"a.txt", "text/plain", "Zo\xeb", "page.rtf", "text/plain", "a.pdf", `Zo\u235 `},
		"text in UTF-16":               {"a.txt", "text/plain", "\xff\xfeH\x00i\x00", "page.rtf", "text/plain", "a.pdf", " Hi}"},
		"a UTF-16 surrogate pair":      {"a.txt", "text/plain", "\U0001F600", "page.rtf", "text/plain", "a.pdf", `\u-10179 \u-8704 `},
		"HTML":                         {"index", "text/html; charset=utf-8", "<p>One</p><script>no</script><p>Two", "page.rtf", "text/html", "index.pdf", " One\\par\n\\par\nTwo}"},
		"HTML without a type":          {"index", "application/octet-stream", "<!DOCTYPE html><p>One", "page.rtf", "text/html", "index.pdf", " One}"},
		"HTML that mentions PDF":       {"index", "text/html", "<html><p>A PDF begins with %PDF-1.7", "page.rtf", "text/html", "index.pdf", "%PDF-1.7}"},
		"HTML with control characters": {"index", "text/html; charset=iso-2022-jp", "<p>\x1b$B7@\x1b(B", "page.rtf", "text/html", "index.pdf", `\u22865 `},
		"HTML as text":                 {"a.html", "text/plain", "<!DOCTYPE html><p>One", "page.rtf", "text/plain", "a.pdf", "<p>One"},
		"PDF sent as HTML":             {"a.pdf", "text/html", string(letter().Bytes()), "", "application/pdf", "a.pdf", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s.SentName, s.Sent = "", nil
			r := read(t, s, s.Fetched(tc.file, tc.sent, []byte(tc.content)))
			if s.SentName != tc.want || r.IDs.MIMEType != tc.mime || r.Shown.Name != tc.shown || !strings.Contains(string(s.Sent), tc.has) {
				t.Errorf("sent %s %q, of the type %s, shown as %s", s.SentName, s.Sent, r.IDs.MIMEType, r.Shown.Name)
			}
			if r.IDs.CreateDatetime != 1700000000.5 && tc.mime != "application/pdf" {
				t.Errorf("the creation time is %f; that of the converted PDF must not count", r.IDs.CreateDatetime)
			}
			if r.Text.Text != "A letter.\nName:\n" || r.IDs.DOCXGUID != nil {
				t.Errorf("read %q", r.Text.Text)
			}
			r.Close()
		})
	}
}

func TestFetchedRefusals(t *testing.T) {
	s := sourcetest.New(t, "fetched-refusals")
	s.Converted = letter().Bytes()
	encrypted, damaged := letter(), letter().Bytes()
	encrypted.Encrypted = true
	copy(damaged[9:], bytes.Repeat([]byte{'x'}, len(damaged)-9))
	for name, tc := range map[string]struct {
		content []byte
		mime    string
		want    string
	}{
		"empty":          {nil, "text/plain", "The file a is empty."},
		"blank":          {[]byte(" \n"), "text/plain", "The file a has no text."},
		"empty page":     {[]byte("<script>x</script>"), "text/html", "The file a has no text."},
		"deep page":      {[]byte(strings.Repeat("<div>", 100_000)), "text/html", "nested too deep"},
		"long tag":       {[]byte("<p title='" + strings.Repeat("x", 5_000_000) + "'>a"), "text/html", "a tag or a text that is too long"},
		"long text":      {bytes.Repeat([]byte("\x80"), insightapi.MaxTextLength+1), "text/plain", "has more than 5000000 characters"},
		"image":          {[]byte("\x89PNG\r\n\x1a\n"), "image/png", "The file a is PNG, which cannot be read"},
		"binary":         {[]byte("\x00\x01\x02"), "text/plain", "The file a is of an unknown type, which cannot be read"},
		"damaged Word":   {[]byte("PK\x03\x04 and nothing"), "", "The file a "},
		"encrypted Word": {filetypetest.Compound("EncryptedPackage"), "", "is encrypted; remove its password first"},
		"damaged PDF":    {damaged, "application/pdf", "The file a "},
		"encrypted PDF":  {encrypted.Bytes(), "application/pdf", "password"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, s, s.Fetched("a", tc.mime, tc.content), problem.InvalidRequest, tc.want)
		})
	}
	word := sourcetest.DOCX{Body: sourcetest.Paragraph("", "x")}.Bytes()
	s.Refused = problem.New(problem.InvalidRequest, "The file could not be converted.")
	refused(t, s, s.Fetched("a", "", word), problem.InvalidRequest, "The file a could not be converted.")
	s.Refused = problem.New(problem.Unavailable, "Later.")
	refused(t, s, s.Fetched("a", "", word), problem.Unavailable, "Later.")
	s.Refused, s.Converted = nil, []byte("no PDF")
	refused(t, s, s.Fetched("a", "", word), problem.InvalidRequest, "The file a ")
	m := s.Fetched("gone", "", word)
	s.Remove(m.Files[0].Key)
	refused(t, s, m, problem.InvalidRequest, "The file gone no longer exists.")
}

// TestFetchedLongText reads a text of the maximum length.
func TestFetchedLongText(t *testing.T) {
	s := sourcetest.New(t, "fetched-long-text")
	s.Converted = letter().Bytes()
	read(t, s, s.Fetched("a.txt", "text/plain", bytes.Repeat([]byte("\x80"), insightapi.MaxTextLength)))
	if want := strings.Repeat(`\u8364 `, insightapi.MaxTextLength); !strings.Contains(string(s.Sent), want) {
		t.Errorf("%d bytes were sent", len(s.Sent))
	}
}

// TestNoScratch shows that a missing scratch folder is not blamed on the file.
func TestNoScratch(t *testing.T) {
	s := sourcetest.New(t, "no-scratch")
	m := s.Fetched("a.pdf", "", letter().Bytes())
	s.Scratch += "/none"
	refused(t, s, m, problem.Unavailable, "Temporary storage is full")
	refused(t, s, s.Text("A text"), problem.Unavailable, "Temporary storage is full")
}
