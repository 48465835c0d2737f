// Package layout is what the readers of documents make of them: the text, and
// where each piece of it stands, on pages and in XML. It owns the terms in which
// whoever works with text says where something is.
package layout

import (
	"slices"
	"sort"
)

// Span is a range of the text of a Document, in bytes: the first one, and the one
// after the last.
type Span struct {
	Start, End int
}

// Len returns how many bytes the span has.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether all of o lies in s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Overlaps reports whether s and o have a byte in common.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }

// Box is where something stands on a page, in parts of the page's width and
// height as it is shown, from 0 to 1, from the top left.
type Box struct {
	Left, Top, Right, Bottom float64
}

// Union returns the smallest box that holds b and o. The zero Box holds nothing.
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
	// Span is the text of the page. Spans of pages follow each other; that of a
	// page without text is empty.
	Span
	// Width and Height are those of the page as it is shown, turned and cropped,
	// in points.
	Width, Height float64
}

// Word is a run of text without white space that stands in one place of a page. A
// word that is hyphenated at the end of a line is two.
type Word struct {
	Span
	// Page counts from 1.
	Page int
	Box  Box
}

// Run is a piece of text that stands in one element of XML: its text is that of
// the element, whole.
type Run struct {
	Span
	// Path leads to the element: the part and the path in it, for example
	// "word/document.xml#/w:document[1]/w:body[1]/w:p[3]/w:r[1]/w:t[1]".
	Path string
}

// Role is what a Block is in its document.
type Role string

// The roles of blocks.
const (
	Body   Role = ""
	Header Role = "header"
	Footer Role = "footer"
	// Note is a footnote or an endnote.
	Note Role = "note"
	// TextBox is a paragraph of a text box, which stands beside the text.
	TextBox Role = "text box"
)

// Cell is the place of a paragraph in a table. The zero Cell is none.
type Cell struct {
	// Table numbers the tables of a document from 1; a table in a table has its
	// own number.
	Table int
	// Row and Column count from 0.
	Row, Column int
}

// Block is a paragraph as its file has it.
type Block struct {
	Span
	Role Role
	// Heading is the level of a heading, from 1; 0 is none.
	Heading int
	// Label is the number that the program that shows the file puts before the
	// paragraph, as "2.1" or "(a)", where it is not part of the text.
	Label string
	// Style is the name of the paragraph's style, "" for the default.
	Style string
	Cell  Cell
}

// Document is the text of a document, and where it stands. It does not change
// once it was made.
type Document struct {
	// Text is all of the text, in UTF-8, in the order of reading. Lines end with
	// "\n". What a Span says is a range of it.
	Text string
	// Pages are in order; there are none where the file has none.
	Pages []Page
	// Words are in the order of the text. Text outside of them, beside white
	// space, stands on no page.
	Words []Word
	// Runs are in the order of the text; there are none where there is no XML.
	Runs []Run
	// Blocks are the paragraphs in the order of the text; there are none where the
	// file does not say where they are, as in a PDF.
	Blocks []Block
}

// Quote returns the text of a span.
func (d *Document) Quote(s Span) string { return d.Text[s.Start:s.End] }

// WordsOf returns the words that have text in the span.
func (d *Document) WordsOf(s Span) []Word {
	return overlapping(d.Words, s, func(w Word) Span { return w.Span })
}

// RunsOf returns the runs that have text in the span.
func (d *Document) RunsOf(s Span) []Run {
	return overlapping(d.Runs, s, func(r Run) Span { return r.Span })
}

// overlapping returns the items, which are in order and apart, that overlap s.
func overlapping[T any](items []T, s Span, span func(T) Span) []T {
	from := sort.Search(len(items), func(i int) bool { return span(items[i]).End > s.Start })
	to := from + sort.Search(len(items)-from, func(i int) bool { return span(items[from+i]).Start >= s.End })
	return slices.Clip(items[from:to])
}
