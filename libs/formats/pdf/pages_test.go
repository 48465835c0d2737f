package pdf_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// render renders a page of a valid file.
func render(t testing.TB, r *pdf.Reader, b []byte, page, width int) image.Image {
	t.Helper()
	var out bytes.Buffer
	if err := r.Render(t.Context(), bytes.NewReader(b), int64(len(b)), page, width, &out); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// ink returns the bounds of the pixels that are not white, in fractions of the picture, and
// how many pixels that are.
func ink(picture image.Image) (left, top, right, bottom float64, pixels int) {
	b := picture.Bounds()
	found := image.Rectangle{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := picture.At(x, y).RGBA(); min(r, g, bl) < 0x8000 {
				found = found.Union(image.Rect(x, y, x+1, y+1))
				pixels++
			}
		}
	}
	w, h := float64(b.Dx()), float64(b.Dy())
	return float64(found.Min.X) / w, float64(found.Min.Y) / h, float64(found.Max.X) / w, float64(found.Max.Y) / h, pixels
}

// views are ways to display the same page, with the center of what is drawn at 112, 704,
// the size, and the rotation.
var views = map[string]struct {
	entries       string
	x, y          float64
	width, height float64
	rotation      int
}{
	"plain":            {"", 112 / 612.0, 88 / 792.0, 612, 792, 0},
	"rotated by 90":    {"/Rotate 90", 704 / 792.0, 112 / 612.0, 792, 612, 90},
	"rotated by 180":   {"/Rotate 180", 500 / 612.0, 704 / 792.0, 612, 792, 180},
	"rotated by 270":   {"/Rotate 270", 88 / 792.0, 500 / 612.0, 792, 612, 270},
	"rotated by -90":   {"/Rotate -90", 88 / 792.0, 500 / 612.0, 792, 612, 270},
	"cropped":          {"/CropBox[50 600 350 750]", 62 / 300.0, 46 / 150.0, 300, 150, 0},
	"cropped, rotated": {"/CropBox[50 600 350 750]/Rotate 90", 104 / 150.0, 62 / 300.0, 150, 300, 90},
	"an escaped name":  {"/Rot#61te 90", 704 / 792.0, 112 / 612.0, 792, 612, 90},
	"moved":            {"/MediaBox[-100 0 512 792]", 212 / 612.0, 88 / 792.0, 612, 792, 0},
}

// TestPages checks the sizes, the words and the pictures of pages that are rotated and
// cropped.
func TestPages(t *testing.T) {
	r := traced(t, pdftest.Config())
	for name, v := range views {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			b.page("102 698 20 12 re f", v.entries)
			b.page(lines(100, 700, "Here"), v.entries)
			file := b.bytes()
			pages, err := r.Pages(t.Context(), bytes.NewReader(file), int64(len(file)))
			want := pdf.PageSize{Width: v.width, Height: v.height, Rotation: v.rotation}
			if err != nil || !slices.Equal(pages, []pdf.PageSize{want, want}) {
				t.Errorf("the pages are %+v, %v; want %+v twice", pages, err, want)
			}
			text, err := r.Words(t.Context(), bytes.NewReader(file), int64(len(file)), 2)
			if err != nil || text.PageSize != want || text.Text != "Here\n" || len(text.Words) != 1 || text.Words[0].Page != 2 {
				t.Fatalf("the words are %+v, %v", text, err)
			}
			near(t, "the word", text.Words[0].Box, v.x, v.y)
			picture := render(t, r, file, 1, 600)
			if size := picture.Bounds().Size(); size.X != 600 || math.Abs(float64(size.Y)-600*v.height/v.width) > 1 {
				t.Errorf("the picture is %s", size)
			}
			left, top, right, bottom, pixels := ink(picture)
			if x, y := (left+right)/2, (top+bottom)/2; math.Abs(x-v.x) > 0.01 || math.Abs(y-v.y) > 0.01 || pixels == 0 {
				t.Errorf("the drawing is at %.3f, %.3f; want %.3f, %.3f", x, y, v.x, v.y)
			}
		})
	}
}

