// Package pdffields finds the fields of PDF files: form fields, text tags, and blanks that
// were meant to be filled in by hand. It turns values into the order by which package form
// writes them.
package pdffields

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// Version identifies the output of Find. It changes when the same file would yield other
// fields, so that stored results of earlier versions are not used.
const Version = pdf.Version + ".4"

// Find returns the fields of a file in reading order. Each ID occurs once. Every field has
// at least one place. Its running time is proportional to the size of the file, apart from
// sorting.
//
// It leaves out push buttons that are not meant for pictures, since they hold no value, and
// signature fields that have been signed, since a value would destroy the signature. In a
// signed file, it finds only form fields for the same reason.
func Find(f *pdf.File) []fields.Field {
	pages := pagesOf(f)
	tags := tagsOf(f, pages)
	lines := linesOf(f, pages, tags)
	labels := labelsOf(lines)
	found := newCollection()
	for _, p := range pages {
		for i := range p.widgets {
			found.addWidget(p, &p.widgets[i])
		}
	}
	found.finishWidgets(labels)
	if f.Signed { // text on a page would break the signature
		return found.inOrder()
	}
	for _, t := range tags {
		if t.field.ID != "" {
			found.add(t.field)
		}
	}
	for _, b := range blanksOf(lines) {
		found.add(b)
	}
	return found.inOrder()
}

// collection is a set of fields under construction.
type collection struct {
	fields []*fields.Field
	byID   map[string]*fields.Field
	forms  []*formField
	byForm map[string]*formField
}

func newCollection() *collection {
	return &collection{byID: map[string]*fields.Field{}, byForm: map[string]*formField{}}
}

// add adds a field. If its ID is known, it adds only its places to the known field.
func (c *collection) add(f fields.Field) {
	if known := c.byID[f.ID]; known != nil {
		known.Places = append(known.Places, f.Places...)
		return
	}
	c.byID[f.ID] = &f
	c.fields = append(c.fields, &f)
}

// inOrder returns the fields and their places in reading order.
func (c *collection) inOrder() []fields.Field {
	for _, f := range c.fields {
		sortPlaces(f.Places, func(p fields.Place) fields.Place { return p })
	}
	sortPlaces(c.fields, func(f *fields.Field) fields.Place { return f.Places[0] })
	all := make([]fields.Field, 0, len(c.fields))
	for _, f := range c.fields {
		all = append(all, *f)
	}
	return all
}

// sortPlaces sorts items by their places: by page, then by rows from top to bottom, and
// within a row from left to right.
func sortPlaces[T any](items []T, place func(T) fields.Place) {
	slices.SortStableFunc(items, func(a, b T) int {
		p, q := place(a), place(b)
		return cmp.Or(cmp.Compare(p.Page, q.Page), cmp.Compare(p.Box.Top, q.Box.Top))
	})
	for len(items) > 0 {
		first, n := place(items[0]), 1
		for n < len(items) && inRow(first, place(items[n])) {
			n++
		}
		slices.SortStableFunc(items[:n], func(a, b T) int { return cmp.Compare(place(a).Box.Left, place(b).Box.Left) })
		items = items[n:]
	}
}

// inRow reports whether a place is in the row of the first one, which is above it: the
// upper half of the first reaches down to it.
func inRow(first, p fields.Place) bool {
	return p.Page == first.Page && p.Box.Top < (first.Box.Top+first.Box.Bottom)/2
}
