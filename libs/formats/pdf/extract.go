package pdf

import (
	"errors"
	"strings"
	"sync"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/tetratelabs/wazero/sys"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/internal/drawn"
	"github.com/rectohq/recto/libs/formats/pdf/internal/widgets"
)

// document is an open file in PDFium.
type document struct {
	pdfium pdfium.Pdfium
	ref    references.FPDF_DOCUMENT
	file   []byte
	pages  int
	// form is the handle of the form, or "" if there is none.
	form references.FPDF_FORMHANDLE
	// forms helps with widgets that PDFium does not know, unless it is nil. adopted reports
	// whether that has been tried.
	forms   *forms
	adopted bool
	// redraws reports whether PDFium may replace appearances of filled fields.
	redraws func() bool
	// details are what package form knows about the form, nil until describe is called.
	// They are only read for the list of fields.
	lists   bool
	details *form.Description
	// drawn finds the rules of the pages, unless it is nil.
	drawn *drawn.Finder
	found struct{ text, words, fields, rules int }
}

// open opens a file and returns its number of pages, at least one. The error is an
// errRefused if PDFium reports that the file is at fault.
func open(p pdfium.Pdfium, file []byte) (*document, int, error) {
	d, err := openParts(p, file, nil)
	if err != nil {
		return nil, 0, err
	}
	return d, d.pages, nil
}

// open opens a file, and notes it for restart.
func (w *worker) open(file []byte) (d *document, pages int, err error) {
	d, pages, err = open(w.pdfium, file)
	w.document = d
	return d, pages, err
}

// openParts opens a file with an update.
func openParts(p pdfium.Pdfium, file, update []byte) (*document, error) {
	// With a reader, PDFium fetches only what it needs and keeps no copy of the file in
	// its memory.
	r := &widgets.File{Head: file, Tail: update}
	opened, err := p.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: r.Size()})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, errRefused(encrypted)
	case err != nil:
		return nil, refuseUnlessBroken(err)
	}
	count, err := p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	switch {
	case err != nil:
		return nil, refuseUnlessBroken(err)
	case count.PageCount < 1:
		return nil, errRefused(noPages)
	}
	redraws := sync.OnceValue(func() bool { return widgets.MayRedraw(file) })
	return &document{pdfium: p, ref: opened.Document, file: file, pages: count.PageCount, redraws: redraws}, nil
}

// countPages returns the number of pages of a file. It locates each page, because a
// truncated file may declare pages that it no longer contains, but reads none.
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

// extract sends the content of the file, one page per message. The error is an errRefused
// if the file is at fault.
func (w *worker) extract(file []byte) error {
	d, count, err := w.open(file)
	switch {
	case err != nil:
		return err
	case count > w.Pages:
		return errRefused(tooMany)
	}
	d.forms, d.lists = &w.forms, true
	if err := d.openForm(); err != nil {
		return err
	}
	if d.form != "" {
		d.describe()
	}
	d.drawn = &drawn.Finder{PDFium: w.pdfium, Broken: isBroken}
	begin := beginMessage{Pages: count, Title: d.meta("Title"), Created: d.meta("CreationDate"), HBREF: d.meta("HBREF")}
	if err := w.answer.send(message{Begin: &begin}); err != nil {
		return err
	}
	for i := range count {
		m, err := d.page(i)
		if err != nil {
			return err
		}
		if err := w.answer.send(message{Page: m}); err != nil {
			return err
		}
	}
	return w.answer.send(message{End: &endMessage{Signed: d.details != nil && d.details.Signed}})
}

// refuseUnlessBroken returns err if it ended PDFium, or else a refusal of the file as
// damaged.
func refuseUnlessBroken(err error) error {
	if isBroken(err) {
		return err
	}
	return errRefused(damaged)
}

// isBroken reports whether err ended PDFium, which must not be called any more: it ran
// out of memory or crashed. Other errors concern only a page or part of one.
func isBroken(err error) bool {
	var exit *sys.ExitError
	return err != nil && (errors.As(err, &exit) || strings.Contains(err.Error(), "wasm error") || strings.Contains(err.Error(), "panic occurred"))
}

// meta returns an entry of the document information dictionary, cut to the length that
// may be sent.
func (d *document) meta(tag string) string {
	m, err := d.pdfium.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: tag})
	if err != nil {
		return ""
	}
	return line(m.Value)
}

// line returns s as one line of text without invalid characters, cut to the length that
// may be sent.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.Map(clean, s)), " ")
	for i := range s {
		if i > maxString-4 {
			return s[:i]
		}
	}
	return s
}

// The size of a page that declares none, in points: US Letter, as in PDFium.
const defaultWidth, defaultHeight = 612, 792

// page returns a page. A page that PDFium cannot read is returned as empty.
func (d *document) page(index int) (*pageMessage, error) {
	m := &pageMessage{Width: defaultWidth, Height: defaultHeight}
	var v view
	before := d.found
	own := -1 // number of characters before annotations were flattened into the page, or -1
	err := d.onFormPage(index, func(page requests.Page) (err error) {
		d.found = before // if this is the second time
		if v, err = d.view(page); err != nil {
			return err
		}
		m.Width, m.Height = v.size()
		m.Rotation = v.degrees()
		var any bool
		if m.Fields, any, err = d.annotations(page, index, v); err != nil {
			return err
		}
		if m.Rules, err = d.lines(page, v); err != nil {
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

// account adds a page to the totals and refuses the file if they exceed a limit.
func (d *document) account(m *pageMessage) error {
	d.found.text += len(m.Text)
	d.found.words += len(m.Words)
	if d.found.text > maxText || d.found.words > maxWords || len(m.Text) > maxPageText {
		return errRefused(tooLong)
	}
	return nil
}

// flatten makes the annotations of a page part of its content, which takes effect when
// the page is loaded again. It returns how many characters the page had before.
func (d *document) flatten(page requests.Page) (own int, err error) {
	if own, err = d.count(page); err != nil {
		return own, err
	}
	_, err = d.pdfium.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page})
	return own, broken(err)
}

// onPage calls do with the page while it is loaded. Changes that do makes are visible
// when the page is loaded again.
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

// count returns the number of characters on a page.
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

// maxPageText is the maximum text of a page, in bytes, so that its message stays within
// its limit.
const maxPageText = 2 << 20

// broken returns err if it ended PDFium, and nil otherwise.
func broken(err error) error {
	if isBroken(err) {
		return err
	}
	return nil
}
