// Package drawn finds the lines and rectangles that are drawn on the pages of a PDF, such
// as a line to write on or a box to tick.
package drawn

import (
	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// Bounds of the search for rules. Each object that is looked at stays in memory until the
// process ends.
const (
	maxPageObjects = 20_000  // of a page or a form XObject; one with more is skipped
	maxObjects     = 300_000 // of a file
	maxPathPoints  = 400     // of a path; one with more is a drawing
	maxFormDepth   = 2       // of form XObjects in form XObjects
	// rectanglePoints is how many points a path has at most if it is one rectangle.
	rectanglePoints = 6
)

// Sizes of rules in points.
const (
	maxThickness = 3  // of a line
	minLength    = 20 // of a line
	minSide      = 4  // of a rectangle
)

// Rect is a box in page coordinates, which increase to the right and upwards.
type Rect struct{ Left, Bottom, Right, Top float64 }

// Rule is a line, or a rectangle.
type Rule struct {
	Rect
	// Filled reports whether the inside of a rectangle is painted.
	Filled bool
}

// Finder finds the rules of one file. It bounds the objects that it looks at in the whole
// file.
type Finder struct {
	PDFium pdfium.Pdfium
	// Broken reports whether an error ended PDFium, which must not be called any more.
	Broken func(error) bool

	objects int // looked at so far
}

// Find returns up to limit rules of a page that are at least partly in the visible box. The
// error is one that ended PDFium.
func (f *Finder) Find(page requests.Page, visible Rect, limit int) ([]Rule, error) {
	n, err := f.PDFium.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		if f.Broken(err) {
			return nil, err
		}
		return nil, nil
	}
	s := &search{Finder: f, visible: visible, limit: limit}
	s.each(n.Count, identity, 0, func(i int) (references.FPDF_PAGEOBJECT, error) {
		o, err := f.PDFium.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return "", err
		}
		return o.PageObject, nil
	})
	return s.found, s.broken
}

// search is the search for rules on a page.
type search struct {
	*Finder
	visible Rect
	limit   int
	found   []Rule
	// broken is the error that ended PDFium.
	broken error
}

// ok reports whether a call succeeded, and records whether it ended PDFium. After that,
// every call fails.
func (s *search) ok(err error) bool {
	if s.broken == nil && err != nil && s.Broken(err) {
		s.broken = err
	}
	return err == nil && s.broken == nil
}

// each looks at the objects of a page or a form XObject, which m maps to the page.
func (s *search) each(count int, m matrix, depth int, get func(int) (references.FPDF_PAGEOBJECT, error)) {
	if count > maxPageObjects {
		return
	}
	for i := range count {
		if s.broken != nil || s.objects >= maxObjects || len(s.found) >= s.limit {
			return
		}
		s.objects++
		o, err := get(i)
		if !s.ok(err) {
			continue
		}
		t, err := s.PDFium.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
		switch {
		case !s.ok(err):
		case t.Type == enums.FPDF_PAGEOBJ_PATH:
			s.path(o, m)
		case t.Type == enums.FPDF_PAGEOBJ_FORM && depth < maxFormDepth:
			s.form(o, m, depth)
		}
	}
}

// form looks at the objects of a form XObject.
func (s *search) form(o references.FPDF_PAGEOBJECT, m matrix, depth int) {
	n, err := s.PDFium.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
	if !s.ok(err) || n.Count < 1 {
		return
	}
	own, err := s.PDFium.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o})
	if !s.ok(err) {
		return
	}
	s.each(n.Count, matrixOf(own.Matrix).then(m), depth+1, func(i int) (references.FPDF_PAGEOBJECT, error) {
		inner, err := s.PDFium.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(i)})
		if err != nil {
			return "", err
		}
		return inner.PageObject, nil
	})
}

// path looks at a path. Most are settled by their bounds.
func (s *search) path(o references.FPDF_PAGEOBJECT, m matrix) {
	b, err := s.PDFium.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
	if !s.ok(err) {
		return
	}
	bounds := m.rect(Rect{float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top)})
	if !isLine(slim(bounds)) && !isRectangle(bounds) {
		return
	}
	stroked, filled := s.paint(o)
	switch {
	case !stroked && !filled || s.broken != nil:
	case stroked && isLine(slim(bounds)):
		s.add(slim(bounds), false)
	case isLine(bounds):
		s.add(bounds, false)
	default:
		s.trace(o, m, stroked, filled)
	}
}

// isLine reports whether the rect is long and thin, in points.
func isLine(r Rect) bool {
	w, h := r.Right-r.Left, r.Top-r.Bottom
	return min(w, h) <= maxThickness && max(w, h) >= minLength
}

// slim returns the rect of a stroked line for the bounds that PDFium gives it: with the
// whole width of the stroke on each side and at each end. It returns other rects as they
// are.
func slim(r Rect) Rect {
	w, h := r.Right-r.Left, r.Top-r.Bottom
	stroke := min(w, h) / 2
	switch {
	case stroke > maxThickness || max(w, h) < minLength:
		return r
	case w > h:
		return Rect{r.Left + stroke, r.Bottom + stroke/2, r.Right - stroke, r.Top - stroke/2}
	}
	return Rect{r.Left + stroke/2, r.Bottom + stroke, r.Right - stroke/2, r.Top - stroke}
}

// isRectangle reports whether a rectangle of the size is a box.
func isRectangle(r Rect) bool {
	return min(r.Right-r.Left, r.Top-r.Bottom) >= minSide
}

// paint reports whether the path is stroked, and filled, in colors that are visible on
// white.
func (s *search) paint(o references.FPDF_PAGEOBJECT) (stroked, filled bool) {
	mode, err := s.PDFium.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: o})
	if !s.ok(err) {
		return false, false
	}
	if mode.Stroke {
		c, err := s.PDFium.FPDFPageObj_GetStrokeColor(&requests.FPDFPageObj_GetStrokeColor{PageObject: o})
		stroked = s.ok(err) && isVisible(c.StrokeColor)
	}
	if mode.FillMode != enums.FPDF_FILLMODE_NONE && s.broken == nil {
		c, err := s.PDFium.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: o})
		filled = s.ok(err) && isVisible(c.FillColor)
	}
	return stroked, filled
}

// isVisible reports whether a color is distinguishable from white.
func isVisible(c structs.FPDF_COLOR) bool {
	const faint, white = 16, 250
	return c.A >= faint && min(c.R, c.G, c.B) < white
}

// add adds a rule, clipped to the visible box.
func (s *search) add(r Rect, filled bool) {
	v := s.visible
	r = Rect{max(r.Left, v.Left), max(r.Bottom, v.Bottom), min(r.Right, v.Right), min(r.Top, v.Top)}
	if r.Left <= r.Right && r.Bottom <= r.Top && len(s.found) < s.limit {
		s.found = append(s.found, Rule{r, filled})
	}
}
