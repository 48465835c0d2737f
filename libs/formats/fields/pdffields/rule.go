package pdffields

import (
	"math"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
)

// addRule adds a line to write on, if it is one: text beside it, below it or above it says
// what to write, and no text stands on it.
func (s *survey) addRule(d drawing) {
	box, stands, ok := s.free(d)
	if !ok {
		return
	}
	left, right := s.beside(box, d.Top)
	switch {
	case stands.Start >= 0:
		s.markers.place(s.markers.after, stands.Word, marker{box: box, kind: inlineRule})
	case left.Start >= 0 && box.Left-left.b.Right < s.reach(left):
		s.markers.place(s.markers.after, left.Word, marker{box: box, kind: inlineRule})
	case s.addHanging(box):
	case d.width() > widest:
	case s.addCaptioned(box), s.separates(box):
	case right.Start >= 0 && right.b.Left-box.Right < 1.2*right.height():
		s.markers.place(s.markers.before, right.Word, marker{box: box, kind: inlineRule})
	default:
		s.addAsked(box)
	}
}

// reach returns how far a line may be from the text before it: a label with a colon may be
// far away, as in a form with columns.
func (s *survey) reach(w word) float64 {
	if s.ends(w, ":") {
		return 8 * w.height()
	}
	return 1.2 * w.height()
}

// free returns the part of a line that no text stands on. Text may stand on its beginning
// if it is a label with a colon, which is returned; otherwise the label's Start is -1. It
// reports false if no part is free, or if the line is signed.
func (s *survey) free(d drawing) (box layout.Box, label word, ok bool) {
	box, label.Start = d.Box, -1
	for _, w := range s.around(d.Top-2*usualRow, d.Bottom, d.Left, d.Right) {
		if w.b.Right < d.Left+1.5 || w.b.Left > d.Right-1.5 || w.b.Top+0.4*w.height() > d.Top {
			continue
		}
		if s.text[w.Start:w.End] == "/s/" { // signed already
			return box, label, false
		}
		if d.Top-w.b.Bottom > 0.45*w.height() {
			continue
		}
		if label.Start < 0 || w.b.Right > label.b.Right {
			label = w
		}
	}
	if label.Start < 0 {
		return box, label, true
	}
	box.Left = label.b.Right + 2
	return box, label, s.ends(label, ":") && box.Right-box.Left >= 2*leastRule
}

// addHanging adds a line whose label, with a colon, is a little below its left end.
func (s *survey) addHanging(box layout.Box) bool {
	left, _ := s.beside(box, box.Bottom+0.75*usualRow)
	if left.Start < 0 || !s.ends(left, ":") || box.Left-left.b.Right > s.reach(left) || s.lined(left) {
		return false
	}
	for _, w := range s.around(left.b.Top, left.b.Bottom, box.Left, box.Right) {
		if w.b.Right > box.Left && w.b.Left < box.Right { // the label has its value
			return false
		}
	}
	s.markers.place(s.markers.after, left.Word, marker{box: box, kind: inlineRule})
	return true
}

// addCaptioned adds a line above its caption: a text right below that is not much wider,
// and does not stand on a line itself, as the text of a table does.
func (s *survey) addCaptioned(box layout.Box) bool {
	row := s.below(box)
	if len(row) == 0 {
		return false
	}
	slack := (box.Right - box.Left) / 4
	first, last := row[0], row[len(row)-1]
	if first.b.Left < box.Left-2*slack || last.b.Right > box.Right+slack || s.underlined(first.b.Union(last.b), box) {
		return false
	}
	if s.ends(last, ":") { // a label, to which the line belongs unless it has its own
		if s.lined(last) {
			return false
		}
		s.markers.place(s.markers.after, last.Word, marker{box: box, kind: inlineRule})
		return true
	}
	s.markers.place(s.markers.before, first.Word, marker{box: box, kind: ownRule})
	return true
}

// lined reports whether a label has a line beside it.
func (s *survey) lined(label word) bool {
	h := label.height()
	return s.lines.touch(layout.Box{Left: label.b.Right, Top: label.b.Top + 0.5*h, Right: label.b.Right + s.reach(label), Bottom: label.b.Bottom + 0.4*h},
		func(l layout.Box) bool { return l.Left >= label.b.Right-touching })
}

// below returns the words of the row right below a line.
func (s *survey) below(box layout.Box) []word {
	row := s.row(box, box.Bottom, box.Bottom+1.8*usualRow)
	if len(row) == 0 || row[0].b.Top-box.Bottom > 1.2*row[0].height() {
		return nil
	}
	return row
}

// underlined reports whether another line as long as the one above a text is right below it.
func (s *survey) underlined(text, above layout.Box) bool {
	h := text.Bottom - text.Top
	foot := layout.Box{Left: text.Left, Top: text.Bottom - 0.3*h, Right: text.Right, Bottom: text.Bottom + 0.6*h}
	return s.lines.touch(foot, func(l layout.Box) bool {
		return l.Bottom > above.Bottom+h/2 && l.Right-l.Left > 0.7*(above.Right-above.Left)
	})
}

// separates reports whether a line separates a text right below it, such as a footnote,
// from the rest of the page.
func (s *survey) separates(box layout.Box) bool {
	row := s.below(box)
	return len(row) > 0 && row[len(row)-1].b.Right > box.Right
}

// ends reports whether a word ends with one of the characters.
func (s *survey) ends(w word, characters string) bool {
	return strings.ContainsAny(s.text[w.End-1:w.End], characters)
}

// addAsked adds a line below a question or a label with a colon.
func (s *survey) addAsked(box layout.Box) {
	wide := box
	wide.Left -= 3 * usualRow
	row := s.row(wide, box.Top-3.2*usualRow, box.Top-0.2*usualRow)
	if len(row) == 0 {
		return
	}
	last := row[len(row)-1]
	if s.ends(last, ":?") && math.Abs(row[0].b.Left-box.Left) < 3*usualRow {
		s.markers.place(s.markers.after, last.Word, marker{box: box, kind: inlineRule})
	}
}
