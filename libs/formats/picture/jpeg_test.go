package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// baseline returns a JPEG file with an Exif segment that sets orientation 8.
func baseline(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	app1 := append([]byte("Exif\x00\x00"), exif(binary.LittleEndian, 8)...)
	segment := append(binary.BigEndian.AppendUint16([]byte{0xFF, markerAPP1}, uint16(len(app1)+2)), app1...)
	return append(append([]byte{0xFF, markerSOI}, segment...), b.Bytes()[2:]...)
}

// samplesOf returns the test files of the standard library, or none if its source is not
// installed.
func samplesOf(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		return map[string][]byte{}
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "image", pattern))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// own returns a progressive file from testdata: image/jpeg writes only baseline files.
func own(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// checkedJPEG checks a file. Any error must be an *Error.
func checkedJPEG(t *testing.T, file []byte) (header, error) {
	t.Helper()
	var c Checker
	h, err := c.checkJPEG(t.Context(), bytes.NewReader(file))
	var flaw *Error
	if err != nil && !errors.As(err, &flaw) {
		t.Fatal(err)
	}
	return h, err
}

// TestJPEGAgreesWithTheStandardLibrary checks that files are accepted exactly if
// image/jpeg accepts them. Of modified files, more are refused here: image/jpeg ignores
// coefficients beyond the end of a block.
func TestJPEGAgreesWithTheStandardLibrary(t *testing.T) {
	files := samplesOf(t, "testdata/*.jpeg")
	for _, name := range []string{"gray.progressive.jpeg", "color.progressive.jpeg"} {
		files[name] = own(t, name)
	}
	for _, size := range []int{1, 7, 8, 9, 16, 17, 100} {
		files[fmt.Sprint("gray ", size)] = baseline(t, image.NewGray(image.Rect(0, 0, size, size+3)))
		files[fmt.Sprint("color ", size)] = baseline(t, image.NewNRGBA(image.Rect(0, 0, size, size+3)))
	}
	random := rand.New(rand.NewPCG(7, 8))
	for name, file := range files {
		_, want := jpeg.Decode(bytes.NewReader(file))
		if h, err := checkedJPEG(t, file); (err == nil) != (want == nil) {
			t.Errorf("%s: got %v, %v, want %v", name, h, err, want)
		}
		for range 20 {
			if _, err := checkedJPEG(t, file[:random.IntN(len(file))]); err == nil {
				t.Errorf("%s: accepted when truncated", name)
			}
		}
	}
}

func TestDamagedJPEG(t *testing.T) {
	files := samplesOf(t, "testdata/*.jpeg")
	files["color.progressive.jpeg"] = own(t, "color.progressive.jpeg")
	files["baseline"] = baseline(t, image.NewNRGBA(image.Rect(0, 0, 100, 80)))
	random := rand.New(rand.NewPCG(9, 10))
	taken, more := 0, 0
	for _, file := range files {
		for range 100 {
			changed := bytes.Clone(file)
			changed[2+random.IntN(len(file)-2)] = byte(random.Uint32())
			if _, err := checkedJPEG(t, changed); err != nil {
				continue
			}
			taken++
			if _, err := jpeg.Decode(bytes.NewReader(changed)); err != nil {
				more++
			}
		}
	}
	// image/jpeg carries a run of empty blocks over from one scan into the next, and so
	// refuses a few files that other decoders accept.
	if more*50 > taken {
		t.Errorf("%d of %d accepted damaged files are refused by image/jpeg", more, taken)
	}
}

// segment returns a segment of a JPEG file.
func segment(marker byte, data ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(data)+2)), data...)
}

