package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tiffPage describes a page of a TIFF.
type tiffPage struct {
	width, height, dpi, orientation int
	pixels                          []byte // 8 bits each, or 1 bit each
}

// makeTIFF returns an uncompressed TIFF in gray, or in black and white.
func makeTIFF(order binary.ByteOrder, pages ...tiffPage) []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, order, v)
		}
	}
	b.WriteString(map[binary.ByteOrder]string{binary.LittleEndian: "II*\x00", binary.BigEndian: "MM\x00*"}[order])
	put(uint32(8))
	for i, p := range pages {
		const entries = 12
		fraction := b.Len() + 2 + 12*entries + 4
		data := fraction + 8
		bits := 8
		if len(p.pixels) < p.width*p.height {
			bits = 1
		}
		short := func(tag, value int) { put(uint16(tag), uint16(3), uint32(1), uint16(value), uint16(0)) }
		long := func(tag, kind, value int) { put(uint16(tag), uint16(kind), uint32(1), uint32(value)) }
		put(uint16(entries))
		long(256, 4, p.width)
		long(257, 4, p.height)
		short(258, bits)
		short(259, 1)
		short(262, 1)
		long(273, 4, data)
		short(274, max(p.orientation, 1))
		short(277, 1)
		long(278, 4, p.height)
		long(279, 4, len(p.pixels))
		long(282, 5, fraction)
		long(283, 5, fraction)
		next := data + len(p.pixels)
		if i == len(pages)-1 {
			next = 0
		}
		put(uint32(next), uint32(p.dpi), uint32(1))
		b.Write(p.pixels)
	}
	return b.Bytes()
}

// shown writes the PDF of a picture, and returns the sizes of its pages as pdfinfo prints
// them, after qpdf has found no fault.
func shown(t *testing.T, mediaType string, file []byte) (path string, sizes []string) {
	t.Helper()
	pdf, err := PDF(mediaType, file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := PDF(mediaType, file)
	if err != nil || !bytes.Equal(pdf, again) {
		t.Errorf("the same picture gives other bytes: %v", err)
	}
	path = filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "qpdf", "--check", path)
	for _, m := range regexp.MustCompile(`Page +\d+ size: +(\S+ x \S+) pts`).FindAllStringSubmatch(run(t, "pdfinfo", "-l", "99", path), -1) {
		sizes = append(sizes, m[1])
	}
	return path, sizes
}

// pixel returns the color of a page of a PDF at a point, from the top left, as parts of its
// width and height.
func pixel(t *testing.T, path string, page int, x, y float64) color.NRGBA {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page")
	n := strconv.Itoa(page)
	run(t, "pdftoppm", "-png", "-singlefile", "-r", "72", "-f", n, "-l", n, path, out)
	f, err := os.Open(out + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Bounds().Size()
	return color.NRGBAModel.Convert(m.At(int(x*float64(s.X)), int(y*float64(s.Y)))).(color.NRGBA)
}

// halves returns an image whose left half is red, and whose right half is transparent.
func halves(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width / 2 {
			m.SetNRGBA(x, y, color.NRGBA{R: 255, A: 255})
		}
	}
	return m
}

