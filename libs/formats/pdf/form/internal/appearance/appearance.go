// Package appearance draws form fields: it makes the appearance streams of widgets, and the
// streams that put text and pictures onto pages. It owns how a value looks, and it makes
// image XObjects of JPEG and PNG files. It knows nothing of the objects of a PDF file.
package appearance

import (
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// Look describes how a widget looks. Lengths are in points.
type Look struct {
	// Width and Height are those of the widget's /Rect, before Rotation is applied.
	Width, Height float64
	// Rotation is /MK /R: 0, 90, 180 or 270 degrees, counterclockwise.
	Rotation int
	// Border and Background are /MK /BC and /BG, with 0 (none), 1, 3 or 4 components.
	Border, Background []float64
	// BorderWidth is /BS /W, or the third number of /Border.
	BorderWidth float64
	// BorderStyle is /BS /S: 'S', 'D', 'B', 'I' or 'U'. Others mean 'S'.
	BorderStyle byte
	// Dash is /BS /D, for style 'D'.
	Dash []float64
	// Color is the color of the text, from /DA; see ParseDA.
	Color []float64
	// FontSize is the size from /DA; 0 fits the text to the widget.
	FontSize float64
	// Style is that of the font that /DA names; see StyleOf.
	Style typeset.Style
	// Align is /Q: 0 left, 1 centered, 2 right.
	Align int
	// Caption is /MK /CA. For buttons it is a character of ZapfDingbats: 4 check mark,
	// 8 cross, l circle, u diamond, n square, H star.
	Caption string
	// Multiline, Comb and Password are flags of text fields. Radio makes a radio button.
	Multiline, Comb, Password, Radio bool
	// MaxLength is the number of cells of a comb.
	MaxLength int
}

// Stream is a form XObject.
type Stream struct {
	Content []byte
	BBox    [4]float64
	Matrix  [6]float64
	// Fonts are the names of the stream's fonts, which typeset.Writer.Fonts defines.
	Fonts []string
	// Images maps the names of the stream's image XObjects to indices of the pictures.
	Images map[string]int
}

// Painter makes the streams of one file.
type Painter struct {
	Fonts    *typeset.Fonts
	Writer   *typeset.Writer
	Pictures []Picture
	// Illegible is set when a text becomes too small to read because it is too long for its
	// place. The caller resets it.
	Illegible bool
}

// Picture is the size of an image in pixels, as stored, and its Exif orientation, from 1 to
// 8; 0 means 1.
type Picture struct{ Width, Height, Orientation int }

// Stamp describes a box on a page. Lengths are in points.
type Stamp struct {
	Width, Height float64
	// Size is that of the text; 0 fits the text to the box.
	Size float64
	// Multiline lets the text wrap, Cover paints the box white first, and Tick and EmptyBox
	// draw a check mark or a box without one instead of the text.
	Multiline, Cover, Tick, EmptyBox bool
}
