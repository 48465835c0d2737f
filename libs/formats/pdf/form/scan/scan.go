// Package scan makes PDFs of pictures, such as scanned documents.
package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
	"github.com/rectohq/recto/libs/formats/pdf/form/internal/revision"
	"github.com/rectohq/recto/libs/formats/pdf/form/internal/xobject"
	"github.com/rectohq/recto/libs/formats/picture"
)

// The sizes of pages, in points.
const (
	pointsPerInch = 72
	// usualDensity is that of a picture which declares none, in pixels per inch.
	usualDensity = 96
	// Densities beyond these are not those of a scan but mistakes, in pixels per inch.
	minDensity, maxDensity = 20, 10_000
	// A picture larger than A3 is no scan, but a photo: it is scaled to A4.
	shortA4, longA4 = 595.276, 841.890
	longA3          = 1190.551
	// minSide keeps the sides of a page within the limits of PDF (ISO 32000-1, annex C).
	minSide = 3
)

// Fault is why a picture cannot be shown. It is sent between processes.
type Fault string

// The faults.
const (
	Damaged Fault = "damaged picture"
	// TooLarge means that a picture has too many pixels or images.
	TooLarge Fault = "large picture"
	// Unsupported means that the compression or the colors are not supported.
	Unsupported Fault = "unknown picture"
)

// Error implements error.
func (f Fault) Error() string { return "the picture cannot be shown: " + string(f) }

// scanned is an image that becomes a page.
type scanned struct {
	image       appearance.Image
	orientation int        // Exif
	density     [2]float64 // pixels per inch, horizontally and vertically, or 0
}

// PDF returns a PDF that shows a picture of type image/jpeg, image/png or image/tiff,
// with a page for each image of a TIFF. A page has the size that the picture declares. If it
// declares none, or is larger than A3, the page fits into A4. The data of a JPEG, and of most
// PNGs, is embedded as it is. Errors that are a Fault are the picture's fault.
func PDF(mediaType string, file []byte) ([]byte, error) {
	if mediaType == "image/tiff" {
		return fromTIFF(file)
	}
	checked, err := new(picture.Checker).File(context.Background(), mediaType, func() io.Reader { return bytes.NewReader(file) })
	if err != nil {
		return nil, pictureFault(err)
	}
	image, err := appearance.ReadImage(mediaType, file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", Unsupported, err)
	}
	var d newFile
	d.page(scanned{image, checked.Orientation, density(mediaType, file)})
	return d.write()
}

// pictureFault returns the Fault for an error of package picture.
func pictureFault(err error) error {
	var fault *picture.Error
	switch {
	case !errors.As(err, &fault):
		return err
	case fault.Kind == picture.TooLarge:
		return fmt.Errorf("%w: %w", TooLarge, err)
	}
	return fmt.Errorf("%w: %w", Damaged, err)
}

// density returns the pixels per inch that a JPEG or PNG declares, horizontally and
// vertically, or 0. A JPEG declares them in its JFIF segment, a PNG in its chunk pHYs.
func density(mediaType string, file []byte) (d [2]float64) {
	const head = 64 << 10
	file = file[:min(len(file), head)]
	if mediaType == "image/jpeg" {
		if !bytes.HasPrefix(file, []byte("\xFF\xD8\xFF\xE0")) || len(file) < 18 || string(file[6:11]) != "JFIF\x00" {
			return d
		}
		unit := map[byte]float64{1: 1, 2: 2.54}[file[13]]
		return [2]float64{unit * float64(binary.BigEndian.Uint16(file[14:])), unit * float64(binary.BigEndian.Uint16(file[16:]))}
	}
	at := bytes.Index(file, []byte("pHYs"))
	if at < 0 || at+13 > len(file) || file[at+12] != 1 { // per meter
		return d
	}
	const meter = 0.0254
	return [2]float64{meter * float64(binary.BigEndian.Uint32(file[at+4:])), meter * float64(binary.BigEndian.Uint32(file[at+8:]))}
}

// size returns the width and height of the page in points.
func (s scanned) size() (width, height float64) {
	side := func(pixels int, density float64) float64 {
		if !(density >= minDensity && density <= maxDensity) {
			density = usualDensity
		}
		return max(float64(pixels)*pointsPerInch/density, minSide)
	}
	width, height = side(s.image.Width, s.density[0]), side(s.image.Height, s.density[1])
	if s.orientation >= 5 {
		width, height = height, width
	}
	if max(width, height) <= longA3 {
		return width, height
	}
	factor := min(longA4/max(width, height), shortA4/min(width, height))
	return max(width*factor, minSide), max(height*factor, minSide)
}

// newFile is a new PDF.
type newFile struct {
	objects []revision.Object
	pages   types.Array
}

// The numbers of the first objects.
const (
	catalogNumber = 1 + iota
	pagesNumber
	firstNumber
)

// add adds an object and returns a reference to it.
func (d *newFile) add(o types.Object) types.IndirectRef {
	n := firstNumber + len(d.objects)
	d.objects = append(d.objects, revision.Object{Number: n, Value: o})
	return *types.NewIndirectRef(n, 0)
}

// page adds a page that the image fills.
func (d *newFile) page(s scanned) {
	width, height := s.size()
	content := types.StreamDict{Dict: types.Dict{}, Raw: appearance.Upright(s.orientation, width, height)}
	d.pages = append(d.pages, d.add(types.Dict{
		"Type": types.Name("Page"), "Parent": *types.NewIndirectRef(pagesNumber, 0),
		"MediaBox":  types.Array{types.Integer(0), types.Integer(0), rounded(width), rounded(height)},
		"Resources": types.Dict{"XObject": types.Dict{"Im0": xobject.Add(s.image, d.add)}},
		"Contents":  d.add(content),
	}))
}

// rounded returns a side of a page with as many digits as matter.
func rounded(side float64) types.Float {
	const thousandth = 1000
	return types.Float(math.Round(side*thousandth) / thousandth)
}

// write returns the file.
func (d *newFile) write() ([]byte, error) {
	if len(d.pages) == 0 {
		return nil, Damaged
	}
	all := append([]revision.Object{
		{Number: catalogNumber, Value: types.Dict{"Type": types.Name("Catalog"), "Pages": *types.NewIndirectRef(pagesNumber, 0)}},
		{Number: pagesNumber, Value: types.Dict{"Type": types.Name("Pages"), "Kids": d.pages, "Count": types.Integer(len(d.pages))}},
	}, d.objects...)
	return revision.Write(all, revision.Trailer{Root: types.NewIndirectRef(catalogNumber, 0), Size: firstNumber + len(d.objects)}, nil)
}
