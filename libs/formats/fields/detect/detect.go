// Package detect finds the blanks of a document: the places that its author left
// to be filled by hand, as underscores, boxes, bracketed prompts, empty cells of
// forms and labels with nothing after them. It owns what counts as a blank, what
// the blank is called, which type of value it takes, and the id by which it is
// found again. It knows no file format: callers give it the text of paragraphs.
package detect

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Bounds of what is found.
const (
	// MaxBlanks is how many blanks are found in a document; later ones are not.
	MaxBlanks = 5000
	// maxLabel bounds labels and options, in characters.
	maxLabel = 200
	// maxPrompt bounds bracketed prompts, in bytes: longer ones are text.
	maxPrompt = 1200
	// maxLookBehind bounds what is read before a blank for its label, in bytes.
	maxLookBehind = 240
)

// Object stands in Paragraph.Text for what is no text: a picture, a field that
// is known already.
const Object = '\uFFFC'

// Kind is how a blank was marked.
type Kind string

// The kinds of blanks. They take part in ids, so that they never change.
const (
	// Line is a run of underscores, dots, or underlined white space.
	Line Kind = "line"
	// Prompt is text in brackets that says what belongs there.
	Prompt Kind = "prompt"
	// Boxes are one or several boxes to tick.
	Boxes Kind = "boxes"
	// EmptyCell is an empty cell beside its label.
	EmptyCell Kind = "cell"
	// After is the place after a label that nothing follows.
	After Kind = "after"
)

// Paragraph is a paragraph of a document, or a line of a page, as it is read.
type Paragraph struct {
	// Text is its text; offsets are in bytes. Tabs are "\t", line breaks "\n".
	Text string
	// Marks are what the eye sees besides the text, in order of Start.
	Marks []Mark
	// Cell is the cell of a table that the paragraph is in, nil outside tables.
	Cell *CellPosition
	// Contents says that the paragraph belongs to a table of contents.
	Contents bool
}

// CellPosition is where a cell is. The paragraphs of one cell have equal ones.
type CellPosition struct {
	// Table numbers the tables of a document from 1; a table in a table has its
	// own number.
	Table int
	// Row and Column count from 0; a cell that spans columns has the first.
	Row, Column int
	// Width is in twentieths of a point, 0 if it is not known.
	Width int
}

// Mark is what distinguishes a range of a paragraph's text.
type Mark struct {
	Start, End int
	Look       Look
}

// Look is how marked text looks.
type Look uint8

// The looks that matter.
const (
	// Underlined is text, or white space, with a line below it.
	Underlined Look = iota
	// Emphasised is highlighted, shaded or coloured: authors mark so what is to
	// be replaced.
	Emphasised
	// Taken belongs to something else: no blank is found in it.
	Taken
	// Ruled is a tab with a line across it, up to where the text goes on.
	Ruled
	// Led is a tab with dots or dashes across it: they are left to be written on,
	// or lead to the number of a page or to a price.
	Led
)

// Blank is a place that can be filled, or the boxes of one question.
type Blank struct {
	// ID is its identifier: fields.IDPrefix, a hash of the kind, its text and its
	// paragraph, a hyphen, and its number among the blanks with the same hash.
	ID   string
	Kind Kind
	Type fields.Type
	// Label is what the document calls it, "" if nothing does.
	Label string
	// Paragraph is the index of the paragraph it is in.
	Paragraph int
	// Start and End are the range of the paragraph's text that a value replaces.
	// They are equal where a value is inserted. For Boxes they are those of the
	// first box.
	Start, End int
	// Options are the boxes, in the order of reading; nil for other kinds.
	Options []Box
}

// Box is a box to tick.
type Box struct {
	// Start and End are the range of its paragraph's text.
	Start, End int
	// Option is what it is ticked for; no two of one blank are equal.
	Option string
	Ticked bool
}

// Find returns the blanks of a document in the order of reading. It takes time
// in proportion to the text.
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

// document is a document while its blanks are being found.
type document struct {
	paragraphs []Paragraph
	tables     map[int]*table
	found      []Blank
	// dollars says that "${name}" is a prompt with its dollar sign.
	dollars bool
}

// paragraph returns the blanks of the paragraph i, in order and without overlap.
func (d *document) paragraph(i int) []Blank {
	p := &d.paragraphs[i]
	if p.Contents {
		return nil
	}
	boxes := findBoxes(p.Text)
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

// withoutOverlap returns the blanks in order without those that overlap an
// earlier, or of two with one start the longer one, and without those in text
// that is taken.
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

// end returns where the blank's text ends, with all of its boxes.
func (b *Blank) end() int {
	if n := len(b.Options); n > 0 {
		return b.Options[n-1].End
	}
	return b.End
}

// ranges are ranges of text in order that are asked for in order.
type ranges []Mark

// marked returns the marks of one look.
func marked(marks []Mark, look Look) *ranges {
	var r ranges
	for _, m := range marks {
		if m.Look == look {
			r = append(r, m)
		}
	}
	return &r
}

// overlaps reports whether a range overlaps [start, end). Starts of successive
// calls do not descend.
func (r *ranges) overlaps(start, end int) bool {
	for len(*r) > 0 && (*r)[0].End <= start {
		*r = (*r)[1:]
	}
	return len(*r) > 0 && (*r)[0].Start < end
}
