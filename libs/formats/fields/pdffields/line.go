package pdffields

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// line is a line of text as detection sees it, with lines and boxes drawn into it.
type line struct {
	detect.Paragraph
	page   *page
	pieces []piece
}

// piece is a part of a line's text and its box in points. The text between pieces is white
// space.
type piece struct {
	layout.Span
	box  layout.Box
	kind pieceKind
	// size is the height of the surrounding words.
	size float64
	// widget is the form field at this place, or nil.
	widget *pdf.Field
	// onForm reports whether the piece is a word on a form field, such as its value.
	onForm bool
}

type pieceKind int

const (
	textPiece pieceKind = iota
	rulePiece
	boxPiece
)

// composer builds the lines of a file.
type composer struct {
	file    *pdf.File
	pages   []*page
	markers markers
	tags    []tag
	lines   []line
	current line
	text    strings.Builder
	// last is the word before, and height its height in points.
	last   *layout.Word
	height float64
}

// linesOf returns the lines of a file. Text that is part of a tag or a form field is marked
// as taken.
func linesOf(f *pdf.File, pages []*page, tags []tag) []line {
	c := &composer{file: f, pages: pages, tags: tags, markers: markers{before: map[int][]marker{}, after: map[int][]marker{}}}
	for _, p := range pages {
		p.markersOf(&c.markers)
	}
	c.markers.sort()
	for i := range f.Words {
		c.word(&f.Words[i])
	}
	c.flush()
	return joinWrapped(c.lines)
}

// word adds a word with the markers beside it.
func (c *composer) word(w *layout.Word) {
	if w.Page < 1 || w.Page > len(c.pages) || w.Start < 0 || w.End > len(c.file.Text) || w.Start >= w.End {
		return
	}
	p := c.pages[w.Page-1]
	if c.last != nil && (c.last.Page != w.Page || strings.Contains(c.file.Text[c.last.End:max(w.Start, c.last.End)], "\n")) {
		c.flush()
	}
	box := p.points(w.Box)
	c.height = box.Bottom - box.Top
	before := c.markers.before[w.Start]
	for _, m := range before {
		if m.kind == ownRule {
			c.flush()
		}
	}
	c.current.page = p
	c.gap(w, box)
	for _, m := range before {
		c.marker(m, true)
	}
	c.append(c.file.Text[w.Start:w.End], piece{box: box})
	c.take(w, box)
	c.last = w
	for _, m := range c.markers.after[w.Start] {
		c.marker(m, false)
	}
}

// gap adds the white space before a word: a tab if the distance is wide.
func (c *composer) gap(w *layout.Word, box layout.Box) {
	n := len(c.current.pieces)
	if n == 0 {
		return
	}
	last := c.current.pieces[n-1]
	if c.last != nil && last.kind == textPiece && c.last.End == w.Start {
		return // the words touch
	}
	if box.Left-last.box.Right > wideGap*c.height && last.kind == textPiece {
		c.text.WriteByte('\t')
		return
	}
	c.text.WriteByte(' ')
}

// append adds a piece of text.
func (c *composer) append(text string, p piece) {
	p.Start = c.text.Len()
	c.text.WriteString(text)
	p.End, p.size = c.text.Len(), c.height
	c.current.pieces = append(c.current.pieces, p)
}

// marker adds a marker, with a space after it if it is before a word.
func (c *composer) marker(m marker, before bool) {
	page := c.current.page
	if m.kind == ownRule {
		c.flush()
		c.current.page = page
		c.rule(m)
		c.flush()
		c.current.page = page
		return
	}
	if n := len(c.current.pieces); !before || n > 0 && c.current.pieces[n-1].kind != textPiece {
		c.text.WriteByte(' ')
	}
	switch m.kind {
	case tickBox:
		c.append("☐", piece{box: m.box, kind: boxPiece})
	case formPlace:
		c.append(string(detect.Object), piece{box: m.box, widget: m.widget})
		c.mark(detect.Taken)
	default:
		c.rule(m)
	}
	if before {
		c.text.WriteByte(' ')
	}
}

// rule adds a drawn line as a tab with a line across it.
func (c *composer) rule(m marker) {
	c.append("\t", piece{box: m.box, kind: rulePiece})
	c.mark(detect.Ruled)
}

// mark marks the last piece.
func (c *composer) mark(look detect.Look) {
	p := c.current.pieces[len(c.current.pieces)-1]
	c.current.Marks = append(c.current.Marks, detect.Mark{Start: p.Start, End: p.End, Look: look})
}

// take marks a word as taken if it is part of a tag or of a form field.
func (c *composer) take(w *layout.Word, box layout.Box) {
	for len(c.tags) > 0 && c.tags[0].End <= w.Start {
		c.tags = c.tags[1:]
	}
	onForm := c.current.page.onForm(box)
	c.current.pieces[len(c.current.pieces)-1].onForm = onForm
	if len(c.tags) > 0 && c.tags[0].Start < w.End || onForm {
		c.mark(detect.Taken)
	}
}

// onForm reports whether the middle of a box in points is on a form field.
func (p *page) onForm(b layout.Box) bool {
	x, y := (b.Left+b.Right)/2, (b.Top+b.Bottom)/2
	return p.forms.touch(layout.Box{Left: x, Top: y, Right: x, Bottom: y}, func(layout.Box) bool { return true })
}

// flush ends the current line.
func (c *composer) flush() {
	if n := len(c.current.pieces); n > 0 {
		if n > 1 && c.current.pieces[n-1].kind == rulePiece {
			c.text.WriteRune(detect.Object) // or the label of this blank would be that of the next line too
		}
		c.current.Text = c.text.String()
		c.lines = append(c.lines, c.current)
	}
	c.current = line{}
	c.text.Reset()
	c.last = nil
}
