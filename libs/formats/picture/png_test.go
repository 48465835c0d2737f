package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

// pixelFormat is a pixel format of PNG files.
type pixelFormat struct {
	color      byte
	depth      int
	interlaced bool
}

// pixelFormats returns all pixel formats.
func pixelFormats() []pixelFormat {
	var all []pixelFormat
	for _, color := range []byte{gray, trueColor, palette, grayAlpha, trueColorAlpha} {
		for _, depth := range []int{1, 2, 4, 8, 16} {
			if allowedDepth(color, depth) {
				all = append(all, pixelFormat{color, depth, false}, pixelFormat{color, depth, true})
			}
		}
	}
	return all
}

// chunk returns a chunk of a PNG file.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// pngOf returns a PNG file of random pixels, in several IDAT chunks, with an Exif chunk
// that sets orientation 6.
func pngOf(f pixelFormat, width, height int) []byte {
	random := rand.New(rand.NewPCG(uint64(f.color), uint64(f.depth)))
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	head = append(head, byte(f.depth), f.color, 0, 0, 0)
	if f.interlaced {
		head[12] = 1
	}
	reader := pngReader{header: header{width: width, height: height}, interlaced: f.interlaced}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for _, pass := range reader.passes() {
		row := make([]byte, 1+(pass.width*f.depth*samples(f.color)+7)/8)
		for range pass.height {
			for i := range row {
				row[i] = byte(random.Uint32())
			}
			row[0] %= 5
			_, _ = z.Write(row)
		}
	}
	_ = z.Close()
	file := append([]byte(pngSignature), chunk("IHDR", head)...)
	file = append(file, chunk("eXIf", exif(binary.BigEndian, 6))...)
	if f.color == palette {
		file = append(file, chunk("PLTE", make([]byte, 3<<f.depth))...)
	}
	for packed.Len() > 0 {
		file = append(file, chunk("IDAT", packed.Next(50))...)
	}
	return append(file, chunk("IEND", nil)...)
}

// exif returns Exif data with an orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		b = []byte("II*\x00")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, tag := range [][2]uint16{{0x0100, 640}, {0x0112, orientation}} {
		b = order.AppendUint16(order.AppendUint16(b, tag[0]), 3)
		b = order.AppendUint16(order.AppendUint16(order.AppendUint32(b, 1), tag[1]), 0)
	}
	return b
}

// agree checks that checkPNG accepts a file exactly if image/png does.
func agree(t *testing.T, name string, file []byte) {
	t.Helper()
	if !bytes.HasPrefix(file, []byte(pngSignature)) {
		return // refused before decoding
	}
	h, err := checkPNG(bytes.NewReader(file))
	var flaw *Error
	if err != nil && !errors.As(err, &flaw) {
		t.Fatalf("%s: %v", name, err)
	}
	if flaw != nil && flaw.Kind == TooLarge {
		return
	}
	config, _ := png.DecodeConfig(bytes.NewReader(file))
	if config.Width > 1<<12 || config.Height > 1<<12 {
		return // image/png would hold it in memory
	}
	_, want := png.Decode(bytes.NewReader(file))
	if (err == nil) != (want == nil) || err == nil && (h.width != config.Width || h.height != config.Height) {
		t.Errorf("%s: got %v, %v, want %v", name, h, err, want)
	}
}

func TestPNGAgreesWithTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, f := range pixelFormats() {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 17}, {33, 8}} {
			name := fmt.Sprint(f, size)
			file := pngOf(f, size[0], size[1])
			if h, err := checkPNG(bytes.NewReader(file)); err != nil || h.orientation != 6 {
				t.Errorf("%s: got %v, %v", name, h, err)
			}
			agree(t, name, file)
			for n := range 300 {
				changed := bytes.Clone(file)
				changed[random.IntN(len(file))] ^= 1 << random.IntN(8)
				if n%3 > 0 {
					repair(changed)
				}
				agree(t, name, changed)
			}
		}
	}
	for name, file := range samplesOf(t, "png/testdata/pngsuite/*.png") {
		agree(t, name, file)
	}
}

// TestRefusedPNG checks the errors for files whose chunks are intact but invalid.
func TestRefusedPNG(t *testing.T) {
	head := func(width uint32, bits ...byte) []byte {
		return chunk("IHDR", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), 1), bits...))
	}
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	_, _ = z.Write(make([]byte, 3)) // a byte more than the filter and the pixel
	_ = z.Close()
	grayscale, indexed, end := head(1, 8, gray, 0, 0, 0), head(1, 8, palette, 0, 0, 0), chunk("IEND", nil)
	data := chunk("IDAT", pixels.Bytes())
	for want, chunks := range map[string][][]byte{
		"does not begin with a header":           {data},
		"has an invalid size":                    {head(1<<31, 8, gray, 0, 0, 0)},
		"a compression that PNG does not define": {head(1, 8, gray, 1, 0, 0)},
		"has two headers":                        {grayscale, grayscale},
		"has an invalid palette":                 {grayscale, chunk("PLTE", make([]byte, 3))},
		"has an invalid transparency":            {grayscale, chunk("tRNS", make([]byte, 3))},
		"has no palette before its pixels":       {indexed, data},
		"has more pixels than its header says":   {grayscale, data, end},
		"has no pixels":                          {grayscale, end},
		"an end chunk that is not empty":         {grayscale, chunk("IEND", []byte("x"))},
		"its pixels cannot be decompressed":      {grayscale, chunk("IDAT", []byte("pixels")), end},
	} {
		_, err := checkPNG(bytes.NewReader(append([]byte(pngSignature), bytes.Join(chunks, nil)...)))
		var flaw *Error
		if !errors.As(err, &flaw) || !strings.Contains(flaw.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// repair corrects the checksums of the chunks of a PNG file, so that a fuzzer reaches the
// data behind them.
func repair(file []byte) {
	for at := len(pngSignature); at+12 <= len(file); {
		n := int(binary.BigEndian.Uint32(file[at:]))
		if n < 0 || n > len(file)-at-12 {
			return
		}
		binary.BigEndian.PutUint32(file[at+8+n:], crc32.ChecksumIEEE(file[at+4:at+8+n]))
		at += 12 + n
	}
}

func FuzzPNG(f *testing.F) {
	for _, format := range pixelFormats() {
		f.Add(pngOf(format, 5, 4), true)
	}
	f.Add([]byte(pngSignature), false)
	f.Fuzz(func(t *testing.T, file []byte, repaired bool) {
		if repaired {
			repair(file)
		}
		agree(t, "", file)
	})
}
