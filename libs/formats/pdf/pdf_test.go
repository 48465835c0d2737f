package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// read reads a valid file.
func read(t *testing.T, r *pdf.Reader, b []byte) *pdf.File {
	t.Helper()
	f, err := r.Read(t.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	check(t, f)
	return f
}

// word returns the first word with the text.
func word(t *testing.T, f *pdf.File, text string) layout.Word {
	t.Helper()
	for _, w := range f.Words {
		if f.Quote(w.Span) == text {
			return w
		}
	}
	t.Fatalf("there is no word %q in %q", text, f.Text)
	return layout.Word{}
}

// near fails the test unless the center of the box is at x, y.
func near(t *testing.T, what string, b layout.Box, x, y float64) {
	t.Helper()
	if gotX, gotY := (b.Left+b.Right)/2, (b.Top+b.Bottom)/2; math.Abs(gotX-x) > 0.02 || math.Abs(gotY-y) > 0.02 {
		t.Errorf("the center of %s is at %.3f, %.3f; want %.3f, %.3f", what, gotX, gotY, x, y)
	}
}

func TestText(t *testing.T) {
	b := newBuilder()
	b.info = "/Title(A  lease)/CreationDate(D:20240229134501+02'00')/HBREF(lease-7)"
	b.page(lines(72, 720, "First  line,", "second line."), "")
	b.page("", "")
	b.page(lines(72, 720, "Third page"), "")
	f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes())
	if want := "First line,\nsecond line.\nThird page\n"; f.Text != want {
		t.Errorf("the text is %q, want %q", f.Text, want)
	}
	if want := time.Date(2024, 2, 29, 11, 45, 1, 0, time.UTC); f.Title != "A lease" || f.HBREF != "lease-7" || !f.Created.Equal(want) {
		t.Errorf("the title is %q, of %s, and the reference %q", f.Title, f.Created, f.HBREF)
	}
	want := []layout.Page{
		{Span: layout.Span{Start: 0, End: 25}, Width: 612, Height: 792},
		{Span: layout.Span{Start: 25, End: 25}, Width: 612, Height: 792},
		{Span: layout.Span{Start: 25, End: 36}, Width: 612, Height: 792},
	}
	if !slices.Equal(f.Pages, want) {
		t.Errorf("the pages are %+v", f.Pages)
	}
	w := word(t, f, "Third")
	if w.Page != 3 {
		t.Errorf("%+v is not on page 3", w)
	}
	near(t, "a word", w.Box, (72+14)/612.0, (792-724)/792.0)
}

// TestWordOrder checks that the words of a line are in visual order if the characters of each
// font are drawn at once, as LibreOffice draws the boxes of a line.
func TestWordOrder(t *testing.T) {
	b := newBuilder()
	symbols := b.add("<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>")
	text := "BT /F1 12 Tf 72 700 Td [(Check one: ) -1000 ( Yes ) -1000 ( No)] TJ ET\n"
	boxes := "BT /F2 12 Tf 135 700 Td [(q) -2700 (q)] TJ ET\n"
	entries := fmt.Sprintf("/Resources<</Font<</F1 %d 0 R/F2 %d 0 R>>>>", fontObject, symbols)
	for _, content := range []string{text + boxes, boxes + text} {
		c := b.stream("", content)
		b.kids = append(b.kids, b.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R%s>>", pagesObject, c, entries))
	}
	f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes())
	line := "Check one: ❑ Yes ❑ No\n"
	if want := line + line; f.Text != want {
		t.Errorf("the text is %q, want %q", f.Text, want)
	}
}

// TestHyphens checks that a hyphen at the end of a line is kept, and that the rest of the
// word is a word of its own.
func TestHyphens(t *testing.T) {
	b := newBuilder()
	b.page(lines(72, 720, "This Agree-", "ment is well-known"), "")
	f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes())
	if want := "This Agree-\nment is well-known\n"; f.Text != want {
		t.Errorf("the text is %q, want %q", f.Text, want)
	}
	upper, lower := word(t, f, "Agree-").Box, word(t, f, "ment").Box
	if upper.Bottom > lower.Top+0.005 || upper.Left < lower.Left {
		t.Errorf("the parts of the word are at %+v and %+v", upper, lower)
	}
}

