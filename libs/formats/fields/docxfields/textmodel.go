package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/detect"
)

// paragraph is a w:p as it is read: one text over all of its runs, and which
// element every stretch of the text is in.
type paragraph struct {
	element *etree.Element
	text    string
	pieces  []piece
	marks   []detect.Mark
	forms   []formField
	// leads are the stops of the tabs that a line leads across, by the offsets of
	// the tabs; nil without any.
	leads map[int]tabStop
	cell  *detect.CellPosition
	// contents says that it belongs to a table of contents.
	contents bool
	// twin is the paragraph of the same text box in mc:Fallback, nil if there is
	// none: it is shown where this one is not, so that both are filled.
	twin *paragraph
	// mirrors are the other branches of alternatives among its runs.
	mirrors []mirror
}

// piece is a stretch of a paragraph's text that one element is: a w:t, or a
// w:tab, w:br, w:sym and the like.
type piece struct {
	start, end int
	element    *etree.Element
}

// object is the text of what is no text.
const object = string(detect.Object)

// formField is a form field of older Words: a range of the paragraph's text and
// its w:ffData.
type formField struct {
	start, end int
	data       *etree.Element
	run        *etree.Element
}

// modelReader reads the paragraphs of a part.
type modelReader struct {
	skip       func(*etree.Element) bool
	styles     *styles
	paragraphs []*paragraph
	tables     int
}

// readParagraphs returns the paragraphs below root in the order of reading. Those
// in a text box follow the one that the box is anchored in.
func readParagraphs(root *etree.Element, skip func(*etree.Element) bool, s *styles) []*paragraph {
	m := &modelReader{skip: skip, styles: s}
	m.blocks(root, nil)
	return m.paragraphs
}

// readContent returns the paragraphs of what a control shows.
func readContent(c *sdtControl, skip func(*etree.Element) bool, s *styles) []*paragraph {
	m := &modelReader{skip: skip, styles: s}
	rows := &tableReader{modelReader: m, table: 1}
	switch m.tables = 1; c.level() {
	case levelInline:
		m.paragraph(c.content, nil)
	case levelCell:
		rows.cells(c.content, false)
	case levelRow:
		rows.rows(c.content)
	default:
		m.blocks(c.content, nil)
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
			m.paragraphs = append(m.paragraphs, &paragraph{element: c, text: object, cell: cell})
		case word(c, "p"):
			m.paragraph(c, cell)
		case word(c, "tbl"):
			m.tables++
			t := &tableReader{modelReader: m, table: m.tables}
			t.rows(c)
		case isDeleted(c), word(c, "sectPr"):
		case named(c, spaceCompatibility, "AlternateContent"):
			choice, fallback := branchesOf(c)
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

// rows reads the rows below e, a w:tbl or what wraps rows in it.
func (t *tableReader) rows(e *etree.Element) {
	for _, c := range e.ChildElements() {
		switch {
		case t.skip(c), isDeleted(c):
		case word(c, "tr"):
			t.column = 0
			t.cells(c, false)
			t.row++
		default:
			t.rows(c)
		}
	}
}

// cells reads the cells below e, a w:tr or what wraps cells in it. Taken says
// that they belong to a field.
func (t *tableReader) cells(e *etree.Element, taken bool) {
	for _, c := range e.ChildElements() {
		if !word(c, "tc") {
			t.cells(c, taken || t.skip(c))
			continue
		}
		properties := child(c, "tcPr")
		position := &detect.CellPosition{
			Table: t.table, Row: t.row, Column: t.column, Width: twips(child(properties, "tcW")),
		}
		t.column += max(1, count(val(child(properties, "gridSpan"))))
		if taken || continues(child(properties, "vMerge")) {
			t.paragraphs = append(t.paragraphs, &paragraph{element: c, text: object, cell: position})
			continue
		}
		t.blocks(c, position)
	}
}

// continues reports whether a cell is covered by the one above it.
func continues(merge *etree.Element) bool { return merge != nil && val(merge) != "restart" }

// twips returns a width in twentieths of a point, 0 if it is given otherwise.
func twips(width *etree.Element) int {
	if kind, _ := attribute(width, "type"); kind != "dxa" {
		return 0
	}
	w, _ := attribute(width, "w")
	return count(w)
}

// count returns the number that s is, 0 if it is none or too large for what is
// counted here.
func count(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 100_000 {
			return 0
		}
		n = n*10 + int(r-'0')
	}
	return n
}
