package pdffields

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
)

// leaders are the characters of lines to write on, and minLeader is the least number of them
// that is one.
const (
	leaders   = "_.…"
	minLeader = 5
)

// leaderFrom returns the end of the line to write on that begins at an offset of a text. It is
// that offset if there is none.
func leaderFrom(text string, start int) int {
	r, size := utf8.DecodeRuneInString(text[start:])
	if !strings.ContainsRune(leaders, r) {
		return start
	}
	end := start
	for strings.HasPrefix(text[end:], text[start:start+size]) {
		end += size
	}
	if (end-start)/size < minLeader {
		return start
	}
	return end
}

// ruler measures parts of a word that contains lines to write on. Their characters differ so
// much from letters in their widths that the usual width of letters on the page is needed.
type ruler struct {
	letter, leader float64 // in points
}

// rulerFor returns the ruler for a word. It reports false if there is no line in the word, or
// nothing else.
func (p *page) rulerFor(word string, b layout.Box) (ruler, bool) {
	rest, count := plainExtent(word)
	width := b.Right - b.Left
	letter := p.letter * (b.Bottom - b.Top)
	if count == 0 || rest == 0 || letter == 0 || rest*letter >= width {
		return ruler{}, false
	}
	return ruler{letter, (width - rest*letter) / float64(count)}, true
}

// plainExtent returns the extent of a text without its lines to write on, and the number of
// their characters.
func plainExtent(text string) (rest float64, count int) {
	for at := 0; at < len(text); {
		if end := leaderFrom(text, at); end > at {
			count += utf8.RuneCountInString(text[at:end])
			at = end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		rest += extent(text[at : at+size])
		at += size
	}
	return rest, count
}

// measure returns the width of a text in points.
func (r ruler) measure(text string) float64 {
	rest, count := plainExtent(text)
	return rest*r.letter + float64(count)*r.leader
}

// partOf returns the box of the part of a piece that is in the span.
func (l *line) partOf(p piece, s layout.Span) layout.Box {
	from, to := max(s.Start, p.Start), min(s.End, p.End)
	r, ok := l.page.rulerFor(l.Text[p.Start:p.End], p.box)
	if !ok {
		return part(l.Text, layout.Word{Span: p.Span, Box: p.box}, s)
	}
	b := p.box
	b.Left, b.Right = p.box.Left+r.measure(l.Text[p.Start:from]), p.box.Right-r.measure(l.Text[to:p.End])
	if from > p.Start && leaderFrom(l.Text[:to], from) > from { // after its label
		b.Left = min(b.Left+p.size/8, b.Right)
	}
	return b
}

// overprints reports whether a value would run through what is printed in a blank: through
// dots, or what separates the parts of a date or a number. A value can stand on underscores.
func (l *line) overprints(b detect.Blank) bool {
	return b.Kind == detect.Line && strings.Trim(l.Text[b.Start:b.End], "_ \t\u00a0") != ""
}

// usualLetter returns the average width of the letters of words, as a multiple of the height of
// their font and of their extent. It is 0 if there are none.
func (p *page) usualLetter() float64 {
	width, extents := 0.0, 0.0
	for _, w := range p.words {
		if w.Start < 0 || w.End > len(p.text) || w.Start >= w.End {
			continue
		}
		text := p.text[w.Start:w.End]
		if strings.ContainsAny(text, leaders) {
			continue
		}
		b := p.points(w.Box)
		width, extents = width+b.Right-b.Left, extents+extent(text)*(b.Bottom-b.Top)
	}
	if extents == 0 {
		return 0
	}
	return width / extents
}