// TestRefusedJPEG checks the errors for files with one segment that is invalid or not supported.
func TestRefusedJPEG(t *testing.T) {
	const start = "\xFF\xD8"
	frame := []byte{8, 0, 8, 0, 8, 1, 1, 0x11, 0} // 8 by 8 pixels of one component
	table := append([]byte{0, 1}, make([]byte, 16)...)
	tables := append(segment(markerDHT, table...), segment(markerDHT, append([]byte{0x10}, table[1:]...)...)...)
	begin := start + string(segment(markerSOF0, frame...)) + string(tables)
	scan := string(segment(markerSOS, 1, 1, 0, 0, 63, 0))
	for file, want := range map[string]string{
		start + "\xFF\xD9":                                                               "has no pixels",
		start + "\xFF\xE0\x00\x01":                                                       "one of its segments has no length",
		start + string(segment(0xC3, frame...)):                                          "uses an unsupported compression",
		start + string(segment(0x02)):                                                    "a segment of an unknown type",
		begin + string(segment(markerSOF0, frame...)):                                    "its header is invalid",
		start + string(segment(markerSOF0, 8, 0, 8, 0, 8, 1)):                            "its header is invalid",
		start + string(segment(markerSOF0, 8, 0, 8, 0, 8, 1, 1, 0x51, 0)):                "its header is invalid",
		start + string(segment(markerSOF0, 12, 0, 8, 0, 8, 1, 1, 0x11, 0)):               "uses an unsupported format",
		start + string(segment(markerSOF0, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0)):    "uses an unsupported format",
		start + string(segment(markerSOF0, frame...)) + string(segment(markerDHT, 2)):    "one of its tables is invalid",
		start + string(segment(markerSOF0, frame...)) + string(segment(markerDQT, 0, 1)): "one of its tables is invalid",
		start + string(segment(markerSOF0, frame...)) + scan:                             "one of its tables is missing",
		begin + string(segment(markerSOS, 1, 9, 0, 0, 63, 0)):                            "one of its scans is invalid",
		begin + "\xFF\xD9": "lacks some of its color components",
		start + string(segment(markerSOF0, 8, 0, 8, 0, 16, 1, 1, 0x11, 0)) + string(tables) + // two blocks, with a restart between them
			string(segment(markerDRI, 0, 1)) + scan + "\x00\xFF\xD1": "parts of its pixels are missing",
	} {
		if _, err := checkedJPEG(t, []byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
}

func FuzzJPEG(f *testing.F) {
	f.Add(baseline(f, image.NewGray(image.Rect(0, 0, 9, 9))))
	f.Add(baseline(f, image.NewNRGBA(image.Rect(0, 0, 17, 9))))
	for name, file := range samplesOf(f, "testdata/video-005*.jpeg") {
		if len(file) < 10_000 {
			f.Logf("from %s", name)
			f.Add(file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := checkedJPEG(t, file)
		if err != nil {
			return
		}
		if config, err := jpeg.DecodeConfig(bytes.NewReader(file)); err == nil && (config.Width != h.width || config.Height != h.height) {
			t.Errorf("got %v, want %v", h, config)
		}
	})
}

func TestOrientation(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for o := uint16(1); o <= 8; o++ {
			if got := orientation(exif(order, o)); got != int(o) {
				t.Errorf("got %d, want %d", got, o)
			}
		}
		for _, o := range []uint16{0, 9, 6 << 8} {
			if got := orientation(exif(order, o)); got != upright {
				t.Errorf("%d: got %d", o, got)
			}
		}
		whole := exif(order, 6)
		for n := range len(whole) - 4 {
			if got := orientation(whole[:n]); got != upright {
				t.Errorf("%d bytes: got %d", n, got)
			}
		}
	}
	if h, err := checkedJPEG(t, baseline(t, image.NewGray(image.Rect(0, 0, 2, 2)))); err != nil || h.orientation != 8 {
		t.Errorf("got %v, %v", h, err)
	}
}

// TestPassesAreBounded builds a file with many empty scans. Each would be a pass over all
// pixels.
func TestPassesAreBounded(t *testing.T) {
	file := own(t, "gray.progressive.jpeg")
	// A scan that refines the first coefficient, for which all bits are valid.
	pass := append([]byte{0xFF, markerSOS, 0, 8, 1, 1, 0, 0, 0, 0x10}, make([]byte, 4096)...)
	end := len(file) - 2
	for n, want := range map[int]bool{1: true, maxScans + 1: false} {
		long := append(append(bytes.Clone(file[:end]), bytes.Repeat(pass, n)...), file[end:]...)
		if _, err := checkedJPEG(t, long); (err == nil) != want {
			t.Errorf("%d more scans: %v", n, err)
		}
	}
}

// TestMemoryIsBounded checks that concurrent checks wait for memory, and that waiting
// ends with the context.
func TestMemoryIsBounded(t *testing.T) {
	file := own(t, "color.progressive.jpeg")
	synctest.Test(t, func(t *testing.T) {
		var c Checker
		release, err := c.take(t.Context(), 10*memory)
		if err != nil {
			t.Fatal(err)
		}
		gone := errors.New("gone")
		impatient, cancel := context.WithCancelCause(t.Context())
		results := make(chan error, 2)
		for _, ctx := range []context.Context{impatient, t.Context()} {
			go func() {
				_, err := c.checkJPEG(ctx, bytes.NewReader(file))
				results <- err
			}()
		}
		synctest.Wait()
		if len(results) > 0 {
			t.Fatalf("the check did not wait: %v", <-results)
		}
		cancel(gone)
		if err := <-results; !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
		release()
		if err := <-results; err != nil {
			t.Error(err)
		}
		if release, err = c.take(t.Context(), memory); err != nil {
			t.Fatalf("memory was not released: %v", err)
		}
		release()
	})
}

func BenchmarkCheck(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, 4000, 3000))
	for i := range m.Pix { // smooth with some noise, like a photograph
		m.Pix[i] = byte(i/16000 + int(random.Uint32()%16))
	}
	var encoded bytes.Buffer
	if err := jpeg.Encode(&encoded, m, &jpeg.Options{Quality: 80}); err != nil {
		b.Fatal(err)
	}
	var c Checker
	b.Run(fmt.Sprintf("JPEG/%dKiB", encoded.Len()>>10), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.checkJPEG(b.Context(), bytes.NewReader(encoded.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("image/jpeg", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := jpeg.Decode(bytes.NewReader(encoded.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
	file := pngOf(pixelFormat{trueColor, 8, false}, 1500, 2000)
	b.Run(fmt.Sprintf("PNG/%dKiB", len(file)>>10), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := checkPNG(io.Reader(bytes.NewReader(file))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("image/png", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(file)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
