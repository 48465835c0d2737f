package pdffields

import (
	"math"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// marker is something without text that belongs in the text: a line to write on, a box to
// tick, or a form field.
type marker struct {
	box  layout.Box // in points
	kind markerKind
	// widget is the form field of a formPlace.
	widget *pdf.Field
}

type markerKind int

const (
	inlineRule markerKind = iota
	ownRule               // a line in a paragraph of its own
	tickBox
	formPlace
)

// markers are the markers before and after words, by the offsets of the words in the text.
type markers struct{ before, after map[int][]marker }

// place adds a marker beside a word.
func (m *markers) place(at map[int][]marker, w layout.Word, k marker) {
	at[w.Start] = append(at[w.Start], k)
}

// sort brings the markers of each word into reading order.
func (m *markers) sort() {
	for _, side := range []map[int][]marker{m.before, m.after} {
		for _, all := range side {
			slices.SortStableFunc(all, func(a, b marker) int { return compare(a.box.Left, b.box.Left) })
		}
	}
}

// survey is the search for markers on a page.
type survey struct {
	*page
	drawings
	markers *markers
}

// markersOf finds the markers of a page and adds them to m.
func (p *page) markersOf(m *markers) {
	s := &survey{page: p, drawings: p.drawn, markers: m}
	for i := range p.widgets {
		s.addWidget(&p.widgets[i])
	}
	for _, b := range s.squares {
		if !s.onWidget(b) {
			s.addSquare(b)
		}
	}
	for _, l := range s.horizontal {
		if !s.onWidget(l) && !s.crossed(l) {
			s.addRule(l)
		}
	}
	s.addCells()
}

// onWidget reports whether a drawing is the frame or the line of a form field.
func (s *survey) onWidget(d drawing) bool {
	return s.forms.touch(grown(d.Box, 2*touching), func(w layout.Box) bool { return d.Left < w.Right-1 && d.Right > w.Left+1 })
}

// word is a word with its box in points.
type word struct {
	layout.Word
	b layout.Box
}

func (w word) height() float64 { return w.b.Bottom - w.b.Top }

// around returns words whose vertical middle is between two heights and that may touch the
// range from left to right, in points.
func (s *survey) around(top, bottom, left, right float64) (all []word) {
	s.bands.near(top/s.page.height, bottom/s.page.height, left/s.page.width, right/s.page.width, func(w layout.Word) {
		all = append(all, word{w, s.points(w.Box)})
	})
	return all
}

// usualRow is the assumed distance of lines of text, in points.
const usualRow = 14.0

// beside returns the nearest words to the left and to the right of a box, in the row with
// the baseline y. Their Start is -1 if there are none.
func (s *survey) beside(b layout.Box, y float64) (left, right word) {
	left.Start, right.Start = -1, -1
	for _, w := range s.around(y-2*usualRow, y+usualRow, b.Left, b.Right) {
		if y < w.b.Top+0.4*w.height() || y > w.b.Bottom+0.4*w.height() {
			continue
		}
		if w.b.Right <= b.Left+touching && (left.Start < 0 || w.b.Right > left.b.Right) {
			left = w
		}
		if w.b.Left >= b.Right-touching && (right.Start < 0 || w.b.Left < right.b.Left) {
			right = w
		}
	}
	return left, right
}

// addWidget adds a form field to the text, so that its label is found beside it, and no blank
// in its place.
func (s *survey) addWidget(w *pdf.Field) {
	b := s.points(w.Box)
	left, right := s.beside(b, s.baseline(w, b))
	switch k := (marker{b, formPlace, w}); {
	case left.Start >= 0:
		s.markers.place(s.markers.after, left.Word, k)
	case right.Start >= 0:
		s.markers.place(s.markers.before, right.Word, k)
	}
}

// baseline returns the baseline of the text beside a form field: that of its middle. The
// label of a field for several lines may stand beside its first line instead.
func (s *survey) baseline(w *pdf.Field, b layout.Box) float64 {
	middle := (b.Top+b.Bottom)/2 + 2
	if b.Bottom-b.Top < 2*usualRow || s.textAbove(w) != "" {
		return middle
	}
	if left, _ := s.beside(b, middle); left.Start >= 0 && !s.onForm(left.b) {
		return middle
	}
	for y := b.Top + usualRow/2; y < min(b.Top+2*usualRow, middle); y += usualRow / 4 {
		if left, _ := s.beside(b, y); left.Start >= 0 && b.Left-left.b.Right < farLabel*left.height() {
			return y
		}
	}
	return middle
}

// addSquare adds a box to tick: an empty square with text right beside it.
func (s *survey) addSquare(d drawing) {
	middle := (d.Top + d.Bottom) / 2
	for _, w := range s.around(d.Top, d.Bottom, d.Left, d.Right) {
		if x := (w.b.Left + w.b.Right) / 2; d.Left < x && x < d.Right {
			return
		}
	}
	left, right := s.beside(d.Box, middle+2)
	switch k := (marker{box: d.Box, kind: tickBox}); {
	case right.Start >= 0 && right.b.Left-d.Right < 1.6*right.height():
		s.markers.place(s.markers.before, right.Word, k)
	case left.Start >= 0 && d.Left-left.b.Right < left.height():
		s.markers.place(s.markers.after, left.Word, k)
	}
}

// row returns the words of the row nearest to a box among those whose middle is between two
// heights: the words that overlap the box, and those that follow them without a gap.
func (s *survey) row(box layout.Box, top, bottom float64) []word {
	all := s.around(top, bottom, box.Left, box.Right)
	nearest, distance := -1, math.Inf(1)
	for i, w := range all {
		gap := max(w.b.Top-box.Bottom, box.Top-w.b.Bottom)
		if w.b.Right > box.Left && w.b.Left < box.Right && gap < distance {
			nearest, distance = i, gap
		}
	}
	if nearest < 0 {
		return nil
	}
	base := all[nearest]
	all = slices.DeleteFunc(all, func(w word) bool { return math.Abs(w.b.Bottom-base.b.Bottom) > base.height()/2 })
	slices.SortFunc(all, func(a, b word) int { return compare(a.b.Left, b.b.Left) })
	at := slices.IndexFunc(all, func(w word) bool { return w.Start == base.Start })
	from, to := at, at+1
	for from > 0 && all[from].b.Left-all[from-1].b.Right < wideGap*base.height() {
		from--
	}
	for to < len(all) && all[to].b.Left-all[to-1].b.Right < wideGap*base.height() {
		to++
	}
	return all[from:to]
}

// wideGap is the distance of words that do not belong together, as a multiple of their
// height.
const wideGap = 1.8
