package paragraph

import (
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// PointAt returns the point before the character at the offset.
func (p *Paragraph) PointAt(offset int, known wml.Paths) docxtext.Point {
	at := p.FirstAt(offset)
	if at > 0 && p.Pieces[at-1].End > offset {
		at--
	}
	if at == len(p.Pieces) {
		return p.PointBehind(offset, known)
	}
	c := p.Pieces[at]
	return docxtext.Point{Path: known.Of(c.Element), Offset: max(0, offset-c.Start)}
}

// PointBehind returns the point after the character before the offset.
func (p *Paragraph) PointBehind(offset int, known wml.Paths) docxtext.Point {
	at := p.FirstAt(offset) - 1
	switch {
	case at >= 0:
		c := p.Pieces[at]
		return docxtext.Point{Path: known.Of(c.Element), Offset: min(offset, c.End) - c.Start}
	case len(p.Pieces) > 0:
		return docxtext.Point{Path: known.Of(p.Pieces[0].Element)}
	}
	return docxtext.Point{Path: known.Of(p.Element)}
}
