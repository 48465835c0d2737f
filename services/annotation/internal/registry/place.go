package registry

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/problem"
)

// File is what is known about the file of a document.
type File struct {
	// Fields are the fields found in it, with unique ids.
	Fields []fields.Field
	// Pages are its pages if it is a PDF. Other files have none.
	Pages []Page
	// Absent reports whether the document has no file yet.
	Absent bool
}

// Page is the size of a page as displayed, rotated and cropped, in points.
type Page struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// least is the least width and height of a box, in points. It has room for a character in
// the smallest size that can be read, 4 points.
const least = 5

// small reports whether a box on the page has no room for a readable character.
func (p Page) small(b annotationapi.BoundingBox) bool {
	const rounding = 0.01 // in points; clients round the least box that an error names
	return b.Width*p.Width < least-rounding || b.Height*p.Height < least-rounding
}

// tall is the height of a box, as a fraction of its page, from which it has room for
// several lines of text.
const tall = 0.035

// placed returns an empty field at the box that d defines, or a field without a place if the
// file does not have the page, or the box is too small for it.
func placed(d annotationapi.Definition, pages []Page) fields.Field {
	f, b := fields.Field{ID: d.FieldID}, d.BoundingBox
	if b == nil || b.Page > len(pages) || pages[b.Page-1].small(*b) {
		return f
	}
	box := layout.Box{Left: max(b.Left, 0), Top: max(b.Top, 0), Right: min(b.Left+b.Width, 1), Bottom: min(b.Top+b.Height, 1)}
	f.Places = []fields.Place{{Page: b.Page, Box: box, Multiline: b.Height >= tall && fields.Type(d.Type).IsText()}}
	return f
}

// ticked makes a placed checkbox with a single option a box to tick. With several options
// there is no box for each, so they are written as text.
func ticked(f fields.Field) fields.Field {
	if len(f.Places) == 1 && f.Type == fields.Checkbox && len(f.Options) == 1 {
		f.Boxes, f.Written = true, false
		f.Places[0].Option = f.Options[0].InFile()
	}
	return f
}

// checkPlace checks that a box is on a page of the file and has room for a value. The fields
// that the file has are where they are.
func checkPlace(d annotationapi.Definition, file File, path string, problems *problem.List) {
	switch {
	case d.BoundingBox == nil || file.Absent:
	case len(file.Pages) == 0:
		problems.Check(path+"bounding_box", d.BoundingBox.String(), &problem.Fault{
			Code: problem.CodeInvalidBox, Message: "cannot be set for this file: only a PDF has pages",
			Resolution: "Remove page_number and bounding_box, or upload a PDF. A Word document has fields where it has content controls, text tags or blanks.",
		})
	case d.BoundingBox.Page > len(file.Pages):
		problems.Check(path+"page_number", strconv.Itoa(d.BoundingBox.Page), &problem.Fault{
			Code: problem.CodeInvalidBox, Message: fmt.Sprintf("is not a page of the file, which has %s", pageCount(len(file.Pages))),
			Resolution: pageAdvice(len(file.Pages)),
		})
	case file.Pages[d.BoundingBox.Page-1].small(*d.BoundingBox):
		problems.Check(path+"bounding_box", d.BoundingBox.String(), file.Pages[d.BoundingBox.Page-1].tooSmall(*d.BoundingBox))
	}
}

// pageAdvice says which pages a file has.
func pageAdvice(pages int) string {
	if pages == 1 {
		return "Send page 1."
	}
	return fmt.Sprintf("Send a page from 1 to %d.", pages)
}

// tooSmall returns the fault of a box on the page that has no room for a value.
func (p Page) tooSmall(b annotationapi.BoundingBox) *problem.Fault {
	fraction := func(length float64) float64 { return math.Ceil(least/length*1e4-1e-6) / 1e4 }
	return &problem.Fault{
		Code:    problem.CodeInvalidBox,
		Message: fmt.Sprintf("has no room for a readable character: it is %.1f points wide and %.1f points high", b.Width*p.Width, b.Height*p.Height),
		Resolution: fmt.Sprintf("Send a box of at least %d by %d points: on this page, a width of %g and a height of %g.",
			least, least, fraction(p.Width), fraction(p.Height)),
	}
}

// pageCount formats a number of pages.
func pageCount(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}

// checkLength checks that a text has no larger maximum than the form of a PDF allows.
func checkLength(d annotationapi.Definition, f fields.Field, path string, problems *problem.List) {
	if limit := formLimit(d, f); limit > 0 && *d.Max > limit {
		problems.Check(path+"max", strconv.Itoa(*d.Max), &problem.Fault{
			Code: problem.CodeOutOfRange, Message: fmt.Sprintf("must not exceed the %d characters that the form allows", limit),
			Resolution: fmt.Sprintf("Send at most %d, or omit max.", limit),
		})
	}
}

// formLimit returns the maximum number of characters that the form of a PDF sets for the
// text f whose maximum d defines, or 0.
func formLimit(d annotationapi.Definition, f fields.Field) int {
	if d.Max == nil || f.Max == nil || f.Source != fields.AcroForm || !f.Type.HasLength() || !fields.Type(d.Type).HasLength() {
		return 0
	}
	return *f.Max
}
