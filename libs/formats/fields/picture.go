package fields

import "io"

// Picture is an image that was checked, and can be drawn.
type Picture struct {
	// MediaType is image/jpeg or image/png.
	MediaType string
	// Width and Height are in pixels, as they are stored.
	Width, Height int
	// Orientation is how the stored pixels are to be turned to be upright, as Exif
	// numbers it: 1 is upright, 3 upside down, 6 to be turned right, 8 left; 2, 4, 5
	// and 7 are mirrored too.
	Orientation int
	// Size is the number of bytes of the file.
	Size int64
	// SHA256 is the hash of the file: equal pictures are kept once.
	SHA256 [32]byte
	// Open returns the bytes of the file, any number of times.
	Open func() io.Reader
}
