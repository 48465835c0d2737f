package runs

import (
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Read returns the visible text below e, at most limit characters. Lines and paragraphs
// are separated by "\n", cells by tabs.
func Read(e *etree.Element, limit int) string {
	r := textReader{left: limit}
	r.children(e)
	return strings.TrimRight(r.text.String(), "\n")
}

// textReader collects the text of elements.
type textReader struct {
	text strings.Builder
	left int
	// begun reports whether a paragraph came before, and cell whether it was in another
	// cell.
	begun, cell bool
}

// children reads what is below e.
func (r *textReader) children(e *etree.Element) {
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok && r.left > 0 {
			r.element(c)
		}
	}
}

// element reads e and what is below it.
func (r *textReader) element(e *etree.Element) {
	switch e.Tag {
	case "AlternateContent":
		if branches := e.ChildElements(); len(branches) > 0 {
			r.children(branches[0])
		}
		return
	case "tc":
		defer func() { r.cell = true }()
	case "p":
		r.separate()
	}
	if s, leaf := leafText(e); leaf {
		r.add(s)
		return
	}
	r.children(e)
	if e.Tag == "tr" {
		r.cell = false
	}
}

// separate writes the separator between two paragraphs.
func (r *textReader) separate() {
	switch {
	case !r.begun:
	case r.cell:
		r.add("\t")
	default:
		r.add("\n")
	}
	r.begun, r.cell = true, false
}

// add appends text up to the limit.
func (r *textReader) add(s string) {
	if n := utf8.RuneCountInString(s); n <= r.left {
		r.left -= n
		r.text.WriteString(s)
		return
	}
	for _, c := range s {
		if r.left == 0 {
			return
		}
		r.left--
		r.text.WriteRune(c)
	}
}

// Split finds the elements below e for which at returns true, and returns them with the
// texts before, between and after them. Each text is cut to limit characters, which does
// not affect the search.
func Split(e *etree.Element, limit int, at func(*etree.Element) bool) (found []*etree.Element, texts []string) {
	s := textSplitter{limit: limit, at: at}
	s.left = limit
	s.whole(e)
	return s.found, append(s.texts, s.text.String())
}

// textSplitter collects the texts between elements.
type textSplitter struct {
	textReader
	limit int
	at    func(*etree.Element) bool
	found []*etree.Element
	texts []string
}

// whole is like children, but continues when the text has reached its limit.
func (s *textSplitter) whole(e *etree.Element) {
	for _, token := range e.Child {
		c, ok := token.(*etree.Element)
		if !ok {
			continue
		}
		if text, leaf := leafText(c); leaf {
			s.add(text)
		} else if !s.at(c) {
			s.whole(c)
		} else {
			s.found, s.texts = append(s.found, c), append(s.texts, s.text.String())
			s.text.Reset()
			s.left = s.limit
		}
	}
}

// leafText returns the text of an element whose children are not read, and whether e is
// such an element.
func leafText(e *etree.Element) (string, bool) {
	switch e.Tag {
	case "t":
		if wml.IsElement(e) {
			return e.Text(), true
		}
	case "tab", "ptab":
		return "\t", true
	case "br", "cr":
		return "\n", true
	case "noBreakHyphen":
		return "-", true
	case "sym":
		return symbol(e), true
	case "del", "moveFrom", "delText", "instrText", "delInstrText", "rPr", "pPr", "sdtPr", "sdtEndPr", "tblPr", "tblGrid", "trPr", "tcPr",
		"drawing", "pict", "object", "softHyphen", "footnoteReference", "endnoteReference", "fldChar":
		return "", true
	}
	return "", false
}
