package ground_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/ground"
)

// sheet is a document that is written word by word.
type sheet struct {
	doc layout.Document
	// page is the page to which words are added.
	page int
}

// word adds a word to the last block, 0.02 high, and a space.
func (s *sheet) word(text string, left, top, right float64) {
	at := len(s.doc.Text)
	s.doc.Text += text + " "
	s.doc.Words = append(s.doc.Words, layout.Word{
		Span: layout.Span{Start: at, End: at + len(text)}, Page: s.page, Box: layout.Box{Left: left, Top: top, Right: right, Bottom: top + .02},
	})
}

// block adds a paragraph with the words that write adds, and returns its end.
func (s *sheet) block(cell layout.Cell, write func()) int {
	start := len(s.doc.Text)
	if write != nil {
		write()
	}
	end := len(s.doc.Text)
	s.doc.Text += "\n"
	s.doc.Blocks = append(s.doc.Blocks, layout.Block{Span: layout.Span{Start: start, End: end}, Cell: cell})
	return end
}

// beside returns the place of a value, in hundredths of the page, rounded.
func beside(t *testing.T, s *sheet, offset int) (page, left, top, right, bottom int) {
	t.Helper()
	for range s.page {
		s.doc.Pages = append(s.doc.Pages, layout.Page{Width: 612, Height: 792})
	}
	page, box, ok := ground.New(&s.doc).Beside(offset)
	if !ok || box == nil || box.Page != page {
		t.Fatalf("got page %d, %+v, %v", page, box, ok)
	}
	hundredths := func(v float64) int { return int(v*100 + .5) }
	return page, hundredths(box.Left), hundredths(box.Top), hundredths(box.Left + box.Width), hundredths(box.Top + box.Height)
}

// want fails the test unless Beside returns the given page and edges.
func want(t *testing.T, s *sheet, offset int, places ...int) {
	t.Helper()
	page, left, top, right, bottom := beside(t, s, offset)
	got := [5]int{page, left, top, right, bottom}
	if got != [5]int(places) {
		t.Errorf("the page, left, top, right and bottom of a value are %v, want %v", got, places)
	}
}

// table adds a table of rows, whose cells are separated by "|", and returns the end of
// each cell.
func table(s *sheet, rows ...string) map[layout.Cell]int {
	ends := map[layout.Cell]int{}
	for row, texts := range rows {
		for column, text := range strings.Split(texts, "|") {
			c := layout.Cell{Table: 1, Row: row, Column: column}
			left, top := .1+.3*float64(column), .1+.05*float64(row)
			ends[c] = s.block(c, func() {
				if text != "" {
					s.word(text, left, top, left+.1)
				}
			})
		}
	}
	return ends
}

func TestBesideInTable(t *testing.T) {
	for name, tc := range map[string]struct {
		rows        []string
		row, column int
		want        []int
	}{
		"in the middle":      {[]string{"Name|Title|Date", "Ann||2026"}, 1, 1, []int{1, 40, 15, 70, 17}},
		"at the end":         {[]string{"Name|Title|Date", "Ann|CEO|"}, 1, 2, []int{1, 70, 15, 90, 17}},
		"at the beginning":   {[]string{"Name|Title|Date", "|CEO|2026"}, 1, 0, []int{1, 10, 15, 40, 17}},
		"in an empty row":    {[]string{"Name|Title|Date", "||"}, 1, 1, []int{1, 40, 12, 70, 14}},
		"without its column": {[]string{"Name|", "Title|"}, 0, 1, []int{1, 20, 10, 90, 12}},
		"alone in its row":   {[]string{"Name||Date", "||2026"}, 1, 1, []int{1, 10, 15, 70, 17}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sheet{page: 1}
			ends := table(s, tc.rows...)
			want(t, s, ends[layout.Cell{Table: 1, Row: tc.row, Column: tc.column}], tc.want...)
		})
	}
}

// TestBesideOnTheNextPage shows that rows of another page do not bound a cell.
func TestBesideOnTheNextPage(t *testing.T) {
	s := &sheet{page: 1}
	s.block(layout.Cell{Table: 1}, func() { s.word("Name", .1, .9, .2) })
	s.block(layout.Cell{Table: 1, Column: 1}, func() { s.word("Value", .3, .9, .4) })
	s.page = 2
	s.block(layout.Cell{Table: 1, Row: 1}, func() { s.word("Title", .15, .1, .25) })
	end := s.block(layout.Cell{Table: 1, Row: 1, Column: 1}, nil)
	want(t, s, end, 2, 25, 10, 85, 12)
}

// TestBesideInLongTable shows that only nearby rows bound a cell.
func TestBesideInLongTable(t *testing.T) {
	s := &sheet{page: 1}
	s.block(layout.Cell{Table: 1, Column: 1}, func() { s.word("far", .3, .05, .4) })
	for row := 1; row < 100; row++ {
		s.block(layout.Cell{Table: 1, Row: row}, func() { s.word("x", .1, .5, .2) })
	}
	s.block(layout.Cell{Table: 1, Row: 100}, func() { s.word("Name", .1, .6, .2) })
	end := s.block(layout.Cell{Table: 1, Row: 100, Column: 1}, nil)
	want(t, s, end, 1, 20, 60, 90, 62)
}

