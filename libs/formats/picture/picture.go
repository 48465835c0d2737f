// Package picture validates images that requests contain as data URLs: which images are
// accepted, and that every byte of them is sound before they go into a file. It keeps no
// image in memory; when it needs the bytes again, it decodes them again from the text of
// the request.
//
// It reads PNG and JPEG itself, because it must validate pixels but never needs them. The
// decoders of the standard library build an image from them: they need 400 MB for a PNG
// of 50 megapixels with 16 bits per sample and 750 MB for a progressive JPEG of that
// size, and take one to five times as long (see BenchmarkCheck). Tests and fuzz tests
// compare the accepted files with those that these decoders accept.
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
	// MaxSize is the maximum size of an image file, in bytes.
	MaxSize = 10 << 20
	// MaxPixels is the maximum number of pixels of an image.
	MaxPixels = 50_000_000
)

// The media types of the accepted images.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
)

// Picture is an image whose header, size and content have been checked in full.
type Picture struct {
	// MediaType is JPEG or PNG.
	MediaType string
	// Width and Height are the stored dimensions in pixels.
	Width, Height int
	// Orientation is the Exif orientation of the stored pixels: 1 is upright, 3 is upside
	// down, 6 must be rotated right by 90 degrees, 8 left; 2, 4, 5 and 7 are mirrored as
	// well.
	Orientation int
	// Size is the size of the file in bytes.
	Size int64
	// SHA256 is the hash of the file; equal pictures are stored once.
	SHA256 [32]byte
	// Open returns a reader of the file. It can be called any number of times.
	Open func() io.Reader
}

// Kind is the kind of fault of an image.
type Kind string

// The kinds of faults.
const (
	// InvalidHeader is a text that does not begin with "data:image/<type>;base64,".
	InvalidHeader Kind = "invalid header"
	// UnsupportedType is an image that its header declares as neither JPEG nor PNG.
	UnsupportedType Kind = "unsupported type"
	// InvalidBase64 is a text that cannot be decoded.
	InvalidBase64 Kind = "invalid base64"
	// TooLarge is an image over MaxSize or MaxPixels.
	TooLarge Kind = "too large"
	// Corrupt is a file that does not match its header, or is incomplete.
	Corrupt Kind = "corrupt"
)

// Error describes the fault of an image.
type Error struct {
	Kind Kind
	// Reason completes a sentence that begins with "the image", for example "ends too
	// early".
	Reason string
}

// Error returns the kind and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s: the image %s", e.Kind, e.Reason) }

// refuse returns an *Error.
func refuse(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// header holds the properties of an image that precede its pixels.
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

// Check reads a data URL and validates every byte of the image in it. open must return a
// new reader from the beginning of the URL each time. The error is an *Error if the image
// is at fault, or else that of ctx or of the reader.
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

// measure sets the size and the hash of p, and returns its first bytes.
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

// File is Check for a file of a media type, JPEG or PNG, whose size the caller bounds. The
// Picture has neither a size nor a hash.
func (c *Checker) File(ctx context.Context, mediaType string, open func() io.Reader) (Picture, error) {
	p := Picture{MediaType: mediaType, Open: open}
	h, err := c.decode(ctx, p)
	if err != nil {
		return Picture{}, err
	}
	p.Width, p.Height, p.Orientation = h.width, h.height, h.orientation
	return p, nil
}

// decode validates p as a file of its media type.
func (c *Checker) decode(ctx context.Context, p Picture) (header, error) {
	r := &interruptible{ctx: ctx, r: p.Open()}
	if p.MediaType == PNG {
		return checkPNG(r)
	}
	return c.checkJPEG(ctx, r)
}

// cut reports a file that ends too early. Other errors are returned unchanged.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(Corrupt, "ends too early")
	}
	return err
}

// interruptible stops reading an image when its context ends.
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
	// sniffed is how many bytes identify the type of a file.
	sniffed = 8
)

// sniff returns the media type of a file that begins with start, or "" if it is neither
// JPEG nor PNG.
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

// name returns the common name of a media type.
func name(mediaType string) string {
	if mediaType == PNG {
		return "PNG"
	}
	return "JPEG"
}

// insteadOf describes the actual type of a file that does not have its declared type.
func insteadOf(mediaType string) string {
	if mediaType == "" {
		return ""
	}
	return ", but a " + name(mediaType) + " file"
}
