// Package detect finds the blanks of a document: places that its author left to be filled
// in by hand, such as underscores, boxes, bracketed prompts, empty cells of forms, and
// labels with nothing after them. It decides what counts as a blank, and determines the
// label of each blank, the type of its values, and the ID by which it is found again. It
// knows no file formats; callers pass the text of paragraphs.
package detect

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Limits of detection.
const (
	// MaxBlanks is the maximum number of blanks in a document; later ones are ignored.
	MaxBlanks = 5000
	// maxLabel bounds labels and options, in characters.
	maxLabel = 200
	// maxPrompt bounds bracketed prompts, in bytes. Longer brackets are ordinary text.
	maxPrompt = 1200
	// maxLookBehind bounds the text before a blank that is searched for its label, in
	// bytes.
	maxLookBehind = 240
)

// Object stands in Paragraph.Text for anything that is not text, such as a picture or a
// known field.
const Object = '\uFFFC'

// Kind is the kind of marking of a blank.
type Kind string

// The kinds of blanks. They are part of IDs, so they must never change.
const (
	// Line is a fill-in line: underscores, dots, or underlined white space.
	Line Kind = "line"
	// Prompt is text in brackets that says what to fill in.
	Prompt Kind = "prompt"
	// Boxes is one or more boxes to tick.
	Boxes Kind = "boxes"
	// EmptyCell is an empty cell next to its label.
	EmptyCell Kind = "cell"
	// After is the place after a label with nothing after it.
	After Kind = "after"
)

// Paragraph is a paragraph of a document, or a line of a page.
type Paragraph struct {
	// Text is the text; offsets are in bytes. Tabs are "\t", line breaks "\n".
	Text string
	// Marks are visible properties of ranges of the text, in order of Start.
	Marks []Mark
	// Cell is the table cell that contains the paragraph, or nil outside of tables.
	Cell *CellPosition
	// Contents reports whether the paragraph belongs to a table of contents.
	Contents bool
}

// CellPosition is the position of a cell. The paragraphs of a cell have equal positions.
type CellPosition struct {
	// Table numbers the tables of a document from 1; nested tables have their own
	// numbers.
	Table int
	// Row and Column count from 0. A cell that spans columns has the number of the first.
	Row, Column int
	// Width is in twentieths of a point, or 0 if unknown.
	Width int
}

// Mark is a property of a range of a paragraph's text.
type Mark struct {
	Start, End int
	Look       Look
}

// Look is the property that a Mark describes.
type Look uint8

// The properties that matter for detection.
const (
	// Underlined is underlined text or white space.
	Underlined Look = iota
	// Emphasized is highlighted, shaded or colored text, which authors use for text to be
	// replaced.
	Emphasized
	// Taken marks text that belongs to something else. No blank is found in it.
	Taken
	// Ruled is a tab with a line across it, up to the following text.
	Ruled
	// Led is a tab with a dotted or dashed leader. Such leaders are either blanks, or
	// lead to a page number or a price.
	Led
)

// Blank is a place to fill in, or the boxes of one question.
type Blank struct {
	// ID is the identifier: fields.IDPrefix, a hash of the kind, the blank's text and its
	// paragraph, a hyphen, and its number among the blanks with the same hash.
	ID   string
	Kind Kind
	Type fields.Type
	// Label is the document's label for the blank, or "".
	Label string
	// Paragraph is the index of its paragraph.
	Paragraph int
	// Start and End are the range of the paragraph's text that a value replaces. They are
	// equal if a value is inserted. For Boxes they are the range of the first box.
	Start, End int
	// Options are the boxes in reading order; nil for other kinds.
	Options []Box
}

// Box is a box to tick.
type Box struct {
	// Start and End are its range in the paragraph's text.
	Start, End int
	// Option is the text that belongs to the box. It is unique within a blank.
	Option string
	Ticked bool
}

// Find returns the blanks of a document in reading order. Its running time is
// proportional to the length of the text.
func Find(paragraphs []Paragraph) []Blank {
	d := &document{paragraphs: paragraphs, tables: tablesOf(paragraphs)}
	d.dollars = d.onlyDollarBraces()
	for i := range paragraphs {
		if len(d.found) >= MaxBlanks {
			break
		}
		d.found = append(d.found, d.paragraph(i)...)
	}
	d.found = d.found[:min(len(d.found), MaxBlanks)]
	d.identify()
	return d.found
}

// document is the state of a search for blanks.
type document struct {
	paragraphs []Paragraph
	tables     map[int]*table
	found      []Blank
	// dollars reports whether "${name}" is a prompt that includes the dollar sign.
	dollars bool
}

// paragraph returns the blanks of paragraph i in order and without overlaps.
func (d *document) paragraph(i int) []Blank {
	p := &d.paragraphs[i]
	if p.Contents {
		return nil
	}
	boxes := findBoxes(p.Text, d.choosesInParentheses(i))
	var all []Blank
	all = append(all, d.boxBlanks(i, boxes)...)
	all = append(all, d.prompts(i, boxes)...)
	all = append(all, d.lines(i)...)
	all = withoutOverlap(p, all)
	if len(all) == 0 && len(*marked(p.Marks, Taken)) == 0 {
		return d.empties(i)
	}
	return all
}

// withoutOverlap returns the blanks in order. It drops blanks that overlap an earlier
// one, the shorter of two with the same start, and blanks in taken text.
func withoutOverlap(p *Paragraph, blanks []Blank) []Blank {
	slices.SortStableFunc(blanks, func(a, b Blank) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept, end := blanks[:0], 0
	taken := marked(p.Marks, Taken)
	for _, b := range blanks {
		if b.Start < end || taken.overlaps(b.Start, b.End) {
			continue
		}
		kept, end = append(kept, b), b.end()
	}
	return kept
}

// end returns the end of the blank's text, including all of its boxes.
func (b *Blank) end() int {
	if n := len(b.Options); n > 0 {
		return b.Options[n-1].End
	}
	return b.End
}

// ranges are sorted ranges, to be queried in ascending order.
type ranges []Mark

// marked returns the marks with the given look.
func marked(marks []Mark, look Look) *ranges {
	var r ranges
	for _, m := range marks {
		if m.Look == look {
			r = append(r, m)
		}
	}
	return &r
}

// overlaps reports whether a range overlaps [start, end). Successive calls must not have
// descending starts.
func (r *ranges) overlaps(start, end int) bool {
	for len(*r) > 0 && (*r)[0].End <= start {
		*r = (*r)[1:]
	}
	return len(*r) > 0 && (*r)[0].Start < end
}
