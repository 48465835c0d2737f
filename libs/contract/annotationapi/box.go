package annotationapi

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// readPlace reads where the field is on a page of a PDF.
func (d *Definition) readPlace(o *jsonbody.Object) {
	_, numbered := o.Optional("page_number")
	box, placed := o.Optional("bounding_box")
	if placed {
		o.Required("page_number")
	}
	d.PageNumber = readBound(o, "page_number", 1)
	if numbered {
		o.Required("bounding_box")
	}
	if placed {
		d.readBox(box)
	}
}

// readBox reads the box. It sets the page of the box if the box does not repeat it.
func (d *Definition) readBox(v jsonbody.Value) {
	b := BoundingBox{}
	complete := false
	isObject := v.Object(func(o *jsonbody.Object) {
		page := readBound(o, "page", 1)
		if page != nil {
			b.Page = *page
		}
		complete = readFraction(o, "left", &b.Left)
		complete = readFraction(o, "top", &b.Top) && complete
		complete = readFraction(o, "width", &b.Width) && complete
		complete = readFraction(o, "height", &b.Height) && complete
	})
	if !isObject || !complete {
		return
	}
	if b.Page == 0 && d.PageNumber != nil {
		b.Page = *d.PageNumber
	}
	d.BoundingBox = &b
	v.Check(d.checkBox())
}

// readFraction reads a required number, and reports whether there is one.
func readFraction(o *jsonbody.Object, name string, x *float64) bool {
	v, ok := o.Required(name)
	if !ok {
		return false
	}
	if *x, ok = number(v.Raw()); !ok {
		v.Report(problem.WrongType(v.Path(), "a number", v.Raw()))
	}
	return ok
}

// number returns the value of raw if it is a number. One that is too large for a float64
// is infinite.
func number(raw jsontext.Value) (float64, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil || errors.Is(err, strconv.ErrRange)
}

// tolerance is how far a box may extend beyond its page, in fractions of the page, because
// the sum of two rounded fractions may exceed 1.
const tolerance = 1e-4

// checkBox checks that the box lies on its page, and that its page is that of the field. It
// does not know how many pages there are.
func (d Definition) checkBox() *problem.Fault {
	b := *d.BoundingBox
	switch {
	case d.PageNumber != nil && b.Page != *d.PageNumber:
		return boxFault(fmt.Sprintf("is on page %d, but page_number is %d", b.Page, *d.PageNumber), "Send the same page twice, or leave page out of the box.")
	case !(b.Left >= -tolerance && b.Top >= -tolerance && b.Left+b.Width <= 1+tolerance && b.Top+b.Height <= 1+tolerance):
		return boxFault("is off the page", "Send left, top, width and height as fractions of the page from 0 to 1, measured from the top left, so that left + width and top + height are at most 1.")
	case !(b.Width > 0 && b.Height > 0):
		return boxFault("is empty", "Send a width and a height above 0.")
	}
	return nil
}

// boxFault returns the fault of a box.
func boxFault(message, resolution string) *problem.Fault {
	return &problem.Fault{Code: problem.CodeInvalidBox, Message: message, Resolution: resolution}
}

// validatePlace checks the rules of the page and the box of d. Path is the prefix of the
// paths of its members.
func (d Definition) validatePlace(path string, problems *problem.List) {
	if d.PageNumber != nil {
		problems.Check(path+"page_number", strconv.Itoa(*d.PageNumber), checkBound(*d.PageNumber, 1))
	}
	switch {
	case d.BoundingBox != nil && d.PageNumber == nil:
		problems.Add(problem.Required(path + "page_number"))
	case d.BoundingBox == nil && d.PageNumber != nil:
		problems.Add(problem.Required(path + "bounding_box"))
	case d.BoundingBox != nil:
		problems.Check(path+"bounding_box", d.BoundingBox.String(), d.checkBox())
	}
}

// String returns the box in one line, for errors.
func (b BoundingBox) String() string {
	return fmt.Sprintf("page %d, left %g, top %g, width %g, height %g", b.Page, b.Left, b.Top, b.Width, b.Height)
}
