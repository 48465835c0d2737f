package structure

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for joining lines by their positions, as fractions of the page or multiples of the
// line spacing.
const (
	// edgeZone is the height of the zones for headers and footers.
	edgeZone = 0.13
	// edgeLines is the maximum number of lines in each of these zones.
	edgeLines = 4
	// wideLeading is the distance to the next line, relative to the usual one, that ends a
	// paragraph.
	wideLeading = 1.4
	// indented is the minimum difference in indent of a new paragraph.
	indented = 0.015
	// spacedShare is a denominator: if more than 1/spacedShare of the distances between
	// lines are wide, the document separates its paragraphs by distance.
	spacedShare = 10
	// ragged is how far lines may end before the edge of the text, in addition to the word
	// that did not fit.
	ragged = 0.03
	// offCentre is the maximum distance of a centred line from the middle.
	offCentre = 0.02
	// otherSize is the ratio of letter heights that ends a paragraph.
	otherSize = 1.3
)

// pageLines returns the lines of a document with pages, with their positions.
func pageLines(d *layout.Document) []line {
	lines := linesOf(d.Text)
	words := d.Words
	page := 1
	for i := range lines {
		l := &lines[i]
		for len(words) > 0 && words[0].End <= l.Start {
			words = words[1:]
		}
		l.page = page
		for n := 0; n < len(words) && words[n].Start < l.End; n++ {
			w := words[n]
			size := pageSize(d, w.Page)
			if n == 0 {
				l.page, page = w.Page, w.Page
				l.first = (w.Box.Right - w.Box.Left) * size.Width
			}
			l.box = l.box.Union(layout.Box{
				Left: w.Box.Left * size.Width, Top: w.Box.Top * size.Height,
				Right: w.Box.Right * size.Width, Bottom: w.Box.Bottom * size.Height,
			})
		}
		l.indent, l.width = l.box.Left, l.box.Right
	}
	markEdges(d, lines)
	return lines
}

// pageSize returns a page, or one of US letter size if it is missing or has no size.
func pageSize(d *layout.Document, n int) layout.Page {
	if n < 1 || n > len(d.Pages) || d.Pages[n-1].Width <= 0 || d.Pages[n-1].Height <= 0 {
		return layout.Page{Width: 612, Height: 792}
	}
	return d.Pages[n-1]
}

// byPage calls do with the lines of each page.
func byPage(lines []line, do func(page int, lines []line)) {
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].page == lines[0].page {
			n++
		}
		do(lines[0].page, lines[:n])
		lines = lines[n:]
	}
}

// markEdges marks the lines at the top and bottom of pages that are not part of the text:
// page numbers, and repeated lines.
func markEdges(d *layout.Document, lines []line) {
	counts := lineCounts{map[string]int{}, map[string]int{}}
	byPage(lines, func(page int, ls []line) {
		seen := map[string]bool{}
		edges(d, page, ls, func(l *line) bool {
			t := d.Text[l.Start:l.End]
			if key := marginKey(t); !seen[key] {
				seen[key] = true
				counts.add(t)
			}
			return true
		})
	})
	byPage(lines, func(page int, ls []line) {
		edges(d, page, ls, func(l *line) bool {
			t := d.Text[l.Start:l.End]
			numbered := strings.ContainsFunc(t, unicode.IsDigit) && pageNumber.MatchString(t)
			l.margin = l.margin || numbered || counts.repeated(t) || filing.MatchString(t)
			return l.margin
		})
	})
	markNumbers(d.Text, lines)
	markRepeated(d.Text, lines, func(int) bool { return true })
}

// edges calls do with the lines at the top and bottom of a page, from the outermost inward,
// until it returns false.
func edges(d *layout.Document, page int, ls []line, do func(*line) bool) {
	height := pageSize(d, page).Height
	order := make([]int, len(ls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmpFloat(ls[a].box.Top, ls[b].box.Top) })
	for n, i := range order {
		if n >= edgeLines || ls[i].box.Bottom > edgeZone*height || !do(&ls[i]) {
			break
		}
	}
	for n, i := range slices.Backward(order) {
		if len(order)-n > edgeLines || ls[i].box.Top < (1-edgeZone)*height || !do(&ls[i]) {
			break
		}
	}
}

// cmpFloat compares numbers. NaN comes before all others.
func cmpFloat(a, b float64) int {
	switch {
	case a < b || math.IsNaN(a) && !math.IsNaN(b):
		return -1
	case a > b || math.IsNaN(b) && !math.IsNaN(a):
		return 1
	}
	return 0
}

// pageJoiner joins lines by their positions.
type pageJoiner struct {
	d *layout.Document
	// frames holds the frame of the text of each page.
	frames map[int]frame
	// spaced says that the document separates paragraphs by distance.
	spaced bool
}

// frame holds the left and right edge of the text of a page and its line spacing, in
// points.
type frame struct {
	left, right, leading float64
	// wide is the number of wide distances between lines, and all that of all distances.
	wide, all int
	// half is the right edge of the left of two columns, 0 if there is one column.
	half float64
}

// geometry returns the joiner of a document with pages.
func geometry(d *layout.Document, lines []line) *pageJoiner {
	j := &pageJoiner{d: d, frames: map[int]frame{}}
	widest, wide, all := frame{}, 0, 0
	byPage(lines, func(page int, ls []line) {
		f := frameOf(ls, pageSize(d, page).Width)
		if len(ls) >= 8 && f.right > widest.right {
			widest = f
		}
		j.frames[page] = f
		wide, all = wide+f.wide, all+f.all
	})
	j.spaced = wide*spacedShare > all
	for page, f := range j.frames {
		if f.right-f.left < (widest.right-widest.left)*0.8 {
			f.left, f.right = min(f.left, widest.left), max(f.right, widest.right)
			j.frames[page] = f
		}
	}
	return j
}

