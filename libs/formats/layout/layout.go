// Package layout describes the text of a document and where each piece of it is, on pages
// and in XML. Document readers produce it, and code that works with text uses its terms
// to refer to positions.
package layout

import (
	"slices"
	"sort"
)

// Span is a range of bytes of a Document's text. Start is inclusive, End exclusive.
type Span struct {
	Start, End int
}

// Len returns the length of the span in bytes.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether all of o lies in s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Overlaps reports whether s and o share a byte.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// Box is a rectangle on a page, in fractions of the page's displayed width and height,
// from 0 to 1, measured from the top left.
type Box struct {
	Left, Top, Right, Bottom float64
}

// Union returns the smallest box that contains b and o. The zero Box is empty.
func (b Box) Union(o Box) Box {
	if b == (Box{}) {
		return o
	}
	if o == (Box{}) {
		return b
	}
	return Box{min(b.Left, o.Left), min(b.Top, o.Top), max(b.Right, o.Right), max(b.Bottom, o.Bottom)}
}

// Page is a page of a document.
type Page struct {
	// Span is the text of the page. The spans of pages are consecutive; that of a page
	// without text is empty.
	Span
	// Width and Height are the dimensions of the page as displayed, rotated and cropped,
	// in points.
	Width, Height float64
}

// Word is a run of text without white space at one place on a page. A word hyphenated at
// the end of a line counts as two.
type Word struct {
	Span
	// Page counts from 1.
	Page int
	Box  Box
}

// Run is the whole text of one XML element.
type Run struct {
	Span
	// Path identifies the element by its part and the path in it, for example
	// "word/document.xml#/w:document[1]/w:body[1]/w:p[3]/w:r[1]/w:t[1]".
	Path string
}

// Role is the role of a Block in its document.
type Role string

// The roles of blocks.
const (
	Body   Role = ""
	Header Role = "header"
	Footer Role = "footer"
	// Note is a footnote or an endnote.
	Note Role = "note"
	// TextBox is a paragraph of a text box, outside of the main text.
	TextBox Role = "text box"
)

// Cell is the position of a paragraph in a table. The zero Cell means that it is not in a
// table.
type Cell struct {
	// Table numbers the tables of a document from 1; nested tables have their own
	// numbers.
	Table int
	// Row and Column count from 0.
	Row, Column int
}

// Block is a paragraph as defined by the file.
type Block struct {
	Span
	Role Role
	// Heading is the level of a heading, from 1; 0 means not a heading.
	Heading int
	// Label is the number that a viewer shows before the paragraph, such as "2.1" or
	// "(a)", if it is not part of the text.
	Label string
	// Style is the name of the paragraph's style, or "" for the default.
	Style string
	Cell  Cell
}

// Document is the text of a document and its positions. It is immutable.
type Document struct {
	// Text is the whole text, in UTF-8 and in reading order. Lines end with "\n". Spans
	// are ranges of it.
	Text string
	// Pages are in order; there are none if the file has no pages.
	Pages []Page
	// Words are in text order. Text outside of words, other than white space, is not on
	// any page.
	Words []Word
	// Runs are in text order; there are none if the file is not XML.
	Runs []Run
	// Blocks are the paragraphs in text order; there are none if the file does not mark
	// paragraphs, as in a PDF.
	Blocks []Block
}

// Quote returns the text of a span.
func (d *Document) Quote(s Span) string { return d.Text[s.Start:s.End] }

// WordsOf returns the words that have text in the span.
func (d *Document) WordsOf(s Span) []Word {
	return overlapping(d.Words, s, func(w Word) Span { return w.Span })
}

// WordsByPage returns the words of each page. The words of a page follow each other in most
// documents, and are then not copied.
func (d *Document) WordsByPage() map[int][]Word {
	pages := make(map[int][]Word, len(d.Pages))
	for rest := d.Words; len(rest) > 0; {
		page, n := rest[0].Page, 1
		for n < len(rest) && rest[n].Page == page {
			n++
		}
		words := slices.Clip(rest[:n])
		if earlier, ok := pages[page]; ok {
			words = append(earlier, words...)
		}
		pages[page], rest = words, rest[n:]
	}
	return pages
}

// RunsOf returns the runs that have text in the span.
func (d *Document) RunsOf(s Span) []Run {
	return overlapping(d.Runs, s, func(r Run) Span { return r.Span })
}

// overlapping returns the items that overlap s. items must be in order and must not
// overlap each other.
func overlapping[T any](items []T, s Span, span func(T) Span) []T {
	from := sort.Search(len(items), func(i int) bool { return span(items[i]).End > s.Start })
	to := from + sort.Search(len(items)-from, func(i int) bool { return span(items[from+i]).Start >= s.End })
	return slices.Clip(items[from:to])
}
