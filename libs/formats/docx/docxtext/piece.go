package docxtext

import "strconv"

// maxColumns bounds the columns that a cell spans. Word's tables have at most this many.
const maxColumns = 63

// piece reads an element of a run that represents text.
func (s *story) piece(e, parent *element) {
	switch e.tag {
	case "tab":
		if parent != nil && !parent.is("tabs") {
			s.say([]byte("\t"))
		}
	case "ptab":
		s.say([]byte("\t"))
	case "br", "cr":
		s.say([]byte("\n"))
	case "noBreakHyphen":
		s.say([]byte("-"))
	case "sym":
		font, _ := e.attribute("font")
		char, _ := e.attribute("char")
		s.say([]byte(symbol(font, char)))
	case "fldChar":
		s.fieldMark(e)
	}
}

// fieldMark tracks complex fields: whether their field code or their result is being
// read.
func (s *story) fieldMark(e *element) {
	kind, _ := e.attribute("fldCharType")
	n := len(s.fields)
	switch {
	case kind == "begin":
		s.fields = append(s.fields, true)
		s.coding++
	case n == 0 || kind != "separate" && kind != "end":
	default:
		if s.fields[n-1] {
			s.coding--
		}
		if s.fields[n-1] = false; kind == "end" {
			s.fields = s.fields[:n-1]
		}
	}
}

// property reads the last element if it is a property of a paragraph, run, row or cell.
func (s *story) property(open []element) {
	n := len(open)
	if n < 3 {
		return
	}
	e, parent, owner := &open[n-1], &open[n-2], &open[n-3]
	switch {
	case parent.is("pPr") && owner.is("p"):
		s.paragraphProperty(e)
	case parent.is("numPr") && owner.is("pPr") && n > 3 && open[n-4].is("p"):
		s.paragraphProperty(e)
	case parent.is("trPr") && owner.is("tr") && e.tag == "del":
		s.owner().muted = true
	case parent.is("rPr") && owner.is("r") && e.tag == "vanish":
		s.owner().hidden = e.on()
	case parent.is("tcPr") && owner.is("tc") && e.tag == "gridSpan":
		s.owner().columns = min(max(1, *number(e.val())), maxColumns)
	case parent.is("tcPr") && owner.is("tc") && e.tag == "vMerge":
		s.owner().muted = e.val() != "restart" // merged into the cell above
	}
}

// paragraphProperty reads a property of the current paragraph.
func (s *story) paragraphProperty(e *element) {
	p := s.current()
	if p == nil {
		return
	}
	switch e.tag {
	case "pStyle":
		p.style = e.val()
	case "outlineLvl":
		p.outline = number(e.val())
	case "numId":
		p.number = number(e.val())
	case "ilvl":
		p.indent = number(e.val())
	}
}

// number returns the value of s as a number, or 0 if it is not one.
func number(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil {
		n = 0
	}
	return &n
}