// frameOf measures the text of a page.
func frameOf(ls []line, width float64) frame {
	var lefts, rights, leadings []float64
	early, late, half := 0, 0, 0.0
	for i, l := range ls {
		if l.margin || l.box == (layout.Box{}) {
			continue
		}
		lefts, rights = append(lefts, l.box.Left), append(rights, l.box.Right)
		if i > 0 && l.box.Top-ls[i-1].box.Top > (l.box.Bottom-l.box.Top)/2 {
			leadings = append(leadings, l.box.Top-ls[i-1].box.Top)
		}
		if l.box.Right < 0.55*width {
			early++
			half = max(half, l.box.Right)
		} else if l.box.Left > 0.45*width {
			late++
		}
	}
	if len(lefts) == 0 {
		return frame{}
	}
	slices.Sort(lefts)
	slices.Sort(rights)
	slices.Sort(leadings)
	f := frame{left: lefts[len(lefts)/20], right: rights[len(rights)-1-len(rights)/40]}
	if len(leadings) > 0 {
		f.leading = leadings[len(leadings)/2]
	}
	f.all = len(leadings)
	for _, x := range leadings {
		if x > wideLeading*f.leading && x < 4*f.leading {
			f.wide++
		}
	}
	if early >= 5 && late >= 5 && (early+late)*10 > len(lefts)*8 {
		f.half = half
	}
	return f
}

// edge returns the right edge of the column of a line.
func (j *pageJoiner) edge(l line) float64 {
	f := j.frames[l.page]
	if f.half > 0 && l.box.Right <= f.half+1 {
		return f.half
	}
	return f.right
}

func (j *pageJoiner) joins(text string, sofar []line, next line) bool {
	last := sofar[len(sofar)-1]
	before, after := text[last.Start:last.End], text[next.Start:next.End]
	if signature.Labelled(after) || signature.Labelled(before) || last.box == (layout.Box{}) || next.box == (layout.Box{}) {
		return false
	}
	if _, ok := exhibitOf(before); ok && len(sofar) == 1 {
		return false
	}
	if next.box.Top < last.box.Top {
		return j.resumes(text, last, next) // the next column
	}
	if j.apart(sofar, next) || differs(last, next) || beginsItem(before, after, j.full(last, next)) {
		return false
	}
	if j.centred(last) || j.centred(next) {
		return j.centred(last) && j.centred(next)
	}
	if !wording.EndsSentence(before) {
		return j.unfinished(before, after, last, next)
	}
	width := pageSize(j.d, last.page).Width
	if len(sofar) > 1 && math.Abs(next.box.Left-last.box.Left) > indented*width {
		return false
	}
	return j.full(last, next) || j.spaced && j.long(last)
}

// unfinished reports whether the next line continues a line that does not end a sentence,
// even if lines are ragged.
func (j *pageJoiner) unfinished(before, after string, last, next line) bool {
	if wording.StartsLower(after) || endsOpen(before) || j.full(last, next) {
		return true
	}
	_, title := wholeTitle(before, true)
	capitals := wording.CaseOf(before).Capitals()
	return j.long(last) && (capitals && wording.CaseOf(after).Capitals() || j.spaced && !title)
}

// long reports whether a line extends over more than half of the text's width.
func (j *pageJoiner) long(l line) bool {
	f := j.frames[l.page]
	return l.box.Right-f.left > (f.right-f.left)/2
}

// apart reports whether the next line is further away than the lines of a paragraph.
func (j *pageJoiner) apart(sofar []line, next line) bool {
	last := sofar[len(sofar)-1]
	usual := j.frames[last.page].leading
	if n := len(sofar); n > 1 && sofar[n-2].page == last.page && last.box.Top > sofar[n-2].box.Top {
		usual = last.box.Top - sofar[n-2].box.Top
	} else if height := last.box.Bottom - last.box.Top; usual < height {
		usual = 1.2 * height
	}
	return next.box.Top-last.box.Top > wideLeading*usual
}

// differs reports whether the letters of two lines have different heights.
func differs(a, b line) bool {
	x, y := a.box.Bottom-a.box.Top, b.box.Bottom-b.box.Top
	return x > otherSize*y || y > otherSize*x
}

// full reports whether the first word of the next line would not have fit on a line.
func (j *pageJoiner) full(l, next line) bool {
	width := pageSize(j.d, l.page).Width
	return l.box.Right+next.first > j.edge(l)-ragged*width
}

func (j *pageJoiner) resumes(text string, last, next line) bool {
	if (columnJoiner{}).resumes(text, last, next) {
		return true
	}
	before, after := text[last.Start:last.End], text[next.Start:next.End]
	_, numbered := numbering.Parse(after)
	if numbered || wording.EndsSentence(before) || signature.Labelled(after) || signature.Labelled(before) || j.centred(last) || j.centred(next) {
		return false
	}
	return j.full(last, next) && wording.CaseOf(before).Capitals() == wording.CaseOf(after).Capitals() && !differs(last, next)
}

func (j *pageJoiner) centred(l line) bool {
	f := j.frames[l.page]
	width := pageSize(j.d, l.page).Width
	if l.box == (layout.Box{}) || l.box.Left < f.left+0.08*width || f.half > 0 {
		return false
	}
	middle := (l.box.Left + l.box.Right) / 2
	return math.Abs(middle-(f.left+f.right)/2) < offCentre*width || math.Abs(middle-width/2) < offCentre*width/2
}
