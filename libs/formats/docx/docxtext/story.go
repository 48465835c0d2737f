package docxtext

import (
	"github.com/rectohq/recto/libs/formats/layout"
)

// paragraph is a paragraph of a part. Offsets are relative to its own text.
type paragraph struct {
	text  []byte
	runs  []layout.Run
	marks []mark
	role  layout.Role
	cell  layout.Cell
	// boxes holds the paragraphs of text boxes anchored in it.
	boxes []*paragraph
	properties
}

// properties are the properties that a paragraph or a style sets. nil means not set.
type properties struct {
	style          string
	outline        *int
	number, indent *int // w:numId and w:ilvl
}

// scope is the state that applies to an element and its content.
type scope struct {
	// muted means that readers do not see the element. Its paragraphs are not read.
	muted bool
	// hidden means that its text is not visible.
	hidden bool
	// table is the innermost table, or nil outside of tables.
	table *table
	cell  layout.Cell
	box   bool
	// columns is the number of columns that a cell spans.
	columns int
	// said is the value of story.said when the element began.
	said int
	// at is the element's node in the tree of wanted elements, or nil.
	at *node
	// opened reports whether the element has a marker.
	opened bool
}

// table is the position of a table's next cell.
type table struct{ number, row, column int }

// story reads the paragraphs of a part. It is a visitor.
type story struct {
	// part is the name of the part.
	part string
	spent
	// codes reports whether field codes are read as text.
	codes  bool
	role   layout.Role
	scopes []scope
	// paragraphs holds the finished paragraphs, except those of text boxes. open holds
	// the unfinished ones, the innermost last.
	paragraphs, open []*paragraph
	// said counts the pieces of text and the paragraphs so far.
	said int
	// fields holds the open complex fields, the innermost last. An element is true while
	// the field's code is being read.
	fields []bool
	// coding counts the open fields whose code is being read.
	coding int
	// from is where the text of the current w:t begins.
	from int
	markers
}

// current returns the innermost open paragraph, or nil if there is none.
func (s *story) current() *paragraph {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

// start begins an element.
func (s *story) start(open []element) error {
	e := &open[len(open)-1]
	sc := scope{columns: 1}
	var parent *element
	if n := len(s.scopes); n > 0 {
		up := s.scopes[n-1]
		sc.muted, sc.hidden, sc.table, sc.cell, sc.box = up.muted, up.hidden, up.table, up.cell, up.box
		sc.at = up.at.below(e)
		parent = &open[n-1]
		sc.muted = sc.muted || isText(parent) // elements within a w:t are not text
	} else {
		s.begin(e, &sc)
	}
	sc.said = s.said
	s.scopes = append(s.scopes, sc)
	here := &s.scopes[len(s.scopes)-1]
	switch {
	case e.space == compatibility:
		here.muted = here.muted || s.spoken(e, parent)
	case e.is("p"):
		s.startParagraph(here)
	case e.space == word && !here.muted:
		s.structure(e, parent, here)
		s.property(open)
	}
	if here.at != nil && here.at.id != 0 {
		here.opened = true
		s.openMark(here.at.id, s.current(), len(s.open))
	}
	switch {
	case here.muted:
	case isText(e) && s.current() != nil:
		s.from = len(s.current().text)
	case e.space == word:
		s.piece(e, parent)
	}
	return s.bounded()
}

// begin handles the root element.
func (s *story) begin(e *element, sc *scope) {
	switch e.tag {
	case "hdr":
		s.role = layout.Header
	case "ftr":
		s.role = layout.Footer
	case "footnotes", "endnotes":
		s.role = layout.Note
	}
	sc.at = s.wanted.below(e)
}

// spoken reports whether e is a branch of an mc:AlternateContent with an earlier branch
// that has content.
func (s *story) spoken(e, parent *element) bool {
	if parent == nil || parent.space != compatibility || parent.tag != "AlternateContent" {
		return false
	}
	return (e.tag == "Choice" || e.tag == "Fallback") && s.said != s.scopes[len(s.scopes)-2].said
}

// isText reports whether e holds visible text.
func isText(e *element) bool { return e.tag == "t" && (e.space == word || e.space == math) }

// structure tracks tables, text boxes, and content that readers do not see.
func (s *story) structure(e, parent *element, here *scope) {
	switch e.tag {
	case "tbl":
		s.tables++
		here.table = &table{number: s.tables}
	case "tr":
		if here.table != nil {
			here.table.column = 0
		}
	case "tc":
		if t := here.table; t != nil {
			here.cell = layout.Cell{Table: t.number, Row: t.row, Column: t.column}
		}
	case "txbxContent":
		here.box, here.cell, here.table = true, layout.Cell{}, nil
	case "moveFrom", "del":
		here.muted = true
	case "rt":
		here.muted = parent != nil && parent.is("ruby")
	case "footnote", "endnote":
		kind, _ := e.attribute("type")
		here.muted = kind != "" && kind != "normal" // separators between notes and text
	}
}

// owner returns the scope that a property applies to: that of the element around the
// property list, two levels up. If there is none, it returns a scope that is never used.
func (s *story) owner() *scope {
	if i := len(s.scopes) - 3; i >= 0 {
		return &s.scopes[i]
	}
	return &scope{}
}

// startParagraph begins a paragraph, unless it is muted.
func (s *story) startParagraph(here *scope) {
	if here.muted {
		return
	}
	p := &paragraph{role: s.role, cell: here.cell}
	if here.box {
		p.role = layout.TextBox
	}
	s.said++
	s.spent.paragraphs++
	s.open = append(s.open, p)
	s.paragraphOpened(p)
	here.hidden = false
}

// endParagraph ends the innermost paragraph.
func (s *story) endParagraph() {
	n := len(s.open) - 1
	p := s.open[n]
	s.open = s.open[:n]
	s.paragraphClosed(p, n)
	if n > 0 {
		s.open[n-1].boxes = append(s.open[n-1].boxes, p)
		return
	}
	s.paragraphs = append(s.paragraphs, p)
}

// characters reads the text of a w:t.
func (s *story) characters(open []element, data []byte) {
	if isText(&open[len(open)-1]) {
		s.say(data)
	}
}

// say appends text to the current paragraph if the text is visible.
func (s *story) say(text []byte) {
	p, here := s.current(), s.scopes[len(s.scopes)-1]
	if p == nil || here.muted || here.hidden || len(text) == 0 || s.coding > 0 && !s.codes {
		return
	}
	s.said++
	s.text += len(text)
	p.text = append(p.text, text...)
}

// end ends an element.
func (s *story) end(open []element) {
	e := &open[len(open)-1]
	here := s.scopes[len(s.scopes)-1]
	if p := s.current(); isText(e) && !here.muted && p != nil && len(p.text) > s.from {
		path := s.part + "#" + pathOf(open)
		s.paths += len(path)
		p.runs = append(p.runs, layout.Run{Span: layout.Span{Start: s.from, End: len(p.text)}, Path: path})
	}
	if here.opened {
		s.closeMark(s.current())
	}
	switch {
	case here.muted && !e.is("tc"):
	case e.is("p"):
		s.endParagraph()
	case e.is("tr") && here.table != nil:
		here.table.row++
	case e.is("tc") && here.table != nil:
		here.table.column += here.columns
	}
	s.scopes = s.scopes[:len(s.scopes)-1]
}
