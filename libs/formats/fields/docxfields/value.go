package docxfields

import (
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
)

// readText returns the text that a reader sees below e: lines and paragraphs are
// separated by "\n", cells by tabs. It ends after limit characters.
func readText(e *etree.Element, limit int) string {
	r := textReader{left: limit}
	r.children(e)
	return strings.TrimRight(r.text.String(), "\n")
}

// textReader collects the text of elements.
type textReader struct {
	text strings.Builder
	left int
	// begun tells that a paragraph came before, and cell that it was in another
	// cell.
	begun, cell bool
	// enter is asked for each element whether its text counts; nil is yes.
	enter func(*etree.Element) bool
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
	if r.enter != nil && !r.enter(e) {
		return
	}
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

// separate writes what stands between two paragraphs.
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

// add adds text, as far as there is room.
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

// leafText returns the text of an element that is not looked into, and whether e
// is one.
func leafText(e *etree.Element) (string, bool) {
	switch e.Tag {
	case "t":
		if isWord(e) {
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
