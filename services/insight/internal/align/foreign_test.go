package align_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/align"
)

// convert converts the files to PDF with LibreOffice, and returns the folder of the PDFs.
// RECTO_KEEP names a folder to use, with the PDFs of earlier runs.
func convert(t testing.TB, files []string) string {
	t.Helper()
	soffice := corpus.Program(t, "soffice")
	dir := os.Getenv("RECTO_KEEP")
	if dir == "" {
		dir = t.TempDir()
	}
	var missing []string
	for _, f := range files {
		if _, err := os.Stat(pdfOf(dir, f)); err != nil {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return dir
	}
	args := append([]string{"-env:UserInstallation=file://" + t.TempDir() + "/profile", "--headless", "--convert-to", "pdf", "--outdir", dir}, missing...)
	if out, err := exec.CommandContext(t.Context(), soffice, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// pdfOf returns the name of the PDF of a file.
func pdfOf(dir, file string) string {
	base := filepath.Base(file)
	return filepath.Join(dir, strings.TrimSuffix(base, filepath.Ext(base))+".pdf")
}

// pagesOf reads the words of a PDF with pdftotext.
func pagesOf(t testing.TB, pdf string) *layout.Document {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), corpus.Program(t, "pdftotext"), "-bbox", pdf, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc layout.Document
	var text strings.Builder
	var box layout.Box
	d := xml.NewDecoder(bytes.NewReader(out))
	d.Strict = false
	inWord := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "page":
				doc.Pages = append(doc.Pages, layout.Page{Width: number(t, e, "width"), Height: number(t, e, "height")})
			case "word":
				p := doc.Pages[len(doc.Pages)-1]
				box = layout.Box{Left: number(t, e, "xMin") / p.Width, Top: number(t, e, "yMin") / p.Height, Right: number(t, e, "xMax") / p.Width, Bottom: number(t, e, "yMax") / p.Height}
				inWord = true
			}
		case xml.CharData:
			if inWord && len(e) > 0 {
				start := text.Len()
				text.Write(e)
				doc.Words = append(doc.Words, layout.Word{Span: layout.Span{Start: start, End: text.Len()}, Page: len(doc.Pages), Box: box})
				text.WriteByte(' ')
			}
		case xml.EndElement:
			inWord = false
		}
	}
	doc.Text = text.String()
	return &doc
}

// number returns an attribute of e as a number.
func number(t testing.TB, e xml.StartElement, key string) float64 {
	t.Helper()
	for _, a := range e.Attr {
		if a.Name.Local == key {
			n, err := strconv.ParseFloat(a.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s", key)
	return 0
}

// TestForeign aligns third-party documents with the PDFs that LibreOffice makes of them.
func TestForeign(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t), "docx-templates", "*.docx"))
	if err != nil {
		t.Fatal(err)
	}
	dir := convert(t, files)
	var all align.Coverage
	for _, name := range files {
		doc := read(t, name)
		pages := pagesOf(t, pdfOf(dir, name))
		began := time.Now()
		out, c := align.Align(doc, pages)
		took := time.Since(began)
		all.Words, all.Found = all.Words+c.Words, all.Found+c.Found
		t.Logf("%-70s %3d pages %6d words %.4f found in %v", filepath.Base(name), len(out.Pages), c.Words, c.Share(), took.Round(time.Millisecond))
		if c.Share() < 0.97 {
			t.Errorf("%s: %d of %d words were found", name, c.Found, c.Words)
		}
		checkAligned(t, out, pages)
		if os.Getenv("RECTO_MISSED") != "" {
			missed(t, out)
		}
	}
	if t.Logf("%d of %d words found: %.4f", all.Found, all.Words, all.Share()); all.Words == 0 {
		t.Error("the documents have no words")
	}
}

// read reads a document.
func read(t testing.TB, name string) *layout.Document {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := docx.Open(bytes.NewReader(b), int64(len(b)), docx.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := docxtext.Read(t.Context(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// missed logs words without a place.
func missed(t *testing.T, doc *layout.Document) {
	at := 0
	for _, w := range append(doc.Words, layout.Word{Span: layout.Span{Start: len(doc.Text)}}) {
		if s := strings.TrimSpace(doc.Text[at:w.Start]); plain(s) != "" {
			t.Logf("missed %.100q", s)
		}
		at = w.End
	}
}

// plain returns the characters of a text that are compared.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

// checkAligned checks the invariants: spans are in order and do not overlap, pages follow
// each other without gaps, and the box of a word contains that word.
func checkAligned(t *testing.T, doc, pages *layout.Document) {
	t.Helper()
	at := 0
	for _, w := range doc.Words {
		if w.Start < at || w.End <= w.Start || w.End > len(doc.Text) {
			t.Fatalf("the word %+v does not begin after %d", w, at)
		}
		at = w.End
		var under strings.Builder
		for _, p := range pages.Words {
			if p.Page == w.Page && inside(p.Box, w.Box) {
				under.WriteString(pages.Quote(p.Span))
			}
		}
		if !strings.Contains(plain(under.String()), plain(doc.Quote(w.Span))) {
			t.Errorf("the box of %q contains %q", doc.Quote(w.Span), under.String())
		}
	}
	at = 0
	for i, p := range doc.Pages {
		if p.Start != at || p.End < p.Start {
			t.Errorf("the page %d is %+v, but the one before ends at %d", i+1, p.Span, at)
		}
		at = p.End
	}
	if len(doc.Pages) > 0 && at != len(doc.Text) {
		t.Errorf("pages end at %d of %d", at, len(doc.Text))
	}
}

// inside reports whether b is within o.
func inside(b, o layout.Box) bool {
	return b.Left >= o.Left && b.Right <= o.Right && b.Top >= o.Top && b.Bottom <= o.Bottom
}
