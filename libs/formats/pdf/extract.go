package pdf

import (
	"bytes"
	"errors"
	"strings"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/tetratelabs/wazero/sys"

	"github.com/rectohq/recto/libs/formats/layout"
)

// document is an open file in PDFium.
type document struct {
	pdfium pdfium.Pdfium
	ref    references.FPDF_DOCUMENT
	// form is the state of the form, "" if there is none.
	form  references.FPDF_FORMHANDLE
	found struct{ text, words, fields int }
}

// open opens a file and returns how many pages it has, at least one. The error is an
// errRefused if the file is at fault and PDFium could tell.
func open(p pdfium.Pdfium, file []byte) (*document, int, error) {
	// PDFium reads what it needs, which saves its memory a copy of the file.
	opened, err := p.OpenDocument(&requests.OpenDocument{FileReader: bytes.NewReader(file), FileReaderSize: int64(len(file))})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, 0, errRefused(encrypted)
	case err != nil:
		return nil, 0, refuseUnlessBroken(err)
	}
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	switch {
	case err != nil:
		return nil, 0, refuseUnlessBroken(err)
	case count.PageCount < 1:
		return nil, 0, errRefused(noPages)
	}
	return &document{pdfium: p, ref: opened.Document}, count.PageCount, nil
}

// countPages returns how many pages a file has. It finds each of them, as a file that
// was cut off may announce pages that it no longer holds, but reads none.
func countPages(p pdfium.Pdfium, file []byte) (int, error) {
	d, count, err := open(p, file)
	if err != nil {
		return 0, err
	}
	for i := range count {
		_, err := p.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: d.ref, Index: i})
		switch {
		case isBroken(err):
			return 0, err
		case err != nil:
			return 0, errRefused(lostPage)
		}
	}
	return count, nil
}

// extract passes what is in the file to send, a page at a time. The error is an
// errRefused if the file is at fault and PDFium could tell.
func extract(p pdfium.Pdfium, file []byte, maxPages int, send func(message) error) error {
	d, count, err := open(p, file)
	switch {
	case err != nil:
		return err
	case count > maxPages:
		return errRefused(tooMany)
	}
	if err := d.openForm(); err != nil {
		return err
	}
	for i := range count {
		m, err := d.page(i)
		if err != nil {
			return err
		}
		if err := send(message{Page: m}); err != nil {
			return err
		}
	}
	if d.found.words == 0 {
		return errRefused(noText)
	}
	return send(message{End: &endMessage{Title: d.meta("Title"), Created: d.meta("CreationDate")}})
}

// refuseUnlessBroken returns err if it ended PDFium, or else that the file is
// damaged.
func refuseUnlessBroken(err error) error {
	if isBroken(err) {
		return err
	}
	return errRefused(damaged)
}

// isBroken reports whether err ended PDFium, so that it must not be called any
// more: it ran out of memory, or hit upon something that it did not expect. Other
// errors are of a page or of less.
func isBroken(err error) bool {
	var exit *sys.ExitError
	return err != nil && (errors.As(err, &exit) || strings.Contains(err.Error(), "wasm error") || strings.Contains(err.Error(), "panic occurred"))
}

// meta returns an entry of the document information, as far as it may be sent.
func (d *document) meta(tag string) string {
	m, err := d.pdfium.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: tag})
	if err != nil {
		return ""
	}
	return line(m.Value)
}

// line returns s as one line of text, without what is no character, and not longer
// than may be sent.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.Map(clean, s)), " ")
	for i := range s {
		if i > maxString-4 {
			return s[:i]
		}
	}
	return s
}

// The size of a page that does not tell its own, in points: that of a letter, as
// PDFium has it.
const defaultWidth, defaultHeight = 612, 792

// page returns a page. One that PDFium cannot read is an empty one.
func (d *document) page(index int) (*pageMessage, error) {
	m := &pageMessage{Width: defaultWidth, Height: defaultHeight}
	var v view
	own := -1 // how many characters the page had before anything on it was made a part of it
	err := d.onPage(index, func(page requests.Page) (err error) {
		if v, err = d.view(page); err != nil {
			return err
		}
		m.Width, m.Height = v.size()
		var any bool
		if m.Fields, any, err = d.annotations(page, v); err != nil {
			return err
		}
		if any {
			own, err = d.flatten(page)
			return err
		}
		m.Text, m.Words, err = d.text(page, v, own)
		return err
	})
	if err == nil && own >= 0 {
		err = d.onPage(index, func(page requests.Page) (err error) {
			m.Text, m.Words, err = d.text(page, v, own)
			return err
		})
	}
	var refused errRefused
	if isBroken(err) || errors.As(err, &refused) {
		return m, err
	}
	return m, d.account(m)
}

// account adds a page to what was found, and refuses the file if that is too much.
func (d *document) account(m *pageMessage) error {
	d.found.text += len(m.Text)
	d.found.words += len(m.Words)
	if d.found.text > maxText || d.found.words > maxWords || len(m.Text) > maxPageText {
		return errRefused(tooLong)
	}
	return nil
}

// flatten makes what lies on a page a part of it, from when it is loaded again, and
// returns how many characters it had before.
func (d *document) flatten(page requests.Page) (own int, err error) {
	if own, err = d.count(page); err != nil {
		return own, err
	}
	_, err = d.pdfium.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page})
	return own, broken(err)
}

// onPage loads a page for the time of do. What was changed in it is seen when it is
// loaded again.
func (d *document) onPage(index int, do func(requests.Page) error) error {
	p, err := d.pdfium.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: index})
	if err != nil {
		return err
	}
	if err = do(requests.Page{ByReference: &p.Page}); isBroken(err) {
		return err
	}
	_, closing := d.pdfium.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: p.Page})
	return errors.Join(err, broken(closing))
}

// count returns how many characters a page has.
func (d *document) count(page requests.Page) (int, error) {
	loaded, err := d.pdfium.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return -1, err
	}
	n, err := d.pdfium.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil {
		return -1, err
	}
	_, err = d.pdfium.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage})
	return n.Count, broken(err)
}

// maxPageText is how many bytes of text a page may have, so that its message is
// within its limit.
const maxPageText = 2 << 20

// broken returns err if it ended PDFium.
func broken(err error) error {
	if isBroken(err) {
		return err
	}
	return nil
}

// view is the part of a page that is shown: a box in the page's coordinates, and
// how often it is turned by 90 degrees clockwise.
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

// size returns the width and height as they are shown, in points.
func (v view) size() (width, height float64) {
	if v.turns%2 == 1 {
		return v.top - v.bottom, v.right - v.left
	}
	return v.right - v.left, v.top - v.bottom
}

// rect is a box in the coordinates of a page, which grow to the right and to the
// top.
type rect struct{ left, bottom, right, top float64 }

// union returns the smallest rect that holds both. The zero rect holds nothing.
func (r rect) union(o rect) rect {
	if r == (rect{}) {
		return o
	}
	if o == (rect{}) {
		return r
	}
	return rect{min(r.left, o.left), min(r.bottom, o.bottom), max(r.right, o.right), max(r.top, o.top)}
}

// box returns where r is shown.
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
