package htmltext

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// reader reads the tags of a page in sequence.
type reader struct {
	// xml says whether a start tag may close its own element.
	xml bool
	// stack holds the open elements.
	stack
	out   *lines
	title strings.Builder
	// tables is the number of open tables that are read as tables.
	tables int
}

// readHTML returns the text of a page.
func readHTML(text string, xml bool) (string, error) {
	r := &reader{xml: xml, out: &lines{}, stack: stack{places: map[string][]int{}}}
	tags := html.NewTokenizer(strings.NewReader(text))
	tags.SetMaxBuf(maxPiece)
	for {
		switch kind := tags.Next(); kind {
		case html.ErrorToken:
			if err := ended(tags.Err()); err != nil {
				return "", err
			}
			r.close(0)
			return titled(r.title.String(), r.out.text.String()), nil
		case html.TextToken:
			r.write(string(tags.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t, err := readTag(tags)
			if err != nil {
				return "", err
			}
			r.start(t)
			if kind == html.SelfClosingTagToken {
				r.endAtOnce(t, tags)
			}
		case html.EndTagToken:
			name, _ := tags.TagName()
			r.end(string(name))
		}
		if len(r.open) > maxDepth {
			return "", ErrTooDeep
		}
	}
}

// ended returns the error of a page whose tokenizer ended with err, nil at its end.
func ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, html.ErrBufferExceeded):
		return ErrTooLong
	}
	return fmt.Errorf("read a page: %w", err)
}

// titled puts the title before text, unless text begins with it.
func titled(title, text string) string {
	title = strings.Join(strings.FieldsFunc(title, isSpace), " ")
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case title == "" || strings.EqualFold(title, first):
		return text
	case text == "":
		return title
	}
	return title + "\n\n" + text
}

// write adds text to the output or the title, unless it is hidden.
func (r *reader) write(text string) {
	text = unseen.Replace(text)
	switch {
	case r.hidden():
	case r.within("title"):
		r.title.WriteString(text)
	case r.within("pre"):
		r.out.keep(text)
	default:
		r.out.flow(text)
	}
}

// endAtOnce ends an element whose start tag ends in "/>". This has a meaning only in XML.
func (r *reader) endAtOnce(t tag, tags *html.Tokenizer) {
	if r.xml || r.within("svg") || r.within("math") {
		tags.NextIsNotRawText()
		r.end(t.name)
	}
}

// start handles a start tag.
func (r *reader) start(t tag) {
	r.closeImplied(t.name)
	hidden := r.hidden()
	switch {
	case t.name == "br" && !hidden:
		r.out.end()
	case t.name == "hr" && !hidden:
		r.out.separate(paragraph)
	case isVoid(t.name):
	case hidden || t.hidden():
		r.push(element{name: t.name, hidden: true})
	default:
		r.enter(t)
	}
}

// enter opens an element that is shown. It skips inline elements, whose end does not
// matter.
func (r *reader) enter(t tag) {
	e := element{name: t.name}
	switch t.name {
	case "ul", "ol", "menu":
		e.list = newList(t)
	case "li":
		r.out.separate(1)
		r.out.marker += r.list().marker(t)
	case "table":
		e.table = r.tables < maxTables
		if e.table {
			r.tables++
		}
	case "tr", "td", "th":
		if r.table() {
			r.enterTable(t.name)
			return
		}
	case "title":
		e.hidden = r.title.Len() > 0 // the first one counts
	case "math": // pushed because its tags follow the rules of XML
	default:
		if breaks(t.name) == 0 {
			return
		}
	}
	r.out.separate(r.breaks(t.name))
	r.push(e)
}

// enterTable opens a row or a cell. A cell outside a row opens one.
func (r *reader) enterTable(name string) {
	if name == "tr" || r.find([]string{"tr"}, tables) < 0 {
		r.push(element{name: "tr"})
	}
	if name != "tr" {
		r.push(element{name: name, around: r.out})
		r.out = &lines{}
	}
}

// table reports whether the innermost table is read as a table.
func (r *reader) table() bool {
	at := r.find(tables, nil)
	return at >= 0 && r.open[at].table
}

// list returns the innermost list, or a new one for an item outside any list.
func (r *reader) list() *list {
	if at := r.find(lists, nil); at >= 0 {
		return r.open[at].list
	}
	return &list{}
}

// breaks returns the number of line ends before and after an element. Lists within items
// are not separated by empty lines.
func (r *reader) breaks(name string) int {
	if slices.Contains(lists, name) && r.within("li") {
		return 1
	}
	return breaks(name)
}

// closeImplied closes the elements that a start tag closes implicitly.
func (r *reader) closeImplied(name string) {
	if i, ok := implied[name]; ok {
		for at := r.find(i.closes, i.until); at >= 0; at = r.find(i.closes, i.until) {
			r.close(at)
		}
	}
	if breaks(name) > 0 {
		if at := r.find([]string{"p"}, cells); at >= 0 {
			r.close(at)
		}
	}
}

// end handles an end tag. It ignores an end tag without an open element.
func (r *reader) end(name string) {
	until := cells
	if slices.Contains(tableParts, name) {
		until = tables
	}
	if at := r.find([]string{name}, until); at >= 0 {
		r.close(at)
	}
}

// close closes the elements from index at on, innermost first.
func (r *reader) close(at int) {
	for len(r.open) > at {
		r.leave(r.pop())
	}
}

// leave handles the end of e, which is already removed from open.
func (r *reader) leave(e element) {
	switch {
	case e.hidden:
		return
	case e.around != nil:
		cell := r.out.text.String()
		r.out = e.around
		if row := r.find([]string{"tr"}, tables); row >= 0 {
			r.open[row].cells = append(r.open[row].cells, cell)
		}
		return
	case e.name == "tr":
		writeRow(r.out, e.cells)
		return
	case e.name == "li":
		r.out.marker = ""
	case e.table:
		r.tables--
	}
	r.out.separate(r.breaks(e.name))
}