func TestBesideLabel(t *testing.T) {
	t.Run("up to the margin", func(t *testing.T) {
		s := &sheet{page: 1}
		end := s.block(layout.Cell{}, func() { s.word("Name:", .1, .1, .2) })
		want(t, s, end, 1, 20, 10, 90, 12)
	})
	t.Run("up to the next word", func(t *testing.T) {
		s := &sheet{page: 1}
		end := s.block(layout.Cell{}, func() { s.word("Name:", .1, .1, .2) })
		s.block(layout.Cell{}, func() { s.word("Date:", .6, .1, .7); s.word("below", .3, .119, .4) })
		want(t, s, end, 1, 20, 10, 60, 12)
	})
	t.Run("in an empty paragraph", func(t *testing.T) {
		s := &sheet{page: 1}
		s.block(layout.Cell{}, func() { s.word("Name:", .1, .1, .2); s.word("over", .3, .2, .95) })
		end := s.block(layout.Cell{}, nil)
		want(t, s, end, 1, 95, 20, 95, 22)
	})
	t.Run("in a table without words", func(t *testing.T) {
		s := &sheet{page: 1}
		s.block(layout.Cell{}, func() { s.word("Name:", .1, .1, .2) })
		end := s.block(layout.Cell{Table: 1}, nil)
		want(t, s, end, 1, 20, 10, 90, 12)
	})
}

// TestNothingBeside shows that there is no place without a preceding word, or for an offset
// outside the text.
func TestNothingBeside(t *testing.T) {
	s := &sheet{page: 1}
	start := s.block(layout.Cell{}, nil)
	s.block(layout.Cell{}, func() { s.word("Name:", .1, .1, .2) })
	for _, offset := range []int{-1, 0, start} {
		if page, box, ok := ground.New(&s.doc).Beside(offset); ok {
			t.Errorf("a value at %d has a place on page %d, %+v", offset, page, box)
		}
	}
	if page, box, ok := ground.New(&layout.Document{Text: "Name: "}).Beside(6); ok {
		t.Errorf("in a text without pages, a value has a place on page %d, %+v", page, box)
	}
}

func TestConfidence(t *testing.T) {
	for c, want := range map[float64]float64{0.12320000000000003: .1232, .95 * .9: .855, -1: 0, 2: 1, 1: 1, 2. / 3: .6667} {
		if got := ground.Confidence(c); got != want {
			t.Errorf("%v becomes %v, want %v", c, got, want)
		}
	}
}

// TestWithin shows which words are within a box.
func TestWithin(t *testing.T) {
	d := twoPages()
	for name, tc := range map[string]struct {
		page int
		box  layout.Box
		want string
	}{
		"one word":         {1, layout.Box{Left: .2, Top: .09, Right: .3, Bottom: .125}, "é"},
		"two words":        {1, layout.Box{Left: .09, Top: .09, Right: .3, Bottom: .125}, "One é"},
		"a part of a word": {2, layout.Box{Left: .1, Top: .1, Right: .12, Bottom: .12}, ""},
		"no word":          {1, layout.Box{Left: .5, Top: .5, Right: .6, Bottom: .6}, ""},
		"no page":          {3, layout.Box{Right: 1, Bottom: 1}, ""},
		"another page":     {2, layout.Box{Left: .29, Top: .1, Right: 1, Bottom: .12}, "four"},
	} {
		span := ground.New(d).Within(tc.page, tc.box)
		if got := d.Quote(span); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
	interleaved := layout.Document{Text: "a x b", Pages: make([]layout.Page, 1), Words: []layout.Word{
		{Span: layout.Span{Start: 0, End: 1}, Page: 1, Box: layout.Box{Left: .1, Top: .1, Right: .2, Bottom: .12}},
		{Span: layout.Span{Start: 2, End: 3}, Page: 1, Box: layout.Box{Left: .7, Top: .1, Right: .8, Bottom: .12}},
		{Span: layout.Span{Start: 4, End: 5}, Page: 1, Box: layout.Box{Left: .1, Top: .2, Right: .2, Bottom: .22}},
	}}
	if span := ground.New(&interleaved).Within(1, layout.Box{Left: .05, Top: .05, Right: .3, Bottom: .3}); interleaved.Quote(span) != "a" {
		t.Errorf("got %q, want only the first consecutive words", interleaved.Quote(span))
	}
}

// TestLabel shows that the label of a form's box is found on its line, or else above or
// below it.
func TestLabel(t *testing.T) {
	d := &layout.Document{Text: "Name: Title: Signature far", Pages: []layout.Page{{Span: layout.Span{End: 26}, Width: 600, Height: 800}}}
	for _, w := range []struct {
		start, end int
		left, top  float64
	}{{0, 5, 0.1, 0.1}, {6, 12, 0.5, 0.1}, {13, 22, 0.3, 0.5}, {23, 26, 0.3, 0.9}} {
		d.Words = append(d.Words, layout.Word{
			Span: layout.Span{Start: w.start, End: w.end}, Page: 1, Box: layout.Box{Left: w.left, Top: w.top, Right: w.left + 0.1, Bottom: w.top + 0.02},
		})
	}
	g := ground.New(d)
	for want, box := range map[string]layout.Box{
		"Name:":     {Left: 0.2, Top: 0.095, Right: 0.45, Bottom: 0.125},
		"Title:":    {Left: 0.61, Top: 0.095, Right: 0.8, Bottom: 0.125},
		"Signature": {Left: 0.25, Top: 0.47, Right: 0.5, Bottom: 0.495},
		"":          {Left: 0.6, Top: 0.7, Right: 0.8, Bottom: 0.72},
	} {
		got, ok := g.Label(1, box)
		if d.Quote(got) != want || ok != (want != "") {
			t.Errorf("the label of %+v is %q, want %q", box, d.Quote(got), want)
		}
	}
	if _, ok := g.Label(2, layout.Box{Right: 1, Bottom: 1}); ok {
		t.Error("a page without words has a label")
	}
}
