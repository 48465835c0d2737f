package picture_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/picture"
)

// check checks the text of a data URL.
func check(t testing.TB, text string) (picture.Picture, picture.Kind) {
	t.Helper()
	var checker picture.Checker
	p, err := checker.Check(t.Context(), func() io.Reader { return strings.NewReader(text) })
	var flaw *picture.Error
	if err != nil && !errors.As(err, &flaw) {
		t.Fatalf("%.60s: %v", text, err)
	}
	if flaw == nil {
		return p, ""
	}
	if flaw.Reason == "" {
		t.Errorf("%.60s: no reason", text)
	}
	return p, flaw.Kind
}

func dataURL(mediaType string, file []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(file)
}

// noise returns an image that does not compress well.
func noise(width, height int) image.Image {
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	return m
}

func pngFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHeaders(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 2, 3))
	asPNG, asJPEG := base64.StdEncoding.EncodeToString(pngFile(t, gray)), base64.StdEncoding.EncodeToString(jpegFile(t, gray))
	for text, want := range map[string]picture.Kind{
		"data:image/png;base64," + asPNG:   "",
		"DATA:Image/PNG;Base64," + asPNG:   "",
		"data:image/jpg;base64," + asJPEG:  "",
		"data:image/jpeg;base64," + asJPEG: "",
		"":                                 picture.InvalidHeader,
		asPNG:                              picture.InvalidHeader,
		"data:":                            picture.InvalidHeader,
		"data:;base64," + asPNG:            picture.InvalidHeader,
		"data:image/;base64," + asPNG:      picture.InvalidHeader,
		"data:image/png," + asPNG:          picture.InvalidHeader,
		"data:image/png;base64" + asPNG:    picture.InvalidHeader,
		"data:image/png;charset=utf-8;base64," + asPNG:        picture.InvalidHeader,
		"data: image/png;base64," + asPNG:                     picture.InvalidHeader,
		" data:image/png;base64," + asPNG:                     picture.InvalidHeader,
		"image/png;base64," + asPNG:                           picture.InvalidHeader,
		"data:application/pdf;base64," + asPNG:                picture.InvalidHeader,
		"data:image/" + strings.Repeat("x", 200) + ";base64,": picture.InvalidHeader,
		"data:image/gif;base64,R0lGODlh":                      picture.UnsupportedType,
		"data:image/svg+xml;base64," + asPNG:                  picture.UnsupportedType,
		"data:image/webp;base64,!":                            picture.UnsupportedType,
		"data:image/*;base64," + asPNG:                        picture.InvalidHeader,
		"data:image/jpeg;base64," + asPNG:                     picture.Corrupt,
		"data:image/png;base64," + asJPEG:                     picture.Corrupt,
		"data:image/png;base64,R0lGODlh":                      picture.Corrupt,
		"data:image/png;base64,":                              picture.Corrupt,
		"data:image/png;base64," + asPNG[:40]:                 picture.Corrupt,
		"data:image/jpeg;base64," + asJPEG[:40]:               picture.Corrupt,
		"data:image/jpeg;base64,/9j/":                         picture.Corrupt,
	} {
		if _, got := check(t, text); got != want {
			t.Errorf("%.60s: got %q, want %q", text, got, want)
		}
	}
}

func TestBase64(t *testing.T) {
	file := pngFile(t, noise(100, 100)) // larger than all buffers
	text := base64.StdEncoding.EncodeToString(file)
	wrapped := wrap(text, 76, "\r\n")
	for name, tc := range map[string]struct {
		data string
		want picture.Kind
	}{
		"plain":                  {text, ""},
		"lines":                  {wrapped, ""},
		"lines of one character": {wrap(text, 1, "\n"), ""},
		"ends with a line break": {text + "\n", ""},
		"a space":                {text[:8] + " " + text[8:], picture.InvalidBase64},
		"no padding":             {strings.TrimRight(text+"AAAA"[:2], "="), picture.InvalidBase64},
		"one character missing":  {text[:len(text)-1], picture.InvalidBase64},
		"two characters missing": {text[:len(text)-2], picture.InvalidBase64},
		"text after the padding": {base64.StdEncoding.EncodeToString(file[:len(file)/3*3-1]) + "AAAA", picture.InvalidBase64},
		"other alphabet":         {text[:4000] + "-_-_" + text[4004:], picture.InvalidBase64},
		"an exclamation mark":    {text + "!", picture.InvalidBase64},
		"only padding":           {"====", picture.InvalidBase64},
	} {
		if _, got := check(t, "data:image/png;base64,"+tc.data); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
	// Text after the padding is refused wherever the padding is, and wherever buffers
	// end.
	for n := 12; n < 13000; n += 12 * 16 {
		padded := strings.Repeat("AAAA", n/4) + "AA==" + "AAAA"
		if _, got := check(t, "data:image/png;base64,"+padded); got != picture.InvalidBase64 {
			t.Fatalf("padding after %d characters: got %q", n, got)
		}
	}
}

func wrap(text string, width int, end string) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + end)
		text = text[width:]
	}
	return b.String() + text
}

