package picture

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// The chunks that are parsed. For other chunks, only the checksum is checked.
const (
	chunkIHDR = "IHDR"
	chunkPLTE = "PLTE"
	chunkIDAT = "IDAT"
	chunkIEND = "IEND"
	chunkTRNS = "tRNS"
	chunkExif = "eXIf"
)

// Color types of PNG 3rd edition, section 11.2.1.
const (
	gray           = 0
	trueColor      = 2
	palette        = 3
	grayAlpha      = 4
	trueColorAlpha = 6
)

// pngReader checks a PNG file from its first to its last chunk and keeps no pixels. Like
// all viewers, it ignores bytes after the last chunk.
type pngReader struct {
	r    io.Reader
	sum  hash.Hash32
	kind string // type of the current chunk
	left uint32 // unread bytes of its data
	// ahead is set if the current chunk was begun while looking for the end of the
	// pixels.
	ahead bool

	header     header
	depth      int // bits per sample
	color      byte
	interlaced bool
	hasPalette bool
	hasPixels  bool
}

// checkPNG reads a whole PNG file. It checks the order and the checksums of the chunks,
// the number of pixels, and the row filters.
func checkPNG(r io.Reader) (header, error) {
	p := &pngReader{r: bufio.NewReader(r), sum: crc32.NewIEEE(), header: header{orientation: upright}}
	if _, err := io.CopyN(io.Discard, p.r, int64(len(pngSignature))); err != nil {
		return header{}, cut(err)
	}
	if err := p.readHeader(); err != nil {
		return header{}, err
	}
	for ended := false; !ended; {
		if !p.ahead {
			if err := p.next(); err != nil {
				return header{}, err
			}
		}
		p.ahead, ended = false, p.kind == chunkIEND
		if err := p.readChunk(); err != nil {
			return header{}, err
		}
	}
	if !p.hasPixels {
		return header{}, refuse(Corrupt, "has no pixels")
	}
	return p.header, nil
}

// next reads the length and the type of the next chunk.
func (p *pngReader) next() error {
	var head [8]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return cut(err)
	}
	p.left, p.kind = binary.BigEndian.Uint32(head[:4]), string(head[4:])
	p.sum.Reset()
	p.sum.Write(head[4:])
	return nil
}

// Read reads the data of the chunk. At the end of the data it verifies the checksum.
func (p *pngReader) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, err := p.r.Read(b[:min(uint64(len(b)), uint64(p.left))])
	p.left -= uint32(n)
	p.sum.Write(b[:n])
	if n > 0 {
		err = nil
	}
	return n, cut(err)
}

// end skips the rest of the chunk's data and verifies the checksum.
func (p *pngReader) end() error {
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{p}); err != nil {
		return err
	}
	var sum [4]byte
	if _, err := io.ReadFull(p.r, sum[:]); err != nil {
		return cut(err)
	}
	if binary.BigEndian.Uint32(sum[:]) != p.sum.Sum32() {
		return refuse(Corrupt, "is damaged: one of its checksums is wrong")
	}
	return nil
}

// readHeader reads the header chunk, which must be the first.
func (p *pngReader) readHeader() error {
	if err := p.next(); err != nil {
		return err
	}
	if p.kind != chunkIHDR || p.left != 13 {
		return refuse(Corrupt, "does not begin with a header")
	}
	var b [13]byte
	if _, err := io.ReadFull(p, b[:]); err != nil {
		return cut(err)
	}
	width, height := binary.BigEndian.Uint32(b[:]), binary.BigEndian.Uint32(b[4:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return refuse(Corrupt, "has an invalid size")
	}
	p.header.width, p.header.height = int(width), int(height)
	p.depth, p.color, p.interlaced = int(b[8]), b[9], b[12] == 1
	if !allowedDepth(p.color, p.depth) || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return refuse(Corrupt, "uses a compression that PNG does not define")
	}
	if err := p.end(); err != nil {
		return err
	}
	return p.header.check()
}

// allowedDepth implements table 8 of PNG 3rd edition, section 11.2.1.
func allowedDepth(color byte, depth int) bool {
	switch color {
	case gray:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16
	case palette:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8
	case trueColor, grayAlpha, trueColorAlpha:
		return depth == 8 || depth == 16
	default:
		return false
	}
}

// samples returns the number of samples per pixel.
func samples(color byte) int {
	switch color {
	case trueColor:
		return 3
	case grayAlpha:
		return 2
	case trueColorAlpha:
		return 4
	default:
		return 1
	}
}