// TestPlaces reads pages that are rotated, cropped and scaled.
func TestPlaces(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	content := lines(100, 700, "Here") // its center is at 112, 704
	for name, tc := range map[string]struct {
		entries       string
		x, y          float64
		width, height float64
	}{
		"plain":            {"", 112 / 612.0, 88 / 792.0, 612, 792},
		"rotated by 90":    {"/Rotate 90", 704 / 792.0, 112 / 612.0, 792, 612},
		"rotated by 180":   {"/Rotate 180", 500 / 612.0, 704 / 792.0, 612, 792},
		"rotated by 270":   {"/Rotate 270", 88 / 792.0, 500 / 612.0, 792, 612},
		"rotated by -90":   {"/Rotate -90", 88 / 792.0, 500 / 612.0, 792, 612},
		"cropped":          {"/CropBox[50 600 350 750]", 62 / 300.0, 46 / 150.0, 300, 150},
		"cropped, rotated": {"/CropBox[50 600 350 750]/Rotate 90", 104 / 150.0, 62 / 300.0, 150, 300},
		"moved":            {"/MediaBox[-100 0 512 792]", 212 / 612.0, 88 / 792.0, 612, 792},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			b.page(content, tc.entries)
			f := read(t, r, b.bytes())
			if p := f.Pages[0]; math.Abs(p.Width-tc.width) > 0.01 || math.Abs(p.Height-tc.height) > 0.01 {
				t.Errorf("the page is %g by %g", p.Width, p.Height)
			}
			near(t, "the word", word(t, f, "Here").Box, tc.x, tc.y)
		})
	}
}

// TestOutside checks that content outside of the displayed page is left out.
func TestOutside(t *testing.T) {
	b := newBuilder()
	b.page(lines(100, 700, "Shown")+lines(100, 100, "Hidden")+lines(900, 700, "Beside"), "/CropBox[50 600 350 750]")
	if f := read(t, pdftest.NewReader(t, pdftest.Config()), b.bytes()); f.Text != "Shown\n" {
		t.Errorf("the text is %q", f.Text)
	}
}

