package docxtext

import (
	"github.com/rectohq/recto/libs/formats/layout"
)

// paragraph is a paragraph of a part. Offsets are those of its own text.
type paragraph struct {
	text  []byte
	runs  []layout.Run
	marks []mark
	role  layout.Role
	cell  layout.Cell
	// boxes are the paragraphs of text boxes that are anchored in it.
	boxes []*paragraph
	properties
}

// properties are what a paragraph, or a style, says of paragraphs. What is nil is
// not said.
type properties struct {
	style          string
	outline        *int
	number, indent *int // w:numId and w:ilvl
}

// scope is what holds for an element and for what is in it.
type scope struct {
	// muted says that readers do not see it: no paragraph of it is read.
	muted bool
	// hidden says that its text is not seen.
	hidden bool
	// table is the innermost table, nil for none.
	table *table
	cell  layout.Cell
	box   bool
	// columns are how many a cell is wide.
	columns int
	// said is how much was read when the element began.
	said int
	// at are the wanted elements below, nil for none.
	at *node
	// opened tells that it has a mark.
	opened bool
}

// table is where the next cell of a table is.
type table struct{ number, row, column int }

// story reads the paragraphs of a part. It is a visitor.
type story struct {
	// part is the name of the part.
	part string
	spent
	// codes says that codes of fields are not told from text.
	codes  bool
	role   layout.Role
	scopes []scope
	// paragraphs are those that have ended, but for those of text boxes; open are
	// those that have not, the innermost last.
	paragraphs, open []*paragraph
	// said counts the pieces of text and the paragraphs so far.
	said int
	// fields are the complex fields that are open, the innermost last: whether
	// their code is being read.
	fields []bool
	// coding counts those whose code is.
	coding int
	// from is where the text of the current w:t begins.
	from int
	markers
}

// current returns the innermost paragraph that is open, nil for none.
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
		sc.muted = sc.muted || isText(parent) // a w:t holds characters alone
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

// begin begins the root.
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

// spoken reports whether e is a branch of an alternative of which an earlier one
// says something.
func (s *story) spoken(e, parent *element) bool {
	if parent == nil || parent.space != compatibility || parent.tag != "AlternateContent" {
		return false
	}
	return (e.tag == "Choice" || e.tag == "Fallback") && s.said != s.scopes[len(s.scopes)-2].said
}

// isText reports whether e holds text that readers see.
func isText(e *element) bool { return e.tag == "t" && (e.space == word || e.space == math) }

// structure follows tables, text boxes, and what readers do not see.
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
		here.muted = kind != "" && kind != "normal" // lines that separate notes from the text
	}
}

// owner returns the scope that a property belongs to, two elements above it: around
// the list of properties. It may be one that nobody looks at.
func (s *story) owner() *scope {
	if i := len(s.scopes) - 3; i >= 0 {
		return &s.scopes[i]
	}
	return &scope{}
}

// startParagraph begins a paragraph, if it is seen.
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

// say appends text to the paragraph, if it is seen.
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
