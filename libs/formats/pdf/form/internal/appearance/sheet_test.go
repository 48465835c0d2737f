package appearance

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// sheet is a PDF file of one page that shows streams: those of widgets as annotations, and
// those of stamps in the content of the page.
type sheet struct {
	*Painter
	images        []Image
	width, height float64
	annotations   []placed
	stamps        []placed
}

// placed is a stream in a rectangle of the page.
type placed struct {
	Stream
	rect
}

// newSheet returns an empty page.
func newSheet(width, height float64, images ...Image) *sheet {
	p := &Painter{Fonts: typeset.NewFonts("/usr/share/fonts"), Writer: &typeset.Writer{}}
	for _, i := range images {
		p.Pictures = append(p.Pictures, Picture{Width: i.Width, Height: i.Height})
	}
	return &sheet{Painter: p, images: images, width: width, height: height}
}

// with returns a look with a change.
func (l Look) with(change func(*Look)) Look {
	change(&l)
	return l
}

// add puts the stream of a widget on the page. The widget has the size of its look.
func (s *sheet) add(x, y float64, l Look, stream Stream) rect {
	r := rect{x, y, l.Width, l.Height}
	s.annotations = append(s.annotations, placed{stream, r})
	return r
}

// pdf returns the file.
func (s *sheet) pdf(t testing.TB) []byte {
	t.Helper()
	f := &file{}
	fonts, images := s.fontObjects(t, f), s.imageObjects(f)
	var annotations, xobjects, content strings.Builder
	for _, a := range s.annotations {
		n := f.form(a.Stream, fonts, images)
		f.add(fmt.Sprintf("<< /Type /Annot /Subtype /Stamp /F 4 /Rect [%g %g %g %g] /AP << /N %d 0 R >> >>", a.x, a.y, a.x+a.w, a.y+a.h, n))
		fmt.Fprintf(&annotations, "%d 0 R ", len(f.objects))
	}
	for i, a := range s.stamps {
		fmt.Fprintf(&xobjects, "/S%d %d 0 R ", i, f.form(a.Stream, fonts, images))
		fmt.Fprintf(&content, "q 1 0 0 1 %g %g cm /S%d Do Q ", a.x, a.y, i)
	}
	contents := f.stream("", []byte(content.String()))
	page := f.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Annots [%s] /Contents %d 0 R /Resources << /XObject << %s >> >> >>",
		len(f.objects)+2, s.width, s.height, annotations.String(), contents, xobjects.String()))
	pages := f.add(fmt.Sprintf("<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", page))
	catalog := f.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages))
	return pdfforms.Assemble(fmt.Sprintf("/Root %d 0 R", catalog), f.objects...)
}

// fontObjects adds the fonts, and returns their references.
func (s *sheet) fontObjects(t testing.TB, f *file) map[string]int {
	t.Helper()
	if !slices.ContainsFunc(slices.Concat(s.annotations, s.stamps), func(p placed) bool { return len(p.Fonts) > 0 }) {
		return nil
	}
	embedded, err := s.Writer.Fonts()
	if err != nil {
		t.Fatal(err)
	}
	refs := map[string]int{}
	for _, e := range embedded {
		program := f.stream(fmt.Sprintf("/Length1 %d", len(e.Program)), e.Program)
		unicode := f.stream("", e.ToUnicode)
		descriptor := f.add(fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags %d /FontBBox [%s] /ItalicAngle %g /Ascent %d /Descent %d /CapHeight %d /StemV 80 /FontFile2 %d 0 R >>",
			e.BaseFont, e.Flags, strings.Trim(fmt.Sprint(e.BBox), "[]"), e.ItalicAngle, e.Ascent, e.Descent, e.CapHeight, program))
		cid := f.add(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity /FontDescriptor %d 0 R /W [0 %v] >>",
			e.BaseFont, descriptor, e.Widths))
		refs[e.Name] = f.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", e.BaseFont, cid, unicode))
	}
	return refs
}

// imageObjects adds the images, and returns their references.
func (s *sheet) imageObjects(f *file) []int {
	var refs []int
	for _, i := range s.images {
		extra := ""
		if i.Mask != nil {
			extra = fmt.Sprintf(" /SMask %d 0 R", f.image(*i.Mask, ""))
		}
		refs = append(refs, f.image(i, extra))
	}
	return refs
}

// file is a PDF file that is being written.
type file struct{ objects []string }

// add adds an object and returns its number.
func (f *file) add(object string) int {
	f.objects = append(f.objects, object)
	return len(f.objects)
}

// stream adds a stream.
func (f *file) stream(entries string, data []byte) int {
	return f.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data))
}