// TestRenderForm checks that fields, annotations and colors are visible, and that what is
// hidden is not.
func TestRenderForm(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	_, _, _, _, pixels := ink(render(t, r, formFile(), 1, 800))
	plain := newBuilder()
	plain.page(lines(72, 700, "Between")+lines(280, 700, "and others,")+lines(72, 660, "of this day.")+lines(72, 540, "State:")+lines(72, 500, "Signed"), "")
	if _, _, _, _, without := ink(render(t, r, plain.bytes(), 1, 800)); pixels < without+400 {
		t.Errorf("the form has %d dark pixels, and %d without its fields", pixels, without)
	}
	for name, catalog := range map[string]string{"with a form": "/AcroForm<</Fields[]>>", "without a form": ""} {
		b := newBuilder()
		shown := b.widget("w", "/FT/Tx/V(x)"+b.appearance("Widget", 100, 16), [4]int{200, 696, 300, 712})
		hidden := b.add("<</Type/Annot/Subtype/FreeText/Rect[400 300 500 316]/F 2/Contents(x)%s>>", b.appearance("hidden", 100, 16))
		b.catalog = catalog
		b.page("", "/Annots["+ref(shown)+" "+ref(hidden)+"]")
		left, top, right, bottom, _ := ink(render(t, r, b.bytes(), 1, 612))
		if left < 195/612.0 || right > 305/612.0 || top < 75/792.0 || bottom > 100/792.0 {
			t.Errorf("%s: what is drawn reaches from %.3f, %.3f to %.3f, %.3f", name, left, top, right, bottom)
		}
	}
	red := newBuilder()
	red.page("1 0 0 rg 0 0 612 792 re f", "")
	if r, g, b, a := render(t, r, red.bytes(), 1, 10).At(5, 5).RGBA(); r < 0xF000 || g > 0x1000 || b > 0x1000 || a != 0xFFFF {
		t.Errorf("red is %x %x %x %x", r, g, b, a)
	}
}

// TestPageErrors checks the errors of the functions for single pages.
func TestPageErrors(t *testing.T) {
	cfg := pdftest.Config()
	cfg.Pages = 3
	r := pdftest.NewReader(t, cfg)
	scan := newBuilder()
	scan.page("0 0 100 100 re f", "")
	lost := newBuilder()
	lost.page(lines(72, 720, "x"), "")
	lost.kids = append(lost.kids, 99)
	for name, tc := range map[string]struct {
		file              []byte
		page              int
		pages, words, png string // the beginnings of the errors, or "" for none
	}{
		"a valid page":        {manyPages(3), 3, "", "", ""},
		"no text":             {scan.bytes(), 1, "", "", ""},
		"page 0":              {manyPages(3), 0, "", "the file has no such page", "the file has no such page"},
		"a negative page":     {manyPages(3), -1, "", "the file has no such page", "the file has no such page"},
		"a page past the end": {manyPages(3), 4, "", "the file has no such page", "the file has no such page"},
		"too many pages":      {manyPages(4), 4, "the file has more than 3 pages", "", ""},
		"a lost page":         {lost.bytes(), 2, "", "", "the file is damaged: some of its pages are missing"},
		"encrypted":           {encryptedFile(), 1, "the file is encrypted; remove its password first", "the file is encrypted", "the file is encrypted"},
		"not a PDF":           {[]byte("Dear Sirs,\n"), 1, "the file is damaged or not a PDF", "the file is damaged or not a PDF", "the file is damaged or not a PDF"},
		"empty":               {nil, 1, "the file is empty", "the file is empty", "the file is empty"},
		"no pages":            {newBuilder().bytes(), 1, "the file has no pages", "the file has no pages", "the file has no pages"},
	} {
		t.Run(name, func(t *testing.T) {
			f, size := bytes.NewReader(tc.file), int64(len(tc.file))
			_, err := r.Pages(t.Context(), f, size)
			fails(t, "Pages", err, tc.pages)
			_, err = r.Words(t.Context(), f, size, tc.page)
			fails(t, "Words", err, tc.words)
			fails(t, "Render", r.Render(t.Context(), f, size, tc.page, 100, io.Discard), tc.png)
		})
	}
	for _, width := range []int{-1, 0, pdf.MaxRenderWidth + 1} {
		b := manyPages(1)
		var refused *pdf.Error
		if err := r.Render(t.Context(), bytes.NewReader(b), int64(len(b)), 1, width, io.Discard); err == nil || errors.As(err, &refused) {
			t.Errorf("%d pixels wide: %v", width, err)
		}
	}
}

// fails fails the test unless the error begins with want, or is nil for "".
func fails(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil && want != "" || err != nil && (want == "" || !strings.HasPrefix(err.Error(), want)) {
		t.Errorf("%s: got %v, want %q", what, err, want)
	}
}

// TestRenderBounds checks that no page makes a picture that is too large.
func TestRenderBounds(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	small := pdftest.Config()
	small.Memory = 256 << 20
	for name, tc := range map[string]struct {
		box    string
		reader *pdf.Reader
		width  int
		want   image.Point
	}{
		"wide":                  {"0 0 10000 10", r, 1000, image.Pt(1000, 1)},
		"wider than its pixels": {"0 0 14000 1", r, 1000, image.Pt(1000, 1)},
		"high":                  {"0 0 10 10000", r, 10, image.Pt(10, 10000)},
		"too high":              {"0 0 100 10000", r, 4000, image.Pt(565, 56500)},
		"square":                {"0 0 100 100", r, 4000, image.Pt(4000, 4000)},
		"little memory":         {"0 0 100 100", pdftest.NewReader(t, small), 4000, image.Pt(2896, 2896)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			b.page("", "/MediaBox["+tc.box+"]")
			if size := render(t, tc.reader, b.bytes(), 1, tc.width).Bounds().Size(); size != tc.want {
				t.Errorf("the picture is %s, want %s", size, tc.want)
			}
		})
	}
}