func TestPicture(t *testing.T) {
	for mediaType, file := range map[string][]byte{
		"image/png": pngFile(t, noise(64, 33)), "image/jpeg": jpegFile(t, noise(64, 33)),
	} {
		p, kind := check(t, wrap(dataURL(mediaType, file), 76, "\n"))
		if kind != "" || p.MediaType != mediaType || p.Width != 64 || p.Height != 33 || p.Orientation != 1 || p.Size != int64(len(file)) || p.SHA256 != sha256.Sum256(file) {
			t.Errorf("%s: got %+v, %s", mediaType, p, kind)
			continue
		}
		for range 2 {
			if got, err := io.ReadAll(p.Open()); err != nil || !bytes.Equal(got, file) {
				t.Errorf("%s: reads %d bytes, %v", mediaType, len(got), err)
			}
		}
		trailed := append(bytes.Clone(file), "data that cameras append"...)
		if _, kind := check(t, dataURL(mediaType, trailed)); kind != "" {
			t.Errorf("%s: bytes after the end: %s", mediaType, kind)
		}
		for n := range file {
			if n%7 != 0 && n < len(file)-20 {
				continue
			}
			if _, kind := check(t, dataURL(mediaType, file[:n])); kind != picture.Corrupt {
				t.Errorf("%s: cut after %d of %d bytes: %q", mediaType, n, len(file), kind)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	small := pngFile(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	limit := append(bytes.Clone(small), make([]byte, picture.MaxSize-len(small))...)
	if _, kind := check(t, dataURL("image/png", limit)); kind != "" {
		t.Errorf("10 MiB: %s", kind)
	}
	if _, kind := check(t, dataURL("image/png", append(limit, 0))); kind != picture.TooLarge {
		t.Errorf("more than 10 MiB: %q", kind)
	}
	for _, tc := range []struct {
		width, height int
		want          picture.Kind
	}{{50_000, 1000, ""}, {50_001, 1000, picture.TooLarge}} {
		m := &image.Paletted{Rect: image.Rect(0, 0, tc.width, tc.height), Stride: 0, Pix: make([]byte, tc.width), Palette: color.Palette{color.Black}}
		if _, kind := check(t, dataURL("image/png", pngFile(t, m))); kind != tc.want {
			t.Errorf("%d by %d: got %q", tc.width, tc.height, kind)
		}
	}
	huge := bytes.Clone(jpegFile(t, image.NewGray(image.Rect(0, 0, 8, 8))))
	at := bytes.Index(huge, []byte{0xff, 0xc0}) + 5
	copy(huge[at:], []byte{0xff, 0xff, 0xff, 0xff})
	if _, kind := check(t, dataURL("image/jpeg", huge)); kind != picture.TooLarge {
		t.Errorf("a JPEG of 65535 by 65535: %q", kind)
	}
}

func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	var checker picture.Checker
	for mediaType, file := range map[string][]byte{"image/png": pngFile(t, noise(9, 9)), "image/jpeg": jpegFile(t, noise(9, 9))} {
		if _, err := checker.Check(ctx, func() io.Reader { return strings.NewReader(dataURL(mediaType, file)) }); !errors.Is(err, gone) {
			t.Errorf("%s: got %v", mediaType, err)
		}
	}
}

// failing is a reader that fails in the middle.
type failing struct{ r io.Reader }

func (f failing) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if errors.Is(err, io.EOF) {
		err = errFailed
	}
	return n, err
}

var errFailed = errors.New("failed")

func TestReaderFails(t *testing.T) {
	text := dataURL("image/png", pngFile(t, noise(9, 9)))
	for _, n := range []int{5, 300} {
		var checker picture.Checker
		if _, err := checker.Check(t.Context(), func() io.Reader { return failing{strings.NewReader(text[:n])} }); !errors.Is(err, errFailed) {
			t.Errorf("after %d bytes: got %v", n, err)
		}
	}
}