// image adds an image XObject.
func (f *file) image(i Image, extra string) int {
	space := "/" + i.ColorSpace
	if i.Palette != nil {
		space = fmt.Sprintf("[/Indexed /DeviceRGB %d <%x>]", len(i.Palette)/3-1, i.Palette)
	}
	if i.Predictor {
		extra += fmt.Sprintf(" /DecodeParms << /Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d >>", i.Components(), i.Bits, i.Width)
	}
	if i.Decode != nil {
		extra += fmt.Sprintf(" /Decode %v", i.Decode)
	}
	return f.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /ColorSpace %s /Filter /%s%s",
		i.Width, i.Height, i.Bits, space, i.Filter, extra), i.Data)
}

// form adds a form XObject.
func (f *file) form(s Stream, fonts map[string]int, images []int) int {
	var names, pictures strings.Builder
	for _, name := range s.Fonts {
		fmt.Fprintf(&names, "/%s %d 0 R ", name, fonts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Images)) {
		fmt.Fprintf(&pictures, "/%s %d 0 R ", name, images[s.Images[name]])
	}
	return f.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox %v /Matrix %v /Resources << /Font << %s >> /XObject << %s >> >>",
		s.BBox, s.Matrix, names.String(), pictures.String()), s.Content)
}

// zoom is the number of pixels of a point.
const zoom = 4

// shot is a rendered page.
type shot struct {
	image.Image
	name string
}

// render renders the page with poppler and MuPDF, which must not complain. Set KEEP_SHOTS
// to a folder to look at the pictures.
func (s *sheet) render(t *testing.T) []shot {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("KEEP_SHOTS"); keep != "" {
		dir = filepath.Join(keep, t.Name())
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := filepath.Join(dir, "in.pdf")
	if err := os.WriteFile(in, s.pdf(t), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "qpdf", "--check", in)
	resolution := fmt.Sprint(72 * zoom)
	run(t, "pdftoppm", "-r", resolution, "-png", "-singlefile", in, filepath.Join(dir, "poppler"))
	run(t, "mutool", "draw", "-q", "-N", "-r", resolution, "-o", filepath.Join(dir, "mupdf.png"), in)
	var shots []shot
	for _, name := range []string{"poppler", "mupdf"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		shots = append(shots, shot{m, name})
	}
	return shots
}

// run runs a program that must succeed silently.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%s: %v: %s", name, err, complaints.String())
	}
}

// color returns the color at a position in points, from the lower left corner.
func (s shot) color(p point) color.RGBA {
	b := s.Bounds()
	return color.RGBAModel.Convert(s.At(int(p.x*zoom), b.Dy()-1-int(p.y*zoom))).(color.RGBA)
}

// ink returns the extent of the pixels of r that match, relative to r, and their number in
// relation to all pixels of r.
func (s shot) ink(r rect, match func(color.RGBA) bool) (extent rect, share float64) {
	const none = 1e9
	x0, y0, x1, y1, n, all := none, none, -none, -none, 0, 0
	for y := r.y + 0.5/zoom; y < r.y+r.h; y += 1.0 / zoom {
		for x := r.x + 0.5/zoom; x < r.x+r.w; x += 1.0 / zoom {
			all++
			if match(s.color(point{x, y})) {
				n++
				x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
			}
		}
	}
	if n == 0 {
		return rect{}, 0
	}
	const half = 0.5 / zoom
	return rect{x0 - half - r.x, y0 - half - r.y, x1 - x0 + 2*half, y1 - y0 + 2*half}, float64(n) / float64(all)
}

// dark and inked match pixels with ink.
func dark(c color.RGBA) bool  { return int(c.R)+int(c.G)+int(c.B) < 3*128 }
func inked(c color.RGBA) bool { return int(c.R)+int(c.G)+int(c.B) < 3*250 }

// like returns a function that matches about a color.
func like(r, g, b uint8) func(color.RGBA) bool {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 40 }
	return func(c color.RGBA) bool { return near(c.R, r) && near(c.G, g) && near(c.B, b) }
}

// nothingOutside checks that a page has no ink but in the rectangles.
func (s shot) nothingOutside(t *testing.T, rects ...rect) {
	t.Helper()
	b := s.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			at := point{(float64(x) + 0.5) / zoom, (float64(b.Dy()-1-y) + 0.5) / zoom}
			inside := slices.ContainsFunc(rects, func(r rect) bool {
				const slack = 1.0 / zoom
				return at.x > r.x-slack && at.x < r.x+r.w+slack && at.y > r.y-slack && at.y < r.y+r.h+slack
			})
			if !inside && inked(color.RGBAModel.Convert(s.At(x, y)).(color.RGBA)) {
				t.Fatalf("%s: there is ink at %v, outside of the widgets", s.name, at)
			}
		}
	}
}
