package pdf

import (
	"bytes"
	"errors"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf/internal/drawn"
)

// view is the visible part of a page: a box in page coordinates, and the number of
// clockwise rotations by 90 degrees.
type view struct {
	left, bottom, right, top float64
	turns                    enums.FPDF_PAGE_ROTATION
}

func (d *document) view(page requests.Page) (view, error) {
	b, err := d.pdfium.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: page})
	if err != nil {
		return view{}, err
	}
	r, err := d.pdfium.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: page})
	if err != nil {
		return view{}, err
	}
	v := view{float64(b.Rect.Left), float64(b.Rect.Bottom), float64(b.Rect.Right), float64(b.Rect.Top), r.PageRotation}
	if w, h := v.right-v.left, v.top-v.bottom; !isLength(w) || !isLength(h) {
		return view{}, errors.New("the page has no size")
	}
	return v, nil
}

// size returns the displayed width and height in points.
func (v view) size() (width, height float64) {
	if v.turns%2 == 1 {
		return v.top - v.bottom, v.right - v.left
	}
	return v.right - v.left, v.top - v.bottom
}

// degrees returns the clockwise rotation.
func (v view) degrees() int { return int(v.turns%4) * 90 }

// rect is a box in page coordinates, which increase to the right and upwards.
type rect struct{ left, bottom, right, top float64 }

// union returns the smallest rect that contains both. The zero rect is empty.
func (r rect) union(o rect) rect {
	if r == (rect{}) {
		return o
	}
	if o == (rect{}) {
		return r
	}
	return rect{min(r.left, o.left), min(r.bottom, o.bottom), max(r.right, o.right), max(r.top, o.top)}
}

// box returns the position of r on the displayed page.
func (v view) box(r rect) layout.Box {
	w, h := v.right-v.left, v.top-v.bottom
	left, right := (min(r.left, r.right)-v.left)/w, (max(r.left, r.right)-v.left)/w
	bottom, top := (min(r.bottom, r.top)-v.bottom)/h, (max(r.bottom, r.top)-v.bottom)/h
	switch v.turns % 4 {
	case enums.FPDF_PAGE_ROTATION_90_CW:
		return layout.Box{Left: bottom, Top: left, Right: top, Bottom: right}
	case enums.FPDF_PAGE_ROTATION_180_CW:
		return layout.Box{Left: 1 - right, Top: bottom, Right: 1 - left, Bottom: top}
	case enums.FPDF_PAGE_ROTATION_270_CW:
		return layout.Box{Left: 1 - top, Top: 1 - right, Right: 1 - bottom, Bottom: 1 - left}
	}
	return layout.Box{Left: left, Top: 1 - top, Right: right, Bottom: 1 - bottom}
}

// sizes sends the sizes of all pages. The error is an errRefused if the file is at fault.
func (w *worker) sizes(file []byte) error {
	d, count, err := w.open(file)
	switch {
	case err != nil:
		return err
	case count > w.Pages:
		return errRefused(tooMany)
	}
	rotated := mayRotate(file)
	sizes := make([]sizeMessage, 0, min(count, maxSizes))
	for i := range count {
		s, err := d.size(i, rotated)
		if err != nil {
			return err
		}
		if sizes = append(sizes, s); len(sizes) == maxSizes || i == count-1 {
			if err := w.answer.send(message{Sizes: sizes}); err != nil {
				return err
			}
			sizes = sizes[:0]
		}
	}
	return w.answer.send(message{End: &endMessage{}})
}

// mayRotate reports whether a page of the file may be rotated. It is false if the file
// keeps all its objects uncompressed, and none of them mentions a rotation. This saves
// loading every page, which is the only way to learn its rotation from PDFium.
func mayRotate(file []byte) bool {
	const rotate = "/Rotate"
	if bytes.Contains(file, []byte(rotate)) || bytes.Contains(file, []byte("/ObjStm")) {
		return true
	}
	for i := 1; i < len(rotate); i++ { // # escapes a character of a name
		if bytes.Contains(file, []byte(rotate[:i]+"#")) {
			return true
		}
	}
	return false
}

// size returns the size of a page as displayed, and its rotation if it may have one. A page
// that PDFium cannot read has the size that it has in Read.
func (d *document) size(index int, rotated bool) (sizeMessage, error) {
	unknown := sizeMessage{defaultWidth, defaultHeight, 0}
	if !rotated {
		s, err := d.pdfium.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.ref, Index: index})
		if err != nil || !isLength(s.Width) || !isLength(s.Height) {
			return unknown, broken(err)
		}
		return sizeMessage{s.Width, s.Height, 0}, nil
	}
	size := unknown
	err := d.onPage(index, func(page requests.Page) error {
		v, err := d.view(page)
		if err == nil {
			width, height := v.size()
			size = sizeMessage{width, height, float64(v.degrees())}
		}
		return err
	})
	return size, broken(err)
}

// words sends the text of a page, which counts from 1. The error is an errRefused if the
// file is at fault.
func (w *worker) words(file []byte, number int) error {
	d, count, err := w.open(file)
	switch {
	case err != nil:
		return err
	case number < 1 || number > count:
		return errRefused(noPage)
	}
	d.forms = &w.forms
	if err := d.openForm(); err != nil {
		return err
	}
	m, err := d.page(number - 1)
	if err != nil {
		return err
	}
	m.Fields = nil
	return w.answer.send(message{Page: m})
}

// lines returns the rules that are drawn on a page, if they are wanted. Parts outside of the
// displayed page are cut off.
func (d *document) lines(page requests.Page, v view) ([]ruleMessage, error) {
	if d.drawn == nil {
		return nil, nil
	}
	limit := min(maxPageRules, maxRules-d.found.rules)
	rules, err := d.drawn.Find(page, drawn.Rect{Left: v.left, Bottom: v.bottom, Right: v.right, Top: v.top}, limit)
	var lines []ruleMessage
	for _, r := range rules {
		place, shown := units(v.box(rect{r.Left, r.Bottom, r.Right, r.Top}))
		if !shown {
			continue
		}
		m := ruleMessage{place[0], place[1], place[2], place[3]}
		if r.Filled {
			m[4] = 1
		}
		lines = append(lines, m)
	}
	d.found.rules += len(lines)
	return lines, err
}
