// Package paragraph reads the paragraphs of a part as texts over all of their runs,
// and changes ranges of these texts in the runs that they stand in.
package paragraph

import (
	"cmp"
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
)

// Paragraph is a w:p as it is read: one text over all of its runs, and which
// element every stretch of the text is in.
type Paragraph struct {
	Element *etree.Element
	Text    string
	Pieces  []Piece
	marks   []detect.Mark
	Forms   []Form
	// leads are the stops of the tabs that a line leads across, by the offsets of
	// the tabs; nil without any.
	leads map[int]tabstop.Stop
	cell  *detect.CellPosition
	// contents says that it belongs to a table of contents.
	contents bool
	// Twin is the paragraph of the same text box in mc:Fallback, nil if there is
	// none: it is shown where this one is not, so that both are filled.
	Twin *Paragraph
	// mirrors are the other branches of alternatives among its runs.
	mirrors []mirror
}

// Piece is a stretch of a paragraph's text that one element is: a w:t, or a
// w:tab, w:br, w:sym and the like.
type Piece struct {
	Start, End int
	Element    *etree.Element
}

// Form is a form field of older Words: a range of the paragraph's text, its
// w:ffData, and the run that this is in.
type Form struct {
	Start, End int
	Data       *etree.Element
	Run        *etree.Element
}

// mirror is the other branch of an alternative among the runs of a paragraph: it
// has the same text, which is shown where the first branch is not understood, so
// that both are filled.
type mirror struct {
	// start and end are the range of the paragraph's text.
	start, end int
	// branch has the pieces of the other branch, at the offsets of the paragraph.
	branch *Paragraph
}

// Detectable returns the paragraphs as blanks are looked for in them.
func Detectable(paragraphs []*Paragraph) []detect.Paragraph {
	seen := make([]detect.Paragraph, len(paragraphs))
	for i, p := range paragraphs {
		seen[i] = p.seen()
	}
	return seen
}

// Take marks a range of the text as belonging to a field.
func (p *Paragraph) Take(start, end int) {
	p.marks = append(p.marks, detect.Mark{Start: start, End: end, Look: detect.Taken})
}

// seen returns the paragraph as blanks are looked for in it.
func (p *Paragraph) seen() detect.Paragraph {
	slices.SortStableFunc(p.marks, func(a, b detect.Mark) int { return cmp.Compare(a.Start, b.Start) })
	return detect.Paragraph{Text: p.Text, Marks: p.marks, Cell: p.cell, Contents: p.contents}
}

// FirstAt returns the index of the first piece at or behind the offset.
func (p *Paragraph) FirstAt(offset int) int {
	at, _ := slices.BinarySearchFunc(p.Pieces, offset, func(c Piece, offset int) int { return c.Start - offset })
	return at
}

// ElementAt returns the element that the text has at the offset, and that of the
// paragraph behind its end.
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

// layers returns the paragraph, and the other branches that have the offset in
// their text.
func (p *Paragraph) layers(offset int) []*Paragraph {
	all := []*Paragraph{p}
	for _, m := range p.mirrors {
		if m.start <= offset && offset < m.end {
			all = append(all, m.branch)
		}
	}
	return all
}

// ControlAround returns the control of the kind that shows the text at the offset,
// nil if none does: one that is no field by its tag.
func (p *Paragraph) ControlAround(offset int, k sdt.Kind) *sdt.Control {
	for e := p.ElementAt(offset); e != nil; e = e.Parent() {
		if c, ok := sdt.Of(e, nil); ok && c.Kind == k {
			return &c
		}
	}
	return nil
}
