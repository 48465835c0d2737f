package pdf

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"runtime/debug"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/rectohq/recto/libs/formats/pdf/internal/widgets"
)

// bytesPerPixel is how many bytes of memory are available for each pixel of the largest
// picture: its bitmap needs four, PDFium as many for each group of transparent objects, and
// the file and its images the rest.
const bytesPerPixel = 32

// render sends a page, which counts from 1, as a PNG. It loads only this page. The error is
// an errRefused if the file is at fault.
func (w *worker) render(file []byte, number, width int) error {
	d, count, err := w.open(file)
	switch {
	case err != nil:
		return err
	case number < 1 || number > count:
		return errRefused(noPage)
	}
	d.forms = &w.forms
	loaded := false
	err = d.onFormPage(number-1, func(page requests.Page) error {
		loaded = true
		if err := d.checkWidgets(page); err != nil {
			return err
		}
		v, err := d.view(page)
		if err != nil {
			v = view{right: defaultWidth, top: defaultHeight}
		}
		wide, high := v.size()
		size := pictureSize(wide, high, width, min(MaxRenderPixels, int(w.Memory/bytesPerPixel)))
		return d.draw(page, size, w.sendPicture)
	})
	if !loaded && !isBroken(err) {
		return errRefused(lostPage)
	}
	return err
}

// pictureSize returns the size in pixels of a picture of a page with the dimensions in
// points. It is width pixels wide unless it would exceed the limit.
func pictureSize(wide, high float64, width, limit int) image.Point {
	height := float64(width) * high / wide
	if float64(width)*height > float64(limit) {
		width = max(1, int(math.Sqrt(float64(limit)*wide/high)))
		height = float64(width) * high / wide
	}
	return image.Pt(width, int(min(max(math.Floor(height), 1), float64(limit/width))))
}

// draw draws the page with its annotations and form fields, and passes the picture to send.
func (d *document) draw(page requests.Page, size image.Point, send func(*image.RGBA) error) error {
	b, err := d.pdfium.FPDFBitmap_Create(&requests.FPDFBitmap_Create{Width: size.X, Height: size.Y})
	if err != nil {
		return err
	}
	_, err = d.pdfium.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{Bitmap: b.Bitmap, Width: size.X, Height: size.Y, Color: math.MaxUint32})
	if err != nil {
		return err
	}
	if err := d.drawPage(page, b.Bitmap, size); err != nil {
		return err
	}
	pixels, err := d.pdfium.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: b.Bitmap})
	switch {
	case err != nil:
		return err
	case len(pixels.Buffer) != 4*size.X*size.Y:
		return fmt.Errorf("out of memory for a picture of %d by %d pixels", size.X, size.Y)
	}
	picture := &image.RGBA{Pix: pixels.Buffer, Stride: 4 * size.X, Rect: image.Rectangle{Max: size}}
	if err := send(picture); err != nil {
		return err
	}
	_, err = d.pdfium.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: b.Bitmap})
	return err
}

// drawPage draws the page into the bitmap, in the byte order of image.RGBA.
func (d *document) drawPage(page requests.Page, bitmap references.FPDF_BITMAP, size image.Point) error {
	const flags = enums.FPDF_RENDER_FLAG_ANNOT | enums.FPDF_RENDER_FLAG_REVERSE_BYTE_ORDER
	form, err := d.formOf(page)
	if err != nil {
		return err
	}
	_, err = d.pdfium.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{Bitmap: bitmap, Page: page, SizeX: size.X, SizeY: size.Y, Flags: flags})
	if err != nil || form == "" {
		return err
	}
	_, err = d.pdfium.FPDF_FFLDraw(&requests.FPDF_FFLDraw{FormHandle: form, Bitmap: bitmap, Page: page, SizeX: size.X, SizeY: size.Y, Flags: flags})
	return err
}

// formOf returns the form if the page has annotations, and "" otherwise. Without an
// AcroForm, PDFium still finds the widgets of the page.
func (d *document) formOf(page requests.Page) (references.FPDF_FORMHANDLE, error) {
	n, err := d.pdfium.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil || n.Count == 0 {
		return "", broken(err)
	}
	if err := d.startForm(); err != nil || d.form == "" {
		return "", err
	}
	_, err = d.pdfium.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: page, FormHandle: d.form})
	return d.form, broken(err)
}

// errUnknown means that adopt should be called for the widgets of a page.
var errUnknown = errors.New("PDFium may not know a widget, or replace its appearance")

// onFormPage calls do like onPage. If do returns errUnknown, onFormPage calls it once more,
// with the page of a file in which PDFium knows the widgets.
func (d *document) onFormPage(index int, do func(requests.Page) error) error {
	err := d.onPage(index, do)
	if !errors.Is(err, errUnknown) || isBroken(err) {
		return err
	}
	if err := d.adopt(); err != nil {
		return err
	}
	return d.onPage(index, do)
}

// checkWidgets returns errUnknown if PDFium does not know a widget of the page, or would
// replace its appearance, and this may be mended.
func (d *document) checkWidgets(page requests.Page) error {
	if d.adopted {
		return nil
	}
	form, err := d.formOf(page)
	if err != nil || form == "" {
		return err
	}
	f := widgets.Finder{PDFium: d.pdfium, Form: form, Limit: maxAnnotations, Broken: isBroken}
	found, unknown, err := f.Find(page)
	if err == nil && (unknown || found && d.redraws()) {
		return errUnknown
	}
	return err
}

// adopt opens a copy of the file in which PDFium knows all widgets, and keeps the
// appearances of those that have been filled. If there is no such copy, or it has other
// pages, the file stays open as it is.
func (d *document) adopt() error {
	d.adopted = true
	update := d.forms.adoption(d.file)
	debug.FreeOSMemory() // the kernel's limit counts what is not collected yet
	if len(update.Update) == 0 {
		return nil
	}
	parts := [2][]byte{d.file, update.Update}
	if update.Whole {
		parts = [2][]byte{update.Update, nil}
	}
	adopted, err := openParts(d.pdfium, parts[0], parts[1])
	if err != nil || adopted.pages != d.pages {
		return broken(err)
	}
	if err := d.endForm(); isBroken(err) {
		return err
	}
	_, err = d.pdfium.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: d.ref})
	d.ref, d.form = adopted.ref, ""
	if isBroken(err) {
		return err
	}
	return d.openForm()
}

// sendPicture sends the picture as a PNG. It changes the picture.
func (w *worker) sendPicture(picture *image.RGBA) error {
	if err := w.answer.send(message{Picture: true}); err != nil {
		return err
	}
	blob := blobWriter{w.answer.w}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(blob, opaque(picture)); err != nil {
		return err
	}
	return blob.Close()
}

// opaque makes all pixels opaque, because PDFium leaves the fourth byte undefined. It
// returns the same picture, or one in shades of gray, with a third of the bytes, if it has
// no colors.
func opaque(picture *image.RGBA) image.Image {
	colored := false
	for i := 0; i+3 < len(picture.Pix); i += 4 {
		p := picture.Pix[i : i+4 : i+4]
		p[3] = math.MaxUint8
		colored = colored || p[0] != p[1] || p[1] != p[2]
	}
	if colored {
		return picture
	}
	gray := &image.Gray{Pix: picture.Pix[:len(picture.Pix)/4], Stride: picture.Stride / 4, Rect: picture.Rect}
	for i := range gray.Pix { // byte i is read before it is overwritten
		gray.Pix[i] = picture.Pix[4*i]
	}
	return gray
}
