package typeset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/rectohq/recto/libs/formats/pdf/typeset/internal/truetype"
)

// Writer writes text into the content streams of one file. It collects the glyphs, so that
// each font is embedded once, as a subset. The zero Writer is ready for use. It is not safe
// for concurrent use.
type Writer struct {
	used []*usedFont
	// named holds the names that Names has not returned yet.
	named []string
}

// usedFont is a font with what has been shown in it. The index of a shape is its CID.
type usedFont struct {
	name   string
	font   *Font
	shapes []truetype.Glyph
	text   []string
	cids   map[meaning]int
}

// meaning is a shape with the text that it stands for.
type meaning struct {
	id    uint16
	made  bool
	parts string
	text  string
}

// width returns the advance of a shape in thousandths of the font size.
func (u *usedFont) width(g truetype.Glyph) int {
	advance := g.Advance
	if !g.Made && int(g.ID) < len(u.font.advances) {
		advance = int(u.font.advances[g.ID])
	}
	return u.font.metrics.Thousandths(advance)
}

// cid returns the CID of a shape with a text. A shape has a CID for each of its texts.
func (u *usedFont) cid(g truetype.Glyph, text string) int {
	key := meaning{id: g.ID, made: g.Made, text: text}
	if len(g.Parts) > 0 {
		key.parts = fmt.Sprint(g.Parts, g.Advance)
	}
	cid, ok := u.cids[key]
	if !ok {
		cid = len(u.shapes)
		u.cids[key] = cid
		u.shapes = append(u.shapes, g)
		u.text = append(u.text, text)
	}
	return cid
}

// use returns the record of a font, and adds the font to Names.
func (w *Writer) use(f *Font) *usedFont {
	i := slices.IndexFunc(w.used, func(u *usedFont) bool { return u.font == f })
	if i < 0 {
		i = len(w.used)
		w.used = append(w.used, &usedFont{
			name: "Recto" + strconv.Itoa(i+1), font: f,
			shapes: []truetype.Glyph{{}}, text: []string{""}, cids: map[meaning]int{},
		})
	}
	u := w.used[i]
	if !slices.Contains(w.named, u.name) {
		w.named = append(w.named, u.name)
	}
	return u
}

// Names returns the names of the fonts that Show has used since the last call, so that they
// can be listed in the resources of a content stream.
func (w *Writer) Names() []string {
	names := w.named
	w.named = nil
	return names
}

// Show returns the operators that show a line whose baseline begins at (x, y), from BT to
// ET. The operators refer to fonts by the names in Embedded.
func (w *Writer) Show(l Line, x, y float64) []byte {
	var s stream
	fmt.Fprintf(&s.out, "BT\n1 0 0 1 %s %s Tm\n", number(x), number(y))
	for _, run := range l.Runs {
		s.font = w.use(run.Font)
		s.size = run.Size
		fmt.Fprintf(&s.out, "/%s %s Tf\n", s.font.name, number(run.Size))
		for _, c := range clustersOf(run.Glyphs) {
			s.cluster(c)
		}
		s.flush()
	}
	s.out.WriteString("ET\n")
	return s.out.Bytes()
}

// clustersOf divides glyphs before those that have a text.
func clustersOf(glyphs []Glyph) [][]Glyph {
	var all [][]Glyph
	start := 0
	for i := range glyphs {
		if i > start && glyphs[i].Text != "" {
			all = append(all, glyphs[start:i])
			start = i
		}
	}
	if start < len(glyphs) {
		all = append(all, glyphs[start:])
	}
	return all
}

// stream is a text object under construction.
type stream struct {
	out  bytes.Buffer
	font *usedFont
	size float64

	array  []byte  // of the TJ operator that has not been written
	wanted float64 // where the next cluster belongs, from the beginning of the line
	actual float64 // where it would be shown
}

// cluster shows the glyphs of a cluster as one shape, or as several if they are too many.
func (s *stream) cluster(glyphs []Glyph) {
	shape, offset := shapeOf(glyphs)
	s.move(s.wanted + float64(offset)*s.size/float64(s.font.font.metrics.UnitsPerEm))
	shapes := split(shape)
	texts := shares(glyphs[0].Text, glyphs[0].rtl)
	for len(texts) < len(shapes) {
		texts = append(texts, "")
	}
	spare := make([]truetype.Glyph, len(texts)-len(shapes))
	for i := range spare {
		spare[i].Made = true
	}
	if glyphs[0].rtl {
		shapes = append(spare, shapes...)
	} else {
		shapes = append(shapes, spare...)
	}
	for i, text := range texts {
		s.show(shapes[i], text)
	}
	for _, g := range glyphs {
		s.wanted += g.Advance
	}
}

// split divides a shape that has too many parts. The last one has the advance.
func split(g truetype.Glyph) []truetype.Glyph {
	var shapes []truetype.Glyph
	for len(g.Parts) > truetype.MaxParts {
		n := truetype.MaxParts
		shapes = append(shapes, truetype.Glyph{Made: true, Parts: g.Parts[:n]})
		g.Parts = g.Parts[n:]
	}
	return append(shapes, g)
}

// show shows a shape where the last one ended.
func (s *stream) show(g truetype.Glyph, text string) {
	s.array = fmt.Appendf(s.array, "<%04X>", s.font.cid(g, text))
	s.actual += float64(s.font.width(g)) * s.size / 1000
}

// shapeOf returns the shape of a cluster, and how far right it is to be shown. If there are
// several glyphs, it is a glyph made of them. One shape with all of the text is what all
// readers extract well, unlike marks that are shown on their own.
func shapeOf(glyphs []Glyph) (truetype.Glyph, int) {
	if len(glyphs) == 1 && glyphs[0].y == 0 {
		return truetype.Glyph{ID: glyphs[0].ID}, glyphs[0].x
	}
	made := truetype.Glyph{Made: true}
	clamp := func(v int) int { return max(-truetype.MaxOffset, min(v, truetype.MaxOffset)) }
	for _, g := range glyphs {
		made.Parts = append(made.Parts, truetype.Part{ID: g.ID, X: clamp(g.x), Y: clamp(g.y)})
		made.Advance += g.advance
	}
	made.Advance = max(0, clamp(made.Advance))
	return made, 0
}

// shares divides the text of a cluster into that of its shape and those of empty shapes next
// to it. Text from right to left is divided into characters, last one first: readers take
// each shape for what is written left of the next, and reverse them all. Other text is cut
// where it would be too long for readers.
func shares(text string, rtl bool) []string {
	longest := 24
	if rtl {
		longest = 1
	}
	var parts []string
	for part := range slices.Chunk([]rune(text), longest) {
		parts = append(parts, string(part))
	}
	if rtl {
		slices.Reverse(parts)
	}
	return parts
}

// move makes the next glyph appear at a place on the line, to a thousandth of the size.
func (s *stream) move(to float64) {
	if s.size <= 0 {
		return
	}
	if n := int(math.Round((s.actual - to) * 1000 / s.size)); n != 0 {
		s.array = strconv.AppendInt(s.array, int64(n), 10)
		s.actual -= float64(n) * s.size / 1000
	}
}

// flush writes the TJ operator.
func (s *stream) flush() {
	if len(s.array) > 0 {
		fmt.Fprintf(&s.out, "[%s] TJ\n", bytes.ReplaceAll(s.array, []byte("><"), nil))
		s.array = s.array[:0]
	}
}

// number writes a number to four decimals, without an exponent.
func number(v float64) string {
	v = math.Round(v*1e4) / 1e4
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
