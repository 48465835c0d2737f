package htmltext

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// reader reads the tags of a page one after the other.
type reader struct {
	// xml is whether an element may be closed within its start tag.
	xml bool
	// stack is what is around what is read.
	stack
	out   *lines
	title strings.Builder
	// tables counts the open ones that are read as such.
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

// ended returns the error of a page that has ended with err.
func ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, html.ErrBufferExceeded):
		return ErrTooLong
	}
	return fmt.Errorf("read a page: %w", err)
}

// titled puts the title before text, if text does not begin with it.
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

// write adds text where it stands.
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

// endAtOnce ends an element whose start tag ends in "/>", which means something in
// XML alone.
func (r *reader) endAtOnce(t tag, tags *html.Tokenizer) {
	if r.xml || r.within("svg") || r.within("math") {
		tags.NextIsNotRawText()
		r.end(t.name)
	}
}

// start reads a start tag.
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

// enter opens an element that is shown, if it matters where it ends.
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
	case "math": // in which tags are those of XML
	default:
		if breaks(t.name) == 0 {
			return
		}
	}
	r.out.separate(r.breaks(t.name))
	r.push(e)
}

// enterTable opens a row or a cell. A cell that is in no row begins one.
func (r *reader) enterTable(name string) {
	if name == "tr" || r.find([]string{"tr"}, tables) < 0 {
		r.push(element{name: "tr"})
	}
	if name != "tr" {
		r.push(element{name: name, around: r.out})
		r.out = &lines{}
	}
}

// table reports whether the innermost table is read as one.
func (r *reader) table() bool {
	at := r.find(tables, nil)
	return at >= 0 && r.open[at].table
}

// list returns the innermost list. Items may be in none.
func (r *reader) list() *list {
	if at := r.find(lists, nil); at >= 0 {
		return r.open[at].list
	}
	return &list{}
}

// breaks returns how many line ends are before and after an element. Lists within
// items belong to them.
func (r *reader) breaks(name string) int {
	if slices.Contains(lists, name) && r.within("li") {
		return 1
	}
	return breaks(name)
}

// closeImplied closes what the start of an element ends without saying so.
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

// end reads an end tag. One that ends nothing means nothing.
func (r *reader) end(name string) {
	until := cells
	if slices.Contains(tableParts, name) {
		until = tables
	}
	if at := r.find([]string{name}, until); at >= 0 {
		r.close(at)
	}
}

// close closes the elements from index at on, the innermost first.
func (r *reader) close(at int) {
	for len(r.open) > at {
		r.leave(r.pop())
	}
}

// leave does what is due at the end of e, which is no longer in open.
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
