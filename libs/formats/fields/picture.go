package fields

import "io"

// Picture is a validated image, ready to be drawn.
type Picture struct {
	// MediaType is image/jpeg or image/png.
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
