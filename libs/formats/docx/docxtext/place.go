package docxtext

import (
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
)

// Place is a stretch of what a document says, told by its XML: where it begins and
// where it ends. Where an element has no text, as an empty paragraph or control
// has none, or where both ends are one, the place is empty but still somewhere.
type Place struct {
	// From is where it begins, and To where it ends.
	From, To Point
}

// Point is a point before or behind the characters of an element.
type Point struct {
	// Path leads to the element, as that of a layout.Run does.
	Path string
	// Offset is how many bytes of its text come before the point. What is more than
	// the element has is behind all of it.
	Offset int
}

// Whole returns the place of all that an element says.
func Whole(path string) Place { return Place{Point{path, 0}, Point{path, maxText}} }

// in returns the point where the element is at the span.
func (p Point) in(s layout.Span) int { return s.Start + min(max(0, p.Offset), s.Len()) }

// Nowhere is the span of a place that the text does not have.
func Nowhere() layout.Span { return layout.Span{Start: -1, End: -1} }

// mark says where a wanted element is in the text of a paragraph.
type mark struct{ id, start, end int }

// node is a step of the paths to wanted elements.
type node struct {
	// id is that of the element, 0 if it is not wanted itself.
	id    int
	steps map[step]*node
}

// step is a step of a path, as "w:p[3]".
type step struct {
	shown string
	index int
}

// below returns the node of e, a child of the element that n is of.
func (n *node) below(e *element) *node {
	if n == nil {
		return nil
	}
	return n.steps[step{e.shown, e.index}]
}

// wanted are the elements that places begin and end in.
type wanted struct {
	parts map[string]*node
	ids   map[string]int
	// at are where they are, by their ids.
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

// found notes where an element is, or where more of it is.
func (w *wanted) found(id int, span layout.Span) {
	if known, ok := w.at[id]; ok {
		span = layout.Span{Start: min(span.Start, known.Start), End: max(span.End, known.End)}
	}
	w.at[id] = span
}

// spans returns where the places are in the text.
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

// withoutBreaks returns the span without the ends of lines at its own ends, as a
// control has them around empty paragraphs.
func withoutBreaks(text string, s layout.Span) layout.Span {
	for s.Start < s.End && text[s.Start] == '\n' {
		s.Start++
	}
	for s.Start < s.End && text[s.End-1] == '\n' {
		s.End--
	}
	return s
}

// markers follows the wanted elements of a part while it is read.
type markers struct {
	wanted *node
	opened []marker
	// pending are those without a paragraph: they are where the next one begins.
	pending []int
}

// marker is a wanted element whose end was not read yet.
type marker struct {
	id int
	// in is the paragraph that it is in, and from where it begins there; nil if
	// paragraphs are in it, of which these are the first and the last.
	in          *paragraph
	from        int
	first, last *paragraph
	// depth is how many paragraphs were open when it began.
	depth int
}

// openMark begins a wanted element in the paragraph, which may be nil.
func (m *markers) openMark(id int, in *paragraph, depth int) {
	k := marker{id: id, in: in, depth: depth}
	if in != nil {
		k.from = len(in.text)
	}
	m.opened = append(m.opened, k)
}

// closeMark ends the last wanted element, in the paragraph.
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

// paragraphOpened puts what is pending where the paragraph begins.
func (m *markers) paragraphOpened(p *paragraph) {
	for _, id := range m.pending {
		p.marks = append(p.marks, mark{id: id})
	}
	m.pending = m.pending[:0]
}

// paragraphClosed adds a paragraph to the elements around it; those around the one
// that a text box is anchored in do not get those of the box.
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
