package paragraph

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// modelReader reads the paragraphs of a part.
type modelReader struct {
	skip       func(*etree.Element) bool
	styles     *tabstop.Styles
	paragraphs []*Paragraph
	tables     int
}

// Read returns the paragraphs below root in reading order. The paragraphs of a text box
// follow the paragraph that it is anchored in.
func Read(root *etree.Element, skip func(*etree.Element) bool, s *tabstop.Styles) []*Paragraph {
	m := &modelReader{skip: skip, styles: s}
	m.blocks(root, nil)
	return m.paragraphs
}

// ReadControl returns the paragraphs in the content of a content control.
func ReadControl(c *sdt.Control, skip func(*etree.Element) bool, s *tabstop.Styles) []*Paragraph {
	m := &modelReader{skip: skip, styles: s}
	rows := &tableReader{modelReader: m, table: 1}
	switch m.tables = 1; c.Level() {
	case sdt.Inline:
		m.paragraph(c.Content, nil)
	case sdt.Cell:
		rows.cells(c.Content, false)
	case sdt.Row:
		rows.rows(c.Content)
	default:
		m.blocks(c.Content, nil)
	}
	return m.paragraphs
}

// blocks reads the paragraphs and tables below e.
func (m *modelReader) blocks(e *etree.Element, cell *detect.CellPosition) {
	for _, token := range e.Child {
		c, ok := token.(*etree.Element)
		switch {
		case !ok:
		case m.skip(c):
			m.paragraphs = append(m.paragraphs, &Paragraph{Element: c, Text: runs.Object, cell: cell})
		case wml.Is(c, "p"):
			m.paragraph(c, cell)
		case wml.Is(c, "tbl"):
			m.tables++
			t := &tableReader{modelReader: m, table: m.tables}
			t.rows(c)
		case wml.IsDeleted(c), wml.Is(c, "sectPr"):
		case wml.Named(c, wml.SpaceCompatibility, "AlternateContent"):
			choice, fallback := wml.Branches(c)
			m.pair(choice, fallback, cell)
		default:
			m.blocks(c, cell)
		}
	}
}

// tableReader reads the cells of one table.
type tableReader struct {
	*modelReader
	table, row, column int
}

// rows reads the rows below e, a w:tbl or a wrapper of rows.
func (t *tableReader) rows(e *etree.Element) {
	for _, c := range e.ChildElements() {
		switch {
		case t.skip(c), wml.IsDeleted(c):
		case wml.Is(c, "tr"):
			t.column = 0
			t.cells(c, false)
			t.row++
		default:
			t.rows(c)
		}
	}
}

// cells reads the cells below e, a w:tr or a wrapper of cells. taken means that they
// belong to a field.
func (t *tableReader) cells(e *etree.Element, taken bool) {
	for _, c := range e.ChildElements() {
		if !wml.Is(c, "tc") {
			t.cells(c, taken || t.skip(c))
			continue
		}
		properties := wml.Child(c, "tcPr")
		position := &detect.CellPosition{
			Table: t.table, Row: t.row, Column: t.column, Width: twips(wml.Child(properties, "tcW")),
		}
		t.column += max(1, wml.Count(wml.Val(wml.Child(properties, "gridSpan"))))
		if taken || continues(wml.Child(properties, "vMerge")) {
			t.paragraphs = append(t.paragraphs, &Paragraph{Element: c, Text: runs.Object, cell: position})
			continue
		}
		t.blocks(c, position)
	}
}

// continues reports whether a cell is merged into the cell above it.
func continues(merge *etree.Element) bool { return merge != nil && wml.Val(merge) != "restart" }

// twips returns a width in twentieths of a point, or 0 if it has another unit.
func twips(width *etree.Element) int {
	if kind, _ := wml.Attr(width, "type"); kind != "dxa" {
		return 0
	}
	w, _ := wml.Attr(width, "w")
	return wml.Count(w)
}