func encoded(t *testing.T, mediaType string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95})
	if mediaType == "image/png" {
		b.Reset()
		err = png.Encode(&b, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withDensity adds the density in pixels per meter to a PNG.
func withDensity(file []byte, perMeter uint32) []byte {
	m := fmt.Sprintf("%s%s%s\x01", "pHYs", be(perMeter), be(perMeter))
	chunk := be(uint32(9)) + m + be(crc32.ChecksumIEEE([]byte(m)))
	return []byte(string(file[:33]) + chunk + string(file[33:]))
}

func be(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

func TestPDF(t *testing.T) {
	m := halves(192, 96)
	for name, c := range map[string]struct {
		mediaType string
		file      []byte
		size      string
	}{
		"png":                 {"image/png", encoded(t, "image/png", m), "144 x 72"},
		"png with a density":  {"image/png", withDensity(encoded(t, "image/png", m), 7559), "72.001 x 36"}, // about 192 pixels per inch
		"png, absurd density": {"image/png", withDensity(encoded(t, "image/png", m), 1), "144 x 72"},
		"jpeg":                {"image/jpeg", encoded(t, "image/jpeg", m), "144 x 72"},
		"a photo":             {"image/jpeg", encoded(t, "image/jpeg", halves(4000, 2000)), "841.89 x 420.945"},
	} {
		t.Run(name, func(t *testing.T) {
			path, sizes := shown(t, c.mediaType, c.file)
			if len(sizes) != 1 || sizes[0] != c.size {
				t.Errorf("the sizes are %q, want %q", sizes, c.size)
			}
			if p := pixel(t, path, 1, .25, .5); p.R < 250 || p.G > 5 {
				t.Errorf("the left half is %v", p)
			}
			if p := pixel(t, path, 1, .75, .5); strings.HasPrefix(name, "png") && p != (color.NRGBA{255, 255, 255, 255}) {
				t.Errorf("the right half is %v", p)
			}
		})
	}
}

func TestTIFF(t *testing.T) {
	gray := bytes.Repeat(append(bytes.Repeat([]byte{200}, 100), bytes.Repeat([]byte{90}, 100)...), 100) // left light, right dark
	bits := bytes.Repeat([]byte{0xFF, 0xFF, 0, 0}, 32)                                                  // left white, right black
	for name, order := range map[string]binary.ByteOrder{"little-endian": binary.LittleEndian, "big-endian": binary.BigEndian} {
		t.Run(name, func(t *testing.T) {
			path, sizes := shown(t, "image/tiff", makeTIFF(order,
				tiffPage{width: 200, height: 100, dpi: 144, pixels: gray}, tiffPage{width: 200, height: 100, dpi: 72, orientation: 6, pixels: gray},
				tiffPage{width: 32, height: 32, dpi: 0, pixels: bits}))
			if got := strings.Join(sizes, ", "); got != "100 x 50, 100 x 200, 24 x 24" {
				t.Errorf("the sizes are %q", got)
			}
			for page, at := range map[int][2]float64{1: {.25, .5}, 2: {.5, .25}} { // the second is turned right: left is at the top
				light, dark := pixel(t, path, page, at[0], at[1]), pixel(t, path, page, 1-at[0], 1-at[1])
				if light.R != 200 || dark.R != 90 {
					t.Errorf("page %d has %v and %v", page, light, dark)
				}
			}
			if white, black := pixel(t, path, 3, .2, .5), pixel(t, path, 3, .8, .5); white.R != 255 || black.R != 0 {
				t.Errorf("page 3 has %v and %v", white, black)
			}
		})
	}
}

func TestBadPictures(t *testing.T) {
	good := encoded(t, "image/png", halves(20, 20))
	tiff := makeTIFF(binary.LittleEndian, tiffPage{width: 10, height: 10, dpi: 72, pixels: make([]byte, 100)})
	loop := bytes.Clone(tiff)
	binary.LittleEndian.PutUint32(loop[8+2+12*12:], 8) // the next image is this one
	large := bytes.Clone(tiff)
	binary.LittleEndian.PutUint32(large[8+2+8:], 60_000_000)
	strange := bytes.Clone(tiff)
	binary.LittleEndian.PutUint16(strange[8+2+4*12+8:], 6) // YCbCr
	for name, c := range map[string]struct {
		mediaType string
		file      []byte
		want      Fault
	}{
		"a truncated PNG":           {"image/png", good[:len(good)-20], Damaged},
		"a truncated JPEG":          {"image/jpeg", encoded(t, "image/jpeg", halves(20, 20))[:300], Damaged},
		"a truncated TIFF":          {"image/tiff", tiff[:len(tiff)-50], Damaged},
		"a TIFF without tags":       {"image/tiff", tiff[:9], Damaged},
		"a loop":                    {"image/tiff", loop, Damaged},
		"too many pixels":           {"image/tiff", large, TooLarge},
		"colors that are not known": {"image/tiff", strange, Unsupported},
	} {
		var got Fault
		if _, err := PDF(c.mediaType, c.file); !errors.As(err, &got) || got != c.want {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func FuzzTIFF(f *testing.F) {
	f.Add(makeTIFF(binary.LittleEndian, tiffPage{width: 10, height: 10, dpi: 72, pixels: make([]byte, 100)}))
	f.Add(makeTIFF(binary.BigEndian, tiffPage{width: 16, height: 2, dpi: 72, pixels: make([]byte, 4)}, tiffPage{width: 2, height: 2, pixels: []byte{1, 2, 3, 4}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		pdf, err := PDF("image/tiff", file)
		if err == nil && !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("the result begins with %.20q", pdf)
		}
		if err != nil && !errors.As(err, new(Fault)) {
			t.Errorf("got %v", err)
		}
	})
}

// run runs a program of the system and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s; run make install-test-packages", name, err, out)
	}
	return string(out)
}