// TestCharacters reads characters that need special treatment.
func TestCharacters(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	for name, tc := range map[string]struct{ code, want string }{
		"a ligature":            {"FB01", "fi"}, // as PDFium decodes it
		"beyond the BMP":        {"D835DC00", "\U0001D400"},
		"an unpaired surrogate": {"D835", "\uFFFD"},
		"a control character":   {"0007", ""},
		"a noncharacter":        {"FDD0", "\uFFFD"},
		"several":               {"006600660069", "ffi"},
		"a space":               {"00A0", " "},
		"a byte order mark":     {"FEFF", ""},
		"Hangul":                {"BBEF", "\uBBEF"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			cmap := b.stream("", "/CIDInit/ProcSet findresource begin 12 dict begin begincmap\n/CMapName/X def 1 begincodespacerange<00><FF>endcodespacerange\n"+
				"3 beginbfchar<41><"+tc.code+"><42><0062><43><0063>endbfchar endcmap end end")
			b.objects[fontObject-1] = strings.Replace(b.objects[fontObject-1], ">>", "/ToUnicode "+ref(cmap)+">>", 1)
			b.page(lines(72, 720, "BAC"), "")
			f := read(t, r, b.bytes())
			if want := "b" + tc.want + "c\n"; f.Text != want {
				t.Errorf("the text is %q, want %q", f.Text, want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Pages = 3
	r := pdftest.NewReader(t, cfg)
	for name, tc := range map[string]struct {
		file func() []byte
		want string
	}{
		"empty":      {func() []byte { return nil }, "is empty"},
		"not a PDF":  {func() []byte { return []byte("Dear Sirs,\n") }, "is damaged"},
		"no text":    {func() []byte { b := newBuilder(); b.page("0 0 100 100 re f", ""); return b.bytes() }, "has no text; if it is a scan"},
		"no pages":   {func() []byte { return newBuilder().bytes() }, "has no pages"},
		"many pages": {func() []byte { return manyPages(4) }, "has more than 3 pages"},
		"encrypted":  {encryptedFile, "is encrypted; remove its password first"},
	} {
		t.Run(name, func(t *testing.T) {
			b := tc.file()
			_, err := r.Read(t.Context(), bytes.NewReader(b), int64(len(b)))
			var refused *pdf.Error
			if !errors.As(err, &refused) || !strings.HasPrefix(refused.Reason, tc.want) {
				t.Errorf("got %v, want: the file %s", err, tc.want)
			}
		})
	}
}

// TestReadForm reads a page without text, which Read refuses, and the fields on it.
func TestReadForm(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	for name, want := range map[string]int{"scan": 0, "scan with a form": 2} {
		file := map[string][]byte{"scan": pdfforms.Scan(), "scan with a form": pdfforms.ScannedForm()}[name]
		f, err := r.ReadForm(t.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil || len(f.Pages) != 1 || len(f.Words) != 0 || len(f.Fields) != want {
			t.Errorf("%s: got %+v, %v, want a page with %d fields", name, f, err, want)
		}
		var refused *pdf.Error
		if _, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file))); !errors.As(err, &refused) {
			t.Errorf("%s: Read returns %v", name, err)
		}
	}
}

// TestCountPages checks that pages are counted without reading them, even if Read finds
// no text or refuses the number of pages.
func TestCountPages(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Pages = 0
	r := pdftest.NewReader(t, cfg)
	whole := manyPages(4)
	lost := newBuilder()
	lost.page(lines(72, 720, "x"), "")
	lost.kids = append(lost.kids, 99)
	scan := newBuilder()
	scan.page("0 0 100 100 re f", "")
	for name, tc := range map[string]struct {
		file []byte
		want int
		why  string
	}{
		"four pages":       {whole, 4, ""},
		"no text":          {scan.bytes(), 1, ""},
		"junk before":      {append([]byte("junk\n"), whole...), 4, ""},
		"a broken xref":    {bytes.Replace(whole, []byte("xref\n0"), []byte("xfer\n9"), 1), 4, ""},
		"empty":            {nil, 0, "is empty"},
		"only a header":    {[]byte("%PDF-1.7"), 0, "is damaged or not a PDF"},
		"the first half":   {whole[:len(whole)/2], 0, "is damaged or not a PDF"},
		"no pages":         {newBuilder().bytes(), 0, "has no pages"},
		"a lost page":      {lost.bytes(), 0, "is damaged: some of its pages are missing"},
		"a password":       {encryptedFile(), 0, "is encrypted; remove its password first"},
		"a page tree loop": {hostile()["a page tree that is a loop"], 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := r.CountPages(t.Context(), bytes.NewReader(tc.file), int64(len(tc.file)))
			var refused *pdf.Error
			switch {
			case tc.why == "" && (n != tc.want || err != nil):
				t.Errorf("got %d pages, %v; want %d", n, err, tc.want)
			case tc.why != "" && (!errors.As(err, &refused) || !strings.HasPrefix(refused.Reason, tc.why)):
				t.Errorf("got %d pages, %v; want: the file %s", n, err, tc.why)
			}
		})
	}
	if _, err := r.Read(t.Context(), bytes.NewReader(whole), int64(len(whole))); err == nil {
		t.Error("Read succeeded on a reader that only counts pages")
	}
}

// manyPages returns a file of n pages.
func manyPages(n int) []byte {
	b := newBuilder()
	for range n {
		b.page(lines(72, 720, "One of many."), "")
	}
	return b.bytes()
}

// encryptedFile returns a file that needs a password that does not exist: its keys match
// none.
func encryptedFile() []byte {
	b := newBuilder()
	b.page(lines(72, 720, "Secret"), "")
	key := strings.Repeat("5A", 32)
	b.trailer = "/ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -44/O<" + key + ">/U<" + key + ">>>"
	return b.bytes()
}
