// Package paragraph reads each paragraph of a part as one text across all of its runs,
// and applies changes of that text to the runs.
package paragraph

import (
	"cmp"
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
)

// Paragraph is a w:p: one text across all of its runs, and the element of each piece of
// the text.
type Paragraph struct {
	Element *etree.Element
	Text    string
	Pieces  []Piece
	marks   []detect.Mark
	Forms   []Form
	// leads maps the offsets of tabs with a line as leader to their tab stops; nil if
	// there are none.
	leads map[int]tabstop.Stop
	cell  *detect.CellPosition
	// contents reports whether the paragraph belongs to a table of contents.
	contents bool
	// Twin is the corresponding paragraph of the text box in mc:Fallback, or nil if there
	// is none. Programs show one or the other, so both are filled.
	Twin *Paragraph
	// mirrors holds the other branches of alternatives among its runs.
	mirrors []mirror
}

// Piece is the text of one element of a paragraph: a w:t, or a w:tab, w:br, w:sym and so
// on.
type Piece struct {
	Start, End int
	Element    *etree.Element
}

// Form is a legacy form field: a range of the paragraph's text, its w:ffData, and the run
// that contains it.
type Form struct {
	Start, End int
	Data       *etree.Element
	Run        *etree.Element
}

// mirror is the other branch of an alternative among the runs of a paragraph. It has the
// same text, and is shown by programs that do not understand the first branch, so both
// are filled.
type mirror struct {
	// start and end are the range of the paragraph's text.
	start, end int
	// branch holds the pieces of the other branch, with offsets in the paragraph.
	branch *Paragraph
}

// Detectable returns the paragraphs as input for the detection of blanks.
func Detectable(paragraphs []*Paragraph) []detect.Paragraph {
	seen := make([]detect.Paragraph, len(paragraphs))
	for i, p := range paragraphs {
		seen[i] = p.seen()
	}
	return seen
}

// Take marks a range of the text as part of a field.
func (p *Paragraph) Take(start, end int) {
	p.marks = append(p.marks, detect.Mark{Start: start, End: end, Look: detect.Taken})
}

// seen returns the paragraph as input for the detection of blanks.
func (p *Paragraph) seen() detect.Paragraph {
	slices.SortStableFunc(p.marks, func(a, b detect.Mark) int { return cmp.Compare(a.Start, b.Start) })
	return detect.Paragraph{Text: p.Text, Marks: p.marks, Cell: p.cell, Contents: p.contents}
}

// FirstAt returns the index of the first piece at or after the offset.
func (p *Paragraph) FirstAt(offset int) int {
	at, _ := slices.BinarySearchFunc(p.Pieces, offset, func(c Piece, offset int) int { return c.Start - offset })
	return at
}

// ElementAt returns the element of the text at the offset. At or beyond the end of the
// text it returns the element of the paragraph.
func (p *Paragraph) ElementAt(offset int) *etree.Element {
	at := p.FirstAt(offset)
	if at > 0 && (at == len(p.Pieces) || p.Pieces[at].Start > offset) {
		at--
	}
	if at < len(p.Pieces) && p.Pieces[at].Start <= offset && offset < p.Pieces[at].End {
		return p.Pieces[at].Element
	}
	return p.Element
}

// layers returns the paragraph, and the other branches whose text includes the offset.
func (p *Paragraph) layers(offset int) []*Paragraph {
	all := []*Paragraph{p}
	for _, m := range p.mirrors {
		if m.start <= offset && offset < m.end {
			all = append(all, m.branch)
		}
	}
	return all
}

// ControlAround returns the innermost content control of the kind around the text at the
// offset, or nil if there is none. The control is not a field by its tag.
func (p *Paragraph) ControlAround(offset int, k sdt.Kind) *sdt.Control {
	for e := p.ElementAt(offset); e != nil; e = e.Parent() {
		if c, ok := sdt.Of(e, nil); ok && c.Kind == k {
			return &c
		}
	}
	return nil
}