// readChunk checks the data of a chunk.
func (p *pngReader) readChunk() error {
	var err error
	switch p.kind {
	case chunkIHDR:
		err = refuse(Corrupt, "has two headers")
	case chunkPLTE:
		err = p.readPalette()
	case chunkTRNS:
		err = p.readTransparency()
	case chunkIDAT:
		if !p.hasPixels { // later ones are ignored, as in browsers
			return p.readPixels()
		}
	case chunkIEND:
		if p.left != 0 {
			err = refuse(Corrupt, "has an end chunk that is not empty")
		}
	case chunkExif:
		err = p.readExif()
	}
	if err != nil {
		return err
	}
	return p.end()
}

// readPalette checks the form of the palette.
func (p *pngReader) readPalette() error {
	most := uint32(256)
	if p.color == palette {
		most = 1 << p.depth
	}
	if p.hasPalette || p.hasPixels || p.color == gray || p.color == grayAlpha || p.left == 0 || p.left%3 != 0 || p.left/3 > most {
		return refuse(Corrupt, "has an invalid palette")
	}
	p.hasPalette = true
	return nil
}

// readExif reads the orientation.
func (p *pngReader) readExif() error {
	tiff, err := io.ReadAll(io.LimitReader(p, maxExif))
	if err != nil {
		return err
	}
	p.header.orientation = orientation(tiff)
	return nil
}

// readTransparency checks the form of the transparency.
func (p *pngReader) readTransparency() error {
	ok := false
	switch p.color {
	case gray:
		ok = p.left == 2
	case trueColor:
		ok = p.left == 6
	case palette:
		ok = p.left <= 256 && p.hasPalette
	}
	if !ok || p.hasPixels {
		return refuse(Corrupt, "has an invalid transparency")
	}
	return nil
}

// readPixels reads the current chunk, the IDAT chunks that follow it, and the beginning of the
// chunk after them.
func (p *pngReader) readPixels() error {
	if p.color == palette && !p.hasPalette {
		return refuse(Corrupt, "has no palette before its pixels")
	}
	p.hasPixels = true
	data := &pixelData{png: p}
	z, err := zlib.NewReader(bufio.NewReader(data))
	if err != nil {
		return damaged(err)
	}
	pixels := bufio.NewReaderSize(z, 32<<10)
	for _, pass := range p.passes() {
		if err := readRows(pixels, pass, p.depth*samples(p.color)); err != nil {
			return damaged(err)
		}
	}
	switch _, err := pixels.ReadByte(); {
	case err == nil:
		return refuse(Corrupt, "has more pixels than its header says")
	case !errors.Is(err, io.EOF):
		return damaged(err)
	}
	_, err = io.Copy(io.Discard, data)
	p.ahead = true
	return err
}

// pass is one of the reduced images of an interlaced image.
type pass struct{ width, height int }

// passes returns the images in which the pixels are stored: the image itself, or seven
// passes (PNG 3rd edition, section 8.2).
func (p *pngReader) passes() []pass {
	if !p.interlaced {
		return []pass{{p.header.width, p.header.height}}
	}
	out := make([]pass, 0, 7)
	for _, a := range []struct{ x, y, stepX, stepY int }{
		{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
	} {
		w, h := (p.header.width-a.x+a.stepX-1)/a.stepX, (p.header.height-a.y+a.stepY-1)/a.stepY
		if w > 0 && h > 0 {
			out = append(out, pass{w, h})
		}
	}
	return out
}

// readRows reads the rows of a pass. Each begins with its filter type.
func readRows(r *bufio.Reader, size pass, bitsPerPixel int) error {
	row := (size.width*bitsPerPixel + 7) / 8
	for range size.height {
		filter, err := r.ReadByte()
		if err != nil {
			return cut(err)
		}
		if filter > 4 {
			return refuse(Corrupt, "has a row with an unknown filter")
		}
		if _, err := r.Discard(row); err != nil {
			return cut(err)
		}
	}
	return nil
}

// pixelData reads the data of consecutive IDAT chunks.
type pixelData struct {
	png  *pngReader
	done bool // the next chunk after them has begun
}

func (d *pixelData) Read(b []byte) (int, error) {
	for !d.done && d.png.left == 0 {
		if err := d.png.end(); err != nil {
			return 0, err
		}
		if err := d.png.next(); err != nil {
			return 0, err
		}
		d.done = d.png.kind != chunkIDAT
	}
	if d.done {
		return 0, io.EOF
	}
	return d.png.Read(b)
}

// damaged reports that the compressed pixels cannot be read. Errors of the image and of
// its reader are returned unchanged.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrDictionary), errors.As(err, &corrupt):
		return refuse(Corrupt, "is damaged: its pixels cannot be decompressed")
	default:
		return cut(err)
	}
}
