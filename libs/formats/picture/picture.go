// Package picture owns the images that requests hold as data URLs: what is
// accepted as one, and that every byte of it is sound before it is put into a
// file. It keeps no image in memory: what it needs it reads again from the text
// of the request.
//
// It reads PNG and JPEG itself, since it needs no pixels, only to know that they
// are there. The decoders of the standard library make an image of them: they take
// 400 MB for a PNG of 50 megapixels with 16 bits a sample, 750 MB for a progressive
// JPEG of that size, and one to five times as long, see BenchmarkCheck. Tests and
// fuzz targets hold what is accepted against what those decoders accept.
package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxSize is how many bytes the file of an image may have.
	MaxSize = 10 << 20
	// MaxPixels is how many pixels an image may have.
	MaxPixels = 50_000_000
)

// The media types of the images that are accepted.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
)

// Picture is an image that was checked: its header, its size and every byte of
// its content.
type Picture struct {
	// MediaType is JPEG or PNG.
	MediaType string
	// Width and Height are in pixels, as they are stored.
	Width, Height int
	// Orientation is how the stored pixels are to be turned to be upright, as
	// Exif numbers it: 1 is upright, 3 upside down, 6 to be turned right, 8 left;
	// 2, 4, 5 and 7 are mirrored too.
	Orientation int
	// Size is the number of bytes of the file.
	Size int64
	// SHA256 is the hash of the file: equal pictures are kept once.
	SHA256 [32]byte
	// Open returns the bytes of the file, any number of times.
	Open func() io.Reader
}

// Kind says what is wrong with an image.
type Kind string

// What can be wrong with an image.
const (
	// InvalidHeader is a text that does not begin as "data:image/<type>;base64,".
	InvalidHeader Kind = "invalid header"
	// UnsupportedType is a header of an image that is neither JPEG nor PNG.
	UnsupportedType Kind = "unsupported type"
	// InvalidBase64 is a text that cannot be decoded.
	InvalidBase64 Kind = "invalid base64"
	// TooLarge is an image over MaxSize or MaxPixels.
	TooLarge Kind = "too large"
	// Corrupt is a file that is not what its header says, or not whole.
	Corrupt Kind = "corrupt"
)

// Error says that an image is at fault.
type Error struct {
	Kind Kind
	// Reason completes "the image" to a sentence, for example "ends too early".
	Reason string
}

// Error returns the reason with the kind.
func (e *Error) Error() string { return fmt.Sprintf("%s: the image %s", e.Kind, e.Reason) }

// refuse returns an *Error.
func refuse(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// header is what a file says of its image before its pixels.
type header struct {
	width, height int
	orientation   int
}

// check refuses sizes that no image may have.
func (h header) check() error {
	switch {
	case h.width <= 0 || h.height <= 0:
		return refuse(Corrupt, "has no pixels")
	case h.width > MaxPixels/h.height:
		return refuse(TooLarge, "has %d by %d pixels; the limit is %d megapixels", h.width, h.height, MaxPixels/1_000_000)
	default:
		return nil
	}
}

// Check reads a data URL, which open returns from its beginning each time, and
// every byte of the image in it. The error is an *Error if the image is at fault,
// and otherwise that of ctx or of the reader.
func (c *Checker) Check(ctx context.Context, open func() io.Reader) (Picture, error) {
	mediaType, skip, err := readHeader(open())
	if err != nil {
		return Picture{}, err
	}
	p := Picture{MediaType: mediaType, Open: func() io.Reader { return newBase64(skipped(open(), skip)) }}
	start, err := p.measure()
	if err != nil {
		return Picture{}, err
	}
	if got := sniff(start); got != mediaType {
		return Picture{}, refuse(Corrupt, "is not a %s file as its header says%s", name(mediaType), insteadOf(got))
	}
	h, err := c.decode(ctx, p)
	if err != nil {
		return Picture{}, err
	}
	p.Width, p.Height, p.Orientation = h.width, h.height, h.orientation
	return p, nil
}

// measure sets size and hash of p, and returns its first bytes.
func (p *Picture) measure() ([]byte, error) {
	hash := sha256.New()
	start := make([]byte, 0, sniffed)
	r := p.Open()
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Read(buffer)
		hash.Write(buffer[:n])
		p.Size += int64(n)
		start = append(start, buffer[:min(n, sniffed-len(start))]...)
		switch {
		case p.Size > MaxSize:
			return nil, refuse(TooLarge, "has more than %d MiB", MaxSize>>20)
		case errors.Is(err, io.EOF):
			hash.Sum(p.SHA256[:0])
			return start, nil
		case err != nil:
			return nil, err
		}
	}
}

// decode reads all of p as what its media type says.
func (c *Checker) decode(ctx context.Context, p Picture) (header, error) {
	r := &interruptible{ctx: ctx, r: p.Open()}
	if p.MediaType == PNG {
		return checkPNG(r)
	}
	return c.checkJPEG(ctx, r)
}

// cut says that a file ends where it should not; other errors stay as they are.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(Corrupt, "ends too early")
	}
	return err
}

// interruptible ends the reading of an image with its context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (r *interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}

const (
	pngSignature  = "\x89PNG\r\n\x1a\n"
	jpegSignature = "\xff\xd8\xff"
	// sniffed is how many bytes tell what a file is.
	sniffed = 8
)

// sniff returns the media type of a file that begins with start, "" for what is
// neither.
func sniff(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte(pngSignature)):
		return PNG
	case bytes.HasPrefix(start, []byte(jpegSignature)):
		return JPEG
	default:
		return ""
	}
}

// name returns what people call a media type.
func name(mediaType string) string {
	if mediaType == PNG {
		return "PNG"
	}
	return "JPEG"
}

// insteadOf says what a file is that is not what it should be.
func insteadOf(mediaType string) string {
	if mediaType == "" {
		return ""
	}
	return ", but a " + name(mediaType) + " file"
}
