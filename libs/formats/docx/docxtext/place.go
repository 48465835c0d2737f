package docxtext

import (
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
)

// Place is a range of the document's text, identified by its XML. A place is empty, but
// still has a position, if its element has no text (such as an empty paragraph or content
// control) or if both ends are equal.
type Place struct {
	// From is where the range begins, and To where it ends.
	From, To Point
}

// Point is a point before, between or after the characters of an element.
type Point struct {
	// Path identifies the element, like the path of a layout.Run.
	Path string
	// Offset is the number of bytes of the element's text before the point. A larger
	// offset than the text has means its end.
	Offset int
}

// Whole returns the place of all the text of an element.
func Whole(path string) Place { return Place{Point{path, 0}, Point{path, maxText}} }

// in returns the position of the point in the text, given the span of its element.
func (p Point) in(s layout.Span) int { return s.Start + min(max(0, p.Offset), s.Len()) }

// Nowhere returns the span of a place that does not exist in the text.
func Nowhere() layout.Span { return layout.Span{Start: -1, End: -1} }

// mark is the position of a wanted element in the text of a paragraph.
type mark struct{ id, start, end int }

// node is a node of the tree of the paths to wanted elements.
type node struct {
	// id is the ID of the element, or 0 if the element itself is not wanted.
	id    int
	steps map[step]*node
}

// step is a step of a path, such as "w:p[3]".
type step struct {
	shown string
	index int
}

// below returns the node of e, a child of the element that n stands for.
func (n *node) below(e *element) *node {
	if n == nil {
		return nil
	}
	return n.steps[step{e.shown, e.index}]
}

// wanted holds the elements in which places begin and end.
type wanted struct {
	parts map[string]*node
	ids   map[string]int
	// at maps the IDs of elements to their spans.
	at map[int]layout.Span
}

// newWanted returns the elements of the places.
func newWanted(places []Place) *wanted {
	w := &wanted{parts: map[string]*node{}, ids: map[string]int{}, at: map[int]layout.Span{}}
	for _, p := range places {
		w.want(p.From.Path)
		w.want(p.To.Path)
	}
	return w
}

// want adds an element.
func (w *wanted) want(path string) {
	part, steps, ok := splitPath(path)
	if !ok || w.ids[path] != 0 {
		return
	}
	n := w.parts[part]
	if n == nil {
		n = &node{steps: map[step]*node{}}
		w.parts[part] = n
	}
	for _, s := range steps {
		if n.steps[s] == nil {
			n.steps[s] = &node{steps: map[step]*node{}}
		}
		n = n.steps[s]
	}
	n.id = len(w.ids) + 1
	w.ids[path] = n.id
}

// splitPath parses "word/document.xml#/w:document[1]/w:body[1]".
func splitPath(path string) (part string, steps []step, ok bool) {
	at := strings.LastIndex(path, "#/")
	if at < 0 {
		return "", nil, false
	}
	for s := range strings.SplitSeq(path[at+2:], "/") {
		shown, rest, _ := strings.Cut(s, "[")
		index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
		if err != nil {
			return "", nil, false
		}
		steps = append(steps, step{shown, index})
	}
	return path[:at], steps, true
}

// found records the span of an element, or extends it.
func (w *wanted) found(id int, span layout.Span) {
	if known, ok := w.at[id]; ok {
		span = layout.Span{Start: min(span.Start, known.Start), End: max(span.End, known.End)}
	}
	w.at[id] = span
}

// spans returns the spans of the places in the text.
func (w *wanted) spans(text string, places []Place) []layout.Span {
	spans := make([]layout.Span, len(places))
	for i, p := range places {
		from, ok := w.at[w.ids[p.From.Path]]
		to, ok2 := w.at[w.ids[p.To.Path]]
		if !ok || !ok2 {
			spans[i] = Nowhere()
			continue
		}
		span := layout.Span{Start: p.From.in(from), End: p.To.in(to)}
		span.End = max(span.Start, span.End)
		spans[i] = withoutBreaks(text, span)
	}
	return spans
}

// withoutBreaks trims line breaks from both ends of the span. A content control has them
// around empty paragraphs.
func withoutBreaks(text string, s layout.Span) layout.Span {
	for s.Start < s.End && text[s.Start] == '\n' {
		s.Start++
	}
	for s.Start < s.End && text[s.End-1] == '\n' {
		s.End--
	}
	return s
}

// markers tracks the wanted elements while a part is read.
type markers struct {
	wanted *node
	opened []marker
	// pending holds finished elements without a paragraph. They are placed where the next
	// paragraph begins.
	pending []int
}

// marker is a wanted element that has not ended yet.
type marker struct {
	id int
	// in is the paragraph that contains the element, and from the element's offset in it.
	// If in is nil the element contains paragraphs, and first and last are the outermost
	// of them.
	in          *paragraph
	from        int
	first, last *paragraph
	// depth is how many paragraphs were open when the element began.
	depth int
}

// openMark begins a wanted element within a paragraph, which may be nil.
func (m *markers) openMark(id int, in *paragraph, depth int) {
	k := marker{id: id, in: in, depth: depth}
	if in != nil {
		k.from = len(in.text)
	}
	m.opened = append(m.opened, k)
}

// closeMark ends the innermost wanted element within a paragraph, which may be nil.
func (m *markers) closeMark(in *paragraph) {
	k := m.opened[len(m.opened)-1]
	m.opened = m.opened[:len(m.opened)-1]
	switch {
	case k.in != nil && k.in == in:
		in.marks = append(in.marks, mark{k.id, k.from, len(in.text)})
	case k.first != nil:
		k.first.marks = append(k.first.marks, mark{k.id, 0, len(k.first.text)})
		k.last.marks = append(k.last.marks, mark{k.id, 0, len(k.last.text)})
	default:
		m.pending = append(m.pending, k.id)
	}
}

// paragraphOpened places pending elements at the beginning of the paragraph.
func (m *markers) paragraphOpened(p *paragraph) {
	for _, id := range m.pending {
		p.marks = append(p.marks, mark{id: id})
	}
	m.pending = m.pending[:0]
}

// paragraphClosed adds a paragraph to the wanted elements around it. Elements around the
// anchor of a text box do not include the paragraphs of the box.
func (m *markers) paragraphClosed(p *paragraph, depth int) {
	for i := range m.opened {
		k := &m.opened[i]
		if k.in != nil || k.depth != depth {
			continue
		}
		if k.first == nil {
			k.first = p
		}
		k.last = p
	}
}
